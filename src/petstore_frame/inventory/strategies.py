"""Reads one listing: tries one strategy after another to find its end, and collects the evidence.

A store may cut its pages at a length of its own without saying so. A short page is therefore
trusted only if nothing speaks against it. A stated total can refute a listing and never proves one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.page_fetcher import MAX_LIMIT, MOST_PROBES, OF_ALL, PageFetcher
from petstore_frame.inventory.page_parameter import find_parameter, smaller_limit
from petstore_frame.inventory.pagination import LinkWalk, Walk, WindowWalk
from petstore_frame.inventory.pet_rows import PetRows
from petstore_frame.inventory.status_pages import (
    StatusPages,
    check_filter,
    ids_with,
    proves_filter_first,
)
from petstore_frame.schema import NO_STATUS, PET_STATUSES
from petstore_frame.transport import Page

# No program would choose a page length below this.
SHORTEST_PAGE_LENGTH = 10
# What a listing that was read over several pages assumes, and the pages of the statuses.
_HOLDS_STILL = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)
_OF_STATUSES = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NONE_CHANGES)
# Ages are whole seconds, and a reading takes a moment.
_AGE_TOLERANCE_S = 2.0


class ReadingState:
    """What has been read of one listing, and what was learned about its end.

    Attributes:
        fetcher: Sends the requests; ``fetcher.status`` is the status asked for, or None.
        rows: The pets of the listing, and at the end those that only other pages showed.
        evidence: Everything that was learned.
        first: The first page, or None before it was read.
        walk: The walk through further pages, or None.
        status_pages: A page of each status, or None if they were not asked for.
    """

    def __init__(self, fetcher: PageFetcher) -> None:
        self.fetcher = fetcher
        self.rows = PetRows()
        self.evidence: list[Evidence] = []
        self.first: Page | None = None
        self.walk: Walk | None = None
        self.status_pages: StatusPages | None = None

    @property
    def first_page(self) -> Page:
        """The first page, once it was read."""
        if self.first is None:
            raise RuntimeError("the first page was not read yet")
        return self.first

    @property
    def pages_read(self) -> int:
        """Pages read of the listing itself."""
        if self.walk is not None:
            return self.walk.pages
        return 0 if self.first is None else 1

    @property
    def has_enough(self) -> bool:
        """Whether the caller's limit is passed, or all that the caller looks for was read."""
        return self.fetcher.has_enough(self.rows)

    @property
    def is_finished(self) -> bool:
        """Whether a further strategy could not change the verdict."""
        shown = {item.shows for item in self.evidence if item.scope is None}
        if Shows.MOVED in shown:
            return True
        return Shows.END in shown and self.count_left_out() == 0

    @property
    def stated_total(self) -> int | None:
        """The total that the store stated last for this listing, or None."""
        if self.first_page.mismatches(self.fetcher.status):
            return None  # a page with pets of other statuses counts those too
        if self.walk is not None and self.walk.is_over and self.walk.last.total is not None:
            return self.walk.last.total
        return self.first_page.total

    @property
    def states_more(self) -> bool:
        """Whether the store states more pets than were read."""
        total = self.stated_total
        return total is not None and total > len(self.rows)

    @property
    def may_be_one_page(self) -> bool:
        """Whether the first page may be the whole listing."""
        is_full = len(self.first_page) == MAX_LIMIT
        return not is_full and not self.first_page.may_name_next and not self.states_more

    def count_left_out(self) -> int:
        """Return how many pets only the pages of the statuses have, if the listing has ended."""
        if self.status_pages is None or self.fetcher.status is not None:
            return 0
        has_ended = len(self.first_page) != MAX_LIMIT
        if self.walk is not None:
            has_ended = self.walk.is_over
        if not has_ended:
            return 0
        return sum(pet_id not in self.rows for pet_id in self.status_pages.ids)

    def ask_status_pages(self) -> StatusPages | None:
        """Ask once for a page of each status; None if the budget is too small or none came."""
        if self.status_pages is not None:
            return self.status_pages
        fetcher = self.fetcher
        needed = len(PET_STATUSES)
        if fetcher.probes + needed > MOST_PROBES:
            return None
        whole_page = self.first_page if fetcher.status is None else fetcher.probe(OF_ALL)
        if whole_page is None:
            return None
        others = [status for status in PET_STATUSES if status != fetcher.status]
        responses = fetcher.probe_together([fetcher.params(status=status) for status in others])
        pages = {
            str(status): page
            for status, page in zip(others, responses, strict=True)
            if page is not None
        }
        if fetcher.status is not None:
            pages[fetcher.status] = self.first_page
        if pages:
            self.status_pages = StatusPages(fetcher, whole_page, pages)
        return self.status_pages

    def end(
        self,
        fact: Fact,
        assumptions: Iterable[Assumption],
        *,
        scope: str | None = None,
        detail: str = "",
    ) -> Evidence:
        """Return evidence of an end, with the assumptions that every end of this reading has."""
        assumed = list(assumptions)
        if self.fetcher.status is not None:
            assumed.append(Assumption.FILTER_IS_TRUE)
        elif scope is None:
            pages = self.status_pages
            if pages is not None and pages.was_filter_tested():
                assumed.append(Assumption.LISTS_PETS_WITHOUT_STATUS)
            else:
                assumed.append(Assumption.LISTS_EVERY_STATUS)
        if self.fetcher.requests > 1:
            assumed.append(Assumption.NO_OLD_ANSWER)
        unique = tuple(dict.fromkeys(assumed))
        return Evidence(fact, scope=scope, assumptions=unique, detail=detail)


