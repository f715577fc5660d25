"""What speaks for and against one reading of a listing from its start to its end.

Several requests are not a snapshot: pets met twice, seams that do not fit and another first page
show that the listing moved meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.stated import Stated

if TYPE_CHECKING:
    from petstore_frame.inventory.asking import Asker


@dataclass
class Course:
    """What was met on the way through a listing.

    Attributes:
        breaks: Seams between pages that did not fit.
        doubt: Why the end that was met proves nothing, or None.
        overlaps: For each page after the first, how many rows of the one before it repeats.
    """

    breaks: list[Evidence] = field(default_factory=list)
    doubt: Evidence | None = None
    overlaps: list[int] = field(default_factory=list)

    def note_overlap(
        self, page: int, ids: Sequence[int], before: Sequence[int], count: int
    ) -> None:
        """Note how many rows a page repeats, and where.

        Args:
            page: The page's number.
            ids: Its ids.
            before: The ids of the page before.
            count: How many of its pets were held already.
        """
        self.overlaps.append(count)
        if count and (count == len(ids) or list(ids[:count]) != list(before[-count:])):
            self.doubt = Evidence(Fact.PAGES_REPEAT, count=page)

    def end(self, stated: Stated, *, pages: int, rows: int) -> None:
        """Take the headers of the last page, which may state that there is more."""
        if more := stated.says_more(pages=pages, rows=rows):
            self.doubt = Evidence(Fact.SAYS_MORE, detail=more)

    @property
    def reason(self) -> Evidence | None:
        """Why the reading proves nothing, or None."""
        if self.doubt is not None or not any(self.overlaps):
            return self.doubt
        # A store may overlap its pages, and then does so each time. Rows that come twice now and
        # then have moved, and others have moved to where nobody looks.
        is_regular = len(self.overlaps) > 1 and len(set(self.overlaps)) == 1
        return None if is_regular else Evidence(Fact.PAGES_REPEAT_AT_TIMES)


class Walk(Protocol):
    """A way through a listing from page to page; ``run`` continues after a failure."""

    rows: Rows
    first: Page
    course: Course
    pages: int
    stated: Stated

    @property
    def is_over(self) -> bool: ...

    def run(self) -> None: ...


def look_back(walk: Walk, ask: Asker) -> Iterator[Evidence]:
    """Yield what shows that a listing moved while it was read to its end."""
    moved = [*walk.course.breaks]
    if walk.rows.repeated > sum(walk.course.overlaps):
        moved.append(Evidence(Fact.ROWS_TWICE, count=walk.rows.repeated))
    page = ask.probe(ask.params(), again=True) if walk.pages > 1 else None
    if page is None:
        yield from moved
        return
    ids, before = list(page.columns.id), list(walk.first.columns.id)
    grown = next((at for at, pet_id in enumerate(ids) if pet_id in walk.rows), len(ids))
    if ids == before:
        if page.columns != walk.first.columns:
            walk.rows.update(page.columns)
        moved.append(Evidence(Fact.FIRST_PAGE_SAME))
    elif _only_grew(walk, ids, before, grown):
        # New pets came in front and pushed no more rows on; those of the start all came by.
        walk.rows.update(page.columns)
        walk.course.breaks.clear()
        walk.course.overlaps.clear()
        moved = [Evidence(Fact.NEW_IN_FRONT, count=grown)]
    else:
        moved.append(Evidence(Fact.FIRST_PAGE_MOVED))
    stated, again = walk.first.stated.total, page.stated.total
    if stated is not None and again is not None and again < stated:
        moved.append(Evidence(Fact.TOTAL_FELL, detail=f"{stated:,}, then {again:,}"))
    yield from moved


def _only_grew(walk: Walk, ids: list[int], before: list[int], grown: int) -> bool:
    return (
        0 < grown < len(ids)
        and ids[grown:] == before[: len(ids) - grown]
        # A seam that broke brings the row that it overlaps once more.
        and walk.rows.repeated - len(walk.course.breaks) <= grown
    )
