"""The records of a source on their way into a journal, and the import that they belong to.

They are gathered in a table of their own, where the rules of identity (earlier.py) give each its
state; only then are they written to the journal, all in one commit, or not at all.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from petstore_frame.loader.journal.rows import Run, pack_cells, pack_problem, read_runs
from petstore_frame.loader.record import Ending, Record

_STAGED = """
CREATE TEMP TABLE staged (
  record INTEGER PRIMARY KEY, line INTEGER, cells, state TEXT, payload BLOB, problem TEXT,
  warnings TEXT, key TEXT, likeness BLOB, origin_run TEXT, origin_record INTEGER,
  root_import INTEGER, root_record INTEGER, same_import INTEGER, same_record INTEGER, same_by TEXT
)
"""
_INSERT = """
INSERT INTO temp.staged (record, line, cells, state, payload, problem, warnings, key, likeness,
  origin_run, origin_record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COLUMNS = (
    "record, line, cells, state, payload, problem, warnings, key, likeness, root_import,"
    " root_record, same_import, same_record, same_by"
)
# Its pet is in the store, may be, or will be.
LIVE = "('created', 'in_flight', 'unknown', 'absent', 'pending')"
SENT = "('created', 'in_flight', 'unknown', 'absent')"
_REHEARSALS_LAST_S = 7 * 86_400.0
_AT_ONCE = 1000


def gather(sql: sqlite3.Connection, columns: tuple[str, ...], records: Iterable[Record]) -> str:
    """Put records into the table of what is staged.

    Returns:
        Their digest: the same for the same cells in the same columns and order, whatever the
        line ends, the encoding or the delimiter of their file.
    """
    sql.execute("DROP TABLE IF EXISTS temp.staged")
    sql.execute(_STAGED)
    digest = hashlib.sha256(json.dumps(columns).encode())
    sql.execute("BEGIN")
    sql.executemany(_INSERT, _values(records, digest))
    sql.execute("COMMIT")
    return digest.hexdigest()


def _values(records: Iterable[Record], digest: Any) -> Iterator[tuple[Any, ...]]:
    read: list[bytes] = []
    for record in records:
        number, line, cells, state, payload, problem, warnings, key, origin = record
        packed = pack_cells(cells)
        if warnings != ("blank",):
            read.append(_as_read(packed, origin))
            if len(read) == _AT_ONCE:
                digest.update(b"".join(read))
                read.clear()
        yield (
            number,
            line,
            packed,
            state.value,
            payload,
            None if problem is None else pack_problem(problem),
            "\n".join(warnings) if warnings else None,
            key,
            None if payload is None else likeness_of(payload),
            *(origin or (None, None)),
        )
    digest.update(b"".join(read))


def _as_read(packed: str | bytes, origin: Any) -> bytes:
    """Return what a record adds to the digest; a program that saves a file again changes the rest.

    Such a program writes other line ends, within cells too, and fills short records with empty
    cells.
    """
    text = packed.encode() if isinstance(packed, str) else packed
    text = text.replace(b"\r\n", b"\n").rstrip(b"\x1f")
    mark = b"" if origin is None else f"{origin.run_id}:{origin.record}".encode()
    return b"%d:%b%d:%b" % (len(text), text, len(mark), mark)


def likeness_of(payload: bytes) -> bytes:
    """Return a digest of all that is sent of an animal but its status.

    Example:
        >>> sold = b'{"name":"Rex","categoryId":3,"status":"sold"}'
        >>> likeness_of(sold) == likeness_of(b'{"name":"Rex","categoryId":3}')
        True
    """
    # This cannot stand within a JSON string, whose quotes are escaped.
    head, sign, tail = payload.partition(b',"status":"')
    rest = head + tail.partition(b'"')[2] if sign else payload
    return hashlib.blake2b(rest, digest_size=12).digest()


def find_same(sql: sqlite3.Connection, run: Run) -> Run | None:
    """Return the import that the staged records go on with.

    It has the same records, identified by the same columns, and what it has sent reads as it did
    then.
    """
    found = read_runs(sql, "store = ? AND records_sha256 = ?", [run.store, run.records_sha256])
    same = [other for other in found if not _means_otherwise(sql, other, run)]
    unfinished = [other for other in same if other.ending is not Ending.DONE]
    if run.is_again:
        unfinished = [other for other in unfinished if other.is_again]
        return unfinished[-1] if unfinished else None
    candidates = unfinished or same
    return candidates[-1] if candidates else None


def _means_otherwise(sql: sqlite3.Connection, other: Run, run: Run) -> bool:
    if other.key != run.key and _has_any(sql, other.number, SENT):
        return True
    query = (
        "SELECT EXISTS (SELECT 1 FROM main.records AS sent JOIN temp.staged USING (record)"
        f" WHERE sent.import = ? AND sent.state IN {SENT}"
        f" AND {_bare('staged')} <> {_bare('sent')})"
    )
    return bool(sql.execute(query, [other.number]).fetchone()[0])


def _bare(table: str) -> str:
    """Return the SQL of a request body without what another line end changes in it."""
    return f"replace(CAST({table}.payload AS TEXT), '\\r\\n', '\\n')"


def _has_any(sql: sqlite3.Connection, number: int, states: str) -> bool:
    query = f"SELECT EXISTS (SELECT 1 FROM main.records WHERE import = ? AND state IN {states})"
    return bool(sql.execute(query, [number]).fetchone()[0])


def forget_rehearsals(sql: sqlite3.Connection, run: Run, now: float) -> None:
    """Remove the rehearsals of the same records, and those of long ago."""
    old = sql.execute(
        "SELECT import FROM imports WHERE started_at IS NULL AND store = ?"
        " AND (records_sha256 = ? OR created_at < ?) AND import <> ?"
        " AND NOT EXISTS (SELECT 1 FROM records WHERE root_import = imports.import)",
        [run.store, run.records_sha256, now - _REHEARSALS_LAST_S, run.number],
    ).fetchall()
    for (number,) in old:
        forget(sql, number)


def forget(sql: sqlite3.Connection, number: int) -> None:
    """Remove an import that has sent nothing."""
    for table in ("records", "events", "imports"):
        sql.execute(f"DELETE FROM main.{table} WHERE import = ?", [number])


def next_number(sql: sqlite3.Connection) -> int:
    """Return the place of the next import in the journal."""
    (last,) = sql.execute("SELECT coalesce(max(import), 0) FROM main.imports").fetchone()
    return int(last) + 1


def write_import(sql: sqlite3.Connection, run: Run) -> None:
    """Write a new import with all that is staged; a rehearsal claims no key."""
    sql.execute(
        "INSERT INTO main.imports (import, store, run_id, source_name, source_path,"
        " records_sha256, header, mapping, key, duplicates, is_again, plan, created_at, started_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            run.number,
            run.store,
            run.run_id,
            run.source_name,
            run.source_path,
            run.records_sha256,
            json.dumps(run.header),
            json.dumps(run.mapping),
            json.dumps(run.key),
            run.duplicates,
            run.is_again,
            json.dumps(run.plan),
            run.created_at,
            run.started_at,
        ],
    )
    sql.execute(
        f"INSERT INTO main.records (import, store, {_COLUMNS})"
        f" SELECT ?, ?, {_COLUMNS} FROM temp.staged ORDER BY record",
        [run.number, run.store],
    )


