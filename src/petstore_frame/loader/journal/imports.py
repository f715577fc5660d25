"""Which import of a store's journal a source belongs to: one that it goes on with, or a new one.

Its records are written under the number of a new import at once. The rules of identity (earlier.py)
then give each its fate, all in one transaction: what is refused, or goes on with an earlier import,
leaves nothing of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from petstore_frame.loader.journal import earlier
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.earlier import LIVE, SENT, Repeats, Staged
from petstore_frame.loader.journal.rows import (
    Run,
    pack_cells,
    pack_problem,
    read_runs,
    write_run,
)  # fmt: skip
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.record import Ending, Origin, Record, State

_RUN_ID = re.compile("[0-9a-f]{32}")
_REHEARSALS_LAST_S = 7 * 86_400.0
_OLD_REHEARSALS = """
SELECT import FROM imports
WHERE started_at IS NULL AND store = ? AND (records_sha256 = ? OR created_at < ?)
AND NOT EXISTS (SELECT 1 FROM roots WHERE root_import = imports.import)
"""
_CHANGEABLE = """
CREATE TEMP TABLE changeable AS
SELECT new.record FROM records AS new JOIN records AS old USING (record)
LEFT JOIN fates AS other ON other.import = old.same_import AND other.record = old.same_record
WHERE new.import = :staged AND old.import = :mine AND (
  old.state = 'invalid' AND new.state = 'pending'
  OR old.state = 'rejected' AND new.state = 'pending' AND new.payload <> old.payload
  OR old.state = 'pending' AND new.payload IS NOT old.payload
  OR old.state = 'skipped' AND new.state = 'pending' AND other.state IN ('invalid', 'rejected'))
"""
_MEANS_OTHERWISE = f"""
SELECT EXISTS (SELECT 1 FROM contents AS new JOIN records AS old USING (record)
WHERE new.import = :staged AND old.import = :other AND old.state IN {SENT} AND (:has_other_key
  OR replace(CAST(new.payload AS TEXT), '\\r\\n', '\\n')
  <> replace(CAST(old.payload AS TEXT), '\\r\\n', '\\n')))
"""
# Each key that is about to be sent belongs to its record, and to no other.
_CLAIM_KEYS = """
INSERT OR REPLACE INTO keys (store, key, import, record)
SELECT :store, key, :mine, record FROM records
WHERE import = :staged AND key IS NOT NULL AND state = 'pending' ORDER BY key
"""
_READ_ANEW = """
UPDATE contents SET (payload, warnings, key) = (SELECT payload, warnings, key FROM contents AS new
  WHERE new.import = :staged AND new.record = contents.record)
WHERE import = :mine AND record IN (SELECT record FROM contents WHERE import = :staged)
"""
_JUDGED_ANEW = """
INSERT INTO fates (import, record, store, state, problem, same_import, same_record, same_by)
SELECT :mine, record, :store, state, problem, same_import, same_record, same_by FROM records
WHERE import = :staged
ON CONFLICT DO UPDATE SET state = excluded.state, problem = excluded.problem,
  same_import = excluded.same_import, same_record = excluded.same_record,
  same_by = excluded.same_by, reason = NULL, error_code = NULL, error_message = NULL,
  error_field = NULL, http_status = NULL, settled_at = NULL, first_sent_at = NULL,
  idempotency_key = NULL, generation = generation + 1
"""
# A record that could not be sent is created by now, as a row of a fix file that names it.
_SKIP_FIXED = """
UPDATE fates SET state = 'skipped', same_by = 'fix', same_import = fixed.import,
  same_record = fixed.record, problem = NULL, error_code = NULL, error_message = NULL,
  error_field = NULL, http_status = NULL
FROM records AS mine JOIN roots AS named
  ON named.root_import = coalesce(mine.root_import, mine.import)
  AND named.root_record = coalesce(mine.root_record, mine.record)
