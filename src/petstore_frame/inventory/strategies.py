"""The ladder: from what a store shows of itself to the most that can be claimed of a listing.

In: a PageReader. Out: the rows held and a Finding. Each rung states what it rests on; a rung that
proves nothing leaves its rows to the next one.

| rung            | sound when                                            | may claim             |
|-----------------|-------------------------------------------------------|-----------------------|
| short page      | pages are filled up to the limit; status pages agree  | all pets              |
| next addresses  | they lead through the whole listing, order kept       | all pets              |
| stated total    | it is that of the listing                             | all pets, or refutes  |
| rehearsed way   | it reproduced rows already held; no hidden end        | all pets              |
| status pages    | each is shorter than a page the store has filled, and | pets with a status    |
|                 | the same when it is read again                        |                       |
| status by status| walked as the listing of all pets, which leaves some  | pets with a status    |
|                 | out that their status page holds                      |                       |
| ids one by one  | opt-in; a control id still answers                    | ids a to b            |
"""

from __future__ import annotations

from petstore_frame.inventory.announced import AnnouncedWay, SpareLinks, announced_way
from petstore_frame.inventory.by_status import ByStatus
from petstore_frame.inventory.calibrate import Stride, rehearse, short_page
from petstore_frame.inventory.completeness import (
    Assumption,
    Verdict,
)
from petstore_frame.inventory.finding import (
    ALL_PETS,
    HOLDS_STILL,
    Finding,
    complete,
)
from petstore_frame.inventory.flaws import Flaws
from petstore_frame.inventory.hints import may_name_next, names_next, says_more
from petstore_frame.inventory.opening import Opening
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.paths import Paths
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.readings import MAX_READINGS, Begin, Readings
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.shortness import Evidence, is_supported, judge_short_page
from petstore_frame.inventory.statuses import (
    StatusPages,
    read_status_pages,
    settle_filter,
)
from petstore_frame.inventory.stride import StridedWalk
from petstore_frame.inventory.together import judge_together
from petstore_frame.inventory.totals import StatedTotal
from petstore_frame.inventory.unknown import why_unknown
from petstore_frame.inventory.walk import IsEnough, Walk
from petstore_frame.inventory.weighing import weighed
from petstore_frame.schema.models import PET_STATUSES, pets_text

CUT_BY_MAX_PETS = Finding(Verdict.INCOMPLETE, "max_pets ended the listing before the store did")
CUT_BY_CALLER = Finding(Verdict.INCOMPLETE, "the caller had enough before the listing ended")


