"""Stores the cells that a fix file or the dashboard changed, and finds the rows they apply to."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from petstore_frame.loader.journal.rows import Import, read_cells, read_payload, unpack_problems
from petstore_frame.loader.journal.schema import IS_ANIMAL
from petstore_frame.loader.journal.stored_values import stored_json
from petstore_frame.loader.row_state import RowProblem, State

_WRITE = """
INSERT INTO corrections VALUES (:import, :row, :column, :before, :after, :at)
ON CONFLICT DO UPDATE SET after = excluded.after, at = excluded.at
"""
_OF_IMPORT = "SELECT row, column, before, after FROM corrections WHERE import = ?"
# The corrections of earlier files with this header, by the key of the corrected row.
_OF_HEADER = """
SELECT rows.key, corrections.column, corrections.before, corrections.after
FROM corrections JOIN imports USING (import)
JOIN rows ON rows.reading = imports.reading AND rows.row = corrections.row
WHERE imports.header = ? AND corrections.import <> ? AND rows.key IS NOT NULL
ORDER BY corrections.at
"""
_ROWS_OF_KEYS = """
SELECT row, key FROM rows
WHERE reading = ? AND key IN (SELECT value FROM json_each(?))
"""


_STORED_ROW = f"""
SELECT rows.line, rows.cells, rows.key, rows.problem, animals.animal,
  EXISTS (SELECT 1 FROM animals
    WHERE import = :import AND row = :row AND state = '{State.REJECTED}')
FROM rows LEFT JOIN animals ON animals.import = :import AND animals.row = rows.row AND {IS_ANIMAL}
WHERE rows.reading = :reading AND rows.row = :row ORDER BY animals.attempt DESC LIMIT 1
"""
# Another animal with a key.
_OTHER_OWNER = f"""
SELECT animals.payload, imports.source FROM keys JOIN animals USING (animal)
JOIN imports USING (import)
WHERE core = ? AND key = ? AND animal IS NOT ? AND {IS_ANIMAL} LIMIT 1
"""


class StoredRow(NamedTuple):
    """A row of an import as it was read, and what was sent for it."""

    line: int
    cells: tuple[str, ...]
    key: str | None
    problems: tuple[RowProblem, ...]
    animal: int | None  # that was sent
    is_rejected: bool  # by the store, so any cell that was sent may be wrong


class Correction(NamedTuple):
    """A cell of a row that was changed, by the name of its column."""

    column: str
    before: str
    after: str


def stored_row(sql: sqlite3.Connection, run: Import, row: int) -> StoredRow | None:
    """Return a row of an import, or None if it has no such row."""
    names = {"reading": run.reading, "import": run.number, "row": row}
    record = sql.execute(_STORED_ROW, names).fetchone()
    if record is None:
        return None
    line, cells, key, problem, animal, is_rejected = record
    problems = unpack_problems(problem)
    return StoredRow(line, read_cells(cells), key, problems, animal, bool(is_rejected))


def other_owner(
    sql: sqlite3.Connection, key: str, core: str | None, animal: int | None
) -> str | None:
    """Return the name and the file of another animal with a key, or None."""
    owner = sql.execute(_OTHER_OWNER, [core, key, animal]).fetchone()
    if owner is None:
        return None
    payload, source = owner
    return f"{read_payload(payload).get('name')!r} of {source}"


def write_corrections(
    sql: sqlite3.Connection, run: Import, row: int, corrections: Iterable[Correction], now: float
) -> None:
    """Store the corrections of a row; a later one of the same cell replaces an earlier one.

    Texts are stored as JSON, because SQLite takes no half of a character.
    """
    for correction in corrections:
        texts = {name: json.dumps(text) for name, text in correction._asdict().items()}
        sql.execute(_WRITE, texts | {"import": run.number, "row": row, "at": now})


def read_corrections(sql: sqlite3.Connection, run: Import) -> dict[int, list[Correction]]:
    """Return the corrections of an import by row.

    With a key, the corrections of earlier files with this header apply to the rows of the same
    keys, so that a mistake is corrected once.
    """
    corrections = defaultdict[int, list[Correction]](list)
    if run.key:
        by_key = defaultdict[str, list[Correction]](list)
        for key, *values in sql.execute(_OF_HEADER, [json.dumps(run.header), run.number]):
            by_key[key].append(Correction(*map(stored_json, values)))
        keys = json.dumps([*by_key])
        for row, key in sql.execute(_ROWS_OF_KEYS, [run.reading, keys]) if by_key else ():
            corrections[row] += by_key[key]
    for row, *values in sql.execute(_OF_IMPORT, [run.number]):
        corrections[row].append(Correction(*map(stored_json, values)))
    return corrections


def corrected_cells(
    header: Iterable[str], cells: Iterable[str], corrections: Iterable[Correction], extra: str
) -> tuple[list[str], Mapping[str, str]]:
    """Return the cells of a row after its corrections, and those corrections that applied.

    A correction applies if the cell still is as it was before, in the file or after an earlier
    correction, so that the last one counts. ``extra`` is the start of the names of cells beyond the
    header.
    """
    names, in_file = list(header), list(cells)
    corrected = list(in_file)
    applied: dict[str, str] = {}
    for column, before, after in corrections:
        if column in names:
            at = names.index(column)
        elif column.startswith(f"{extra}_"):
            at = len(names) + int(column.removeprefix(f"{extra}_")) - 1
        else:
            applied[column] = after
            continue
        corrected += [""] * (at + 1 - len(corrected))
        original = in_file[at] if at < len(in_file) else ""
        if before in (original, corrected[at]):
            corrected[at] = after
            applied[column] = after
    while len(corrected) > len(names) and not corrected[-1]:
        corrected.pop()
    return corrected, applied
