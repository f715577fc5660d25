"""Remembers which column is the key of files with one header, and reads it from earlier files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from unicodedata import normalize

from petstore_frame.loader.journal.rows import Import, read_cells
from petstore_frame.loader.journal.staging import columns_of, key_text, order_of
from petstore_frame.loader.source import LikelyKey
from petstore_frame.schema import core_of_key
from petstore_frame.schema.text import replace_surrogates

_KEY, _READ_FOR = "key", "key_read_for"
_EARLIER_IMPORTS = """
SELECT import FROM imports
WHERE header = :header AND import <> :mine AND key_columns IS NOT :columns AND NOT copy
"""
_AT_ONCE = 1000
_MOST_ROWS = 20_000  # of a file, whose values are remembered
_HAS_REPEATED_VALUE = """
SELECT 1 FROM json_each(:values) AS own
CROSS JOIN column_values AS earlier ON earlier.column_id = :column_id AND earlier.value = own.value
WHERE earlier.import <> :mine LIMIT 1
"""


def remembered_key(sql: sqlite3.Connection, header: Sequence[str]) -> tuple[str, ...] | None:
    """Return the key columns of files with this header, () if there are none; None: not said."""
    found = sql.execute(
        "SELECT answer FROM answers WHERE header = ? AND question = ?",
        [json.dumps(header), _KEY],
    ).fetchone()
    return None if found is None else tuple(json.loads(found[0]))


def remember_key(sql: sqlite3.Connection, run: Import) -> None:
    """Remember the key that the user has named for the header of an import, also that it is none.

    The animals of its earlier files, which were loaded without this key, get theirs.
    """
    header = json.dumps(run.header)
    values = [header, _KEY, json.dumps(run.key)]
    sql.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", values)
    columns = columns_of(run.key)
    done = sql.execute(
        "SELECT answer FROM answers WHERE header = ? AND question = ?", [header, _READ_FOR]
    ).fetchone()
    if not columns or done == (columns,):
        return
    named = {"header": header, "mine": run.number, "columns": columns}
    for (number,) in sql.execute(_EARLIER_IMPORTS, named).fetchall():
        _read_keys(sql, number, run, columns)
    sql.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", [header, _READ_FOR, columns])


def _read_keys(sql: sqlite3.Connection, number: int, run: Import, columns: str) -> None:
    """Give the animals of an import the keys that the cells of its rows hold."""
    places = [run.header.index(column) for column in run.key if column in run.header]
    order = order_of(run.key)
    if len(places) < len(run.key):
        return
    rows = sql.execute(
        "SELECT cells, rows.animal FROM rows JOIN animals USING (animal)"
        " WHERE rows.import = ? AND animals.state IS NOT NULL",
        [number],
    )
    while batch := rows.fetchmany(_AT_ONCE):
        values = []
        for packed, animal in batch:
            cells = read_cells(packed)
            texts = [_text(cells, at) for at in places]
            if not all(texts):
                continue
            if order is not None:
                texts = [texts[at] for at in order]
            values.append((columns, core_of_key(texts), key_text(texts), animal))
        sql.executemany("INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?)", values)


def repeats_earlier(sql: sqlite3.Connection, run: Import, column: str) -> bool:
    """Return whether a column has a value that it had in an earlier file of this header, too."""
    column_id = _column_id(run.header, column)
    has_values = "SELECT 1 FROM column_values WHERE column_id = ? LIMIT 1"
    if sql.execute(has_values, [column_id]).fetchone() is None:
        return False
    for values in _values_of(sql, run, column):
        named = {"column_id": column_id, "values": json.dumps(values), "mine": run.number}
        if sql.execute(_HAS_REPEATED_VALUE, named).fetchone() is not None:
            return True
    return False


def remember_values(sql: sqlite3.Connection, run: Import, columns: Sequence[str]) -> None:
    """Remember the values of columns that may be the key, while no key is named.

    Only the first rows of a long file count.
    """
    for column in columns:
        column_id = _column_id(run.header, column)
        for values in islice(_values_of(sql, run, column), _MOST_ROWS // _AT_ONCE):
            rows = [(column_id, value, run.number) for value in values]
            sql.executemany("INSERT OR IGNORE INTO column_values VALUES (?, ?, ?)", rows)


def _column_id(header: Sequence[str], column: str) -> str:
    """Return a short name of a column of files with this header."""
    return sha256(json.dumps([*header, column]).encode()).hexdigest()[:16]


def _values_of(sql: sqlite3.Connection, run: Import, column: str) -> Iterator[list[str]]:
    """Yield the texts of a column, in lists."""
    if column not in run.header:
        return
    at = run.header.index(column)
    rows = sql.execute("SELECT cells FROM rows WHERE import = ?", [run.number])
    while batch := rows.fetchmany(_AT_ONCE):
        texts = {_text(read_cells(cells), at) for (cells,) in batch} - {""}
        yield [replace_surrogates(text) for text in texts]


def _text(cells: Sequence[str], at: int) -> str:
    text = cells[at].strip() if at < len(cells) else ""
    return text if text.isascii() else normalize("NFC", text)


def certain_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the only column that is an animal's own, and whose repeats agree in all rows."""
    certain = [
        key
        for key in keys
        if key.is_of_animals and not key.empty and 0 < key.repeated == key.agreeing
    ]
    return certain[0] if len(certain) == 1 else None
