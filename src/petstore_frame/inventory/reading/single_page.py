"""Decides whether a single page is a whole listing, if the store names no way to a next page."""

from __future__ import annotations

from petstore_frame.inventory.reading.page_fetcher import MAX_LIMIT, OF_ALL
from petstore_frame.inventory.reading.page_parameter import smaller_limit
from petstore_frame.inventory.reading.reading_state import (
    ReadingState,
    check_filter,
    ids_with,
    proves_filter_first,
)
from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Fact, Shows

# No program would choose a page length below this.
SHORTEST_PAGE_LENGTH = 10
# The assumptions of the pages of the statuses.
_OF_STATUSES = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NONE_CHANGES)


def confirm_page(state: ReadingState) -> list[Evidence]:
    """Trust a short page if the pages of the statuses, or the page of all pets, confirm it."""
    is_too_long = state.fetcher.status is not None and len(state.first) > MAX_LIMIT
    if not state.may_fit_on_first_page() or is_too_long:
        return []
    if state.fetcher.status is not None:
        return _confirm_status_page(state, state.fetcher.status)
    pages = state.ask_status_pages()
    if pages is None or not pages.confirm_unfiltered_page():
        return []
    assumptions = (Assumption.FILLS_PAGES_WITHOUT_STATUS, *_OF_STATUSES)
    return [state.end(Fact.PAGE_CONFIRMED, assumptions)]


def _confirm_status_page(state: ReadingState, status: str) -> list[Evidence]:
    """Trust the page of one status if it is shorter than other pages and was filtered first.

    A page of all pets may show that; if it does not, the pages of the other statuses may.
    """
    first, fetcher = state.first, state.fetcher
    unfiltered_page = fetcher.probe(OF_ALL)
    if unfiltered_page is None:
        return []
    contradictions = check_filter(first, unfiltered_page, status)
    if contradictions:
        return [Evidence(item.fact, count=item.count) for item in contradictions]
    if len(unfiltered_page) > len(first) and proves_filter_first(fetcher, unfiltered_page):
        return [state.end(Fact.PAGE_CONFIRMED, [Assumption.ONE_CAP])]
    pages = state.ask_status_pages()
    if pages is None or first.mismatches(status):
        return []
    if status in pages.complete_statuses():
        return [state.end(Fact.PAGE_CONFIRMED, _OF_STATUSES)]
    return []


def trust_short_page(state: ReadingState) -> list[Evidence]:
    """Trust a short page if nothing contradicts it."""
    is_refuted = any(item.is_contradiction for item in state.evidence)
    is_single_page = state.walk is None and len(state.first) < MAX_LIMIT
    if is_refuted or not is_single_page or not state.may_fit_on_first_page():
        return []
    if state.fetcher.status is None:
        pages = state.ask_status_pages()
        if pages is not None and (pages.contradictions or pages.pets_not_on_unfiltered_page):
            return []
    if state.fetcher.ignores_limit or _may_be_cut(state):
        return []
    return [state.end(Fact.PAGE_HAD_ROOM, [Assumption.FILLS_PAGES])]


def _may_be_cut(state: ReadingState) -> bool:
    """Return whether another page suggests that the store cut this page short.

    Pages of the same length for different questions look like the page length of the store. If it
    also ignores a smaller limit, the length of a page says nothing about its pets.
    """
    length = len(state.first)
    if state.fetcher.status is not None:
        unfiltered_page = state.fetcher.probe(OF_ALL)
        if unfiltered_page is None:
            return False
        if len(unfiltered_page) > length:  # a full page may have been filtered after it was cut
            return len(unfiltered_page) >= MAX_LIMIT
        has_equal_page = True
    else:
        pages = {} if state.status_pages is None else state.status_pages.usable
        has_equal_page = any(len(page) >= length for page in pages.values())
    if not has_equal_page or length < SHORTEST_PAGE_LENGTH:
        return False
    return not _obeys_smaller_limit(state)


def _obeys_smaller_limit(state: ReadingState) -> bool:
    """Return whether the store returns exactly as many pets as a smaller limit requests."""
    limit = smaller_limit(state.first)
    page = state.fetcher.probe(state.fetcher.params(limit=limit))
    return page is not None and len(page) == limit


def find_complete_statuses(state: ReadingState) -> list[Evidence]:
    """Find the statuses of which all pets were read, if the listing itself shows no end."""
    if state.fetcher.status is not None:
        return []
    pages = state.ask_status_pages()
    if pages is None:
        return []
    evidence = []
    pets = state.rows.columns
    for status in pages.complete_statuses():
        left_out = ids_with(pets, status).difference(pages.usable[status].columns.id)
        if left_out:
            evidence.append(Evidence(Fact.FILTER_LEFT_OUT, status, count=len(left_out)))
        else:
            evidence.append(state.end(Fact.STATUS_PAGE_WHOLE, _OF_STATUSES, scope=status))
    return evidence


def why_no_end(state: ReadingState) -> list[Evidence]:
    """Return the reason why a single page does not show an end, if so."""
    if state.walk is not None:
        return []
    first = state.first
    facts = {item.fact for item in state.evidence}
    if first.may_name_next and Fact.LINK_NOT_FOLLOWED not in facts:
        return [Evidence(Fact.NEXT_NOT_READ)]
    if any(item.fact.shows is Shows.END and item.scope is None for item in state.evidence):
        return []
    if state.fetcher.ignores_limit:
        return [Evidence(Fact.LIMIT_IGNORED, count=state.fetcher.longest_page)]
    if len(first) >= MAX_LIMIT:
        return [Evidence(Fact.PAGE_FULL)]
    return [Evidence(Fact.PAGE_MAY_BE_CUT, count=len(first))]
