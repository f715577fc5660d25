"""Lays out sheets: number formats, titles, lists of rows, and print settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from petstore_frame.inventory import StatusCount
from petstore_frame.report.report_content import Content
from petstore_frame.storage import Book, Sheet, styles


def count_format(count: StatusCount, *, zero: str = "0") -> str:
    """Return the number format of a count, with a sign if the count is not exact."""
    if count.is_exact:
        return f'#,##0;-#,##0;"{zero}"'
    return styles.AT_LEAST if count.bound == "at_least" else styles.ABOUT


def begin(book: Book, name: str, line: str, widths: Sequence[float], *, title: str = "") -> Sheet:
    """Add a sheet with a title, a muted line below it, and the widths of its columns."""
    sheet = book.sheet(name)
    sheet.height(0, 9)
    sheet.cell(1, 1, title or name, **styles.TITLE)
    sheet.height(1, styles.TITLE_POINTS)
    sheet.cell(2, 1, line, **styles.QUIET)
    for col, width in enumerate(widths):
        sheet.width(col, width)
    return sheet


def write_list(sheet: Sheet, head: int, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write headings and rows from the second column; return the next free row."""
    row = head
    for col, name in enumerate(names, 1):
        sheet.cell(head, col, name, **styles.HEAD)
    for row, values in enumerate(rows, head + 1):
        for col, value in enumerate(values, 1):
            if isinstance(value, StatusCount):
                style = {"num_format": count_format(value), "align": "left"}
                sheet.cell(row, col, value.count, **styles.BODY, **style)
            else:
                style = {"num_format": styles.TEXT} if isinstance(value, str) else styles.ID
                sheet.cell(row, col, value, **styles.BODY, **style)
    return row + 1


def finish(
    sheet: Sheet,
    content: Content,
    *,
    is_single_page: bool = False,
    head: int | None = None,
    has_gridlines: bool = False,
) -> None:
    """Write the cells, and set up printing: a header with the verdict, a footer with page numbers.

    Args:
        sheet: The sheet.
        content: What the report shows.
        is_single_page: Whether the sheet is printed on one page.
        head: The row of headings to print on each page.
        has_gridlines: Whether the screen shows gridlines.
    """
    sheet.finish()
    sheet.raw.hide_gridlines(1 if has_gridlines else 2)  # 1: on the screen only
    sheet.print_on_a4(
        warning=content.print_warning,
        source=content.store[:80],
        as_of=content.as_of,
        is_single_page=is_single_page,
        repeat_row=head,
    )
