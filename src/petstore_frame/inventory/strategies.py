"""The ladder: from what a store shows of itself to the most that can be claimed of a listing.

In: a PageReader. Out: the rows held and a Finding. Each rung states what it rests on; a rung that
proves nothing leaves its rows to the next one.

| rung            | sound when                                            | may claim             |
|-----------------|-------------------------------------------------------|-----------------------|
| short page      | pages are filled up to the limit; status pages agree  | all pets              |
| next addresses  | they lead through the whole listing, order kept       | all pets              |
| stated total    | it is that of the listing                             | all pets, or refutes  |
| rehearsed way   | it reproduced rows already held; no hidden end        | all pets              |
| status pages    | each is shorter than a page the store has filled      | pets with a status    |
| ids one by one  | opt-in; a control id still answers                    | ids a to b            |
"""

from __future__ import annotations

from petstore_frame.arguments import MAX_LIMIT
from petstore_frame.headers import Headers
from petstore_frame.inventory.calibrate import Stride, rehearse, rehearse_value, short_page
from petstore_frame.inventory.completeness import (
    PETS_WITH_A_STATUS,
    Assumption,
    Verdict,
)
from petstore_frame.inventory.finding import Finding, complete
from petstore_frame.inventory.hints import (
    may_name_next,
    names_next,
    next_addresses,
    next_value,
)
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.readings import MAX_READINGS, Flaws, Readings
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.shortness import Evidence, is_supported, judge_short_page
from petstore_frame.inventory.statuses import StatusPages, read_status_pages
from petstore_frame.inventory.stride import StridedWalk
from petstore_frame.inventory.totals import StatedTotal
from petstore_frame.inventory.walk import IsEnough, NextOf, Walk
from petstore_frame.models import PET_STATUSES
from petstore_frame.page import Page

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
        self._may_probe = may_probe
        self._max_pets = max_pets
        self._is_enough = is_enough
        self._cut = CUT_BY_MAX_PETS if is_enough is None else CUT_BY_CALLER
        self._may_stop = None if max_pets is None and is_enough is None else self._holds_enough
        self._first: Page | None = None
        self._readings = Readings(reader, self.rows, self.conflicts)
        # Once found, a way is kept: a resumed walk does not search for it again.
        self._stride: Stride | None = None
        self._next_of: NextOf | None = None
        self._spare_addresses: list[str] = []
        self._way_name = ""

    @property
    def total(self) -> int | None:
        """The total that the store stated, or None."""
        return self._total.value

    @property
    def pages(self) -> int:
        """Pages read of the listing itself."""
        return self._readings.pages or min(1, len(self.rows))

    def climb(self) -> Finding:
        """Read what can be read and return the most that can be claimed."""
        first = self._first_page()
        if self._leaves_some_out():
            return self._cut
        if self._stride is not None:
            return self._strided(self._stride)
        if self._next_of is None:
            self._next_of = self._announced_way(first)
        if self._next_of is not None:
            return self._walked(self._next_of)
        if self._is_cut():
            return self._cut
        return self._unannounced(first)

    def _first_page(self) -> Page:
        if self._first is None:
            first = self._take_first(self.reader.page(number=1))
            if self._is_bare_and_full(first) and self.reader.limit < MAX_LIMIT:
                # The interface allows a wider page, and a wider page may be a whole listing.
                self.reader.limit = MAX_LIMIT
                first = self._take_first(self.reader.page(number=1))
            self._first = first  # not before: the narrow page is not the listing of the wider limit
        return self._first

    def _is_bare_and_full(self, page: Page) -> bool:
        return (
            len(page) >= (page.limit or 0)
            and not names_next(page.headers, page.address)
            and not self._is_cut()
        )

    def _take_first(self, page: Page) -> Page:
        stray = [status for status in page.columns.status if status != self.reader.status]
        if self.reader.status and stray:
            self.conflicts.append(
                f"{len(stray)} of {len(page)} pets on a page filtered by {self.reader.status} "
                "have another status"
            )
        self.rows.add(page.columns)
        self.reader.note(self.rows)
        if self._may_probe:
            self._total.take(page)
        return page

    def _announced_way(self, first: Page) -> NextOf | None:
        """Return how to read a page's next address, or None when the store names none."""
        if not self._may_probe:
            return None
        if found := next_addresses(first.headers, first.address):
            self._spare_addresses = found[1:]
            self._way_name = "next links"
            return lambda headers, address: next(iter(next_addresses(headers, address)), None)
        named = next_value(first.headers)
        if named is None:
            return None
        self._way_name = f"{named.header} headers"
        short = short_page(self.reader, first)
        name = rehearse_value(self.reader, first, short) if short is not None else None
        return None if name is None else self._value_way(name)

    def _value_way(self, name: str) -> NextOf:
        def next_of(headers: Headers, address: str) -> str | None:
            named = next_value(headers)
            if named is None:
                return None
            return self.reader.address(self.reader.params({name: named.value}))

        return next_of

    def _walked(self, next_of: NextOf) -> Finding:
        def begin(rows: Rows, first: Page, _: Flaws) -> Walk:
            return Walk(self.reader, rows, first, next_of, self._may_stop)

        is_stable = self._readings.read_until_stable(self._first_page(), begin)
        if self._is_cut():
            return self._cut
        basis = f"the server's {self._way_name}, followed to the end"
        spare = self._spare_rows()
        if spare:
            return Finding(Verdict.UNKNOWN, f"{basis}, but another next link led to {spare} more")
        return self._judge_walk(is_stable, basis, Assumption.LINKS_REACH_ALL)

    def _spare_rows(self) -> int:
        """Return how many unknown pets the second of two next links leads to."""
        new = 0
        for address in self._spare_addresses:
            self.reader.spent += 1
            page = self.reader.ask(address).read()
            new += self.rows.add(page.columns)
        if self._spare_addresses:
            self.reader.probes["second next link"] = f"{new} pets not met on the first way"
            self._spare_addresses = []
        return new

    def _unannounced(self, first: Page) -> Finding:
        statuses: StatusPages | None = None
        of_short: Finding | None = None
        if len(first) < self.reader.limit:
            statuses = self._status_pages(first) if len(first) else None
            of_short = judge_short_page(self._evidence, first, statuses)
            if of_short is not None and is_supported(of_short, first):
                return of_short
        if self._may_probe and len(first) <= self.reader.limit:
            found = self._rehearsed(first)
            if found is not None:
                return found
        if self.conflicts:
            return self._by_statuses(first, statuses)
        if of_short is not None:
            return of_short
        if self._total.proves(len(self.rows)):
            return complete("the server's own total", Assumption.TOTAL_IS_TRUE)
        return self._by_statuses(first, statuses)

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
        if names_next(first.headers, first.address) or not names_next(short.headers, short.address):
            return None
        if len(first) < self.reader.limit:
            asked = self.reader.params(limit=len(first))
            page = self.reader.probe("as many as came", asked)
            if page is None:
                return None
            if names_next(page.headers, page.address):
                self.reader.probes["as many as came"] = "names a next page"
                self._first, self.reader.limit = page, len(first)
                self._next_of = self._announced_way(page)
                return None if self._next_of is None else self._walked(self._next_of)
            self.reader.probes["as many as came"] = "names no next page"
        if self.conflicts or len(self.rows) > len(first):
            return None
        return complete(
            "the server names a next page after a shorter one, and none after this",
            Assumption.LINKS_REACH_ALL,
        )

    def _status_pages(self, first: Page) -> StatusPages | None:
        """Read the pages of the statuses, where the budget allows, and hold what they bring."""
        if self.reader.status is not None or not self.reader.has_budget(len(PET_STATUSES)):
            return None
        pages = read_status_pages(self.reader, first)
        for page in pages.usable.values():
            self.rows.add(page.columns)
        self.conflicts += pages.conflicts
        return pages

    def _strided(self, stride: Stride) -> Finding:
        def begin(rows: Rows, first: Page, flaws: Flaws) -> StridedWalk:
            return StridedWalk(self.reader, rows, stride, flaws, self._may_stop)

        is_stable = self._readings.read_until_stable(self._first_page(), begin)
        if self._is_cut():
            return self._cut
        basis = f"{stride} of the server, rehearsed on rows already held, to the end"
        return self._judge_walk(is_stable, basis, Assumption.OFFSETS_REACH_ALL)

    def _judge_walk(self, is_stable: bool, basis: str, reach: Assumption) -> Finding:
        held = len(self.rows)
        if self.total is not None and self.total > held and not self._total.is_of_all():
            self.conflicts.append(f"the store states {self.total:,} pets and gave {held:,}")
            return Finding(Verdict.INCOMPLETE, f"{basis}, but its own total is larger")
        if not is_stable:
            return Finding(
                Verdict.UNSTABLE, f"the listing moved each of the {MAX_READINGS} times it was read"
            )
        doubt = self._readings.doubt
        if doubt is not None and not self._total.proves(held):
            return Finding(Verdict.UNKNOWN, f"{basis}, but {doubt}")
        if self.total is not None and self.total < held:
            self.conflicts.append(f"the store states {self.total:,} pets and gave {held:,}")
        holds_still = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES) if self.pages > 1 else ()
        return complete(basis, reach, *holds_still)

    def _by_statuses(self, first: Page, statuses: StatusPages | None) -> Finding:
        """Return what the status pages prove where the listing itself has no end in sight."""
        statuses = statuses or self._status_pages(first)
        if statuses is None:
            return self._unknown(first)
        exact = statuses.exact(self.reader.max_page)
        if len(exact) == len(PET_STATUSES) and not statuses.conflicts:
            if self._total.proves(len(self.rows)) and self._total.is_stated_again():
                return complete("the server's own total", Assumption.TOTAL_IS_TRUE)
            return Finding(
                Verdict.COMPLETE,
                "each status page was shorter than a page that the store has filled",
                PETS_WITH_A_STATUS,
                (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NO_OTHER_STATUS),
                exact,
            )
        return self._unknown(first, exact)

    def _unknown(self, first: Page, exact: frozenset[str] = frozenset()) -> Finding:
        """Return that the whole is unknown; counts that are exact keep what they rest on."""
        verdict, basis = self._why_not(first)
        assumed = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE) if exact else ()
        return Finding(verdict, basis, assumptions=assumed, exact=exact)

    def _why_not(self, first: Page) -> tuple[Verdict, str]:
        if self.total is not None and self.total > len(self.rows):
            return Verdict.INCOMPLETE, "the server's own total is larger"
        if not self._may_probe and names_next(first.headers, first.address):
            return Verdict.INCOMPLETE, "the store names a next page, which was not read"
        if next_value(first.headers) is not None:
            way = "in a way that is not understood"
            return Verdict.INCOMPLETE, f"the store names a next page {way}"
        if may_name_next(first.headers, first.address):
            return Verdict.UNKNOWN, "the store sends a Link line that cannot be read"
        if len(first) > self.reader.limit:
            way = "so a page's length proves nothing"
            return Verdict.UNKNOWN, f"the store does not keep to the limit, {way}"
        if len(first) == self.reader.limit:
            return Verdict.UNKNOWN, "the page was full and the store shows no way on"
        return Verdict.UNKNOWN, f"{len(first)} pets, as if the store cut its pages there"

    def _holds_enough(self, rows: Rows) -> bool:
        """Whether a walk may stop with these pets."""
        if self._max_pets is not None and len(rows) >= self._max_pets:
            return True
        return self._is_enough is not None and self._is_enough(rows)

    def _leaves_some_out(self) -> bool:
        """Whether more is held than the caller's cap, or all that the caller looks for."""
        if self._max_pets is not None:
            return len(self.rows) > self._max_pets
        return self._is_enough is not None and self._is_enough(self.rows)

    def _is_cut(self) -> bool:
        """Whether the caller, not the store, ended the listing, or may have."""
        if self._may_stop is None:
            return False
        return self._leaves_some_out() or not self._readings.is_over
