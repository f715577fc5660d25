"""Follows next links or a page parameter from page to page; ``transport.response`` parses links."""

from __future__ import annotations

from collections.abc import Iterator

from petstore_frame.errors import (
    APIStatusError,
    AuthenticationError,
    ContractError,
    CrossOriginError,
)
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page_fetcher import PageFetcher
from petstore_frame.inventory.page_parameter import Parameter
from petstore_frame.inventory.pet_rows import PetRows
from petstore_frame.schema import PetColumns
from petstore_frame.transport import Page

# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEW_PETS = 20
# As many short pages in a row are read, or as many as came before them: a store that grows with
# each request has no end.
MAX_SHORT_PAGES = 50
# Pages are requested ahead once this many were read: a small store is asked nothing needless.
READ_AHEAD_FROM_PAGE = 4
_OUTAGES = frozenset({408, 429, 502, 503, 504})


class Walk:
    """Reads a listing page by page; ``rows`` has the pets of the first page from the start.

    Attributes:
        fact: What its end shows, and ``reach``: what that assumes.
        last: The page that was read last.
        pages: Pages read so far.
        is_over: Whether an end was met.
        doubt: Why that end proves nothing, or None.
        contradictions: What did not fit together on the way.
        unfollowed: A link that leads to another store's address, or None.
    """

    fact: Fact
    reach: Assumption

    def __init__(self, fetcher: PageFetcher, first: Page, rows: PetRows, detail: str = "") -> None:
        self.fetcher, self.first, self.rows, self.detail = fetcher, first, rows, detail
        self.last, self.pages, self.is_over = first, 1, False
        self.contradictions: list[Evidence] = []
        self.doubt: Evidence | None = None
        self.unfollowed: Evidence | None = None

    def run(self) -> None:
        """Read on to the end, or until the caller has enough."""
        short_pages = 0
        while not self.is_over and not self.fetcher.has_enough(self.rows):
            self._step()
            is_short = 0 < len(self.last) < self.fetcher.longest_page
            short_pages = short_pages + 1 if is_short else 0
            most_short_pages = max(MAX_SHORT_PAGES, self.pages - short_pages)
            if not self.is_over and short_pages > most_short_pages:
                self._end(Evidence(Fact.STILL_GROWS, count=self.pages))

    def _step(self) -> None:
        """Read one more page, or end."""
        raise NotImplementedError

    def _end(self, doubt: Evidence | None = None) -> None:
        self.is_over = True
        if doubt is not None:
            self.doubt = doubt

    def _add(self, columns: PetColumns) -> int:
        """Add the rows of a page; return how many came twice."""
        repeated = len(columns.id) - self.rows.add(columns)
        self.fetcher.report_rows(len(self.rows))
        return repeated

    def look_back(self) -> Iterator[Evidence]:
        """Read the first page again; yield what shows that the listing changed, and the doubt."""
        yield from self.contradictions
        if self.pages > 1:
            page = self.fetcher.probe(self.fetcher.params())
            if page is not None:
                yield from self._compare_first_page(page)
        if self.doubt is not None:
            yield self.doubt

    def _compare_first_page(self, page: Page) -> Iterator[Evidence]:
        first = self.first
        if list(page.columns.id) != list(first.columns.id):
            yield describe_change(list(first.columns.id), list(page.columns.id))
        elif page.columns != first.columns:
            self.rows.add(page.columns)
        if first.total is not None and page.total is not None and page.total < first.total:
            yield Evidence(Fact.PETS_LEFT, count=first.total - page.total)


def describe_change(before: list[int], after: list[int]) -> Evidence:
    """Return what changed between two readings of the first page, given its ids.

    Example:
        >>> print(describe_change([1, 2, 3], [4, 1, 2]))
        The store grew while it was read: 1 pet appeared at the start.
    """
    added = len(set(after).difference(before))
    kept = [pet_id for pet_id in after if pet_id in set(before)]
    if added and after[added:] == before[: len(after) - added] and len(kept) + added == len(after):
        return Evidence(Fact.PETS_ADDED, count=added)
    gone = [pet_id for pet_id in before if pet_id not in set(after)]
    remaining = [pet_id for pet_id in before if pet_id in set(after)]
    if gone and after[: len(remaining)] == remaining:
        return Evidence(Fact.PETS_LEFT, count=len(gone))
    return Evidence(Fact.FIRST_PAGE_MOVED)


class LinkWalk(Walk):
    """Follows next links; one that cannot be followed to a new page leaves the end open."""

    fact, reach = Fact.LINKS_ENDED, Assumption.LINKS_REACH_ALL

    def __init__(self, fetcher: PageFetcher, first: Page, rows: PetRows) -> None:
        super().__init__(fetcher, first, rows)
        self._visited = {first.address}
        self._pages_without_new_pets = 0
        self._gap = ""
        if first.next_skips:
            self._gap = f": it continues at {first.next_skips} after row {len(first):,}"

    def _step(self) -> None:
        address, number = self.last.next_address, f": page {self.pages:,}"
        if address is None:
            names_more = self.last.may_name_next and self.doubt is None
            if self._gap or names_more:
                self._end(Evidence(Fact.NEXT_NOT_READ, detail=self._gap))
            else:
                self._end()
        elif address in self._visited:
            detail = f"{number} leads back to one that was read"
            self._end(Evidence(Fact.NEXT_NOT_READ, detail=detail))
        elif self._pages_without_new_pets == MAX_PAGES_WITHOUT_NEW_PETS:
            self._end(Evidence(Fact.NEXT_NOT_READ, detail=f"{number} had no new pet"))
        else:
            self._follow(address)

    def _follow(self, address: str) -> None:
        self._visited.add(address)
        try:
            self.last = self.fetcher.page(address=address, number=self.pages + 1)
        except CrossOriginError as problem:  # nothing was sent
            self.unfollowed = Evidence(Fact.LINK_NOT_FOLLOWED, detail=str(problem))
            self._end(self.unfollowed)
            return
        self.pages += 1
        repeated = self._add(self.last.columns)
        if repeated:
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)
        if len(self.last) > repeated:
            self._pages_without_new_pets = 0
        else:
            self._pages_without_new_pets += 1


