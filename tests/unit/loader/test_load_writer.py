"""The changes of a record, as the journal allows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import Writer
from petstore_frame.loader.journal.outcomes import Change, Intent, Outcome, Outcomes
from petstore_frame.loader.record import MOVES, Record, RecordProblem, State
from petstore_frame.loader.results.results import LoadResult
from unit.loader.staged import RUN, become, change, records_of, stage

BODY = b'{"name":"A","categoryId":1}'


@pytest.fixture
def result(tmp_path: Path) -> LoadResult:
    """An import of six pending records."""
    return stage(tmp_path / "x.sqlite3", RUN, records_of([BODY] * 6))


@contextmanager
def session_of(result: LoadResult) -> Iterator[Outcomes]:
    with Writer(result.path, RUN.base_url) as made:
        yield Outcomes(made, result.facts.run)


@pytest.fixture
def writer(result: LoadResult) -> Iterator[Outcomes]:
    with session_of(result) as made:
        made.start(0.0)
        yield made


def states(result: LoadResult) -> list[str]:
    return [row.state.value for row in result.rows()]


def end(intent: Intent, state: State, **more) -> Outcome:
    return Outcome(intent, state, "made up", **more)


def test_a_settled_record_does_not_move_again(result: LoadResult, writer: Outcomes) -> None:
    """A move that record.py does not list is refused, with the whole commit."""
    (intent,) = writer.commit([], 1.0, fresh=1)
    writer.commit([end(intent, State.CREATED, pet_id=7)], 2.0)
    for state in State:
        with pytest.raises(JournalError, match="cannot become"):
            writer.commit([end(intent, state)], 3.0, fresh=1)
    assert states(result) == ["created", *["pending"] * 5]
    assert MOVES[State.CREATED] == {State.GONE}


def test_a_key_is_repeated_only_while_it_is_remembered(result: LoadResult, writer) -> None:
    """An unknown record is sent again under its key and in its time, and never pending."""
    first, second = writer.commit([], 100.0, fresh=2, keys_since=0.0)
    third = writer.commit([], 100.0, fresh=1)[0]
    writer.commit([end(intent, State.UNKNOWN) for intent in (first, second, third)], 101.0)
    assert third.key is None
    assert writer.commit([], 200.0, repeats=[1, 2, 3], keys_since=150.0) == []
    again = writer.commit([], 200.0, repeats=[1, 2, 3], keys_since=50.0)
    assert [intent.record for intent in again] == [1, 2]
    with pytest.raises(JournalError, match="in doubt"):
        writer.commit([end(again[0], State.PENDING)], 201.0)


def test_an_id_belongs_to_one_record(result: LoadResult, writer: Outcomes) -> None:
    """The database refuses a pet that a record has already, with all that came with it."""
    first, second = writer.commit([], 1.0, fresh=2)
    writer.commit([end(first, State.CREATED, pet_id=7)], 2.0)
    with pytest.raises(JournalError):
        writer.commit([end(second, State.CREATED, pet_id=7)], 3.0)
    assert ({*writer.owners([7, 8])}, states(result)[1]) == ({7}, "in_flight")


@pytest.mark.parametrize("old", MOVES)
def test_the_database_refuses_every_other_move(result: LoadResult, old: State | None) -> None:
    """An animal moves as ``MOVES`` says and in no other way, whoever writes."""
    become(result, 1, old)
    for state in {*MOVES, State.SKIPPED} - MOVES[old] - {old}:
        with pytest.raises(JournalError):
            change(result, "UPDATE animals SET state = ? WHERE record = 1", state)


def test_what_a_dead_session_left_is_in_doubt(result: LoadResult) -> None:
    """On opening, in flight is unknown, never pending."""
    with session_of(result) as dead:
        dead.commit([], 1.0, fresh=3)
    with session_of(result) as writer:
        assert writer.start(9.0) == 3
    assert states(result) == [*["unknown"] * 3, *["pending"] * 3]


def test_an_absent_record_keeps_its_key(result: LoadResult, writer: Outcomes) -> None:
    """Sent again under the same key, so that a store which has it after all answers with it."""
    (intent,) = writer.commit([], 1.0, fresh=1, keys_since=0.0)
    writer.commit([end(intent, State.UNKNOWN)], 2.0)
    writer.change([Change(1, State.UNKNOWN, State.ABSENT, "not found")], 3.0)
    writer.change([Change(1, State.ABSENT, State.PENDING, "resent")], 4.0)
    (again,) = writer.commit([], 5.0, fresh=1, keys_since=0.0)
    assert again.record == 1 and again.key == intent.key is not None


def test_a_key_is_the_same_on_every_computer(result: LoadResult, tmp_path: Path) -> None:
    """It is made from the import, the record and its payload, not drawn."""
    keys = []
    for each in (result, stage(tmp_path / "y.sqlite3", RUN, records_of([BODY] * 6))):
        with session_of(each) as writer:
            keys.append([intent.key for intent in writer.commit([], 1.0, fresh=6, keys_since=0.0)])
    assert keys[0] == keys[1] and len({*keys[0]}) == 6


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    """Any text, also separators, NUL, lone surrogates and no cell at all, is kept verbatim."""
    problem = RecordProblem("odd", "it is odd", "name", "\ud800", "fix it", ("accept", ["x"]), "x")
    for number, cells in enumerate([(), ("",), ("a\x1fb\x00", "Zoë\n", "lone \ud800")]):
        record = Record(1, 2, cells, State.INVALID, problem=problem, notes=("a", "b"))
        (row,) = stage(tmp_path / f"{number}.sqlite3", RUN, [record]).rows()
        assert (row.cells, row.problem, row.notes) == (cells, problem, ("a", "b"))


def test_a_key_does_not_outlive_a_sending_without_it(result: LoadResult, writer: Outcomes) -> None:
    """A record sent without a key is never repeated under the key of an attempt before it."""
    (keyed,) = writer.commit([], 1.0, fresh=1, keys_since=0.0)
    writer.commit([end(keyed, State.PENDING)], 2.0)
    (bare,) = writer.commit([], 3.0, fresh=1)
    writer.commit([end(bare, State.UNKNOWN)], 4.0)
    assert keyed.key is not None and bare.key is None
    assert writer.repeatable(0.0, 5.0) == []
    assert writer.commit([], 5.0, repeats=[1], keys_since=0.0) == []


def test_a_key_is_as_old_as_its_own_first_sending(result: LoadResult, writer: Outcomes) -> None:
    """The store remembers a key from when it first came, not from a request without it."""
    (bare,) = writer.commit([], 1.0, fresh=1)
    writer.commit([end(bare, State.PENDING)], 2.0)
    (keyed,) = writer.commit([], 9.0, fresh=1, keys_since=0.0)
    writer.commit([end(keyed, State.UNKNOWN)], 10.0)
    assert keyed.key is not None
    assert (writer.repeatable(5.0, 10.0), writer.repeatable(9.0, 10.0)) == ([1], [])
