"""Holds what was read of a listing: its rows, a page of each status, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from petstore_frame.inventory.reading.page_fetcher import MAX_LIMIT, MAX_PROBES, OF_ALL, PageFetcher
from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Fact, Shows
from petstore_frame.schema import PET_STATUSES, PetColumns, PetRows
from petstore_frame.transport import Page

if TYPE_CHECKING:
    from petstore_frame.inventory.reading.walks import Walk


@dataclass
class ReadingState:
    """The rows read of a listing, and the evidence about its end.

    Attributes:
        fetcher: Sends the requests; ``fetcher.status`` is the status requested, or None.
        first: The first page.
        is_enough: Called after each page; returns whether to stop. None reads to the end.
        max_pages: Maximum number of pages; infinity reads to the end.
        on_rows: Called with the number of pets read.
        rows: The pets of the listing; at the end also pets that only other pages have.
        evidence: The evidence so far.
        pages_read: Number of pages of the listing itself.
        has_enough: Whether ``is_enough`` or ``max_pages`` ended the reading.
        walk: The walk through the pages after the first, or None.
        status_pages: A page of each status, or None if they were not requested.
    """

    fetcher: PageFetcher
    first: Page
    is_enough: Callable[[PetRows], bool] | None = None
    max_pages: float = math.inf
    on_rows: Callable[[int], object] | None = None
    rows: PetRows = field(default_factory=PetRows)
    evidence: list[Evidence] = field(default_factory=list)
    pages_read: int = 1
    has_enough: bool = False
    walk: Walk | None = None
    status_pages: StatusPages | None = None

    def add_page(self, columns: PetColumns) -> int:
        """Add the pets of a page, report the total, and return how many were duplicates."""
        repeated = len(columns.id) - self.rows.add(columns)
        if self.on_rows is not None:
            self.on_rows(len(self.rows))
        is_enough = self.is_enough is not None and self.is_enough(self.rows)
        self.has_enough = is_enough or self.pages_read >= self.max_pages
        return repeated

    @property
    def is_finished(self) -> bool:
        """Whether a further strategy could not change the verdict."""
        conclusions = {item.fact.shows for item in self.evidence if item.scope is None}
        if Shows.MOVED in conclusions:
            return True
        return Shows.END in conclusions and self.count_left_out() == 0

    def stated_total(self) -> int | None:
        """Return the latest total that the store stated for this listing, or None."""
        if self.first.mismatches(self.fetcher.status):
            return None  # the total may include other statuses, as the page does
        if self.walk is not None and self.walk.is_over and self.walk.last.total is not None:
            return self.walk.last.total
        return self.first.total

    def may_fit_on_first_page(self) -> bool:
        """Return whether the first page may be the whole listing."""
        is_full = len(self.first) == MAX_LIMIT
        states_more = (self.stated_total() or 0) > len(self.rows)
        return not is_full and not self.first.may_name_next and not states_more

    def count_left_out(self) -> int:
        """Return the number of pets that only the pages of the statuses have, at the end."""
        if self.status_pages is None or self.fetcher.status is not None:
            return 0
        has_ended = len(self.first) != MAX_LIMIT
        if self.walk is not None:
            has_ended = self.walk.is_over
        if not has_ended:
            return 0
        return sum(self.rows.position(pet_id) is None for pet_id in self.status_pages.ids)

    def ask_status_pages(self) -> StatusPages | None:
        """Request a page of each status once; None if over budget or if none arrived."""
        if self.status_pages is not None:
            return self.status_pages
        fetcher = self.fetcher
        needed = len(PET_STATUSES)
        if fetcher.probes + needed > MAX_PROBES:
            return None
        unfiltered_page = self.first if fetcher.status is None else fetcher.probe(OF_ALL)
        if unfiltered_page is None:
            return None
        pages: dict[str, Page] = {}
        other_statuses = [status for status in PET_STATUSES if status != fetcher.status]
        queries = [fetcher.params(status=status) for status in other_statuses]
        for number, status in enumerate(other_statuses):
            page = fetcher.probe(queries[number], upcoming=queries[number + 1 :])
            if page is not None:
                pages[status] = page
        if fetcher.status is not None:
            pages[fetcher.status] = self.first
        if pages:
            self.status_pages = StatusPages(fetcher, unfiltered_page, pages)
        return self.status_pages

    def end(
        self,
        fact: Fact,
        assumptions: Iterable[Assumption],
        *,
        scope: str | None = None,
        detail: str = "",
    ) -> Evidence:
        """Return evidence of an end, including the assumptions common to this reading."""
        assumed = list(assumptions)
        if self.fetcher.status is not None:
            assumed.append(Assumption.FILTER_IS_TRUE)
        elif scope is None:
            if self.status_pages is not None and self.status_pages.filters_first:
                assumed.append(Assumption.LISTS_PETS_WITHOUT_STATUS)
            else:
                assumed.append(Assumption.LISTS_EVERY_STATUS)
        if self.fetcher.requests > 1:
            assumed.append(Assumption.NO_OLD_ANSWER)
        unique = tuple(dict.fromkeys(assumed))
        return Evidence(fact, scope=scope, assumptions=unique, detail=detail)


class StatusPages:
    """One page per status, and ``unfiltered_page``, a page of all pets.

    Pets without a status match no filter, so these pages alone never cover a store.

    Args:
        fetcher: Sends further requests if the filter has to be tested.
        unfiltered_page: A page of all pets.
        pages: The pages by status; a status whose page was refused is missing.
    """

    def __init__(
        self, fetcher: PageFetcher, unfiltered_page: Page, pages: Mapping[str, Page]
    ) -> None:
        self._fetcher = fetcher
        self.unfiltered_page, self.pages = unfiltered_page, pages
        self.ids = {pet_id for page in pages.values() for pet_id in page.columns.id}
        # A page with other statuses is as useless as a refused one.
        filtered = {status: page for status, page in pages.items() if not page.mismatches(status)}
        self.contradictions: list[Evidence] = []
        for status, page in filtered.items():
            self.contradictions += check_filter(page, unfiltered_page, status)
        refuted = {evidence.scope for evidence in self.contradictions}
        self.usable = {status: page for status, page in filtered.items() if status not in refuted}
        self.pets_not_on_unfiltered_page = len(self.ids.difference(unfiltered_page.columns.id))
        # Whether the store filters before it cuts a page; None if no response has shown it yet.
        self.filters_first: bool | None = None
        if len(self.usable) < len(PET_STATUSES):
            self.filters_first = False
        elif self.pets_not_on_unfiltered_page > 0 or exceeds_limit(unfiltered_page):
            self.filters_first = True

    def complete_statuses(self) -> list[str]:
        """Return the statuses whose pets are all on their page; this may send requests."""
        if self.filters_first is None:
            self.filters_first = proves_filter_first(self._fetcher, self.unfiltered_page)
        if not self.filters_first:
            return []
        longest_page = self._fetcher.longest_page
        return [
            status
            for status, page in sorted(self.usable.items())
            if is_last_page(page, longest_page) and not self._states_more(page, status)
        ]

    def _states_more(self, page: Page, status: str) -> bool:
        """Return whether the store states a larger number for a status than is on its page.

        Some stores state the total of all pets even on a filtered page, which proves nothing.
        """
        if page.total is None:
            return False
        has_other_pets = self.unfiltered_page.mismatches(status) > 0
        counts_all_statuses = page.total == self.unfiltered_page.total and has_other_pets
        return page.total > len(page) and not counts_all_statuses

    def confirm_unfiltered_page(self) -> bool:
        """Return whether no pet with a status is missing from the page of all pets.

        This is certain if both have the same pets and each page of a status is shorter: regardless
        of the store's page length, none of the shorter pages was cut. Empty pages confirm nothing.
        """
        is_longest = all(len(page) < len(self.unfiltered_page) for page in self.pages.values())
        if not is_longest or len(self.complete_statuses()) < len(PET_STATUSES):
            return False
        columns = self.unfiltered_page.columns
        with_status = set().union(*(ids_with(columns, status) for status in PET_STATUSES))
        return bool(self.ids) and self.ids == with_status


def is_last_page(page: Page, longest_page: int) -> bool:
    """Return whether a page is shorter than the longest page and has no next page."""
    limit = page.limit or MAX_LIMIT
    return len(page) < min(longest_page, limit) and not page.may_name_next


def exceeds_limit(page: Page) -> bool:
    """Return whether a store returned more pets than the limit."""
    return len(page) > (page.limit or MAX_LIMIT)


def proves_filter_first(fetcher: PageFetcher, unfiltered_page: Page) -> bool:
    """Return whether the store applies the status filter before the limit.

    Two limits are tried for which the first rows of all pets have fewer pets of a status than the
    limit. A store that applies the limit first would return fewer pets than the limit; a store that
    raises small limits to its own page length would return the same number twice.
    """
    if exceeds_limit(unfiltered_page):
        return True
    for status in PET_STATUSES:
        limits = _telling_limits(unfiltered_page, status)
        if len(limits) >= 2:
            return all(_returns_exactly(fetcher, limit, status) for limit in limits[-2:])
    return False


def _telling_limits(unfiltered_page: Page, status: str) -> list[int]:
    """Return the limits for which only a store that filters first returns as many pets.

    Example: if rows 1, 2 and 5 of all pets are sold, the first three rows have two sold pets. A
    request for three sold pets then tells the orders apart, and one for two sold pets does not.
    """
    limits = []
    matches = 0
    for row, row_status in enumerate(unfiltered_page.columns.status, start=1):
        if row_status == status:
            matches += 1
            if row > matches:
                limits.append(matches)
    return limits


def _returns_exactly(fetcher: PageFetcher, limit: int, status: str) -> bool:
    page = fetcher.probe(fetcher.params(limit=limit, status=status))
    return page is not None and len(page) == limit and not page.mismatches(status)


def check_filter(page: Page, unfiltered_page: Page, status: str) -> list[Evidence]:
    """Return evidence that a page does not match its status filter."""
    mismatches = page.mismatches(status)
    if mismatches:
        return [Evidence(Fact.FILTER_NOT_KEPT, status, count=mismatches)]
    missing = ids_with(unfiltered_page.columns, status).difference(page.columns.id)
    has_room = len(page) < len(unfiltered_page) and not page.may_name_next
    if missing and has_room:
        return [Evidence(Fact.FILTER_LEFT_OUT, status, count=len(missing))]
    return []


def ids_with(pets: PetColumns, status: str) -> set[int]:
    """Return the ids of the pets with a status."""
    return {pet_id for pet_id, name in zip(pets.id, pets.status, strict=True) if name == status}
