"""All statuses, one row each."""

from __future__ import annotations

from typing import Any

from petstore_frame.counts.tally import exactness
from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.html.palette import status_word
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.charts import status_chart

_HEAD_ROW = 4


def write_by_status(book: Book, content: Content) -> None:
    """Add the sheet."""
    line = "A pet without a status is counted as such, never guessed"
    holds = "Counts, and shares, of each status."
    sheet = look.begin(book, "By status", holds, line, (2, 18, 13, 13, 13, 13, 30))
    _table(sheet, content)
    if len(content.frame):
        chart = status_chart(book, sheet.name, content, _HEAD_ROW + 1)
        chart.set_size({"width": 640, "height": 130 + 36 * len(content.statuses)})
        alt = {"description": "Pets by status: the numbers of the table above."}
        sheet.do("insert_chart", _HEAD_ROW + len(content.statuses) + 3, 1, chart, alt)
    look.finish(sheet, content, pages_high=1)


def _table(sheet: Sheet, content: Content) -> None:
    sheet.text(_HEAD_ROW, 1, "Status", **styles.HEAD, indent=1)
    for col, header in enumerate(("Pets", "Share", "Categories", "Count is"), start=2):
        sheet.text(_HEAD_ROW, col, header, **styles.HEAD, **styles.RIGHT)
    sheet.text(_HEAD_ROW, 6, "Most in", **styles.HEAD, indent=2)
    counts, total = content.counts, _HEAD_ROW + 1 + len(content.statuses)

    def line(row: int, count: StatusCount, categories: StatusCount, style: dict[str, Any]) -> None:
        """Write the share, the number of categories, and whether the count is exact."""
        if content.covers_all and len(content.frame):
            formula = f"={cell_name(row, 2)}/{cell_name(total, 2, is_fixed=True)}"
            share = count.count / len(content.frame)
            sheet.formula(row, 3, formula, share, **style, num_format=styles.SHARE)
        else:
            sheet.text(row, 3, "–" if content.covers_all else "not known", **style, **styles.RIGHT)
        look.put_count(sheet, row, 4, categories, style)
        sheet.text(row, 5, exactness(count), **style, **styles.RIGHT)

    for at, (status, count) in enumerate(counts.by_status.items()):
        row, column = _HEAD_ROW + 1 + at, counts.cells[:, at]
        categories = counts.count_categories(column > 0, is_exact=count.is_exact)
        most = counts.labels[int(column.argmax())] if count.count else "–"
        chip = look.chip_of(content.colours[status])
        sheet.text(row, 1, status_word(status), **styles.BODY, **chip, indent=1)
        look.put_count(sheet, row, 2, count, styles.BODY)
        line(row, count, categories, styles.BODY)
        most += look.reserve(is_exact=count.is_exact)
        sheet.text(row, 6, most, **styles.BODY, indent=2)
    sheet.text(total, 1, "All statuses", **styles.TOTAL, indent=1)
    formula = f"=SUM({cell_name(_HEAD_ROW + 1, 2)}:{cell_name(total - 1, 2)})"
    number = look.count_format(is_exact=counts.is_exact, zero="0")
    sheet.formula(total, 2, formula, counts.total.count, **styles.TOTAL, num_format=number)
    line(total, counts.total, counts.categories, styles.TOTAL)
    sheet.blank(total, 6, **styles.TOTAL)
