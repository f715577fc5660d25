"""Gathers the facts of an import at one moment, for all texts and files."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from petstore_frame.loader.duplicate_question import Question
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.row_counts import (
    ExcludedRows,
    NotedRows,
    ProblemRows,
    count_states,
    read_excluded,
    read_noted,
    read_problems,
)
from petstore_frame.loader.journal.rows import Import, JournalRow, read_import, read_rows
from petstore_frame.loader.reconcile import OpenRows, read_open_rows
from petstore_frame.loader.results.row_groups import RowGroup, count_groups
from petstore_frame.loader.row_state import (
    FIX_STATES,
    UNCONFIRMED_STATES,
    Ending,
    Reason,
    RowProblem,
    State,
    short_text,
)
from petstore_frame.loader.source import LikelyKey, field_name
from petstore_frame.loader.source.table import DATE_NOTE, NUMBER_NOTE, PADDED_NOTE
from petstore_frame.schema import count_text

IN_STORE = (State.CREATED, State.MATCHED)
# Rows that may be in the store.
UNCONFIRMED = (State.UNCONFIRMED, State.IN_FLIGHT)
# Facts of an import: which cause most rows share, so that nothing is sent; the column that may
# identify an animal, if the user named none; and after how many errors the user wants a stop.
COMMON_CAUSE = "common_cause"
LIKELY_KEY = "likely_key"
MAX_ERRORS = "max_errors"
_TIMES = ("staged_at", "started_at", "ended_at")
_SHOWN_LINES, _SHOWN_VALUES, _MOST_PROPOSED = 2, 8, 40
_LEAST_COMMON = 3
_ENDING_CODES = {
    Ending.BUDGET: 4,
    Ending.STOPPED: 5,
    Ending.OUTAGE: 5,
    Ending.JOURNAL: 6,
    Ending.INTERRUPTED: 130,
}
# Why a row is excluded.
WHY_EXCLUDED: dict[str, str] = {
    Reason.BLANK: "blank",
    Reason.LEFT_OUT: "excluded by you",
    Reason.KNOWN: "already loaded",
    Reason.CHANGED: "already loaded, with other values now",
}
NOTES: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalized": "a category id was read as a plain number",
    "trimmed": "leading or trailing spaces were removed",
    "status_case": "the capitalization of a status was corrected",
    "short_row": "the row is shorter than the header; its missing cells are empty",
    "mojibake": "the name looks like text in a wrong encoding",
    "invisible_characters": "the name has invisible characters",
    "formula": "the name starts like a spreadsheet formula",
    "missing_word": "the name looks like a missing value, such as nan; value_map can empty it",
    "html_entity": "the name has an HTML entity, such as &amp;",
    PADDED_NOTE: "Excel shows the number with leading zeros, which are not sent",
    "line_break": "the name has a line break or a tab",
    "total_row": "the name looks like a totals row",
    "swallowed_rows": "allowed although a cell seems to contain other rows",
    "unlisted_category": "allowed although the category is not in your list",
    "wrapped_names": "allowed although all names are in quotes or have HTML entities",
    "hidden_row": "allowed although the row is hidden",
    "large_quantity": "allowed although the row stands for very many animals",
    "default_name": "the name is empty; the default was used",
    "default_category_id": "the category is empty; the default was used",
    "default_status": "the status is empty; the default was used",
}


@dataclass(frozen=True)
class Cause:
    """Why a number of rows cannot be sent, or what was noted of them."""

    problem: RowProblem  # the first one, with the option that would solve all of them
    rows: int
    lines: tuple[int, ...]  # of the first two
    values: tuple[tuple[str, int], ...] = ()  # what the cells hold, the commonest first

    def __str__(self) -> str:
        problem = self.problem
        place = f"{problem.column}: " if problem.column else ""
        text = f"{count_text(self.rows, 'row')}: {place}{problem.message}"
        if len(self.values) > 1:
            listed = [f"{short_text(value)} ({count:,})" for value, count in self.values]
            more = f" and {len(listed) - _SHOWN_VALUES:,} more" if listed[_SHOWN_VALUES:] else ""
            return f"{text}; in all {', '.join(listed[:_SHOWN_VALUES])}{more}"
        lines = ", ".join(map(str, self.lines))
        lines += ", …" if self.rows > len(self.lines) else ""
        text += f" ({'line' if self.rows == 1 else 'lines'} {lines})"
        return f"{text}; {problem.hint}" if problem.hint else text


def count_notes(noted_rows: Iterable[NotedRows]) -> list[Cause]:
    """Return each kind of note, with its rows."""
    rows, lines = Counter[str](), dict[str, int]()
    for group in noted_rows:
        # 3.0→3 and 007→7 are both normalized.
        kinds = (
            "normalized" if "→" in note and note not in NOTES else note for note in group.notes
        )
        for kind in dict.fromkeys(kinds):
            if kind in NOTES:
                rows[kind] += group.rows
                lines.setdefault(kind, group.first_line)
    return [
        Cause(RowProblem(kind, NOTES[kind]), rows[kind], (line,)) for kind, line in lines.items()
    ]


@dataclass(frozen=True)
class ImportSummary:
    """The facts of an import at one moment of its journal.

    Attributes:
        open_rows: The lines that reading the store left unconfirmed, or None.
        groups: How many rows of the file are in each group; their sum is the number of rows.
        sent_now: Whether this call sent anything; else the result describes earlier ones.
        question: What the same call without ``dry_run`` would ask; None where it would send.
        folder: Where the result files are, or None.
        fix_file: The path of the fix file that this call loaded, as the user gave it, or None.
    """

    run: Import
    counts: dict[State, int]
    excluded: list[ExcludedRows]
    causes: list[Cause]
    notes: list[Cause]
    open_rows: OpenRows | None
    groups: dict[RowGroup, int]
    sent_now: bool
    is_rehearsal: bool
    question: Question | None
    folder: Path | None
    journal: Path
    fix_file: str | None = None

    def __len__(self) -> int:
        """How many rows the file has."""
        return sum(self.groups.values())

    def count(self, *states: State) -> int:
        """Return how many rows are in some states."""
        return sum(self.counts[state] for state in states)

    @property
    def to_fix(self) -> int:
        """How many rows are surely not in the store, and are to be corrected."""
        return self.count(*FIX_STATES)

    @property
    def unconfirmed(self) -> int:
        """How many rows may be in the store, and were not seen there."""
        return self.count(*UNCONFIRMED_STATES)

    @property
    def is_held(self) -> bool:
        """Whether nothing is sent while one cause fails most rows."""
        return COMMON_CAUSE in self.run.facts

    @property
    def common_cause(self) -> Cause | None:
        """The cause for which nothing is sent; None if rows are sent."""
        if not self.is_held:
            return None
        stored = self.run.facts[COMMON_CAUSE]
        for cause in self.causes:
            if (cause.problem.code, cause.problem.column) == (stored["code"], stored["column"]):
                return cause
        return None

    @property
    def likely_key(self) -> LikelyKey | None:
        """The column that may identify an animal, if the user has not said which does."""
        stored = self.run.facts.get(LIKELY_KEY)
        return None if stored is None else LikelyKey(**stored)

    @property
    def exit_code(self) -> int:
        """The code that the command ends with; 0 only if nothing is left to send or to fix."""
        if self.question is not None:
            return 9
        if self.is_held:
            return 4
        is_left = self.to_fix or self.counts[State.PENDING] or self.counts[State.NOT_FOUND]
        codes = [1 if is_left else 0, 3 if self.count(*UNCONFIRMED) else 0]
        if self.run.ending is not None:
            codes.append(_ENDING_CODES.get(self.run.ending, 0))
        return max(codes)

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON; times are ISO 8601 in UTC."""
        run, open_rows = self.run, self.open_rows
        moments = {name: getattr(run, name) for name in _TIMES}
        facts = {
            "import_id": run.id,
            **asdict(run),
            **{
                name: None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
                for name, at in moments.items()
            },
            "journal": str(self.journal),
            "dry_run": self.is_rehearsal,
            "rows": len(self),
            "states": self.counts,
            "groups": self.groups,
            "excluded": [asdict(group) for group in self.excluded],
            "causes": [
                asdict(cause.problem) | {"rows": cause.rows, "lines": cause.lines}
                for cause in self.causes
            ],
            "notes": {note.problem.code: note.rows for note in self.notes},
            "read_back": None if open_rows is None else open_rows.notes,
            "candidates": {} if open_rows is None else open_rows.candidates,
            "exit_code": self.exit_code,
        }
        as_json: dict[str, Any] = json.loads(json.dumps(facts))
        return as_json


