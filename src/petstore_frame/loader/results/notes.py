"""What was noted on records that are sent: a date where a name should be, a space that was cut.

In: a journal. Out: how often each kind of note occurs, with its first record. Refusals are
columns.py's business.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from petstore_frame._internal.voice import FORM, Advice, Voice
from petstore_frame.loader.journal.journal import Run, opened, read_cells
from petstore_frame.loader.reading.fields import NUMBER_NOTE
from petstore_frame.loader.reading.mapping import normalise
from petstore_frame.loader.reading.typed import DATE_NOTE
from petstore_frame.schema.models import PET_STATUSES

MEANINGS: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalised": "a category or a status was translated",
    "trimmed": "spaces around a cell were cut",
    "status_case": "a status was spelled with other capitals",
    "no_status": "the words 'no status' were read as none",
    "short_row": "the record ends before its status, so it has none",
    "empty_extra_cells": "the record has more cells than the header, all empty",
    "quotes_kept": "quotes are part of the name",
    "mojibake": "the name looks like text read in a wrong encoding",
    "invisible_characters": "the name holds characters that are not seen",
    "category_id_not_positive": "the category id is not above 0",
    "sent_despite": "sent although an earlier import has an equal record",
}
_GROUPS = """
SELECT warnings, count(*), min(number) FROM rows
WHERE warnings NOT NULL AND warnings <> 'blank' AND state <> 'invalid' GROUP BY warnings
"""

_LOOKED_AT = 20
_ID_NAMES = ("id", "petid")


class Note(NamedTuple):
    """A kind of note.

    Attributes:
        records: How many records have it.
        kind: A short name, as in ``summary``.
        number: The first of these records.
        line: Its first physical line.
        name: What its name cell holds.
    """

    records: int
    kind: str
    number: int
    line: int
    name: str

    @property
    def meaning(self) -> str:
        """The kind as a phrase."""
        return MEANINGS.get(self.kind, self.kind)


def kind_of(note: str) -> str:
    """Return what kind of note it is: ``3.0→3`` and ``007→7`` are both ``normalised``."""
    if note in (DATE_NOTE, NUMBER_NOTE):
        return note
    if note.startswith("also "):
        return "further_problem"
    return "normalised" if "→" in note else note.partition(":")[0]


def read_notes(path: Path, run: Run) -> list[Note]:
    """Return the kinds of notes on records that were not refused, the first record's first."""
    records, firsts = Counter[str](), dict[str, int]()
    with opened(path) as sql:
        for notes, count, number in sql.execute(_GROUPS).fetchall():
            for kind in {kind_of(note) for note in notes.split("\n")}:
                records[kind] += count
                firsts[kind] = min(number, firsts.get(kind, number))
        found = []
        for kind, number in sorted(firsts.items(), key=lambda item: item[1]):
            asked = "SELECT line, cells FROM rows WHERE number = ?"
            line, packed = sql.execute(asked, [number]).fetchone()
            cells = read_cells(packed)
            at = run.header.index(run.mapping["name"])
            name = cells[at] if at < len(cells) else ""
            found.append(Note(records[kind], kind, number, line, name))
    return found


def describe_unsent(path: Path, run: Run, voice: Voice = FORM) -> list[str]:
    """Warn of columns that are not sent and look as if they mattered.

    A column of ids is that of a store's export, whose animals would be there twice; one that holds
    statuses only was perhaps not recognised by its name.

    Args:
        path: The journal.
        run: Its run.
        voice: Who reads it; without options to give, a reader sees the fact alone.
    """
    unsent = [name for name in run.header if name and name not in run.mapping.values()]
    with opened(path) as sql:
        first = sql.execute("SELECT cells FROM rows ORDER BY number LIMIT ?", [_LOOKED_AT])
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
        elif "status" not in run.mapping and all(c.casefold() in PET_STATUSES for c in cells):
            found.append(_unsent_status(column).phrased_by(voice))
    return found


def _unsent_status(column: str) -> Advice:
    fact = f"the column {column!r} holds statuses and is not sent, so these animals have none"
    return Advice("{}; {} sends it", fact, ("mapping", {"status": column}), by_hand=fact)
