"""All categories, one row each, largest first."""

from __future__ import annotations

from petstore_frame.counts.tally import categories_in_words
from petstore_frame.files.book import Book
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.charts import category_chart
from petstore_frame.report.sheets.counts import CountCells

_HEAD_ROW = 4
_CHART_PIXELS = 400  # beside the table: a wider chart makes both small in print


def write_by_category(book: Book, content: Content) -> None:
    """Add the sheet."""
    has_ids = bool(content.labels)
    holds = "Counts by status, and shares, of each category read."
    line = f"{categories_in_words(content.counts)}, largest first"
    widths = [2, *[14] * has_ids, look.label_width(content), *[12] * (len(content.statuses) + 1), 9]
    sheet = look.begin(book, "By category", holds, line, widths)
    cells = CountCells(sheet, content, _HEAD_ROW, name=1 + has_ids, has_ids=has_ids)
    if len(content.frame):
        cells.write()
        sheet.do("ignore_errors", {"number_stored_as_text": f"B1:C{cells.total + 1}"})
        sheet.do("autofilter", cells.head, 1, cells.total - 1, cells.last_column)
        chart = category_chart(book, cells, is_share=True)
        chart.set_size({"width": _CHART_PIXELS, "height": 480})
        alt = {"description": "The mix of statuses within each category, from the table beside it."}
        sheet.do("set_column", cells.last_column + 1, cells.last_column + 1, 2)
        sheet.do("insert_chart", _HEAD_ROW, cells.last_column + 2, chart, alt)
    sheet.raw.freeze_panes(_HEAD_ROW + 1, cells.name + 1)
    look.finish(sheet, content, repeat_row=_HEAD_ROW)
