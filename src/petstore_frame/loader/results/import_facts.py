"""Reads the facts of an import from the journal, for result texts and files."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

from petstore_frame.exit_codes import ExitCode
from petstore_frame.file_questions import row_questions
from petstore_frame.loader.findings import (
    ChangedValues,
    Finding,
    GoneAnimals,
    NewCategoryNames,
    RejectedCorrections,
    RenamedInStore,
    count_fields,
    unpack_findings,
)
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.row_counts import (
    LoadedBefore,
    NotedRows,
    ProblemRows,
    count_states,
    read_loaded_before,
    read_noted,
    read_problems,
)
from petstore_frame.loader.journal.rows import (
    NO_PET_ID,
    Import,
    JournalRow,
    read_excluded_rows,
    read_import,
    read_payload,
    read_rows,
)
from petstore_frame.loader.journal.schema import IS_ANIMAL
from petstore_frame.loader.reconcile import OpenRows, read_open_rows
from petstore_frame.loader.results.row_groups import GroupCounts, RowGroup, count_groups
from petstore_frame.loader.row_state import (
    FIX_STATES,
    UNCONFIRMED_STATES,
    Reason,
    RowProblem,
    State,
)
from petstore_frame.loader.source import LikelyKey, field_name
from petstore_frame.questions import Question
from petstore_frame.schema import FIELDS, count_text, line_ranges, line_text
from petstore_frame.schema.text import short_text
from petstore_frame.tables.table import (
    DATE_NOTE,
    NUMBER_NOTE,
    ZERO_FORMULA_NOTE,
)

IN_STORE = (State.CREATED, State.MATCHED)
# The states of rows that may be in the store.
UNCONFIRMED = (State.UNCONFIRMED, State.IN_FLIGHT)
# The names of facts of an import: the cause that blocks a file because most rows share it; the
# columns that may identify an animal, if the user named none; the user's limit of errors; and
# sentences about the file as a whole.
COMMON_CAUSE = "common_cause"
FINDINGS = "findings"
FILE_PATH = "path"
FILE_WARNINGS = "file_warnings"
LIKELY_KEYS = "likely_keys"
MAX_ERRORS = "max_errors"
_PENDING = "SELECT count(*) FROM animals WHERE import = ? AND state = 'pending'"
_SENT = "SELECT 1 FROM animals WHERE import = ? AND sent_at IS NOT NULL LIMIT 1"
_TIMES = ("staged_at", "started_at", "ended_at")
_MAX_POSSIBLE = 10
_FIRST_LINES, _MAX_VALUES, _MAX_PLACEHOLDERS = 2, 8, 40
_LEFT_OUT = "SELECT 1 FROM row_states WHERE import = ? AND excluded = ? LIMIT 1"
# Up to this many rows of totals are suggested to be excluded by their lines.
_MAX_EXCLUDED = 5
# The text for each reason why a row was not sent.
WHY_NOT_SENT: dict[str, str] = {
    Reason.BLANK: "blank",
    Reason.LEFT_OUT: "excluded by you",
    Reason.KNOWN: "already loaded",
    Reason.CHANGED: "already loaded, with other values now",
}
# The animals that are gone: of a file by line, and of other files unless they were created again.
_GONE_HERE = """
SELECT line, CAST(animal_payload AS TEXT), gone_at FROM row_states
WHERE import = ? AND state = 'gone' ORDER BY row
"""
_GONE_ELSEWHERE = f"""
SELECT source, count(*), sum(gone_at >= :since) FROM animals JOIN imports USING (import)
WHERE gone_at IS NOT NULL AND {IS_ANIMAL} AND animals.animal NOT IN (
  SELECT animal FROM row_states WHERE import = :mine AND animal IS NOT NULL)
AND NOT EXISTS (SELECT 1 FROM animals AS later WHERE later.import = animals.import
  AND later.row = animals.row AND later.attempt > animals.attempt)
