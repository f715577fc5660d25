"""What a store shows: before a load all its pets, afterwards those of the records in doubt.

Only a whole listing proves that a pet is not there. A listing is whole when the inventory can claim
so without trusting the length of a page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, Protocol

from petstore_frame.errors import (
    APIStatusError,
    IncompleteInventoryError,
    PetstoreError,
    folded_name,
)
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader.journal.animals import StorePet
from petstore_frame.loader.journal.witness import StorePets
from petstore_frame.loader.record import digest_of
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.markup import count_text
from petstore_frame.schema import FIELDS

# Before a load a store is asked at least so often, and once for each record to send.
LEAST_REQUESTS = 1000


class _EnoughError(PetstoreError):
    """The largest number of requests was made."""


class SettlingClient(PostingClient, Protocol):
    """Reads a whole store back, and adds what turned out to be absent."""

    def ask_page(self, *args: Any, **options: Any) -> Any: ...


class WatchedClient:
    """A client that tells when it asks for a page."""

    def __init__(self, client: Any, asked: Callable[[], object]) -> None:
        self._client, self._asked = client, asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def ask_page(self, *args: Any, **options: Any) -> Any:
        """Ask for a page."""
        self._asked()
        return self._client.ask_page(*args, **options)


class Wanted(NamedTuple):
    """What a record asked for, or what a pet of the store is."""

    name: str
    category_id: int
    status: str | None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Wanted:
        """Return what a request body asks for."""
        return cls(body["name"], body["categoryId"], body.get("status"))

    @property
    def animal(self) -> tuple[str, int]:
        """Name and category, as they are compared where a store may tidy names."""
        return folded_name(self.name), self.category_id

    @property
    def likeness(self) -> bytes:
        """A digest of name and category, as the journal keeps that of a pet."""
        return digest_of(_json({"name": self.name, "categoryId": self.category_id}))

    def may_be(self, other: Wanted) -> bool:
        """Return whether a record that asks for this may have become another one."""
        return self[:2] == other[:2] and self.status in (None, other.status)


@dataclass
class ReadBack:
    """The pets that were read by their ids, whether these are surely all, and what says so."""

    pets: dict[int, Wanted]
    is_whole: bool
    requests: int
    note: str


def read_store(client: Any, records: int) -> StorePets:
    """Read the pets of a store, with at most as many requests as records, or a thousand."""
    pages, most = count(1), max(LEAST_REQUESTS, records)

    def asked() -> None:
        if next(pages) > most:
            raise _EnoughError("enough pages were read")

    try:
        inventory, end = _fetch(WatchedClient(client, asked))
        if end is not None and not isinstance(end, _EnoughError):
            raise end if isinstance(end, PetstoreError) else PetstoreError(str(end))
    except PetstoreError as failed:
        failed.add = ("check_store", False)  # nothing was sent; for whoever cannot wait
        raise
    pets = []
    for pet_id, body in _bodies(inventory):
        payload = _json(body)
        body.pop("status", None)
        pets.append(StorePet(pet_id, str(body["name"]), payload, digest_of(_json(body))))
    is_complete = end is None and inventory.completeness.verdict == "complete"
    return StorePets(pets, is_complete, is_complete and _is_whole(inventory))


def list_all(client: SettlingClient) -> ReadBack:
    """Read the pets of a store to see which records in doubt it has."""
    inventory, end = _fetch(client)
    claim, is_whole = inventory.completeness, end is None and _is_whole(inventory)
    what = f"ended after {count_text(claim.rows, 'pet')}, and nothing proves that it has no more"
    if is_whole:
        what = f"was read to its end: {claim}"
    pets = {pet_id: Wanted.of(body) for pet_id, body in _bodies(inventory)}
    return ReadBack(pets, is_whole, claim.requests, f"the listing of all pets {what}")


def ask_store_id(client: PostingClient) -> str | None:
    """Return the id that the store states, by one GET; None where it states none."""
    try:
        store_id: str | None = client.list_pets(1).store_id
    except APIStatusError as problem:  # a store that refuses the key still states its id
        return problem.store_id
    except PetstoreError:
        return None
    return store_id


def _fetch(client: Any) -> tuple[Inventory, BaseException | None]:
    """Read a listing; return what was read, and what ended it before its end."""
    try:
        return fetch_inventory(client, progress=False), None
    except IncompleteInventoryError as cut:
        if isinstance(cut.__cause__, KeyboardInterrupt):
            raise cut.__cause__ from None
        return cut.partial, cut.__cause__ or cut


def _bodies(inventory: Inventory) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the id of each pet, and the request body that would make it."""
    fields = {each.name: each.wire_name for each in FIELDS.sent}
    frame = inventory.frame[["id", *fields]].astype(object)
    columns = [frame[name].where(frame[name].notna(), None).tolist() for name in frame]
    for pet_id, *values in zip(*columns, strict=True):
        named = zip(fields.values(), values, strict=True)
        yield int(pet_id), {name: value for name, value in named if value is not None}


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _is_whole(inventory: Inventory) -> bool:
    """Return whether a listing was surely read to its end.

    A page shorter than its limit proves nothing, unless it is empty: a store that cuts its pages
    short still puts pets on them.
    """
    claim = inventory.completeness
    is_guessed = claim.rests_on_page_length and claim.rows
    return claim.is_complete and not is_guessed and not claim.contradictions
