"""What the end of a request makes of its record.

In: an intent and the proof that outcome.py found. Out: a Settlement for the journal. It adds
only the record's own past to the proof: a later refusal does not remove an earlier doubt.
"""

from __future__ import annotations

import json

from petstore_frame.errors import APIStatusError, AuthenticationError
from petstore_frame.http.outcome import PostOutcome, Proof
from petstore_frame.loader.journal.settlements import Intent, Settlement
from petstore_frame.loader.record import State
from petstore_frame.schema.models import Pet

_KEY_MISUSED = 422
LONGEST_MESSAGE = 2000


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
        f"{error}; this was the answer to record {intent.number}, line {intent.line}: if it "
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
