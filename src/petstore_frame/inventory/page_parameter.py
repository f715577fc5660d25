"""Finding a way on that a store does not announce, trusted only after it gave rows already held.

A parameter that a store ignores, misreads or counts in other units never passes. Windows over the
listing step by the rows that came, never by those asked for, and each overlaps the last by one
where it can, so that a listing that moves breaks the seam.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.asking import SIDE_BY_SIDE, Asker
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.listing import HOLDS_STILL, Listing
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.stated import NEXT_PARAMETERS
from petstore_frame.inventory.walk import Walk
from petstore_frame.schema.frame import PetColumns

TRIED_ROWS = 10
MAX_TRICKLES = 5
_OFFSETS = ("offset", "skip")
_AFTER = ("after", "starting_after", "cursor")


@dataclass(frozen=True)
class Parameter:
    """A parameter that is known to move a window over the listing.

    Attributes:
        name: Its name.
        kind: What its value counts: rows to pass over, pages, or the id before the window.
        first_page: The number of the first page, for pages.
    """

    name: str
    kind: Literal["offset", "page", "after"]
    first_page: int = 1


def page_parameter(listing: Listing) -> Iterator[Evidence]:
    """Look for a parameter that moves a window over the listing, and read through it."""
    first, ask = listing.first, listing.ask
    if not listing.may_probe or listing.is_announced or len(first) > ask.limit:
        return
    tried: list[Evidence] = []
    short = short_page(ask, first, tried)
    found = None if short is None else find_parameter(ask, first, short, tried)
    yield from tried
    if found is None:
        return
    parameter = found
    flaws = listing.read_through(lambda page, rows: Windows(listing, page, rows, parameter))
    if flaws is None:
        return
    yield from flaws
    if all(each.shows is Shows.NOTHING for each in flaws):
        over_time = HOLDS_STILL if listing.pages > 1 else ()
        reach = Assumption.OFFSETS_REACH_ALL
        yield listing.end(Fact.WINDOWS_ENDED, reach, *over_time, detail=parameter.name)


def short_page(ask: Asker, first: Page, tried: list[Evidence] | None = None) -> Page | None:
    """Ask for the beginning of a page already held, to see whether it comes again.

    Returns:
        The short page, which may be longer than was asked for, or None when it cannot be had or
        holds other pets: then the listing keeps no order, and no window over it can be tried.
    """
    notes = [] if tried is None else tried
    ids = list(first.columns.id)
    size = min(TRIED_ROWS, len(ids) // 3)
    if size < 2:
        notes.append(Evidence(Fact.ORDER_UNTRIED, count=len(ids)))
        return None
    page = ask.probe(ask.params(limit=size))
    if page is None:
        return None
    count = len(page)
    if not size <= count <= len(ids) or list(page.columns.id) != ids[:count]:
        notes.append(Evidence(Fact.ORDER_NOT_KEPT, count=size))
        return None
    notes.append(Evidence(Fact.ORDER_KEPT, count=count, detail=str(size)))
    return page


def find_parameter(ask: Asker, first: Page, short: Page, tried: list[Evidence]) -> Parameter | None:
    """Try parameters on rows that are already held and return the first that moves as it should.

    Args:
        ask: Asks, within the budget.
        first: The first page, as long as the store would give it.
        short: Its beginning, asked for with a smaller limit.
        tried: Takes what each did.
    """
    ids, size = list(first.columns.id), len(short)

    def moves(name: str, value: int, *wanted: list[int]) -> int | None:
        page = ask.probe(ask.params({name: str(value)}, limit=size))
        return _which(page, name, wanted, ids[:size], tried)

    def offset(name: str) -> Parameter | None:
        # Half a window: a store that counts pages, not rows, would land elsewhere.
        at = size // 2
        return None if moves(name, at, ids[at : at + size]) is None else Parameter(name, "offset")

    def page(name: str) -> Parameter | None:
        # The second page of a store that counts from 1 is the third of one that counts from 0.
        place = moves(name, 2, ids[size : 2 * size], ids[2 * size : 3 * size])
        return None if place is None else Parameter(name, "page", 1 - place)

    def after(name: str) -> Parameter | None:
        at = size if len(ids) >= 2 * size else size // 2
        known = moves(name, ids[at - 1], ids[at : at + size])
        return None if known is None else Parameter(name, "after")

    tries: list[Callable[[], Parameter | None]] = [
        lambda: offset(_OFFSETS[0]),
        lambda: page("page"),
        *(lambda name=name: after(name) for name in _AFTER),
        lambda: offset(_OFFSETS[1]),
    ]
    return next((found for attempt in tries if (found := attempt()) is not None), None)


def parameter_of(ask: Asker, first: Page, short: Page) -> str | None:
    """Return the parameter that takes the value of a header such as ``X-Next-Page``.

    A short page names its own next one; that next one must be the rows that follow it.
    """
    named = short.stated.next_value
    if named is None:
        return None
    ids, size = list(first.columns.id), len(short)
    for name in NEXT_PARAMETERS[named.word]:
        page = ask.probe(ask.params({name: named.value}, limit=size))
        if _which(page, name, [ids[size : 2 * size]], ids[:size], []) is not None:
            return name
    return None


def _which(
    page: Page | None,
    name: str,
    wanted: Sequence[list[int]],
    unmoved: list[int],
    tried: list[Evidence],
) -> int | None:
    """Return which of the expected windows came; anything else is not understood."""
    if page is None:
        return None
    got, size = list(page.columns.id), len(unmoved)
    place = next((at for at, ids in enumerate(wanted) if _begins(got, ids, size)), None)
    if place is not None:
        fact = Fact.PARAMETER_WORKS
    else:
        fact = Fact.PARAMETER_IGNORED if got == unmoved else Fact.PARAMETER_UNCLEAR
    tried.append(Evidence(fact, detail=name))
    return place


def _begins(got: list[int], wanted: list[int], size: int) -> bool:
    """Tell whether a window came; only one that reaches beyond the rows held may go on."""
    is_cut = 0 < len(wanted) < size
    return bool(wanted) and (got[: len(wanted)] if is_cut else got) == wanted


class Windows(Walk):
    """Reads window by window, several at a time; the rows hold exactly the first page's."""

    def __init__(self, listing: Listing, first: Page, rows: Rows, parameter: Parameter) -> None:
        super().__init__(listing, first, rows)
        self.is_over = not len(rows)  # as when a store was emptied before it is read again
        self._trickles = 0
        self._parameter = parameter
        # Whether each window begins with the row that was read last.
        self._has_seams = parameter.kind != "page"
        self._size = self._position = len(rows)
        self._tail = list(first.columns.id)[-2:]
        self._was_short = False
        self._ahead: dict[int, Future[Page]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def run(self) -> None:
        self._pool = None if self._parameter.kind == "after" else ThreadPoolExecutor(SIDE_BY_SIDE)
        try:
            super().run()
        except APIStatusError as problem:
            if problem.status_code not in (400, 404, 416, 422):
                raise
            # The window was our own idea: a refusal ends the walk and proves nothing.
            self._end(Fact.WINDOW_REFUSED, len(self.rows), self._parameter.name)
        finally:
            self._ahead.clear()
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)

    def _step(self) -> None:
        """Take a window's rows; one without any is the end."""
        self.last = page = self._window()
        self.pages += 1
        fresh = self._past_the_seam(page.columns)
        if not fresh.id and self._has_seams and not len(page):
            self._end(Fact.WINDOW_EMPTY, len(self.rows))
            return
        if not fresh.id:
            rows = len(self.rows)
            # Windows overlap: the store's own pages are fewer.
            self._end_at(page, pages=-(-rows // self._size), rows=rows)
            return
        if all(pet_id in self.rows for pet_id in fresh.id):
            # The way was our own idea: a store that does not go along to the end made no error.
            self._end(Fact.WINDOW_IS_OLD, detail=self._parameter.name)
            return
        if self._parameter.kind == "page" and self._was_short:
            self.breaks.append(Evidence(Fact.PAGE_SHORT, count=self.pages - 1))
        self._was_short = len(page) < self._size
        new = self.rows.add(fresh)
        if not self._has_seams:
            self._note_overlap(fresh.id, new)
        self._last_ids = fresh.id
        self._tail = [*self._tail, *fresh.id][-2:]
        # A store that is filled as fast as it is read has no end to chase.
        self._trickles = self._trickles + 1 if len(fresh.id) * 10 < self._size else 0
        if self._trickles == MAX_TRICKLES:
            self._end(Fact.WINDOWS_TRICKLE)
        # A short page still is a page; rows are passed over one by one.
        self._position += self._size if self._parameter.kind == "page" else len(fresh.id)
        self._listing.note(self.rows)

    def _past_the_seam(self, columns: PetColumns) -> PetColumns:
        if not self._has_seams or not columns.id:
            return columns
        if columns.id[0] != self.rows.last_id:
            self.breaks.append(Evidence(Fact.ROW_MOVED, count=self._position))
            return columns
        return columns.part(1)

    def _window(self) -> Page:
        """Return the window at the position, and have the ones behind it on their way."""
        if self._pool is None or self.pages < 2 or self._trickles:
            # One window alone at first, since the store may give fewer rows than it gave before,
            # and one at a time where the end is near.
            return self._ask(self._position)
        step = max(1, self._size - self._has_seams)
        for place in range(self._position, self._position + SIDE_BY_SIDE * step, step):
            if place not in self._ahead:
                self._ahead[place] = self._pool.submit(self._ask, place)
        with self._listing.ask.interrupts.allow():
            return self._ahead.pop(self._position).result()

    def _ask(self, position: int) -> Page:
        kind, name, ask = self._parameter.kind, self._parameter.name, self._listing.ask
        if kind == "offset":
            return ask.page(ask.params({name: str(position - 1)}))
        if kind == "after":
            # The one before the last, so that the last comes again: where ids run from 1 without
            # a gap, an id could be mistaken for a number of rows.
            return ask.page(ask.params({name: str(self._tail[0])}))
        # Pages of one fixed length: a page number means nothing under another limit.
        number = self._parameter.first_page + position // self._size
        return ask.page(ask.params({name: str(number)}, limit=self._size))