def keep_changeable(sql: sqlite3.Connection, run: Run) -> int:
    """Leave staged only what the import has not sent, and what reads otherwise now.

    Returns:
        How many records that are.
    """
    sql.execute(
        "DELETE FROM temp.staged WHERE record NOT IN ("
        " SELECT record FROM temp.staged AS new JOIN main.records AS old USING (record)"
        " WHERE old.import = ? AND ("
        "  (old.state = 'invalid' AND new.state = 'pending')"
        "  OR (old.state = 'rejected' AND new.state = 'pending' AND new.payload <> old.payload)"
        "  OR (old.state = 'pending' AND new.payload IS NOT old.payload)))",
        [run.number],
    )
    (left,) = sql.execute("SELECT count(*) FROM temp.staged").fetchone()
    return int(left)


def write_changes(sql: sqlite3.Connection, run: Run) -> None:
    """Write what is staged over the records of an import that were not sent."""
    sql.execute(
        "UPDATE main.records SET state = new.state, payload = new.payload, problem = new.problem,"
        " warnings = new.warnings, key = new.key, likeness = new.likeness,"
        " same_import = new.same_import, same_record = new.same_record, same_by = new.same_by,"
        " reason = NULL, error_code = NULL, error_message = NULL, error_field = NULL,"
        " http_status = NULL, settled_at = NULL, first_sent_at = NULL, idempotency_key = NULL,"
        " generation = generation + 1"
        " FROM temp.staged AS new WHERE records.import = ? AND records.record = new.record"
        " AND records.state IN ('invalid', 'rejected', 'pending')",
        [run.number],
    )
    sql.execute(
        "UPDATE main.imports SET mapping = ?, ending = NULL WHERE import = ?",
        [json.dumps(run.mapping), run.number],
    )


def claim_keys(sql: sqlite3.Connection, run: Run) -> None:
    """Let each key that is about to be sent belong to its record, and to no other."""
    sql.execute(
        "INSERT OR REPLACE INTO main.keys (store, key, import, record)"
        " SELECT ?, key, ?, record FROM temp.staged WHERE key IS NOT NULL AND state = 'pending'",
        [run.store, run.number],
    )
