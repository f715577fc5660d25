"""What was noted on records, such as a date where a name should be, and on the whole file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import NamedTuple

from petstore_frame.loader.journal.earlier import from_plan
from petstore_frame.loader.journal.rows import Run, read_cells
from petstore_frame.loader.reading.mapping import normalise
from petstore_frame.loader.reading.tables import DATE_NOTE, NUMBER_NOTE
from petstore_frame.schema.text import day_text

MEANINGS: dict[str, str] = {
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
}
_GROUPS = """
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
        meaning = MEANINGS.get(self.kind, self.kind)
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
    for notes, count, record in sql.execute(_GROUPS, [run.number]).fetchall():
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
    return [*_unsent(sql, run), *_in_common(run)]


def _in_common(run: Run) -> list[str]:
    """Describe what an import has in common with earlier ones, where that was not asked first."""
    lines = []
    repeats = from_plan(run.plan)
    is_told = repeats is not None and not repeats.must_ask and run.duplicates == "refuse"
    if repeats is not None and is_told and repeats.equal:
        count = "1 record equals" if repeats.equal == 1 else f"{repeats.equal:,} records equal"
        first = repeats.sources[0]
        there = f"{first.name}, loaded {day_text(first.created_at)}"
        more = len(repeats.sources) + repeats.others - 1
        others = f" and {more:,} more imports" if more else ""
        sent = "would be" if run.started_at is None else "are"
        lines.append(
            f"{count} earlier ones in all but the status, of {there}{others}; they {sent} sent as "
            "other animals"
        )
    if other := run.plan.get("other_store"):
        imports = "1 earlier import" if other == 1 else f"{other:,} earlier imports"
        lines.append(
            f"{imports} of this file went to another store, which had this address before; what "
            "went there is not here"
        )
    return lines


def _unsent(sql: sqlite3.Connection, run: Run) -> list[str]:
    """Warn of ids that are not sent: they are of a store's export, whose animals are there."""
    used = {*run.mapping.values(), *run.key}
    unsent = [name for name in run.header if name and name not in used]
    first = sql.execute(
        "SELECT cells FROM records WHERE import = ? ORDER BY record LIMIT ?",
        [run.number, _LOOKED_AT],
    )
    rows = [read_cells(packed) for (packed,) in first]
    found = []
    for column in unsent:
        at = run.header.index(column)
        cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
        if not cells:
            continue
        if normalise(column) in _ID_NAMES and all(cell.isdecimal() for cell in cells):
            found.append(
                f"the column {column!r} is not sent: these look like animals already in a store, "
                "and loading makes new ones"
            )
    return found
