"""Reading a listing from its start to its end, and again while it moves.

In: a first page and a way to walk on from it. Out: whether the listing held still. Several
requests are not a snapshot: pets met twice, broken seams and a new beginning show that it moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from petstore_frame.errors import APIStatusError
from petstore_frame.http.headers import Headers
from petstore_frame.inventory.flaws import Flaws
from petstore_frame.inventory.hints import advertised_total
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.rows import Rows
from petstore_frame.schema.models import pets_text

MAX_READINGS = 3
# What a store answers for a place in its listing that it no longer keeps.
_EXPIRED = (400, 404, 410, 422)


class AnyWalk(Protocol):
    """What the two kinds of walk have in common."""

    pages: int
    headers: Headers

    @property
    def is_over(self) -> bool: ...

    def run(self) -> None: ...


Begin = Callable[[Rows, Page, Flaws], AnyWalk]


@dataclass
class _Reading:
    """One reading from start to end."""

    rows: Rows
    walk: AnyWalk
    flaws: Flaws
    first: Page
    is_done: bool = False
    was_refused: bool = False
    trouble: list[str] = field(default_factory=list)


class Readings:
    """The readings of one listing; ``read_until_stable`` continues after a failure.

    Args:
        reader: Asks for pages.
        rows: Holds the first page, and takes the pets of every reading.
        conflicts: Takes what did not fit, as text.

    Attributes:
        gone: That pets of an earlier reading are not in the last one, as text, or None.
    """

    def __init__(self, reader: PageReader, rows: Rows, conflicts: list[str]) -> None:
        self._reader = reader
        self._rows = rows
        self._conflicts = conflicts
        self._all: list[_Reading] = []
        self._is_stable: bool | None = None
        self.gone: str | None = None

    @property
    def pages(self) -> int:
        """Pages of the last reading; 0 before the first."""
        return self._all[-1].walk.pages if self._all else 0

    @property
    def count(self) -> int:
        """How often the listing was begun."""
        return len(self._all)

    @property
    def is_over(self) -> bool:
        """Whether the last reading came to the listing's end, or none was needed."""
        return not self._all or self._all[-1].walk.is_over

    @property
    def rows(self) -> Rows:
        """The pets of the last reading, and of all readings before the first."""
        return self._all[-1].rows if self._all else self._rows

    @property
    def headers(self) -> Headers:
        """Header lines of the last page of the last reading."""
        return self._all[-1].walk.headers

    @property
    def first_headers(self) -> Headers:
        """Header lines of the first page of the last reading."""
        return self._all[-1].first.headers

    @property
    def doubt(self) -> str | None:
        """Why the end of the last reading proves nothing, or None."""
        return self._all[-1].flaws.reason

    def read_until_stable(self, first: Page, begin: Begin) -> bool:
        """Read the listing, and again while it moves; tell whether it held still at last.

        Args:
            first: The first page, already held.
            begin: Starts a walk from a first page that the rows hold, and that notes its flaws.
        """
        if self._is_stable is None:  # a fetch resumed after its last reading has its answer
            self._is_stable = self._read_until_stable(first, begin)
            self._look_for_the_gone()
        return self._is_stable

    def _read_until_stable(self, first: Page, begin: Begin) -> bool:
        while True:
            if not self._all or self._all[-1].is_done:
                self._start(first, begin)
            current = self._all[-1]
            try:
                current.walk.run()
            except APIStatusError as problem:
                if not self._starts_over(current, problem.status_code):
                    raise
                continue
            finally:
                self._gather(current)
            if current.walk.is_over:
                self._check(current)
            current.is_done = True
            if not current.trouble:
                return True
            if self._agrees_with_the_one_before():
                self._conflicts.append(f"{current.trouble[0]}; a second reading was the same")
                return True
            if len(self._all) == MAX_READINGS:
                self._conflicts += current.trouble
                return False

    def _look_for_the_gone(self) -> None:
        last = self._all[-1].rows
        earlier = {pet_id for reading in self._all[:-1] for pet_id in reading.rows.columns().id}
        if gone := sum(pet_id not in last for pet_id in earlier):
            self.gone = f"pets of an earlier reading that were not met again: {gone:,}"

    def _starts_over(self, current: _Reading, status_code: int) -> bool:
        """Tell whether to read from the beginning, as the place to go on from has expired.

        A first refusal is raised: to go on later asks the same place once more.
        """
        is_expired = status_code in _EXPIRED
        starts_over = is_expired and current.was_refused and len(self._all) < MAX_READINGS
        current.was_refused = is_expired
        current.is_done = starts_over
        return starts_over

    def _start(self, first: Page, begin: Begin) -> None:
        if self._all:
            first = self._reader.page(number=1)
        rows = self._rows
        if self._all or rows.received != len(first):
            # A reading counts its own rows: other pages may have brought some already.
            rows = Rows()
            rows.add(first.columns)
        flaws = Flaws()
        self._all.append(_Reading(rows, begin(rows, first, flaws), flaws, first))

    def _gather(self, current: _Reading) -> None:
        if current.rows is not self._rows:
            self._rows.add_all(current.rows)

    def _check(self, current: _Reading) -> None:
        if current.rows.repeated:
            rows = "1 row" if current.rows.repeated == 1 else f"{current.rows.repeated:,} rows"
            current.trouble.append(f"{rows} came twice")
        current.trouble += current.flaws.breaks
        if current.walk.pages > 1:
            self._check_beginning(current)

    def _check_beginning(self, current: _Reading) -> None:
        """Read the first page again: where the listing moved, it often shows there."""
        name = "first page again"
        page = self._reader.probe(name, self._reader.params())
        if page is None:
            return
        ids, before = list(page.columns.id), list(current.first.columns.id)
        grown = next((at for at, pet_id in enumerate(ids) if pet_id in current.rows), len(ids))
        if ids == before:
            self._reader.probes[name] = "the same"
            if page.columns != current.first.columns:
                self._rows.update(page.columns)
        elif (
            0 < grown < len(ids)
            and ids[grown:] == before[: len(ids) - grown]
            # A seam that broke brings the row that it overlaps once more.
            and current.rows.repeated - len(current.flaws.breaks) <= grown
        ):
            # New pets came in front and pushed no more rows on; those of the start all came by.
            current.rows.update(page.columns)
            self._gather(current)
            self._reader.probes[name] = f"new in front, and now held: {pets_text(grown)}"
            current.trouble.clear()
            current.flaws.explain()
        else:
            self._reader.probes[name] = "moved"
            current.trouble.append("the first page was not the same when it was read again")
        stated = advertised_total(current.first.headers)
        stated_again = advertised_total(page.headers)
        if stated is not None and stated_again is not None and stated_again < stated:
            self._reader.probes[name] = "states fewer pets"
            current.trouble.append(f"the stated total fell from {stated:,} to {stated_again:,}")

    def _agrees_with_the_one_before(self) -> bool:
        if len(self._all) < 2:
            return False
        return self._all[-1].rows.order() == self._all[-2].rows.order()
