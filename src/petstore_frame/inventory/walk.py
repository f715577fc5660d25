"""A way through a listing from page to page, and what was met on it.

Several requests are not a snapshot: pets met twice, seams that do not fit and another first page
show that the listing moved meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.rows import Rows

if TYPE_CHECKING:
    from petstore_frame.inventory.listing import Listing


class Walk:
    """Reads a listing page by page; ``run`` continues after a failure.

    Attributes:
        first: The first page, whose pets ``rows`` holds from the start.
        last: The page read last.
        pages: Pages read.
        is_over: Whether the listing's end was reached.
        breaks: Seams between pages that did not fit.
        doubt: Why the end that was met proves nothing, or None.
        overlaps: For each page after the first, how many rows of the one before it repeats.
    """

    def __init__(self, listing: Listing, first: Page, rows: Rows) -> None:
        self.rows = rows
        self.first = self.last = first
        self.pages = 1
        self.is_over = False
        self.breaks: list[Evidence] = []
        self.doubt: Evidence | None = None
        self.overlaps: list[int] = []
        self._listing = listing
        self._last_ids: Sequence[int] = first.columns.id

    def run(self) -> None:
        """Read on to the end, or until the caller has enough.

        Raises:
            PetstoreError: A page could not be read; ``run`` asks for it again.
        """
        is_enough = self._listing.is_enough
        while not self.is_over and not (is_enough is not None and is_enough(self.rows)):
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

    def _note_overlap(self, ids: Sequence[int], new: int) -> None:
        """Note how many rows a page repeats, which must be the last ones of the page before."""
        count = len(ids) - new
        self.overlaps.append(count)
        if count and (not new or list(ids[:count]) != list(self._last_ids[-count:])):
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=self.pages)

    @property
    def reason(self) -> Evidence | None:
        """Why the reading proves nothing, or None."""
        if self.doubt is not None or not any(self.overlaps):
            return self.doubt
        # A store may overlap its pages, and then does so each time. Rows that come twice now and
        # then have moved, and others have moved to where nobody looks.
        is_regular = len(self.overlaps) > 1 and len(set(self.overlaps)) == 1
        return None if is_regular else Evidence(Fact.PAGES_REPEAT_AT_TIMES)

    def look_back(self) -> Iterator[Evidence]:
        """Yield what shows that the listing moved while it was read to its end."""
        moved = [*self.breaks]
        if self.rows.repeated > sum(self.overlaps):
            moved.append(Evidence(Fact.ROWS_TWICE, count=self.rows.repeated))
        ask, first = self._listing.ask, self.first
        page = ask.probe(ask.params(), again=True) if self.pages > 1 else None
        if page is None:
            yield from moved
            return
        ids, before = list(page.columns.id), list(first.columns.id)
        grown = next((at for at, pet_id in enumerate(ids) if pet_id in self.rows), len(ids))
        if ids == before:
            if page.columns != first.columns:
                self.rows.update(page.columns)
            moved.append(Evidence(Fact.FIRST_PAGE_SAME))
        elif self._only_grew(ids, before, grown):
            # New pets came in front and pushed no more rows on; those of the start all came by.
            self.rows.update(page.columns)
            self.breaks.clear()
            self.overlaps.clear()
            moved = [Evidence(Fact.NEW_IN_FRONT, count=grown)]
        else:
            moved.append(Evidence(Fact.FIRST_PAGE_MOVED))
        stated, again = first.stated.total, page.stated.total
        if stated is not None and again is not None and again < stated:
            moved.append(Evidence(Fact.TOTAL_FELL, detail=f"{stated:,}, then {again:,}"))
        yield from moved

    def _only_grew(self, ids: list[int], before: list[int], grown: int) -> bool:
        return (
            0 < grown < len(ids)
            and ids[grown:] == before[: len(ids) - grown]
            # A seam that broke brings the row that it overlaps once more.
            and self.rows.repeated - len(self.breaks) <= grown
        )
