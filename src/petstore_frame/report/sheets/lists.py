"""Rows under a header, the same on every sheet, and the one rule for ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from petstore_frame.files import styles
from petstore_frame.files.book import Sheet
from petstore_frame.report import look

ID_RULE = (
    "Ids of up to 15 digits are numbers. Longer ones are text, because Excel keeps 15 digits of "
    'a number: look one up as text, =XLOOKUP("9007199254740993", ...).'
)


class ListColumn(NamedTuple):
    """A column of a list.

    Attributes:
        name: What stands above it.
        holds: ``text``, ``number``, ``count`` (a StatusCount) or ``id``.
    """

    name: str
    holds: Literal["text", "number", "count", "id"] = "text"

    @property
    def is_right(self) -> bool:
        """Whether its cells stand at the right, so that a text beside them needs a gap."""
        return self.holds in ("number", "count")


def write_list(
    sheet: Sheet,
    row: int,
    columns: Sequence[ListColumn],
    rows: Iterable[Sequence[Any]],
    *,
    title: str = "",
    has_filter: bool = False,
) -> int:
    """Write a header and rows from the second column on, and return the row after the last."""
    head, indents = row, [0, *(int(column.is_right) for column in columns[:-1])]
    if title:
        sheet.text(head - 1, 1, title, **styles.SECTION)
    for col, (column, indent) in enumerate(zip(columns, indents, strict=True), start=1):
        place = styles.RIGHT if column.is_right else {"indent": indent}
        sheet.text(head, col, column.name, **styles.HEAD, **place)
    for values in rows:
        row += 1
        for col, (column, value) in enumerate(zip(columns, values, strict=True), start=1):
            _put(sheet, row, col, column, value, indents[col - 1])
    if has_filter:
        sheet.do("autofilter", head, 1, row, len(columns))
    return row + 1


def _put(sheet: Sheet, row: int, col: int, column: ListColumn, value: Any, indent: int) -> None:
    if value is None:
        sheet.blank(row, col, **styles.BODY)
    elif column.holds == "id":
        sheet.whole(row, col, value, **styles.BODY)
    elif column.holds == "number":
        sheet.number(row, col, value, **styles.BODY, num_format=styles.COUNT)
    elif column.holds == "count":
        look.put_count(sheet, row, col, value, styles.BODY)
    else:
        sheet.text(row, col, value, **styles.BODY, num_format=styles.TEXT, indent=indent)
