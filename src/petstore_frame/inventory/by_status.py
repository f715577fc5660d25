"""Reading a store status by status, where its listing of all pets leaves some out.

In: a page of each status, and a way to walk on from it. Out: the pets of each status, and a
Finding. Pets without a status match no filter, so this never covers a whole store.
"""

from __future__ import annotations

from collections import Counter

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.errors import CrossOriginError, PaginationLoopError
from petstore_frame.inventory.completeness import Assumption, Verdict
from petstore_frame.inventory.finding import HOLDS_STILL, PETS_WITH_A_STATUS, Finding
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.readings import Begin, Readings
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.statuses import StatusPages, settle_filter
from petstore_frame.schema.models import PET_STATUSES, pets_text

_ASSUMED = (
    *HOLDS_STILL,
    Assumption.ONE_CAP,
    Assumption.FILTER_IS_TRUE,
    Assumption.NO_OTHER_STATUS,
)


class ByStatus:
    """The listings of the three statuses; ``read`` again goes on after a failure.

    Args:
        reader: Asks for pages; its listing has no filter.
        rows: Takes the pets.
        conflicts: Takes what did not fit, as text.
        statuses: A page of each status.
        begin: Starts a walk as the listing of all pets was walked; None where it was not.
        reach: What must hold for such a walk to reach all pets.
        listed: The pets of the listing of all pets.
    """

    def __init__(
        self,
        reader: PageReader,
        rows: Rows,
        conflicts: list[str],
        statuses: StatusPages,
        begin: Begin | None,
        reach: tuple[str, ...],
        listed: Rows,
    ) -> None:
        self._reader = reader
        self._rows = rows
        self._statuses = statuses
        self._begin = begin
        self._reach = reach
        self._readings: dict[str, Readings] = {}
        self._own_rows: dict[str, Rows] = {}
        self._conflicts = conflicts
        self._own_conflicts: list[str] = []
        # Computed now, because reading may add to these rows.
        self._window = _early_end(listed, statuses)
        is_mixed = len(set(listed.columns().status)) > 1
        self._mixed_end = len(listed) if is_mixed else None

    def read(self) -> Finding:
        """Read each status to its end, hold its pets, and say which are all held."""
        settle_filter(self._reader, self._statuses)
        for page in self._statuses.answered:
            self._rows.update(page.columns)
        short = self._statuses.exact(self._reader.max_page)
        walked = frozenset(
            status
            for status, page in self._statuses.usable.items()
            if status not in short and self._is_walked(status, page)
        )
        if walked and (window := self._window or self._common_end(walked)):
            self._own_conflicts.append(window)
            walked = frozenset()
        whole = self._not_refuted(short, walked)
        self._conflicts += self._own_conflicts
        if len(whole) < len(PET_STATUSES) or self._own_conflicts:
            return Finding(
                Verdict.UNKNOWN,
                "the unfiltered listing leaves out pets, and so may each page of a status",
                assumptions=(*self._reach, *_ASSUMED) if whole else (),
                exact=whole,
            )
        return Finding(
            Verdict.COMPLETE,
            "each status was read by itself, as the unfiltered listing leaves out pets",
            PETS_WITH_A_STATUS,
            (*self._reach, *_ASSUMED),
            whole,
        )

    def _not_refuted(self, short: frozenset[str], walked: frozenset[str]) -> frozenset[str]:
        """Leave out the statuses of which more pets are held than their own listing had."""
        own = {status: len(self._statuses.usable[status]) for status in short}
        own |= {status: len(self._own_rows[status]) for status in walked}
        held = Counter(self._rows.columns().status)
        for status, count in own.items():
            if held[status] > count:
                left_out = pets_text(held[status] - count)
                self._own_conflicts.append(
                    f"the listing of {status} left out {left_out} of those held"
                )
        return frozenset(status for status, count in own.items() if held[status] <= count)

    def _common_end(self, walked: frozenset[str]) -> str | None:
        """Say that several listings end at one round number of rows, which a store hardly has."""
        ends = Counter(len(self._own_rows[status]) for status in walked)
        if self._mixed_end is not None:
            ends[self._mixed_end] += 1
        for end, count in ends.items():
            if count > 1 and end and not end % MAX_LIMIT:
                return f"{count} listings end at {end:,} rows each, as if the store shows no more"
        return None

    def _is_walked(self, status: str, page: Page) -> bool:
        """Walk on from the page of a status and tell whether its end was met."""
        if self._begin is None:
            return False
        if status not in self._readings:
            self._own_rows[status] = Rows()
            self._own_rows[status].add(page.columns)
            readings = Readings(self._reader, self._own_rows[status], self._own_conflicts)
            self._readings[status] = readings
        readings, own = self._readings[status], self._own_rows[status]
        try:
            with self._reader.filtered(status):
                is_stable = readings.read_until_stable(page, self._begin)
        except (PaginationLoopError, CrossOriginError):
            is_stable = False
        finally:
            self._rows.add_all(own)
        found = own.columns().status
        is_refuted = any(each != status for each in found) or self._statuses.is_outnumbered(
            page, len(found)
        )
        is_whole = is_stable and readings.is_over and not (readings.gone or readings.doubt)
        return is_whole and not is_refuted


def _early_end(listed: Rows, statuses: StatusPages) -> str | None:
    """Say that a listing ended early: it holds some pets of a status, and not all of its page."""
    found = set(listed.columns().status)
    for status, page in statuses.usable.items():
        if status in found and any(pet_id not in listed for pet_id in page.columns.id):
            return (
                f"the unfiltered listing holds some {status} pets and not all of their page, "
                "so it ended early or pets left it"
            )
    return None
