"""Parameters that a store does not announce, trusted only after they gave rows already read.

A parameter that a store ignores, misreads or counts in other units never passes. Windows over the
listing step by the rows that came, never by those asked for, and each overlaps the last by one
where it can, so that a listing that moves breaks the seam.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal, NamedTuple

from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.requests import SIDE_BY_SIDE, Requests, Rows
from petstore_frame.inventory.walk import Walk, read_through
from petstore_frame.schema.frame import PetColumns
from petstore_frame.transport.page import Page

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


def page_parameter(first: Page, ask: Requests) -> Iterator[Evidence]:
    """Look for a parameter that moves a window over the listing, and read through it."""
    is_announced = ask.way is not None and not isinstance(ask.way, Windows)
    if not ask.may_probe or is_announced or len(first) > ask.limit:
        return
    short = ask.short_page(first)
    if short is None:
        return
    found = find_parameter(ask, first, short)
    if found is not None:
        yield from read_through(first, ask, lambda page, rows: Windows(ask, page, rows, found))


def find_parameter(ask: Requests, first: Page, short: Page) -> Parameter | None:
    """Return the first parameter that moves as it should over rows already read, or None."""
    ids, size = list(first.columns.id), len(short)
    for kind, names in PARAMETERS:
        value, windows = _trial(kind, ids, size)

        def ask_for(*asked: str, value: int = value) -> Page | None:
            return ask.probe(ask.params(dict.fromkeys(asked, str(value)), limit=size))

        together = ask_for(*names)
        if together is not None and _which(together, windows, size) is None:
            continue
        for name in names:  # also where they were refused together
            page = ask_for(name)
            place = None if page is None else _which(page, windows, size)
            if place is not None:
                return Parameter(name, kind, 1 - place)
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


class Windows(Walk):
    """Reads window by window, several at a time; the rows hold exactly the first page's."""

    fact = Fact.WINDOWS_ENDED
    reach = (Assumption.OFFSETS_REACH_ALL,)

    def __init__(self, ask: Requests, first: Page, rows: Rows, parameter: Parameter) -> None:
        super().__init__(ask, first, rows, parameter.name)
        self.is_over = not len(rows)  # as when a store was emptied before it is read again
        self._parameter = parameter
        # Whether each window begins with the row that was read last.
        self._has_seams = parameter.kind != "page"
        self._size = self._position = len(rows)
        self._tail = list(first.columns.id)[-2:]
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
            refused = f" ({self._parameter.name}= was refused)"
            self._end(Fact.WINDOWS_STOPPED, len(self.rows), refused)
        finally:
            self._ahead.clear()
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)

    def _step(self) -> None:
        """Take a window's rows; one without any is the end."""
        before = self.last
        self.last = page = self._window()
        self.pages += 1
        fresh, rows = self._past_the_seam(page.columns), len(self.rows)
        if not fresh.id and self._has_seams and not len(page):
            # The row read last should have come again.
            self._end(Fact.WINDOWS_STOPPED, rows)
        elif not fresh.id:
            self._end()
        elif not self._has_seams and fresh.id == before.columns.id:
            # Some stores repeat their last page for every number behind it.
            self._end()
        elif all(pet_id in self.rows for pet_id in fresh.id):
            # We guessed this parameter: an early stop is not an error.
            self._end(Fact.WINDOWS_STOPPED, rows)
        else:
            self._take(fresh)

    def _take(self, fresh: PetColumns) -> None:
        repeated = len(fresh.id) - self.rows.add(fresh)
        if repeated and self._has_seams:
            self.breaks = [*self.breaks, Evidence(Fact.ROWS_TWICE, count=repeated)]
        elif repeated:
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)
        self._tail = [*self._tail, *fresh.id][-2:]
        # A short page still is a page; rows are passed over one by one.
        self._position += len(fresh.id) if self._has_seams else self._size
        self._ask.on_rows(len(self.rows))

    def _past_the_seam(self, columns: PetColumns) -> PetColumns:
        if not self._has_seams or not columns.id:
            return columns
        if columns.id[0] != self.rows.last_id:
            self.breaks = [*self.breaks, Evidence(Fact.ROWS_TWICE, count=1)]
            self.seams += 1
            return columns
        return columns.part(1)

    def _window(self) -> Page:
        """Return the window at the position, and prefetch the next ones."""
        ask = self._ask
        if self._pool is None or self.pages < 2:
            # One window alone at first, since the store may give fewer rows than it gave before.
            return ask.page(self._params(self._position))
        step = max(1, self._size - self._has_seams)
        for place in range(self._position, self._position + SIDE_BY_SIDE * step, step):
            if place not in self._ahead:
                self._ahead[place] = ask.begin(self._pool, self._params(place))
        return ask.take(self._ahead[self._position])

    def _params(self, position: int) -> dict[str, str]:
        kind, name, params = self._parameter.kind, self._parameter.name, self._ask.params
        if kind == "offset":
            return params({name: str(position - 1)})
        if kind == "after":
            # The one before the last, so that the last comes again: where ids run from 1 without
            # a gap, an id could be mistaken for a number of rows.
            return params({name: str(self._tail[0])})
        # Pages of one fixed length: a page number means nothing under another limit.
        number = self._parameter.first_page + position // self._size
        return params({name: str(number)}, limit=self._size)
