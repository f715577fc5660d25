"""Following a store's own next links from page to page."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from petstore_frame.http.links import split_link
from petstore_frame.http.listing_headers import passes_over
from petstore_frame.http.page import Page
from petstore_frame.inventory.asker import Asker
from petstore_frame.inventory.broken_off import PaginationLoopError
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page_parameter import short_page
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.single_pages import ask_statuses, end_of
from petstore_frame.inventory.stated_total import ask_whose_total
from petstore_frame.inventory.walk import Walk, read_through

# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEWS = 5
MAX_EMPTY_PAGES = 100


def next_links(first: Page, ask: Asker) -> Iterator[Evidence]:
    """Go on as the first page links it, to the end."""
    addresses = first.stated.next_addresses
    if not ask.may_probe or not addresses:
        return
    if left_out := prefix_left_out(addresses[0], ask.store.base_url):
        yield Evidence(Fact.NEXT_OUTSIDE, detail=left_out)
    else:
        yield from read_through(first, ask, lambda page, rows: LinkWalk(ask, page, rows))


def links_of_shorter_pages(first: Page, ask: Asker) -> Iterator[Evidence]:
    """Go on where a store names a next page after the shorter of two pages alone.

    Then the longer page was the end, unless the store cut it, too, and names a next page only after
    a page as long as the limit: so ask for just that length.
    """
    if not ask.may_probe or ask.way is not None or len(first) > ask.limit:
        return
    if first.stated.may_name_next:
        return
    total = ask_whose_total(first, ask)
    short = short_page(ask, first)
    if short is None or len(short) >= len(first) or not short.stated.may_name_next:
        return
    if len(first) < ask.limit:
        page = ask.probe(ask.params(limit=len(first)))
        if page is not None and page.stated.next_addresses:
            ask.limit = len(first)
            yield from next_links(page, ask)
        if page is None or page.stated.may_name_next:
            return
    statuses = ask_statuses(first, ask)
    is_contradicted = statuses is not None and statuses.is_contradicted
    is_whole = len(ask.rows) == len(first) and not total.refutes(len(first))
    if is_whole and not is_contradicted and not first.stated.says_more():
        yield end_of(ask, statuses, Fact.LINKS_ONLY_SHORTER, Assumption.LINKS_REACH_ALL)


def prefix_left_out(address: str, base_url: str) -> str:
    """Return the beginning of the store's path that a link drops; empty where it drops none.

    Such a link leads past a gateway's address. A link that cannot be read passes here; the request
    for it is refused with its name.
    """
    parts, own = split_link(address), urlsplit(f"{base_url}/pets").path
    path = "" if parts is None else parts.path.rstrip("/")
    return own.removesuffix(path) if path and own.endswith(path) else ""


class LinkWalk(Walk):
    """Follows next links.

    Raises:
        PaginationLoopError: An address came again, or page after page brought nothing new.
    """

    fact = Fact.LINKS_ENDED
    reach = (Assumption.LINKS_REACH_ALL,)

    def __init__(self, ask: Asker, first: Page, rows: Rows) -> None:
        super().__init__(ask, first, rows)
        self._visited: set[str] = set()
        self._without_news = self._known_rows = 0
        self._following: str | None = None
        if gap := passes_over(first.stated.next_addresses, len(first)):
            self.notes.append(Evidence(Fact.NEXT_LEAVES_GAP, count=len(first), detail=gap))
        self._go_on_from(first)

    def _step(self) -> None:
        address = self._following or ""
        if address == self.last.address:  # as some last pages do
            self._end(Fact.NEXT_IS_ITSELF, self.pages)
            return
        if address in self._visited:
            raise PaginationLoopError(
                f"the store's next link of page {self.pages} leads back to a page already read"
            )
        page = self._ask.page(address=address, number=self.pages + 1)
        self.pages += 1
        new, ids = self.rows.add(page.columns), page.columns.id
        if new < len(ids):
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)
        self._without_news = 0 if new else self._without_news + 1
        self._known_rows = 0 if new else self._known_rows + len(ids)
        self._ask.tell(self.rows)
        self._go_on_from(page)
        if self._without_news >= MAX_PAGES_WITHOUT_NEWS and not self.is_over:
            self._stop_without_news()

    def _go_on_from(self, page: Page) -> None:
        self.last = page
        self._visited.add(page.address)
        address = next(iter(page.stated.next_addresses), None)
        left_out = address and prefix_left_out(address, self._ask.store.base_url)
        if left_out:
            self.notes.append(Evidence(Fact.NEXT_OUTSIDE, detail=left_out))
        self._following = None if left_out else address
        if self._following is None:
            self._end_at(page, pages=self.pages, rows=self.pages * self._ask.max_page)
            if page.stated.may_name_next and self.doubt is None:
                self._end(Fact.NEXT_UNCLEAR)

    def _stop_without_news(self) -> None:
        """End where the store keeps naming a next page, but no new pet comes."""
        # More than a page of known pets means a loop; a few may come from a first page that was
        # longer than the following ones, and a filter may leave page after page empty.
        is_round = self._known_rows > self._ask.max_page
        if is_round and len(self.last):
            raise PaginationLoopError(
                f"{self._without_news} pages in a row brought no new pet, and the store points on"
            )
        may_go_on = self._known_rows or self._ask.status is not None
        if is_round or not may_go_on or self._without_news >= MAX_EMPTY_PAGES:
            self._end(Fact.NEXT_IS_OLD, self.pages)
