"""The ways in which the end of a listing is looked for, in the order in which they are tried."""

from __future__ import annotations

from petstore_frame.inventory.listing import Strategy
from petstore_frame.inventory.next_links import links_of_shorter_pages, next_links
from petstore_frame.inventory.page_parameter import page_parameter
from petstore_frame.inventory.single_pages import confirmed_page, short_page, status_pages
from petstore_frame.inventory.totals import stated_total

# A new way is a module with such a function, and a line here.
STRATEGIES: tuple[Strategy, ...] = (
    next_links,
    confirmed_page,
    links_of_shorter_pages,
    page_parameter,
    short_page,
    status_pages,
    stated_total,
)