def read_summary(path: Path, import_id: str, **of_call: Any) -> ImportSummary:
    """Read the facts of an import; ``of_call`` has those of the call."""
    run = read_import(path, import_id)
    was_sent = of_call["sent_now"] and not of_call["is_rehearsal"]
    with reading(path) as sql:
        return ImportSummary(
            run,
            count_states(sql, run.number),
            read_excluded(sql, run),
            read_causes(sql, run),
            count_notes(read_noted(sql, run)),
            read_open_rows(sql, run),
            count_groups(sql, run, was_sent=was_sent),
            **of_call,
        )


def read_causes(sql: sqlite3.Connection, run: Import) -> list[Cause]:
    """Return what keeps rows from being sent, each cause once, the most common first.

    A row with several problems is with each of its causes.
    """
    problem_rows = list(read_problems(sql, run))
    for row in read_rows(sql, run.id, State.REJECTED):
        problem_rows.append(ProblemRows(problem_of(row, run), [row.line], 1))
    groups: dict[tuple[Any, ...], list[ProblemRows]] = defaultdict(list)
    for group in problem_rows:
        problem = group.problem
        # One kind of suspicion is one cause, in whatever column.
        column = problem.allow or problem.column
        option = None if problem.add is None else problem.add[0]
        groups[problem.code, column, option].append(group)
    causes = [_cause_of(group, run.key) for group in groups.values()]
    return sorted(causes, key=lambda cause: -cause.rows)


