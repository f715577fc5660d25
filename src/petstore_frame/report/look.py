"""How the workbook looks: number formats, styles of cells, print set-up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet, plain_mark
from petstore_frame.html.palette import Badge, tint
from petstore_frame.inventory import StatusCount
from petstore_frame.inventory.completeness_view import completeness_badge
from petstore_frame.report.content import Content
from petstore_frame.schema.text import minute_text

PORTRAIT_WIDTH = 105.0  # characters across A4 upright, almost at full size
PRINTED_ROWS = 500  # of a list: all rows of a large store would be hundreds of pages


def count_format(*, is_exact: bool, zero: str = "–") -> str:
    """Return the number format of a count: a minimum shows itself as one."""
    return f'#,##0;-#,##0;"{zero}"' if is_exact else styles.AT_LEAST


def badge_of(content: Content) -> Badge:
    """Return how the verdict looks."""
    return completeness_badge(content.completeness)


def chip_of(colour: str) -> dict[str, Any]:
    """Return the cell of a status: its colour made light enough to read on."""
    return {"bg_color": tint(colour, 0.22)}


def headline(content: Content) -> str:
    """Return what the first lines say the rows cover."""
    sentence = content.sentence
    text = sentence[:1].upper() + sentence[1:] + "."
    if not content.covers_all:
        text += " Counts marked ≥ are minimums: the store may hold more."
    if content.completeness.contradictions:
        text += f" Contradictions met: {len(content.completeness.contradictions)}."
    return text


def reserve(*, is_exact: bool) -> str:
    """Return the caveat that follows a statement about the pets read, unless they are all."""
    return "" if is_exact else " (of the pets read)"


def as_of_words(as_of: datetime | None) -> str:
    """Return when the store was read: the same words wherever the file is written."""
    return "Data as of: not recorded" if as_of is None else f"Data as of {minute_text(as_of)}"


def label_width(content: Content) -> float:
    """Return a column's width that fits the categories' names."""
    longest = max(map(len, content.counts.labels), default=0)
    return min(max(20, longest + 3), 50)


def put_count(sheet: Sheet, row: int, col: int, count: StatusCount, style: dict[str, Any]) -> None:
    """Put a count, a minimum as one."""
    number = count_format(is_exact=count.is_exact, zero="0")
    sheet.number(row, col, count.count, **style, num_format=number)


def begin(
    book: Book, name: str, holds: str, line: str, widths: Sequence[float], *, title: str = ""
) -> Sheet:
    """Add a sheet with its title, a quiet line below it, and the widths of its columns."""
    sheet = book.sheet(name, holds)
    sheet.height(0, 9)
    sheet.text(1, 1, title or name, **styles.TITLE)
    sheet.height(1, styles.TITLE_POINTS)
    sheet.text(2, 1, line, **styles.QUIET)
    for col, width in enumerate(widths):
        sheet.do("set_column", col, col, width)
    return sheet


def print_first(sheet: Sheet, head: int, rows: int, last_col: int) -> str:
    """Print only the first rows of a long list; return the text that each page then has."""
    if rows <= PRINTED_ROWS:
        return ""
    sheet.do("print_area", 0, 0, head + PRINTED_ROWS, last_col)
    return f": {PRINTED_ROWS:,} of {rows:,} rows; clear the print area for all"


def finish(
    sheet: Sheet,
    content: Content,
    *,
    pages_high: int = 0,
    repeat_row: int | None = None,
    is_portrait: bool = False,
    has_gridlines: bool = False,
    printed: str = "",
) -> None:
    """Write the cells, and set up print: A4, the verdict above and the page number below.

    Where only a part is printed, ``printed`` says so above each page.
    """
    sheet.finish()
    sheet.raw.hide_gridlines(1 if has_gridlines else 2)  # 1: on the screen only
    read = f"{badge_of(content).word}: {len(content.frame):,} pets read"
    verdict = "" if content.covers_all else f"&R&B{plain_mark(read)}"
    store = plain_mark((content.base_url or "")[:80])
    sheet.print_on_a4(
        header=f"&L{plain_mark(sheet.name)}{printed}{verdict}",
        footer=f"&L{store}&CPage &P of &N&R{plain_mark(as_of_words(content.as_of))}",
        pages_high=pages_high,
        repeat_row=repeat_row,
        is_portrait=is_portrait,
    )
