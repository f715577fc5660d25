"""How a fetch asks: each request counted, each extra one within a budget.

In: a store with the operations of the interface. Out: pages, and a record of what was asked. It
draws no conclusions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Protocol
from urllib.parse import urlencode

from petstore_frame._internal.interrupts import Deferred
from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.http.headers import STORE_ID
from petstore_frame.inventory.ages import Ages
from petstore_frame.inventory.page import Page, UnreadPage
from petstore_frame.inventory.rows import Rows
from petstore_frame.schema.models import Pet, pets_text
from petstore_frame.schema.text import REPLACEMENT

DEFAULT_PROBE_BUDGET = 16
SIDE_BY_SIDE = 4


class ReadingClient(Protocol):
    """What a fetch needs of a client."""

    @property
    def base_url(self) -> str: ...

    def ask_page(
        self,
        address: str = ...,
        *,
        params: Mapping[str, str] | None = ...,
        while_waiting: Callable[[], None] | None = ...,
    ) -> UnreadPage: ...

    def get_pet(self, pet_id: int) -> Pet: ...


class PageReader:
    """Asks a store for pages of one listing.

    Args:
        store: The client.
        status: The listing's filter, or None.
        limit: Pets to ask for in a page, 1 to 100.
        budget: Requests allowed beyond the listing itself.
        on_rows: Called with the number of pets held after each page; None for nobody.

    Attributes:
        requests: Requests sent, whatever came of them.
        spent: How many of them were extra.
        probes: What was asked extra, and what came of it.
        max_page: Length of the longest page seen, a lower bound of the store's own cap.
        damaged: Ids of the pets with U+FFFD for half a character in a text.
        ages: How old the answers were, as far as caches on the way told.
        mixture: That answers came from two stores, as text, or None.
        interrupts: While it is entered, Ctrl-C is delivered only where the store is awaited, so
            that no page is lost.
        store_id: What the store calls itself (``X-Store-Id``), or None where it does not.
    """

    def __init__(
        self,
        store: ReadingClient,
        *,
        status: str | None,
        limit: int,
        budget: int,
        on_rows: Callable[[int], None] | None = None,
    ) -> None:
        self.store = store
        self.status = status
        self.limit = limit
        self.budget = budget
        self.on_rows = on_rows
        self.requests = 0
        self.spent = 0
        self.probes: dict[str, str] = {}
        self.max_page = 0
        self.damaged: set[int] = set()
        self.ages = Ages()
        self.mixture: str | None = None
        self.interrupts = Deferred()
        self.store_id: str | None = None
        self._lock = Lock()
        self._unfiltered: Page | None = None

    def params(
        self,
        more: Mapping[str, str] | None = None,
        *,
        limit: int | None = None,
        status: str | None = None,
    ) -> dict[str, str]:
        """Return the query of a page; limit and status default to the listing's own."""
        wanted = status or self.status
        return {
            "limit": str(limit or self.limit),
            **({"status": wanted} if wanted else {}),
            **(more or {}),
        }

    def address(self, params: Mapping[str, str]) -> str:
        """Return the whole address of a page."""
        return f"{self.store.base_url}/pets?{urlencode(params)}"

    def ask(self, address: str, *, while_waiting: Callable[[], None] | None = None) -> UnreadPage:
        """Ask for the page at an address and leave its body undecoded."""
        self._count()
        with self.interrupts.allow():
            unread = self.store.ask_page(address, while_waiting=while_waiting)
        with self._lock:
            self._check_store(unread.headers.get(STORE_ID))
            self.ages.note(unread.headers)
        return unread

    def _check_store(self, store_id: str | None) -> None:
        if store_id is None:
            return
        if self.store_id is None:
            self.store_id = store_id
        if store_id != self.store_id:
            self.mixture = f"the store called itself {self.store_id} and then {store_id}"
            raise PetstoreError(f"{self.mixture}; check that base_url leads to one store alone")

    def ask_pet(self, pet_id: int) -> Pet:
        """Ask for one pet by the deprecated operation."""
        self._count()
        with self.interrupts.allow():
            pet = self.store.get_pet(pet_id)
        if REPLACEMENT in f"{pet.name}{pet.status}":
            with self._lock:
                self.damaged.add(pet.id)
        return pet

    def _count(self) -> None:
        with self._lock:
            self.requests += 1

    def page(
        self,
        params: Mapping[str, str] | None = None,
        *,
        status: str | None = None,
        number: int | None = None,
    ) -> Page:
        """Ask for a page and decode it."""
        asked = self.params() if params is None else params
        unread = self.ask(self.address(asked))
        page = unread.read(limit=int(asked["limit"]), status=status, number=number)
        self.note_page(page)
        return page

    def note_page(self, page: Page) -> None:
        """Remember the length of the longest page, and the pets with damaged texts."""
        with self._lock:
            self.max_page = max(self.max_page, len(page))
            self.damaged.update(page.damaged)

    def has_budget(self, count: int = 1) -> bool:
        """Tell whether so many extra requests are allowed."""
        return self.spent + count <= self.budget

    def spend(self) -> bool:
        """Take one extra request out of the budget; False when there is none left."""
        with self._lock:
            is_left = self.has_budget()
            self.spent += is_left
        return is_left

    def probe(self, name: str, params: Mapping[str, str]) -> Page | None:
        """Ask extra; a refusal is noted under the name and answered with None.

        Raises:
            AuthenticationError: The key stopped working; nothing more can be learned.
        """
        if not self.spend():
            self.probes[name] = "not asked: the budget is spent"
            return None
        try:
            return self.page(params)
        except AuthenticationError:
            raise
        except PetstoreError as problem:
            self.probes[name] = f"failed: {problem}"
            return None

    def probe_all(self, asked: Mapping[str, Mapping[str, str]]) -> dict[str, Page | None]:
        """Ask several extra questions side by side."""
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            answers = [pool.submit(self.probe, name, params) for name, params in asked.items()]
            with self.interrupts.allow():
                found = [answer.result() for answer in answers]
        return dict(zip(asked, found, strict=True))

    def unfiltered(self) -> Page | None:
        """Ask once for the first page without the filter, as an extra request."""
        if self._unfiltered is None:
            name = "unfiltered page"
            self._unfiltered = self.probe(name, {"limit": str(self.limit)})
            if self._unfiltered is not None:
                self.probes[name] = pets_text(len(self._unfiltered))
        return self._unfiltered

    @contextmanager
    def filtered(self, status: str) -> Iterator[None]:
        """Ask for one status alone for a while, where the listing has no filter."""
        self.status = status
        try:
            yield
        finally:
            self.status = None

    def note(self, rows: Rows) -> None:
        """Report progress."""
        if self.on_rows is not None:
            self.on_rows(len(rows))
