"""Moving a calibrated window over a listing, several at a time.

In: a Stride and the rows of the first page. Out: the rows to the end. Windows step by the rows
that came, never by the rows asked for, and each overlaps the last by one where it can, so that a
listing that moves breaks the seam.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from petstore_frame.errors import APIStatusError
from petstore_frame.http.headers import Headers
from petstore_frame.inventory.calibrate import Stride
from petstore_frame.inventory.flaws import Flaws
from petstore_frame.inventory.hints import says_more
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import SIDE_BY_SIDE, PageReader
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.walk import IsEnough
from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.models import pets_text

MAX_TRICKLES = 5


class StridedWalk:
    """A listing read through a calibrated parameter; ``run`` continues after a failure.

    Args:
        reader: Asks for pages.
        rows: Takes the pets; must hold exactly those of the first page.
        first: The first page.
        stride: The parameter and its meaning.
        flaws: Takes what speaks against the reading.
        is_enough: Whether to stop with the pets held; None reads to the end.

    Attributes:
        pages: Pages read, the first included.
        is_over: Whether the listing's end was reached.
        headers: Header lines of the last page.
    """

    def __init__(
        self,
        reader: PageReader,
        rows: Rows,
        first: Page,
        stride: Stride,
        flaws: Flaws,
        is_enough: IsEnough | None,
    ) -> None:
        self.rows = rows
        self.headers: Headers = first.headers
        self.pages = 1
        self.is_over = not len(rows)  # as when a store was emptied before it is read again
        self._flaws = flaws
        self._trickles = 0
        self._reader = reader
        self._stride = stride
        self._is_enough = is_enough
        self._size = len(rows)
        self._position = len(rows)
        self._last_ids = first.columns.id
        self._tail = list(first.columns.id)[-2:]
        self._was_short = False
        self._ahead: dict[int, Future[Page]] = {}

    def run(self) -> None:
        """Read on to the end.

        Raises:
            PetstoreError: A page could not be read; ``run`` asks for it again.
        """
        pool = None if self._stride.kind == "after" else ThreadPoolExecutor(SIDE_BY_SIDE)
        try:
            while not self.is_over and not self.is_cut:
                self._take(self._window(pool))
        except APIStatusError as problem:
            if problem.status_code not in (400, 404, 416, 422):
                raise
            # The window was our own idea: a refusal ends the walk and proves nothing.
            self.is_over = True
            self._flaws.doubt = f"{self._stride} was refused after {pets_text(len(self.rows))}"
        finally:
            self._ahead.clear()
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)

    @property
    def is_cut(self) -> bool:
        """Whether the caller has enough before the listing ends."""
        return self._is_enough is not None and self._is_enough(self.rows)

    def _take(self, page: Page) -> None:
        """Take a window's rows; one without any is the end."""
        self.pages += 1
        self.headers = page.headers
        fresh = self._past_the_seam(page.columns)
        if not fresh.id:
            self.is_over = True
            if self._has_seams and not len(page):
                self._flaws.doubt = (
                    f"nothing came where row {len(self.rows):,} should have come again"
                )
            else:
                self._flaws.doubt = self._stated_doubt(page)
            return
        if self._stride.kind == "page" and self._was_short:
            self._flaws.breaks.append(f"page {self.pages - 1} was short and yet not the last")
        self._was_short = len(page) < self._size
        if all(pet_id in self.rows for pet_id in fresh.id):
            # The way was our own idea: a store that does not go along to the end made no error.
            self.is_over = True
            self._flaws.doubt = f"{self._stride} led back to pets already read"
            return
        new = self.rows.add(fresh)
        if not self._has_seams:
            repeated = len(fresh.id) - new
            self._flaws.note_overlap(self.pages, fresh.id, self._last_ids, repeated)
        self._last_ids = fresh.id
        self._tail = [*self._tail, *fresh.id][-2:]
        self._watch_for_growth(len(fresh.id))
        # A short page still is a page; rows are passed over one by one.
        self._position += self._size if self._stride.kind == "page" else len(fresh.id)
        self._reader.note(self.rows)

    def _stated_doubt(self, page: Page) -> str | None:
        """Return the statement of the last page's headers that there is more, or None."""
        rows = len(self.rows)
        # Windows overlap: the store's own pages are fewer.
        pages = -(-rows // self._size)
        more = says_more(page.headers, page.address, pages=pages, rows=rows)
        return more and f"the last page says that there is more ({more})"

    def _watch_for_growth(self, new: int) -> None:
        """Stop chasing the end of a store that is filled as fast as it is read."""
        self._trickles = self._trickles + 1 if new * 10 < self._size else 0
        if self._trickles == MAX_TRICKLES:
            self.is_over = True
            self._flaws.doubt = "each further request brought a few more"

    @property
    def _has_seams(self) -> bool:
        """Whether each window begins with the row that was read last."""
        return self._stride.kind != "page"

    def _past_the_seam(self, columns: PetColumns) -> PetColumns:
        if not self._has_seams or not columns.id:
            return columns
        if columns.id[0] != self.rows.last_id:
            self._flaws.breaks.append(
                f"row {self._position:,} was another pet when it was read again"
            )
            return columns
        return columns.part(1)

    def _window(self, pool: ThreadPoolExecutor | None) -> Page:
        """Return the window at the position, and have the ones behind it on their way."""
        if pool is None or self.pages < 2 or self._trickles:
            # One window alone at first, since the store may give fewer rows than it gave before,
            # and one at a time where the end is near.
            return self._ask(self._position)
        step = self._size - self._has_seams
        for ahead in range(SIDE_BY_SIDE):
            place = self._position + ahead * max(1, step)
            if place not in self._ahead:
                self._ahead[place] = pool.submit(self._ask, place)
        with self._reader.interrupts.allow():
            return self._ahead.pop(self._position).result()

    def _ask(self, position: int) -> Page:
        return self._reader.page(self._params(position))

    def _params(self, position: int) -> dict[str, str]:
        kind, name = self._stride.kind, self._stride.name
        if kind == "offset":
            return self._reader.params({name: str(position - 1)})
        if kind == "after":
            # The one before the last, so that the last comes again: where ids run from 1 without
            # a gap, an id could be mistaken for a number of rows.
            return self._reader.params({name: str(self._tail[0])})
        # Pages of one fixed length: a page number means nothing under another limit.
        number = self._stride.first_page + position // self._size
        return self._reader.params({name: str(number)}, limit=self._size)
