"""Whether an answer answers the request that it followed.

In: an intent, the outcome read from its connection, and what was sent before. Out: the outcome, or
one that proves nothing. A store or a proxy that answers twice, or late, puts the answer to one
request where that to the next is expected: believed, it would call a pet created that nobody made.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace

from petstore_frame.errors import ContractError
from petstore_frame.http.outcome import PostOutcome, Proof
from petstore_frame.loader.journal.settlements import Intent
from petstore_frame.schema.models import Pet
from petstore_frame.schema.text import likeness

# More than are ever in flight, so that the request which an answer belongs to is among them.
RECENT = 256
OTHERS_ANSWER = "answer_of_another"


class Echo:
    """Compares answers with what was sent in this session."""

    def __init__(self) -> None:
        self._recent: deque[Intent] = deque(maxlen=RECENT)

    def note_sent(self, intent: Intent) -> None:
        """Remember a request that is about to be sent."""
        self._recent.append(intent)

    def check(self, intent: Intent, outcome: PostOutcome, *, is_owned: bool) -> PostOutcome:
        """Return the outcome, proving nothing where its pet is another record's.

        Args:
            intent: The request.
            outcome: What was read.
            is_owned: Whether another record has the id that was read.
        """
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
