"""Follows next links or a page parameter from page to page; ``transport.page`` parses links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from petstore_frame.errors import (
    APIStatusError,
    AuthenticationError,
    ContractError,
    CrossOriginError,
)
from petstore_frame.inventory.reading.page_fetcher import IN_FLIGHT, MAX_LIMIT, MAX_PROBES
from petstore_frame.inventory.reading.page_parameter import Parameter, find_parameter
from petstore_frame.inventory.reading.reading_state import ReadingState
from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Fact
from petstore_frame.schema import PET_STATUSES, PetColumns
from petstore_frame.transport import OUTAGES, Page

# Pages may overlap while the store grows, and a store that filters a page after cutting it may
# return pages with few pets or none.
MAX_PAGES_WITHOUT_NEW_PETS = 20
# Limit for short pages in a row (or the number of pages before them, if larger), because a store
# that grows with each request never ends.
MAX_SHORT_PAGES = 50
# Pages are requested ahead only after this many, so that a small store gets no needless requests.
READ_AHEAD_FROM_PAGE = 4
# The assumptions of a listing with several pages.
_STORE_IS_UNCHANGED = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)


@dataclass
class Walk:
    """Reads a listing page by page, starting after the first page.

    Attributes:
        state: The reading; its rows and pages grow.
        last: The last page read.
        detail: The name of the parameter, or empty.
        is_over: Whether the walk reached an end.
        doubt: The reason why that end proves nothing, or None.
        contradictions: Contradictions between the pages.
        unfollowed: A link to another origin, which was not followed, or None.
    """

    fact: ClassVar[Fact]  # the fact at the end of this walk
    reach: ClassVar[Assumption]  # the assumption of that fact

    state: ReadingState
    last: Page
    detail: str = ""
    is_over: bool = field(default=False, init=False)
    doubt: Evidence | None = field(default=None, init=False)
    contradictions: list[Evidence] = field(default_factory=list, init=False)
    unfollowed: Evidence | None = field(default=None, init=False)

    def step(self) -> None:
        """Read one more page, or end."""
        raise NotImplementedError

    def end(self, doubt: Evidence | None = None) -> None:
        """End the walk; a doubt is the reason why its end proves nothing."""
        self.is_over = True
        if doubt is not None:
            self.doubt = doubt

    def check_first_page(self) -> list[Evidence]:
        """Read the first page again; return evidence that the listing changed."""
        first = self.state.first
        if self.state.pages_read == 1:
            return []
        page = self.state.fetcher.read_again(self.state.fetcher.params())
        if page is None:
            return [Evidence(Fact.NOT_READ_AGAIN)]
        changes = []
        ids_before, ids_now = list(first.columns.id), list(page.columns.id)
        if ids_now != ids_before:
            changes.append(describe_change(ids_before, ids_now))
        elif page.columns != first.columns:
            self.state.rows.add(page.columns)
        if first.total is not None and page.total is not None and page.total < first.total:
            changes.append(Evidence(Fact.PETS_LEFT, count=first.total - page.total))
        return changes


def describe_change(before: list[int], after: list[int]) -> Evidence:
    """Compare the ids of two readings of the first page, and return the change as evidence.

    Example:
        >>> print(describe_change([1, 2, 3], [4, 1, 2]))
        The store grew while it was read: 1 pet appeared at the start.
    """
    added = len(set(after).difference(before))
    still_there = [pet_id for pet_id in after if pet_id in set(before)]
    has_only_grown = len(still_there) + added == len(after)
    if added and has_only_grown and after[added:] == before[: len(after) - added]:
        return Evidence(Fact.PETS_ADDED, count=added)
    gone = [pet_id for pet_id in before if pet_id not in set(after)]
    remaining = [pet_id for pet_id in before if pet_id in set(after)]
    if gone and after[: len(remaining)] == remaining:
        return Evidence(Fact.PETS_LEFT, count=len(gone))
    return Evidence(Fact.PAGE_CHANGED, detail="the first page")


@dataclass
class LinkWalk(Walk):
    """Follows next links; a link that does not lead to a new page proves no end."""

    fact, reach = Fact.LINKS_ENDED, Assumption.LINKS_REACH_ALL

    _visited: set[str] = field(default_factory=set)
    _pages_without_new_pets: int = 0

    def step(self) -> None:
        state, address = self.state, self.last.next_address
        doubt = self._doubt_about_next(address)
        if address is None or doubt is not None:
            self.is_over, self.doubt = True, doubt or self.doubt
            return
        self._visited.add(address)
        try:
            self.last = state.fetcher.page(address=address, number=state.pages_read + 1)
        except CrossOriginError as problem:  # nothing was sent
            self.unfollowed = Evidence(Fact.LINK_NOT_FOLLOWED, detail=str(problem))
            self.end(self.unfollowed)
            return
        state.pages_read += 1
        repeated = state.add_page(self.last.columns)
        if repeated:
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=state.pages_read)
        if len(self.last.columns.id) > repeated:
            self._pages_without_new_pets = 0
        else:
            self._pages_without_new_pets += 1

    def _doubt_about_next(self, address: str | None) -> Evidence | None:
        """Return why the next page is not read, or why there may be one although none is named."""
        first, number = self.state.first, f": page {self.state.pages_read:,}"
        if address is None and first.next_skips:
            detail = f": it continues at {first.next_skips} after row {len(first):,}"
        elif address is None and self.last.may_name_next and self.doubt is None:
            detail = ""
        elif address is None:
            return None
        elif address in self._visited or address == first.address:
            detail = f"{number} leads back to a page that was read"
        elif self._pages_without_new_pets == MAX_PAGES_WITHOUT_NEW_PETS:
            detail = f"{number} had no new pet"
        else:
            return None
        return Evidence(Fact.NEXT_NOT_READ, detail=detail)


@dataclass
class WindowWalk(Walk):
    """Reads the listing with a page parameter, advancing by the number of rows received.

    If possible, each window overlaps the last one by one row, which reveals a listing that changed.
    """

    fact, reach = Fact.WINDOWS_ENDED, Assumption.OFFSETS_REACH_ALL

    parameter: Parameter = field(kw_only=True)
    # The query and the ids of the last window with new pets.
    _last_window: tuple[dict[str, str], Sequence[int]] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.detail = self.parameter.name
        # Whether each window starts with the last row of the previous window.
        self._has_seams = self.parameter.kind != "page"
        self._size = self._position = len(self.last)
        self._second_last_id, self._last_id = list(self.last.columns.id)[-2:]

    def step(self) -> None:
        """Add the rows of a window; an empty window is the end."""
        before = self.last
        page = self._read_window()
        if page is None:
            return
        self.last = page
        self.state.pages_read += 1
        new_rows = self._skip_seam(page.columns)
        rows = self.state.rows
        stopped = Evidence(Fact.WINDOWS_STOPPED, count=len(rows))
        # Some stores return their last page for every higher number; others refuse to go deeper.
        repeats_last_page = not self._has_seams and new_rows.id == before.columns.id
        if len(page) == 0 and self._has_seams:
            self.end(stopped)  # it should contain the last row again
        elif not new_rows.id or (repeats_last_page and len(before) < self._size):
            self.end()
        elif all(pet_id in rows for pet_id in new_rows.id):
            self.end(stopped)
        else:
            self._add_window(new_rows)

    def check_first_page(self) -> list[Evidence]:
        """Also read the last window again if the walk ended in doubt: a pet may have left."""
        changes = super().check_first_page()
        if changes or self.doubt is None or self._last_window is None:
            return changes
        params, ids = self._last_window
        page = self.state.fetcher.read_again(params)
        if page is None:
            return [Evidence(Fact.NOT_READ_AGAIN)]
        if page.columns.id != ids:
            return [Evidence(Fact.PAGE_CHANGED, detail="the last page")]
        return []

    def _add_window(self, new_rows: PetColumns) -> None:
        self._last_window = (self._window_params(self._position), self.last.columns.id)
        repeated = self.state.add_page(new_rows)
        if repeated and self._has_seams:
            self.contradictions.append(Evidence(Fact.ROWS_TWICE, count=repeated))
        elif repeated:
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.state.pages_read)
        if len(new_rows.id) > 1:
            self._second_last_id = new_rows.id[-2]
        else:
            self._second_last_id = self._last_id
        self._last_id = new_rows.id[-1]
        # A short page counts as one page; rows are counted individually.
        self._position += len(new_rows.id) if self._has_seams else self._size

    def _skip_seam(self, columns: PetColumns) -> PetColumns:
        if not self._has_seams or not columns.id:
            return columns
        if columns.id[0] == self._last_id:
            return columns.part(1)
        self.contradictions.append(Evidence(Fact.ROWS_TWICE, count=1))
        return columns

    def _read_window(self) -> Page | None:
        """Return the next window; if the store refuses it, end the walk and return None.

        The parameter is a guess, so a refusal ends the walk. An error that may be an outage ends it
        only if the store still returns its first page.
        """
        try:
            return self._request_window()
        except AuthenticationError:
            raise
        except (APIStatusError, ContractError) as problem:
            if not _is_refusal(problem):
                raise
            if isinstance(problem, APIStatusError) and problem.status_code < 500:
                self._end_refused(problem)
                return None
        self.state.fetcher.page(self.state.fetcher.params())
        try:
            return self._request_window()
        except (APIStatusError, ContractError) as problem:
            self._end_refused(problem)
            return None

    def _end_refused(self, problem: APIStatusError | ContractError) -> None:
        """End the walk; behind a short page there is nothing that the store could have returned."""
        has_failed = isinstance(problem, APIStatusError) and problem.status_code >= 500
        if not has_failed and len(self.last) < self.state.fetcher.longest_page:
            self.end()
            return
        detail = f" ({self.detail}= was refused)"
        self.end(Evidence(Fact.WINDOWS_STOPPED, count=len(self.state.rows), detail=detail))

    def _request_window(self) -> Page:
        upcoming = [self._window_params(position) for position in self._upcoming_positions()]
        params = self._window_params(self._position)
        return self.state.fetcher.page(params, is_guess=True, upcoming=upcoming)

    def _upcoming_positions(self) -> list[int]:
        """Return the positions of the windows after the next one, assuming an equal length."""
        kind = self.parameter.kind
        step = self._size if kind == "page" else len(self.last) - 1
        is_steady = step > 0 and len(self.last) == self.state.fetcher.longest_page
        if kind == "after" or self.state.pages_read < READ_AHEAD_FROM_PAGE or not is_steady:
            return []
        positions = [self._position + number * step for number in range(1, IN_FLIGHT)]
        total = self.state.first.total
        if total is not None:
            positions = [position for position in positions if position < total]
        return positions

    def _window_params(self, position: int) -> dict[str, str]:
        kind, name, params = self.parameter.kind, self.detail, self.state.fetcher.params
        if kind == "page":  # page numbers are valid for one limit only
            number = self.parameter.first_page + position // self._size
            return params({name: str(number)}, limit=min(self._size, MAX_LIMIT))
        # The second-last id makes the window start with the last row. Without this overlap, ids
        # that run from 1 without gaps could not be told apart from a number of rows.
        value = position - 1 if kind == "offset" else self._second_last_id
        return params({name: str(value)})


def _is_refusal(problem: APIStatusError | ContractError) -> bool:
    """Return whether a store may respond like this to a window past its end."""
    if isinstance(problem, ContractError):
        return problem.position is None  # a list with an invalid pet is not a refusal
    return problem.status_code not in OUTAGES


def follow_links(state: ReadingState) -> list[Evidence]:
    """Follow the next links to the end; give up if the first one leads to another origin."""
    if state.first.next_address is None:
        return []
    walk = LinkWalk(state, state.first)
    evidence = _read_through(state, walk)
    if walk.unfollowed is not None and state.pages_read == 1:
        state.walk = None
        return [walk.unfollowed]
    return evidence


def follow_parameter(state: ReadingState) -> list[Evidence]:
    """Look for a paging parameter, and read all pages with it."""
    if state.walk is not None:
        return []
    parameter = find_parameter(state.fetcher, state.first)
    if parameter is None:
        return []
    try:
        return _read_through(state, WindowWalk(state, state.first, parameter=parameter))
    finally:
        state.fetcher.drop_read_ahead()


def _read_through(state: ReadingState, walk: Walk) -> list[Evidence]:
    """Walk to the end of the listing; return evidence for or against the end."""
    state.walk = walk
    fetcher = state.fetcher
    asks_statuses = fetcher.status is None
    # Requested before the walk, so that the walk includes every pet on these pages. A reading that
    # may stop early requests them at its end only.
    has_budget = fetcher.probes + len(PET_STATUSES) < MAX_PROBES
    if asks_statuses and state.is_enough is None and has_budget:
        state.ask_status_pages()
    short_pages = 0
    while not walk.is_over and not state.has_enough:
        walk.step()
        is_short = 0 < len(walk.last.columns.id) < fetcher.longest_page
        short_pages = short_pages + 1 if is_short else 0
        if not walk.is_over and short_pages > max(MAX_SHORT_PAGES, state.pages_read - short_pages):
            walk.end(Evidence(Fact.STILL_GROWS, count=state.pages_read))
    if not walk.is_over:
        return []
    contradictions = [*walk.contradictions, *walk.check_first_page()]
    if walk.doubt is not None:
        contradictions.append(walk.doubt)
    if contradictions:
        return contradictions
    if asks_statuses:
        state.ask_status_pages()
    assumptions = [walk.reach, *(_STORE_IS_UNCHANGED if state.pages_read > 1 else ())]
    return [state.end(walk.fact, assumptions, detail=walk.detail)]
