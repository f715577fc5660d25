"""What an edited file has in common with earlier imports into the same store.

In: a staged run and the journals before it. Out: its records marked: created before, in doubt
before, taken over, or new. Records are compared as a multiset of request bodies; a mended record
of a fix file by the record that it mends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from petstore_frame.loader.journal import Run, connect, sql_errors
from petstore_frame.loader.lock import Lock

# From this share of the smaller file on, two files are versions of each other. Below it, equal
# records are taken for different animals: names repeat, and a delivery is not an edit.
VERSION_SHARE = 0.5

_SHARED = """
SELECT coalesce(sum(min(mine.n, theirs.n)), 0) FROM
  (SELECT payload, count(*) AS n FROM main.rows
    WHERE payload IS NOT NULL AND lineage IS NULL GROUP BY payload) AS mine
  JOIN (SELECT payload, count(*) AS n FROM earlier.rows
    WHERE payload IS NOT NULL GROUP BY payload) AS theirs USING (payload)
"""
_SHARED_LINEAGE = """
SELECT EXISTS (SELECT 1 FROM main.rows AS mine JOIN earlier.rows AS theirs USING (lineage))
"""
_RANK = """
CASE state WHEN 'created' THEN 0 WHEN 'pending' THEN 2 ELSE 1 END
"""
_LIVE = "state IN ('created', 'unknown', 'in_flight', 'absent', 'pending')"
_MATCH = """
CREATE TEMP TABLE matched AS
SELECT mine.number AS number, theirs.rank AS rank, theirs.run_id AS run_id,
       theirs.number AS old, theirs.pet_id AS pet_id
FROM (SELECT number, coalesce(lineage, payload) AS key,
             row_number() OVER (PARTITION BY coalesce(lineage, payload) ORDER BY number) AS k
      FROM main.rows WHERE state = 'pending') AS mine
JOIN (SELECT key, rank, run_id, number, pet_id,
             row_number() OVER (PARTITION BY key ORDER BY rank, run_id, number) AS k
      FROM temp.theirs) AS theirs
USING (key, k)
"""
_TRACE = """
UPDATE main.rows SET lineage = theirs.lineage FROM earlier.rows AS theirs
WHERE main.rows.lineage = ? || ':' || theirs.number AND theirs.lineage IS NOT NULL
"""
_RETIRE = """
UPDATE earlier.rows SET state = 'skipped', reason = 'taken_over'
WHERE state = 'pending' AND (SELECT run_id FROM earlier.run) || ':' || number IN
  (SELECT taken_from FROM main.rows WHERE taken_from IS NOT NULL)
