"""Writes the rows of a source to the journal, and finds the import that they belong to.

Rule 1 of identity: the same rows are the same import, found by the digest of its cells or bytes.
Rows are first staged under an unused import number, so that they are invisible while the store is
read. Then they replace the rows of their import, and keep the animals of these.
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
from petstore_frame.loader.key_dates import DateForm, date_form
from petstore_frame.loader.matching.folding import core
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.row_state import Reason, SourceRow, State
from petstore_frame.schema.text import replace_surrogates
from petstore_frame.tables.table import RowOrigin

_INSERT = f"INSERT INTO rows VALUES ({', '.join('?' * 16)})"
# For rows without remarks. It binds only integers and texts, which is several times as fast as
# binding bytes and None.
_INSERT_PLAIN = """
INSERT INTO rows (import, row, line, cells, payload, content, is_unnamed, key, core, animal)
VALUES ({number}, ?, ?, ?, CAST(? AS BLOB), ?, 0, ?, ?, {base} + ?)
"""
# Copies the animals of the earlier rows of an import to its new rows. A row keeps its animal if the
# animal has its values, or if a fix file linked them. If a rule or an answer linked them, the row
# keeps the animal only if its content is unchanged.
_KEEP = """
UPDATE rows SET animal = earlier.animal, known_by = earlier.known_by
FROM rows AS earlier JOIN animals ON animals.animal = earlier.animal
WHERE rows.import = :staged AND earlier.import = :mine AND earlier.row = rows.row
  AND (animals.import = :mine AND animals.row = earlier.row OR earlier.known_by = 'fix'
    OR earlier.content IS rows.content AND animals.state IS NOT NULL
      AND (rows.content IS NOT NULL OR rows.problem IS NOT NULL)
      AND (earlier.known_by IN ('same_content', 'in_store', 'moved', 'user')
        OR :has_key AND earlier.known_by IN
          ('key', 'repeat', 'similar_row', 'similar_key', 'reused_key')))
"""
# Returns a result if other options gave other numbers to the rows of the same bytes.
_MOVED = """
SELECT 1 FROM rows AS earlier LEFT JOIN rows AS staged
ON staged.import = ? AND staged.row = earlier.row AND staged.line = earlier.line
WHERE earlier.import = ? AND staged.row IS NULL LIMIT 1
"""
# A fast check of the core; only keys that match it are checked with ``date_form``.
_MAY_BE_DATE = re.compile(r"[0-9]{1,4}-[^\W\d_]{3,}|[^\W\d_]{3,}-[0-9]+$|[0-9]+-[0-9]+-[0-9]+")


class DateKey(NamedTuple):
    """A row whose key reads like a date."""

    row: int
    text: str
    form: DateForm


@dataclass
class StagedRows:
    """Rows that were read but do not belong to an import yet."""

    number: int  # an unused import number
    base: int  # the animal of a new row is this number plus the row number
    digest: Any
    to_send: int = 0  # number of rows that can be sent
    # The row, its line, and the row that it corrects, of each fix row.
    origins: list[tuple[int, int, RowOrigin]] = field(default_factory=list)
    dates: list[DateKey] = field(default_factory=list)
    has_excluded: bool = False  # some rows are excluded but could be sent


@dataclass(frozen=True)
class Staged:
    """Rows that were read, with the import that they belong to."""

    run: Import
    base: int  # the animal of a new row is this number plus the row number
    is_new: bool = False
    new_lines: Collection[int] = ()  # lines that are new animals even if they look like loaded ones
    origins: Sequence[tuple[int, int, RowOrigin]] = ()
    dates: Sequence[DateKey] = ()
    stays_created: Sequence[int] = ()  # lines that were created before the user answered ``skip``
    is_resumed: bool = False  # without the file: only rows that are still to send are matched
    has_excluded: bool = False  # some rows are excluded but could be sent

    @property
    def key_columns(self) -> str:
        """The key columns, normalized and sorted; empty without a key."""
        return columns_of(self.run.key)


def stage_rows(
    sql: sqlite3.Connection,
    run: Import,
    batches: Iterable[Sequence[SourceRow]],
    *,
    exclude_lines: Collection[int] = (),
    pause: Callable[[], None] = lambda: None,
) -> StagedRows:
    """Write rows in batches under an unused import number; an error from ``pause`` stops it."""
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
        texts: list[str] = []
        for row in batch:
            packed = pack_cells(row.cells)
            key, key_core = _key_and_core(staged, row, order)
            if _is_plain(row, excluded):
                body = (row.payload or b"").decode()
                values = (row.number, row.line, packed, body, row.content, key, key_core)
                plain_rows.append((*values, row.number))
            else:
                other_rows.append(_values(staged, row, packed, key, key_core, excluded))
            # Blank rows count only if other rows follow, because they move the numbers of these.
            if row.notes == ("blank",):
                blank_rows += 1
                continue
            if blank_rows:
                texts += ["blank"] * blank_rows
                blank_rows = 0
            texts.append(_as_read(packed, row.origin))
        digest.update("".join(texts).encode())
        staged.to_send += len(plain_rows)
        sql.executemany(insert_plain, plain_rows)
        sql.executemany(_INSERT, other_rows)
    return staged


def remove_staged(sql: sqlite3.Connection) -> None:
    """Remove staged rows without an import, which a question or a kill left behind."""
    sql.execute("DELETE FROM rows WHERE import > (SELECT coalesce(max(import), 0) FROM imports)")


def _is_plain(row: SourceRow, excluded: frozenset[int]) -> bool:
    """Return whether a row can be sent and has no remarks, like most rows."""
    has_remarks = row.notes or row.problems or row.origin is not None or row.has_default_name
    is_ordered = row.order_value is not None
    is_excluded = row.is_excluded or row.line in excluded
    return row.state is State.PENDING and not (has_remarks or is_ordered or is_excluded)


def _key_and_core(
    staged: StagedRows, row: SourceRow, order: Sequence[int] | None
) -> tuple[str | None, str | None]:
    """Return the key of a row in its stored form, and its core; record keys that are dates."""
    if row.key is None:
        return None, None
    texts = row.key if order is None else [row.key[position] for position in order]
    if len(texts) > 1:
        return key_text(texts), core_of_key(texts)
    (text,) = texts
    key_core = core(text)
    if _MAY_BE_DATE.match(key_core) and (form := date_form(text)):
        staged.dates.append(DateKey(row.number, text, form))
    return f"[{quoted(text)}]", key_core


def _values(
    staged: StagedRows,
    row: SourceRow,
    packed: str | bytes,
    key: str | None,
    key_core: str | None,
    excluded: frozenset[int],
) -> tuple[Any, ...]:
    """Return the values of a row for ``_INSERT``."""
    is_excluded = row.is_excluded or row.line in excluded
    if row.origin is not None:
        staged.origins.append((row.number, row.line, row.origin))
    # A row that may be sent is a new animal unless a rule finds an existing one.
    may_be_sent = row.state is State.PENDING and not is_excluded
    staged.to_send += may_be_sent
    # A row that was excluded while reading gets no content, so that no rule compares it.
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


def find_import(
    sql: sqlite3.Connection,
    staged: StagedRows,
    run: Import,
    *,
    copy: int = 0,
    new_lines: Collection[int] = (),
    named_answers: dict[str, str] | None = None,
) -> Staged:
    """Move staged rows to their import, which is created if there is none.

    Args:
        sql: A connection with an open transaction.
        staged: The rows.
        run: The facts of the import if it is new.
        copy: Number of the intended copy, 0 for none.
        new_lines: Lines that are new animals even if they look like loaded ones.
        named_answers: The answers that the user gave for a named case; they revert earlier ones.
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
        parameters = {"mine": run.number, "staged": number, "has_key": has_key}
        sql.execute(_KEEP, parameters)
        sql.execute("DELETE FROM rows WHERE import = :mine", parameters)
        sql.execute("UPDATE rows SET import = :mine WHERE import = :staged", parameters)
    write_import(sql, run, columns_of(run.key))
    return Staged(
        run, staged.base, is_new, new_lines, staged.origins, staged.dates, stays_created,
        has_excluded=staged.has_excluded,
    )  # fmt: skip