JOIN fates AS fixed ON fixed.import = named.import AND fixed.record = named.record
WHERE fates.import = :mine AND fates.state IN ('invalid', 'rejected')
AND mine.import = fates.import AND mine.record = fates.record AND fixed.state = 'created'
"""
# What a skipped record was left to could not be sent, and another row of the same root answers now.
_LEAVE_TO_TWIN = f"""
UPDATE fates SET same_import = twin.import, same_record = twin.record
FROM (
  WITH left_to (record, root_import, root_record) AS (
    SELECT mine.record, coalesce(root_import, other.import), coalesce(root_record, other.record)
    FROM fates AS mine
    JOIN records AS other ON other.import = mine.same_import AND other.record = mine.same_record
    WHERE mine.import = :mine AND mine.state = 'skipped'
    AND other.state IN ('invalid', 'rejected'))
  SELECT left_to.record AS mine, roots.import, roots.record
  FROM left_to JOIN roots USING (root_import, root_record)
  UNION ALL SELECT record, root_import, root_record FROM left_to
) AS twins JOIN records AS twin USING (import, record) JOIN imports USING (import)
WHERE fates.import = :mine AND fates.record = twins.mine
AND twin.state IN {LIVE} AND started_at IS NOT NULL
"""


class Opened(NamedTuple):
    """An import in the journal; it has ``repeats`` where the user must be asked first."""

    run: Run
    is_new: bool
    repeats: Repeats | None = None


def columns_of(path: Path, run_id: str) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """Return the column of each field, and the key, in an import; None where it is not known."""
    if not _RUN_ID.fullmatch(run_id) or not path.exists():
        return None
    with reading(path) as sql:
        found = read_runs(sql, "run_id = ?", [run_id])
    return (found[0].mapping, found[0].key) if found else None


def find_store(writer: Writer, ask: Callable[[], str | None]) -> tuple[int, str | None]:
    """Return the place of a store in its address's journal, and its id.

    A store is known by its address, and by its own id where both sides know it: the id
    distinguishes two stores at one address. It is asked for only where it can matter.
    """
    known = writer.sql.execute("SELECT store, store_id FROM stores ORDER BY store").fetchall()
    store_id = ask() if any(known_id is not None for _, known_id in known) else None
    fitting = [
        (store, known_id)
        for store, known_id in known
        if None in (known_id, store_id) or known_id == store_id
    ]
    if fitting:
        store, known_id = max(fitting, key=lambda found: (found[1] is not None, found[0]))
        return store, known_id or store_id
    with writer.transaction() as sql:
        added = sql.execute("INSERT INTO stores (store_id) VALUES (?)", [store_id])
        return int(added.lastrowid or 0), store_id


def open_import(
    writer: Writer,
    run: Run,
    batches: Iterable[Sequence[Record]],
    *,
    is_rehearsal: bool,
    now: float,
    check: Callable[[sqlite3.Connection, Run], None] = lambda *_: None,
) -> Opened:
    """Find the import that records go on with, or stage a new one.

    Args:
        writer: The journal.
        run: The facts of the import, should it be new.
        batches: Its records, many at once.
        is_rehearsal: Stage it for a look; nothing will be sent.
        now: Seconds since 1970.
        check: Called before a new import is written; what it raises leaves nothing of it.

    Raises:
        InputError: A record names an import that the journal does not know.
    """
    with suppress(_WithdrawnError), writer.transaction() as sql:
        staged = stage(sql, run, batches)
        found = find_same(sql, staged)
        if found is not None and found.started_at is not None:
            opened = Opened(found, is_new=False)
            has_answers = find_answers(sql, found)
            is_read_anew = not is_rehearsal and _go_on(sql, found, staged, writer.path)
            if not (has_answers or is_read_anew):
                raise _WithdrawnError
            forget(sql, staged.number)
            opened = Opened(read_runs(sql, "import = ?", [found.number])[0], is_new=False)
        else:
            opened = _begin(sql, staged, found, writer.path, is_rehearsal=is_rehearsal, now=now)
            if opened.repeats is not None and not is_rehearsal:
                raise _WithdrawnError
            check(sql, opened.run)
            write_run(sql, opened.run)
            if not is_rehearsal:
                facts = {"mine": staged.number, "staged": staged.number, "store": run.store}
                sql.execute(_CLAIM_KEYS, facts)
    return opened


class _WithdrawnError(Exception):
    """Takes back all that was staged: nothing is new, or the user must be asked first."""


def _begin(
    sql: sqlite3.Connection,
    run: Run,
    rehearsal: Run | None,
    path: Path,
    *,
    is_rehearsal: bool,
    now: float,
) -> Opened:
    """Give each record of a new import its state by the rules of identity."""
    if rehearsal is not None:  # the import takes its place, under its id
        forget(sql, rehearsal.number)
        sql.execute(
            "UPDATE roots SET root_import = ? WHERE root_import = ?",
            [run.number, rehearsal.number],
        )
        run = replace(run, run_id=rehearsal.run_id)
    old = [run.store, run.records_sha256, now - _REHEARSALS_LAST_S]
    for (number,) in sql.execute(_OLD_REHEARSALS, old).fetchall():
        forget(sql, number)
    staged = Staged(sql, run, run.number)
    staged.find_roots(path)
    staged.refuse_repeated_keys()
    plan: dict[str, object] = {}
    repeats = None
    if not run.is_again:
        staged.skip_known_keys()
        plan = _other_stores(sql, run)
        if run.duplicates != "send":
            repeats = staged.find_repeats()
            if repeats.equal or repeats.must_ask:
                plan["repeats"] = repeats
        if run.duplicates == "skip":
            staged.skip_equal()
    is_asking = repeats is not None and repeats.must_ask and run.duplicates == "refuse"
    run = replace(run, plan=plan, started_at=None if is_rehearsal else now)
    return Opened(run, is_new=True, repeats=repeats if is_asking else None)


def _other_stores(sql: sqlite3.Connection, run: Run) -> dict[str, object]:
    """Count the imports of the same file into another store that had this address before."""
    (count,) = sql.execute(
        "SELECT count(*) FROM imports WHERE store <> ? AND started_at IS NOT NULL"
        " AND (records_sha256 = ? OR source_path = ?)",
        [run.store, run.records_sha256, run.source_path],
    ).fetchone()
    return {"other_store": count} if count else {}


def _go_on(sql: sqlite3.Connection, found: Run, run: Run, path: Path) -> bool:
    """Let records that an import could not send be read otherwise now; tell whether any was."""
    mine = replace(run, number=found.number)
    has_changes = keep_changeable(sql, run.number, mine.number)
    if has_changes:
        staged = Staged(sql, mine, run.number)
        staged.find_roots(path)
        staged.refuse_repeated_keys()
        staged.skip_known_keys()
        write_changes(sql, run.number, mine)
    is_released = run.duplicates == "send" and bool(earlier.release_equal(sql, mine))
    return has_changes or is_released


def stage(sql: sqlite3.Connection, run: Run, batches: Iterable[Sequence[Record]]) -> Run:
    """Write records under the number of a new import.

    Returns:
        The import with that number and the records' digest: the same for the same cells in the
        same columns and order, whatever the line ends, the encoding or the delimiter of their file.
    """
    (last,) = sql.execute("SELECT coalesce(max(import), 0) FROM imports").fetchone()
    number = int(last) + 1
    sql.execute("DROP TABLE IF EXISTS temp.origins")
    sql.execute("CREATE TEMP TABLE origins (record INTEGER PRIMARY KEY, run_id, origin)")
    digest = hashlib.sha256(json.dumps(run.header).encode())
    for batch in batches:
        contents, fates, origins, read = [], [], [], []
        for each in batch:
            at, line, cells, state, payload, _, problem, notes, key, origin, _, _ = each
            packed = pack_cells(cells)
            contents.append((at, line, packed, payload, key, "\n".join(notes) or None))
            if state is not State.PENDING:
                why = None if problem is None else pack_problem(problem)
                fates.append((at, str(state), why))
            if origin is not None:
                origins.append((at, *origin))
            if notes != ("blank",):
                read.append(_as_read(packed, origin))
        digest.update(b"".join(read))
        sql.executemany(
            "INSERT INTO contents (import, record, line, cells, payload, key, warnings)"
            f" VALUES ({number}, ?, ?, ?, ?, ?, ?)",
            contents,
        )
        sql.executemany(
            "INSERT INTO fates (import, store, record, state, problem)"
            f" VALUES ({number}, {run.store}, ?, ?, ?)",
            fates,
        )
        sql.executemany("INSERT INTO temp.origins VALUES (?, ?, ?)", origins)
    return replace(run, number=number, records_sha256=digest.hexdigest())


def _as_read(packed: str | bytes, origin: Origin | None) -> bytes:
    """Return what a record adds to the digest; a program that saves a file again changes the rest.

    Such a program writes other line ends, within cells too, and fills short records with empty
    cells.
    """
    text = packed.encode() if isinstance(packed, str) else packed
    text = text.replace(b"\r\n", b"\n").rstrip(b"\x1f")
    if origin is None:
        return b"%d:%b0:" % (len(text), text)
    mark = f"{origin.import_id}:{origin.record}".encode()
    return b"%d:%b%d:%b" % (len(text), text, len(mark), mark)


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


def forget(sql: sqlite3.Connection, number: int) -> None:
    """Remove an import that has sent nothing."""
    for table in ("contents", "fates", "roots", "events", "imports"):
        sql.execute(f"DELETE FROM {table} WHERE import = ?", [number])


def keep_changeable(sql: sqlite3.Connection, staged: int, mine: int) -> bool:
    """Leave staged only what was not sent and reads otherwise now; tell whether there is any."""
    sql.execute("DROP TABLE IF EXISTS temp.changeable")
    sql.execute(_CHANGEABLE, {"staged": staged, "mine": mine})
    for table in ("contents", "fates"):
        sql.execute(
            f"DELETE FROM {table} WHERE import = ?"
            " AND record NOT IN (SELECT record FROM temp.changeable)",
            [staged],
        )
    found: tuple[int] = sql.execute("SELECT count(*) FROM temp.changeable").fetchone()
    return found > (0,)


def write_changes(sql: sqlite3.Connection, staged: int, run: Run) -> None:
    """Move what is staged over the records of an import that were not sent."""
    facts = {"staged": staged, "mine": run.number, "store": run.store}
    for statement in (_READ_ANEW, _JUDGED_ANEW, _CLAIM_KEYS):
        sql.execute(statement, facts)
    sql.execute(
        "UPDATE imports SET mapping = ?, ending = NULL, is_compared = 0 WHERE import = ?",
        [json.dumps(run.mapping), run.number],
    )


def find_answers(sql: sqlite3.Connection, run: Run) -> bool:
    """Leave records to those that have become of their roots since; tell whether any was."""
    mine = {"mine": run.number}
    return sum(sql.execute(each, mine).rowcount for each in (_SKIP_FIXED, _LEAVE_TO_TWIN)) > 0
