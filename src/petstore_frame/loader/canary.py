"""The first pet of an import, read back before the others follow.

In: a client, a pet's id and the body that made it. Out: what differs. Without a way to read it
back there is nothing to say, and that is no failure.
"""

from __future__ import annotations

import json
import warnings
from typing import Any, Protocol

from petstore_frame.errors import EndpointDeprecatedWarning, PetstoreError
from petstore_frame.loader.judge import differences
from petstore_frame.models import Pet


class Reader(Protocol):
    """The part of a client that reads."""

    def get_pet(self, pet_id: int) -> Pet: ...
    def list_pets(self, limit: int = 100, status: str | None = None) -> Any: ...


def read_back(client: Reader, pet_id: int, payload: bytes) -> tuple[str, ...] | None:
    """Compare a pet of the store with the request that made it.

    Returns:
        The differences in words, empty for none; None when the pet could not be read.
    """
    pet = _get(client, pet_id) or _find(client, pet_id, json.loads(payload).get("status"))
    return None if pet is None else differences(payload, pet)


def _get(client: Reader, pet_id: int) -> Pet | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            return client.get_pet(pet_id)
    except PetstoreError:
        return None


def _find(client: Reader, pet_id: int, status: str | None) -> Pet | None:
    try:
        page = client.list_pets(100, status)
    except PetstoreError:
        return None
    return next((pet for pet in page.pets if pet.id == pet_id), None)
