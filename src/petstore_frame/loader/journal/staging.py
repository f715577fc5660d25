"""The records of a source, written into the journal, and the import that they belong to.

Rule 1 of identity: the same records are the same import, whose id is a digest of the cells as read
and of a copy number. What it has sent stays as it is; every other record takes what is read now.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from petstore_frame.loader.journal.rows import (
    RECIPE,
    Import,
    pack_cells,
    pack_problem,
    read_imports,
    write_import,
)
from petstore_frame.loader.journal.tables import columns_of, in_order, is_live
from petstore_frame.loader.record import Ending, Reason, Record, State

_INSERT = """
INSERT INTO records (id, animal, import, record, line, cells, payload, fingerprint, key, state)
VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
"""
# What few records have: a problem, notes, or that the user leaves them out.
_REMARK = "UPDATE records SET problem_code = ?, problem = ?, notes = ?, reason = ? WHERE id = ?"
# What was sent, or may have been, stays; so does a refusal of what would be sent once more.
_STAYS = f"""
old.state IN ('in_flight', 'unknown', 'absent', 'created', 'adopted')
OR old.state = 'pending' AND old.is_in_doubt
OR old.state = 'rejected' AND new.payload IS old.payload AND NOT EXISTS (
  SELECT 1 FROM records AS live WHERE live.animal = old.animal AND {is_live("live")})
"""
_PAIRS = """
FROM records AS old JOIN records AS new ON new.import = :staged AND new.record = old.record
WHERE old.import = :mine
"""
# Puts staged records in the place of those of an import that were not sent. ``again`` has the
# earlier record, its animal, and what a user or a rule had said of it; the user's word stays with
# a record that reads the same.
_GO_ON = (
    f"""
CREATE TEMP TABLE again AS
SELECT new.id, old.id AS old_id, old.animal, old.life, old.state, old.known_by,
  old.fingerprint IS new.fingerprint AS is_same, {_STAYS} AS stays
{_PAIRS}
""",
    f"""
UPDATE records SET reads_now = pair.payload
FROM (SELECT old.id, nullif(new.payload, old.payload) AS payload, old.reads_now
  {_PAIRS} AND ({_STAYS})) AS pair
WHERE records.id = pair.id AND pair.payload IS NOT pair.reads_now
""",
    "DELETE FROM records WHERE id IN (SELECT id FROM temp.again WHERE stays)",
    "DELETE FROM records WHERE id IN (SELECT old_id FROM temp.again WHERE NOT stays)",
    "UPDATE records SET import = :mine WHERE import = :staged",
    """
