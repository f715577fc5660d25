"""What an import's results rest on, read from its journal at one moment."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from petstore_frame.loader.causes import Cause, Causes, short_text
from petstore_frame.loader.journal.rows import (
    Import,
    JournalRow,
    count_in,
    read_cells,
    read_imports,
    read_problem,
    read_rows,
)
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.reading.tables import DATE_NOTE, NUMBER_NOTE
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, RecordProblem, State
from petstore_frame.schema.text import day_text

SHOWN_PROBLEMS = 5
# What an import may have found: the cause that most records fail for, so that nothing is sent;
# and rows that stand for newer ones, by the column of dates that says so.
COMMON_CAUSE, OUTDATED = "common_cause", "outdated"


class Fate(NamedTuple):
    """What a state means to a reader, what is to be done about it, and how."""

    meaning: str
    action: str = "none"
    hint: str = ""


# In the order in which they are shown.
FATES: dict[State, Fate] = {
    State.CREATED: Fate("in the store"),
    State.ADOPTED: Fate("in the store already, found there"),
    State.INVALID: Fate("not sent: to fix", "fix"),
    State.REJECTED: Fate("refused by the store: to fix", "fix"),
    State.UNKNOWN: Fate(
        "in doubt: may be in the store",
        "check",
        "it may be in the store already: do not send it again by hand",
    ),
    State.ABSENT: Fate(
        "not found in the store",
        "resend",
        "its pet was not found: send it again only if you are sure",
    ),
    State.IN_FLIGHT: Fate(
        "on the way",
        "check",
        "it is on its way, or was when its import was killed; load the file again",
    ),
    State.PENDING: Fate("not sent yet", "resend"),
    State.SKIPPED: Fate("not sent: blank, known already, or left out"),
}

BLANK, LEFT_OUT, WITHDRAWN = "blank", "left_out", "withdrawn"
KNOWN, CHANGED = "known", "changed"
IN_DOUBT, NOT_SENT, NOT_CREATED = "in_doubt_earlier", "not_sent_earlier", "not_created_earlier"
_PLAIN_REASONS = {
    BLANK: "blank",
    LEFT_OUT: "left out, as you said",
    WITHDRAWN: "no longer in the file",
}
_BY = {
    "key": "known by the key, from {}",
    "record": "the same record of {}",
    "equal": "equal to a record of {}",
    "store": "found in the store, from {}",
}
_REASONS = {
    KNOWN: "",
    CHANGED: ", with other values now",
    IN_DOUBT: ", which is in doubt",
    NOT_SENT: ", which was not sent yet",
    NOT_CREATED: ", which was not created",
}
_SKIPPED = f"""
SELECT coalesce(mine.known_by, iif(live.id IS NULL, NULL, 'record')), mine.reason,
  other.source, other.staged_at, live.state,
  mine.payload IS NOT NULL AND mine.payload IS NOT live.payload, live.import IS mine.import,
  count(*)
FROM records AS mine
LEFT JOIN records AS live ON live.animal = mine.animal AND {is_live("live")}
LEFT JOIN imports AS other ON other.import = live.import
WHERE mine.import = ? AND mine.state = 'skipped' GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY min(mine.record)
"""
_IN_DOUBT_ELSEWHERE = f"""
SELECT DISTINCT other.id FROM records AS mine
JOIN records AS live ON live.animal = mine.animal AND {is_live("live")}
JOIN imports AS other ON other.import = live.import
WHERE mine.import = ? AND mine.state = 'skipped' AND live.import <> mine.import
  AND live.state IN ('unknown', 'in_flight', 'absent')