AND NOT EXISTS (SELECT 1 FROM keys JOIN keys AS same USING (core, key)
  JOIN animals AS later ON later.animal = same.animal
  WHERE keys.animal = animals.animal AND later.animal > animals.animal AND later.gone_at IS NULL)
GROUP BY source ORDER BY source
"""
_CHANGED = """
SELECT CAST(payload AS TEXT), CAST(animal_payload AS TEXT) FROM row_states
WHERE import = ? AND is_animal AND same_as IS NULL AND payload <> animal_payload
"""
NOTES: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalized": "a category id was read as a plain number",
    "trimmed": "leading or trailing spaces were removed",
    "status_case": "the capitalization of a status was corrected",
    "short_row": "the row is shorter than the header; its missing cells are empty",
    "mojibake": "the name looks like text in a wrong encoding",
    "invisible_characters": "the name has invisible characters",
    **{
        f"invisible_{field.name}": f"invisible characters of the {field.label.lower()} were removed"
        for field in FIELDS.sent
        if field.name != "name"
    },
    "formula": "the name starts like a spreadsheet formula",
    "missing_word": "the name looks like a missing value, such as nan; value_map can empty it",
    ZERO_FORMULA_NOTE: "the category is a formula with the value 0; was it ever calculated?",
    "line_break": "the name has a line break or a tab",
    "total_row": "the name looks like a totals row",
    "swallowed_rows": "allowed although a cell seems to contain other rows",
    "unlisted_category": "allowed although the category is not in your list",
    "wrapped_names": "allowed although the name is in quotes or has HTML entities",
    "hidden_row": "allowed although the row is hidden",
    "large_quantity": "allowed although the row stands for very many animals",
    "default_name": "the name is empty; the default was used",
    "default_category_id": "the category is empty; the default was used",
    "default_status": "the status is empty; the default was used",
    NO_PET_ID: "in the store, but the id of its pet is not known, because the response was lost or "
    "is not a pet; reconciling finds the id in the next reading of the store",
}


@dataclass(frozen=True)
class Cause:
    """A reason why some rows cannot be sent, or a note about some rows."""

    problem: RowProblem  # the problem of the first row, with the option that solves all of them
    rows: int
    lines: tuple[range, ...]  # line numbers of the rows
    values: tuple[tuple[str, int], ...] = ()  # values of the cells, most common first
    noun: str = "row"  # what ``rows`` counts: the animals of rows with a quantity, or the rows

    @property
    def option(self) -> str:
        """The option that solves the problem for all rows; empty if there is none."""
        return "" if self.problem.add is None else str(self.problem.add[0])

    def questions(self) -> list[Question]:
        """Return what a person can answer once for all these rows."""
        if self.problem.add is None:
            return []
        option, value = self.problem.add
        choices = () if self.problem.allow is None else (self.problem.allow,)
        return [*row_questions(str(self), option, value, self.problem.hint, choices)]

    @property
    def first_lines(self) -> list[int]:
        """The first two lines."""
        return list(islice(chain.from_iterable(self.lines), _FIRST_LINES))

    @property
    def text(self) -> str:
        """What is wrong, without what to do about it."""
        problem, count = self.problem, count_text(self.rows, self.noun)
        if problem.is_missing:
            text = f"{count} with {problem.message}"
        elif problem.column:
            text = f"{count}: {problem.column}: {problem.message}"
        else:
            text = f"{count}: {problem.message}"
        text += f" ({line_text(self.lines)})"
        if len(self.values) > 1:
            values = [f"{short_text(value)} ({count:,})" for value, count in self.values]
            more = f" and {len(values) - _MAX_VALUES:,} more" if values[_MAX_VALUES:] else ""
            text += f"; in all {', '.join(values[:_MAX_VALUES])}{more}"
        return text

    def __str__(self) -> str:
        hint = self.problem.hint
        return f"{self.text}; {hint}" if hint else self.text


def _has_quantity(run: Import) -> bool:
    return bool((run.recipe or {}).get("quantity"))


def _noun(run: Import) -> str:
    return "animal" if _has_quantity(run) else "row"


def count_notes(noted_rows: Iterable[NotedRows], noun: str = "row") -> list[Cause]:
    """Return one cause for each kind of note."""
    rows, lines = Counter[str](), defaultdict[str, list[range]](list)
    for group in noted_rows:
        # Notes such as 3.0→3 and 007→7 are of the kind "normalized".
        kinds = (
            "normalized" if "→" in note and note not in NOTES else note for note in group.notes
        )
        for kind in dict.fromkeys(kinds):
            if kind in NOTES:
                rows[kind] += group.rows
                lines[kind] += group.lines
    return [
        Cause(RowProblem(kind, NOTES[kind]), rows[kind], tuple(line_ranges(lines[kind])), noun=noun)
        for kind in rows
    ]


@dataclass(frozen=True)
class ImportSummary:
    """The facts of an import, read from one state of the journal.

    Attributes:
        open_rows: The rows that are still unconfirmed after reading the store, or None.
        still_shown: The lines of excluded rows whose animals the store still shows, by status.
        findings: What else the user should know.
        possible: The first possible duplicates.
        group_counts: The number of rows and of animals in each group.
        pending: The number of animals to send; several rows may stand for one.
        has_sent: Whether this or an earlier call has sent rows of the file.
        sent_now: Whether this call sent anything. If not, the result describes earlier calls.
        question: The question that the call without ``dry_run`` would ask; None if it would send.
        folder: Folder of the result files; None if none were written.
        journal: The journal.
        journal_folder: Its folder as the user types it; None for the user's state folder.
        fix_file: Path of the loaded fix file as the user gave it; None for other files.
        command: The command of this load, as the user typed it in a shell; None in Python.
        max_rows: The maximum number of rows that this call sends; None for no limit.
    """

    run: Import
    counts: dict[State, int]
    not_sent: list[LoadedBefore]
    causes: list[Cause]
    notes: list[Cause]
    open_rows: OpenRows | None
    still_shown: dict[str, list[int]]
    findings: list[Finding]
    possible: list[JournalRow]
    group_counts: GroupCounts
    pending: int
    has_sent: bool
    sent_now: bool
    is_rehearsal: bool
    question: Question | None
    folder: Path | None
    journal: Path
    journal_folder: str | None = None
    fix_file: str | None = None
    command: str | None = None
    max_rows: int | None = None

    @property
    def groups(self) -> dict[RowGroup, int]:
        """Number of rows of the file in each group; the sum is the number of rows."""
        return self.group_counts.rows

    @property
    def animals(self) -> dict[RowGroup, int] | None:
        """Number of animals in each group, if a row may stand for several; None if not."""
        return self.group_counts.animals if self.has_quantity else None

    @property
    def has_quantity(self) -> bool:
        """Whether a row of the file may stand for several animals."""
        return _has_quantity(self.run)

    @property
    def noun(self) -> str:
        """What is counted except in ``groups``: rows, or the animals of rows with a quantity."""
        return _noun(self.run)

    @property
    def new_categories(self) -> NewCategoryNames | None:
        """The names of a list that are new for the store; None if there are none."""
        for finding in self.findings:
            if isinstance(finding, NewCategoryNames):
                return finding
        return None

    def __len__(self) -> int:
        """Number of rows of the file."""
        return sum(self.groups.values())

    def count(self, *states: State) -> int:
        """Return the number of rows in some states."""
        return sum(self.counts[state] for state in states)

    @property
    def to_fix(self) -> int:
        """Number of rows that need fixing; they are not in the store."""
        return self.count(*FIX_STATES)

    @property
    def unconfirmed(self) -> int:
        """Number of rows that may be in the store but were not seen there."""
        return self.count(*UNCONFIRMED_STATES)

    @property
    def would_send(self) -> int:
        """Number of animals that the call of a dry run would send."""
        return self.pending if self.max_rows is None else min(self.pending, self.max_rows)

    @property
    def without_id(self) -> int:
        """Number of rows that are in the store, but whose pet id is not known."""
        return sum(note.rows for note in self.notes if note.problem.code == NO_PET_ID)

    @property
    def is_held(self) -> bool:
        """Whether nothing was sent because most rows fail for one reason."""
        return COMMON_CAUSE in self.run.facts

    @property
    def common_cause(self) -> Cause | None:
        """The reason why nothing was sent; None if rows were sent."""
        if not self.is_held:
            return None
        stored = self.run.facts[COMMON_CAUSE]
        for cause in self.causes:
            if (cause.problem.code, cause.problem.column) == (stored["code"], stored["column"]):
                return cause
        return None

    @property
    def likely_keys(self) -> tuple[LikelyKey, ...]:
        """The columns that may identify an animal, if the user named none."""
        return tuple(LikelyKey(**stored) for stored in self.run.facts.get(LIKELY_KEYS, ()))

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command; 0 only if no row must be sent or fixed."""
        if self.question is not None:
            return ExitCode.QUESTION
        if self.is_held:
            return ExitCode.TOO_MANY_ERRORS
        codes: list[ExitCode] = []
        if self.to_fix or self.counts[State.PENDING] or self.counts[State.NOT_FOUND]:
            codes.append(ExitCode.WITH_FINDINGS)
        if any(map(_needs_attention, self.findings)):
            codes.append(ExitCode.WITH_FINDINGS)
        if self.count(*UNCONFIRMED):
            codes.append(ExitCode.UNCONFIRMED)
        if self.counts[State.POSSIBLE_DUPLICATE]:
            codes.append(ExitCode.QUESTION)
        if self.run.ending is not None and not self.is_rehearsal:
            codes.append(self.run.ending.exit_code)
        return ExitCode.worst(codes)

    @property
    def questions(self) -> list[Question]:
        """The open question of the file, then those about rows that cannot be sent."""
        of_file = [] if self.question is None else [self.question]
        return [*of_file, *chain.from_iterable(cause.questions() for cause in self.causes)]

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
            "not_sent": [group._asdict() for group in self.not_sent],
            "findings": [
                {"code": type(finding).__name__, "text": str(finding), **asdict(finding)}
                for finding in self.findings
            ],
            "questions": [question.as_dict() for question in self.questions],
            "possible_duplicates": self.counts[State.POSSIBLE_DUPLICATE],
            "causes": [
                asdict(cause.problem) | {"rows": cause.rows, "lines": cause.first_lines}
                for cause in self.causes
            ],
            "notes": {note.problem.code: note.rows for note in self.notes},
            "read_back": None if open_rows is None else open_rows.notes,
            "still_shown": self.still_shown,
            "candidates": {} if open_rows is None else open_rows.candidates,
            "exit_code": self.exit_code,
        }
        as_json: dict[str, Any] = json.loads(json.dumps(facts))
        return as_json


