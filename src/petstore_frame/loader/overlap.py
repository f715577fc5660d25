"""What an edited file has in common with earlier imports into the same store.

In: a staged run and the journals before it. Out: its records marked: created before, in doubt
before, taken over, or new. Records are compared as a multiset of request bodies; a mended record
of a fix file by the record that it mends.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from petstore_frame.loader.journal import Run, attached, opened
from petstore_frame.loader.kin import (
    CREATED,
    IN_DOUBT,
    NOT_SENT,
    Runs,
    gather,
    mended_runs,
)
from petstore_frame.loader.lock import Lock

# Mended records find the record that was mended, or one that an edited file mended alike; all
# others any equal one.
_WAYS = (
    ("lineage", "true", "true"),
    ("payload", "lineage IS NOT NULL", "lineage IS NULL"),
    ("payload", "lineage IS NULL", "true"),
)
_MATCH = """
INSERT INTO temp.matched
SELECT mine.number, theirs.rank, theirs.at, theirs.pet_id
FROM (SELECT number, {key} AS key,
             row_number() OVER (PARTITION BY {key} ORDER BY number) AS k
      FROM main.rows WHERE state = 'pending' AND {mine} AND {key} IS NOT NULL
        AND number NOT IN (SELECT number FROM temp.matched)) AS mine
JOIN (SELECT at, rank, pet_id, {key} AS key,
             row_number() OVER (PARTITION BY {key} ORDER BY rank, at) AS k
      FROM temp.theirs WHERE {theirs} AND {key} IS NOT NULL
        AND at NOT IN (SELECT at FROM temp.matched)) AS theirs
USING (key, k)
"""
_TRACE = """
UPDATE main.rows SET lineage = theirs.lineage FROM earlier.rows AS theirs
WHERE main.rows.lineage = ? || ':' || theirs.number AND theirs.lineage IS NOT NULL
"""
_RETIRE = """
UPDATE earlier.rows SET state = 'skipped', reason = 'taken_over'
WHERE state = 'pending' AND (SELECT run_id FROM earlier.run) || ':' || number IN
  (SELECT taken_from FROM main.rows WHERE taken_from IS NOT NULL AND state <> 'skipped')
"""
_WORDS = {
    CREATED: (
        "created_earlier",
        "created by an earlier import of this record",
        "where it is another animal, ignore_earlier=True (--ignore-earlier) sends it",
    ),
    IN_DOUBT: (
        "in_doubt_earlier",
        "an earlier import of this record is in doubt",
        "settle that first",
    ),
}


def compare(path: Path, earlier: Runs, holds: ExitStack) -> dict[str, Any]:
    """Mark the records of a staged run that earlier runs have dealt with.

    Args:
        path: The staged journal.
        earlier: The runs of the same store.
        holds: Receives the locks of the earlier versions, so that none of them moves meanwhile.

    Returns:
        What they have in common, in numbers; empty where that is nothing.
    """
    held: set[Path] = set()

    def hold(other_path: Path) -> None:
        if other_path not in held:
            holds.enter_context(Lock(other_path))
            held.add(other_path)

    with opened(path) as sql:
        versions = gather(sql, earlier, hold)
        found = _mark(sql) | {
            "earlier": [
                {
                    "run_id": other.run_id,
                    "source": other.source_name,
                    "created_at": other.created_at,
                }
                for _, other in versions
            ]
        }
        if not versions and not found["matched"]:
            return {}
        found["sources"] = _sources(sql, earlier)
        sql.execute("UPDATE run SET plan = json_patch(plan, ?)", [json.dumps(found)])
        return found


def trace_to_root(path: Path, earlier: Runs) -> None:
    """Let each mended record name the record that was mended first, not the last mending.

    Done at every staging, so one step back is enough: what is there names its own root already.
    """
    with opened(path) as sql:
        mended = mended_runs(sql)
        for other_path, other in earlier:
            if other.run_id in mended:
                with attached(sql, other_path):
                    sql.execute(_TRACE, [other.run_id])


def hand_over(path: Path, run: Run, earlier: Runs, *, held: bool = False) -> None:
    """Retire in earlier runs the pending records that this run has taken over.

    Done after this run has its name and before it sends, and again after a kill in between: the
    records are in two journals for that moment, but only one of them may send.
    """
    if not run.overlap.get("taken_over") or run.overlap.get("is_handed_over"):
        return
    with opened(path) as sql:
        giving = {
            run_id
            for (run_id,) in sql.execute(
                "SELECT DISTINCT substr(taken_from, 1, 32) FROM rows"
                " WHERE taken_from NOT NULL AND state <> 'skipped'"
            )
        }
        for other_path in (found for found, other in earlier if other.run_id in giving):
            with ExitStack() as hold, attached(sql, other_path):
                if not held:
                    hold.enter_context(Lock(other_path))
                sql.execute(_RETIRE)
        sql.execute("UPDATE run SET plan = ?", [json.dumps(run.overlap | {"is_handed_over": True})])


def _sources(sql: sqlite3.Connection, earlier: Runs) -> dict[str, tuple[str, float]]:
    """Return the name and the time of each run that records were skipped for."""
    asked = "SELECT DISTINCT substr(at, 1, 32) FROM temp.matched WHERE rank <> ?"
    wanted = {run_id for (run_id,) in sql.execute(asked, [NOT_SENT])}
    return {
        run.run_id: (run.source_name, run.created_at) for _, run in earlier if run.run_id in wanted
    }


def _mark(sql: sqlite3.Connection) -> dict[str, Any]:
    """Write the matches into the staged rows and count them."""
    sql.execute("CREATE TEMP TABLE matched (number INTEGER PRIMARY KEY, rank, at, pet_id)")
    sql.execute("CREATE INDEX temp.matched_at ON matched(at)")
    sql.execute("BEGIN")
    for key, mine, theirs in _WAYS:
        sql.execute(_MATCH.format(key=key, mine=mine, theirs=theirs))
    for rank, (code, message, hint) in _WORDS.items():
        sql.execute(
            "UPDATE rows SET state = 'skipped', reason = ?, problem = ("
            " SELECT json_array(?, ? || ' (record ' || substr(at, 34)"
            " || coalesce(', pet ' || pet_id, '') || ')', NULL, NULL, ?)"
            " FROM matched WHERE matched.number = rows.number)"
            " WHERE number IN (SELECT number FROM matched WHERE rank = ?)",
            [code, code, message, hint, rank],
        )
    # What a record was skipped for, or takes over, is found again by the files after this one.
    sql.execute("UPDATE rows SET taken_from = at FROM matched WHERE matched.number = rows.number")
    found = dict(sql.execute("SELECT rank, count(*) FROM matched GROUP BY rank"))
    (pending,) = sql.execute("SELECT count(*) FROM rows WHERE state = 'pending'").fetchone()
    (vanished,) = sql.execute(
        "SELECT count(*) FROM temp.theirs WHERE is_version AND lineage IS NULL"
        " AND at NOT IN (SELECT at FROM matched)"
    ).fetchone()
    sql.execute("COMMIT")
    return {
        "matched": sum(found.values()),
        "created": found.get(CREATED, 0),
        "in_doubt": found.get(IN_DOUBT, 0),
        "taken_over": found.get(NOT_SENT, 0),
        "new": pending - found.get(NOT_SENT, 0),
        "vanished": vanished,
    }
