"""Sends one reading's requests within a budget, and notes what all responses show together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.inventory.pet_rows import PetRows
from petstore_frame.inventory.read_ahead import ReadAhead
from petstore_frame.transport import Page

# The query of a page of all pets, also when one status is read.
MAX_LIMIT = Page.MAX_LIMIT
OF_ALL = {"limit": str(MAX_LIMIT)}
# Requests beyond the listing itself, for a store of any size.
MOST_PROBES = 16
# A thread costs about a tenth of a millisecond; a store on this machine answers in one or two.
_WORTH_THREADS_S = 0.005


class ReadingClient(Protocol):
    """What a reading needs from a client."""

    base_url: str

    def ask_page(
        self,
        address: str = ...,
        *,
        params: Mapping[str, str] | None = ...,
        number: int | None = ...,
        is_guess: bool = ...,
        on_wait: Callable[[float], None] | None = ...,
    ) -> Page: ...


class PageFetcher:
    """Asks a store for pages.

    Args:
        client: Sends the requests.
        status: The status that is read, or None for all pets.
        is_enough: Whether to stop with these pets, asked after each page; None reads on.
        max_pages: How many pages to read before stopping; infinity reads on.
        on_rows: Called with the number of pets read.
        on_wait: Called with the seconds to wait if the store asks to wait.

    Attributes:
        requests: Requests sent, without retries.
        probes: Those of them beyond the listing itself, of at most ``MOST_PROBES``.
        longest_page: Length of the longest page, a lower bound of the store's own page length.
        ignores_limit: Whether any page had more pets than its limit.
        newest_s, oldest_s: Ages of the responses, as the ``Age`` headers of caches state them.
        store_id: What the store calls itself, or None.
        two_names: Both names if that changed, or empty.
    """

    def __init__(
        self,
        client: ReadingClient,
        *,
        status: str | None = None,
        is_enough: Callable[[PetRows], bool] | None = None,
        max_pages: float = math.inf,
        on_rows: Callable[[int], object] | None = None,
        on_wait: Callable[[float], None] | None = None,
    ) -> None:
        self.client, self.status, self.is_enough = client, status, is_enough
        self._max_pages, self._pages = max_pages, 0
        self._on_rows, self._on_wait = on_rows, on_wait
        self.requests = self.probes = self.longest_page = 0
        self.ignores_limit = False
        self.newest_s, self.oldest_s = math.inf, 0.0
        self.store_id: str | None = None
        self.two_names = ""
        self._fastest_s = math.inf
        self._read_ahead = ReadAhead(self._request_ahead)
        # Probes by query; None if there was no usable response.
        self._probed: dict[frozenset[tuple[str, str]], Page | None] = {}

    def has_enough(self, rows: PetRows) -> bool:
        """Return whether the caller's limit is passed, or all that the caller looks for is read."""
        if self._pages >= self._max_pages:
            return True
        return self.is_enough is not None and self.is_enough(rows)

    def report_rows(self, rows: int) -> None:
        """Count a page, and tell the caller how many pets were read."""
        self._pages += 1
        if self._on_rows is not None:
            self._on_rows(rows)

    def params(
        self,
        extra: Mapping[str, str] | None = None,
        *,
        limit: int = MAX_LIMIT,
        status: str | None = None,
    ) -> dict[str, str]:
        """Return the query of a page; the status is that of the listing unless stated."""
        params = {"limit": str(limit)}
        wanted = status or self.status
        if wanted is not None:
            params["status"] = wanted
        return params | dict(extra or {})

    def page(
        self,
        params: Mapping[str, str] | None = None,
        *,
        address: str = "/pets",
        number: int | None = None,
        is_guess: bool = False,
    ) -> Page:
        """Ask for a page by its parameters, or by an address that the store named.

        Raises:
            PetstoreError: There is no usable response, or another store sent it.
        """
        self.requests += 1
        started_at = time.monotonic()
        page = self.client.ask_page(
            address, params=params, number=number, is_guess=is_guess, on_wait=self._on_wait
        )
        self._fastest_s = min(self._fastest_s, time.monotonic() - started_at)
        self._note(page)
        return page

    def page_with_read_ahead(
        self, params: Mapping[str, str], upcoming: Sequence[Mapping[str, str]]
    ) -> Page:
        """Ask for a page that the store may refuse, and at the same time for those after it."""
        is_ahead = self._read_ahead.has(params)
        if not is_ahead and not (upcoming and self.is_worth_threads):
            return self.page(params, is_guess=True)
        self.requests += self._read_ahead.start([params, *upcoming])
        page = self._read_ahead.take(params)
        self._note(page)
        return page

    def drop_read_ahead(self) -> None:
        """Forget the pages that were requested ahead and not needed."""
        self._read_ahead.drop()

    @property
    def is_worth_threads(self) -> bool:
        """Whether the store takes long enough for requests side by side to save time."""
        return self._fastest_s > _WORTH_THREADS_S

    def _request_ahead(self, params: Mapping[str, str]) -> Page:
        return self.client.ask_page(params=params, is_guess=True, on_wait=self._on_wait)

    def _note(self, page: Page) -> None:
        """Note what a page shows about the store."""
        store_id = page.store_id
        self.store_id = self.store_id or store_id
        if store_id not in (None, self.store_id):
            self.two_names = f"{self.store_id} and then {store_id}"
            raise PetstoreError(
                f"the store called itself {self.two_names}; check that base_url leads to one store"
            )
        age_s = page.age_s
        self.newest_s, self.oldest_s = min(self.newest_s, age_s), max(self.oldest_s, age_s)
        self.longest_page = max(self.longest_page, len(page))
        if page.limit is not None and len(page) > page.limit:
            self.ignores_limit = True

    def probe(self, params: Mapping[str, str]) -> Page | None:
        """Ask beyond the listing, each question once; None if refused or the budget is spent."""
        key = frozenset(params.items())
        if key in self._probed:
            return self._probed[key]
        if self.probes >= MOST_PROBES:
            return None
        self.probes += 1
        self._probed[key] = None
        try:
            self._probed[key] = self.page_with_read_ahead(params, ())
        except AuthenticationError:
            raise
        except PetstoreError:
            pass  # no usable response: the question stays open
        return self._probed[key]

    def probe_together(self, questions: Sequence[Mapping[str, str]]) -> list[Page | None]:
        """Ask several questions beyond the listing at the same time."""
        if self.is_worth_threads:
            new = [params for params in questions if frozenset(params.items()) not in self._probed]
            self.requests += self._read_ahead.start(new)
        return [self.probe(params) for params in questions]
