"""Which pages, once read, are still true.

In: a page as it was answered, and the store's version. Out: that page again, as long as nothing was
committed since. It knows nothing of pets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

MAX_BYTES = 8 * 1024 * 1024


class Page(NamedTuple):
    """A body with the headers that belong to it."""

    body: bytes
    headers: dict[str, str]


class PageCache:
    """Pages of one version of the store; forgotten at the next commit, and when they grow too many.

    Args:
        version: Returns the store's version, or None where there is none: nothing is kept then.
    """

    def __init__(self, version: Callable[[], int | None]) -> None:
        self._read_version = version
        self._version: int | None = None
        self._pages: dict[Hashable, Page] = {}
        self._bytes = 0

    def find(self, key: Hashable) -> Page | None:
        """Return a page that is true now. To be called before the store is read for ``keep``."""
        version = self._read_version()
        if version != self._version:
            self._version = version
            self._forget()
        return self._pages.get(key)

    def keep(self, key: Hashable, page: Page) -> None:
        if self._version is None:
            return
        self._bytes += len(page.body)
        if self._bytes > MAX_BYTES:
            self._forget()
            self._bytes = len(page.body)
        self._pages[key] = page

    def _forget(self) -> None:
        self._pages.clear()
        self._bytes = 0