def _cause_of(group: Sequence[ProblemRows], key: Sequence[str]) -> Cause:
    """Return the cause of rows with problems of one kind."""
    rows_of_value = Counter[str]()
    for problem, _, rows in group:
        rows_of_value[(problem.value or "").strip()] += rows
    lines = sorted({line for member in group for line in member.lines})[:_SHOWN_LINES]
    values = tuple(rows_of_value.most_common())
    texts = [text for text, _ in values if text]
    problem = group[0].problem
    problem = replace(problem, add=_add_for_all(problem, texts, key))
    return Cause(problem, rows_of_value.total(), tuple(lines), values)


def _add_for_all(
    problem: RowProblem, values: Sequence[str], key: Sequence[str]
) -> tuple[str, Any] | None:
    """Return the option that solves a problem for all rows that have one of the values."""
    if problem.add is None:
        return None
    option, value = problem.add
    placeholders = dict.fromkeys(values[:_MOST_PROPOSED], "?")
    if option == "categories":
        return option, placeholders
    if option == "value_map":
        return option, dict.fromkeys(value, placeholders)
    if option == "defaults" and "name" in value and key:
        return option, {"name": " ".join(["Unnamed", *(f"{{{column}}}" for column in key)])}
    return problem.add


def common_cause(sql: sqlite3.Connection, run: Import) -> Cause | None:
    """Return the cause for which nothing of a file is sent, or None.

    Nothing can be deleted, so a file that was probably read the wrong way is blocked while no row
    of its header was ever created. ``max_errors=`` overrides it.
    """
    causes = read_causes(sql, run)
    if not causes or causes[0].rows < _LEAST_COMMON:
        return None
    excluded = read_excluded(sql, run)
    animals = sum(count_states(sql, run.number).values())
    animals -= sum(group.rows for group in excluded if group.reason.is_plain)
    was_created = sql.execute(
        "SELECT 1 FROM animals JOIN imports USING (import)"
        " WHERE header = ? AND state IN ('created', 'matched', 'gone') LIMIT 1",
        [json.dumps(run.header)],
    ).fetchone()
    if was_created or 2 * causes[0].rows <= animals:
        return None
    return causes[0]


_HINTS = {
    State.UNCONFIRMED: "it may be in the store already; do not send it again by hand",
    State.NOT_FOUND: "its pet was not found; send it again only if you are sure",
    State.IN_FLIGHT: "it was being sent when its import was killed; load the file again",
}


def problem_of(row: JournalRow, run: Import) -> RowProblem:
    """Return all that is wrong with a row, by our own checks or by the store's answer.

    The column and the value are those of the first problem; the message and the hint have all.
    """
    if row.problems:
        return _joined(row.problems)
    if row.state is State.REJECTED:
        column = run.mapping.get(field_name(row.error_field or "") or "")
        at = run.header.index(column) if column in run.header else len(row.cells)
        return RowProblem(
            row.error_code or row.reason or "",
            row.error_message or "the store rejected it",
            column,
            row.cells[at] if at < len(row.cells) else None,
            "the store rejected it; correct what its message names",
        )
    hint = _HINTS.get(row.state, "")
    if row.known is not None and row.known.import_id == run.id:
        hint = f"it is the animal of line {row.known.line}"
    return RowProblem(row.error_code or "", row.error_message or "", hint=hint)


def _joined(problems: Sequence[RowProblem]) -> RowProblem:
    """Return the problems of a row as one."""
    first, *others = problems
    messages = [first.message]
    for problem in others:
        place = f"{problem.column}: " if problem.column else ""
        messages.append(f"{place}{problem.message}")
    hints = dict.fromkeys(problem.hint for problem in problems if problem.hint)
    return replace(first, message="; ".join(messages), hint="; ".join(hints))
