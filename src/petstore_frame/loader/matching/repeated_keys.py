"""Which row of a file stands for the rows that have one key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from petstore_frame.loader.matching.not_keys import is_missing_marker
from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import Row
from petstore_frame.loader.row_state import RowProblem, short_text
from petstore_frame.schema import category_in, name_in

KEY_REPEATED, KEY_MISSING = "key_repeated", "key_missing"
# A row with one of these problems may get another key when it is fixed.
KEY_PROBLEMS = frozenset({KEY_REPEATED, KEY_MISSING})
OTHER_ANIMALS = (
    "each of {lines} seems to be another animal: a further key column, such as the shelter, would "
    "help"
)
_MAX_LINES = 5
_UNREADABLE = "?"  # before a value of ``order_by`` that cannot be read


class RepeatedKeys(NamedTuple):
    """Rows that another row stands for, and rows that need fixing."""

    same_as: dict[int, int]
    problems: dict[int, RowProblem]


def choose_rows(
    groups: Iterable[Sequence[Row]], keep: str | None, *, may_rename: bool = False
) -> RepeatedKeys:
    """Choose one row of each key that several rows have.

    If many keys have rows with different names, two lists were put into one file, and all these
    rows need fixing; ``may_rename`` says that it is not so.
    """
    same_as: dict[int, int] = {}
    problems: dict[int, RowProblem] = {}
    renamed: list[Sequence[Row]] = []
    repeated = 0
    for rows in groups:
        repeated += 1
        if len(_names(rows)) > 1:
            renamed.append(rows)
        chosen = choose_row(rows, keep)
        if isinstance(chosen, RowProblem):
            problems |= {row.number: chosen for row in rows}
        else:
            same_as |= {row.number: chosen.number for row in rows if row is not chosen}
    if is_many(len(renamed), repeated) and len(renamed) > 1 and not may_rename:
        for rows in renamed:
            problem = differ(rows, OTHER_ANIMALS)
            problems |= {row.number: problems.get(row.number, problem) for row in rows}
    to_fix = problems.keys()
    same_as = {row: chosen for row, chosen in same_as.items() if row not in to_fix}
    return RepeatedKeys(same_as, problems)


def choose_row(rows: Sequence[Row], keep: str | None) -> Row | RowProblem:
    """Return the row that stands for all rows of a key, or why none does.

    The rows are ranked before any is excluded: if the chosen row is excluded, the animal is.
    """
    problem = _key_problem(rows)
    if problem is not None:
        return problem
    if _send_the_same(rows):
        return rows[0]
    if len(_names(rows)) > 1 and len(_categories(rows)) > 1:
        return differ(rows, OTHER_ANIMALS)
    if keep is None:
        return differ(rows, "leave one of {lines}, or say which one counts", ("keep", "?"))
    if any(row.order_value is not None for row in rows):
        return _choose_by_order(rows, keep)
    return rows[0] if keep == "first" else rows[-1]


def _key_problem(rows: Sequence[Row]) -> RowProblem | None:
    """Return why the key of several rows is no key."""
    key = key_texts(rows[0].key)
    value = " ".join(key)
    if len(rows) < 2:
        return None
    if is_missing_marker(key):
        message = f"{value!r} is in several rows, so it is no key"
        return RowProblem(KEY_MISSING, message, value=value, hint=fill_in_hint(key))
    if "" in key:
        message = "a part of the key is empty, and the rest names several rows"
        return RowProblem(KEY_MISSING, message, value=value, hint="fill it in")
    return None


def _choose_by_order(rows: Sequence[Row], keep: str) -> Row | RowProblem:
    """Return the first or last row by the values of a column."""
    for row in rows:
        if row.order_value and row.order_value.startswith(_UNREADABLE):
            return _unreadable(row, rows)
    if not all(row.order_value for row in rows):
        return differ(rows, "at least one of {lines} has no value to order by; leave one")
    values = [row.order_value or "" for row in rows]
    chosen_value = min(values) if keep == "first" else max(values)
    chosen = [row for row in rows if row.order_value == chosen_value]
    if _send_the_same(chosen):
        return chosen[0]
    return differ(rows, f"it is not clear which of {{lines}} is the {keep}; leave one")


def _unreadable(row: Row, rows: Sequence[Row]) -> RowProblem:
    """Return the problem of rows of which one has a value of ``order_by`` that cannot be read."""
    text = short_text((row.order_value or "").removeprefix(_UNREADABLE))
    problem = differ(rows, "write it as 2026-03-31 or as a number, or leave one of {lines}")
    message = (
        f"rows of this key differ, and the value to order them by in line {row.line}, {text}, "
        "cannot be read as a date or a number"
    )
    return replace(problem, message=message)


def key_texts(key: str | None) -> tuple[str, ...]:
    """Return the texts of a key as it is stored."""
    return () if key is None else tuple(json.loads(key))


def fill_in_hint(key: Sequence[str]) -> str:
    """Return what to do about a text that stands for no key."""
    text = " ".join(key)
    return f"fill in the animal's own; for {text!r} in all rows, map the word to an empty key"


def differ(rows: Sequence[Row], hint: str, add: tuple[str, str] | None = None) -> RowProblem:
    """Return the problem of rows of one key that differ; ``{lines}`` in the hint are theirs."""
    lines = ", ".join(str(row.line) for row in rows[:_MAX_LINES])
    if len(rows) > _MAX_LINES:
        lines += ", …"
    text = hint.replace("{lines}", f"lines {lines}")
    return RowProblem(KEY_REPEATED, "rows of this key differ", hint=text, add=add)


def _send_the_same(rows: Sequence[Row]) -> bool:
    """Return whether it makes no difference which of the rows stands: none is sent, or the same."""
    if all(row.is_excluded for row in rows):
        return True
    return len({(row.is_excluded, row.sends) for row in rows}) == 1


def _names(rows: Sequence[Row]) -> set[str]:
    """Return the names of rows; one from ``defaults`` is none."""
    return {name_in(row.content) for row in rows if row.content and not row.has_default_name}


def _categories(rows: Sequence[Row]) -> set[str]:
    return {category_in(row.content) for row in rows if row.content}
