"""What the last reading of the store left in doubt, and why.

In: a journal. Out: the notes of its last reconciliation, as long as they concern what is in doubt
now, and what a person can do about it. It decides nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from petstore_frame._internal.voice import Voice
from petstore_frame.loader.journal.journal import opened

_SHOWN_NOTES, _SHOWN_ROWS = 10, 5
# A reading from before the last doubtful request says nothing about that request.
_LAST = """
SELECT detail FROM events WHERE kind = 'reconcile' AND at >=
  (SELECT max(last_sent_at) FROM rows WHERE state = 'unknown')
ORDER BY at DESC LIMIT 1
"""


class Doubt(NamedTuple):
    """What is in doubt although the store was read.

    Attributes:
        path: The journal.
        notes: What the reading can and cannot be relied on for, as sentences.
        rows: The first records that are in doubt.
        records: How many are.
    """

    path: Path
    notes: tuple[str, ...]
    rows: tuple[int, ...]
    records: int

    @property
    def shown(self) -> list[str]:
        """The first notes, and how many more there are."""
        more = len(self.notes) - _SHOWN_NOTES
        return [*self.notes[:_SHOWN_NOTES], *[f"and {more:,} more notes"] * (more > 0)]

    def step(self, voice: Voice) -> str:
        """Return how a person settles it."""
        return (
            f"still in doubt after reading back, row {self._listed}: look in the store, then "
            f"{voice.resolve()}; never send these again by hand"
        )

    def step_elsewhere(self) -> str:
        """Return how a person settles it, where it is the doubt of an earlier import."""
        return (
            "still in doubt after reading back in an earlier import: look in the store, then, in "
            f"Python, pf.LoadResult(Path({str(self.path)!r})).resolve(row, pet_id=...), or "
            f"not_created=True in its place; row {self._listed}"
        )

    @property
    def _listed(self) -> str:
        return ", ".join(map(str, self.rows)) + ", …" * (self.records > len(self.rows))


def read_doubt(path: Path) -> Doubt | None:
    """Return what the last reading left in doubt; None where it left nothing, or was not made."""
    with opened(path, is_reader=True) as sql:
        last = sql.execute(_LAST).fetchone()
        if last is None:
            return None
        rows = [
            number
            for (number,) in sql.execute(
                "SELECT number FROM rows WHERE state = 'unknown' ORDER BY number"
            )
        ]
    notes = json.loads(last[0])["notes"]
    return Doubt(path, tuple(notes), tuple(rows[:_SHOWN_ROWS]), len(rows))
