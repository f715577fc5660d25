"""Selects one row for each key that several rows of a file have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.matching.not_keys import is_missing_key, may_be_rounded
from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import Row
from petstore_frame.loader.row_state import RowProblem
from petstore_frame.schema import line_text
from petstore_frame.schema.text import short_text

KEY_REPEATED, KEY_MISSING = "key_repeated", "key_missing"
ORDER_UNREADABLE = "order_unreadable"
# A row with one of these problems may get another key when the user corrects it.
KEY_PROBLEMS = frozenset({KEY_REPEATED, KEY_MISSING, ORDER_UNREADABLE})
OTHER_ANIMALS = "each seems to be another animal; add a key column, such as the shelter"
NOT_A_KEY_HINT = "enter the animal's own key in the file, or exclude its line"
ROUNDED_HINT = (
    "enter the complete number, in a column that is formatted as text; if the rows are one animal, "
    "leave one of them"
)
_UNREADABLE = "?"  # before a value of ``order_by`` that cannot be read


class RepeatedKeys(NamedTuple):
    """Rows that are replaced by the selected row of their key, and rows that need fixing."""

    same_as: dict[int, int]  # row to selected row
    problems: dict[int, RowProblem]


def choose_rows(
    groups: Iterable[Sequence[Row]],
    keep: str | None,
    order_by: str | None = None,
    *,
    may_rename: bool = False,
) -> RepeatedKeys:
    """Select one row of each group of rows with the same key.

    If the names differ within many groups, two lists were probably merged into one file, so all
    these rows need fixing. ``may_rename`` turns this check off. ``order_by`` is the column of the
    values that order the rows.
    """
    same_as: dict[int, int] = {}
    problems: dict[int, RowProblem] = {}
    renamed: list[Sequence[Row]] = []
    repeated = 0
    for rows in groups:
        repeated += 1
        if len(_names(rows)) > 1:
            renamed.append(rows)
        chosen = choose_row(rows, keep, order_by)
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


def choose_row(
    rows: Sequence[Row], keep: str | None, order_by: str | None = None
) -> Row | RowProblem:
    """Select the row that counts among all rows of a key, or return why none can be selected.

    Excluded rows take part: if the selected row is excluded, the animal is not sent.
    """
    problem = _key_problem(rows)
    if problem is not None:
        return problem
    if _send_the_same(rows):
        return rows[0]
    if len(_names(rows)) > 1 and len(_categories(rows)) > 1:
        return differ(rows, OTHER_ANIMALS)
    if keep is None:
        return differ(rows, "leave one, or choose which one counts", ("keep", "?"))
    if any(row.order_value is not None for row in rows):
        return _choose_by_order(rows, keep, order_by)
    return rows[0] if keep == "first" else rows[-1]


def _key_problem(rows: Sequence[Row]) -> RowProblem | None:
    """Return why a text in several rows is not a key; None if it may be one."""
    key = key_texts(rows[0].key)
    value = " ".join(key)
    if len(rows) < 2:
        return None
    if is_missing_key(key):
        message = f"{value!r} is in several rows, so it is not a key"
        return RowProblem(KEY_MISSING, message, value=value, hint=NOT_A_KEY_HINT)
    if "" in key:
        message = "a part of the key is empty, and several rows have the rest"
        return RowProblem(KEY_MISSING, message, value=value, hint="fill it in")
    if may_be_rounded(key) and (len(_names(rows)) > 1 or len(_categories(rows)) > 1):
        message = (
            f"rows of different content have the key {value!r}, and a spreadsheet may have "
            "replaced its last digits with zeros"
        )
        return RowProblem(KEY_MISSING, message, value=value, hint=ROUNDED_HINT)
    return None


def _choose_by_order(rows: Sequence[Row], keep: str, order_by: str | None) -> Row | RowProblem:
    """Select the first or last row by the values of the column of ``order_by``."""
    for row in rows:
        if row.order_value and row.order_value.startswith(_UNREADABLE):
            return _unreadable(row, rows, order_by)
    if not all(row.order_value for row in rows):
        return differ(rows, "at least one has no value to order by; leave one")
    values = [row.order_value or "" for row in rows]
    chosen_value = min(values) if keep == "first" else max(values)
    chosen = [row for row in rows if row.order_value == chosen_value]
    if _send_the_same(chosen):
        return chosen[0]
    return differ(rows, f"it is not clear which is the {keep}; leave one")


def _unreadable(row: Row, rows: Sequence[Row], order_by: str | None) -> RowProblem:
    """Return the problem of rows of which one has a value of ``order_by`` that cannot be read."""
    text = (row.order_value or "").removeprefix(_UNREADABLE)
    hint = "write it as 2026-03-31 or as a number, or leave one of the rows"
    message = (
        f"rows of this key differ, and the value of order_by in line {row.line}, "
        f"{short_text(text)}, cannot be read as a date or a number"
    )
    return RowProblem(ORDER_UNREADABLE, message, column=order_by, value=text, hint=hint)


def key_texts(key: str | None) -> tuple[str, ...]:
    """Decode a stored key."""
    return () if key is None else tuple(json.loads(key))


def differ(rows: Sequence[Row], hint: str, add: tuple[str, str] | None = None) -> RowProblem:
    """Return the problem of rows that have the same key and differ, with their lines."""
    lines = line_text(row.line for row in rows)
    return RowProblem(KEY_REPEATED, "rows of this key differ", hint=f"{lines}: {hint}", add=add)


def _send_the_same(rows: Sequence[Row]) -> bool:
    """Return whether the rows are interchangeable: all are excluded, or all send the same."""
    if all(row.is_excluded for row in rows):
        return True
    return len({(row.is_excluded, row.sends) for row in rows}) == 1


def _names(rows: Sequence[Row]) -> set[str]:
    """Return the names of rows, without names from ``defaults``."""
    return {name_in(row.content) for row in rows if row.content and not row.has_default_name}


def _categories(rows: Sequence[Row]) -> set[str]:
    return {category_in(row.content) for row in rows if row.content}
