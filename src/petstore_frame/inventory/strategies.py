"""The ways in which the end of a listing is looked for, in order, and what all of it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from petstore_frame.inventory.evidence import Evidence, Fact, Shows
from petstore_frame.inventory.listing import Listing
from petstore_frame.inventory.next_links import links_of_shorter_pages, next_links
from petstore_frame.inventory.page_parameter import page_parameter
from petstore_frame.inventory.single_pages import confirmed_page, short_page, status_pages
from petstore_frame.inventory.totals import stated_total
from petstore_frame.schema.models import NO_STATUS

# A new way is a module with such a function, and a line here.
STRATEGIES: tuple[Callable[[Listing], Iterator[Evidence]], ...] = (
    next_links,
    confirmed_page,
    links_of_shorter_pages,
    page_parameter,
    short_page,
    status_pages,
    stated_total,
)


def read_listing(listing: Listing) -> tuple[Evidence, ...]:
    """Read what can be read and return all that was learned; called again, it goes on.

    The strategies are tried until one finds the end, or shows that there is none to find.
    """
    listing.open()
    strays = listing.first.strays(listing.ask.status)
    listing.evidence = [Evidence(Fact.FILTER_NOT_KEPT, count=strays)] if strays else []
    for strategy in STRATEGIES:
        if listing.has_enough:
            break
        listing.evidence += strategy(listing)
        is_over = listing.has(Shows.END) and not listing.leaves_some_out()
        if is_over or listing.has(Shows.MOVED):
            break
    return (*listing.evidence, *_of_all(listing))


def _of_all(listing: Listing) -> Iterator[Evidence]:
    """Yield what the totals, the statuses and the ages show at last."""
    if listing.walk is None and not listing.has_enough:
        why = _why_unclear(listing)
        if why.is_contradiction or not listing.has(Shows.END):
            yield why
    listing.leaves_some_out()
    if listing.statuses is not None:
        yield from listing.statuses.notes
    if listing.left_out:
        yield Evidence(Fact.STATUSES_HOLD_MORE, count=listing.left_out)
    if listing.may_probe:
        yield from listing.total.evidence(len(listing.rows))
    yield from listing.ask.evidence()
    if listing.gone:
        yield Evidence(Fact.PETS_GONE, count=listing.gone)


def _why_unclear(listing: Listing) -> Evidence:
    """Return why a listing of which only single pages were read is not known to end there."""
    first, stated = listing.first, listing.first.stated
    if stated.next_addresses or (not listing.may_probe and stated.names_next):
        return Evidence(Fact.NEXT_UNREAD)
    if stated.next_value is not None:
        return Evidence(Fact.NEXT_UNCLEAR)
    if more := stated.says_more():
        return Evidence(Fact.SAYS_MORE, detail=more)
    if stated.may_name_next:
        return Evidence(Fact.NEXT_UNCLEAR)
    if len(first) > listing.ask.limit:
        return Evidence(Fact.PAGE_TOO_LONG)
    if len(first) == listing.ask.limit:
        return Evidence(Fact.PAGE_FULL)
    return Evidence(Fact.PAGE_MAY_BE_CUT, count=len(first))


def evidence_of_rows(listing: Listing) -> Iterator[Evidence]:
    """Yield what rows show that came twice with other values, or with damaged texts."""
    rows, damaged = listing.rows, listing.ask.damaged
    for status in rows.disputed:
        yield Evidence(Fact.STATUS_MOVED, status or NO_STATUS)
    if rows.changed_ids:
        yield Evidence(Fact.PETS_CHANGED, count=len(rows.changed_ids))
    if damaged:
        yield Evidence(Fact.TEXTS_DAMAGED, count=sum(pet_id in rows for pet_id in damaged))
