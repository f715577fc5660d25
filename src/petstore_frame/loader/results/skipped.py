"""Why records of an import were skipped: blank, or the same as a record of an earlier import.

In: a journal. Out: how many were skipped for which import, and, where a caller says that these
are other animals, the same records to be sent. It compares nothing: overlap.py has done that.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame._internal.moments import day_text
from petstore_frame.loader.journal.journal import Run, opened
from petstore_frame.loader.journal.writer import Writer

CREATED_EARLIER, IN_DOUBT_EARLIER, TAKEN_OVER = "created_earlier", "in_doubt_earlier", "taken_over"
FIXED_EARLIER, BLANK = "fixed_earlier", "blank"
_GROUPS = """
SELECT coalesce(reason, ''), coalesce(substr(taken_from, 1, 32), ''), count(*) FROM rows
WHERE state = 'skipped' GROUP BY 1, 2 ORDER BY min(number)
"""


class Skipped(NamedTuple):
    """Records that were skipped for one reason.

    Attributes:
        records: How many.
        reason: blank, created_earlier, fixed_earlier, in_doubt_earlier or taken_over.
        source: The file of the earlier import, or an empty text.
        loaded_on: Its day, UTC, as ``2026-11-20``, or an empty text.
    """

    records: int
    reason: str
    source: str = ""
    loaded_on: str = ""

    @property
    def is_loaded_before(self) -> bool:
        """Whether an earlier import has an equal record, which may be another animal."""
        return self.reason in (CREATED_EARLIER, IN_DOUBT_EARLIER)

    @property
    def earlier(self) -> str:
        """The earlier import as a phrase."""
        return f"{self.source}, loaded {self.loaded_on}" if self.source else "an earlier import"

    def __str__(self) -> str:
        if self.reason == CREATED_EARLIER:
            return f"same as a record of {self.earlier}"
        if self.reason == IN_DOUBT_EARLIER:
            return f"same as a record in doubt of {self.earlier}"
        if self.reason == FIXED_EARLIER:
            return f"fixed in {self.earlier}"
        if self.reason == TAKEN_OVER:
            return "taken over by a later version of this file"
        return BLANK

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value}


def read_skipped(path: Path, run: Run) -> list[Skipped]:
    """Return the skipped records of a journal by their reasons; imports alike in words as one."""
    sources = run.overlap.get("sources", {})
    with opened(path) as sql:
        groups = sql.execute(_GROUPS).fetchall()
    found = Counter[tuple[str, str, str]]()
    for reason, run_id, records in groups:
        source, created_at = sources.get(run_id, ("", None))
        day = "" if created_at is None else day_text(created_at)
        found[reason or BLANK, source, day] += records
    return [Skipped(records, *why) for why, records in found.items()]


def send_despite_earlier(path: Path, run: Run, now: float) -> int:
    """Make pending what was skipped for an earlier import; the caller holds the lock.

    Returns:
        How many records that were; 0 when it is done again.
    """
    with closing(Writer(path, run.run_id)) as writer:
        return writer.release_skipped((CREATED_EARLIER, IN_DOUBT_EARLIER), now)
