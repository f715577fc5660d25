"""Rows of one key in one file: one of them stands for all, or they need fixing."""

from __future__ import annotations

import time

import pytest

from petstore_frame.loader.matching.repeated_keys import (
    KEY_REPEATED,
    ORDER_UNREADABLE,
    Keep,
    select_row,
    select_rows,
)
from petstore_frame.loader.matching.values import Plan
from petstore_frame.loader.row_state import RowProblem
from unit.loader.matching.rows import row


def chosen(*rows, keep=None):
    """The number of the row that stands, or the code of the problem."""
    result = select_row(rows, Keep(keep))
    return result.code if isinstance(result, RowProblem) else result.number


def test_equal_rows_are_one_animal() -> None:
    """Rows that send the same are no conflict, whatever their other columns hold."""
    assert chosen(row(1, "Ada", key="A"), row(2, "Ada", key="A")) == 1


def test_rows_that_differ_need_fixing() -> None:
    """Without ``keep`` nothing says which of them counts."""
    assert chosen(row(1, "Ada", key="A"), row(2, "Ada", 2, key="A")) == KEY_REPEATED


@pytest.mark.parametrize(("keep", "number"), [("first", 1), ("last", 2)])
def test_keep_says_which_row_counts(keep: str, number: int) -> None:
    """By the order of the file, if nothing else is said."""
    assert chosen(row(1, "Ada", key="A"), row(2, "Ada", 2, key="A"), keep=keep) == number


def test_another_name_alone_is_the_same_animal() -> None:
    """As is another category alone: an animal may be renamed, and a category corrected."""
    rows = row(1, "Ada", key="A"), row(2, "Bo", key="A"), row(3, "Ada", key="A")
    assert chosen(*rows, keep="first") == 1


@pytest.mark.parametrize("keep", [None, "first", "last"])
def test_another_name_and_category_is_another_animal(keep: str | None) -> None:
    """Whatever ``keep`` says, such rows are not merged."""
    assert chosen(row(1, "Ada", key="A"), row(2, "Bo", 2, key="A"), keep=keep) == KEY_REPEATED


def test_a_name_from_defaults_is_no_other_name() -> None:
    """A row without a name is not another animal for it."""
    unnamed = row(2, "Unnamed", 2, key="A", has_default_name=True)
    assert chosen(row(1, "Ada", key="A"), unnamed, keep="first") == 1


@pytest.mark.parametrize(("keep", "number"), [("first", 2), ("last", 1)])
def test_rows_are_ordered_by_a_column(keep: str, number: int) -> None:
    """The last row is the one with the greatest value, wherever it stands."""
    rows = [row(1, "Ada", key="A", order_value="2026-06"),
            row(2, "Ada", 2, key="A", order_value="2026-05")]  # fmt: skip
    assert chosen(*rows, keep=keep) == number


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_row_without_a_value_to_order_by_needs_fixing(keep: str) -> None:
    """Nobody knows whether it is the first or the last."""
    rows = [row(1, "Ada", key="A", order_value="2026"), row(2, "Ada", 2, key="A", order_value="")]
    assert chosen(*rows, keep=keep) == KEY_REPEATED


def test_a_value_that_cannot_be_read_is_shown_with_its_line() -> None:
    """It is there, so the message does not say that there is none."""
    rows = [row(1, "Ada", key="A", order_value="2026"),
            row(2, "Ada", 2, key="A", order_value="?1 May 2026")]  # fmt: skip
    problem = select_row(rows, Keep("last"))
    assert isinstance(problem, RowProblem)
    assert f"line {rows[1].line}, '1 May 2026', cannot be read" in problem.message
    assert "no value" not in f"{problem.message} {problem.hint}"


def test_a_value_that_cannot_be_read_is_not_hidden_by_other_problems() -> None:
    """It is a cause of its own, about the column of order_by, with its value."""
    rows = [row(1, "Ada", key="A", order_value="2026"),
            row(2, "Ada", 2, key="A", order_value="?soon")]  # fmt: skip
    others = [row(3, "Bo", key="B"), row(4, "Cy", 2, key="B")]
    plan = Plan()
    select_rows([*others, *rows], Keep("last", "seen"), plan)
    problems = plan.conflicts
    assert (problems[1].code, problems[1].column, problems[1].value) == (
        ORDER_UNREADABLE,
        "seen",
        "soon",
    )
    assert problems[3].code == KEY_REPEATED


def test_a_tie_that_sends_the_same_is_no_tie() -> None:
    """Two last rows with one content are one row."""
    old = row(1, "Ada", 2, key="A", order_value="1")
    last = [row(number, "Ada", key="A", order_value="2") for number in (2, 3)]
    assert chosen(old, *last, keep="last") == 2


def test_a_tie_that_matters_needs_fixing() -> None:
    """Two last rows with other contents are for the user to decide."""
    rows = [row(1, "Ada", key="A", order_value="2"), row(2, "Ada", 2, key="A", order_value="2")]
    assert chosen(*rows, keep="last") == KEY_REPEATED


def test_rows_are_ranked_before_they_are_excluded() -> None:
    """If the last rows are excluded, the animal is; an older row is not sent in their place."""
    old = [row(number, "Ada", key="A", order_value="05-25") for number in (1, 2)]
    dead = [
        row(number, key="A", order_value="06-28", is_excluded=True, unsent_hash=bytes([number]))
        for number in (3, 4)
    ]
    assert chosen(*old, *dead, keep="last") == 3


@pytest.mark.parametrize(("keep", "number"), [("first", 1), ("last", 2)])
def test_an_excluded_row_is_not_the_same_as_another(keep: str, number: int) -> None:
    """Also if both say the same of the animal: the row that counts decides whether it is sent."""
    rows = row(1, "Ada", key="A", is_excluded=True), row(2, "Ada", key="A")
    assert chosen(*rows, keep=keep) == number


def test_a_group_is_one_animal_or_needs_fixing() -> None:
    """Each key is settled alone: one row stands for its key, or all rows of it need fixing."""
    plan = Plan()
    rows = [row(1, "Ada", key="A"), row(2, "Ada", 2, key="A"), row(3, "Bo", key="B"),
            row(4, "Cy", 2, key="B"), row(5, "Di", key="C"), row(6, "Ed")]  # fmt: skip
    select_rows(rows, Keep("last"), plan)
    assert plan.same_as == {1: 2} and sorted(plan.conflicts) == [3, 4]


def test_a_row_that_is_excluded_by_its_line_is_not_compared() -> None:
    """Nor is one that a filter excludes without ``keep``: the other row is the only one."""
    excluded = row(1, "Ada", key="A", is_excluded=True, is_unranked=True)
    plan = Plan()
    select_rows([excluded, row(2, "Ada", 2, key="A")], Keep(), plan)
    assert (plan.same_as, plan.conflicts) == ({}, {})


def test_a_key_of_many_rows_takes_no_longer_for_each() -> None:
    """The rows of one key are compared in one pass."""
    rows = [row(n, f"Pet {n}", n % 2, key="A") for n in range(20_000)]
    started = time.process_time()
    assert chosen(*rows) == KEY_REPEATED
    assert time.process_time() - started < 1