class Ladder:
    """Climbs until a rung holds; ``climb`` continues after a failure.

    Args:
        reader: Asks for pages.
        may_probe: Whether anything beyond the interface may be asked or believed.
        max_pets: Stop once so many pets are held; None for no cap.
        is_enough: Whether to stop with the pets held, asked after each page; None for never.

    Attributes:
        rows: The pets held.
        conflicts: Contradictions met, as text.
    """

    def __init__(
        self,
        reader: PageReader,
        *,
        may_probe: bool,
        max_pets: int | None = None,
        is_enough: IsEnough | None = None,
    ) -> None:
        self.reader = reader
        self.rows = Rows()
        self.conflicts: list[str] = []
        self._total = StatedTotal(reader, self.conflicts)
        self._evidence = Evidence(reader, self.rows, self.conflicts, self._total)
        self._opening = Opening(
            self._evidence, may_probe=may_probe, is_enough=self._leaves_some_out
        )
        self._may_probe = may_probe
        self._max_pets = max_pets
        self._is_enough = is_enough
        self._cut = CUT_BY_MAX_PETS if is_enough is None else CUT_BY_CALLER
        self._may_stop = None if max_pets is None and is_enough is None else self._leaves_some_out
        self._statuses: StatusPages | None = None
        self._holds_statuses = False
        self._by_status: ByStatus | None = None
        self._begin: Begin | None = None
        self._reach: Assumption | None = None
        self._readings = Readings(reader, self.rows, self.conflicts)
        # What was once concluded is kept: what was read since would pass for part of the listing.
        self._finding: Finding | None = None
        # Once found, a way is kept: a resumed walk does not search for it again.
        self._stride: Stride | None = None
        self._way: AnnouncedWay | None = None
        self._paths = Paths(reader.store.base_url, self.conflicts)
        self._spare_links = SpareLinks(reader, self.rows, self._paths)

    @property
    def total(self) -> int | None:
        """The total that the store stated for this listing, or None."""
        return self._total.of_listing(len(self.rows))

    @property
    def pages(self) -> int:
        """Pages read of the listing itself."""
        return self._readings.pages or min(1, len(self.rows))

    def climb(self) -> Finding:
        """Read what can be read and return the most that can be claimed."""
        if self._finding is None:
            self._finding = weighed(self._climbed(), self._evidence)
        finding = self._finding
        is_of_all = finding.verdict is Verdict.COMPLETE and finding.scope == ALL_PETS
        if is_of_all and self.reader.status is None:
            # The statuses bring further answers, which may be old as well.
            self._finding = weighed(self._held_to_statuses(finding), self._evidence)
        return self._finding

    def _held_to_statuses(self, finding: Finding) -> Finding:
        """Look for pets that the pages of the statuses hold and the unfiltered listing does not."""
        if self._by_status is None:
            statuses = self._status_pages()
            if statuses is None:
                return finding.provided(Assumption.LISTS_EVERY_STATUS)
            left_out = self._left_out(statuses)
            if left_out and self._readings.count > 1:
                # The listing has moved since they were read, so these pets may have left.
                self._statuses = None
                statuses = self._status_pages()
                if statuses is None:
                    return Finding(
                        Verdict.UNKNOWN,
                        f"{finding.basis}, but without {pets_text(left_out)} of the status pages",
                    )
                left_out = self._left_out(statuses)
            if not left_out:
                return finding.provided(statuses.reserve)
            self.conflicts.append(
                f"the unfiltered listing left out {pets_text(left_out)} of the status pages"
            )
            self._by_status = ByStatus(
                self.reader,
                self.rows,
                self.conflicts,
                statuses,
                self._begin,
                self._reached(),
                self._readings.rows,
            )
        return self._by_status.read()

    def _left_out(self, statuses: StatusPages) -> int:
        """Return how many pets of the status pages the unfiltered listing does not have."""
        listed = self._readings.rows
        left_out = sum(listed.compare(page.columns) for page in statuses.answered)
        self.rows.disputed |= listed.disputed
        return left_out

    def _climbed(self) -> Finding:
        first = self._opening.read()
        if self._leaves_some_out():
            return self._cut
        if self._stride is not None:
            return self._strided(self._stride)
        if self._way is None:
            self._way = self._announced(first)
        if self._way is not None:
            return self._walked(self._way)
        return self._unannounced(first)

    def _announced(self, first: Page) -> AnnouncedWay | None:
        return announced_way(self.reader, first, self._paths) if self._may_probe else None

    def _walked(self, way: AnnouncedWay) -> Finding:
        def begin(rows: Rows, first: Page, flaws: Flaws) -> Walk:
            return Walk(self.reader, rows, first, way.next_of, flaws, self._may_stop)

        is_stable = self._read(begin, Assumption.LINKS_REACH_ALL)
        if self._leaves_some_out():
            return self._cut
        basis = f"the server's {way.name}, followed to the end"
        spare_doubt = self._spare_links.read(way.spare)
        return self._judge_walk(is_stable, basis, way.doubt or spare_doubt)

    def _unannounced(self, first: Page) -> Finding:
        of_short: Finding | None = None
        if len(first) < self.reader.limit:
            statuses = self._held_status_pages()
            of_short = judge_short_page(self._evidence, first, statuses)
            if of_short is not None and is_supported(of_short, first):
                return of_short
        if self._may_probe and len(first) <= self.reader.limit:
            found = self._rehearsed(first)
            if found is not None:
                return found
        if self.conflicts:
            return self._by_statuses(first)
        if of_short is not None:
            return of_short
        is_refuted = says_more(first.headers, first.address) is not None
        if self._total.proves(len(self.rows)) and not is_refuted:
            return complete("the server's own total", Assumption.TOTAL_IS_TRUE)
        return self._by_statuses(first)

    def _rehearsed(self, first: Page) -> Finding | None:
        """Look for a way on that only shows when it is tried."""
        self._total.test(first)
        short = short_page(self.reader, first)
        if short is None:
            return None
        found = self._names_only_some(first, short)
        if found is not None:
            return found
        self._stride = rehearse(self.reader, first, short)
        return None if self._stride is None else self._strided(self._stride)

    def _names_only_some(self, first: Page, short: Page) -> Finding | None:
        """Go on where a store names a next page after the shorter of two pages alone.

        That is the end of the listing, unless the store cut the longer page too and names a next
        one only after pages as long as was asked: then asking for that length brings it out.
        """
        if may_name_next(first.headers, first.address):
            return None
        if len(short) >= len(first) or not names_next(short.headers, short.address):
            return None
        if len(first) < self.reader.limit:
            asked = self.reader.params(limit=len(first))
            page = self.reader.probe("as many as came", asked)
            if page is None:
                return None
            if names_next(page.headers, page.address):
                self.reader.probes["as many as came"] = "names a next page"
                self._opening.replace(page)
                self._way = self._announced(page)
                return None if self._way is None else self._walked(self._way)
            self.reader.probes["as many as came"] = "names no next page"
        if self.conflicts or len(self.rows) > len(first) or self._total.refutes(len(self.rows)):
            return None
        if says_more(first.headers, first.address):
            return None
        return complete(
            "the server names a next page after a shorter one, and none after this",
            Assumption.LINKS_REACH_ALL,
        )

    def _status_pages(self) -> StatusPages | None:
        """Read the pages of the statuses, once, where the budget allows."""
        if self._statuses is None and self.reader.has_budget(len(PET_STATUSES)):
            self._statuses = read_status_pages(self.reader, self._opening.read())
        return self._statuses

    def _read(self, begin: Begin, reach: Assumption) -> bool:
        """Read the listing to its end; tell whether it held still."""
        # Before the walk: it then cannot miss a pet that came after they were read. A reading that
        # may stop early asks them only at its end.
        may_ask = self.reader.has_budget(len(PET_STATUSES) + 1)  # one for the first page again
        if self._may_stop is None and self.reader.status is None and may_ask:
            self._status_pages()
        self._begin, self._reach = begin, reach
        return self._readings.read_until_stable(self._opening.read(), begin)

    def _held_status_pages(self) -> StatusPages | None:
        """Read the pages of the statuses, and hold what they bring."""
        if self.reader.status is not None:
            return None
        pages = self._status_pages()
        if pages is None:
            return None
        if not self._holds_statuses:  # before more is asked, which may break off
            self._holds_statuses = True
            for page in pages.usable.values():
                self.rows.add(page.columns)
            self.conflicts += pages.conflicts
        settle_filter(self.reader, pages)
        return pages

    def _strided(self, stride: Stride) -> Finding:
        def begin(rows: Rows, first: Page, flaws: Flaws) -> StridedWalk:
            return StridedWalk(self.reader, rows, first, stride, flaws, self._may_stop)

        is_stable = self._read(begin, Assumption.OFFSETS_REACH_ALL)
        if self._leaves_some_out():
            return self._cut
        basis = f"{stride} of the server, rehearsed on rows already held, to the end"
        return self._judge_walk(is_stable, basis)

    def _reached(self) -> tuple[str, ...]:
        """What must hold for the way of reading to reach the whole of a listing."""
        return () if self._reach is None else (self._reach, *self._paths.assumed)

    def _judge_walk(self, is_stable: bool, basis: str, doubt: str | None = None) -> Finding:
        held, readings = len(self.rows), self._readings
        if readings.gone is not None:
            self._evidence.gone.append(readings.gone)
        if self._may_probe:
            self._total.take_reading(readings.first_headers, readings.headers)
        if not is_stable:
            return Finding(
                Verdict.UNSTABLE, f"the listing moved each of the {MAX_READINGS} times it was read"
            )
        doubt = doubt or readings.doubt
        assumed = (*self._reached(), *(HOLDS_STILL if self.pages > 1 else ()))
        if doubt is None:
            return complete(basis, *assumed)
        if self._total.proves(held):
            return complete(basis, *assumed, Assumption.TOTAL_IS_TRUE)
        return Finding(Verdict.UNKNOWN, f"{basis}, but {doubt}")

    def _by_statuses(self, first: Page) -> Finding:
        """Return what the status pages prove where the listing itself has no end in sight."""
        statuses = self._held_status_pages()
        if statuses is None:
            return self._unknown(first)
        found, exact = judge_together(self._evidence, statuses)
        return found or self._unknown(first, exact)

    def _unknown(self, first: Page, exact: frozenset[str] = frozenset()) -> Finding:
        """Return that the whole is unknown; counts that are exact keep what they rest on."""
        basis = why_unknown(
            first,
            self.reader.limit,
            is_filter_kept=self._statuses is None or not self._statuses.conflicts,
            may_probe=self._may_probe,
        )
        assumed = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE) if exact else ()
        return Finding(Verdict.UNKNOWN, basis, assumptions=assumed, exact=exact)

    def _leaves_some_out(self, rows: Rows | None = None) -> bool:
        """Whether more is held than the caller's cap, or all that the caller looks for.

        A cap that is just met cuts nothing as far as is known: the listing may end there.
        """
        rows = self.rows if rows is None else rows
        if self._max_pets is not None and len(rows) > self._max_pets:
            return True
        return self._is_enough is not None and self._is_enough(rows)
