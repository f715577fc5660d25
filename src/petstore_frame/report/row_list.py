"""Rows of texts and numbers under a header, the same on every sheet.

In: a header and rows. Out: cells. Text is text whatever it begins with; a missing value is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from petstore_frame.files.book import Sheet
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look


def write_list(
    sheet: Sheet, row: int, header: Sequence[str], rows: Iterable[Sequence[Any]], *, col: int = 1
) -> int:
    """Write a header and rows from a cell on.

    Args:
        sheet: Where to.
        row: Row of the header.
        header: The texts above the columns.
        rows: Numbers (int), counts (StatusCount) and texts; None is empty.
        col: First column.

    Returns:
        The row after the last.
    """
    rows = list(rows)
    first = rows[0] if rows else [None] * len(header)
    is_number = [isinstance(cell, (int, StatusCount)) for cell in first]
    # A text right of a number would touch it.
    indents = [int(at > 0 and is_number[at - 1]) for at in range(len(header))]
    for at, word in enumerate(header):
        place = {"align": "right"} if is_number[at] else {"indent": indents[at]}
        sheet.text(row, col + at, word, **look.HEAD, **place)
    for cells in rows:
        row += 1
        for at, cell in enumerate(cells):
            if isinstance(cell, int):
                sheet.number(row, col + at, cell, **look.BODY, num_format="#,##0")
            elif isinstance(cell, StatusCount):
                number = look.count_format(is_exact=cell.is_exact, zero="0")
                sheet.number(row, col + at, cell.count, **look.BODY, num_format=number)
            else:
                style = {**look.BODY, "num_format": "@", "indent": indents[at]}
                sheet.text(row, col + at, cell or "", **style)
    return row + 1
