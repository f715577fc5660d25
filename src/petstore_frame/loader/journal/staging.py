"""The records of a source on their way into a journal, and the import that they belong to.

They are written under the number of a new import at once. The rules of identity (earlier.py) then
give each its state, all in one transaction: what is refused, or goes on with an earlier import,
leaves nothing of it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from petstore_frame.loader.journal.rows import Run, pack_cells, pack_problem, read_runs, write_run
from petstore_frame.loader.record import Ending, Record

# Its pet is in the store, may be, or will be.
LIVE = "('created', 'in_flight', 'unknown', 'absent', 'pending')"
SENT = "('created', 'in_flight', 'unknown', 'absent')"
_REHEARSALS_LAST_S = 7 * 86_400.0
_READ = "state, payload, problem, warnings, key, same_import, same_record, same_by"
_CHANGEABLE = """
SELECT new.record FROM records AS new JOIN records AS old USING (record)
WHERE new.import = :staged AND old.import = :mine AND (
  old.state = 'invalid' AND new.state = 'pending'
  OR old.state = 'rejected' AND new.state = 'pending' AND new.payload <> old.payload
  OR old.state = 'pending' AND new.payload IS NOT old.payload)
"""
_MEANS_OTHERWISE = f"""
SELECT EXISTS (SELECT 1 FROM records AS new JOIN records AS old USING (record)
WHERE new.import = :staged AND old.import = :other AND old.state IN {SENT} AND (:has_other_key
  OR replace(CAST(new.payload AS TEXT), '\\r\\n', '\\n')
  <> replace(CAST(old.payload AS TEXT), '\\r\\n', '\\n')))
