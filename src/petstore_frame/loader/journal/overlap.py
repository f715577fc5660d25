"""What an edited file has in common with earlier imports into the same store.

In: a staged run and the journals before it. Out: its records marked: created before, in doubt
before, taken over, or new. Records are compared as a multiset of request bodies; a fixed record
of a fix file by the record that it fixes.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from petstore_frame.loader.journal.alike import count_alike
from petstore_frame.loader.journal.in_place import BUT_STATUS
from petstore_frame.loader.journal.journal import Run, attached, opened
from petstore_frame.loader.journal.kin import CREATED, IN_DOUBT, NOT_SENT, Runs, gather
from petstore_frame.loader.journal.lock import Lock

# A fixed record matches the record that was fixed, or one that an edited file fixed in the same
# way; any other matches an equal one or, in a file edited in place, one of another status.
_WAYS = (
    ("lineage", "true", "true"),
    ("payload", "lineage IS NOT NULL", "lineage IS NULL"),
    ("payload", "lineage IS NULL", "true"),
    (BUT_STATUS, "lineage IS NULL", "is_in_place"),
)
_MATCH = """
INSERT INTO temp.matched
SELECT mine.number, theirs.rank, theirs.at, theirs.pet_id, mine.payload IS NOT theirs.payload
FROM (SELECT number, payload, {key} AS key,
             row_number() OVER (PARTITION BY {key} ORDER BY number) AS k
      FROM main.rows WHERE state IN ('pending', 'invalid') AND {mine} AND {key} IS NOT NULL
        AND number NOT IN (SELECT number FROM temp.matched)) AS mine
JOIN (SELECT at, rank, pet_id, payload, {key} AS key,
             row_number() OVER (PARTITION BY {key} ORDER BY rank, at) AS k
      FROM temp.theirs WHERE {theirs} AND {key} IS NOT NULL
        AND at NOT IN (SELECT at FROM temp.matched)) AS theirs
USING (key, k)
WHERE mine.payload IS NOT NULL OR theirs.rank <> {not_sent}
"""
_RETIRE = """
UPDATE earlier.rows SET state = 'skipped', reason = 'taken_over'
WHERE state = 'pending' AND (SELECT run_id FROM earlier.run) || ':' || number IN
  (SELECT taken_from FROM main.rows WHERE taken_from IS NOT NULL AND state <> 'skipped')
"""
# Why a record is not sent: for which matches, by which code, in which words.
_REASONS = (
    (
        "rank = {created} AND is_changed AND number IN (SELECT number FROM temp.heirs)",
        "fixed_earlier",
        "fixed, and created by the import of its fix file",
        "",
    ),
    (
        "rank = {created} AND is_changed",
        "created_earlier",
        "created by an earlier import of this record, with other values",
        "a load changes no pet; where it is another animal, ignore_earlier=True (--ignore-earlier) "
        "sends it",
    ),
    (
        "rank = {created}",
        "created_earlier",
        "created by an earlier import of this record",
        "where it is another animal, ignore_earlier=True (--ignore-earlier) sends it",
    ),
    (
        "rank = {in_doubt}",
        "in_doubt_earlier",
        "an earlier import of this record is in doubt",
        "settle that first",
    ),
)
_SKIP = """
UPDATE rows SET state = 'skipped', reason = :code, problem = (
  SELECT json_array(:code, :message || ' (record ' || substr(at, 34)
    || coalesce(', pet ' || pet_id, '') || ')', NULL, NULL, :hint)
  FROM temp.matched WHERE matched.number = rows.number)
WHERE state <> 'skipped' AND number IN (SELECT number FROM temp.matched WHERE {which})
"""
_VANISHED = """
FROM temp.theirs WHERE is_version AND at NOT IN (SELECT at FROM temp.matched)
"""


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
        kin = gather(sql, earlier, hold)
        found = _mark(sql)
        alike = count_alike(sql, kin.others)
        if kin.versions or found["matched"]:
            found |= {"earlier": _named(kin.versions), "sources": _sources(sql, earlier)}
        else:
            found = {}
        found |= {"alike": alike} if alike else {}
        sql.execute("UPDATE run SET plan = json_patch(plan, ?)", [json.dumps(found)])
        return found


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


def _named(runs: Runs) -> list[dict[str, Any]]:
    return [
        {"run_id": run.run_id, "source": run.source_name, "created_at": run.created_at}
        for _, run in runs
    ]


def _sources(sql: sqlite3.Connection, earlier: Runs) -> dict[str, tuple[str, float]]:
    """Return the name and the time of each run that records were skipped for."""
    asked = "SELECT DISTINCT substr(at, 1, 32) FROM temp.matched WHERE rank <> ?"
    wanted = {run_id for (run_id,) in sql.execute(asked, [NOT_SENT])}
    return {
        run.run_id: (run.source_name, run.created_at) for _, run in earlier if run.run_id in wanted
    }


def _mark(sql: sqlite3.Connection) -> dict[str, Any]:
    """Write the matches into the staged rows and count them."""
    sql.execute(
        "CREATE TEMP TABLE matched (number INTEGER PRIMARY KEY, rank, at, pet_id, is_changed)"
    )
    sql.execute("CREATE INDEX temp.matched_at ON matched(at)")
    sql.execute("BEGIN")
    for key, mine, theirs in _WAYS:
        sql.execute(_MATCH.format(key=key, mine=mine, theirs=theirs, not_sent=NOT_SENT))
    for matches, code, message, hint in _REASONS:
        which = matches.format(created=CREATED, in_doubt=IN_DOUBT)
        sql.execute(_SKIP.format(which=which), {"code": code, "message": message, "hint": hint})
    # What a record was skipped for, or takes over, is found again by the files after this one.
    sql.execute("UPDATE rows SET taken_from = at FROM matched WHERE matched.number = rows.number")
    found = dict(sql.execute("SELECT rank, count(*) FROM matched GROUP BY rank"))
    (pending,) = sql.execute("SELECT count(*) FROM rows WHERE state = 'pending'").fetchone()
    (changed,) = sql.execute(
        "SELECT count(*) FROM rows JOIN temp.matched USING (number)"
        " WHERE reason = 'created_earlier' AND is_changed"
    ).fetchone()
    (vanished,) = sql.execute(f"SELECT count(*) {_VANISHED} AND lineage IS NULL").fetchone()
    doubts = sql.execute(f"SELECT at {_VANISHED} AND rank = ?", [IN_DOUBT]).fetchall()
    sql.execute("COMMIT")
    return {
        "matched": sum(found.values()),
        "created": found.get(CREATED, 0),
        "in_doubt": found.get(IN_DOUBT, 0),
        "taken_over": found.get(NOT_SENT, 0),
        "new": pending - found.get(NOT_SENT, 0),
        "vanished": vanished,
        "changed": changed,
        "left_in_doubt": [at for (at,) in doubts],
    }
