"""Sends the requests of a reading within a budget, and collects facts from the responses."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Protocol, TypeAlias, runtime_checkable

from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.transport import Page

# The query for a page of all pets, also if only one status is read.
MAX_LIMIT = Page.MAX_LIMIT
OF_ALL = {"limit": str(MAX_LIMIT)}
# Maximum number of probes (requests beyond the listing itself), for a store of any size.
MAX_PROBES = 16
# Maximum time in seconds that all probes of a reading wait for a store that does not answer them.
MAX_PROBE_WAIT_S = 10.0
# Requests that are sent at the same time.
IN_FLIGHT = 4
# A thread costs about a tenth of a millisecond; a store on this machine responds in one or two.
_THREADS_PAY_OFF_S = 0.005

Params: TypeAlias = Mapping[str, str]
_Query: TypeAlias = frozenset[tuple[str, str]]


@runtime_checkable
class ReadingClient(Protocol):
    """The methods of a client that a reading uses."""

    base_url: str

    def ask_page(
        self,
        address: str = ...,
        *,
        params: Mapping[str, str] | None = ...,
        number: int | None = ...,
        is_guess: bool = ...,
        max_wait_s: float | None = ...,
        on_wait: Callable[[float, bool], None] | None = ...,
    ) -> Page: ...


@dataclass
class PageFetcher:
    """Requests pages from a store.

    Attributes:
        client: Sends the requests.
        status: The requested status, or None for all pets.
        on_wait: Called before a retry with the seconds, and whether the store asked for them.
        requests: Number of requests, not including retries.
        probes: Number of requests beyond the listing itself, at most ``MAX_PROBES``.
        probe_wait_s: Seconds that further probes may wait.
        longest_page: Length of the longest page, a lower bound for the store's page length.
        ignores_limit: Whether any page had more pets than its limit.
        newest_s, oldest_s: Ages of the responses, as the ``Age`` headers of caches state them.
        store_id: The id that the store sends (``X-Store-Id``), or None.
        conflicting_ids: Both ids if the id changed, or empty.
    """

    client: ReadingClient
    status: str | None = None
    on_wait: Callable[[float, bool], None] | None = None
    requests: int = 0
    probes: int = 0
    probe_wait_s: float = MAX_PROBE_WAIT_S
    longest_page: int = 0
    ignores_limit: bool = False
    newest_s: float = math.inf
    oldest_s: float = 0.0
    store_id: str | None = None
    conflicting_ids: str = ""
    _fastest_s: float = math.inf
    _in_flight: dict[_Query, Future[Page]] = field(default_factory=dict)
    # The response to each probe, by query; None if it was not usable.
    _probed: dict[_Query, Page | None] = field(default_factory=dict)

    def params(
        self, extra: Params | None = None, *, limit: int = MAX_LIMIT, status: str | None = None
    ) -> dict[str, str]:
        """Return the query for a page, with the status of the listing by default."""
        params = {"limit": str(limit)}
        status = status or self.status
        if status is not None:
            params["status"] = status
        return params | dict(extra or {})

    def page(
        self,
        params: Params | None = None,
        *,
        address: str = "/pets",
        number: int | None = None,
        is_guess: bool = False,
        is_probe: bool = False,
        upcoming: Iterable[Params] = (),
    ) -> Page:
        """Request a page by its parameters, or by an address from the store, and note its facts.

        Args:
            params: The query; None uses the query of the address.
            address: ``/pets``, or a next link.
            number: The number of the page in the listing, for error messages.
            is_guess: Whether the store may refuse the request.
            is_probe: Whether the listing does not need the page.
            upcoming: The queries after this one, which are sent at the same time if that saves
                time.

        Raises:
            PetstoreError: There is no usable response, or another store sent it.
        """
        patience: dict[str, Any] = {"on_wait": self.on_wait}
        if is_probe:
            patience = {"on_wait": self._note_probe_wait, "max_wait_s": self.probe_wait_s}
        future = None
        if params is not None:
            if upcoming and self._fastest_s > _THREADS_PAY_OFF_S:
                self._send_ahead([params, *upcoming], patience)
            future = self._in_flight.pop(frozenset(params.items()), None)
        if future is not None:
            page = future.result()
        else:
            self.requests += 1
            started_at = time.monotonic()
            page = self.client.ask_page(
                address, params=params, number=number, is_guess=is_guess, **patience
            )
            self._fastest_s = min(self._fastest_s, time.monotonic() - started_at)
        if self.store_id is None:
            self.store_id = page.store_id
        elif page.store_id not in (None, self.store_id):
            self.conflicting_ids = f"{self.store_id} and then {page.store_id}"
            raise PetstoreError(
                f"the store identified itself as {self.conflicting_ids}; "
                "check that base_url leads to one store"
            )
        age_s = page.age_s
        self.newest_s, self.oldest_s = min(self.newest_s, age_s), max(self.oldest_s, age_s)
        self.longest_page = max(self.longest_page, len(page))
        if page.limit is not None and len(page) > page.limit:
            self.ignores_limit = True
        return page

    def probe(self, params: Params, *, upcoming: Iterable[Params] = ()) -> Page | None:
        """Request a page beyond the listing, once; None if refused or over budget.

        Args:
            params: The query.
            upcoming: The queries of the next probes, as for ``page``.
        """
        query = frozenset(params.items())
        if query in self._probed:
            return self._probed[query]
        if self.probes >= MAX_PROBES or self.probe_wait_s <= 0:
            return None
        self.probes += 1
        self._probed[query] = None
        started_at, wait_before_s = time.monotonic(), self.probe_wait_s
        try:
            page = self.page(params, is_guess=True, is_probe=True, upcoming=upcoming)
        except AuthenticationError:
            raise
        except PetstoreError:  # no usable response: the question stays open
            elapsed_s = time.monotonic() - started_at
            self.probe_wait_s = min(self.probe_wait_s, wait_before_s - elapsed_s)
            return None
        self._probed[query] = page
        return page

    def read_again(self, params: Params) -> Page | None:
        """Request a page that was read before; None if there is no usable response."""
        try:
            return self.page(params)
        except AuthenticationError:
            raise
        except PetstoreError:
            return None

    def _note_probe_wait(self, seconds: float, is_requested: bool) -> None:
        self.probe_wait_s -= seconds
        if self.on_wait is not None:
            self.on_wait(seconds, is_requested)

    def _send_ahead(self, queries: Iterable[Params], patience: Mapping[str, Any]) -> None:
        """Send requests, each in its own thread.

        ``patience`` has the options of each request that say how long it may wait.
        The threads are daemons: after Ctrl-C neither the caller nor the interpreter waits for them.
        """
        for params in queries:
            query = frozenset(params.items())
            is_new = query not in self._in_flight and query not in self._probed
            if is_new and len(self._in_flight) < IN_FLIGHT:
                future = self._in_flight[query] = Future[Page]()
                self.requests += 1
                Thread(
                    target=self._send_in_thread,
                    args=(params, future, patience),
                    daemon=True,
                    name="petstore-frame-page",
                ).start()

    def _send_in_thread(
        self, params: Params, future: Future[Page], patience: Mapping[str, Any]
    ) -> None:
        try:
            page = self.client.ask_page(params=params, is_guess=True, **patience)
        except BaseException as problem:  # noqa: BLE001 # raised where the page is needed
            future.set_exception(problem)
        else:
            future.set_result(page)

    def drop_read_ahead(self) -> None:
        """Discard the pages that were requested ahead and not used."""
        self._in_flight.clear()
