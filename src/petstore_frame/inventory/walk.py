"""Following a store's own way from page to page.

In: a first page that names a next one. Out: the rows of all pages to the end, or an error that
leaves the walk where it can go on. It does not judge what the end proves.
"""

from __future__ import annotations

from collections.abc import Callable

from petstore_frame.errors import PaginationLoopError, PetstoreError
from petstore_frame.http.headers import Headers
from petstore_frame.inventory.flaws import Flaws
from petstore_frame.inventory.hints import may_name_next, says_more
from petstore_frame.inventory.page import Page, UnreadPage
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.rows import Rows

# Tolerated: pages may overlap while a store is filled, and a store that filters each page after it
# cut it may send pages with few pets or none.
MAX_PAGES_WITHOUT_NEWS = 5
MAX_EMPTY_PAGES = 100

NextOf = Callable[[Headers, str], str | None]
IsEnough = Callable[[Rows], bool]


class Walk:
    """A listing on its way from page to page; ``run`` continues after a failure.

    Args:
        reader: Asks for pages.
        rows: Takes the pets; must hold those of the first page.
        first: The first page.
        next_of: Reads the next address out of a page's headers and its own address.
        flaws: Takes what speaks against the reading.
        is_enough: Whether to stop with the pets held; None reads to the end.

    Attributes:
        pages: Pages read, the first included.
        following: Address of the next page, or None at the end.
        headers: Header lines of the last page.
    """

    def __init__(
        self,
        reader: PageReader,
        rows: Rows,
        first: Page,
        next_of: NextOf,
        flaws: Flaws,
        is_enough: IsEnough | None,
    ) -> None:
        self.rows = rows
        self.pages = 1
        self._flaws = flaws
        self._reader = reader
        self._next_of = next_of
        self._is_enough = is_enough
        self._visited = {first.address}
        self._address = first.address
        self._unread: UnreadPage | None = None
        self._problem: PetstoreError | None = None
        self._without_news = 0
        self._known_rows = 0
        self._last_ids = first.columns.id
        self._go_to_next(first.headers, first.address)

    def run(self) -> None:
        """Read on to the end.

        Raises:
            PaginationLoopError: An address came again, or page after page brought nothing new.
            PetstoreError: A page could not be read; ``following`` is where to go on.
        """
        try:
            while self.following is not None and not self.is_cut:
                self._step(self.following)
        finally:
            self._read()
        self._raise_problem()

    @property
    def is_over(self) -> bool:
        """Whether the listing's end was reached."""
        return self.following is None

    @property
    def is_cut(self) -> bool:
        """Whether the caller has enough before the listing ends."""
        if self._is_enough is None:
            return False
        self._read()
        return self._is_enough(self.rows)

    def _step(self, address: str) -> None:
        if address in self._visited:
            if self._points_to_itself(address):
                return
            raise PaginationLoopError(
                f"the store's next link of page {self.pages} leads back to a page already read"
            )
        # The last page is decoded while this request is under way.
        unread = self._reader.ask(address, while_waiting=self._read)
        self._read()
        self._raise_problem()
        if self.following is None:  # the last page turned out to be the end
            return
        self._visited.add(address)
        self._address, self._unread = address, unread
        self.pages += 1
        self._go_to_next(unread.headers, unread.address)

    def _go_to_next(self, headers: Headers, address: str) -> None:
        self.headers = headers
        self.following = self._next_of(headers, address)
        if self.following is not None:
            return
        rows = self.pages * self._reader.max_page
        if more := says_more(headers, address, pages=self.pages, rows=rows):
            self._flaws.doubt = f"page {self.pages} says that there is more ({more})"
        elif may_name_next(headers, address):
            self._flaws.doubt = (
                f"page {self.pages} names a next page in a way that is not understood"
            )

    def _points_to_itself(self, address: str) -> bool:
        """End at a page that gives its own address as the next, as some last pages do."""
        self._read()
        if address != self._address:
            return False
        self.following = None
        self._flaws.doubt = f"page {self.pages} names itself as the next page"
        return True

    def _read(self) -> None:
        """Decode the last page; what is wrong with it is raised between two requests."""
        with self._reader.interrupts.block():
            self._decode()

    def _decode(self) -> None:
        unread, self._unread = self._unread, None
        if unread is None:
            return
        try:
            page = unread.read(number=self.pages)
        except PetstoreError as problem:
            # To go on means to ask for this page again, not for the one after it.
            self.following, self._problem = unread.address, problem
            self._visited.discard(unread.address)
            self.pages -= 1
            return
        new, ids = self.rows.add(page.columns), page.columns.id
        if ids:
            self._flaws.note_overlap(self.pages, ids, self._last_ids, len(ids) - new)
        self._last_ids = ids
        self._reader.note_page(page)
        self._note_news(new, len(ids))
        self._reader.note(self.rows)

    def _note_news(self, new: int, count: int) -> None:
        """Count the pages, and their rows, since the last page with a new pet."""
        self._without_news = 0 if new else self._without_news + 1
        self._known_rows = 0 if new else self._known_rows + count

    def _raise_problem(self) -> None:
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem
        if self._without_news >= MAX_PAGES_WITHOUT_NEWS and self.following is not None:
            self._stop_without_news()

    def _stop_without_news(self) -> None:
        """End where the store keeps naming a next page, but no new pet comes."""
        # More than a page of known pets means a loop; a few may come from a first page that was
        # longer than the following ones, and a filter may leave page after page empty.
        is_round = self._known_rows > self._reader.max_page
        if is_round and self._last_ids:
            raise PaginationLoopError(
                f"{self._without_news} pages in a row brought no new pet, and the store points on"
            )
        may_go_on = self._known_rows or self._reader.status is not None
        if is_round or not may_go_on or self._without_news >= MAX_EMPTY_PAGES:
            self.following = None
            self._flaws.doubt = (
                f"page {self.pages} brought no new pet, and the store still names a next page"
            )
