"""What states mean, why records were skipped, and what was noted on them and on the file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.earlier import from_plan
from petstore_frame.loader.journal.rows import JournalRow, Run, read_cells
from petstore_frame.loader.reading.mapping import normalise
from petstore_frame.loader.reading.tables import DATE_NOTE, NUMBER_NOTE
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.schema.text import day_text


class Fate(NamedTuple):
    """What a state means to a reader, what is to be done about it, and how."""

    meaning: str
    action: str = "none"
    hint: str = ""


# In the order in which they are shown.
FATES: dict[State, Fate] = {
    State.CREATED: Fate("in the store"),
    State.INVALID: Fate("not sent: to fix", "fix"),
    State.REJECTED: Fate("refused by the store: to fix", "fix"),
    State.UNKNOWN: Fate(
        "in doubt: may be in the store",
        "check",
        "it may exist: let reconcile settle it, do not send it again",
    ),
    State.ABSENT: Fate(
        "not found in the store",
        "resend",
        "its pet was not found: resend it only if you are sure",
    ),
    State.IN_FLIGHT: Fate(
        "on the way",
        "check",
        "it is on its way, or was when its import was killed; load the file again",
    ),
    State.PENDING: Fate("not sent yet", "resend"),
    State.SKIPPED: Fate("blank, or known from an earlier import"),
}
BLANK, KNOWN, CHANGED = "blank", "known", "changed"
IN_DOUBT, NOT_SENT, NOT_CREATED = "in_doubt_earlier", "not_sent_earlier", "not_created_earlier"
NOT_CREATED_HERE = (IN_DOUBT, NOT_SENT, NOT_CREATED)
_GROUPS = """
SELECT coalesce(mine.same_by, ''), imports.source_name, imports.created_at,
  coalesce(fates.state, 'pending'),
  other.payload IS NOT mine.payload AND mine.payload IS NOT NULL AND mine.same_by <> 'fix',
  mine.same_import = mine.import,
  count(*)
FROM records AS mine
LEFT JOIN imports ON imports.import = mine.same_import
LEFT JOIN contents AS other ON other.import = mine.same_import AND other.record = mine.same_record
LEFT JOIN fates ON fates.import = mine.same_import AND fates.record = mine.same_record
WHERE mine.import = ? AND mine.state = 'skipped' GROUP BY 1, 2, 3, 4, 5, 6
ORDER BY min(mine.record)
"""
_BY = {
    "key": "known by the key, from {}",
    "record": "the same record of {}",
    "fix": "fixed: created from {}",
    "equal": "equal to a record of {}",
}
_REASONS = {
    KNOWN: "",
    CHANGED: ", with other values now",
    IN_DOUBT: ", which is in doubt",
    NOT_SENT: ", which was not sent yet",
    NOT_CREATED: ", which was not created",
}


class Skipped(NamedTuple):
    """Records that were skipped for one reason.

    Attributes:
        records: How many.
        reason: blank, known, changed (known, with other values), in_doubt_earlier,
            not_sent_earlier, or not_created_earlier.
        by: What shows that it is the same animal: key, record (it was fixed from it), fix (its fix
            file created it) or equal.
        source: The file of the earlier import, or an empty text.
        loaded_on: Its day, UTC, as ``2026-11-20``, or an empty text.
    """

    records: int
    reason: str
    by: str = ""
    source: str = ""
    loaded_on: str = ""

    def __str__(self) -> str:
        if self.reason == BLANK:
            return "blank"
        there = f"{self.source}, loaded {self.loaded_on}" if self.loaded_on else "this file"
        return _BY[self.by].format(there) + _REASONS[self.reason]

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value}


class Elsewhere(NamedTuple):
    """Skipped records whose animal is not surely in the store, by what became of it."""

    in_doubt: int = 0
    not_sent: int = 0
    to_fix: int = 0


def reason_of(row: JournalRow) -> str | None:
    """Return why a record was skipped; for others the journal's own reason."""
    if row.state is not State.SKIPPED:
        return row.reason
    if row.same is None:
        return BLANK
    is_changed = row.payload not in (None, row.same.payload) and row.same.by != "fix"
    return _reason(row.same.state, is_changed=is_changed)


def read_skipped(path: Path, run: Run) -> list[Skipped]:
    """Return the skipped records of an import by their reasons."""
    with reading(path) as sql:
        groups = sql.execute(_GROUPS, [run.number]).fetchall()
    found: dict[Skipped, int] = {}
    for by, source, created_at, state, is_changed, is_within, records in groups:
        reason = _reason(State(state), is_changed=bool(is_changed)) if by else BLANK
        day = day_text(created_at) if by and not is_within else ""
        group = Skipped(0, reason, by, source or "", day)
        found[group] = found.get(group, 0) + records
    return [group._replace(records=records) for group, records in found.items()]


