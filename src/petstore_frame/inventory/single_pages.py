"""What single pages prove: the first one, and a page of each status.

A store may cut its pages at a length of its own without a word, so a short page alone is believed
only where nothing that was asked beside it speaks against it. Pets without a status match no
filter, so the pages of the statuses alone never cover a store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page import Page
from petstore_frame.schema.models import PET_STATUSES

if TYPE_CHECKING:
    from petstore_frame.inventory.asking import Asker
    from petstore_frame.inventory.listing import Listing

# Fewer pets than this on a page are no page that a program would choose.
SMALLEST_CAP = 10
# Lengths that stores give a page where they pass over the limit, or cut at less.
USUAL_LENGTHS = frozenset((20, 25, 50))
_OF_STATUSES = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NONE_CHANGES)


# -- the strategies


def confirmed_page(listing: Listing) -> Iterator[Evidence]:
    """Believe a short page that the pages of the statuses, or that of all pets, confirm."""
    if not _may_be_whole(listing):
        return
    first, ask = listing.first, listing.ask
    if ask.status is not None:
        whole = _unfiltered(listing)
        if whole is not None:
            for contradiction in check_filter(first, whole, ask.status):
                yield Evidence(contradiction.fact, count=contradiction.count)
            if len(whole) > len(first) and filters_first(ask, whole):
                yield listing.end(Fact.FILTERED_PAGE_CONFIRMED, Assumption.ONE_CAP)
        return
    statuses = listing.hold_status_pages()
    if statuses is not None and statuses.are_usable and statuses.confirm_first():
        known = (Assumption.FILLS_PAGES_WITHOUT_STATUS, *_OF_STATUSES)
        yield listing.end(Fact.PAGE_CONFIRMED, *known)


def short_page(listing: Listing) -> Iterator[Evidence]:
    """Believe a short page where nothing speaks against it, and it is no usual length of a page."""
    if not _may_be_whole(listing) or listing.walk is not None or listing.is_contradicted:
        return
    if not _may_be_cut(listing) and not _is_usual_length(listing):
        yield listing.end(Fact.PAGE_HAD_ROOM, Assumption.FILLS_PAGES)


def status_pages(listing: Listing) -> Iterator[Evidence]:
    """Say which statuses are held whole, where the listing itself has no end in sight."""
    statuses = listing.hold_status_pages()
    if statuses is None:
        return
    held = Counter(listing.rows.columns().status)
    for status in sorted(statuses.whole(listing.ask.max_page)):
        if held[status] > len(statuses.usable[status]):
            yield Evidence(Fact.STATUS_HELD_MORE, status)
        else:
            yield listing.end(Fact.STATUS_PAGE_WHOLE, *_OF_STATUSES, scope=status)


def _may_be_whole(listing: Listing) -> bool:
    first = listing.first
    is_short = len(first) < listing.ask.limit and not first.stated.may_go_on
    return is_short and not listing.total.refutes(len(listing.rows))


def _may_be_cut(listing: Listing) -> bool:
    """Tell whether the page beside it is as long, or shows that the store cut the short one."""
    first, ask = listing.first, listing.ask
    if ask.status is not None:
        whole = _unfiltered(listing)
        if whole is not None and len(whole) > len(first):
            return len(whole) >= ask.limit
        return whole is not None and len(first) >= SMALLEST_CAP
    statuses = listing.status_pages()
    if statuses is None:
        return False
    longest = max(map(len, statuses.usable.values()), default=0)
    return longest >= len(first) >= SMALLEST_CAP or statuses.left_out > 0


def _is_usual_length(listing: Listing) -> bool:
    """Tell whether a page has a length that stores give pages, and none was seen to be longer."""
    length = len(listing.first)
    return length in USUAL_LENGTHS and listing.ask.max_page <= length


def _unfiltered(listing: Listing) -> Page | None:
    return listing.ask.probe({"limit": str(listing.ask.limit)})


# -- the pages of the statuses


class StatusPages:
    """One page of each status that answered, compared to the unfiltered first page.

    Attributes:
        answered: Every page that came, by its status.
        notes: What was learned of each; a contradiction is about its status alone.
        filters_first: Whether the store was seen to filter before it cuts to the limit; None
            until that was asked.
    """

    def __init__(self, ask: Asker, first: Page) -> None:
        self.first = first
        self.answered = ask.probe_all({name: ask.params(status=name) for name in PET_STATUSES})
        self.filters_first: bool | None = None
        self.notes: list[Evidence] = []
        for status, page in self.answered.items():
            self.notes.append(Evidence(Fact.STATUS_PAGE, status, count=len(page)))
            self.notes += check_filter(page, first, status)

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

    @property
    def left_out(self) -> int:
        """How many of these pets are not on the first page."""
        return len(self.ids - {*self.first.columns.id})

    def settle(self, ask: Asker) -> None:
        """Find out, once, whether the lengths of the pages say anything."""
        if self.filters_first is None:
            self.filters_first = self.are_usable and (
                self.left_out > 0 or filters_first(ask, self.first)
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
        total, first = page.stated.total or 0, self.first
        is_of_all = total == first.stated.total and first.strays(page.status) > 0
        return total > len(page) and not is_of_all

    def confirm_first(self) -> bool:
        """Tell whether these pages show that no pet with a status is missing from the first page.

        They do when they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        Empty pages confirm nothing.
        """
        if not self.ids or len(self.whole(len(self.first))) < len(PET_STATUSES):
            return False
        return self.ids == set().union(*map(self.first.ids_with, PET_STATUSES))

    @property
    def reserve(self) -> Assumption:
        """What these pages leave open of whether the unfiltered listing leaves out pets."""
        if self.are_usable and (self.filters_first or self.left_out):
            return Assumption.LISTS_PETS_WITHOUT_STATUS
        return Assumption.LISTS_EVERY_STATUS


def check_filter(page: Page, whole: Page, status: str) -> Iterator[Evidence]:
    """Yield what shows that a page of a status did not keep to it, beside a page of all pets."""
    if strays := page.strays(status):
        yield Evidence(Fact.FILTER_NOT_KEPT, status, count=strays)
        return
    missing = whole.ids_with(status) - {*page.columns.id}
    has_room = len(page) < len(whole) and not page.stated.may_go_on
    if missing and has_room:
        yield Evidence(Fact.FILTER_LEFT_OUT, status, count=len(missing))


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
            if page is None or len(page) != size or page.strays(status):
                return False
        return True
    return False