UPDATE records SET known_by = 'user', life = again.life FROM temp.again AS again
WHERE records.id = again.id AND again.known_by = 'user' AND again.is_same
""",
)


@dataclass(frozen=True)
class Staged:
    """The records that were just read; their ids begin with ``first``.

    Attributes:
        run: The import that they belong to.
        is_new: Nothing of it was known before.
        key_columns: The columns of its key in their one spelling.
    """

    run: Import
    first: int
    is_new: bool
    key_columns: str


def stage(
    sql: sqlite3.Connection,
    run: Import,
    batches: Iterable[Sequence[Record]],
    *,
    again: bool = False,
    send_lines: Collection[int] = (),
    leave_lines: Collection[int] = (),
    pause: Callable[[], None] = lambda: None,
) -> Staged:
    """Write records, and find the import that they belong to.

    Args:
        sql: A connection within a transaction.
        run: The facts of the import, should it be new.
        batches: Its records, many at once.
        again: They are a copy, made on purpose.
        send_lines: Lines of records that are other animals, whatever they equal.
        leave_lines: Lines of records that are not to be sent.
        pause: Called now and then; what it raises ends the staging.
    """
    ((number, base),) = sql.execute(
        "SELECT coalesce((SELECT max(import) FROM imports), 0) + 1,"
        " coalesce((SELECT max(id) FROM records), 0)"
    ).fetchall()
    _make_temporary(sql)
    digest = hashlib.sha256(json.dumps(run.header).encode())
    order = in_order(run.key)
    leave = frozenset(leave_lines)
    words = {state: state.value for state in State}  # a plain text is bound faster
    for batch in batches:
        pause()
        values, remarks, origins, ranks, read = [], [], [], [], []
        for record in batch:
            (at, line, cells, state, payload, fingerprint, problem, notes, key, origin, rank,
             left_out) = record  # fmt: skip
            packed, record_id = pack_cells(cells), base + at
            if key is not None and order is not None:
                texts = json.loads(key)
                key = json.dumps([texts[place] for place in order], ensure_ascii=False)
            if origin is not None:
                origins.append((record_id, *origin))
            if rank is not None:
                ranks.append((record_id, rank))
            values.append(
                (record_id, number, at, line, packed, payload, fingerprint, key, words[state])
            )
            if problem or notes or left_out or line in leave:
                remarks.append((
                    problem.code if problem else None,
                    pack_problem(problem) if problem else None,
                    "\n".join(notes) if notes else None,
                    Reason.LEFT_OUT.value if left_out or line in leave else None,
                    record_id,
                ))  # fmt: skip
            if notes != ("blank",):
                read.append(_as_read(packed, origin))
        digest.update(b"".join(read))
        sql.executemany(_INSERT, values)
        sql.executemany(_REMARK, remarks)
        sql.executemany("INSERT INTO temp.origins VALUES (?, ?, ?)", origins)
        sql.executemany("INSERT INTO temp.ranks VALUES (?, ?)", ranks)
    sql.executemany(
        f"UPDATE records SET known_by = 'user' WHERE import = {number} AND line = ?",
        [(line,) for line in send_lines],
    )
    return _find_import(sql, replace(run, number=number), digest, base + 1, again=again)


def _find_import(
    sql: sqlite3.Connection, run: Import, digest: Any, first: int, *, again: bool
) -> Staged:
    """Return the records as those of the import with their digest, new or known."""
    columns, copy = columns_of(run.key), int(again)
    while True:
        copied = digest.copy()
        copied.update(f":{copy}".encode())
        run = replace(run, id=copied.hexdigest()[:32], copy=copy)
        found = read_imports(sql, "id = ?", [run.id])
        if not (again and found and found[0].ending is Ending.DONE):
            break
        copy += 1  # that copy is finished, so this is the next one
    if found:
        sql.execute("DROP TABLE IF EXISTS temp.again")
        for statement in _GO_ON:
            sql.execute(statement, {"mine": found[0].number, "staged": run.number})
        told = ("source", "place", "header", "staged_at", *RECIPE)
        run = replace(found[0], **{name: getattr(run, name) for name in told})
    write_import(sql, run, columns)
    return Staged(run, first, is_new=not found, key_columns=columns)


def staged_again(sql: sqlite3.Connection, run: Import) -> Staged:
    """Return what an import has still to send, as if it was just staged and nothing was new."""
    ((last,),) = sql.execute("SELECT coalesce(max(id), 0) FROM records").fetchall()
    _make_temporary(sql)
    return Staged(run, last + 1, is_new=True, key_columns=columns_of(run.key))


def _make_temporary(sql: sqlite3.Connection) -> None:
    for name, columns in (("origins", "import_id, record"), ("ranks", "rank")):
        sql.execute(f"DROP TABLE IF EXISTS temp.{name}")
        sql.execute(f"CREATE TEMP TABLE {name} (id INTEGER PRIMARY KEY, {columns})")


def _as_read(packed: str | bytes, origin: tuple[str, int] | None) -> bytes:
    """Return what a record adds to the digest; a program that saves a file again changes the rest.

    Such a program writes other line ends, within cells too, and fills short records with empty
    cells.
    """
    text = packed.encode() if isinstance(packed, str) else packed
    text = text.replace(b"\r\n", b"\n").rstrip(b"\x1f")
    if origin is None:
        return b"%d:%b0:" % (len(text), text)
    mark = f"{origin[0]}:{origin[1]}".encode()
    return b"%d:%b%d:%b" % (len(text), text, len(mark), mark)