"""
# The digests of a set of records; those of one import go in sorted, which is what costs least.
_LIKENESSES = """
SELECT store, likeness(payload) AS likeness, import, record FROM records
WHERE import = :mine AND payload IS NOT NULL
"""


def stage(sql: sqlite3.Connection, run: Run, batches: Iterable[Sequence[Record]]) -> Run:
    """Write records under the number of a new import.

    Returns:
        The import with that number and the records' digest: the same for the same cells in the
        same columns and order, whatever the line ends, the encoding or the delimiter of their file.
    """
    sql.create_function("likeness", 1, likeness_of, deterministic=True)
    (last,) = sql.execute("SELECT coalesce(max(import), 0) FROM imports").fetchone()
    number = int(last) + 1
    sql.execute("DROP TABLE IF EXISTS temp.origins")
    sql.execute("CREATE TEMP TABLE origins (record INTEGER PRIMARY KEY, run_id, origin)")
    digest = hashlib.sha256(json.dumps(run.header).encode())
    sql.executemany(
        "INSERT INTO records (import, store, record, line, state, payload, key, cells, problem,"
        f" warnings) VALUES ({number}, {run.store}, ?, ?, ?, ?, ?, ?, ?, ?)",
        _rows(sql, batches, digest),
    )
    return replace(run, number=number, records_sha256=digest.hexdigest())


def _rows(
    sql: sqlite3.Connection, batches: Iterable[Sequence[Record]], digest: Any
) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        read = []
        for at, line, cells, state, payload, problem, warnings, key, origin in batch:
            packed = pack_cells(cells)
            why = None if problem is None else pack_problem(problem)
            noted = "\n".join(warnings) if warnings else None
            if warnings != ("blank",):
                read.append(_as_read(packed, origin))
            if origin is not None:
                sql.execute("INSERT INTO temp.origins VALUES (?, ?, ?)", [at, *origin])
            yield at, line, state.value, payload, key, packed, why, noted
        digest.update(b"".join(read))


def _as_read(packed: str | bytes, origin: Any) -> bytes:
    """Return what a record adds to the digest; a program that saves a file again changes the rest.

    Such a program writes other line ends, within cells too, and fills short records with empty
    cells.
    """
    text = packed.encode() if isinstance(packed, str) else packed
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    text = text.rstrip(b"\x1f")
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
    same = []
    for other in found:
        facts = {"staged": run.number, "other": other.number, "has_other_key": other.key != run.key}
        if sql.execute(_MEANS_OTHERWISE, facts).fetchone() == (0,):
            same.append(other)
    unfinished = [other for other in same if other.ending is not Ending.DONE]
    if run.is_again:
        same, unfinished = [], [other for other in unfinished if other.is_again]
    candidates = unfinished or same
    return candidates[-1] if candidates else None


def forget_rehearsals(sql: sqlite3.Connection, run: Run, now: float) -> None:
    """Remove the rehearsals of the same records, and those of long ago."""
    old = sql.execute(
        "SELECT import FROM imports WHERE started_at IS NULL AND store = ?"
        " AND (records_sha256 = ? OR created_at < ?) AND run_id <> ?"
        " AND NOT EXISTS (SELECT 1 FROM records WHERE root_import = imports.import)",
        [run.store, run.records_sha256, now - _REHEARSALS_LAST_S, run.run_id],
    ).fetchall()
    for (number,) in old:
        forget(sql, number)


def forget(sql: sqlite3.Connection, number: int) -> None:
    """Remove an import that has sent nothing."""
    for table in ("records", "events", "imports"):
        sql.execute(f"DELETE FROM {table} WHERE import = ?", [number])


def replace_rehearsal(sql: sqlite3.Connection, rehearsal: Run, run: Run) -> Run:
    """Let an import take the place of a rehearsal of the same records, under its id."""
    forget(sql, rehearsal.number)
    sql.execute(
        "UPDATE records SET root_import = ? WHERE root_import = ?", [run.number, rehearsal.number]
    )
    return replace(run, run_id=rehearsal.run_id)


def write_import(sql: sqlite3.Connection, run: Run) -> None:
    """Write the facts of a new import; one that is a rehearsal claims no key."""
    write_run(sql, run)
    if run.started_at is None:
        return
    facts = {"mine": run.number, "store": run.store}
    sql.execute(f"INSERT INTO likenesses {_LIKENESSES} ORDER BY likeness", facts)
    sql.execute(_CLAIM_KEYS, facts | {"staged": run.number})


# Each key that is about to be sent belongs to its record, and to no other.
_CLAIM_KEYS = """
INSERT OR REPLACE INTO keys (store, key, import, record)
SELECT :store, key, :mine, record FROM records
WHERE import = :staged AND key IS NOT NULL AND state = 'pending'
"""


def keep_changeable(sql: sqlite3.Connection, staged: int, mine: int) -> bool:
    """Leave staged only what was not sent and reads otherwise now; tell whether there is any."""
    facts = {"staged": staged, "mine": mine}
    if sql.execute(f"{_CHANGEABLE} LIMIT 1", facts).fetchone() is None:
        return False
    sql.execute(
        f"DELETE FROM records WHERE import = :staged AND record NOT IN ({_CHANGEABLE})", facts
    )
    return True


def write_changes(sql: sqlite3.Connection, staged: int, run: Run) -> None:
    """Move what is staged over the records of an import that were not sent."""
    facts = {"staged": staged, "mine": run.number, "store": run.store}
    mine = f"{_LIKENESSES} AND record IN (SELECT record FROM records WHERE import = :staged)"
    sql.execute(
        f"DELETE FROM likenesses WHERE (store, likeness, import, record) IN ({mine})", facts
    )
    sql.execute(
        f"UPDATE records SET ({_READ}) = (SELECT {_READ} FROM records AS new"
        "  WHERE new.import = :staged AND new.record = records.record),"
        " reason = NULL, error_code = NULL, error_message = NULL, error_field = NULL,"
        " http_status = NULL, settled_at = NULL, first_sent_at = NULL, idempotency_key = NULL,"
        " generation = generation + 1"
        " WHERE import = :mine AND state IN ('invalid', 'rejected', 'pending')"
        " AND record IN (SELECT record FROM records WHERE import = :staged)",
        facts,
    )
    sql.execute(f"INSERT INTO likenesses {mine}", facts)
    sql.execute(_CLAIM_KEYS, facts)
    sql.execute("DELETE FROM records WHERE import = :staged", facts)
    sql.execute(
        "UPDATE imports SET mapping = ?, ending = NULL WHERE import = ?",
        [json.dumps(run.mapping), run.number],
    )


# A record that could not be sent is created by now, as a row of a fix file that names it.
_SKIP_FIXED = """
UPDATE records AS mine SET state = 'skipped', same_by = 'fix', same_import = fixed.import,
  same_record = fixed.record, problem = NULL, error_code = NULL, error_message = NULL,
  error_field = NULL, http_status = NULL
FROM records AS fixed
WHERE mine.import = ? AND mine.state IN ('invalid', 'rejected') AND fixed.state = 'created'
AND fixed.root_import = coalesce(mine.root_import, mine.import)
AND fixed.root_record = coalesce(mine.root_record, mine.record)
"""


def skip_fixed(sql: sqlite3.Connection, run: Run) -> bool:
    """Skip the records of an import that a fix file has created since; tell whether any was."""
    return bool(sql.execute(_SKIP_FIXED, [run.number]).rowcount)
