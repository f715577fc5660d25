"""All statuses, one row each."""

from __future__ import annotations

from typing import Any

from petstore_frame.counts.words import exactness
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.html.palette import status_word
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.facts import Facts
from petstore_frame.report.sheets.charts import status_chart

_HEAD_ROW = 4


def write_by_status(book: Book, content: Content) -> None:
    """Add the sheet."""
    facts = content.facts
    sheet = book.sheet("By status", "Counts, and shares, of each status.")
    look.put_title(sheet, "By status", "A pet without a status is counted as such, never guessed")
    for first, last, width in ((0, 0, 2), (1, 1, 18), (2, 5, 13), (6, 6, 30)):
        sheet.do("set_column", first, last, width)
    _table(sheet, facts)
    if len(facts.frame):
        chart = status_chart(book, sheet.name, facts, _HEAD_ROW + 1)
        chart.set_size({"width": 640, "height": 130 + 36 * len(facts.statuses)})
        alt = {"description": "Pets by status: the numbers of the table above."}
        sheet.do("insert_chart", _HEAD_ROW + len(facts.statuses) + 3, 1, chart, alt)
    look.finish(sheet, facts, pages_high=1)


def _table(sheet: Sheet, facts: Facts) -> None:
    sheet.text(_HEAD_ROW, 1, "Status", **look.HEAD, indent=1)
    for col, header in enumerate(("Pets", "Share", "Categories", "Count is"), start=2):
        sheet.text(_HEAD_ROW, col, header, **look.HEAD, **look.RIGHT)
    sheet.text(_HEAD_ROW, 6, "Most in", **look.HEAD, indent=2)
    counts, total = facts.counts, _HEAD_ROW + 1 + len(facts.statuses)
    for row, status in enumerate(facts.statuses, start=_HEAD_ROW + 1):
        count = counts.by_status[status]
        column = counts.cells[:, facts.statuses.index(status)]
        categories = counts.count_categories(column > 0, is_exact=count.is_exact)
        most = counts.labels[int(column.argmax())] if count.count else "–"
        most += look.reserve(is_exact=count.is_exact)
        chip = look.chip_of(facts.colours[status])
        sheet.text(row, 1, status_word(status), **look.BODY, **chip, indent=1)
        _count(sheet, row, 2, count, look.BODY)
        _line(sheet, facts, row, count, categories, total, look.BODY)
        sheet.text(row, 6, most, **look.BODY, indent=2)
    sheet.text(total, 1, "All statuses", **look.TOTAL, indent=1)
    formula = f"=SUM({cell_name(_HEAD_ROW + 1, 2)}:{cell_name(total - 1, 2)})"
    number = look.count_format(is_exact=counts.is_exact, zero="0")
    sheet.formula(total, 2, formula, counts.total.count, **look.TOTAL, num_format=number)
    _line(sheet, facts, total, counts.total, counts.categories, total, look.TOTAL)
    sheet.blank(total, 6, **look.TOTAL)


def _line(
    sheet: Sheet,
    facts: Facts,
    row: int,
    count: StatusCount,
    categories: StatusCount,
    total: int,
    style: dict[str, Any],
) -> None:
    """Write the share, the number of categories, and whether the count is exact."""
    if facts.covers_all and len(facts.frame):
        formula = f"={cell_name(row, 2)}/{cell_name(total, 2, is_fixed=True)}"
        share = count.count / len(facts.frame)
        sheet.formula(row, 3, formula, share, **style, num_format=look.SHARE)
    else:
        sheet.text(row, 3, "–" if facts.covers_all else "not known", **style, **look.RIGHT)
    _count(sheet, row, 4, categories, style)
    sheet.text(row, 5, exactness(count), **style, **look.RIGHT)


def _count(sheet: Sheet, row: int, col: int, count: StatusCount, style: dict[str, Any]) -> None:
    number = look.count_format(is_exact=count.is_exact, zero="0")
    sheet.number(row, col, count.count, **style, num_format=number)
