"""Pages of the list: where the next one begins, and which of them, once read, are still true."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from urllib.parse import urlencode

from pydantic import TypeAdapter

from petstore_frame.service.models import INT64_MAX, INT64_MIN, Pet, PetStatus
from petstore_frame.service.store import Store

MAX_KEPT_BYTES = 8 * 1024 * 1024
_PETS = TypeAdapter(list[Pet])


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it is sent.

    Attributes:
        body: The JSON array.
        next_query: The query of the next page; None on the last one.
    """

    body: bytes
    next_query: str | None


class Pages:
    """The pages of a store, each read and encoded once for as long as nothing is committed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version: int | None = None
        self._kept: dict[tuple[int, int, PetStatus | None], Page] = {}
        self._bytes = 0

    async def page(self, limit: int, after: int, status: PetStatus | None) -> Page:
        """Return the page of up to ``limit`` pets with ids above ``after``."""
        asked = (limit, after, status)
        version = self._store.version()
        if version is None or version != self._version:
            self._version = version
            self._forget()
        page = self._kept.get(asked)
        if page is None:
            page = await self._read(*asked)
            if version is not None:
                self._keep(asked, page)
        return page

    async def _read(self, limit: int, after: int, status: PetStatus | None) -> Page:
        # One pet more than asked for shows whether there is a next page.
        pets = await self._store.page(limit + 1, after, status)
        shown = pets[:limit]
        body = _PETS.dump_json(shown, by_alias=True, exclude_none=True)
        if len(pets) == len(shown):
            return Page(body, None)
        following = {"limit": limit, "status": status, "cursor": make_cursor(shown[-1].id)}
        query = {name: value for name, value in following.items() if value is not None}
        return Page(body, urlencode(query))

    def _keep(self, asked: tuple[int, int, PetStatus | None], page: Page) -> None:
        if self._bytes + len(page.body) > MAX_KEPT_BYTES:
            self._forget()
        self._kept[asked] = page
        self._bytes += len(page.body)

    def _forget(self) -> None:
        self._kept.clear()
        self._bytes = 0


def make_cursor(last_id: int) -> str:
    """Return the opaque cursor of the page behind an id."""
    return base64.urlsafe_b64encode(f"after:{last_id}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> int:
    """Return the id behind which a page begins.

    Raises:
        ValueError: The cursor is not exactly one that ``make_cursor`` gives.
    """
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        last_id = int(base64.b64decode(padded, b"-_", validate=True).removeprefix(b"after:"))
    except (ValueError, binascii.Error):
        last_id = INT64_MAX + 1
    if last_id > INT64_MAX or last_id < INT64_MIN or make_cursor(last_id) != cursor:
        raise ValueError("not a cursor of this service; start again without it")
    return last_id
