"""Between which ids the pet of a record in doubt must be, where ids rise with time.

From the attempts in a store's journal: for each record the last id that the store surely gave
before its first request, and the first that it gave once the last one could no longer act.
"""

from __future__ import annotations

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
_SENT = """
SELECT min(first_sent_at, coalesce((SELECT min(started_at) FROM attempts
         WHERE attempts.import = records.import AND attempts.record = records.record),
         first_sent_at)),
       last_sent_at,
       (SELECT CASE reason WHEN 'abandoned' THEN NULL ELSE ended_at END FROM attempts
         WHERE attempts.import = records.import AND attempts.record = records.record
         ORDER BY attempt DESC LIMIT 1)
FROM records WHERE import = ? AND record = ?
"""


@dataclass
class Windows:
    """What the ids of confirmed creations tell of records in doubt.

    Attributes:
        of: By record, the last id surely before its pet's, and the first surely after or None.
        highest: The highest id confirmed to any import; None where ids tell nothing.
        is_dense: At least every other id up to there is one of ours.
        notes: Why ids tell nothing, as text.
    """

    of: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    highest: int | None = None
    is_dense: bool = False
    notes: list[str] = field(default_factory=list)

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


def find_windows(
    sql: sqlite3.Connection, run: Run, rows: Sequence[JournalRow], grace_s: float
) -> Windows:
    """Find the windows of an import's records.

    Args:
        sql: The journal.
        run: The import of the records.
        rows: The records in doubt.
        grace_s: Seconds after the end of a request in which the store may still act on it.
    """
    if sql.execute(_CLOCK_WENT_BACK, [run.store]).fetchone() != (0,):
        return Windows(notes=["the clock went backwards, so ids do not show age"])
    sql.execute("DROP TABLE IF EXISTS temp.confirmed")
    sql.execute(_CONFIRMED, [run.store])
    if not _do_ids_rise(sql):
        return Windows(
            notes=[
                "ids do not rise with time here, or too few pets were created to show it, so "
                "they do not show age"
            ]
        )
    count, lowest, highest = sql.execute(
        "SELECT count(DISTINCT pet_id), min(pet_id), max(pet_id) FROM confirmed"
    ).fetchone()
    found = {row.record: _window(sql, run, row, grace_s) for row in rows}
    is_dense = count >= DENSE * (highest - lowest + 1)
    return Windows({n: window for n, window in found.items() if window}, highest, is_dense)


def _do_ids_rise(sql: sqlite3.Connection) -> bool:
    """Check over all confirmed pairs: answered before the other was sent means a smaller id."""
    ended = sql.execute("SELECT ended_at, pet_id FROM confirmed ORDER BY ended_at")
    highest: int | None = None
    pending = ended.fetchone()
    pairs = 0
    for started_at, pet_id in sql.execute(
        "SELECT started_at, pet_id FROM confirmed ORDER BY started_at"
    ):
        while pending is not None and pending[0] <= started_at:
            highest = pending[1] if highest is None else max(highest, pending[1])
            pending = ended.fetchone()
        if highest is not None:
            pairs += 1
            if highest >= pet_id:
                return False
    return pairs >= RISING_PAIRS


def _window(
    sql: sqlite3.Connection, run: Run, row: JournalRow, grace_s: float
) -> tuple[int, int | None] | None:
    """Return the ids around a record's pet; None without one before, or where they cross."""
    first, last, ended = sql.execute(_SENT, [run.number, row.record]).fetchone()
    # Nothing of it leaves us after it ended, or after it had no connection in time.
    end = min(last + CONNECT_S, ended or last + CONNECT_S)
    (low,) = sql.execute(
        "SELECT max(pet_id) FROM confirmed WHERE ended_at <= ?", [first]
    ).fetchone()
    (high,) = sql.execute(
        "SELECT min(pet_id) FROM confirmed WHERE started_at > ?", [end + grace_s]
    ).fetchone()
    return None if low is None or (high is not None and low >= high) else (low, high)
