"""Provides a store in memory for the tests of programs that use this package."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError
from petstore_frame.schema import PET_STATUSES, NewPet, Pet
from petstore_frame.transport import STORE_ID, TransportLike, in_memory
from petstore_frame.validation import listed, shown

_DEFAULT_LIMIT, _MAX_LIMIT = 20, 100
_Answer = tuple[int, bytes, Mapping[str, str]]


def fake_store(pets: Iterable[NewPet | Pet | Mapping[str, Any]] = ()) -> FakeStore:
    """Return a store in memory, without a process or a socket, with all three operations.

    It responds as the interface specifies, with links to next pages. For tests that need a real
    store, use ``pf.serve()``.

    Args:
        pets: Pets in the store: a Pet keeps its id, all others get the next free id. A mapping
            has the fields of a NewPet, and optionally an ``id``.

    Raises:
        ArgumentError: One of them is not a pet.

    Example:
        >>> import petstore_frame as pf
        >>> store = pf.testing.fake_store([{"name": "Luna", "category_id": 3, "status": "sold"}])
        >>> with store.client() as client:
        ...     added = client.create_pet("Max", category_id=3)
        ...     print(pf.fetch_inventory(client).completeness)
        complete: 2 pets, if the store fills its pages
        >>> store.pets[1]
        Pet(id=2, name='Max', category_id=3, status=None)
        >>> store.requests[0]
        'POST /pets'
    """
    return FakeStore(pets)


class FakeStore:
    """A store in memory, made by ``fake_store``; threads may share it.

    Attributes:
        base_url: Address of the store; no server has it, and it differs for each store.
        api_key: The only key that it accepts.
        transport: Responds instead of a socket; pass it to a Client in your own program.
        requests: Method and path of each request, in order.
    """

    base_url: str
    api_key: str
    transport: TransportLike
    requests: list[str]

    def __init__(self, pets: Iterable[NewPet | Pet | Mapping[str, Any]]) -> None:
        self._id = secrets.token_hex(8)
        self.base_url = f"https://fake-{self._id}.invalid/v1"
        self.api_key = secrets.token_urlsafe(24)
        self.transport = in_memory(self._answer)
        self.requests = []
        self._pets: dict[int, Pet] = {}
        self._highest_id = 0
        self._lock = Lock()
        records = listed(pets)
        kinds = (NewPet, Pet, Mapping)
        if records is None or not all(isinstance(record, kinds) for record in records):
            raise ArgumentError(
                f"pets must be a list of NewPet, Pet or dicts, such as "
                f"{{'name': 'Luna', 'category_id': 3}}, got {shown(pets)}"
            )
        for record in records:
            self._add(dict(record))

    def client(self, *, retry_timeout: float = 180.0) -> Client:
        """Return a Client of this store."""
        return Client(
            self.base_url, self.api_key, retry_timeout=retry_timeout, transport=self.transport
        )

    @property
    def pets(self) -> list[Pet]:
        """The pets in the store now, by ascending id."""
        with self._lock:
            return [self._pets[pet_id] for pet_id in sorted(self._pets)]

    def _add(self, fields: dict[str, Any]) -> Pet:
        """Add a pet; one without an id gets the next free one."""
        pet_id = fields.pop("id", None)
        new = NewPet(**fields)
        with self._lock:
            pet_id = self._highest_id + 1 if pet_id is None else pet_id
            added = Pet(id=pet_id, **dict(new))
            self._pets[added.id] = added
            self._highest_id = max(self._highest_id, added.id)
        return added

    def _answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes,
    ) -> _Answer:
        path = path.removeprefix("/v1")
        self.requests.append(f"{method} {path}")
        if headers.get("Authorization") != f"Bearer {self.api_key}":
            answer = _error(401, "unauthorized", "the API key is missing or invalid")
        elif headers.get(STORE_ID, self._id) != self._id:
            answer = _error(412, "other_store", "this address belongs to another store")
        elif (method, path) == ("GET", "/pets"):
            answer = self._list(query)
        elif (method, path) == ("POST", "/pets"):
            answer = self._create(body)
        else:
            answer = self._get(method, path)
        status, content, more_headers = answer
        return status, content, {STORE_ID: self._id, **more_headers}

    def _get(self, method: str, path: str) -> _Answer:
        for pet in self.pets:
            if (method, path) == ("GET", f"/pets/{pet.id}"):
                return 200, _json(pet), {}
        return _error(404, "not_found", f"nothing is at {path}")

    def _list(self, query: Mapping[str, str]) -> _Answer:
        limit, status = query.get("limit", str(_DEFAULT_LIMIT)), query.get("status")
        if not limit.isdecimal() or not 1 <= int(limit) <= _MAX_LIMIT:
            return _error(400, "invalid_request", f"limit must be between 1 and {_MAX_LIMIT}")
        if status not in (None, *PET_STATUSES):
            statuses = ", ".join(PET_STATUSES)
            return _error(400, "invalid_request", f"status must be one of {statuses}")
        matches = [pet for pet in self.pets if status in (None, pet.status)]
        if "after" in query:
            matches = [pet for pet in matches if pet.id > int(query["after"])]
        page = matches[: int(limit)]
        links = {}
        if len(matches) > len(page):
            filters = f"limit={limit}" if status is None else f"limit={limit}&status={status}"
            links["Link"] = f'<{self.base_url}/pets?{filters}&after={page[-1].id}>; rel="next"'
        return 200, b"[%b]" % b",".join(map(_json, page)), links

    def _create(self, sent: bytes) -> _Answer:
        try:
            new = NewPet.model_validate_json(sent, by_name=False)
        except ValueError as problem:
            return _error(400, "invalid_request", f"the body is not a NewPet: {problem}")
        if not new.name.strip():
            return _error(400, "invalid_request", "name is blank")
        return 201, _json(self._add(dict(new))), {}

    def __repr__(self) -> str:
        return f"<FakeStore: {len(self._pets)} pets>"


def _json(pet: Pet) -> bytes:
    return pet.model_dump_json(by_alias=True, exclude_none=True).encode()


def _error(status: int, code: str, message: str) -> _Answer:
    return status, json.dumps({"code": code, "message": message, "status": status}).encode(), {}
