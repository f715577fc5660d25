"""Reads a listing page by page, notices changes, and follows next links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.requests import Requests, Rows
from petstore_frame.inventory.result import PaginationLoopError
from petstore_frame.inventory.single_pages import ask_statuses, end_of
from petstore_frame.schema.models import PET_STATUSES
from petstore_frame.transport.links import split_link
from petstore_frame.transport.page import Page, passes_over

# What a listing that was read over several pages rests on.
_HOLDS_STILL = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)
# What a store answers for a place in its listing that it no longer keeps.
_EXPIRED = (400, 404, 410, 422)
# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEWS = 5
MAX_EMPTY_PAGES = 100
# So many short pages in a row are read, or as many as came before them: a store that grows with
# each request has no end.
MAX_SHORT_PAGES = 50


class Walk:
    """Reads a listing page by page; ``run`` continues after a failure.

    ``rows`` holds the pets of ``first`` from the start. ``breaks`` is what did not fit together on
    the way, ``doubt`` why the end that was met proves nothing, and ``looked_back`` what the first
    page showed when it was read again. ``is_forgotten``: the cursor expired.
    """

    fact: Fact
    reach: tuple[Assumption, ...]  # what its end rests on

    def __init__(self, ask: Requests, first: Page, rows: Rows, detail: str = "") -> None:
        self._ask, self.rows, self.detail = ask, rows, detail
        self.first = self.last = first
        self.pages, self._short_pages = 1, 0
        self.is_over = self.is_forgotten = False
        self.seams = 0  # windows that did not begin with the row read last
        self.notes: list[Evidence] = []
        self.breaks: list[Evidence] = []
        self.doubt: Evidence | None = None
        self.looked_back: list[Evidence] | None = None

    def run(self) -> None:
        """Read on to the end, or until the caller has enough.

        Raises:
            PetstoreError: A page could not be read; ``run`` asks for it again.
        """
        while not self.is_over and not self._ask.has_enough(self.rows):
            before, count = dict(vars(self)), len(self.rows)
            repeated = self.rows.repeated
            try:
                self._step()
            except KeyboardInterrupt:  # it may have come in the middle of a page
                vars(self).update(before)
                self.rows.cut(count)
                self.rows.repeated = repeated
                raise
            is_short = 0 < len(self.last) < self._ask.max_page
            self._short_pages = self._short_pages + 1 if is_short else 0
            if self._short_pages > max(MAX_SHORT_PAGES, self.pages - self._short_pages):
                self._end(Fact.STILL_GROWS, self.pages)

    def _step(self) -> None:
        """Read one more page, or end."""
        raise NotImplementedError

    def _end(self, doubt: Fact | None = None, count: int = 0, detail: str = "") -> None:
        self.is_over = True
        if doubt is not None:
            self.doubt = Evidence(doubt, count=count, detail=detail)

    def look_back(self) -> list[Evidence]:
        """Read the first page again, and return what shows that the listing moved meanwhile."""
        first = self.first
        page = self._ask.probe(self._ask.params(), again=True) if self.pages > 1 else None
        if page is None:
            return [*self.breaks]
        ids, before = list(page.columns.id), list(first.columns.id)
        grown = next((at for at, pet_id in enumerate(ids) if pet_id in self.rows), len(ids))
        found, has_grown = [*self.breaks], self._only_grew(ids, before, grown)
        if has_grown:
            # The rows that came twice were those that the new pets pushed on.
            found = [Evidence(Fact.NEW_IN_FRONT, count=grown)]
            if self.doubt is not None and self.doubt.fact is Fact.PAGES_REPEAT:
                self.doubt = None
        elif ids != before:
            found.append(Evidence(Fact.FIRST_PAGE_MOVED))
        if (has_grown or ids == before) and page.columns != first.columns:
            self.rows.update(page.columns)
        if first.total is not None and page.total is not None and page.total < first.total:
            found.append(Evidence(Fact.PETS_LEFT, count=first.total - page.total))
        return found

    def _only_grew(self, ids: list[int], before: list[int], grown: int) -> bool:
        """Tell whether new pets came in front, pushed no more rows on, and no other row moved."""
        return (
            0 < grown < len(ids)
            and ids[grown:] == before[: len(ids) - grown]
            # A seam that broke brings the row that it overlaps once more.
            and self.rows.repeated - self.seams <= grown
        )


def read_through(
    first: Page, ask: Requests, begin: Callable[[Page, Rows], Walk]
) -> Iterator[Evidence]:
    """Walk to the end of the listing; yield what was met, and the end if all fits."""
    # Before the walk: it then cannot miss a pet that came after they were read. A reading that may
    # stop early asks them only at its end.
    has_budget = ask.spent + len(PET_STATUSES) + 1 <= ask.budget
    if ask.way is None and ask.is_enough is None and has_budget:
        ask_statuses(first, ask)
    walk = ask.way if isinstance(ask.way, Walk) else _begin(first, ask, begin)
    if walk.is_forgotten:
        walk = _begin(ask.page(ask.params(), number=1), ask, begin)
    try:
        walk.run()
    except APIStatusError as problem:
        walk.is_forgotten = problem.status_code in _EXPIRED
        raise
    finally:
        _gather(ask, walk)
    yield from walk.notes
    if not walk.is_over:
        return
    if walk.looked_back is None:
        walk.looked_back = walk.look_back()
        _gather(ask, walk)
    met = [*walk.looked_back, *([] if walk.doubt is None else [walk.doubt])]
    yield from met
    if all(each.shows is Shows.NOTHING for each in (*met, *walk.notes)):
        over_time = _HOLDS_STILL if walk.pages > 1 else ()
        statuses = ask_statuses(first, ask)
        yield end_of(ask, statuses, walk.fact, *walk.reach, *over_time, detail=walk.detail)


def _begin(first: Page, ask: Requests, begin: Callable[[Page, Rows], Walk]) -> Walk:
    """Start a walk; it counts its own rows where other pages have brought some already."""
    rows = ask.rows
    if ask.way is not None or rows.repeated or len(rows) != len(first):
        rows = Rows()
        rows.add(first.columns)
    walk = begin(first, rows)
    ask.way = walk
    return walk


def _gather(ask: Requests, walk: Walk) -> None:
    if walk.rows is not ask.rows:
        ask.rows.add_all(walk.rows)


def next_links(first: Page, ask: Requests) -> Iterator[Evidence]:
    """Go on as the first page links it, to the end."""
    if not ask.may_probe or first.next_address is None:
        return
    if left_out := prefix_left_out(first.next_address, ask.store.base_url):
        yield _next_outside(left_out)
    else:
        yield from read_through(first, ask, lambda page, rows: LinkWalk(ask, page, rows))


def prefix_left_out(address: str, base_url: str) -> str:
    """Return the beginning of the store's path that a link drops; empty where it drops none.

    Such a link leads past a gateway's address. A link that cannot be read passes here; the request
    for it is refused with its name.
    """
    if address.startswith(f"{base_url}/"):
        return ""
    parts, own = split_link(address), urlsplit(f"{base_url}/pets").path
    path = "" if parts is None else parts.path.rstrip("/")
    return own.removesuffix(path) if path and own.endswith(path) else ""


def _next_outside(left_out: str) -> Evidence:
    return Evidence(Fact.NEXT_NOT_READ, detail=f": it leaves out {left_out} of the address")


class LinkWalk(Walk):
    """Follows next links.

    Raises:
        PaginationLoopError: An address came again, or page after page brought nothing new.
    """

    fact = Fact.LINKS_ENDED
    reach = (Assumption.LINKS_REACH_ALL,)

    def __init__(self, ask: Requests, first: Page, rows: Rows) -> None:
        super().__init__(ask, first, rows)
        self._visited: dict[str, int] = {}  # addresses, with the numbers of their pages
        self._without_news = self._known_rows = 0
        self._following: str | None = None
        if gap := passes_over(first.next_address or "", len(first)):
            skips = f": it goes on at {gap} after row {len(first):,}"
            self.notes.append(Evidence(Fact.NEXT_NOT_READ, detail=skips))
        self._go_on_from(first)

    def _step(self) -> None:
        address = self._following or ""
        if address == self.last.address:  # as some last pages do
            self._end(Fact.NEXT_NOT_READ, detail=f": page {self.pages:,} names itself")
            return
        if self._visited.get(address, self.pages + 1) <= self.pages:
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
        self._ask.on_rows(len(self.rows))
        self._go_on_from(page)
        if self._without_news >= MAX_PAGES_WITHOUT_NEWS and not self.is_over:
            self._stop_without_news()

    def _go_on_from(self, page: Page) -> None:
        self.last = page
        self._visited[page.address] = self.pages
        address = page.next_address
        left_out = address and prefix_left_out(address, self._ask.store.base_url)
        if left_out:
            self.notes = [*self.notes, _next_outside(left_out)]
        self._following = None if left_out else address
        if self._following is None:
            self._end(Fact.NEXT_NOT_READ if page.may_name_next and self.doubt is None else None)

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
            self._end(Fact.NEXT_NOT_READ, detail=f": page {self.pages:,} brought no new pet")
