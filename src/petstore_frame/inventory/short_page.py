"""What a page proves that is shorter than was asked for.

A store may cut its pages at a length of its own without a word, so a short page alone is believed
only where nothing that was asked beside it speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterator

from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.listing import Listing
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.statuses import check_filter, filters_first

# Fewer pets than this on a page are no page that a program would choose.
SMALLEST_CAP = 10


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
        known = (
            Assumption.FILLS_PAGES_WITHOUT_STATUS,
            Assumption.ONE_CAP,
            Assumption.FILTER_IS_TRUE,
            Assumption.NONE_CHANGES,
        )
        yield listing.end(Fact.PAGE_CONFIRMED, *known)


def short_page(listing: Listing) -> Iterator[Evidence]:
    """Believe a short page where nothing speaks against it, and it is no usual length of a page."""
    if not _may_be_whole(listing) or listing.walk is not None or listing.is_contradicted:
        return
    if not _may_be_cut(listing):
        yield listing.end(Fact.PAGE_HAD_ROOM, Assumption.FILLS_PAGES)


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
    return longest >= len(first) >= SMALLEST_CAP or statuses.left_out({*first.columns.id}) > 0


def _may_be_whole(listing: Listing) -> bool:
    first = listing.first
    is_short = len(first) < listing.ask.limit and not first.stated.may_go_on
    return is_short and not listing.total.refutes(len(listing.rows))


def _unfiltered(listing: Listing) -> Page | None:
    return listing.ask.probe({"limit": str(listing.ask.limit)})