def runs_in_doubt(path: Path, run: Run) -> list[str]:
    """Return the earlier imports that answer for skipped records which are in doubt."""
    with reading(path) as sql:
        found = sql.execute(
            "SELECT DISTINCT imports.run_id FROM records AS mine"
            " JOIN records AS other ON other.import = mine.same_import"
            "  AND other.record = mine.same_record"
            " JOIN imports ON imports.import = other.import"
            " WHERE mine.import = ? AND mine.state = 'skipped' AND other.import <> mine.import"
            "  AND other.state IN ('unknown', 'in_flight', 'absent')",
            [run.number],
        )
        return [run_id for (run_id,) in found]


def _reason(state: State, *, is_changed: bool) -> str:
    if state in DOUBT_STATES:
        return IN_DOUBT
    if state is State.PENDING:
        return NOT_SENT
    if state in FIX_STATES or state is State.SKIPPED:
        return NOT_CREATED
    return CHANGED if is_changed else KNOWN


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
    "unicode_twin": "the name differs from the one above only in its Unicode form",
    "called_total": "the animal has a name as totals have",
    "total_row": "accepted although it looks like a total",
    "unlisted_category": "accepted although the category is not among those given",
    "low_category_id": "accepted although the category id is not above 0",
    "swallowed_rows": "accepted although a cell seems to hold other rows",
    "hidden_row": "accepted although the row is hidden",
    "large_count": "accepted although the row stands for very many animals",
    "default_name": "the name is empty, and has the default",
    "default_category_id": "the category is empty, and has the default",
    "default_status": "the status is empty, and has the default",
    "identical_row": "a row above it is the same in all its cells",
    "html_entity": "the name holds signs as web pages write them, such as &amp;",
}
_NOTED = """
SELECT warnings, count(*), min(record) FROM records
WHERE import = ? AND warnings NOT NULL AND warnings <> 'blank' AND state <> 'invalid'
GROUP BY warnings
"""

_LOOKED_AT = 20
_ID_NAMES = ("id", "petid")


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
        name = self.name if len(self.name) <= 40 else self.name[:37] + "..."
        meaning = NOTES.get(self.kind, self.kind)
        first = f"first in record {self.record}, line {self.line}: {name!r}"
        return f"{self.records:,} × {meaning}, {first}"


def kind_of(note: str) -> str:
    """Return what kind of note it is: ``3.0→3`` and ``007→7`` are both ``normalised``."""
    if note in (DATE_NOTE, NUMBER_NOTE):
        return note
    if note.startswith("also "):
        return "further_problem"
    return "normalised" if "→" in note else note.partition(":")[0]


def read_notes(sql: sqlite3.Connection, run: Run) -> list[Note]:
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
        at = run.header.index(run.mapping["name"])
        name = cells[at] if at < len(cells) else ""
        found.append(Note(records[kind], kind, record, line, name))
    return found


def describe_warnings(sql: sqlite3.Connection, run: Run) -> list[str]:
    """Return what a person should know of the file as a whole, as sentences."""
    lines = [
        f"the column {column!r} is not sent: these look like animals already in a store, and "
        "loading makes new ones"
        for column in _unsent_ids(sql, run)
    ]
    repeats = from_plan(run.plan)
    is_told = repeats is not None and not repeats.must_ask and run.duplicates == "refuse"
    if repeats is not None and is_told and repeats.equal:
        count = "1 record equals" if repeats.equal == 1 else f"{repeats.equal:,} records equal"
        first = repeats.sources[0]
        more = len(repeats.sources) + repeats.others - 1
        others = f" and {more:,} more imports" if more else ""
        sent = "would be" if run.started_at is None else "are"
        lines.append(
            f"{count} earlier ones in all but the status, of {first.name}, loaded "
            f"{day_text(first.created_at)}{others}; they {sent} sent as other animals"
        )
    if other := run.plan.get("other_store"):
        imports = "1 earlier import" if other == 1 else f"{other:,} earlier imports"
        lines.append(
            f"{imports} of this file went to another store, which had this address before; what "
            "went there is not here"
        )
    return lines


def _unsent_ids(sql: sqlite3.Connection, run: Run) -> list[str]:
    """Return the columns that are ids of a store's export and are not sent."""
    first = sql.execute(
        "SELECT cells FROM records WHERE import = ? ORDER BY record LIMIT ?",
        [run.number, _LOOKED_AT],
    )
    rows = [read_cells(packed) for (packed,) in first]
    found = []
    for at, column in enumerate(run.header):
        cells = {row[at].strip() for row in rows if at < len(row)} - {""}
        is_unsent = column not in run.mapping.values() and column not in run.key
        if is_unsent and cells and normalise(column) in _ID_NAMES:
            found += [column] * all(cell.isdecimal() for cell in cells)
    return found
