"""Tries each strategy in turn to find the end of a listing, and gathers the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.evidence import Evidence, Fact, Shows
from petstore_frame.inventory.page_parameter import page_parameter
from petstore_frame.inventory.requests import Requests
from petstore_frame.inventory.single_pages import (
    ask_whose_total,
    confirmed_page,
    known_statuses,
    short_page,
    status_pages,
)
from petstore_frame.inventory.walk import next_links
from petstore_frame.schema.models import MAX_LIMIT
from petstore_frame.transport.page import Page

Strategy = Callable[[Page, Requests], Iterator[Evidence]]
# A further strategy is a function, and a line here.
STRATEGIES: tuple[Strategy, ...] = (
    next_links,
    confirmed_page,
    page_parameter,
    short_page,
    status_pages,
)
# Ages are whole seconds, and a reading takes a moment.
_TOLERANCE_S = 2.0


class Reading:
    """One listing as far as it was read, and the ``evidence`` so far; ``run`` again goes on.

    ``first`` is its first page, or None before that came.
    """

    def __init__(self, ask: Requests) -> None:
        self.ask = ask
        self.first: Page | None = None
        self.evidence: list[Evidence] = []

    def run(self) -> tuple[Evidence, ...]:
        """Read what can be read and return all that was learned.

        The strategies are tried until one finds the end, or shows that there is none to find.

        Raises:
            PetstoreError: A page could not be read.
        """
        ask, way = self.ask, self.ask.way
        first = self.first or self._open()
        if way is not None and way.first.limit == ask.limit:
            first = way.first  # the store may have been asked for a shorter first page since
        self.first = first
        mismatches = first.mismatches(ask.status)
        self.evidence = [Evidence(Fact.FILTER_NOT_KEPT, count=mismatches)] if mismatches else []
        left_out = 0
        for strategy in STRATEGIES:
            if ask.has_enough():
                break
            if strategy is short_page and any(each.is_contradiction for each in self.evidence):
                continue  # it believes the store
            self.evidence += strategy(first, ask)
            if self._has(Shows.END):
                # Counted once, for later strategies may bring these pets.
                left_out = left_out or self._count_left_out(first)
                if not left_out:
                    break
            if self._has(Shows.MOVED):
                break
        return (*self.evidence, *self._of_all(first, left_out))

    def _open(self) -> Page:
        """Read the first page, as widely as allowed where nothing leads beyond it."""
        ask = self.ask
        page = self._read_first(ask.limit)
        is_bare = len(page) >= (page.limit or 0) and page.next_address is None
        if ask.limit < MAX_LIMIT and is_bare and not ask.has_enough():
            try:
                wide = self._read_first(MAX_LIMIT)
            except APIStatusError as problem:
                if problem.status_code not in (400, 422):
                    raise
                ask.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=str(problem)))
            else:
                if gone := len({*page.columns.id} - {*wide.columns.id}):
                    ask.troubles.append(Evidence(Fact.PETS_LEFT, count=gone))
                page = wide
        ask.limit = page.limit or ask.limit
        return page

    def _read_first(self, limit: int) -> Page:
        page = self.ask.page(self.ask.params(limit=limit), number=1)
        self.ask.rows.add(page.columns)
        self.ask.on_rows(len(self.ask.rows))
        return page

    def _has(self, shows: Shows) -> bool:
        return any(each.scope is None and each.shows is shows for each in self.evidence)

    def _count_left_out(self, first: Page) -> int:
        """Return how many pets only the pages of the statuses have."""
        statuses, way = known_statuses(first, self.ask), self.ask.way
        if statuses is None:
            return 0
        if way is not None and way.is_over:
            pages = statuses.pages.values()
            return sum(pet_id not in way.rows for page in pages for pet_id in page.columns.id)
        is_one_page = len(first) < self.ask.limit or self._has(Shows.END)
        return statuses.left_out if is_one_page else 0

    def _of_all(self, first: Page, left_out: int) -> Iterator[Evidence]:
        """Yield what the totals, the statuses, the questions and the ages show at last."""
        ask, way = self.ask, self.ask.way
        if way is None and not ask.has_enough():
            why = _why_unclear(first, ask)
            if why.is_contradiction or not self._has(Shows.END):
                yield why
        left_out = left_out or self._count_left_out(first)
        statuses = known_statuses(first, ask)
        if statuses is not None:
            if way is not None and way.is_over:
                for page in statuses.pages.values():
                    ask.rows.compare(page.columns)
            if left_out:
                statuses.hold(ask)
            yield from statuses.notes
        if left_out:
            yield Evidence(Fact.STATUSES_HOLD_MORE, count=left_out)
        yield from ask_whose_total(first, ask).evidence(len(ask.rows))
        yield from ask.troubles
        # Answers of two ages show the store at two times.
        if (apart_s := ask.oldest_s - ask.newest_s) > _TOLERANCE_S:
            yield Evidence(Fact.OLD_ANSWER, detail=f"{apart_s:,.0f} s")


def _why_unclear(first: Page, ask: Requests) -> Evidence:
    """Return why a listing of which only single pages were read is not known to end there."""
    if first.may_name_next:
        return Evidence(Fact.NEXT_NOT_READ)
    if len(first) >= ask.limit:
        return Evidence(Fact.PAGE_FULL)
    return Evidence(Fact.PAGE_MAY_BE_CUT, count=len(first))
