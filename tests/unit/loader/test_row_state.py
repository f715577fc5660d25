"""The view ``row_states`` gives each row one state, one reason and one group."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import product
from typing import NamedTuple

import pytest

from petstore_frame.loader.journal.schema import TABLES
from petstore_frame.loader.results.row_groups import RowGroup
from petstore_frame.loader.row_state import ANIMAL_STATES, MOVES, State

OTHER_IMPORT, IMPORT = 1, 2
EARLIER, NOW = 10, 11  # sessions


class Row(NamedTuple):
    """The facts of one row, and of its animal if it has one."""

    excluded: str | None = None  # "left_out" or "blank"
    has_problem: bool = False
    has_conflict: bool = False
    is_possible: bool = False
    is_repeat: bool = False  # another row was selected for its key, which has these facts
    state: State | None = None  # of the animal; None without one
    owner: str = "own"  # of the animal: this row ("own"), another row of the "file", "other" file
    is_gone: bool = False
    is_changed: bool = False  # the row says something else than what was sent
    is_new: bool = False  # the animal was sent by this call

    @property
    def is_animal(self) -> bool:
        return self.state in ANIMAL_STATES


def state_of(row: Row) -> str:
    """Return the expected state."""
    is_own = row.owner == "own" and not row.is_repeat
    if row.state is not None and row.is_animal and (is_own or not row.excluded):
        return "gone" if row.is_gone else row.state
    if row.excluded:
        return "excluded"
    if row.is_possible:
        return "possible_duplicate"
    if row.has_problem or row.has_conflict or row.state is None:
        return "invalid"
    return row.state


def group_of(row: Row) -> str:
    """Return the expected group."""
    state = state_of(row)
    is_own = row.owner == "own" and not row.is_repeat
    is_of_other_row = row.is_repeat or (row.is_animal and row.owner == "file")
    if state == "excluded":
        return "excluded"
    if is_of_other_row:
        return "repeated"
    if state == "created":
        return "added" if is_own and row.is_new else "already_loaded"
    groups = {"pending": "to_send", "not_found": "to_send", "invalid": "need_fixing",
              "in_flight": "unconfirmed"}  # fmt: skip
    return groups.get(state, state)


def reason_of(row: Row) -> str | None:
    """Return the expected reason."""
    is_own = row.state is not None and row.owner == "own" and not row.is_repeat
    if state_of(row) == "excluded":
        return row.excluded
    if is_own:
        return "why"
    if not row.is_animal:
        return None
    return "changed" if row.is_changed else "known"


_ANIMALS = [(None, "own", False, False, False)] + [
    (state, owner, is_gone, is_changed, is_new)
    for state in MOVES
    if state is not None
    for owner, is_gone, is_changed, is_new in product(
        ("own", "file", "other"), (False, True), (False, True), (False, True)
    )
]
ROWS = [
    Row(*facts, *animal)
    for facts in product(
        (None, "left_out", "blank"), (False, True), (False, True), (False, True), (False, True)
    )
    for animal in _ANIMALS
]


@pytest.fixture(scope="module")
def actual() -> dict[Row, tuple[str, str, str | None]]:
    """The state, the group and the reason of every combination of facts."""
    with closing(sqlite3.connect(":memory:")) as sql:
        sql.executescript(TABLES)
        for trigger in ("first_state", "moves", "last_state"):
            sql.execute(f"DROP TRIGGER {trigger}")
        sql.execute("INSERT INTO imports (import, id, reading, session) VALUES (?, 'x', 1, ?)",
                    [IMPORT, NOW])  # fmt: skip
        for number, row in enumerate(ROWS, 1):
            write(sql, 10 * number, row)
        records = sql.execute('SELECT row, state, "group", reason FROM row_states')
        by_number = {number: tuple(values) for number, *values in records}
    return {row: by_number[10 * number] for number, row in enumerate(ROWS, 1)}


def write(sql: sqlite3.Connection, number: int, row: Row) -> None:
    """Write a row, the row that was selected for its key, and its animal."""
    animal = None if row.state is None else number
    place = number + 1 if row.is_repeat else number
    problem = "P" if row.has_problem else None
    conflict = "C" if row.has_conflict else None
    possible = "D" if row.is_possible else None
    insert = (
        "INSERT INTO rows (reading, row, payload, excluded, problem, conflict, possible, same_as,"
        " animal) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    payload = b"changed" if row.is_changed else b"sent"
    sql.execute(insert, [place, payload, row.excluded, problem, conflict, possible, None, animal])
    if row.is_repeat:
        sql.execute(insert, [number, payload, None, None, None, None, place, None])
    owner = {"own": (IMPORT, place), "file": (IMPORT, number + 2), "other": (OTHER_IMPORT, number)}
    if animal is not None:
        sql.execute(
            "INSERT INTO animals (animal, import, row, payload, state, reason, session, gone_at)"
            " VALUES (?, ?, ?, ?, ?, 'why', ?, ?)",
            [animal, *owner[row.owner], b"sent", row.state, NOW if row.is_new else EARLIER,
             1.0 if row.is_gone else None],
        )  # fmt: skip


@pytest.mark.parametrize("row", [
    (Row(), "invalid"),
    (Row(state=State.PENDING), "pending"),
    (Row(state=State.CREATED), "created"),
    (Row(state=State.CREATED, is_gone=True), "gone"),
    (Row(state=State.PENDING, is_gone=True), "pending"),
    (Row(excluded="left_out", state=State.CREATED), "created"),
    (Row(excluded="left_out", state=State.CREATED, owner="other"), "excluded"),
    (Row(has_problem=True, state=State.UNCONFIRMED, owner="other"), "unconfirmed"),
    (Row(has_problem=True, state=State.REJECTED), "invalid"),
    (Row(is_possible=True), "possible_duplicate"),
    (Row(excluded="blank", is_possible=True), "excluded"),
    (Row(is_repeat=True, has_conflict=True), "invalid"),
], ids=str)  # fmt: skip
def test_a_row_has_the_state_that_a_user_expects(actual, row) -> None:
    """What was sent counts first, then what the user excluded, then doubts and problems."""
    facts, state = row
    assert actual[facts][0] == state


def test_the_state_of_all_combinations(actual) -> None:
    """An animal that was sent decides the state of a row, whatever else is the matter with it."""
    assert len(actual) > 8_000
    assert {row: values[0] for row, values in actual.items()} == {r: state_of(r) for r in ROWS}


def test_the_group_of_all_combinations(actual) -> None:
    """Each row counts once; what this call did not send was loaded already."""
    assert {row: values[1] for row, values in actual.items()} == {r: group_of(r) for r in ROWS}
    assert {values[1] for values in actual.values()} == {*map(str, RowGroup)}


def test_the_reason_of_all_combinations(actual) -> None:
    """A row of another row's animal says whether its values are the same."""
    assert {row: values[2] for row, values in actual.items()} == {r: reason_of(r) for r in ROWS}
