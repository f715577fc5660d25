"""Writes the rows of a source into the journal, and finds the import that they belong to.

Rule 1 of identity: the same records are the same import, found by the digest of its cells or of its
bytes. Its rows are replaced whole by what is read now, and keep the animals that they had.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import normalize

from petstore_frame.loader.journal.rows import (
    RECIPE,
    Import,
    pack_cells,
    pack_problems,
    read_imports,
    write_import,
)
from petstore_frame.loader.row_state import Reason, RecordOrigin, SourceRow, State

_INSERT = f"INSERT INTO rows VALUES ({', '.join('?' * 14)})"
# A row keeps its animal if it speaks for it, or was corrected from it or into it. Where a rule or
# an answer found the animal, it does so only if it reads as it did then.
_KEEP = """
UPDATE rows SET animal = was.animal, known_by = was.known_by
FROM rows AS was JOIN animals AS own ON own.animal = was.animal
WHERE rows.import = :staged AND was.import = :mine AND was.record = rows.record
  AND (own.import = :mine AND own.record = was.record OR was.known_by = 'record'
    OR was.likeness IS rows.likeness AND own.state IS NOT NULL
      AND (was.known_by IN ('key', 'repeat') AND :has_key
        OR was.known_by = 'same_content' AND :keeps_same_content
        OR was.known_by = 'in_store' AND :keeps_in_store))
