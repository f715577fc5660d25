"""Whether several small imports together are an earlier version of a file.

In: a staged journal, and the journals that are not versions of it one by one. Out: those that it
was put together from: the days of a month, the weeks of a quarter. The evidence is that of
versions.py, with all of these imports as one file, so that agreement by chance is estimated over
all of them and not only over those that fit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from petstore_frame.loader.journal.journal import Run, attached
from petstore_frame.loader.journal.versions import VERSION_SHARE, Likeness, most_by_chance

# With more, chance explains too much for the evidence to suffice, and comparing takes seconds.
MOST_RECORDS = 50_000

_LIVE = "payload IS NOT NULL AND state IN ('created', 'unknown', 'in_flight', 'absent')"
_MINE = """
CREATE TEMP TABLE my_kinds AS SELECT payload AS key, count(*) AS n FROM main.rows
WHERE payload IS NOT NULL AND lineage IS NULL GROUP BY payload
"""
_TAKE = f"""
INSERT INTO temp.all_kinds SELECT :run, payload, count(*) FROM earlier.rows
WHERE {_LIVE} GROUP BY payload
"""  # noqa: S608 # our own names
_HELD = """
SELECT run FROM temp.all_kinds AS theirs LEFT JOIN temp.my_kinds AS mine USING (key)
GROUP BY run HAVING sum(min(theirs.n, coalesce(mine.n, 0))) >= ? * sum(theirs.n)
"""
_UNION = "CREATE TEMP TABLE one_file AS SELECT key, sum(n) AS n FROM temp.all_kinds GROUP BY key"
_SIZE = "SELECT coalesce(sum(n), 0), coalesce(sum(n = 1), 0) FROM temp.{}"
_SHARED = """
SELECT coalesce(sum(min(mine.n, theirs.n)), 0), coalesce(sum(mine.n = 1 AND theirs.n = 1), 0)
FROM temp.my_kinds AS mine JOIN temp.one_file AS theirs USING (key)
"""


def find_parts(
    sql: sqlite3.Connection, others: Iterable[tuple[Path, Run]]
) -> list[tuple[Path, Run]]:
    """Return the imports that a staged file was put together from; empty without evidence."""
    sql.execute("CREATE TEMP TABLE all_kinds (run, key, n)")
    taken = [found for found in others if _take(sql, *found)]
    if len(taken) < 2:
        return []
    sql.execute(_MINE)
    sql.execute("CREATE INDEX temp.my_kinds_key ON my_kinds(key)")
    sql.execute(_UNION)
    held = {run_id for (run_id,) in sql.execute(_HELD, [VERSION_SHARE])}
    parts = [(path, run) for path, run in taken if run.run_id in held]
    return parts if len(parts) > 1 and _are_one_file(sql) else []


def _take(sql: sqlite3.Connection, path: Path, run: Run) -> bool:
    """Add the records of an import, unless there are too many."""
    with attached(sql, path):
        ((count,),) = sql.execute("SELECT count(*) FROM earlier.rows")
        ((before,),) = sql.execute("SELECT coalesce(sum(n), 0) FROM temp.all_kinds")
        if count + before > MOST_RECORDS:
            return False
        return sql.execute(_TAKE, {"run": run.run_id}).rowcount > 0


def _are_one_file(sql: sqlite3.Connection) -> bool:
    sizes = [sql.execute(_SIZE.format(table)).fetchone() for table in ("my_kinds", "one_file")]
    shared, lone = sql.execute(_SHARED).fetchone()
    (mine, _), (theirs, _) = sizes
    by_chance = most_by_chance(min(mine, theirs), *max(sizes))
    found = Likeness(mine, theirs, shared, lone, is_ordered=False, by_chance=by_chance)
    return found.is_beyond_chance(order_counts=False)
