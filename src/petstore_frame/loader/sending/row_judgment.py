"""Decides the state of a row from the outcome of its request.

Earlier attempts count too: if the last one was rejected, an earlier one may still have been
applied. The response must also belong to this request, because a store or a proxy that answers
twice, or too late, can return the response of a different request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from petstore_frame.errors import APIStatusError, AuthenticationError, ContractError, PetstoreError
from petstore_frame.loader.journal.outcomes import Intent, Outcome
from petstore_frame.loader.row_state import OTHERS_ANSWER, State
from petstore_frame.schema import FIELDS, Pet, folded_name
from petstore_frame.transport import PostOutcome, Proof

LONGEST_MESSAGE = 2000


def judge(intent: Intent, end: PostOutcome) -> Outcome:
    """Return the new state of the row, with its reason."""
    return Outcome(
        intent,
        _state(intent, end),
        end.reason,
        pet_id=end.pet.id if end.pet else None,
        answer=_answer(end.error),
        notes=() if end.pet is None else _differences(intent, end.pet),
        may_repeat=end.proof is not Proof.REJECTED,  # it would be rejected again
    )


def _state(intent: Intent, end: PostOutcome) -> State:
    if end.proof is Proof.CREATED:
        return State.CREATED
    if intent.may_have_been_applied:
        return State.UNCONFIRMED
    if end.proof is Proof.REJECTED:
        return State.REJECTED
    return State.PENDING if end.proof is Proof.NOT_APPLIED else State.UNCONFIRMED


def _answer(error: Exception | None) -> dict[str, str]:
    if error is None:
        return {}
    message, details = str(error), dict[str, str | None]()
    if isinstance(error, APIStatusError):
        message = str(error.api_message)
        details = {"error_code": error.code, "error_field": error.field}
    is_long = len(message) > LONGEST_MESSAGE
    details["error_message"] = f"{message[:LONGEST_MESSAGE]}…" if is_long else message
    return {name: value for name, value in details.items() if value is not None}


def _differences(intent: Intent, pet: Pet) -> tuple[str, ...]:
    """Return how a pet differs from the fields that were sent; other fields may have any value."""
    returned = {field.wire_name: getattr(pet, field.name) for field in FIELDS.sent}
    return tuple(
        f"the store returned {name} {returned[name]!r}"
        for name, value in _sent(intent.payload).items()
        if returned[name] != value
    )


def checked_answer(
    intent: Intent, end: PostOutcome, *, is_earlier: bool | None, recent: Iterable[Intent]
) -> tuple[PostOutcome, bool]:
    """Return the outcome of a request, and whether its pet has the reused id of an earlier animal.

    The response proves nothing if its pet belongs to another row of this session. A store that was
    restored may reuse ids; then the pet is this animal, and the earlier animal is gone.

    Args:
        intent: The row that was sent.
        end: The outcome of its request.
        is_earlier: Whether the row that already has this pet id was sent in an earlier session;
            None if no row has it.
        recent: The rows that were sent last.
    """
    pet = end.pet
    if pet is None:
        return end, False
    has_reused_id = bool(is_earlier) and _animal(intent) == (pet.name, pet.category_id)
    is_owned = is_earlier is not None and not has_reused_id
    if not (is_owned or _is_of_another(intent, pet, recent)):
        return end, has_reused_id and end.proof is Proof.CREATED
    problem = ContractError(
        f"the response has pet {pet.id}, {pet.name!r}, which belongs to another row, so it may be "
        "the response to another request; the row may have been created",
        may_have_been_applied=True,
    )
    unknown = replace(end, proof=Proof.UNKNOWN, reason=OTHERS_ANSWER, pet=None, error=problem)
    return unknown, False


def _is_of_another(intent: Intent, pet: Pet, recent: Iterable[Intent]) -> bool:
    name, category_id = _animal(intent)
    if name == pet.name or folded_name(name) == folded_name(pet.name):
        return False
    if category_id != pet.category_id:
        return True
    # A store may change a name, but not to the name of another row that was just sent.
    return any(_animal(sent) == (pet.name, pet.category_id) for sent in recent)


def _animal(intent: Intent) -> tuple[str, int]:
    body = _sent(intent.payload)
    return body["name"], body["categoryId"]


@lru_cache(maxsize=512)
def _sent(payload: bytes) -> dict[str, Any]:
    """Return the values of a request body; cached, because each one is needed several times."""
    return dict(json.loads(payload.decode()))


def why_stopped(error: Exception | None, intent: Intent | None = None) -> str:
    """Return an error that seems to concern all rows, with the row that received it."""
    if isinstance(error, AuthenticationError):
        return f"the store rejected the API key: {error}"
    if intent is None or not isinstance(error, APIStatusError):
        return str(error)
    return (
        f"{error}; this was the response to row {intent.row}, line {intent.line}: if it "
        "concerns only that row, correct the row or remove it from the file"
    )


def unsaved(problem: str, outcomes: Iterable[Outcome]) -> str:
    """Return the problem of the journal, with the outcomes that it could not store."""
    lost = [
        f"row {outcome.intent.row} is {outcome.state}"
        + (f" with id {outcome.pet_id}" if outcome.pet_id is not None else "")
        for outcome in outcomes
    ]
    return f"{problem}; not on disk: {', '.join(lost)}" if lost else problem


def broken(problem: BaseException | None) -> PostOutcome:
    """Return the outcome of a request whose client raised an error: it proves nothing."""
    error = problem if isinstance(problem, PetstoreError) else PetstoreError(repr(problem))
    return PostOutcome(Proof.UNKNOWN, type(problem).__name__, error=error, is_systemic=True)