Strategy: TypeAlias = Callable[[ReadingState], list[Evidence]]


def read_pets(state: ReadingState) -> None:
    """Read what can be read; what was read stays in ``state`` if the store fails on the way."""
    fetcher = state.fetcher
    first = fetcher.page(fetcher.params(), number=1)
    state.first = first
    state.rows.add(first.columns)
    fetcher.report_rows(len(state.rows))
    mismatches = first.mismatches(fetcher.status)
    if mismatches:
        state.evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
    left_out = 0
    try:
        for strategy in STRATEGIES:
            if state.has_enough or state.is_finished:
                break
            state.evidence += strategy(state)
    finally:
        left_out = state.count_left_out()
        _add_status_pages(state)
    state.evidence += _summarize(state, left_out)


def _add_status_pages(state: ReadingState) -> None:
    """Keep the pets that only the pages of the statuses showed."""
    if state.status_pages is None or state.fetcher.status is not None:
        return
    for page in state.status_pages.pages.values():
        state.rows.add(page.columns, is_earlier=True)


def follow_links(state: ReadingState) -> list[Evidence]:
    """Follow the next links to the end; if the first leads elsewhere, leave it to the others."""
    if state.first_page.next_address is None:
        return []
    walk = LinkWalk(state.fetcher, state.first_page, state.rows)
    evidence = _read_through(state, walk)
    if walk.unfollowed is not None and walk.pages == 1:
        state.walk = None
        return [walk.unfollowed]
    return evidence


def confirm_page(state: ReadingState) -> list[Evidence]:
    """Trust a short page if the pages of the statuses, or that of all pets, confirm it."""
    is_too_long = state.fetcher.status is not None and len(state.first_page) > MAX_LIMIT
    if not state.may_be_one_page or is_too_long:
        return []
    if state.fetcher.status is not None:
        return _confirm_status_page(state, state.fetcher.status)
    pages = state.ask_status_pages()
    if pages is None or not pages.confirm_whole_page():
        return []
    assumptions = (Assumption.FILLS_PAGES_WITHOUT_STATUS, *_OF_STATUSES)
    return [state.end(Fact.PAGE_CONFIRMED, assumptions)]


def _confirm_status_page(state: ReadingState, status: str) -> list[Evidence]:
    """Trust the page of one status if it is shorter than others and was not cut before filtering.

    A page of all pets may show that; if it does not, the pages of the other statuses may.
    """
    first, fetcher = state.first_page, state.fetcher
    whole_page = fetcher.probe(OF_ALL)
    if whole_page is None:
        return []
    contradictions = check_filter(first, whole_page, status)
    if contradictions:
        return [Evidence(item.fact, count=item.count) for item in contradictions]
    if len(whole_page) > len(first) and proves_filter_first(fetcher, whole_page):
        return [state.end(Fact.PAGE_CONFIRMED, [Assumption.ONE_CAP])]
    pages = state.ask_status_pages()
    if pages is None or first.mismatches(status):
        return []
    if status in pages.complete_statuses():
        return [state.end(Fact.PAGE_CONFIRMED, _OF_STATUSES)]
    return []


def follow_parameter(state: ReadingState) -> list[Evidence]:
    """Look for a parameter that moves a window over the listing, and read through it."""
    if state.walk is not None or len(state.first_page) > MAX_LIMIT:
        return []
    parameter = find_parameter(state.fetcher, state.first_page)
    if parameter is None:
        return []
    return _read_through(state, WindowWalk(state.fetcher, state.first_page, state.rows, parameter))


def trust_short_page(state: ReadingState) -> list[Evidence]:
    """Trust a short page if nothing speaks against it."""
    is_refuted = any(item.is_contradiction for item in state.evidence)
    is_one_page = state.walk is None and len(state.first_page) < MAX_LIMIT
    if is_refuted or not is_one_page or not state.may_be_one_page:
        return []
    if state.fetcher.status is None:
        pages = state.ask_status_pages()
        if pages is not None and (pages.contradictions or pages.pets_not_on_whole_page):
            return []
    if state.fetcher.ignores_limit or _may_be_cut(state):
        return []
    return [state.end(Fact.PAGE_HAD_ROOM, [Assumption.FILLS_PAGES])]


