"""What a total is worth that the store states: it may refute, and may prove only after a test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.stated import Stated

if TYPE_CHECKING:
    from petstore_frame.inventory.asking import Asker
    from petstore_frame.inventory.listing import Listing


def stated_total(listing: Listing) -> Iterator[Evidence]:
    """Believe a total that as many pets reach, where nothing was seen to move meanwhile."""
    total, ask, first = listing.total, listing.ask, listing.first
    held = len(listing.rows)
    if not listing.may_probe or not total.reaches(held) or listing.is_contradicted:
        return
    if len(first) < held and listing.walk is None:
        # Other pages brought pets since: a store that grew meanwhile states another total.
        page = ask.probe(ask.params(), again=True)
        if page is None or page.stated.total != total.value:
            return
    over_time = (Assumption.NONE_LEAVES, Assumption.NONE_CHANGES) if len(first) < held else ()
    yield listing.end(Fact.TOTAL_REACHED, Assumption.TOTAL_IS_TRUE, *over_time, count=held)


class StatedTotal:
    """The total of one listing, as it was stated last."""

    def __init__(self, ask: Asker) -> None:
        self.value: int | None = None
        self._notes: list[Evidence] = []
        self._ask = ask
        self._is_tested = False
        # Whether it is surely not that of all pets, where one status was asked for.
        self._is_own = ask.status is None
        self._is_dropped = False

    def take(self, stated: Stated) -> None:
        """Take the total of a page; the largest on a page counts."""
        if self._is_dropped or not stated.totals:
            return
        self.value = stated.totals[0]
        if len(stated.totals) > 1:
            both = f"{stated.totals[0]:,} and {stated.totals[-1]:,}"
            self._notes.append(Evidence(Fact.TOTALS_DIFFER, detail=both))

    def drop(self) -> None:
        """Ignore every total of this listing, those of later pages included."""
        self.value, self._is_dropped = None, True

    def test(self, first: Page) -> None:
        """Ask with a smaller limit, and drop a total that is only the length of the page."""
        if self.value != len(first) or len(first) < 2:
            return
        half = len(first) // 2
        page = self._ask.probe(self._ask.params(limit=half))
        if page is not None and page.stated.total != self.value:
            self._notes.append(Evidence(Fact.TOTAL_OF_PAGE))
            self.drop()
        self._is_tested = page is not None and len(page) == half

    def of_listing(self, held: int) -> int | None:
        """Return the total, unless it may be that of all pets, where one status was asked for."""
        return self.value if self._is_own or (self.value or 0) <= held else None

    def reaches(self, held: int) -> bool:
        """Tell whether the total is the number held, and surely not a mere page's length."""
        return self.value == held and (self._is_tested or held > self._ask.max_page)

    def refutes(self, held: int) -> bool:
        """Tell whether the store states more pets of this listing than are held."""
        return self.value is not None and self.value > held and self._is_of_listing()

    def evidence(self, held: int) -> Iterator[Evidence]:
        """Yield what the total shows beside the number of pets held."""
        if self.refutes(held):
            assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
            yield Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=self.value or 0)
        elif self.value is not None and self.value != held:
            fact = Fact.TOTAL_OF_ALL if self.value > held else Fact.TOTAL_LOWER
            yield Evidence(fact, count=self.value)
        yield from self._notes

    def _is_of_listing(self) -> bool:
        """Ask for all pets: some programs state their number beside a filter as well."""
        if self._is_own:
            return True
        whole = self._ask.probe({"limit": str(self._ask.limit)})
        self._is_own = whole is not None and whole.stated.total != self.value
        if whole is not None and not self._is_own and whole.strays(self._ask.status):
            self.drop()  # else all pets may have this one status
        return self._is_own