"""
_INVALID = """
SELECT problem, count(*), min(line), max(line) FROM records
WHERE import = ? AND state = 'invalid' AND problem IS NOT NULL GROUP BY problem
ORDER BY min(record)
"""
_NOTED = """
SELECT notes, count(*), min(record) FROM records
WHERE import = ? AND notes IS NOT NULL AND notes <> 'blank' AND state <> 'invalid'
GROUP BY notes
"""


class Skipped(NamedTuple):
    """Records that were skipped for one reason.

    Attributes:
        records: How many.
        reason: blank, left_out, withdrawn, known, changed (known, with other values),
            in_doubt_earlier, not_sent_earlier, or not_created_earlier.
        by: What shows that it is a known animal: key, record (it was fixed from it), equal or
            store.
        source: The file of the import that has the animal, or an empty text.
        loaded_on: Its day, as ``2026-11-20``, or an empty text within the same import.
    """

    records: int
    reason: str
    by: str = ""
    source: str = ""
    loaded_on: str = ""

    def __str__(self) -> str:
        if self.reason in _PLAIN_REASONS:
            return _PLAIN_REASONS[self.reason]
        there = f"{self.source}, loaded {self.loaded_on}" if self.loaded_on else "this file"
        return _BY.get(self.by, "known from {}").format(there) + _REASONS[self.reason]

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value}


class Elsewhere(NamedTuple):
    """Skipped records whose animal is not surely in the store, by what became of it."""

    in_doubt: int = 0
    not_sent: int = 0
    to_fix: int = 0


class Note(NamedTuple):
    """A kind of note.

    Attributes:
        records: How many records have it.
        kind: A short name, as in ``summary``.
        record: The first of these records.
        line: Its first physical line.
        name: What its name cell holds.
    """

    records: int
    kind: str
    record: int
    line: int
    name: str

    def __str__(self) -> str:
        meaning = NOTES.get(self.kind, self.kind)
        first = f"first in record {self.record}, line {self.line}: {short_text(self.name)}"
        return f"{self.records:,} × {meaning}, {first}"


@dataclass(frozen=True)
class Facts:
    """What is known of an import at one moment of its journal.

    Attributes:
        run: The import.
        commits: How often the journal had been written to: the facts are of that moment.
        counts: How many records are in each state, none left out.
        problems: The first records to fix, with what is wrong.
        in_doubt_elsewhere: The ids of earlier imports that have animals of this one, in doubt.
    """

    run: Import
    commits: int
    counts: dict[State, int]
    skipped: list[Skipped]
    elsewhere: Elsewhere
    causes: list[Cause]
    problems: list[tuple[JournalRow, RecordProblem]]
    notes: list[Note]
    in_doubt_elsewhere: list[str]

    def __len__(self) -> int:
        return sum(self.counts.values())


def read_facts(sql: sqlite3.Connection, import_id: str) -> Facts | None:
    """Read what is known of an import; None where the journal does not know it."""
    found = read_imports(sql, "id = ?", [import_id])
    if not found:
        return None
    run = found[0]
    skipped, elsewhere = _read_skipped(sql, run)
    return Facts(
        run=run,
        commits=count_commits(sql),
        counts=count_in(sql, import_id),
        skipped=skipped,
        elsewhere=elsewhere,
        causes=read_causes(sql, run),
        problems=_first_problems(sql, run),
        notes=_read_notes(sql, run),
        in_doubt_elsewhere=[name for (name,) in sql.execute(_IN_DOUBT_ELSEWHERE, [run.number])],
    )


# Rows that name an animal, known ones too: neither blank nor left out.
_ANIMALS = """
SELECT count(*) FROM records WHERE import = ?
AND (state <> 'skipped' OR known_by IS NOT NULL AND reason IS NOT ?)
"""


def read_causes(sql: sqlite3.Connection, run: Import) -> list[Cause]:
    """Return what keeps records from being sent, the commonest cause first."""
    causes = Causes(run.mapping, run.key)
    for text, records, *lines in sql.execute(_INVALID, [run.number]):
        causes.add(read_problem(text), lines, records)
    for row in read_rows(sql, run.id, State.REJECTED):
        causes.add(problem_of(row, run), [row.line])
    ((animals,),) = sql.execute(_ANIMALS, [run.number, LEFT_OUT]).fetchall()
    return causes.found(animals)


def count_commits(sql: sqlite3.Connection) -> int:
    """Return how often a journal was written to."""
    return int(sql.execute("SELECT commits FROM journal").fetchone()[0] or 0)


def problem_of(row: JournalRow, run: Import) -> RecordProblem:
    """Return what is wrong with a record, by our own checks or by the store's answer."""
    if row.problem is not None:
        return row.problem
    if row.state is State.REJECTED:
        column = run.mapping.get(field_name(row.error_field or "") or "")
        at = run.header.index(column) if column in run.header else len(row.cells)
        value = row.cells[at] if at < len(row.cells) else None
        return RecordProblem(
            row.error_code or row.reason or "",
            row.error_message or "the store refused it",
            column,
            value,
            "the store refused it; correct what its message names",
        )
    hint = FATES[row.state].hint
    if row.known is not None and row.known.import_id == run.id:
        hint = f"it is the animal of line {row.known.line}"
    return RecordProblem(row.error_code or "", row.error_message or "", hint=hint)


def _first_problems(sql: sqlite3.Connection, run: Import) -> list[tuple[JournalRow, RecordProblem]]:
    found = []
    for row in read_rows(sql, run.id, *FIX_STATES):
        found.append((row, problem_of(row, run)))
        if len(found) == SHOWN_PROBLEMS:
            break
    return found