def _needs_attention(finding: Finding) -> bool:
    """Return whether a finding makes the exit code 1."""
    if isinstance(finding, GoneAnimals):
        return finding.newly > 0
    return isinstance(finding, RejectedCorrections)


def read_summary(path: Path, import_id: str, **of_call: Any) -> ImportSummary:
    """Read the facts of an import.

    Args:
        path: The journal.
        import_id: The import.
        of_call: The other fields of an ImportSummary.
    """
    run = read_import(path, import_id)
    with reading(path) as sql:
        return ImportSummary(
            run,
            count_states(sql, run.number),
            read_loaded_before(sql, run),
            read_causes(sql, run),
            count_notes(read_noted(sql, run), _noun(run)),
            read_open_rows(sql, run),
            read_still_shown(sql, run),
            list(_read_findings(sql, run)),
            list(islice(read_rows(sql, run.id, State.POSSIBLE_DUPLICATE), _MAX_POSSIBLE)),
            count_groups(sql, run),
            sql.execute(_PENDING, [run.number]).fetchone()[0],
            bool(sql.execute(_SENT, [run.number]).fetchall()),
            **of_call,
        )


def _read_findings(sql: sqlite3.Connection, run: Import) -> Iterator[Finding]:
    """Yield the findings of the latest call, and those that the present rows show."""
    yield from unpack_findings(run.facts.get(FINDINGS, {}))
    gone = sql.execute(_GONE_HERE, [run.number]).fetchall()
    others = sql.execute(_GONE_ELSEWHERE, {"mine": run.number, "since": run.staged_at}).fetchall()
    if gone or others:
        yield GoneAnimals(
            [line for line, _, _ in gone],
            [str(json.loads(body)["name"]) for _, body, _ in gone],
            {source: count for source, count, _ in others},
            sum(at >= run.staged_at for *_, at in gone) + sum(newly for *_, newly in others),
        )
    changes = [
        _changed_fields(json.loads(now), json.loads(before))
        for now, before in sql.execute(_CHANGED, [run.number])
    ]
    if changes:
        yield ChangedValues(count_fields(changes), len(changes))


