"""Stores the cells that a fix file or the dashboard changed, and finds the rows they apply to."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from petstore_frame.loader.journal.rows import Import

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


class Correction(NamedTuple):
    """A cell of a row that was changed, by the name of its column."""

    column: str
    before: str
    after: str


def write_corrections(
    sql: sqlite3.Connection, run: Import, row: int, corrections: Iterable[Correction], now: float
) -> None:
    """Store the corrections of a row; a later one of the same cell replaces an earlier one."""
    for correction in corrections:
        values = correction._asdict() | {"import": run.number, "row": row, "at": now}
        sql.execute(_WRITE, values)


def read_corrections(sql: sqlite3.Connection, run: Import) -> dict[int, list[Correction]]:
    """Return the corrections of an import by row.

    With a key, the corrections of earlier files with this header apply to the rows of the same
    keys, so that a mistake is corrected once.
    """
    corrections = defaultdict[int, list[Correction]](list)
    if run.key:
        by_key = defaultdict[str, list[Correction]](list)
        for key, *values in sql.execute(_OF_HEADER, [json.dumps(run.header), run.number]):
            by_key[key].append(Correction(*values))
        keys = json.dumps([*by_key])
        for row, key in sql.execute(_ROWS_OF_KEYS, [run.reading, keys]) if by_key else ():
            corrections[row] += by_key[key]
    for row, *values in sql.execute(_OF_IMPORT, [run.number]):
        corrections[row].append(Correction(*values))
    return corrections


def corrected_cells(
    header: Iterable[str], cells: Iterable[str], corrections: Iterable[Correction], extra: str
) -> tuple[list[str], Mapping[str, str]]:
    """Return the cells of a row after its corrections, and those corrections that applied.

    A correction applies if the cell still is as it was before. ``extra`` is the start of the names
    of cells beyond the header.
    """
    names, corrected = list(header), list(cells)
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
        if corrected[at] == before:
            corrected[at] = after
            applied[column] = after
    while len(corrected) > len(names) and not corrected[-1]:
        corrected.pop()
    return corrected, applied
