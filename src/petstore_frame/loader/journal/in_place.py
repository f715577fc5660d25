"""Whether a file still holds all that an earlier one at its own path has sent.

In: a staged journal as ``main``, an older one attached as ``earlier``. Out: yes or no. The same
path is evidence in itself: a file that has grown from a few trial rows, was sorted, or has new
statuses holds the same animals as before. It requires neither an order nor a minimum share.
"""

from __future__ import annotations

import sqlite3

# What is sent, without the status, which may change while the animal stays the same.
BUT_STATUS = "json_remove(CAST(payload AS TEXT), '$.status')"

# A file of fixed records names the record that each of them fixes, which is better evidence.
_IS_ONE_PATH = """
SELECT mine.source_path IS NOT NULL AND mine.source_path = theirs.source_path
   AND NOT EXISTS (SELECT 1 FROM main.rows WHERE lineage IS NOT NULL)
FROM main.run AS mine, earlier.run AS theirs
"""
_COUNT_MINE = f"""
CREATE TEMP TABLE IF NOT EXISTS mine_but_status AS
SELECT {BUT_STATUS} AS key, count(*) AS n FROM main.rows WHERE payload IS NOT NULL GROUP BY key
"""  # noqa: S608 # our own names
_HOLDS_ALL = f"""
SELECT count(mine.key) > 0
   AND coalesce(sum(sent > coalesce(mine.n, 0)), 0) = 0
FROM (SELECT {BUT_STATUS} AS key,
             sum(state NOT IN ('pending', 'skipped') OR taken_from IS NOT NULL) AS sent
      FROM earlier.rows
      WHERE payload IS NOT NULL AND state <> 'rejected' AND reason IS NOT 'taken_over'
      GROUP BY key)
LEFT JOIN temp.mine_but_status AS mine USING (key)
"""  # noqa: S608 # our own names


def is_edited_in_place(sql: sqlite3.Connection) -> bool:
    """Tell whether both are of one path, and the staged one holds each record that was sent.

    Records are compared as a multiset, by all but the status; at least one is in both.
    """
    if sql.execute(_IS_ONE_PATH).fetchone() != (1,):
        return False
    sql.execute(_COUNT_MINE)
    sql.execute("CREATE INDEX IF NOT EXISTS temp.mine_but_status_key ON mine_but_status(key)")
    return bool(sql.execute(_HOLDS_ALL).fetchone()[0])
