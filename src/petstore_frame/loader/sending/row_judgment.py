"""Decides the state of a row from what the end of its request proves.

The response proves something, and the row's past counts too: a later rejection does not prove that
an earlier attempt was not applied. And the response must belong to this request: a store or a proxy
that answers twice, or late, can put one response in the place of the next.
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
    """Return what becomes of the row."""
    return Outcome(
        intent,
        _state(intent, end),
        end.reason,
        pet_id=end.pet.id if end.pet else None,
        answer=_answer(end.error),
        notes=() if end.pet is None else _differences(intent, end.pet),
        may_repeat=end.proof is not Proof.REJECTED,  # it would be refused again
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
    message, found = str(error), dict[str, str | None]()
    if isinstance(error, APIStatusError):
        message = str(error.api_message)
        found = {"error_code": error.code, "error_field": error.field}
    is_long = len(message) > LONGEST_MESSAGE
    found["error_message"] = f"{message[:LONGEST_MESSAGE]}…" if is_long else message
    return {name: value for name, value in found.items() if value is not None}


def _differences(intent: Intent, pet: Pet) -> tuple[str, ...]:
    """Return the fields in which a pet differs from what was sent; a status left out may be any."""
    got = {each.wire_name: getattr(pet, each.name) for each in FIELDS.sent}
    return tuple(
        f"the store returned {field} {got[field]!r}"
        for field, value in _sent(intent.payload).items()
        if got[field] != value
    )


def checked_answer(
    intent: Intent, end: PostOutcome, *, is_earlier: bool | None, recent: Iterable[Intent]
) -> tuple[PostOutcome, bool]:
    """Return the end of a request, and whether its pet has an id that an earlier animal had.

    It proves nothing if its pet is another row's of this session. A store that was restored
    gives ids again: then the pet is this animal, and the earlier one is gone. ``is_earlier`` is
    whether the row that has this pet's id is of an earlier session, None for no row.
    """
    pet = end.pet
    if pet is None:
        return end, False
    has_reused_id = bool(is_earlier) and _animal(intent) == (pet.name, pet.category_id)
    is_owned = is_earlier is not None and not has_reused_id
    if not (is_owned or _is_of_another(intent, pet, recent)):
        return end, has_reused_id and end.proof is Proof.CREATED
    problem = ContractError(
        f"the answer shows pet {pet.id}, {pet.name!r}, which is another row's, so it may be "
        "the answer to another request; the row may have been created",
        may_have_been_applied=True,
    )
    proof = replace(end, proof=Proof.UNKNOWN, reason=OTHERS_ANSWER, pet=None, error=problem)
    return proof, False


def _is_of_another(intent: Intent, pet: Pet, recent: Iterable[Intent]) -> bool:
    name, category_id = _animal(intent)
    if name == pet.name or folded_name(name) == folded_name(pet.name):
        return False
    if category_id != pet.category_id:
        return True
    # A store may change a name, but not into that of another row just sent.
    return any(_animal(other) == (pet.name, pet.category_id) for other in recent)


def _animal(intent: Intent) -> tuple[str, int]:
    body = _sent(intent.payload)
    return body["name"], body["categoryId"]


@lru_cache(maxsize=512)
def _sent(payload: bytes) -> dict[str, Any]:
    """Return the values of a request body; each is asked for several times in a row."""
    return dict(json.loads(payload.decode()))


def why_stopped(error: Exception | None, intent: Intent | None = None) -> str:
    """Return the error that seems to concern every row, and the row that met it."""
    if isinstance(error, AuthenticationError):
        return f"the store refused the key: {error}"
    if intent is None or not isinstance(error, APIStatusError):
        return str(error)
    return (
        f"{error}; this was the answer to row {intent.row}, line {intent.line}: if it "
        "concerns that row alone, correct it or take it out of the file"
    )


def unsaved(problem: str, outcomes: Iterable[Outcome]) -> str:
    """Return the journal's problem and the outcomes that it could not keep, so none is lost."""
    lost = [
        f"row {each.intent.row} is {each.state}"
        + (f" with id {each.pet_id}" if each.pet_id is not None else "")
        for each in outcomes
    ]
    return f"{problem}; not on disk: {', '.join(lost)}" if lost else problem


def broken(problem: BaseException | None) -> PostOutcome:
    """Return the outcome of a request whose client raised: nothing is proven."""
    error = problem if isinstance(problem, PetstoreError) else PetstoreError(repr(problem))
    return PostOutcome(Proof.UNKNOWN, type(problem).__name__, error=error, is_systemic=True)
