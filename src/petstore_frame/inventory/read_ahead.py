"""Requests pages before they are needed, a few at a time, from a store that takes a while."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from threading import Thread
from typing import TypeAlias

from petstore_frame.transport import Page

IN_FLIGHT = 4

Params: TypeAlias = Mapping[str, str]
_Key: TypeAlias = frozenset[tuple[str, str]]


class ReadAhead:
    """Pages by their parameters, each requested in a thread of its own.

    The threads are daemons: after Ctrl-C neither the caller nor the interpreter waits for them.

    Args:
        request: Sends one request; called in those threads.
    """

    def __init__(self, request: Callable[[Params], Page]) -> None:
        self._request = request
        self._pages: dict[_Key, Future[Page]] = {}

    def start(self, wanted: Iterable[Params]) -> int:
        """Request pages that were not requested yet; return how many requests that were."""
        started = 0
        for params in wanted:
            key = frozenset(params.items())
            if key not in self._pages and len(self._pages) < IN_FLIGHT:
                self._pages[key] = self._start(params)
                started += 1
        return started

    def has(self, params: Params) -> bool:
        """Return whether a page was requested."""
        return frozenset(params.items()) in self._pages

    def take(self, params: Params) -> Page:
        """Wait for a page that was requested, and return it or raise what went wrong."""
        return self._pages.pop(frozenset(params.items())).result()

    def drop(self) -> None:
        """Forget the pages that nobody took."""
        self._pages.clear()

    def _start(self, params: Params) -> Future[Page]:
        future: Future[Page] = Future()

        def run() -> None:
            try:
                page = self._request(params)
            except BaseException as problem:  # noqa: BLE001 # raised where the page is taken
                future.set_exception(problem)
            else:
                future.set_result(page)

        Thread(target=run, daemon=True, name="petstore-frame-page").start()
        return future
