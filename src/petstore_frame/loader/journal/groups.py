"""What a journal knows of the rows of an import in groups, so that a million rows are a few."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from petstore_frame.loader.journal.rows import Import, read_cells, read_problem
from petstore_frame.loader.journal.tables import one_of
from petstore_frame.loader.record import DOUBT_STATES, LIVE_STATES, Reason, RecordProblem

_SKIPPED = """
SELECT coalesce(r.reason, CASE WHEN r.known_by IS NULL THEN 'blank'
    WHEN r.payload IS NULL OR r.payload = r.own_payload OR r.own_payload IS NULL THEN 'known'
    ELSE 'changed' END), r.known_by, other.source, other.staged_at, count(*)
FROM imports AS mine JOIN records AS r USING (import)
LEFT JOIN imports AS other ON other.import = r.own_import AND other.import <> mine.import
WHERE mine.id = ? AND r.state = 'skipped' GROUP BY 1, 2, r.own_import ORDER BY min(r.record)
"""
_DOUBT_ELSEWHERE = f"""
SELECT DISTINCT other.id FROM imports AS mine JOIN records AS r USING (import)
JOIN imports AS other ON other.import = r.own_import
WHERE mine.id = ? AND other.import <> mine.import AND {one_of(DOUBT_STATES, "r")}
"""
# SQLite takes the line and the cells from the row that has the smallest record.
_NOTED = """
SELECT notes, count(*), min(record), line, cells FROM records
WHERE import = ? AND notes IS NOT NULL AND notes <> 'blank' AND state <> 'invalid'
GROUP BY notes ORDER BY 3
"""
_INVALID = """
SELECT problem, count(*), min(line), max(line) FROM records
WHERE import = ? AND state = 'invalid' AND problem IS NOT NULL GROUP BY problem
ORDER BY min(record)
"""
_NAMING_ANIMALS = """
SELECT count(*) FROM records WHERE import = ?
AND (state <> 'skipped' OR known_by IS NOT NULL AND reason IS NOT ?)
"""
# An animal of which nothing is to be sent has no state.
_KEYS = f"""
SELECT keys.key, own.pet_id, own.state, imports.source
FROM keys JOIN animals AS own ON own.animal = keys.animal AND {one_of(LIVE_STATES, "own")}
LEFT JOIN imports USING (import)
GROUP BY keys.columns, keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
_KEYS_OF_ROWS = """
SELECT mine.key, mine.pet_id, coalesce(mine.own_state, mine.state), imports.source
FROM records AS mine JOIN imports USING (import)
WHERE imports.id = ? AND mine.key IS NOT NULL AND mine.state NOT IN ('invalid', 'rejected')
ORDER BY mine.record
"""


class KeyOfPet(NamedTuple):
    """Which pet a key is, and the file that it came with."""

    key: str
    pet_id: int | None
    state: str
    source: str | None


class SkippedRows(NamedTuple):
    """Rows that were skipped for one reason.

    Attributes:
        reason: Of themselves, or what became of the known animals that they are.
        by: What shows that they are known: key, record (fixed from it), equal, store or repeat.
        source, staged_at: The file of the import that has the animals, and when it was read; None
            within the same import.
        records: How many they are.
    """

    reason: Reason
    by: str | None
    source: str | None
    staged_at: float | None
    records: int


class NotedRows(NamedTuple):
    """Rows with the same notes, and the first of them."""

    notes: list[str]
    rows: int
    record: int
    line: int
    cells: tuple[str, ...]


def read_skipped(sql: sqlite3.Connection, run: Import) -> list[SkippedRows]:
    """Return the skipped rows of an import by their reason, the first row's first."""
    found = sql.execute(_SKIPPED, [run.id])
    return [SkippedRows(Reason(reason), *values) for reason, *values in found]


def read_problems(
    sql: sqlite3.Connection, run: Import
) -> Iterator[tuple[RecordProblem, list[int], int]]:
    """Yield each problem of an import, with the lines of two rows that have it, and how many do."""
    for text, rows, *lines in sql.execute(_INVALID, [run.number]):
        yield read_problem(text), lines, rows


def read_noted(sql: sqlite3.Connection, run: Import) -> list[NotedRows]:
    """Return the rows with notes that were not refused, by these."""
    return [
        NotedRows(notes.split("\n"), rows, record, line, read_cells(packed))
        for notes, rows, record, line, packed in sql.execute(_NOTED, [run.number])
    ]


def count_naming(sql: sqlite3.Connection, run: Import) -> int:
    """Count the rows that name an animal, known ones too: neither blank nor left out."""
    ((rows,),) = sql.execute(_NAMING_ANIMALS, [run.number, Reason.LEFT_OUT]).fetchall()
    return int(rows)


def read_doubt_elsewhere(sql: sqlite3.Connection, run: Import) -> list[str]:
    """Return the ids of other imports in which animals of this one are in doubt."""
    return [import_id for (import_id,) in sql.execute(_DOUBT_ELSEWHERE, [run.id])]


def read_keys(sql: sqlite3.Connection, import_id: str | None = None) -> list[KeyOfPet]:
    """Return which pet each key is, of the rows of one import or of all animals."""
    if import_id is None:
        return [KeyOfPet(*values) for values in sql.execute(_KEYS)]
    return [KeyOfPet(*values) for values in sql.execute(_KEYS_OF_ROWS, [import_id])]