"""
# A row that stood in another place, of the same bytes that were read with other words.
_MOVED = """
SELECT 1 FROM rows AS old LEFT JOIN rows AS new
ON new.import = ? AND new.record = old.record AND new.line = old.line
WHERE old.import = ? AND new.record IS NULL LIMIT 1
"""


@dataclass(frozen=True)
class Staged:
    """The rows that were just read, and the import that they belong to."""

    run: Import
    base: int  # the animal of a row that is none yet is this number and its record
    is_new: bool = False
    new_lines: Collection[int] = ()  # rows that are new animals, whatever they equal
    # The record and line of each correction, and the record that it corrects.
    origins: list[tuple[int, int, RecordOrigin]] = field(default_factory=list)
    is_resumed: bool = False  # the file is not at hand: only what is still to send is looked at

    @property
    def key_columns(self) -> str:
        """The columns of its key in their one spelling; empty without a key."""
        return _columns_of(self.run.key)


def stage(
    sql: sqlite3.Connection,
    run: Import,
    batches: Iterable[Sequence[SourceRow]],
    *,
    copy: int = 0,
    answers: Collection[str] = (),
    new_lines: Collection[int] = (),
    exclude_lines: Collection[int] = (),
    pause: Callable[[], None] = lambda: None,
) -> Staged:
    """Write records, many at once, and find the import that they belong to.

    ``run`` has its facts, should it be new; ``answers`` are the cases in which rows are other
    animals now, whatever was answered before. What ``pause`` raises ends the staging.
    """
    ((number,),) = sql.execute("SELECT coalesce(max(import), 0) + 1 FROM imports").fetchall()
    base, origins = _last_animal(sql), list[tuple[int, int, RecordOrigin]]()
    digest = hashlib.sha256(json.dumps(run.header).encode())
    order, leave, blank = _in_order(run.key), frozenset(exclude_lines), 0
    for batch in batches:
        pause()
        values, read = [], []
        for record in batch:
            (at, line, cells, state, payload, likeness, problems, notes, texts, origin, rank,
             left_out, is_unnamed, _) = record  # fmt: skip
            packed = pack_cells(cells)
            key = None if texts is None else key_text(texts, order)
            if origin is not None:
                origins.append((at, line, origin))
            is_left = left_out or line in leave
            # A row that may be sent has an animal of its own unless a rule finds another one.
            may_be_sent = state is State.PENDING and not is_left
            values.append((
                number, at, line, packed, payload, likeness, is_unnamed, key, rank,
                base + at if may_be_sent else None, None,
                pack_problems(problems) if problems else None,
                "\n".join(notes) if notes else None,
                Reason.LEFT_OUT.value if is_left else None,
            ))  # fmt: skip
            # Blank rows count where others follow: each record keeps its number.
            if notes == ("blank",):
                blank += 1
            else:
                read += [b"blank"] * blank
                read.append(_as_read(packed, origin))
                blank = 0
        digest.update(b"".join(read))
        sql.executemany(_INSERT, values)
    run = _find_import(sql, replace(run, number=number), digest, copy)
    staged = Staged(run, base, run.number == number, new_lines, origins)
    if not staged.is_new:
        of_import = "SELECT key_columns = ? FROM imports WHERE import = ?"
        ((has_key,),) = sql.execute(of_import, [staged.key_columns, run.number]).fetchall()
        said = {"mine": run.number, "staged": number, "has_key": has_key}
        said |= {f"keeps_{case}": case not in answers for case in ("same_content", "in_store")}
        sql.execute(_KEEP, said)
        sql.execute("DELETE FROM rows WHERE import = :mine", said)
        sql.execute("UPDATE rows SET import = :mine WHERE import = :staged", said)
    write_import(sql, run, staged.key_columns)
    return staged


def staged_again(sql: sqlite3.Connection, run: Import) -> Staged:
    """Return what an import has still to send, as if it was just staged."""
    return Staged(run, _last_animal(sql), is_resumed=True)


def _last_animal(sql: sqlite3.Connection) -> int:
    ((last,),) = sql.execute("SELECT coalesce(max(animal), 0) FROM animals").fetchall()
    return int(last)


def _find_import(sql: sqlite3.Connection, run: Import, digest: Any, copy: int) -> Import:
    """Return the import of these records: a known one, or the one that was given."""
    digest.update(f":{copy}".encode())
    run = replace(run, id=digest.hexdigest()[:32], copy=copy)
    found = read_imports(sql, "id = ?", [run.id])
    if not found:
        # A record is known by its number, by its idempotency key, too. Where other words give
        # the rows other numbers, it is another import, and what its rows equal is asked.
        same = read_imports(sql, "bytes_id = ? AND copy = ?", [run.bytes_id, copy])
        found = [
            one for one in same if not sql.execute(_MOVED, [run.number, one.number]).fetchone()
        ]
    if not found:
        return run
    told = ("source", "place", "header", "staged_at", "duplicates", "bytes_id", *RECIPE)
    return replace(found[-1], **{name: getattr(run, name) for name in told})


def _as_read(packed: str | bytes, origin: tuple[str, int] | None) -> bytes:
    """Return what a record adds to the digest, less what saving a file again may change."""
    text = packed.encode() if isinstance(packed, str) else packed
    text = text.replace(b"\r\n", b"\n").rstrip(b"\x1f")
    mark = b"" if origin is None else f"{origin[0]}:{origin[1]}".encode()
    return b"%d:%b%d:%b" % (len(text), text, len(mark), mark)


def _columns_of(key: Sequence[str]) -> str:
    """Return the columns of a key in their one spelling and order; empty for none."""
    return "\x1f".join(sorted(map(_column, key)))


def key_text(texts: Sequence[str], order: Sequence[int] | None = None) -> str:
    """Return a key as it is stored: its text, or a JSON list of several in their one order."""
    if len(texts) == 1:
        return texts[0]
    ordered = texts if order is None else [texts[place] for place in order]
    return json.dumps(ordered, ensure_ascii=False)


def _in_order(key: Sequence[str]) -> list[int] | None:
    """Return the order in which the texts of a key are stored; None where it is the given one."""
    order = sorted(range(len(key)), key=lambda at: _column(key[at]))
    return None if order == list(range(len(key))) else order


def _column(name: str) -> str:
    text = normalize("NFKC", name).casefold().strip()
    return "".join(sign for sign in text if sign.isalnum()) or text
