"""The changes of a row, as the journal allows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from petstore_frame.errors import JournalError
from petstore_frame.loader import view_of
from petstore_frame.loader.journal.database import Writer
from petstore_frame.loader.journal.outcomes import Change, Intent, Outcome, Outcomes
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.row_state import MOVES, RowProblem, SourceRow, State
from unit.loader.staged import RUN, become, change, rows_of, stage

BODY = b'{"name":"A","categoryId":1}'


@pytest.fixture
def result(tmp_path: Path) -> LoadResult:
    """An import of six pending rows."""
    return stage(tmp_path / "x.sqlite3", RUN, rows_of([BODY] * 6))


@contextmanager
def session_of(result: LoadResult) -> Iterator[Outcomes]:
    with Writer(view_of(result).path, RUN.base_url) as made:
        yield Outcomes(made, view_of(result).facts.run)


@pytest.fixture
def writer(result: LoadResult) -> Iterator[Outcomes]:
    with session_of(result) as made:
        made.start(0.0)
        yield made


def end(intent: Intent, state: State, **more) -> Outcome:
    return Outcome(intent, state, "made up", **more)


def test_a_key_is_repeated_only_while_it_is_remembered(writer: Outcomes) -> None:
    """An unconfirmed row is sent again under the key of its first request, and never pending."""
    first, second = writer.commit([], 100.0, room=2, keys_since=0.0)
    third = writer.commit([], 100.0, room=1)[0]
    writer.commit([end(intent, State.UNCONFIRMED) for intent in (first, second, third)], 101.0)
    assert third.key is None
    writer.begin_round(50.0, 200.0)
    assert writer.commit([], 200.0, room=3, keys_since=150.0)[0].row == 4
    writer.begin_round(50.0, 200.0)
    again = writer.commit([], 200.0, room=2, keys_since=50.0)
    assert [intent.key for intent in again] == [first.key, second.key]
    with pytest.raises(JournalError, match="no such move"):
        writer.commit([end(again[0], State.PENDING)], 201.0)


@pytest.mark.parametrize(
    ("keys", "is_repeatable"),
    [((0.0, None), False), ((None, 0.0), True)],
    ids=["a sending without it ends a key", "a key is as old as its own first sending"],
)
def test_a_key_counts_from_its_own_sendings(writer: Outcomes, keys, is_repeatable: bool) -> None:
    """The store remembers a key from when it first came, not from a request without it."""
    (one,) = writer.commit([], 1.0, room=1, keys_since=keys[0])
    writer.commit([end(one, State.PENDING)], 2.0)
    (two,) = writer.commit([], 9.0, room=1, keys_since=keys[1])
    writer.commit([end(two, State.UNCONFIRMED)], 10.0)
    assert [one.key is None, two.key is None] == [key is None for key in keys]
    assert writer.begin_round(5.0, 10.0) is is_repeatable
    assert not writer.begin_round(9.0, 10.0)
    assert not writer.begin_round(0.0, 0.5)  # a clock that was ahead makes no key fresh


@pytest.mark.parametrize("old", MOVES)
def test_the_database_refuses_every_other_move(result: LoadResult, old: State | None) -> None:
    """An animal moves as ``MOVES`` says and in no other way, whoever writes."""
    become(result, 1, old)
    for state in {*MOVES, State.EXCLUDED} - MOVES[old] - {old}:
        with pytest.raises(JournalError):
            move(result, old, state)


def move(result: LoadResult, old: State | None, state: State | None) -> None:
    """Begin an animal in a state, delete it, or change its state."""
    if old is None:
        change(result, "INSERT INTO animals (import, row, state) VALUES (:import, 1, ?)", state)
    elif state is None:
        change(result, "DELETE FROM animals WHERE row = 1")
    else:
        change(result, "UPDATE animals SET state = ? WHERE row = 1", state)


def test_an_absent_record_keeps_its_key(writer: Outcomes) -> None:
    """Sent again under the same key, so that a store which has it after all answers with it."""
    (intent,) = writer.commit([], 1.0, room=1, keys_since=0.0)
    writer.commit([end(intent, State.UNCONFIRMED)], 2.0)
    writer.change([Change(1, 1, State.UNCONFIRMED, State.NOT_FOUND, "not found")], 3.0)
    writer.change([Change(1, 1, State.NOT_FOUND, State.PENDING, "resent")], 4.0)
    (again,) = writer.commit([], 5.0, room=1, keys_since=0.0)
    assert again.row == 1 and again.key == intent.key is not None


def test_a_key_is_the_same_on_every_computer(result: LoadResult, tmp_path: Path) -> None:
    """It is made from the import, the row and its payload, not drawn."""
    keys = []
    for staged in (result, stage(tmp_path / "y.sqlite3", RUN, rows_of([BODY] * 6))):
        with session_of(staged) as writer:
            keys.append([intent.key for intent in writer.commit([], 1.0, room=6, keys_since=0.0)])
    assert keys[0] == keys[1] and len({*keys[0]}) == 6


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    """Any text, also separators, NUL, lone surrogates and no cell at all, is kept verbatim."""
    problem = RowProblem("odd", "it is odd", "name", "\ud800", "fix it", ("allow", ["x"]), "x")
    for number, cells in enumerate([(), ("",), ("a\x1fb\x00", "Zoë\n", "lone \ud800")]):
        row = SourceRow(1, 2, cells, State.INVALID, problems=(problem,), notes=("a", "b"))
        (row,) = view_of(stage(tmp_path / f"{number}.sqlite3", RUN, [row])).rows()
        assert (row.cells, row.problems, row.notes) == (cells, (problem,), ("a", "b"))


def test_what_may_be_in_the_store_is_not_sent_again() -> None:
    """What was created stays, and a pet is not found before its animal is sent a second time.

    An unconfirmed request is repeated only under its idempotency key, while that is remembered.
    """
    assert MOVES[State.CREATED] == MOVES[State.MATCHED] == frozenset()
    assert MOVES[State.UNCONFIRMED] == {State.CREATED, State.NOT_FOUND, State.IN_FLIGHT}