def _may_be_cut(state: ReadingState) -> bool:
    """Return whether another page suggests that the store cut this one at a length of its own."""
    first = state.first_page
    if state.fetcher.status is not None:
        whole_page = state.fetcher.probe(OF_ALL)
        if whole_page is None:
            return False
        if len(whole_page) > len(first):
            return len(whole_page) >= MAX_LIMIT  # the filter may have seen those pets alone
        is_as_long = True
    else:
        pages = state.status_pages
        lengths = [] if pages is None else [len(page) for page in pages.usable.values()]
        is_as_long = max(lengths, default=0) >= len(first)
    if not is_as_long or len(first) < SHORTEST_PAGE_LENGTH:
        return False
    return not _obeys_smaller_limit(state)


def _obeys_smaller_limit(state: ReadingState) -> bool:
    """Return whether the store returned exactly as many pets as a smaller limit asks for."""
    limit = smaller_limit(state.first_page)
    page = state.fetcher.probe(state.fetcher.params(limit=limit))
    return page is not None and len(page) == limit


def count_statuses(state: ReadingState) -> list[Evidence]:
    """Find the statuses of which all pets were read, if the listing itself shows no end."""
    if state.fetcher.status is not None:
        return []
    pages = state.ask_status_pages()
    if pages is None:
        return []
    evidence = []
    listed = state.rows.columns()
    for status in pages.complete_statuses():
        left_out = ids_with(listed, status).difference(pages.usable[status].columns.id)
        if left_out:
            evidence.append(Evidence(Fact.FILTER_LEFT_OUT, status, count=len(left_out)))
        else:
            evidence.append(state.end(Fact.STATUS_PAGE_WHOLE, _OF_STATUSES, scope=status))
    return evidence


STRATEGIES: tuple[Strategy, ...] = (
    follow_links,
    confirm_page,
    follow_parameter,
    trust_short_page,
    count_statuses,
)


def _read_through(state: ReadingState, walk: Walk) -> list[Evidence]:
    """Walk to the end of the listing; return what shows the end, or what speaks against it."""
    state.walk = walk
    fetcher = state.fetcher
    asks_statuses = fetcher.status is None
    # Before the walk, which then cannot miss a pet that came after they were read. A reading that
    # may stop early asks for them only at its end.
    has_budget = fetcher.probes + len(PET_STATUSES) < MOST_PROBES
    if asks_statuses and fetcher.is_enough is None and has_budget:
        state.ask_status_pages()
    walk.run()
    if not walk.is_over:
        return []
    contradictions = list(walk.look_back())
    if contradictions:
        return contradictions
    if asks_statuses:
        state.ask_status_pages()
    assumptions = [walk.reach, *(_HOLDS_STILL if walk.pages > 1 else ())]
    return [state.end(walk.fact, assumptions, detail=walk.detail)]


def _summarize(state: ReadingState, left_out: int) -> list[Evidence]:
    """Return what the totals, the statuses and the ages of the responses show in the end."""
    evidence = []
    fetcher = state.fetcher
    if state.walk is None and not state.has_enough:
        evidence += _why_no_end(state)
    if left_out:
        evidence.append(Evidence(Fact.STATUSES_HOLD_MORE, count=left_out))
    if state.status_pages is not None and fetcher.status is None:
        evidence += state.status_pages.contradictions
    if state.states_more:
        total = state.stated_total or 0
        if fetcher.status is None:
            assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
            evidence.append(Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=total))
        else:
            evidence.append(Evidence(Fact.TOTAL_OF_ALL, count=total))
    age_difference_s = fetcher.oldest_s - fetcher.newest_s
    if age_difference_s > _AGE_TOLERANCE_S:
        evidence.append(Evidence(Fact.OLD_ANSWER, detail=f"{age_difference_s:,.0f} s"))
    return evidence


def _why_no_end(state: ReadingState) -> list[Evidence]:
    """Return why a single page does not show an end, if it does not."""
    first = state.first_page
    facts = {item.fact for item in state.evidence}
    if first.may_name_next and Fact.LINK_NOT_FOLLOWED not in facts:
        return [Evidence(Fact.NEXT_NOT_READ)]
    if any(item.shows is Shows.END and item.scope is None for item in state.evidence):
        return []
    if len(first) >= MAX_LIMIT:
        return [Evidence(Fact.PAGE_FULL)]
    if state.fetcher.ignores_limit:
        return [Evidence(Fact.LIMIT_IGNORED, count=state.fetcher.longest_page)]
    return [Evidence(Fact.PAGE_MAY_BE_CUT, count=len(first))]


def check_rows(state: ReadingState) -> list[Evidence]:
    """Return what the rows that came twice show, and the names of two stores."""
    evidence = []
    if state.fetcher.two_names:
        evidence.append(Evidence(Fact.OTHER_STORE, detail=state.fetcher.two_names))
    for status in state.rows.disputed:
        evidence.append(Evidence(Fact.STATUS_MOVED, status or NO_STATUS))
    if state.rows.ambiguous_id is not None:
        evidence.append(Evidence(Fact.ONE_ID_TWICE, count=state.rows.ambiguous_id))
    return evidence
