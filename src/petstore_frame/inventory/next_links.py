"""Following a store's own way from page to page: next links, and headers like them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from petstore_frame.http.links import split_link
from petstore_frame.inventory.asking import Asker
from petstore_frame.inventory.broken_off import PaginationLoopError
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.page_parameter import parameter_of, short_page
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.single_pages import ask_statuses, end_of
from petstore_frame.inventory.stated import Stated, passes_over
from petstore_frame.inventory.totals import ask_what_total_counts
from petstore_frame.inventory.walk import Walk, read_through

# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEWS = 5
MAX_EMPTY_PAGES = 100


def next_links(first: Page, ask: Asker) -> Iterator[Evidence]:
    """Go on as the first page announces it, to the end."""
    addresses, named = first.stated.next_addresses, first.stated.next_value
    if not ask.may_probe or not first.stated.names_next:
        return
    header = parameter = ""
    if addresses:
        note = beside_home(addresses[0], f"{ask.store.base_url}/pets")
        if note is not None and note.is_contradiction:
            yield note
            return
    elif named is not None:
        # What the value means is not known, and tried out.
        short = short_page(ask, first)
        found = None if short is None else parameter_of(ask, first, short)
        if found is None:
            return
        header, parameter = named.name, found
    yield from read_through(
        first, ask, lambda page, rows: LinkWalk(ask, page, rows, header, parameter)
    )


def links_of_shorter_pages(first: Page, ask: Asker) -> Iterator[Evidence]:
    """Go on where a store names a next page after the shorter of two pages alone.

    That is the end of the listing, unless the store cut the longer page too and names a next one
    only after pages as long as was asked: then asking for that length brings it out.
    """
    if not ask.may_probe or ask.way is not None or len(first) > ask.limit:
        return
    if first.stated.may_name_next:
        return
    total = ask_what_total_counts(first, ask)
    short = short_page(ask, first)
    if short is None or len(short) >= len(first) or not short.stated.names_next:
        return
    if len(first) < ask.limit:
        page = ask.probe(ask.params(limit=len(first)))
        if page is None:
            return
        if page.stated.names_next:
            ask.limit = len(first)
            yield from next_links(page, ask)
            return
    statuses = ask_statuses(first, ask)
    is_contradicted = statuses is not None and statuses.is_contradicted
    is_whole = len(ask.rows) == len(first) and not total.refutes(len(first))
    if is_whole and not is_contradicted and not first.stated.says_more():
        yield end_of(ask, statuses, Fact.LINKS_ONLY_SHORTER, Assumption.LINKS_REACH_ALL)


def beside_home(address: str, home: str) -> Evidence | None:
    """Return what shows that a link leads beside the listing, or None.

    One that cannot be read passes here, and is refused by name when it is requested. One that drops
    the beginning of the store's address leads to whatever lies behind a gateway.
    """
    if address.startswith(home):
        return None
    parts, own = split_link(address), urlsplit(home).path
    path = own if parts is None else parts.path.rstrip("/")
    if path == own:
        return None
    if path and own.endswith(path):
        return Evidence(Fact.NEXT_OUTSIDE, detail=own.removesuffix(path))
    return Evidence(Fact.OTHER_PATH, detail=path or "/")


class LinkWalk(Walk):
    """Follows next links, or the values of a header that a parameter takes.

    Raises:
        PaginationLoopError: An address came again, or page after page brought nothing new.
    """

    def __init__(self, ask: Asker, first: Page, rows: Rows, header: str, parameter: str) -> None:
        super().__init__(ask, first, rows, header)
        self.fact = Fact.HEADERS_ENDED if header else Fact.LINKS_ENDED
        self._parameter = parameter
        self._visited: set[str] = set()
        self._without_news = 0
        self._known_rows = 0
        self._following: str | None = None
        if not parameter and (gap := passes_over(first.stated.next_addresses, len(first))):
            self.notes.append(Evidence(Fact.NEXT_LEAVES_GAP, count=len(first), detail=gap))
        self._go_on_from(first)

    def _next_of(self, stated: Stated) -> str | None:
        """Return the address of the next page, or None at the end."""
        ask, named = self._ask, stated.next_value
        if self._parameter:
            more = {} if named is None else {self._parameter: named.value}
            return ask.address(ask.params(more)) if more else None
        address = next(iter(stated.next_addresses), None)
        note = None if address is None else beside_home(address, f"{ask.store.base_url}/pets")
        if note is None:
            return address
        if note not in self.notes:
            self.notes.append(note)
        return None if note.is_contradiction else address

    @property
    def reach(self) -> Sequence[Assumption]:
        is_elsewhere = any(note.fact is Fact.OTHER_PATH for note in self.notes)
        other_path = (Assumption.OTHER_PATH_IS_SAME,) if is_elsewhere else ()
        return (Assumption.LINKS_REACH_ALL, *other_path)

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
        self._following = self._next_of(page.stated)
        if self._following is None:
            longest = self._ask.max_page
            self._end_at(page, pages=self.pages, rows=self.pages * longest)
            if page.stated.may_name_next and self.doubt is None:
                self._end(Fact.NEXT_UNCLEAR)

    def _stop_without_news(self) -> None:
        """End where the store keeps naming a next page, but no new pet comes."""
        # More than a page of known pets means a loop; a few may come from a first page that was
        # longer than the following ones, and a filter may leave page after page empty.
        ask = self._ask
        is_round = self._known_rows > ask.max_page
        if is_round and len(self.last):
            raise PaginationLoopError(
                f"{self._without_news} pages in a row brought no new pet, and the store points on"
            )
        may_go_on = self._known_rows or ask.status is not None
        if is_round or not may_go_on or self._without_news >= MAX_EMPTY_PAGES:
            self._end(Fact.NEXT_IS_OLD, self.pages)
