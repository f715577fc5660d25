"""Which state a row shows, and why, over all combinations of the facts that decide it."""

from __future__ import annotations

from itertools import product

import pytest

from petstore_frame.loader.row_state import (
    AnimalFacts,
    Reason,
    RowFacts,
    State,
    reason_of,
    state_of,
)

ANIMAL_STATES = [state for state in State if state not in (State.INVALID, State.EXCLUDED)]
NONE_SENT = [None, AnimalFacts(None), AnimalFacts(None, has_this_row=True, is_of_import=True)]
ROWS = [RowFacts(*facts) for facts in product([False, True], repeat=4)]
NOT_SENT_AGAIN = {State.CREATED, State.MATCHED}


@pytest.mark.parametrize("animal", NONE_SENT, ids=str)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_of_which_nothing_is_sent(row: RowFacts, animal: AnimalFacts | None) -> None:
    """It needs fixing if it has a problem and is not left out; every other row is excluded."""
    expected = {
        (False, False): State.EXCLUDED,
        (False, True): State.INVALID,
        (True, False): State.EXCLUDED,
        (True, True): State.EXCLUDED,
    }
    assert state_of(row, animal) is expected[row.is_left_out, row.has_problem]


@pytest.mark.parametrize("state", ANIMAL_STATES)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_of_an_animal(row: RowFacts, state: State) -> None:
    """It shows its animal's state, if no other row of the file does, and if it is to do still."""
    animal = AnimalFacts(state, reason="why")
    own = animal._replace(has_this_row=True, is_of_import=True)
    assert (state_of(row, own), reason_of(row, own)) == (state, "why")
    assert state_of(row, animal._replace(is_of_import=True)) is State.EXCLUDED
    expected = State.EXCLUDED if state in NOT_SENT_AGAIN else state
    assert state_of(row, animal) is expected


REASONS = {
    # left out, problem, matched, new values; the animal
    ((False, False, False, False), None): Reason.BLANK,
    ((False, True, False, False), None): None,
    ((True, True, False, False), None): Reason.LEFT_OUT,
    ((True, False, True, True), AnimalFacts(State.CREATED)): Reason.LEFT_OUT,
    ((True, False, True, True), AnimalFacts(State.GONE, reason="user")): Reason.LEFT_OUT,
    ((False, False, True, False), AnimalFacts(State.CREATED)): Reason.KNOWN,
    ((False, False, True, True), AnimalFacts(State.MATCHED)): Reason.CHANGED,
    ((False, False, True, True), AnimalFacts(State.PENDING, is_of_import=True)): Reason.CHANGED,
    ((False, False, True, True), AnimalFacts(State.GONE, reason="user")): "user",
    ((False, False, True, False), None): Reason.KNOWN,
}


@pytest.mark.parametrize(("facts", "reason"), REASONS.items(), ids=str)
def test_a_row_says_why_it_is_not_sent(facts: tuple, reason: str | None) -> None:
    """The user left it out, it is blank, or its animal is known, perhaps with other values."""
    row, animal = facts
    assert reason_of(RowFacts(*row), animal) == reason
