"""Which record a record originally was, before it was fixed or its file was edited.

In: a staged journal and the journals before it. Out: the lineage of its records, as
``run:record``: for a record of a fix file, the one that was fixed first; for a record that cannot
be sent, or that the store has refused, the same one of an earlier version. It matches no animals.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from petstore_frame.loader.journal.journal import Run, attached, opened

_TRACE = """
UPDATE main.rows SET lineage = theirs.lineage FROM earlier.rows AS theirs
WHERE main.rows.lineage = ? || ':' || theirs.number AND theirs.lineage IS NOT NULL
"""
_ROOT = "coalesce(lineage, :run || ':' || number)"
_INHERIT = f"""
INSERT INTO temp.heirs
SELECT mine.number, theirs.root
FROM (SELECT number, cells, row_number() OVER (PARTITION BY cells ORDER BY number) AS k
      FROM main.rows WHERE lineage IS NULL AND state IN ('invalid', 'pending')
        AND number NOT IN (SELECT number FROM temp.heirs)) AS mine
JOIN (SELECT cells, {_ROOT} AS root, row_number() OVER (PARTITION BY cells ORDER BY number) AS k
      FROM earlier.rows WHERE (state IN ('invalid', 'rejected') OR reason = 'fixed_earlier')
        AND {_ROOT} NOT IN (SELECT root FROM temp.heirs)) AS theirs
USING (cells, k)
"""  # noqa: S608 # our own names


def fixed_runs(sql: sqlite3.Connection) -> set[str]:
    """Return the ids of the runs whose records the staged file fixes."""
    found = sql.execute(
        "SELECT DISTINCT substr(lineage, 1, 32) FROM main.rows WHERE lineage NOT NULL"
    )
    return {run_id for (run_id,) in found}


def trace_to_root(path: Path, earlier: Iterable[tuple[Path, Run]]) -> None:
    """Let each fixed record name the record that was fixed first, not the last fix.

    Done at every staging, so one step back is enough: an earlier journal already names the root.
    """
    with opened(path) as sql:
        fixed = fixed_runs(sql)
        for other_path, other in earlier:
            if other.run_id in fixed:
                with attached(sql, other_path):
                    sql.execute(_TRACE, [other.run_id])


def inherit(sql: sqlite3.Connection, versions: Iterable[tuple[Path, Run]]) -> None:
    """Give records that an earlier version could not create the lineage of that one's records.

    Records are the same where all their cells are equal. What a fix file made of them is then found
    although the file itself was never fixed. ``temp.heirs`` holds these records.
    """
    sql.execute("CREATE TEMP TABLE heirs (number INTEGER PRIMARY KEY, root)")
    for path, run in versions:
        with attached(sql, path):
            sql.execute(_INHERIT, {"run": run.run_id})
    sql.execute(
        "UPDATE main.rows SET lineage = root FROM temp.heirs AS heir"
        " WHERE heir.number = main.rows.number"
    )
