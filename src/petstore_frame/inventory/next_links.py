"""Following a store's own way from page to page: next links, and headers like them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from petstore_frame.errors import PaginationLoopError, PetstoreError
from petstore_frame.http.links import split_link
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.listing import HOLDS_STILL, Listing
from petstore_frame.inventory.page import Page, UnreadPage
from petstore_frame.inventory.page_parameter import parameter_of, short_page
from petstore_frame.inventory.readings import Course
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.stated import Stated, passes_over

# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEWS = 5
MAX_EMPTY_PAGES = 100


@dataclass
class Way:
    """How the next page is read out of the headers of a page.

    Attributes:
        next_of: Returns the next address, or None at the end.
        fact: What an end shows.
        detail: The detail of that evidence.
        notes: What was met on the way.
    """

    next_of: Callable[[Stated], str | None]
    fact: Fact = Fact.LINKS_ENDED
    detail: str = ""
    notes: list[Evidence] = field(default_factory=list)


def next_links(listing: Listing) -> Iterator[Evidence]:
    """Go on as the first page announces it, to the end."""
    way = _announced(listing) if listing.may_probe else None
    if way is not None:
        yield from _walked(listing, way)


def links_of_shorter_pages(listing: Listing) -> Iterator[Evidence]:
    """Go on where a store names a next page after the shorter of two pages alone.

    That is the end of the listing, unless the store cut the longer page too and names a next one
    only after pages as long as was asked: then asking for that length brings it out.
    """
    first, ask = listing.first, listing.ask
    if not listing.may_probe or listing.walk is not None or len(first) > ask.limit:
        return
    listing.total.test(first)
    short = short_page(ask, first)
    if short is None or first.stated.may_name_next:
        return
    if len(short) >= len(first) or not short.stated.names_next:
        return
    if len(first) < ask.limit:
        page = ask.probe(ask.params(limit=len(first)))
        if page is None:
            return
        if page.stated.names_next:
            listing.begin_with(page)
            yield from next_links(listing)
            return
    is_whole = len(listing.rows) == len(first) and not listing.total.refutes(len(first))
    if is_whole and not listing.is_contradicted and not first.stated.says_more():
        yield listing.end(Fact.LINKS_ONLY_SHORTER, Assumption.LINKS_REACH_ALL)


def _announced(listing: Listing) -> Way | None:
    """Return the way that a first page shows, tried out where its meaning is not known."""
    first, ask = listing.first, listing.ask
    if first.stated.next_addresses:
        return _linked(listing)
    named = first.stated.next_value
    short = None if named is None else short_page(ask, first)
    name = None if short is None else parameter_of(ask, first, short)
    if named is None or name is None:
        return None

    def next_of(stated: Stated) -> str | None:
        following = stated.next_value
        return None if following is None else ask.address(ask.params({name: following.value}))

    return Way(next_of, Fact.HEADERS_ENDED, named.name)


def _linked(listing: Listing) -> Way:
    home = f"{listing.ask.store.base_url}/pets"

    def next_of(stated: Stated) -> str | None:
        address = next(iter(stated.next_addresses), None)
        if address is None or address.startswith(home):
            return address
        note = beside_home(address, home)
        if note is not None and note not in way.notes:
            way.notes.append(note)
        return None if note is not None and note.is_contradiction else address

    way = Way(next_of)
    if gap := passes_over(listing.first.stated.next_addresses[0], len(listing.first)):
        way.notes.append(Evidence(Fact.NEXT_LEAVES_GAP, count=len(listing.first), detail=gap))
    return way


def beside_home(address: str, home: str) -> Evidence | None:
    """Return what shows that a link leads beside the listing, or None.

    One that cannot be read passes here, and is refused by name when it is requested. One that drops
    the beginning of the store's address leads to whatever lies behind a gateway.
    """
    parts, own = split_link(address), urlsplit(home).path
    path = own if parts is None else parts.path.rstrip("/")
    if path == own:
        return None
    if path and own.endswith(path):
        return Evidence(Fact.NEXT_OUTSIDE, detail=own.removesuffix(path))
    return Evidence(Fact.OTHER_PATH, detail=path or "/")


def _walked(listing: Listing, way: Way) -> Iterator[Evidence]:
    """Walk to the end and yield what that shows."""
    if listing.walk is None and way.next_of(listing.first.stated) is None:
        yield from way.notes
        return
    listing.is_announced = True
    found = listing.read_through(lambda first, rows: LinkWalk(listing, first, rows, way))
    yield from way.notes
    if found is None:
        return
    yield from found
    if all(each.shows is Shows.NOTHING for each in (*found, *way.notes)):
        reach = [Assumption.LINKS_REACH_ALL]
        if any(note.fact is Fact.OTHER_PATH for note in way.notes):
            reach.append(Assumption.OTHER_PATH_IS_SAME)
        over_time = HOLDS_STILL if listing.pages > 1 else ()
        yield listing.end(way.fact, *reach, *over_time, detail=way.detail)


class LinkWalk:
    """A listing on its way from page to page; ``run`` continues after a failure.

    Args:
        listing: Is asked for pages, and whether enough is held.
        first: The first page.
        rows: Takes the pets; must hold those of the first page.
        way: Reads the next address out of a page's headers.

    Attributes:
        course: What was met on the way.
        pages: Pages read, the first included.
        following: Address of the next page, or None at the end.
        stated: What the headers of the last page state.
    """

    def __init__(self, listing: Listing, first: Page, rows: Rows, way: Way) -> None:
        self.rows = rows
        self.first = first
        self.course = Course()
        self.pages = 1
        self._listing = listing
        self._way = way
        self._visited = {first.address}
        self._address = first.address
        self._unread: UnreadPage | None = None
        self._problem: PetstoreError | None = None
        self._without_news = 0
        self._known_rows = 0
        self._last_ids = first.columns.id
        self._go_to_next(first.stated)

    def run(self) -> None:
        """Read on to the end, or until the caller has enough.

        Raises:
            PaginationLoopError: An address came again, or page after page brought nothing new.
            PetstoreError: A page could not be read; ``following`` is where to go on.
        """
        try:
            while self.following is not None and not self._is_cut():
                self._step(self.following)
        finally:
            self._read()
        self._raise_problem()

    @property
    def is_over(self) -> bool:
        """Whether the listing's end was reached."""
        return self.following is None

    def _is_cut(self) -> bool:
        is_enough = self._listing.is_enough
        if is_enough is None:
            return False
        self._read()
        return is_enough(self.rows)

    def _step(self, address: str) -> None:
        if address in self._visited:
            if self._points_to_itself(address):
                return
            raise PaginationLoopError(
                f"the store's next link of page {self.pages} leads back to a page already read"
            )
        # The last page is decoded while this request is under way.
        unread = self._listing.ask.ask(address, while_waiting=self._read)
        self._read()
        self._raise_problem()
        if self.following is None:  # the last page turned out to be the end
            return
        self._visited.add(address)
        self._address, self._unread = address, unread
        self.pages += 1
        self._go_to_next(unread.stated)

    def _go_to_next(self, stated: Stated) -> None:
        self.stated = stated
        self.following = self._way.next_of(stated)
        if self.following is None:
            longest = self._listing.ask.max_page
            self.course.end(stated, pages=self.pages, rows=self.pages * longest)
            if stated.may_name_next and self.course.doubt is None:
                self.course.doubt = Evidence(Fact.NEXT_UNCLEAR)

    def _points_to_itself(self, address: str) -> bool:
        """End at a page that gives its own address as the next, as some last pages do."""
        self._read()
        if address != self._address:
            return False
        self.following = None
        self.course.doubt = Evidence(Fact.NEXT_IS_ITSELF, count=self.pages)
        return True

    def _read(self) -> None:
        """Decode the last page; what is wrong with it is raised between two requests."""
        with self._listing.ask.interrupts.block():
            self._decode()

    def _decode(self) -> None:
        unread, self._unread = self._unread, None
        if unread is None:
            return
        try:
            page = unread.read(number=self.pages)
        except PetstoreError as problem:
            # To go on means to ask for this page again, not for the one after it.
            self.following, self._problem = unread.address, problem
            self._visited.discard(unread.address)
            self.pages -= 1
            return
        new, ids = self.rows.add(page.columns), page.columns.id
        if ids:
            self.course.note_overlap(self.pages, ids, self._last_ids, len(ids) - new)
        self._last_ids = ids
        self._listing.ask.note(page)
        self._without_news = 0 if new else self._without_news + 1
        self._known_rows = 0 if new else self._known_rows + len(ids)
        self._listing.note(self.rows)

    def _raise_problem(self) -> None:
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem
        if self._without_news >= MAX_PAGES_WITHOUT_NEWS and self.following is not None:
            self._stop_without_news()

    def _stop_without_news(self) -> None:
        """End where the store keeps naming a next page, but no new pet comes."""
        # More than a page of known pets means a loop; a few may come from a first page that was
        # longer than the following ones, and a filter may leave page after page empty.
        ask = self._listing.ask
        is_round = self._known_rows > ask.max_page
        if is_round and self._last_ids:
            raise PaginationLoopError(
                f"{self._without_news} pages in a row brought no new pet, and the store points on"
            )
        may_go_on = self._known_rows or ask.status is not None
        if is_round or not may_go_on or self._without_news >= MAX_EMPTY_PAGES:
            self.following = None
            self.course.doubt = Evidence(Fact.NEXT_IS_OLD, count=self.pages)