def staged_again(sql: sqlite3.Connection, run: Import) -> Staged:
    """Return an import as if its rows had just been staged, to resume it without its file."""
    return Staged(run, _last_animal(sql), is_resumed=True)


def _last_animal(sql: sqlite3.Connection) -> int:
    ((last,),) = sql.execute("SELECT coalesce(max(animal), 0) FROM animals").fetchall()
    return int(last)


def _import_of_rows(sql: sqlite3.Connection, run: Import, digest: Any, copy: int) -> Import:
    """Return the existing import with these rows, or ``run`` if there is none."""
    digest.update(f":{copy}".encode())
    run = replace(run, id=digest.hexdigest()[:32], copy=copy)
    matches = read_imports(sql, "id = ?", [run.id])
    if not matches:
        # The row number identifies a row, also in its idempotency key. If other options gave the
        # rows other numbers, this is another import, whose rows are compared with the earlier ones.
        same_bytes = read_imports(sql, "bytes_id = ? AND copy = ?", [run.bytes_id, copy])
        matches = [
            earlier
            for earlier in same_bytes
            if not sql.execute(_MOVED, [run.number, earlier.number]).fetchone()
        ]
    if not matches:
        return run
    updated = ("source", "place", "header", "staged_at", "duplicates", "bytes_id", *RECIPE)
    return replace(matches[-1], **{name: getattr(run, name) for name in updated})


def _as_read(packed: str | bytes, origin: RowOrigin | None) -> str:
    """Return the text of a row for the digest, without details that saving a file may change."""
    text = packed if isinstance(packed, str) else packed.decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    text = text.rstrip("\x1f")
    mark = f"{origin.import_id}:{origin.row}" if origin is not None else ""
    return f"{len(text)}:{text}{len(mark)}:{mark}"


def columns_of(key: Sequence[str]) -> str:
    """Return the key columns, normalized and sorted, as one text; empty without a key."""
    return replace_surrogates("\x1f".join(sorted(map(_column, key))))


def key_text(texts: Sequence[str]) -> str:
    """Return the stored form of a key: a JSON list of its texts, in ASCII."""
    return f"[{', '.join(map(quoted, texts))}]"


def order_of(key: Sequence[str]) -> list[int] | None:
    """Return the positions of key columns in their stored order; None if they are sorted."""
    order = sorted(range(len(key)), key=lambda at: _column(key[at]))
    return None if order == list(range(len(key))) else order


def _column(name: str) -> str:
    text = normalize("NFKC", name).casefold().strip()
    return "".join(sign for sign in text if sign.isalnum()) or text
