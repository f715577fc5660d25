"""A way through a listing from page to page, and what shows that it moved meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from petstore_frame.errors import APIStatusError
from petstore_frame.http.page import Page
from petstore_frame.inventory.asker import Asker
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.single_pages import ask_statuses, end_of
from petstore_frame.schema.models import PET_STATUSES

# What a listing that was read over several pages rests on.
_HOLDS_STILL = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)
# What a store answers for a place in its listing that it no longer keeps.
_EXPIRED = (400, 404, 410, 422)


class Walk:
    """Reads a listing page by page; ``run`` continues after a failure.

    ``rows`` holds the pets of ``first`` from the start. ``breaks`` is what did not fit together on
    the way, ``doubt`` why the end that was met proves nothing, and ``looked_back`` what the first
    page showed when it was read again. ``is_forgotten``: the store refused the place to go on from.
    """

    fact: Fact
    reach: tuple[Assumption, ...]  # what its end rests on

    def __init__(self, ask: Asker, first: Page, rows: Rows, detail: str = "") -> None:
        self._ask, self.rows, self.detail = ask, rows, detail
        self.first = self.last = first
        self.pages = 1
        self.is_over = self.is_forgotten = False
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
            self._step()

    def _step(self) -> None:
        """Read one more page, or end."""
        raise NotImplementedError

    def _end(self, doubt: Fact | None = None, count: int = 0, detail: str = "") -> None:
        self.is_over = True
        if doubt is not None:
            self.doubt = Evidence(doubt, count=count, detail=detail)

    def _end_at(self, page: Page, *, pages: int, rows: int) -> None:
        """End where no further page is known; the last one may state that there is more."""
        more = page.stated.says_more(pages=pages, rows=rows)
        self._end(Fact.SAYS_MORE if more else None, detail=more or "")

    def look_back(self) -> list[Evidence]:
        """Read the first page again, and return what shows that the listing moved meanwhile."""
        ask, first = self._ask, self.first
        page = ask.probe(ask.params(), again=True) if self.pages > 1 else None
        if page is None:
            return [*self.breaks]
        ids, before = list(page.columns.id), list(first.columns.id)
        grown = next((at for at, pet_id in enumerate(ids) if pet_id in self.rows), len(ids))
        found = Evidence(Fact.FIRST_PAGE_MOVED)
        breaks = self.breaks
        if ids == before:
            found = Evidence(Fact.FIRST_PAGE_SAME)
        elif self._only_grew(ids, before, grown):
            # The rows that came twice were those that the new pets pushed on.
            found, breaks = Evidence(Fact.NEW_IN_FRONT, count=grown), []
            if self.doubt is not None and self.doubt.fact is Fact.PAGES_REPEAT:
                self.doubt = None
        if not found.is_contradiction and page.columns != first.columns:
            self.rows.update(page.columns)
        stated, again = first.stated.total, page.stated.total
        if stated is not None and again is not None and again < stated:
            fell = Evidence(Fact.TOTAL_FELL, detail=f"{stated:,}, then {again:,}")
            return [found, *breaks, fell]
        return [found, *breaks]

    def _only_grew(self, ids: list[int], before: list[int], grown: int) -> bool:
        """Tell whether new pets came in front, pushed no more rows on, and no other row moved."""
        seams = sum(each.fact is Fact.ROW_MOVED for each in self.breaks)
        return (
            0 < grown < len(ids)
            and ids[grown:] == before[: len(ids) - grown]
            # A seam that broke brings the row that it overlaps once more.
            and self.rows.repeated - seams <= grown
        )


def read_through(
    first: Page, ask: Asker, begin: Callable[[Page, Rows], Walk]
) -> Iterator[Evidence]:
    """Walk to the end of the listing; yield what was met, and the end if all fits."""
    # Before the walk: it then cannot miss a pet that came after they were read. A reading that may
    # stop early asks them only at its end.
    if ask.way is None and ask.is_enough is None and ask.has_budget(len(PET_STATUSES) + 1):
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


def _begin(first: Page, ask: Asker, begin: Callable[[Page, Rows], Walk]) -> Walk:
    """Start a walk; it counts its own rows where other pages have brought some already."""
    rows = ask.rows
    if ask.way is not None or rows.received != len(first):
        rows = Rows()
        rows.add(first.columns)
    walk = begin(first, rows)
    ask.way = walk
    return walk


def _gather(ask: Asker, walk: Walk) -> None:
    if walk.rows is not ask.rows:
        ask.rows.add_all(walk.rows)
