"""Writes the rows of a source into the journal, and finds the import that they belong to.

Rule 1 of identity: the same rows are the same import, found by the digest of its cells or of its
bytes. Rows are first staged under a number that no import has, so that nobody sees them while the
store is read; then they replace the rows of their import, and keep the animals that those had.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple
from unicodedata import normalize

from petstore_frame.loader.journal.release import release_answers
from petstore_frame.loader.journal.rows import (
    RECIPE,
    Import,
    pack_cells,
    pack_problems,
    read_imports,
    write_import,
)
from petstore_frame.loader.matching.not_keys import is_date
from petstore_frame.loader.row_state import Reason, RowOrigin, SourceRow, State
from petstore_frame.schema import content_of, core_of_key
from petstore_frame.schema.folding import core
from petstore_frame.schema.text import replace_surrogates

_INSERT = f"INSERT INTO rows VALUES ({', '.join('?' * 16)})"
# Of a row without remarks. Python passes integers and texts to SQLite several times as fast as
# bytes and None.
_INSERT_PLAIN = """
INSERT INTO rows (import, row, line, cells, payload, content, is_unnamed, key, core, animal)
VALUES ({number}, ?, ?, ?, CAST(? AS BLOB), ?, 0, ?, ?, {base} + ?)
"""
# A row keeps its animal if it speaks for it, or was corrected from it or into it. Where a rule or
# an answer found the animal, it does so only if it reads as it did then.
_KEEP = """
UPDATE rows SET animal = was.animal, known_by = was.known_by
FROM rows AS was JOIN animals AS own ON own.animal = was.animal
WHERE rows.import = :staged AND was.import = :mine AND was.row = rows.row
  AND (own.import = :mine AND own.row = was.row OR was.known_by = 'fix'
    OR was.content IS rows.content AND own.state IS NOT NULL
      AND (rows.content IS NOT NULL OR rows.problem IS NOT NULL)
      AND (was.known_by IN ('same_content', 'in_store', 'moved', 'user')
        OR :has_key AND was.known_by IN
          ('key', 'repeat', 'similar_row', 'similar_key', 'reused_key')))