def _changed_fields(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    return [
        field.label.lower()
        for field in FIELDS.sent
        if now.get(field.wire_name) != before.get(field.wire_name)
    ]


def read_causes(sql: sqlite3.Connection, run: Import) -> list[Cause]:
    """Return the reasons why rows cannot be sent, most common first.

    A row with several problems counts for each of them.
    """
    problem_rows = list(read_problems(sql, run))
    for row in read_rows(sql, run.id, State.REJECTED):
        line = range(row.line, row.line + 1)
        problem_rows.append(ProblemRows(problem_of(row, run), [line], 1))
    groups: dict[tuple[Any, ...], list[ProblemRows]] = defaultdict(list)
    for group in problem_rows:
        problem = group.problem
        # Suspicious values of one kind are one cause, whatever their column.
        column = problem.allow or problem.column
        option = None if problem.add is None else problem.add[0]
        groups[problem.code, column, option].append(group)
    causes = [_with_lines(_cause_of(group, run), sql, run) for group in groups.values()]
    # A default for all rows would also make animals of the rows for which none is proposed.
    without_default = {cause.problem.code for cause in causes if cause.problem.add is None}
    causes = [
        replace(cause, problem=replace(cause.problem, add=None))
        if cause.option == "defaults" and cause.problem.code in without_default
        else cause
        for cause in causes
    ]
    return sorted(causes, key=lambda cause: -cause.rows)


def _cause_of(group: Sequence[ProblemRows], run: Import) -> Cause:
    """Combine problems of one kind into one cause."""
    rows_of_value = Counter[str]()
    for problem, _, rows in group:
        rows_of_value[(problem.value or "").strip()] += rows
    lines = line_ranges(span for member in group for span in member.lines)
    values = tuple(rows_of_value.most_common())
    texts = [text for text, _ in values if text]
    problem = group[0].problem
    problem = replace(problem, add=_add_for_all(problem, texts, run.key))
    return Cause(problem, rows_of_value.total(), tuple(lines), values, _noun(run))


def _with_lines(cause: Cause, sql: sqlite3.Connection, run: Import) -> Cause:
    """Return the cause of a few rows that are no animals with their lines to exclude.

    A suggestion would replace the lines that the user excludes already, so there must be none.
    """
    if cause.option != "exclude_lines":
        return cause
    add: tuple[str, Any] = ("exclude_lines", [*chain.from_iterable(cause.lines)])
    has_excluded = sql.execute(_LEFT_OUT, [run.number, Reason.LEFT_OUT]).fetchone() is not None
    if cause.rows > _MAX_EXCLUDED or has_excluded:
        add = ("allow", "?")
    return replace(cause, problem=replace(cause.problem, add=add))


def _add_for_all(
    problem: RowProblem, values: Sequence[str], key: Sequence[str]
) -> tuple[str, Any] | None:
    """Return the option that solves a problem for all rows with some values."""
    if problem.add is None:
        return None
    option, value = problem.add
    placeholders = dict.fromkeys(values[:_MAX_PLACEHOLDERS], "?")
    if option == "categories":
        return option, placeholders
    if option == "value_map":
        return option, dict.fromkeys(value, placeholders)
    if option == "defaults" and "name" in value and key:
        return option, {"name": " ".join(["Unnamed", *(f"{{{column}}}" for column in key)])}
    return problem.add


_HINTS = {
    State.UNCONFIRMED: "it may be in the store already; do not send it again by hand",
    State.NOT_FOUND: "its pet was not found; send it again only if you are sure",
    State.IN_FLIGHT: "it was being sent when its import was killed; load the file again",
}


def problem_of(row: JournalRow, run: Import) -> RowProblem:
    """Return the problems of a row as one, from our checks or from the store's response.

    The column and the value are from the first problem; the message and the hint combine all.
    """
    if row.problems:
        return _combine_problems(row.problems)
    if row.state is State.REJECTED:
        field = field_name(row.error_field or "") or ""
        return RowProblem(
            row.error_code or row.reason or "",
            row.error_message or "the store rejected it",
            run.mapping.get(field),
            _cell_of(row, run, field),
            "the store rejected it; correct what its message names",
        )
    hint = _HINTS.get(row.state, "")
    if row.other_row is not None and row.other_row.import_id == run.id:
        hint = f"it is the animal of line {row.other_row.line}"
    return RowProblem(row.error_code or "", row.error_message or "", hint=hint)


def _cell_of(row: JournalRow, run: Import, field: str) -> str | None:
    """Return the cell of a field in the file; None if there is none."""
    column = run.mapping.get(field)
    at = run.header.index(column) if column in run.header else len(row.cells)
    return row.cells[at] if at < len(row.cells) else None


def _combine_problems(problems: Sequence[RowProblem]) -> RowProblem:
    """Combine the problems of a row into one."""
    first, *others = problems
    messages = [first.message]
    for problem in others:
        prefix = f"{problem.column}: " if problem.column else ""
        messages.append(f"{prefix}{problem.message}")
    hints = dict.fromkeys(problem.hint for problem in problems if problem.hint)
    return replace(first, message="; ".join(messages), hint="; ".join(hints))


def store_names_of(run: Import) -> dict[int, str]:
    """Return the names of pets in the store that differ from the names that were sent, by row."""
    for finding in unpack_findings(run.facts.get(FINDINGS, {})):
        if isinstance(finding, RenamedInStore):
            return {int(row): name for row, name in finding.names.items()}
    return {}


def status_still_shown(row: JournalRow, run: Import) -> str | None:
    """Return the status that the animal of an excluded row was loaded with, if it differs now.

    None if the row is not excluded, has no animal, or still has this status.
    """
    if row.reason != Reason.LEFT_OUT or row.other_row is None:
        return None
    status: str | None = read_payload(row.other_row.payload).get("status")
    if status == _status_now(row, run, read_payload(row.payload)):
        return None
    return status


def read_still_shown(sql: sqlite3.Connection, run: Import) -> dict[str, list[int]]:
    """Return the lines of excluded rows by the status that the store still shows."""
    lines: dict[str, list[int]] = defaultdict(list)
    for row in read_excluded_rows(sql, run.id):
        status = status_still_shown(row, run)
        if status is not None:
            lines[status].append(row.line)
    return dict(lines)


def _status_now(row: JournalRow, run: Import, body: Mapping[str, Any]) -> str | None:
    """Return the status of a row in the file, or the text of its cell if that is not a status."""
    if body:
        return body.get("status")
    cell = _cell_of(row, run, "status")
    return None if cell is None else cell.strip().casefold()