class WindowWalk(Walk):
    """Moves a window over the listing by a parameter, by the number of rows received.

    Each window overlaps the last by one row if it can: a listing that changes breaks this seam.
    """

    fact, reach = Fact.WINDOWS_ENDED, Assumption.OFFSETS_REACH_ALL

    def __init__(
        self, fetcher: PageFetcher, first: Page, rows: PetRows, parameter: Parameter
    ) -> None:
        super().__init__(fetcher, first, rows, parameter.name)
        self._parameter = parameter
        # Whether each window begins with the row that was read last.
        self._has_seams = parameter.kind != "page"
        self._size = self._position = len(first)
        self._tail = list(first.columns.id)[-2:]

    def run(self) -> None:
        try:
            super().run()
        finally:
            self.fetcher.drop_read_ahead()

    def _step(self) -> None:
        """Add the rows of a window; one without any is the end."""
        before = self.last
        page = self._read_window()
        if page is None:
            return
        self.last = page
        self.pages += 1
        fresh = self._past_the_seam(page.columns)
        rows_before = len(self.rows)
        stopped = Evidence(Fact.WINDOWS_STOPPED, count=rows_before)
        repeats_last_page = not self._has_seams and fresh.id == before.columns.id
        if len(page) == 0 and self._has_seams:
            self._end(stopped)  # the row that was read last should have come again
        elif not fresh.id or repeats_last_page:
            self._end()  # some stores repeat their last page for every number behind it
        elif all(pet_id in self.rows for pet_id in fresh.id):
            self._end(stopped)
        else:
            self._add_window(fresh)

    def _add_window(self, fresh: PetColumns) -> None:
        repeated = self._add(fresh)
        if repeated and self._has_seams:
            self.contradictions.append(Evidence(Fact.ROWS_TWICE, count=repeated))
        elif repeated:
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)
        self._tail = [*self._tail, *fresh.id][-2:]
        # A short page still is a page; rows are skipped one by one.
        self._position += len(fresh.id) if self._has_seams else self._size

    def _past_the_seam(self, columns: PetColumns) -> PetColumns:
        if not self._has_seams or not columns.id:
            return columns
        if columns.id[0] == self._tail[-1]:
            return columns.part(1)
        self.contradictions.append(Evidence(Fact.ROWS_TWICE, count=1))
        return columns

    def _read_window(self) -> Page | None:
        """Return the next window; None, with the walk at its end, if the store refuses it.

        We guessed this parameter, so a refusal ends the walk and proves nothing. An error that may
        be an outage ends it only if the store still gives its first page.
        """
        try:
            return self._request_window()
        except AuthenticationError:
            raise
        except (APIStatusError, ContractError) as problem:
            if not _is_refusal(problem):
                raise
            if isinstance(problem, APIStatusError) and problem.status_code < 500:
                self._end_refused()
                return None
        self.fetcher.page(self.fetcher.params())
        try:
            return self._request_window()
        except (APIStatusError, ContractError):
            self._end_refused()
            return None

    def _end_refused(self) -> None:
        detail = f" ({self._parameter.name}= was refused)"
        self._end(Evidence(Fact.WINDOWS_STOPPED, count=len(self.rows), detail=detail))

    def _request_window(self) -> Page:
        params = self._window_params(self._position)
        upcoming = []
        if self._parameter.kind != "after" and self.pages >= READ_AHEAD_FROM_PAGE:
            step = self._size if self._parameter.kind == "page" else len(self.last) - 1
            upcoming = [
                self._window_params(position) for position in self._upcoming_positions(step)
            ]
        return self.fetcher.page_with_read_ahead(params, upcoming)

    def _upcoming_positions(self, step: int) -> list[int]:
        """Return where the windows after the next one begin if all are as long as the last."""
        is_steady = step > 0 and len(self.last) == self.fetcher.longest_page
        if not is_steady:
            return []
        positions = [self._position + number * step for number in (1, 2, 3)]
        total = self.first.total
        if total is not None:
            positions = [position for position in positions if position < total]
        return positions

    def _window_params(self, position: int) -> dict[str, str]:
        kind, name, params = self._parameter.kind, self._parameter.name, self.fetcher.params
        if kind == "page":  # of one fixed length: a number means nothing under another limit
            number = self._parameter.first_page + position // self._size
            return params({name: str(number)}, limit=self._size)
        # After the id before the last, so that the last comes again: where ids run from 1 without
        # a gap, an id could be mistaken for a number of rows.
        value = position - 1 if kind == "offset" else self._tail[0]
        return params({name: str(value)})


def _is_refusal(problem: APIStatusError | ContractError) -> bool:
    """Return whether a store may give this response to a window past its end."""
    if isinstance(problem, ContractError):
        return problem.position is None  # a list with a damaged pet is no refusal
    return problem.status_code not in _OUTAGES
