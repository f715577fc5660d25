"""Rows of one key in one file: one of them stands for all, or they need fixing."""

from __future__ import annotations

import time

import pytest

from petstore_frame.loader.matching.repeated_keys import (
    KEY_MISSING,
    KEY_REPEATED,
    ORDER_UNREADABLE,
    choose_row,
    choose_rows,
)
from petstore_frame.loader.row_state import RowProblem
from unit.loader.matching.rows import row, stored


def chosen(*rows, keep=None):
    """The number of the row that stands, or the code of the problem."""
    result = choose_row(rows, keep)
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
    problem = choose_row(rows, "last")
    assert isinstance(problem, RowProblem)
    assert f"line {rows[1].line}, '1 May 2026', cannot be read" in problem.message
    assert "no value" not in f"{problem.message} {problem.hint}"


def test_a_value_that_cannot_be_read_is_not_hidden_by_other_problems() -> None:
    """It is a cause of its own, about the column of order_by, with its value."""
    rows = [row(1, "Ada", key="A", order_value="2026"),
            row(2, "Ada", 2, key="A", order_value="?soon")]  # fmt: skip
    others = [row(3, "Bo", key="B"), row(4, "Cy", 2, key="B")]
    problems = choose_rows([others, rows], "last", "seen").problems
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


@pytest.mark.parametrize(
    "word", ["none", "N/A", "unknown", "TBD", "0", "-", "?", "N.A.", "no tag", "000000"]
)
def test_a_word_in_two_rows_is_no_key(word: str) -> None:
    """Two animals without a chip are two animals."""
    assert chosen(row(1, "Ada", key=word), row(2, "Ada", key=word)) == KEY_MISSING


def test_a_part_of_a_key_that_names_several_rows_is_no_key() -> None:
    """Where the other columns do not tell rows apart, the empty one would have to."""
    rows = [row(n, "Ada", key="A", core="a")._replace(key=stored("A", "")) for n in (1, 2)]
    assert chosen(*rows) == KEY_MISSING


ROUNDED, EXACT = "9810200456781230", "9810200456781231"


@pytest.mark.parametrize("keep", [None, "first", "last"])
@pytest.mark.parametrize("second", [("Bo", 1), ("Ada", 2)])
def test_a_rounded_number_of_different_animals_is_no_key(
    keep: str | None, second: tuple[str, int]
) -> None:
    """A spreadsheet made one number of several; ``keep`` would drop all animals but one."""
    rows = [row(1, "Ada", key=ROUNDED), row(2, *second, key=ROUNDED)]
    problem = choose_row(rows, keep)
    assert isinstance(problem, RowProblem) and problem.code == KEY_MISSING
    assert ROUNDED in problem.message and "text" in problem.hint


@pytest.mark.parametrize("key", [ROUNDED, EXACT])
def test_a_number_that_was_not_rounded_is_a_key(key: str) -> None:
    """In rows of one content, or with other digits after the fifteenth."""
    rows = [row(1, "Ada", key=key), row(2, "Ada", key=key)]
    assert choose_row(rows, "last") is rows[0]
    changed = [row(1, "Ada", key=EXACT), row(2, "Ada", 2, key=EXACT)]
    assert choose_row(changed, "last") is changed[1]


def test_two_lists_in_one_file_need_fixing() -> None:
    """Where many keys have two names, all these rows need fixing, whatever ``keep`` says."""
    groups = [
        [row(n, f"Pet {n}", key=f"K{n}"), row(n + 50, f"Other {n}", key=f"K{n}")] for n in range(4)
    ]
    result = choose_rows(groups, "last")
    assert len(result.problems) == 8 and not result.same_as
    assert choose_rows(groups, "last", may_rename=True).same_as == {n: n + 50 for n in range(4)}


def test_a_key_of_many_rows_takes_no_longer_for_each() -> None:
    """The rows of one key are compared in one pass."""
    rows = [row(n, f"Pet {n}", n % 2, key="A") for n in range(20_000)]
    started = time.process_time()
    assert chosen(*rows) == KEY_REPEATED
    assert time.process_time() - started < 1
