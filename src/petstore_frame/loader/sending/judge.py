"""What the end of a request makes of its record.

To the proof that the answer gives, only the record's own past is added: a later refusal does not
remove an earlier doubt. And the answer must be this request's: a store or a proxy that answers
twice, or late, puts the answer to one request where that to the next is expected; believed, it
would call a pet created that nobody made.
"""

from __future__ import annotations

import json
import warnings
from collections import deque
from dataclasses import replace
from typing import Any, Protocol

from petstore_frame.errors import (
    APIStatusError,
    AuthenticationError,
    ContractError,
    EndpointDeprecatedWarning,
    PetstoreError,
)
from petstore_frame.http.outcome import PostOutcome, Proof
from petstore_frame.loader.journal.moves import Intent, Settlement
from petstore_frame.loader.record import OTHERS_ANSWER, State
from petstore_frame.schema.models import Pet
from petstore_frame.schema.text import likeness

_KEY_MISUSED = 422
LONGEST_MESSAGE = 2000


class LookupClient(Protocol):
    """Looks up single pets."""

    def get_pet(self, pet_id: int) -> Pet: ...

    def list_pets(self, limit: int = 100, status: Any = None) -> Any: ...


def settle(intent: Intent, outcome: PostOutcome) -> Settlement:
    """Return what becomes of the record."""
    error = outcome.error
    answer = error if isinstance(error, APIStatusError) else None
    message = answer.api_message if answer else error
    return Settlement(
        intent,
        _state(intent, outcome),
        str(outcome.proof),
        outcome.reason,
        pet_id=outcome.pet.id if outcome.pet else None,
        http_status=outcome.http_status,
        error_code=answer.code if answer else None,
        error_message=None if message is None else _shortened(str(message)),
        error_field=answer.field if answer else None,
        request_id=outcome.request_id,
        elapsed_ms=None if outcome.elapsed_s is None else outcome.elapsed_s * 1000,
        warnings=() if outcome.pet is None else differences(intent.payload, outcome.pet),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


def is_key_misused(intent: Intent, outcome: PostOutcome) -> bool:
    """Tell whether the store reports that our key came with another body before."""
    return intent.is_in_doubt and outcome.http_status == _KEY_MISUSED


def may_repeat(settlement: Settlement, outcome: PostOutcome) -> bool:
    """Tell whether the same request again, under its key, may settle a record in doubt."""
    is_open = settlement.state is State.UNKNOWN and settlement.intent.key is not None
    return is_open and outcome.proof is not Proof.REJECTED  # it would be refused again


def why_stopped(error: Exception | None, intent: Intent | None = None) -> str:
    """Return what seems to concern every record, and the one that it was said of."""
    if isinstance(error, AuthenticationError):
        return f"the store refused the key: {error}"
    if intent is None or not isinstance(error, APIStatusError):
        return str(error)
    return (
        f"{error}; this was the answer to record {intent.record}, line {intent.line}: if it "
        "concerns that record alone, correct it or take it out of the file"
    )


def _state(intent: Intent, outcome: PostOutcome) -> State:
    if outcome.proof is Proof.CREATED:
        return State.CREATED
    if intent.is_in_doubt:
        return State.UNKNOWN
    if outcome.proof is Proof.REJECTED:
        return State.REJECTED
    return State.PENDING if outcome.proof is Proof.NOT_APPLIED else State.UNKNOWN


def differences(payload: bytes, pet: Pet) -> tuple[str, ...]:
    """Return the fields in which a pet differs from what was sent; a status left out may be any."""
    sent = json.loads(payload)
    got = pet.model_dump(by_alias=True)
    return tuple(
        f"the store returned {field} {got.get(field)!r}"
        for field, value in sent.items()
        if got.get(field) != value
    )


def read_back(client: LookupClient, pet_id: int, payload: bytes) -> tuple[str, ...] | None:
    """Return how a pet of the store differs from the request that made it; None for not read."""
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


# More than are ever in flight, so that the request which an answer belongs to is among them.
RECENT = 256


class Echo:
    """Compares answers with what was sent in this session."""

    def __init__(self) -> None:
        self._recent: deque[Intent] = deque(maxlen=RECENT)

    def note_sent(self, intent: Intent) -> None:
        """Remember a request that is about to be sent."""
        self._recent.append(intent)

    def check(self, intent: Intent, outcome: PostOutcome, *, is_owned: bool) -> PostOutcome:
        """Return the outcome, proving nothing where its pet is another record's."""
        pet = outcome.pet
        if pet is None or not (is_owned or self._is_of_another(intent, pet)):
            return outcome
        problem = ContractError(
            f"the answer shows pet {pet.id}, {pet.name!r}, which is another record's, so it may be "
            "the answer to another request; the record may have been created",
            may_have_been_applied=True,
        )
        return replace(outcome, proof=Proof.UNKNOWN, reason=OTHERS_ANSWER, pet=None, error=problem)

    def _is_of_another(self, intent: Intent, pet: Pet) -> bool:
        name, category_id = _sent(intent)
        if likeness(name) == likeness(pet.name):
            return False
        if category_id != pet.category_id:
            return True
        # A store may change names; but not into that of another record just sent.
        return any(_sent(other) == (pet.name, pet.category_id) for other in self._recent)


def _sent(intent: Intent) -> tuple[str, int]:
    body = json.loads(intent.payload)
    return body["name"], body["categoryId"]