def _read_skipped(sql: sqlite3.Connection, run: Import) -> tuple[list[Skipped], Elsewhere]:
    """Return the skipped records by their reasons, and those that another import answers for."""
    groups: Counter[Skipped] = Counter()
    elsewhere: Counter[str] = Counter()
    for by, why, source, staged_at, state, is_changed, is_within, records in sql.execute(
        _SKIPPED, [run.number]
    ):
        reason = _reason(by, why, state and State(state), is_changed=bool(is_changed))
        is_known = reason not in _PLAIN_REASONS
        day = day_text(staged_at) if is_known and staged_at and not is_within else ""
        named = (by or "", source or "", day) if is_known else ("", "", "")
        groups[Skipped(0, reason, *named)] += records
        if not is_within:
            elsewhere[reason] += records
    skipped = [group._replace(records=records) for group, records in groups.items()]
    counted = (elsewhere[reason] for reason in (IN_DOUBT, NOT_SENT, NOT_CREATED))
    return skipped, Elsewhere(*counted)


def _reason(by: str | None, why: str | None, state: State | None, *, is_changed: bool) -> str:
    if why in (LEFT_OUT, WITHDRAWN):
        return why
    if by is None:
        return BLANK
    if state in DOUBT_STATES:
        return IN_DOUBT
    if state is State.PENDING:
        return NOT_SENT
    if state is None:
        return NOT_CREATED
    return CHANGED if is_changed else KNOWN


def reason_of(row: JournalRow) -> str | None:
    """Return why a record was skipped; for others the journal's own reason."""
    if row.state is not State.SKIPPED:
        return CHANGED if row.reads_now is not None else row.reason
    known = row.known
    is_changed = known is not None and row.payload not in (None, known.payload)
    if known is None:
        return _reason(row.known_by, row.reason, None, is_changed=False)
    return _reason(known.by, row.reason, known.state, is_changed=is_changed)


NOTES: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalised": "a category id was read as a plain number",
    "trimmed": "spaces around a cell were cut",
    "status_case": "a status was spelled with other capitals",
    "no_status": "the words 'no status' were read as none",
    "short_row": "the record ends before its status, so it has none",
    "empty_extra_cells": "the record has more cells than the header, all empty",
    "quotes_kept": "quotes are part of the name",
    "mojibake": "the name looks like text read in a wrong encoding",
    "invisible_characters": "the name holds characters that are not seen",
    "formula": "a spreadsheet would run the name as a formula",
    "url": "the name is an address of the web",
    "line_break": "the name holds a line break or a tab",
    "total_row": "the name looks like that of a total",
    "swallowed_rows": "accepted although a cell seems to hold other rows",
    "unlisted_category": "accepted although the category is not among those given",
    "low_category_id": "accepted although the category id is not above 0",
    "hidden_row": "accepted although the row is hidden",
    "large_count": "accepted although the row stands for very many animals",
    "default_name": "the name is empty, and has the default",
    "default_category_id": "the category is empty, and has the default",
    "default_status": "the status is empty, and has the default",
    "identical_row": "a row above it is the same in all its cells",
    "html_entity": "the name holds signs as web pages write them, such as &amp;",
}


def kind_of(note: str) -> str:
    """Return what kind of note it is: ``3.0→3`` and ``007→7`` are both ``normalised``."""
    if note in (DATE_NOTE, NUMBER_NOTE):
        return note
    if note.startswith("also "):
        return "further_problem"
    return "normalised" if "→" in note else note.partition(":")[0]


def _read_notes(sql: sqlite3.Connection, run: Import) -> list[Note]:
    """Return the kinds of notes on records that were not refused, the first record's first."""
    records, firsts = Counter[str](), dict[str, int]()
    for notes, count, record in sql.execute(_NOTED, [run.number]).fetchall():
        for kind in {kind_of(note) for note in notes.split("\n")}:
            records[kind] += count
            firsts[kind] = min(record, firsts.get(kind, record))
    found = []
    for kind, record in sorted(firsts.items(), key=lambda item: item[1]):
        asked = "SELECT line, cells FROM records WHERE import = ? AND record = ?"
        line, packed = sql.execute(asked, [run.number, record]).fetchone()
        cells = read_cells(packed)
        at = run.header.index(run.mapping["name"]) if run.mapping.get("name") in run.header else 0
        name = cells[at] if at < len(cells) else ""
        found.append(Note(records[kind], kind, record, line, name))
    return found
