"""How the workbook looks: number formats, titles, lists of rows, print set-up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from petstore_frame.files import Book, Sheet, styles
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import minute_text, palette
from petstore_frame.report.content import Content

PRINTED_ROWS = 500  # of a list: all rows of a large store would be hundreds of pages
ID_RULE = (
    "Ids of up to 15 digits are numbers. Longer ones are text, because Excel keeps 15 digits of "
    'a number: look one up as text, =XLOOKUP("9007199254740993", ...).'
)


def count_format(count: StatusCount, *, zero: str = "0") -> str:
    """Return the number format of a count: a minimum shows itself as one."""
    if count.is_exact:
        return f'#,##0;-#,##0;"{zero}"'
    return styles.AT_LEAST if count.is_least else styles.ABOUT


def chip_of(colour: str) -> dict[str, Any]:
    """Return the cell of a status: its colour made light enough to read on."""
    return {"bg_color": palette.tint(colour, 0.22)}


def headline(content: Content) -> str:
    """Return what the first lines say the rows cover."""
    text = content.sentence[:1].upper() + content.sentence[1:] + "."
    total = content.counts.total
    if total.kind == "at least":
        text += " Counts marked ≥ are minimums: the store may hold more."
    elif total.kind == "about":
        text += " Counts marked ≈ are no minimums: pets left the store while it was read."
    if content.completeness.contradictions:
        text += f" Contradictions met: {len(content.completeness.contradictions)}."
    return text


def caveat(content: Content) -> str:
    """Return what follows a statement about the pets read, unless they are all asked for."""
    return "" if content.counts.total.is_exact else " (of the pets read)"


def as_of_words(as_of: datetime | None) -> str:
    """Return when the store was read: the same words wherever the file is written."""
    return "Data as of: not recorded" if as_of is None else f"Data as of {minute_text(as_of)}"


def begin(book: Book, name: str, line: str, widths: Sequence[float], *, title: str = "") -> Sheet:
    """Add a sheet with its title, a quiet line below it, and the widths of its columns."""
    sheet = book.sheet(name)
    sheet.height(0, 9)
    sheet.cell(1, 1, title or name, **styles.TITLE)
    sheet.height(1, styles.TITLE_POINTS)
    sheet.cell(2, 1, line, **styles.QUIET)
    for col, width in enumerate(widths):
        sheet.do("set_column", col, col, width)
    return sheet


def write_list(
    sheet: Sheet,
    row: int,
    columns: Mapping[str, str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str = "",
    has_filter: bool = False,
) -> int:
    """Write a header and rows from the second column on, and return the row after the last.

    ``columns`` are names, each with what it holds: text, number, count (a StatusCount) or id.
    """
    head = row
    is_right = [holds in ("number", "count") for holds in columns.values()]
    indents = [0, *map(int, is_right)]  # a text beside a number at the right needs a gap
    if title:
        sheet.cell(head - 1, 1, title, **styles.SECTION)
    for at, name in enumerate(columns):
        place = styles.RIGHT if is_right[at] else {"indent": indents[at]}
        sheet.cell(head, at + 1, name, **styles.HEAD, **place)
    looks = {"id": styles.ID, "number": {"num_format": styles.COUNT}}
    for values in rows:
        row += 1
        for at, (holds, value) in enumerate(zip(columns.values(), values, strict=True)):
            if isinstance(value, StatusCount):
                look = {"num_format": count_format(value)}
                sheet.cell(row, at + 1, value.count, **styles.BODY, **look)
            else:
                text = {"num_format": styles.TEXT, "indent": indents[at]}
                sheet.cell(row, at + 1, value, **styles.BODY, **looks.get(holds, text))
    if has_filter:
        sheet.do("autofilter", head, 1, row, len(columns))
    return row + 1


def finish(
    sheet: Sheet,
    content: Content,
    *,
    pages_high: int = 0,
    head: int | None = None,
    listed: tuple[int, int] = (0, 0),
    has_gridlines: bool = False,
) -> None:
    """Write the cells, and set up print: A4, the verdict above and the page number below.

    ``head`` is the row that each page repeats, ``listed`` the number of rows below it and their
    last column. Of a long list the first rows are printed, and each page says so.
    """
    sheet.finish()
    printed, (rows, last_col) = "", listed
    if head is not None and rows > PRINTED_ROWS:
        sheet.do("print_area", 0, 0, head + PRINTED_ROWS, last_col)
        printed = f": {PRINTED_ROWS:,} of {rows:,} rows; clear the print area for all"
    sheet.raw.hide_gridlines(1 if has_gridlines else 2)  # 1: on the screen only
    badge = palette.verdict_badge(content.completeness.verdict)
    read = f"{badge.word}: {len(content.frame):,} pets read"
    sheet.print_on_a4(
        f"{sheet.name}{printed}",
        warning="" if content.completeness.covers_all else read,
        source=content.base_url[:80],
        as_of=as_of_words(content.as_of),
        pages_high=pages_high,
        repeat_row=head,
    )
