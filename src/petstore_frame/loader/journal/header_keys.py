"""Remembers the answers for a header, and reads the keys of files that were loaded without one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from unicodedata import normalize

from petstore_frame.loader.journal.decisions import Decision, decide, read_decisions
from petstore_frame.loader.journal.rows import Import, read_cells
from petstore_frame.loader.journal.schema import IS_ANIMAL
from petstore_frame.loader.journal.stored_values import stored_json
from petstore_frame.loader.matching.key_cores import core_of_key, date_cores
from petstore_frame.loader.matching.key_texts import key_text, order_of
from petstore_frame.loader.matching.values import CREATE
from petstore_frame.schema.text import replace_surrogates

_KEY, _DUPLICATES = "key", "duplicates"  # questions of ``decisions`` about a header
# Earlier imports with the same header.
_EARLIER_IMPORTS = "SELECT reading, source FROM imports WHERE header = ? AND import <> ?"
_BATCH_ROWS = 1000
_MAX_ROWS = 20_000  # rows per file whose values are remembered
# Returns a row if any of the values was in this column of another import.
_HAS_REPEATED_VALUE = """
SELECT 1 FROM json_each(:values) AS file_values
CROSS JOIN column_values AS earlier
  ON earlier.column_id = :column_id AND earlier.value = file_values.value
WHERE earlier.import <> :mine LIMIT 1
"""


def remembered_key(sql: sqlite3.Connection, header: Sequence[str]) -> tuple[str, ...] | None:
    """Return the key columns of a header: () if it has no key, None if the user never answered."""
    decisions = read_decisions(sql, json.dumps(header), _KEY)
    return tuple(stored_json(decisions[-1].answer)) if decisions else None


def remember_key(sql: sqlite3.Connection, run: Import, now: float) -> None:
    """Remember which key columns the user named for a header, or that it has no key.

    If the key is new for this header, the animals of its earlier files get the keys of the column.
    """
    if remembered_key(sql, run.header) == run.key:
        return
    header = json.dumps(run.header)
    decide(sql, [Decision(header, _KEY, "", "", json.dumps(run.key), now)])
    if run.key:
        for reading, _ in sql.execute(_EARLIER_IMPORTS, [header, run.number]).fetchall():
            _read_keys(sql, reading, run)


def created_before(sql: sqlite3.Connection, header: Sequence[str]) -> bool:
    """Return whether the possible duplicates of an earlier file were answered with ``create``."""
    decisions = read_decisions(sql, json.dumps(header), _DUPLICATES)
    return bool(decisions) and decisions[-1].answer == CREATE


def remember_duplicates(
    sql: sqlite3.Connection, header: Sequence[str], answer: str, now: float
) -> None:
    """Remember the latest answer about possible duplicates for the files of a header."""
    decide(sql, [Decision(json.dumps(header), _DUPLICATES, "", "", answer, now)])


def _read_keys(sql: sqlite3.Connection, reading: int, run: Import) -> None:
    """Store the keys of the animals of a reading, from the cells of its rows."""
    positions = [run.header.index(column) for column in run.key if column in run.header]
    order = order_of(run.key)
    if len(positions) < len(run.key):
        return
    rows = sql.execute(
        f"SELECT cells, rows.animal FROM rows JOIN animals USING (animal)"
        f" WHERE rows.reading = ? AND {IS_ANIMAL}",
        [reading],
    )
    while batch := rows.fetchmany(_BATCH_ROWS):
        values = []
        for packed, animal in batch:
            cells = read_cells(packed)
            texts = [_text(cells, position) for position in positions]
            if not all(texts):
                continue
            if order is not None:
                texts = [texts[position] for position in order]
            for core in (core_of_key(texts), *date_cores(texts)):
                values.append((core, key_text(texts), animal))
        sql.executemany("INSERT OR IGNORE INTO keys VALUES (?, ?, ?)", values)


def repeats_earlier(sql: sqlite3.Connection, run: Import, column: str) -> bool:
    """Return whether a column shares a value with an earlier file of the same header."""
    column_id = _column_id(run.header, column)
    has_values = "SELECT 1 FROM column_values WHERE column_id = ? LIMIT 1"
    if sql.execute(has_values, [column_id]).fetchone() is None:
        return False
    for values in _values_of(sql, run, column):
        parameters = {"column_id": column_id, "values": json.dumps(values), "mine": run.number}
        if sql.execute(_HAS_REPEATED_VALUE, parameters).fetchone() is not None:
            return True
    return False


def remember_values(sql: sqlite3.Connection, run: Import, columns: Sequence[str]) -> None:
    """Remember the values of likely key columns until the user names a key.

    Of a long file, only the first ``_MAX_ROWS`` rows are remembered.
    """
    for column in columns:
        column_id = _column_id(run.header, column)
        for values in islice(_values_of(sql, run, column), _MAX_ROWS // _BATCH_ROWS):
            rows = [(column_id, value, run.number) for value in values]
            sql.executemany("INSERT OR IGNORE INTO column_values VALUES (?, ?, ?)", rows)


def _column_id(header: Sequence[str], column: str) -> str:
    """Return a short digest that identifies a column of a header."""
    return sha256(json.dumps([*header, column]).encode()).hexdigest()[:16]


def _values_of(sql: sqlite3.Connection, run: Import, column: str) -> Iterator[list[str]]:
    """Yield the distinct texts of a column, in batches."""
    if column not in run.header:
        return
    position = run.header.index(column)
    rows = sql.execute("SELECT cells FROM rows WHERE reading = ?", [run.reading])
    while batch := rows.fetchmany(_BATCH_ROWS):
        texts = {_text(read_cells(cells), position) for (cells,) in batch} - {""}
        yield [replace_surrogates(text) for text in texts]


def _text(cells: Sequence[str], position: int) -> str:
    text = cells[position].strip() if position < len(cells) else ""
    return text if text.isascii() else normalize("NFC", text)
