"""Selects one row for each key that several rows of a file have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.matching.values import Plan, Row
from petstore_frame.loader.row_state import RowProblem
from petstore_frame.schema import line_text
from petstore_frame.schema.text import short_text

KEY_REPEATED, ORDER_UNREADABLE = "key_repeated", "order_unreadable"
OTHER_ANIMALS = "each seems to be another animal; add a key column, such as the shelter"
_UNREADABLE = "?"  # before a value of ``order_by`` that cannot be read


class Keep(NamedTuple):
    """Which row of a key counts."""

    position: str | None = None  # "first" or "last"; None leaves it to the user
    order_by: str | None = None  # the column whose values order the rows; None for the file's order


def select_rows(rows: Sequence[Row], keep: Keep, plan: Plan) -> None:
    """Select one row of each key that several rows have, or report that a person must decide.

    If an animal was sent for one of the rows, the others are compared with that animal instead.
    """
    groups = defaultdict[str, list[Row]](list)
    for row in rows:
        if row.key is not None and not row.is_unranked:
            groups[row.key].append(row)
    for group in groups.values():
        if len(group) < 2:
            continue
        selected = select_row(group, keep)
        if isinstance(selected, RowProblem):
            plan.conflicts |= {row.number: selected for row in group}
        else:
            same = {row.number: selected.number for row in group if row is not selected}
            plan.same_as |= same


def select_row(rows: Sequence[Row], keep: Keep) -> Row | RowProblem:
    """Select the row that counts among all rows of a key, or return why none can be selected.

    Excluded rows take part: if the selected row is excluded, the animal is not sent.
    """
    if _send_the_same(rows):
        return rows[0]
    if len(_names(rows)) > 1 and len(_categories(rows)) > 1:
        return differ(rows, OTHER_ANIMALS)
    if keep.position is None:
        return differ(rows, "keep one, or choose which one counts", ("keep", "?"))
    if any(row.order_value is not None for row in rows):
        return _select_by_order(rows, keep)
    return rows[0] if keep.position == "first" else rows[-1]


def _select_by_order(rows: Sequence[Row], keep: Keep) -> Row | RowProblem:
    """Select the first or last row by the values of the column of ``order_by``."""
    for row in rows:
        if row.order_value and row.order_value.startswith(_UNREADABLE):
            return _unreadable(row, keep.order_by)
    if not all(row.order_value for row in rows):
        return differ(rows, "at least one has no value to order by; keep one")
    values = [row.order_value or "" for row in rows]
    selected_value = min(values) if keep.position == "first" else max(values)
    selected = [row for row in rows if row.order_value == selected_value]
    if _send_the_same(selected):
        return selected[0]
    return differ(rows, f"several rows have the same {keep.order_by}; keep one")


def _unreadable(row: Row, order_by: str | None) -> RowProblem:
    """Return the problem of rows of which one has a value of ``order_by`` that cannot be read."""
    text = (row.order_value or "").removeprefix(_UNREADABLE)
    hint = "write it as 2026-03-31 or as a number, or keep one of the rows"
    message = (
        f"the rows of this animal differ, and the value of order_by in line {row.line}, "
        f"{short_text(text)}, cannot be read as a date or a number"
    )
    return RowProblem(ORDER_UNREADABLE, message, column=order_by, value=text, hint=hint)


def differ(rows: Sequence[Row], hint: str, add: tuple[str, str] | None = None) -> RowProblem:
    """Return the problem of rows that have the same key and differ, with their lines."""
    lines = line_text(row.line for row in rows)
    return RowProblem(
        KEY_REPEATED, "the rows of this animal differ", hint=f"{lines}: {hint}", add=add
    )


def _send_the_same(rows: Sequence[Row]) -> bool:
    """Return whether the rows are interchangeable: all are excluded, or all send the same."""
    if all(row.is_excluded for row in rows):
        return True
    return len({(row.is_excluded, row.sends) for row in rows}) == 1


def _names(rows: Sequence[Row]) -> set[str]:
    """Return the names of rows, without names from ``defaults``."""
    return {name_in(row.content) for row in rows if row.content and not row.has_default_name}


def _categories(rows: Sequence[Row]) -> set[str]:
    categories = {category_in(row.content) for row in rows if row.content}
    return categories - {""}  # one that cannot be read
