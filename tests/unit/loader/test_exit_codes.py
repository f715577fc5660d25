"""The exit code of a load: 0 only if nothing is left to send or to fix, else the worst reason."""

from __future__ import annotations

from dataclasses import replace

from petstore_frame.loader import view_of
from petstore_frame.loader.results.import_facts import COMMON_CAUSE, ImportSummary
from petstore_frame.loader.row_state import Ending, State
from petstore_frame.questions import Question
from shop import Shop

S = State
OF_STATES = {
    (S.CREATED, S.MATCHED, S.EXCLUDED, S.GONE): 0,
    (S.INVALID,): 1,
    (S.REJECTED,): 1,
    (S.PENDING,): 1,
    (S.NOT_FOUND,): 1,
    (S.UNCONFIRMED,): 3,
    (S.POSSIBLE_DUPLICATE,): 9,
    (S.POSSIBLE_DUPLICATE, S.UNCONFIRMED): 9,
    (S.IN_FLIGHT,): 3,
    (S.INVALID, S.UNCONFIRMED): 3,
}
OF_ENDINGS = {
    Ending.DONE: 1,
    Ending.MAX_ROWS: 1,
    Ending.BUDGET: 4,
    Ending.STOPPED: 5,
    Ending.OUTAGE: 5,
    Ending.JOURNAL: 6,
    Ending.INTERRUPTED: 130,
}


def summary(memory_shop: Shop, *states: State, ending: Ending = Ending.DONE) -> ImportSummary:
    """Return the facts of an import with one row in each of these states."""
    facts = view_of(memory_shop.load("a.csv", "name", "Ada")).facts
    counts = dict.fromkeys(State, 0) | dict.fromkeys(states, 1)
    return replace(facts, counts=counts, run=replace(facts.run, ending=ending))


def test_rows_that_are_not_settled_are_no_success(memory_shop: Shop) -> None:
    """Each state of a row has its exit code, and the greatest one counts."""
    assert {states: summary(memory_shop, *states).exit_code for states in OF_STATES} == OF_STATES


def test_each_ending_has_its_exit_code(memory_shop: Shop) -> None:
    """A session that stopped counts more than the rows that it left."""
    codes = {
        ending: summary(memory_shop, S.PENDING, ending=ending).exit_code for ending in OF_ENDINGS
    }
    assert codes == OF_ENDINGS


def test_an_open_question_and_a_file_that_is_held_back_come_first(memory_shop: Shop) -> None:
    """Whatever the rows are, a person has to decide."""
    facts = summary(memory_shop, S.INVALID, S.PENDING)
    facts.run.facts[COMMON_CAUSE] = {"code": "not_integer", "column": "category_id"}
    assert facts.exit_code == 4
    possible = summary(memory_shop, S.POSSIBLE_DUPLICATE)
    assert (possible.exit_code, replace(facts, question=Question("key", "?")).exit_code) == (9, 9)
