"""The pages of the three statuses, and what their lengths prove.

Pets without a status match no filter, so these pages alone never cover a store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page import Page
from petstore_frame.schema.models import PET_STATUSES

if TYPE_CHECKING:
    from petstore_frame.inventory.asking import Asker
    from petstore_frame.inventory.listing import Listing


@dataclass
class StatusPages:
    """One page of each status.

    Attributes:
        first: The unfiltered first page, to which they are compared.
        answered: Every page that came, by its status.
        notes: What was learned of each; a contradiction is about its status alone.
        filters_first: Whether the store was seen to filter before it cuts to the limit; None
            until that was asked.
    """

    first: Page
    answered: dict[str, Page]
    notes: list[Evidence] = field(default_factory=list)
    filters_first: bool | None = None

    def __post_init__(self) -> None:
        for status, page in self.answered.items():
            self.notes.append(Evidence(Fact.STATUS_PAGE, status, count=len(page)))
            self.notes += check_filter(page, self.first, status)

    @property
    def usable(self) -> dict[str, Page]:
        """The pages that kept to their filter."""
        refuted = {note.scope for note in self.notes if note.is_contradiction}
        return {status: page for status, page in self.answered.items() if status not in refuted}

    @property
    def are_usable(self) -> bool:
        """Whether all three came and kept to their filter."""
        return len(self.usable) == len(PET_STATUSES)

    @property
    def ids(self) -> set[int]:
        """The pets of the pages that kept to their filter."""
        return {pet_id for page in self.usable.values() for pet_id in page.columns.id}

    def left_out(self, ids: set[int]) -> int:
        """Return how many pets of these pages are not among some ids."""
        return len(self.ids - ids)

    def settle(self, ask: Asker) -> None:
        """Find out, once, whether the lengths of the pages say anything."""
        if self.filters_first is None:
            looks_beyond = self.left_out(set(self.first.columns.id)) > 0
            self.filters_first = self.are_usable and (
                looks_beyond or filters_first(ask, self.first)
            )
            seen = Fact.FILTER_COMES_FIRST if self.filters_first else Fact.FILTER_MAY_COME_LAST
            self.notes.append(Evidence(seen))

    def whole(self, longest_page: int) -> set[str]:
        """Return the statuses whose page is whole: shorter than the longest page seen, and neither
        a next page nor a larger total is stated with it."""
        if not self.filters_first:
            return set()
        return {
            status
            for status, page in self.usable.items()
            if len(page) < longest_page
            and not page.stated.may_go_on
            and not self._is_outnumbered(page)
        }

    def _is_outnumbered(self, page: Page) -> bool:
        """Tell whether the store states more pets of a page's status than the page has."""
        total = page.stated.total
        if total is None or total <= len(page):
            return False
        return not (total == self.first.stated.total and shows_others(self.first, page.status))

    def confirm_first(self) -> bool:
        """Tell whether these pages show that no pet with a status is missing from the first page.

        They do when they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        Empty pages confirm nothing.
        """
        if not self.ids or len(self.whole(len(self.first))) < len(PET_STATUSES):
            return False
        pairs = zip(self.first.columns.id, self.first.columns.status, strict=True)
        return self.ids == {pet_id for pet_id, status in pairs if status in PET_STATUSES}

    @property
    def reserve(self) -> Assumption:
        """What these pages leave open of whether the unfiltered listing leaves out pets."""
        looks_beyond = self.filters_first or self.left_out(set(self.first.columns.id)) > 0
        if self.are_usable and looks_beyond:
            return Assumption.LISTS_PETS_WITHOUT_STATUS
        return Assumption.LISTS_EVERY_STATUS


def read_status_pages(ask: Asker, first: Page) -> StatusPages:
    """Ask for one page of each status, side by side, and compare them to the first page."""
    params = {str(status): ask.params(status=status) for status in PET_STATUSES}
    return StatusPages(first, ask.probe_all(params))


def check_filter(page: Page, whole: Page, status: str) -> Iterator[Evidence]:
    """Yield what shows that a filtered page did not keep to its filter.

    Args:
        page: A page filtered by the status.
        whole: A page of all pets.
        status: What the contradiction is about.
    """
    if stray := sum(found != status for found in page.columns.status):
        yield Evidence(Fact.FILTER_NOT_KEPT, status, count=stray)
    elif missing := missed(page, whole, status):
        yield Evidence(Fact.FILTER_LEFT_OUT, status, count=missing)


def missed(page: Page, whole: Page, status: str) -> int:
    """Return how many pets of its status a filtered page left out, though it had room."""
    if len(page) >= len(whole) or page.stated.may_go_on:
        return 0
    pairs = zip(whole.columns.id, whole.columns.status, strict=True)
    return len({pet_id for pet_id, found in pairs if found == status} - set(page.columns.id))


def shows_others(page: Page, status: str | None) -> bool:
    """Tell whether a page holds a pet of another status."""
    return any(found != status for found in page.columns.status)


def filters_first(ask: Asker, whole: Page) -> bool:
    """Ask whether the filter comes before the limit: the other way round it sees one page alone.

    Two limits are tried that fewer pets of a status meet among as many rows of all pets. A store
    that cut first would give fewer than were asked for; one that raises small limits to a length
    of its own would give the same number twice. A store that passes over limits cuts nothing.
    """
    if len(whole) > (whole.limit or MAX_LIMIT):
        return True
    for status in PET_STATUSES:
        rows = [at for at, found in enumerate(whole.columns.status, 1) if found == status]
        sizes = [size for size, row in enumerate(rows, 1) if row > size][-2:]
        if len(sizes) < 2:
            continue
        for size in sizes:
            page = ask.probe(ask.params(limit=size, status=status))
            if page is None or len(page) != size or shows_others(page, status):
                return False
        return True
    return False


def status_pages(listing: Listing) -> Iterator[Evidence]:
    """Say which statuses are held whole, where the listing itself has no end in sight."""
    statuses = listing.hold_status_pages()
    if statuses is None:
        return
    held = Counter(listing.rows.columns().status)
    for status in sorted(statuses.whole(listing.ask.max_page)):
        if held[status] > len(statuses.usable[status]):
            yield Evidence(Fact.STATUS_HELD_MORE, status)
            continue
        known = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NONE_CHANGES)
        yield listing.end(Fact.STATUS_PAGE_WHOLE, *known, scope=status)