"""
_WORDS = {
    0: (
        "created_earlier",
        "created by an earlier import of this record",
        "the option again copies it",
    ),
    1: ("in_doubt_earlier", "an earlier import of this record is in doubt", "settle that first"),
}


def compare(path: Path, earlier: Sequence[tuple[Path, Run]], holds: ExitStack) -> dict[str, Any]:
    """Mark the records of a staged run that earlier runs have dealt with.

    Args:
        path: The staged journal.
        earlier: The runs of the same store.
        holds: Receives the locks of the earlier versions, so that none of them moves meanwhile.

    Returns:
        The plan in numbers; empty when no earlier run has anything to do with it.
    """
    with sql_errors(path), closing(connect(path)) as sql:
        sql.execute("CREATE TEMP TABLE theirs (key, rank, run_id, number, pet_id)")
        versions = [other for other in earlier if _is_version(sql, other[0])]
        for other_path, other in versions:
            holds.enter_context(Lock(other_path))
            _gather(sql, other_path, other, "payload", "lineage IS NULL AND payload IS NOT NULL")
            _gather(sql, other_path, other, "lineage", "lineage IS NOT NULL")
        for other_path, other in _mended(sql, earlier):
            key = f"'{other.run_id}:' || number"
            _gather(sql, other_path, other, key, "lineage IS NULL AND state <> 'pending'")
        plan = _mark(sql) | {
            "earlier": [
                {
                    "run_id": other.run_id,
                    "source": other.source_name,
                    "created_at": other.created_at,
                }
                for _, other in versions
            ]
        }
        if not versions and not plan["matched"]:
            return {}
        sql.execute("UPDATE run SET plan = json_patch(plan, ?)", [json.dumps(plan)])
        return plan


def trace_to_root(path: Path, earlier: Sequence[tuple[Path, Run]]) -> None:
    """Let each mended record name the record that was mended first, not the last mending.

    Done at every staging, so one step back is enough: what is there names its own root already.
    """
    with sql_errors(path), closing(connect(path)) as sql:
        for other_path, other in _mended(sql, earlier):
            with _attached(sql, other_path):
                sql.execute(_TRACE, [other.run_id])


def hand_over(
    path: Path, run: Run, earlier: Sequence[tuple[Path, Run]], *, held: bool = False
) -> None:
    """Retire in earlier runs the pending records that this run has taken over.

    Done after this run has its name and before it sends, and again after a kill in between: the
    records are in two journals for that moment, but only one of them may send.
    """
    if not run.plan.get("taken_over") or run.plan.get("is_handed_over"):
        return
    with sql_errors(path), closing(connect(path)) as sql:
        giving = {
            run_id
            for (run_id,) in sql.execute(
                "SELECT DISTINCT substr(taken_from, 1, 32) FROM rows WHERE taken_from NOT NULL"
            )
        }
        for other_path in (found for found, other in earlier if other.run_id in giving):
            with ExitStack() as hold, _attached(sql, other_path):
                if not held:
                    hold.enter_context(Lock(other_path))
                sql.execute(_RETIRE)
        sql.execute("UPDATE run SET plan = ?", [json.dumps(run.plan | {"is_handed_over": True})])


@contextmanager
def _attached(sql: sqlite3.Connection, path: Path) -> Iterator[None]:
    sql.execute("ATTACH ? AS earlier", [str(path)])
    try:
        yield
    finally:
        sql.execute("DETACH earlier")


def _mended(sql: sqlite3.Connection, earlier: Sequence[tuple[Path, Run]]) -> list[tuple[Path, Run]]:
    """Return the earlier runs whose records this file mends."""
    found = sql.execute("SELECT DISTINCT substr(lineage, 1, 32) FROM rows WHERE lineage NOT NULL")
    run_ids = {run_id for (run_id,) in found}
    return [(path, run) for path, run in earlier if run.run_id in run_ids]


def _is_version(sql: sqlite3.Connection, path: Path) -> bool:
    counting = "SELECT count(*) FROM {}.rows WHERE payload IS NOT NULL"
    with _attached(sql, path):
        if sql.execute(_SHARED_LINEAGE).fetchone() != (0,):
            return True
        (shared,) = sql.execute(_SHARED).fetchone()
        (mine,) = sql.execute(counting.format("main") + " AND lineage IS NULL").fetchone()
        (theirs,) = sql.execute(counting.format("earlier")).fetchone()
    return bool(shared) and shared >= VERSION_SHARE * min(mine, theirs)


def _gather(sql: sqlite3.Connection, path: Path, run: Run, key: str, which: str) -> None:
    with _attached(sql, path):
        sql.execute(
            f"INSERT INTO temp.theirs SELECT {key}, {_RANK}, ?, number, pet_id"  # noqa: S608
            f" FROM earlier.rows WHERE {_LIVE} AND {which}",
            [run.run_id],
        )


def _mark(sql: sqlite3.Connection) -> dict[str, Any]:
    """Write the matches into the staged rows and count them."""
    sql.execute("BEGIN")
    sql.execute(_MATCH)
    sql.execute("CREATE INDEX temp.matched_number ON matched(number)")
    sql.execute("CREATE INDEX temp.matched_old ON matched(run_id, old)")
    for rank, (code, message, hint) in _WORDS.items():
        sql.execute(
            "UPDATE rows SET state = 'skipped', reason = ?, problem = ("
            " SELECT json_array(?, ? || ' (record ' || old || coalesce(', pet ' || pet_id, '')"
            " || ')', NULL, NULL, ?) FROM matched WHERE matched.number = rows.number)"
            " WHERE number IN (SELECT number FROM matched WHERE rank = ?)",
            [code, code, message, hint, rank],
        )
    sql.execute(
        "UPDATE rows SET taken_from = (SELECT run_id || ':' || old FROM matched"
        " WHERE matched.number = rows.number)"
        " WHERE number IN (SELECT number FROM matched WHERE rank = 2)"
    )
    found = dict(sql.execute("SELECT rank, count(*) FROM matched GROUP BY rank"))
    (pending,) = sql.execute("SELECT count(*) FROM rows WHERE state = 'pending'").fetchone()
    (vanished,) = sql.execute(
        "SELECT count(*) FROM temp.theirs WHERE typeof(key) = 'blob' AND NOT EXISTS"
        " (SELECT 1 FROM matched WHERE matched.run_id = theirs.run_id AND old = theirs.number)"
    ).fetchone()
    sql.execute("COMMIT")
    return {
        "matched": sum(found.values()),
        "created": found.get(0, 0),
        "in_doubt": found.get(1, 0),
        "taken_over": found.get(2, 0),
        "new": pending - found.get(2, 0),
        "vanished": vanished,
    }
