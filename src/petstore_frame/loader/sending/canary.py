"""The first record of an import, sent alone, and its pet read back before the others follow.

If the store cannot be read back, the check is skipped; that is not an error.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import partial

from petstore_frame.errors import EndpointDeprecatedWarning, PetstoreError
from petstore_frame.loader.journal.moves import Settlement
from petstore_frame.loader.record import State
from petstore_frame.loader.sending.clients import LookupClient
from petstore_frame.loader.sending.judge import differences
from petstore_frame.schema.models import Pet

# Answers without a pet to read back after which the import goes on without the check.
CANARY_ROWS = 5
Differences = tuple[str, ...] | None


class Canary:
    """Holds the others back until one record is proven.

    Args:
        client: The store.
        is_due: Whether there is to be a check at all.

    Attributes:
        is_due: Whether the others still wait.
    """

    def __init__(self, client: LookupClient, *, is_due: bool) -> None:
        self.is_due = is_due
        self._client = client

    def limit(self, room: int, busy: int) -> int:
        """Return how many requests may start: one alone while the check is due."""
        return min(room, 1 - busy) if self.is_due else room

    def reading(self, end: Settlement, answers: int) -> Callable[[], Differences] | None:
        """Return the work of reading a pet back, or None where there is none to read.

        Args:
            end: What became of the record that was sent alone.
            answers: How many answers the session has had.
        """
        if end.pet_id is not None:
            return partial(read_back, self._client, end.pet_id, end.intent.payload)
        if end.state is State.CREATED or answers >= CANARY_ROWS:
            self.is_due = False
        return None

    def reason_to_stop(self, found: Differences) -> str | None:
        """Release the others, or return why they should not follow."""
        self.is_due = False
        if not found:
            return None
        return (
            f"the first pet came back changed: {'; '.join(found)}; look at it, "
            "then run the same import again to go on regardless"
        )


def read_back(client: LookupClient, pet_id: int, payload: bytes) -> Differences:
    """Compare a pet of the store with the request that made it.

    Returns:
        The differences as text, empty if there are none; None when the pet could not be read.
    """
    pet = _get(client, pet_id) or _find(client, pet_id, json.loads(payload).get("status"))
    return None if pet is None else differences(payload, pet)


def _get(client: LookupClient, pet_id: int) -> Pet | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            return client.get_pet(pet_id)
    except PetstoreError:
        return None


def _find(client: LookupClient, pet_id: int, status: str | None) -> Pet | None:
    try:
        page = client.list_pets(100, status)
    except PetstoreError:
        return None
    return next((pet for pet in page.pets if pet.id == pet_id), None)
