"""Writes the rows of a source to the journal, and finds the import that they belong to.

The same rows are the same import, found by the digest of its cells or bytes. Rows are written once,
as a new reading, which nobody sees until the import names it as its latest reading. The rows of the
reading before it are then removed; what was sent of them stays in ``animals``.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from petstore_frame.loader.journal.rows import (
    RECIPE,
    Import,
    pack_cells,
    pack_problems,
    read_imports,
    write_import,
)
from petstore_frame.loader.matching.folding import core
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.matching.key_texts import key_text, order_of
from petstore_frame.loader.row_state import Reason, SourceRow, State

_COLUMNS = (
    "reading", "row", "line", "cells", "payload", "content", "unsent_hash", "is_unnamed", "key",
    "core", "rank", "problem", "notes", "excluded", "is_unranked", "animal",
)  # fmt: skip
_INSERT = f"INSERT INTO rows ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
# For rows without remarks. It binds only integers and texts, which is several times as fast as
# binding bytes and None.
_INSERT_PLAIN = """
INSERT INTO rows (reading, row, line, cells, payload, content, is_unnamed, key, core, animal)
VALUES ({reading}, ?, ?, ?, CAST(? AS BLOB), ?, 0, ?, ?, {base} + ?)
"""
# Returns a result if other options gave other numbers to the rows of the same bytes.
_RENUMBERED = """
SELECT 1 FROM rows AS earlier LEFT JOIN rows AS staged
ON staged.reading = ? AND staged.row = earlier.row AND staged.line = earlier.line
WHERE earlier.reading = ? AND staged.row IS NULL LIMIT 1
"""


@dataclass
class StagedRows:
    """Rows that were read but do not belong to an import yet."""

    reading: int
    base: int  # the animal of a new row is this number plus the row number
    digest: Any
    to_send: int = 0  # number of rows that can be sent


@dataclass(frozen=True)
class Staged:
    """Rows that were read, with the import that they belong to."""

    run: Import
    base: int  # the animal of a new row is this number plus the row number
    is_new: bool = False  # whether the import is new
    shown: frozenset[int] = (
        frozenset()
    )  # rows that the reading before listed as possible duplicates


def stage_rows(
    sql: sqlite3.Connection,
    run: Import,
    batches: Iterable[Sequence[SourceRow]],
    *,
    pause: Callable[[], None] = lambda: None,
) -> StagedRows:
    """Write rows in batches as a new reading; an error from ``pause`` stops it."""
    remove_staged(sql)
    reading, base = _next_reading(sql), last_animal(sql)
    staged = StagedRows(reading, base, hashlib.sha256(json.dumps(run.header).encode()))
    order = order_of(run.key)
    insert_plain = _INSERT_PLAIN.format(reading=reading, base=base)
    blank_rows = 0
    for batch in batches:
        pause()
        plain_rows: list[tuple[Any, ...]] = []
        other_rows: list[tuple[Any, ...]] = []
        texts: list[str] = []
        for row in batch:
            packed = pack_cells(row.cells)
            key, key_core = key_and_core(row, order)
            if _is_plain(row):
                body = (row.payload or b"").decode()
                values = (row.number, row.line, packed, body, row.content, key, key_core)
                plain_rows.append((*values, row.number))
            else:
                other_rows.append(_values(staged, row, packed, key, key_core))
            # Blank rows count only if other rows follow, because they move the numbers of these.
            if row.notes == ("blank",):
                blank_rows += 1
                continue
            if blank_rows:
                texts += ["blank"] * blank_rows
                blank_rows = 0
            texts.append(_as_read(packed))
        staged.digest.update("".join(texts).encode())
        staged.to_send += len(plain_rows)
        sql.executemany(insert_plain, plain_rows)
        sql.executemany(_INSERT, other_rows)
    return staged


def restage_row(
    sql: sqlite3.Connection, reading: int, base: int, run: Import, row: SourceRow
) -> None:
    """Write a row of a reading again, after its cells were corrected."""
    sql.execute("DELETE FROM rows WHERE reading = ? AND row = ?", [reading, row.number])
    key, key_core = key_and_core(row, order_of(run.key))
    staged = StagedRows(reading, base, None)
    sql.execute(_INSERT, _values(staged, row, pack_cells(row.cells), key, key_core))


def exclude_lines(sql: sqlite3.Connection, run: Import, lines: Collection[int]) -> None:
    """Exclude the rows of some lines."""
    sql.execute(
        "UPDATE rows SET excluded = 'left_out', is_unranked = TRUE, animal = NULL"
        " WHERE reading = ? AND line IN (SELECT value FROM json_each(?))",
        [run.reading, json.dumps([*lines])],
    )


def stage_again(sql: sqlite3.Connection, run: Import) -> StagedRows:
    """Copy the rows of the latest reading of an import to a new reading, as they were read."""
    remove_staged(sql)
    reading, base = _next_reading(sql), last_animal(sql)
    copied = ", ".join(_COLUMNS[1:-1])
    sql.execute(
        f"INSERT INTO rows (reading, {copied}, animal) SELECT ?, {copied},"
        " iif(payload IS NOT NULL AND excluded IS NULL, ? + row, NULL)"
        " FROM rows WHERE reading = ?",
        [reading, base, run.reading],
    )
    staged = StagedRows(reading, base, None)
    query = "SELECT count(*) FROM rows WHERE reading = ? AND animal IS NOT NULL"
    ((staged.to_send,),) = sql.execute(query, [reading]).fetchall()
    return staged


def remove_staged(sql: sqlite3.Connection) -> None:
    """Remove the rows of a reading that a kill left behind."""
    sql.execute("DELETE FROM rows WHERE reading > (SELECT coalesce(max(reading), 0) FROM imports)")


def _next_reading(sql: sqlite3.Connection) -> int:
    ((reading,),) = sql.execute("SELECT coalesce(max(reading), 0) + 1 FROM imports").fetchall()
    return int(reading)


def last_animal(sql: sqlite3.Connection) -> int:
    """Return the highest number of an animal."""
    ((last,),) = sql.execute("SELECT coalesce(max(animal), 0) FROM animals").fetchall()
    return int(last)


def _is_plain(row: SourceRow) -> bool:
    """Return whether a row can be sent and has no remarks, like most rows."""
    has_remarks = row.notes or row.problems or row.has_default_name
    is_ordered = row.order_value is not None
    return row.state is State.PENDING and not (has_remarks or is_ordered or row.is_excluded)


def key_and_core(row: SourceRow, order: Sequence[int] | None) -> tuple[str | None, str | None]:
    """Return the key of a row in its stored form, and its core."""
    if row.key is None:
        return None, None
    if len(row.key) == 1:  # without a loop, for speed: most keys have one column
        (text,) = row.key
        return f"[{quoted(text)}]", core(text)
    texts = row.key if order is None else [row.key[position] for position in order]
    return key_text(texts), core_of_key(texts)


def _values(
    staged: StagedRows, row: SourceRow, packed: str | bytes, key: str | None, key_core: str | None
) -> tuple[Any, ...]:
    """Return the values of a row for ``_INSERT``."""
    may_be_sent = row.state is State.PENDING and not row.is_excluded
    staged.to_send += may_be_sent
    return (
        staged.reading, row.number, row.line, packed, row.payload, row.content, row.unsent_hash,
        row.has_default_name, key, key_core, row.order_value,
        pack_problems(row.problems) if row.problems else None,
        "\n".join(row.notes) if row.notes else None,
        _reason_excluded(row),
        row.state is State.EXCLUDED,
        # A row that may be sent is a new animal unless a rule finds an existing one.
        staged.base + row.number if may_be_sent else None,
    )  # fmt: skip


def _reason_excluded(row: SourceRow) -> str | None:
    """Return why a row is not sent whatever it contains; None if it may be sent."""
    if row.is_excluded:
        return Reason.LEFT_OUT.value
    return Reason.BLANK.value if row.state is State.EXCLUDED else None


def find_import(
    sql: sqlite3.Connection, staged: StagedRows, run: Import, *, copy: int = 0
) -> Staged:
    """Find the import of staged rows, which is created if there is none, and make them its rows.

    Args:
        sql: A connection with an open transaction.
        staged: The rows.
        run: The facts of the import if it is new.
        copy: Number of the intended copy, 0 for none.
    """
    reading = staged.reading
    existing = run if staged.digest is None else _existing_import(sql, run, staged, copy)
    if existing is None:
        ((number,),) = sql.execute("SELECT coalesce(max(import), 0) + 1 FROM imports").fetchall()
        run = replace(run, id=_id_of(staged, copy), copy=copy, number=number, reading=reading)
        shown = frozenset[int]()
    else:
        query = "SELECT row FROM rows WHERE reading = ? AND possible IS NOT NULL"
        shown = frozenset(row for (row,) in sql.execute(query, [existing.reading]))
        sql.execute("DELETE FROM rows WHERE reading = ?", [existing.reading])
        updated = ("source", "place", "header", "staged_at", "bytes_id", *RECIPE)
        of_file = {} if staged.digest is None else {name: getattr(run, name) for name in updated}
        run = replace(existing, **of_file, reading=reading)
    write_import(sql, run)
    return Staged(run, staged.base, is_new=existing is None, shown=shown)


def _id_of(staged: StagedRows, copy: int) -> str:
    """Return the id of the import of some rows."""
    digest = staged.digest.copy()
    digest.update(f":{copy}".encode())
    return str(digest.hexdigest()[:32])


def _existing_import(
    sql: sqlite3.Connection, run: Import, staged: StagedRows, copy: int
) -> Import | None:
    """Return the import that has these rows, or None."""
    matches = read_imports(sql, "id = ?", [_id_of(staged, copy)])
    if not matches:
        # The row number identifies a row, also in its idempotency key. If other options gave the
        # rows other numbers, this is another import, whose rows are compared with the earlier ones.
        same_bytes = read_imports(sql, "bytes_id = ? AND copy = ?", [run.bytes_id, copy])
        matches = [
            earlier
            for earlier in same_bytes
            if not sql.execute(_RENUMBERED, [staged.reading, earlier.reading]).fetchone()
        ]
    return matches[-1] if matches else None


def _as_read(packed: str | bytes) -> str:
    """Return the text of a row for the digest, without details that saving a file may change."""
    text = packed if isinstance(packed, str) else packed.decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    text = text.rstrip("\x1f")
    return f"{len(text)}:{text}"