"""
# A row that stood in another place, of the same bytes that were read with other options.
_MOVED = """
SELECT 1 FROM rows AS old LEFT JOIN rows AS new
ON new.import = ? AND new.row = old.row AND new.line = old.line
WHERE old.import = ? AND new.row IS NULL LIMIT 1
"""
_PLAIN_BODY = re.compile(rb'\{"name":"([^"\\]*)","categoryId":(-?\d+)[,}]')
# Of a core: few keys look like this, and only those are looked at closely.
_MAY_BE_DATE = re.compile(r"[0-9]{1,4}-[^\W\d_]{3,}|[^\W\d_]{3,}-[0-9]+$|[0-9]{4}-[0-9]+-[0-9]+")


class DateKey(NamedTuple):
    """A row whose key reads like a date."""

    row: int
    text: str


@dataclass
class StagedRows:
    """Rows that were just read; no import has them yet."""

    number: int  # of an import that is none yet
    base: int  # the animal of a row that is none yet is this number and its row
    digest: Any
    to_send: int = 0  # rows that can be sent
    # The row and line of each correction, and the row that it corrects.
    origins: list[tuple[int, int, RowOrigin]] = field(default_factory=list)
    dates: list[DateKey] = field(default_factory=list)
    has_excluded: bool = False  # rows that would be sent if they were not excluded


@dataclass(frozen=True)
class Staged:
    """The rows that were just read, and the import that they belong to."""

    run: Import
    base: int  # the animal of a row that is none yet is this number and its row
    is_new: bool = False
    new_lines: Collection[int] = ()  # rows that are new animals, whatever they equal
    origins: Sequence[tuple[int, int, RowOrigin]] = ()
    dates: Sequence[DateKey] = ()
    stays_created: Sequence[int] = ()  # lines that an answer can no longer make known animals
    is_resumed: bool = False  # the file is not at hand: only what is still to send is looked at
    has_excluded: bool = False  # rows that would be sent if they were not excluded

    @property
    def key_columns(self) -> str:
        """The columns of its key in their one spelling; empty without a key."""
        return columns_of(self.run.key)


def stage_rows(
    sql: sqlite3.Connection,
    run: Import,
    batches: Iterable[Sequence[SourceRow]],
    *,
    exclude_lines: Collection[int] = (),
    pause: Callable[[], None] = lambda: None,
) -> StagedRows:
    """Write rows, many at once, where no import has them; what ``pause`` raises ends it."""
    remove_staged(sql)
    ((number,),) = sql.execute("SELECT coalesce(max(import), 0) + 1 FROM imports").fetchall()
    digest = hashlib.sha256(json.dumps(run.header).encode())
    staged = StagedRows(number, _last_animal(sql), digest)
    excluded = frozenset(exclude_lines)
    order = order_of(run.key)
    insert_plain = _INSERT_PLAIN.format(number=number, base=staged.base)
    blank_rows = 0
    for batch in batches:
        pause()
        plain_rows: list[tuple[Any, ...]] = []
        other_rows: list[tuple[Any, ...]] = []
        texts: list[bytes] = []
        for row in batch:
            packed = pack_cells(row.cells)
            key, key_core = _key_and_core(staged, row, order)
            if _is_plain(row, excluded):
                body = (row.payload or b"").decode()
                values = (row.number, row.line, packed, body, row.content, key, key_core)
                plain_rows.append((*values, row.number))
            else:
                other_rows.append(_values(staged, row, packed, key, key_core, excluded))
            # Blank rows count if others follow: each row keeps its number.
            if row.notes == ("blank",):
                blank_rows += 1
                continue
            if blank_rows:
                texts += [b"blank"] * blank_rows
                blank_rows = 0
            texts.append(_as_read(packed, row.origin))
        digest.update(b"".join(texts))
        staged.to_send += len(plain_rows)
        sql.executemany(insert_plain, plain_rows)
        sql.executemany(_INSERT, other_rows)
    return staged


def remove_staged(sql: sqlite3.Connection) -> None:
    """Remove rows that were staged and that no import has: a question or a kill left them."""
    sql.execute("DELETE FROM rows WHERE import > (SELECT coalesce(max(import), 0) FROM imports)")


def _is_plain(row: SourceRow, excluded: frozenset[int]) -> bool:
    """Return True for a row that is sent as it is, with no remarks, as nearly all rows are."""
    has_remarks = row.notes or row.problems or row.origin is not None or row.has_default_name
    is_ordered = row.order_value is not None
    is_excluded = row.is_excluded or row.line in excluded
    return row.state is State.PENDING and not (has_remarks or is_ordered or is_excluded)


def _key_and_core(
    staged: StagedRows, row: SourceRow, order: Sequence[int] | None
) -> tuple[str | None, str | None]:
    """Return the key of a row as it is stored, and its core; note a key that reads like a date."""
    if row.key is None:
        return None, None
    texts = row.key if order is None else [row.key[place] for place in order]
    if len(texts) > 1:
        return key_text(texts), core_of_key(texts)
    (text,) = texts
    key_core = core(text)
    if _MAY_BE_DATE.match(key_core) and is_date(text):
        staged.dates.append(DateKey(row.number, text))
    return f"[{quoted(text)}]", key_core


def _values(
    staged: StagedRows,
    row: SourceRow,
    packed: str | bytes,
    key: str | None,
    key_core: str | None,
    excluded: frozenset[int],
) -> tuple[Any, ...]:
    """Return a row as the journal has it."""
    is_excluded = row.is_excluded or row.line in excluded
    if row.origin is not None:
        staged.origins.append((row.number, row.line, row.origin))
    # A row that may be sent has an animal of its own unless a rule finds another one.
    may_be_sent = row.state is State.PENDING and not is_excluded
    staged.to_send += may_be_sent
    # Without a content, no rule compares a row that was excluded before one row per key is chosen.
    is_compared = row.payload is not None and row.state is not State.EXCLUDED
    staged.has_excluded |= is_excluded and (row.payload is not None or key is not None)
    return (
        staged.number, row.number, row.line, packed, row.payload,
        row.content if is_compared else None, row.unsent_hash,
        row.has_default_name, key, key_core, row.order_value,
        staged.base + row.number if may_be_sent else None, None,
        pack_problems(row.problems) if row.problems else None,
        "\n".join(row.notes) if row.notes else None,
        Reason.LEFT_OUT.value if is_excluded else None,
    )  # fmt: skip


def content_of_body(body: bytes) -> str:
    """Return the content of a request body.

    Example:
        >>> content_of_body(b'{"name":"ADA","categoryId":3}') == content_of("Ada", 3)
        True
    """
    plain = _PLAIN_BODY.match(body)
    if plain is not None:
        return content_of(plain[1].decode(), plain[2].decode())
    values = json.loads(body)
    return content_of(str(values["name"]), values["categoryId"])


def find_import(
    sql: sqlite3.Connection,
    staged: StagedRows,
    run: Import,
    *,
    copy: int = 0,
    new_lines: Collection[int] = (),
    named_answers: dict[str, str] | None = None,
) -> Staged:
    """Give staged rows to their import, new or known; ``run`` has its facts, should it be new.

    ``named_answers`` are the cases whose earlier answers are reversed, row by row.
    """
    number = staged.number
    run = _import_of_rows(sql, replace(run, number=number), staged.digest.copy(), copy)
    is_new = run.number == number
    stays_created: list[int] = []
    if not is_new:
        key_columns = columns_of(run.key)
        query = "SELECT key_columns = ? FROM imports WHERE import = ?"
        ((has_key,),) = sql.execute(query, [key_columns, run.number]).fetchall()
        stays_created = release_answers(sql, run.number, key_columns, named_answers or {})
        named = {"mine": run.number, "staged": number, "has_key": has_key}
        sql.execute(_KEEP, named)
        sql.execute("DELETE FROM rows WHERE import = :mine", named)
        sql.execute("UPDATE rows SET import = :mine WHERE import = :staged", named)
    write_import(sql, run, columns_of(run.key))
    return Staged(
        run, staged.base, is_new, new_lines, staged.origins, staged.dates, stays_created,
        has_excluded=staged.has_excluded,
    )  # fmt: skip


def staged_again(sql: sqlite3.Connection, run: Import) -> Staged:
    """Return what an import has still to send, as if it was just staged."""
    return Staged(run, _last_animal(sql), is_resumed=True)


def _last_animal(sql: sqlite3.Connection) -> int:
    ((last,),) = sql.execute("SELECT coalesce(max(animal), 0) FROM animals").fetchall()
    return int(last)


def _import_of_rows(sql: sqlite3.Connection, run: Import, digest: Any, copy: int) -> Import:
    """Return the import of these rows: a known one, or the one that was given."""
    digest.update(f":{copy}".encode())
    run = replace(run, id=digest.hexdigest()[:32], copy=copy)
    known = read_imports(sql, "id = ?", [run.id])
    if not known:
        # A row is known by its number, by its idempotency key, too. Where other options give
        # the rows other numbers, it is another import, and what its rows equal is asked.
        same_bytes = read_imports(sql, "bytes_id = ? AND copy = ?", [run.bytes_id, copy])
        known = [
            earlier
            for earlier in same_bytes
            if not sql.execute(_MOVED, [run.number, earlier.number]).fetchone()
        ]
    if not known:
        return run
    told = ("source", "place", "header", "staged_at", "duplicates", "bytes_id", *RECIPE)
    return replace(known[-1], **{name: getattr(run, name) for name in told})


def _as_read(packed: str | bytes, origin: RowOrigin | None) -> bytes:
    """Return what a row adds to the digest, less what saving a file again may change."""
    text = packed.encode() if isinstance(packed, str) else packed
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    text = text.rstrip(b"\x1f")
    if origin is None:
        return b"%d:%b0:" % (len(text), text)
    mark = f"{origin.import_id}:{origin.row}".encode()
    return b"%d:%b%d:%b" % (len(text), text, len(mark), mark)


def columns_of(key: Sequence[str]) -> str:
    """Return the columns of a key in their one spelling and order; empty for none."""
    return replace_surrogates("\x1f".join(sorted(map(_column, key))))


def key_text(texts: Sequence[str]) -> str:
    """Return a key as it is stored: a JSON list of its texts, whatever they hold, in ASCII."""
    return f"[{', '.join(map(quoted, texts))}]"


def order_of(key: Sequence[str]) -> list[int] | None:
    """Return the order in which the texts of a key are stored; None where it is the given one."""
    order = sorted(range(len(key)), key=lambda at: _column(key[at]))
    return None if order == list(range(len(key))) else order


def _column(name: str) -> str:
    text = normalize("NFKC", name).casefold().strip()
    return "".join(sign for sign in text if sign.isalnum()) or text
