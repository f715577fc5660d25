"""A way through a listing from page to page, and what shows that it moved meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
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
        breaks: What did not fit together on the way.
        doubt: Why the end that was met proves nothing, or None.
        notes: What else was learned of the way.
        fact, detail: What its end shows.
    """

    fact: Fact

    def __init__(self, listing: Listing, first: Page, rows: Rows, detail: str) -> None:
        self.detail = detail
        self.notes: list[Evidence] = []
        self.rows = rows
        self.first = self.last = first
        self.pages = 1
        self.is_over = False
        self.breaks: list[Evidence] = []
        self.doubt: Evidence | None = None
        self._listing = listing

    def run(self) -> None:
        """Read on to the end, or until the caller has enough.

        Raises:
            PetstoreError: A page could not be read; ``run`` asks for it again.
        """
        is_enough = self._listing.is_enough
        while not self.is_over and not (is_enough is not None and is_enough(self.rows)):
            self._step()

    @property
    def reach(self) -> Sequence[Assumption]:
        """What its end rests on."""
        raise NotImplementedError

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

    def look_back(self) -> Iterator[Evidence]:
        """Yield what shows that the listing moved while it was read to its end."""
        ask, first = self._listing.ask, self.first
        page = ask.probe(ask.params(), again=True) if self.pages > 1 else None
        if page is None:
            yield from self.breaks
            return
        ids, before = list(page.columns.id), list(first.columns.id)
        grown = next((at for at, pet_id in enumerate(ids) if pet_id in self.rows), len(ids))
        if ids == before or self._only_grew(ids, before, grown):
            if page.columns != first.columns:
                self.rows.update(page.columns)
            yield Evidence(Fact.NEW_IN_FRONT if grown else Fact.FIRST_PAGE_SAME, count=grown)
        else:
            yield Evidence(Fact.FIRST_PAGE_MOVED)
        yield from self.breaks
        stated, again = first.stated.total, page.stated.total
        if stated is not None and again is not None and again < stated:
            yield Evidence(Fact.TOTAL_FELL, detail=f"{stated:,}, then {again:,}")

    def _only_grew(self, ids: list[int], before: list[int], grown: int) -> bool:
        """Tell whether new pets came in front, pushed no more rows on, and no other row moved."""
        seams = sum(each.fact is Fact.ROW_MOVED for each in self.breaks)
        is_so = (
            0 < grown < len(ids)
            and ids[grown:] == before[: len(ids) - grown]
            # A seam that broke brings the row that it overlaps once more.
            and self.rows.repeated - seams <= grown
        )
        if is_so:  # the rows that came twice were those that the new pets pushed on
            self.breaks.clear()
            if self.doubt is not None and self.doubt.fact is Fact.PAGES_REPEAT:
                self.doubt = None
        return is_so
