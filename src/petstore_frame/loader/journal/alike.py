"""Which records are sent though an earlier import has equal ones.

In: a staged journal whose records are matched, and the journals that none was matched with. Out:
how many of its new records equal theirs, and where. Equal animals of two deliveries are not
evidence of one file, so they are sent, and the result says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame._internal.moments import day_text
from petstore_frame.loader.journal.journal import Run, attached

# A record that is left to another journal is counted there.
_NEW = """
CREATE TEMP TABLE unmatched AS
SELECT payload AS key, count(*) AS n, 0 AS theirs FROM main.rows
WHERE state = 'pending' AND lineage IS NULL AND number NOT IN (SELECT number FROM temp.matched)
GROUP BY payload
"""
_EQUAL = """
SELECT key, min(n, count(*)) AS n FROM earlier.rows JOIN temp.unmatched ON key = payload
WHERE state IN ('created', 'unknown', 'in_flight', 'absent') GROUP BY key
"""


class Alike(NamedTuple):
    """Records of an import that equal records of earlier ones, and are other animals.

    Attributes:
        records: How many.
        source: The file of the earlier import; the last of several.
        loaded_on: Its day, UTC, as ``2026-11-20``.
        imports: How many earlier imports have equal records.
    """

    records: int
    source: str
    loaded_on: str
    imports: int

    def __str__(self) -> str:
        equal = (
            "1 record equals a record"
            if self.records == 1
            else (f"{self.records:,} records equal records")
        )
        others = f" and {self.imports - 1} more imports" if self.imports > 1 else ""
        return f"{equal} of {self.source}, loaded {self.loaded_on}{others}"


def count_alike(sql: sqlite3.Connection, others: Iterable[tuple[Path, Run]]) -> dict[str, Any]:
    """Return the facts of ``Alike``, ready for JSON; empty where no record is alike.

    Args:
        sql: The staged journal, with ``temp.matched``.
        others: The runs that its records were not matched with, the oldest first.
    """
    sql.execute(_NEW)
    sql.execute("CREATE INDEX temp.unmatched_key ON unmatched(key)")
    last: Run | None = None
    imports = 0
    for path, run in others:
        with attached(sql, path):
            counted = sql.execute(
                f"UPDATE temp.unmatched SET theirs = theirs + found.n FROM ({_EQUAL}) AS found"  # noqa: S608
                " WHERE found.key = unmatched.key"
            )
        if counted.rowcount:
            last, imports = run, imports + 1
    if last is None:
        return {}
    (records,) = sql.execute("SELECT sum(min(n, theirs)) FROM temp.unmatched").fetchone()
    return Alike(records, last.source_name, day_text(last.created_at), imports)._asdict()


def read_alike(run: Run) -> Alike | None:
    """Return what was found when the import was planned, or None where no record is alike."""
    found = run.overlap.get("alike")
    return Alike(**found) if found else None
