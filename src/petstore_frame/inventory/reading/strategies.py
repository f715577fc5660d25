"""Reads a listing: tries one strategy after another to find its end, and collects evidence.

| kind of store              | what is requested           | proves the end          | assumption  |
|----------------------------|-----------------------------|-------------------------|-------------|
| names the next page        | each next link              | a page without a link   | links reach |
| one short page, a filter   | a page of each status       | the same pets, and each | one cap,    |
| that is applied first      |                             | page is shorter         | filter true |
| understands a parameter    | windows that overlap by one | only the last row again | offsets     |
| (offset, after)            | row                         |                         | reach all   |
| understands page numbers   | page after page             | an empty page, a short  | offsets     |
|                            |                             | page again, a refusal   | reach all   |
|                            |                             | behind a short page     |             |
| one short page, obeys the  | a smaller limit             | the page had room       | fills pages |
| limit                      |                             |                         |             |
| one full page, short pages | a page of each status       | the end of each status, | one cap,    |
| of the statuses            |                             | not of all pets         | filter true |
| one full page, or ignores  | all of the above            | nothing                 |             |
| the limit                  |                             |                         |             |

Several pages also assume that the store keeps its order, and that no pet leaves or changes. A
larger total, a next page that was not read, rows that come twice and a page that changed refute an
end. A stated total never proves one. ``facts.Assumption`` has the assumptions in full.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from petstore_frame.inventory.reading.page_fetcher import MAX_LIMIT, MAX_PROBES, OF_ALL, PageFetcher
from petstore_frame.inventory.reading.page_parameter import find_parameter
from petstore_frame.inventory.reading.single_page import (
    confirm_page,
    find_complete_statuses,
    trust_short_page,
    why_no_end,
)
from petstore_frame.inventory.reading.status_pages import StatusPages
from petstore_frame.inventory.reading.walks import LinkWalk, Walk, WindowWalk
from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Fact, Shows
from petstore_frame.schema import NO_STATUS, PET_STATUSES, PetColumns, PetRows
from petstore_frame.transport import Page

# The assumptions of a listing with several pages.
_STORE_IS_UNCHANGED = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)
# Ages are whole seconds, and a reading takes some time.
_AGE_TOLERANCE_S = 2.0


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


Strategy: TypeAlias = Callable[[ReadingState], list[Evidence]]


def read_pets(state: ReadingState) -> None:
    """Read as much as possible; if the store fails, ``state`` has the pets read so far."""
    first, status = state.first, state.fetcher.status
    state.add_page(first.columns)
    mismatches = first.mismatches(status)
    if mismatches:
        state.evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
    try:
        for strategy in STRATEGIES:
            if state.has_enough or state.is_finished:
                break
            state.evidence += strategy(state)
        if not state.is_finished:
            state.evidence += _check_minimum(state)
    finally:
        left_out = state.count_left_out()
        if state.status_pages is not None and status is None:
            for page in state.status_pages.pages.values():
                state.rows.add(page.columns, is_earlier=True)
        state.evidence += _summarize(state, left_out)


def _check_minimum(state: ReadingState) -> list[Evidence]:
    """Read the pages again that the count comes from; return evidence that the store changed.

    Pets of several responses are a minimum only if the store had all of them at one moment: when it
    sent the last page, those of the pages before must still have been there. The pages of a walk
    are too many for that; its first page was read again at its end.
    """
    pages = state.status_pages
    has_changed = any(item.fact.shows is Shows.MOVED for item in state.evidence)
    if pages is None or state.fetcher.status is not None or has_changed:
        return []
    listed = set(state.rows.columns.id)
    added = [
        status for status, page in pages.pages.items() if not listed.issuperset(page.columns.id)
    ]
    if not added:
        return []
    if state.walk is not None and state.is_enough is not None:
        # The statuses were requested after the walk, when pets that it read may have left.
        return [Evidence(Fact.NOT_READ_AGAIN)]
    if state.walk is None:
        again = [(None, state.first), *((status, pages.pages[status]) for status in added[:-1])]
    else:
        again = [(status, pages.pages[status]) for status in added]
    return _compare_again(state.fetcher, again)


def _compare_again(
    fetcher: PageFetcher, pages: Iterable[tuple[str | None, Page]]
) -> list[Evidence]:
    """Read pages again, each of one status or of all; return evidence of the first change."""
    for status, page in pages:
        page_again = fetcher.read_again(fetcher.params(status=status))
        if page_again is None:
            return [Evidence(Fact.NOT_READ_AGAIN)]
        if page_again.columns.id != page.columns.id:
            detail = "the first page" if status is None else f"the page of {status} pets"
            return [Evidence(Fact.PAGE_CHANGED, detail=detail)]
    return []


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
    return _read_through(state, WindowWalk(state, state.first, parameter=parameter))


STRATEGIES: tuple[Strategy, ...] = (
    follow_links,
    confirm_page,
    follow_parameter,
    trust_short_page,
    find_complete_statuses,
    why_no_end,
)


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
    walk.run()
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


def _summarize(state: ReadingState, left_out: int) -> list[Evidence]:
    """Return evidence from the totals, the rows, and the ids and ages of the responses."""
    evidence = []
    fetcher, rows = state.fetcher, state.rows
    if left_out:
        evidence.append(Evidence(Fact.STATUSES_HOLD_MORE, count=left_out))
    if state.status_pages is not None and fetcher.status is None:
        evidence += state.status_pages.contradictions
    total = state.stated_total() or 0
    if total > len(rows) and fetcher.status is None:
        assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
        evidence.append(Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=total))
    elif total > len(rows):
        evidence.append(Evidence(Fact.TOTAL_OF_ALL, count=total))
    age_difference_s = fetcher.oldest_s - fetcher.newest_s
    if age_difference_s > _AGE_TOLERANCE_S:
        evidence.append(Evidence(Fact.OLD_ANSWER, detail=f"{age_difference_s:,.0f} s"))
    if fetcher.conflicting_ids:
        evidence.append(Evidence(Fact.OTHER_STORE, detail=fetcher.conflicting_ids))
    evidence += [Evidence(Fact.STATUS_MOVED, status or NO_STATUS) for status in rows.disputed]
    if rows.ambiguous_id is not None:
        evidence.append(Evidence(Fact.ONE_ID_TWICE, count=rows.ambiguous_id))
    return evidence
