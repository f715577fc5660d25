"""Between which ids the pet of a record in doubt must be, where ids rise with time.

From the attempts in a store's journal: for each record the last id that the store surely gave
before its first request, and the first that it gave once the last one could no longer act.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from petstore_frame.loader.journal.rows import JournalRow, Run

CONNECT_S = 5.0
# Ids drawn at random would rise over so many creations once in millions of imports.
RISING_PAIRS = 10
DENSE = 0.5

_CONFIRMED = """
CREATE TEMP TABLE confirmed AS SELECT attempts.started_at, attempts.ended_at, attempts.pet_id
FROM attempts JOIN imports USING (import) WHERE store = ? AND pet_id IS NOT NULL
"""
_CLOCK_WENT_BACK = """
SELECT EXISTS (SELECT 1 FROM
  (SELECT attempts.started_at, attempts.ended_at,
     lag(attempts.ended_at) OVER (ORDER BY attempts.rowid) AS before
   FROM attempts JOIN imports USING (import) WHERE store = ?)
  WHERE ended_at < before OR ended_at < started_at)
"""
# Of each pet the highest id that was answered before its request: how many, and how many above it.
_RISING = """
SELECT count(*), coalesce(sum(highest >= pet_id), 0) FROM (
  SELECT is_start, pet_id, max(CASE WHEN is_start THEN NULL ELSE pet_id END) OVER
    (ORDER BY at, is_start ROWS UNBOUNDED PRECEDING) AS highest
  FROM (SELECT started_at AS at, 1 AS is_start, pet_id FROM confirmed
    UNION ALL SELECT ended_at, 0, pet_id FROM confirmed))
WHERE is_start AND highest IS NOT NULL
"""
# Nothing of a request leaves us after it ended, or after it had no connection in time.
_WINDOW = """
WITH sent AS (
  SELECT min(first_sent_at, coalesce(min(started_at), first_sent_at)) AS first,
    last_sent_at + :connect AS last,
    (SELECT CASE reason WHEN 'abandoned' THEN NULL ELSE ended_at END FROM attempts
      WHERE import = :import AND record = :record ORDER BY attempt DESC LIMIT 1) AS ended
  FROM records LEFT JOIN attempts USING (import, record)
  WHERE records.import = :import AND records.record = :record)
SELECT (SELECT max(pet_id) FROM confirmed, sent WHERE ended_at <= first),
  (SELECT min(pet_id) FROM confirmed, sent
    WHERE started_at > min(last, coalesce(ended, last)) + :grace)
"""


@dataclass
class Windows:
    """What the ids of confirmed creations tell of records in doubt.

    Attributes:
        of: By record, the last id surely before its pet's, and the first surely after or None.
        highest: The highest id confirmed to any import; None where ids tell nothing.
        is_dense: At least every other id up to there is one of ours.
        note: Why ids tell nothing, as a sentence.
    """

    of: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    highest: int | None = None
    is_dense: bool = False
    note: str | None = None

    def is_older(self, pet_id: int, rows: Sequence[JournalRow]) -> bool:
        """Tell whether a pet surely was in the store before any of the records was sent."""
        return all(row.record in self.of and pet_id <= self.of[row.record][0] for row in rows)

    def may_hold(self, row: JournalRow, pet_id: int) -> bool:
        """Tell whether a pet was created after a record was sent, and before something later.

        A pet beyond every confirmed one may be of any time: some stores give ids in blocks.
        """
        if row.record not in self.of or self.highest is None:
            return False
        low, high = self.of[row.record]
        return low < pet_id < (self.highest if high is None else high)

    def end_of(self, row: JournalRow) -> float:
        """Return the first id that is surely after a record's pet."""
        _, high = self.of.get(row.record, (0, None))
        return math.inf if high is None else high


def find_windows(
    sql: sqlite3.Connection, run: Run, rows: Sequence[JournalRow], grace_s: float
) -> Windows:
    """Find the windows of an import's records."""
    if sql.execute(_CLOCK_WENT_BACK, [run.store]).fetchone() != (0,):
        return Windows(note="the clock went backwards, so ids do not show age")
    sql.execute("DROP TABLE IF EXISTS temp.confirmed")
    sql.execute(_CONFIRMED, [run.store])
    pairs, falling = sql.execute(_RISING).fetchone()
    if pairs < RISING_PAIRS or falling:
        return Windows(
            note="ids do not rise with time here, or too few pets were created to show it, so "
            "they do not show age"
        )
    found: dict[int, tuple[int, int | None]] = {}
    for row in rows:
        facts = {"import": run.number, "record": row.record, "grace": grace_s}
        facts["connect"] = CONNECT_S
        low, high = sql.execute(_WINDOW, facts).fetchone()
        if low is not None and (high is None or low < high):
            found[row.record] = (low, high)
    count, lowest, highest = sql.execute(
        "SELECT count(DISTINCT pet_id), min(pet_id), max(pet_id) FROM confirmed"
    ).fetchone()
    return Windows(found, highest, is_dense=count >= DENSE * (highest - lowest + 1))
