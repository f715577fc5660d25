"""Reads a listing page by page, by next links or by a page parameter, and notices changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from petstore_frame.errors import APIStatusError, CrossOriginError
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page_fetcher import Requests, Rows
from petstore_frame.schema import PetColumns
from petstore_frame.transport import Page

# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEWS = 20
# So many short pages in a row are read, or as many as came before them: a store that grows with
# each request has no end.
MAX_SHORT_PAGES = 50
TRIED_ROWS = 10


class Walk:
    """Reads a listing page by page; ``rows`` holds the pets of ``first`` from the start.

    ``is_over`` says that an end was met, ``doubt`` why it proves nothing, and ``breaks`` what did
    not fit together on the way.
    """

    fact: Fact
    reach: Assumption  # what its end rests on

    def __init__(self, ask: Requests, first: Page, rows: Rows, detail: str = "") -> None:
        self.ask, self.first, self.rows, self.detail = ask, first, rows, detail
        self.last, self.pages, self.is_over = first, 1, False
        self.breaks: list[Evidence] = []
        self.doubt: Evidence | None = None

    def run(self) -> None:
        """Read on to the end, or until the caller has enough."""
        short_pages = 0
        while not self.is_over and not self.ask.has_enough(self.rows):
            self._step()
            is_short = 0 < len(self.last) < self.ask.max_page
            short_pages = short_pages + 1 if is_short else 0
            if not self.is_over and short_pages > max(MAX_SHORT_PAGES, self.pages - short_pages):
                self._end(Fact.STILL_GROWS, self.pages)

    def _step(self) -> None:
        """Read one more page, or end."""
        raise NotImplementedError

    def _end(self, doubt: Fact | None = None, count: int = 0, detail: str = "") -> None:
        self.is_over = True
        if doubt is not None:
            self.doubt = Evidence(doubt, count=count, detail=detail)

    def _take(self, columns: PetColumns) -> int:
        """Add the rows of a page; return how many came twice."""
        repeated = len(columns.id) - self.rows.add(columns)
        self.ask.on_rows(len(self.rows))
        return repeated

    def look_back(self) -> Iterator[Evidence]:
        """Read the first page again; yield what shows that the listing moved, and the doubt."""
        yield from self.breaks
        first, page = self.first, self.ask.probe(self.ask.params()) if self.pages > 1 else None
        if page is not None:
            if page.columns.id != first.columns.id:
                yield Evidence(Fact.FIRST_PAGE_MOVED)
            elif page.columns != first.columns:
                self.rows.add(page.columns)
            if first.total is not None and page.total is not None and page.total < first.total:
                yield Evidence(Fact.PETS_LEFT, count=first.total - page.total)
        if self.doubt is not None:
            yield self.doubt


class LinkWalk(Walk):
    """Follows next links; one that cannot be followed to a new page leaves the end open."""

    fact, reach = Fact.LINKS_ENDED, Assumption.LINKS_REACH_ALL

    def __init__(self, ask: Requests, first: Page, rows: Rows) -> None:
        super().__init__(ask, first, rows)
        self._visited = {first.address}
        self._without_news = 0
        gap = first.next_skips
        self._skips = f": it goes on at {gap} after row {len(first):,}" if gap else ""

    def _step(self) -> None:
        address, number = self.last.next_address, f": page {self.pages:,}"
        if address is None:
            is_doubtful = self._skips or (self.last.may_name_next and self.doubt is None)
            self._end(Fact.NEXT_NOT_READ if is_doubtful else None, detail=self._skips)
        elif address in self._visited:
            self._end(Fact.NEXT_NOT_READ, detail=f"{number} leads back to one that was read")
        elif self._without_news == MAX_PAGES_WITHOUT_NEWS:
            self._end(Fact.NEXT_NOT_READ, detail=f"{number} brought no new pet")
        else:
            self._visited.add(address)
            try:
                self.last = self.ask.page(address=address, number=self.pages + 1)
            except CrossOriginError as problem:  # nothing was sent
                self._end(Fact.NEXT_NOT_READ, detail=f": {problem}")
                return
            self.pages += 1
            repeated = self._take(self.last.columns)
            if repeated:
                self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)
            has_news = len(self.last) > repeated
            self._without_news = 0 if has_news else self._without_news + 1


# What the value of a parameter counts: rows to pass over, pages, or the id before the window.
Kind = Literal["offset", "page", "after"]
# Parameters that the interface does not state, the more common ones first. Those of one line are
# asked for together, as a program passes over those that it does not know; then each by itself.
PARAMETERS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("offset", ("offset", "skip", "start", "_start")),
    ("page", ("page", "_page", "page[number]")),
    ("after", ("after", "starting_after", "cursor", "since_id", "last_id")),
    ("after", ("before",)),  # of a listing that begins with the newest
)


class Parameter(NamedTuple):
    """A parameter that is known to move a window over the listing, and the number of page one."""

    name: str
    kind: Kind
    first_page: int = 1


def find_parameter(ask: Requests, first: Page) -> Parameter | None:
    """Return the first parameter that moves as it should over rows already read, or None."""
    ids = list(first.columns.id)
    tried = min(TRIED_ROWS, len(ids) // 3)
    # The beginning has to come again; it may be longer than was asked for.
    short = ask.probe(ask.params(limit=tried)) if tried > 1 else None
    size = 0 if short is None else len(short)
    if short is None or not tried <= size <= len(ids) or [*short.columns.id] != ids[:size]:
        return None
    for kind, names in PARAMETERS:
        value, windows = _trial(kind, ids, size)
        # Together first; one by one also where they were refused together.
        for asked in (names, *([name] for name in names)):
            page = ask.probe(ask.params(dict.fromkeys(asked, str(value)), limit=size))
            place = None if page is None else _which(page, windows, size)
            if place is not None and len(asked) == 1:
                return Parameter(asked[0], kind, 1 - place)
            if page is not None and place is None and asked is names:
                break
    return None


def _trial(kind: Kind, ids: list[int], size: int) -> tuple[int, list[list[int]]]:
    """Return a value to try, and the windows of which one should come."""
    if kind == "page":
        # The second page of a store that counts from 1 is the third of one that counts from 0.
        return 2, [ids[size : 2 * size], ids[2 * size : 3 * size]]
    if kind == "offset":
        # Half a window: a store that counts pages, not rows, would land elsewhere.
        return size // 2, [ids[size // 2 : size // 2 + size]]
    at = size if len(ids) >= 2 * size else size // 2
    return ids[at - 1], [ids[at : at + size]]


def _which(page: Page, windows: list[list[int]], size: int) -> int | None:
    """Return which window came; only one that reaches beyond the rows read may go on."""
    got = list(page.columns.id)
    for place, ids in enumerate(windows):
        # At the end of the rows read a window is shorter than the page, which reaches beyond them.
        came = got[: len(ids)] if len(ids) < size else got
        if ids and came == ids:
            return place
    return None


class WindowWalk(Walk):
    """Moves a window over the listing by a parameter, by the rows that came.

    Each window overlaps the last by one row where it can: a listing that moves breaks this seam.
    """

    fact, reach = Fact.WINDOWS_ENDED, Assumption.OFFSETS_REACH_ALL

    def __init__(self, ask: Requests, first: Page, rows: Rows, parameter: Parameter) -> None:
        super().__init__(ask, first, rows, parameter.name)
        self._parameter = parameter
        # Whether each window begins with the row that was read last.
        self._has_seams = parameter.kind != "page"
        self._size = self._position = len(first)
        self._tail = list(first.columns.id)[-2:]

    def run(self) -> None:
        try:
            super().run()
        except APIStatusError as problem:
            if problem.status_code not in (400, 404, 416, 422):
                raise
            # We guessed this parameter: a refusal ends the walk, and proves nothing.
            refused = f" ({self._parameter.name}= was refused)"
            self._end(Fact.WINDOWS_STOPPED, len(self.rows), refused)

    def _step(self) -> None:
        """Take a window's rows; one without any is the end."""
        before, self.last = self.last, self._window()
        self.pages += 1
        fresh, rows = self._past_the_seam(self.last.columns), len(self.rows)
        if not len(self.last) and self._has_seams:
            # The row read last should have come again.
            self._end(Fact.WINDOWS_STOPPED, rows)
        elif not fresh.id or (not self._has_seams and fresh.id == before.columns.id):
            # Some stores repeat their last page for every number behind it.
            self._end()
        elif all(pet_id in self.rows for pet_id in fresh.id):
            # We guessed this parameter: an early stop is not an error.
            self._end(Fact.WINDOWS_STOPPED, rows)
        else:
            repeated = self._take(fresh)
            if repeated and self._has_seams:
                self.breaks.append(Evidence(Fact.ROWS_TWICE, count=repeated))
            elif repeated:
                self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)
            self._tail = [*self._tail, *fresh.id][-2:]
            # A short page still is a page; rows are passed over one by one.
            self._position += len(fresh.id) if self._has_seams else self._size

    def _past_the_seam(self, columns: PetColumns) -> PetColumns:
        if not self._has_seams or not columns.id:
            return columns
        if columns.id[0] == self._tail[-1]:
            return columns.part(1)
        self.breaks.append(Evidence(Fact.ROWS_TWICE, count=1))
        return columns

    def _window(self) -> Page:
        kind, name, params = self._parameter.kind, self._parameter.name, self.ask.params
        if kind == "page":  # of one fixed length: a number means nothing under another limit
            number = self._parameter.first_page + self._position // self._size
            return self.ask.page(params({name: str(number)}, limit=self._size))
        # After the id before the last, so that the last comes again: where ids run from 1 without
        # a gap, an id could be mistaken for a number of rows.
        at = self._position - 1 if kind == "offset" else self._tail[0]
        return self.ask.page(params({name: str(at)}))
