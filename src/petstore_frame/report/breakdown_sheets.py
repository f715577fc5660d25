"""All categories, and all statuses, with one row each.

In: Facts. Out: the sheets By category and By status.
"""

from __future__ import annotations

from petstore_frame.counts.words import categories_in_words
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.count_table import CountTable
from petstore_frame.report.facts import Facts
from petstore_frame.report.native_charts import category_chart, status_chart
from petstore_frame.schema.palette import status_word

_HEAD_ROW = 4
_CHART_PIXELS = 400  # beside the table: a wider chart makes both small in print


def write_by_category(book: Book, facts: Facts) -> None:
    """Add a sheet of all categories, largest first."""
    sheet = book.sheet("By category")
    has_ids = bool(facts.labels)
    name = 2 if has_ids else 1
    table = CountTable(sheet, facts, _HEAD_ROW, name=name, has_ids=has_ids)
    look.put_title(sheet, "By category", f"{categories_in_words(facts.counts)}, largest first")
    sheet.do("set_column", 0, 0, 2)
    sheet.do("set_column", 1, table.name, 14)
    sheet.do("set_column", table.name, table.name, look.label_width(facts))
    sheet.do("set_column", table.all_pets, table.share - 1, 12)
    sheet.do("set_column", table.share, table.share, 9)
    if len(facts.frame):
        table.write()
        sheet.do("ignore_errors", {"number_stored_as_text": f"B1:C{table.total + 1}"})
        sheet.do("autofilter", table.head, 1, table.total - 1, _last_column(table))
        chart = category_chart(book, table, is_share=True)
        chart.set_size({"width": _CHART_PIXELS, "height": 480})
        alt = {"description": "The mix of statuses within each category, from the table beside it."}
        sheet.do("set_column", _last_column(table) + 1, _last_column(table) + 1, 2)
        sheet.do("insert_chart", _HEAD_ROW, _last_column(table) + 2, chart, alt)
    sheet.finish()
    sheet.raw.hide_gridlines(2)
    sheet.raw.freeze_panes(_HEAD_ROW + 1, table.name + 1)
    look.set_up_print(sheet, facts, repeat_row=_HEAD_ROW)


def _last_column(table: CountTable) -> int:
    return table.share if table.facts.covers_all else table.share - 1


def write_by_status(book: Book, facts: Facts) -> None:
    """Add a sheet of all statuses."""
    sheet = book.sheet("By status")
    look.put_title(sheet, "By status", "A pet without a status is counted as such, never guessed")
    sheet.do("set_column", 0, 0, 2)
    sheet.do("set_column", 1, 1, 18)
    sheet.do("set_column", 2, 5, 13)
    sheet.do("set_column", 6, 6, 30)
    _status_table(sheet, facts)
    if len(facts.frame):
        chart = status_chart(book, sheet.name, facts, _HEAD_ROW + 1)
        chart.set_size({"width": 640, "height": 130 + 36 * len(facts.statuses)})
        alt = {"description": "Pets by status: the numbers of the table above."}
        sheet.do("insert_chart", _HEAD_ROW + len(facts.statuses) + 3, 1, chart, alt)
    sheet.finish()
    sheet.raw.hide_gridlines(2)
    look.set_up_print(sheet, facts, pages_high=1)


def _status_table(sheet: Sheet, facts: Facts) -> None:
    right = {**look.HEAD, "align": "right"}
    sheet.text(_HEAD_ROW, 1, "Status", **look.HEAD, indent=1)
    headers = ["Pets", "Share", "Categories", "Count is"]
    for col, header in enumerate(headers, start=2):
        sheet.text(_HEAD_ROW, col, header, **right)
    sheet.text(_HEAD_ROW, 6, "Most in", **look.HEAD, indent=2)
    total = _HEAD_ROW + 1 + len(facts.statuses)
    for row, status in enumerate(facts.statuses, start=_HEAD_ROW + 1):
        _status_row(sheet, facts, row, status, total)
    _status_total(sheet, facts, total)


def _status_row(sheet: Sheet, facts: Facts, row: int, status: str, total: int) -> None:
    count = facts.counts.by_status[status]
    column = facts.counts.cells[:, facts.statuses.index(status)]
    number = look.count_format(is_exact=count.is_exact, zero="0")
    chip = look.chip_of(facts.colours[status])
    sheet.text(row, 1, status_word(status), **look.BODY, **chip, indent=1)
    sheet.number(row, 2, count.count, **look.BODY, num_format=number)
    _share(sheet, facts, row, count.count, total, look.BODY)
    categories = facts.counts.count_categories(column > 0, is_exact=count.is_exact)
    _number_of_categories(sheet, row, categories, look.BODY)
    sheet.text(row, 5, look.exactness(count), **look.BODY, align="right")
    most = facts.counts.labels[int(column.argmax())] if count.count else "–"
    most += look.reserve(is_exact=count.is_exact)
    sheet.text(row, 6, most, **look.BODY, indent=2)


def _status_total(sheet: Sheet, facts: Facts, total: int) -> None:
    count, number = len(facts.frame), look.count_format(is_exact=facts.covers_all, zero="0")
    sheet.text(total, 1, "All statuses", **look.TOTAL, indent=1)
    formula = f"=SUM({cell_name(_HEAD_ROW + 1, 2)}:{cell_name(total - 1, 2)})"
    sheet.formula(total, 2, formula, count, **look.TOTAL, num_format=number)
    _share(sheet, facts, total, count, total, look.TOTAL)
    _number_of_categories(sheet, total, facts.counts.categories, look.TOTAL)
    sheet.text(total, 5, look.exactness(facts.counts.total), **look.TOTAL, align="right")
    sheet.blank(total, 6, **look.TOTAL)


def _number_of_categories(
    sheet: Sheet, row: int, held: StatusCount, style: dict[str, object]
) -> None:
    number = look.count_format(is_exact=held.is_exact, zero="0")
    sheet.number(row, 4, held.count, **style, num_format=number)


def _share(
    sheet: Sheet, facts: Facts, row: int, count: int, total: int, style: dict[str, object]
) -> None:
    if facts.covers_all and len(facts.frame):
        formula = f"={cell_name(row, 2)}/{cell_name(total, 2, is_fixed=True)}"
        share = count / len(facts.frame)
        sheet.formula(row, 3, formula, share, **style, num_format=look.SHARE)
    else:
        sheet.text(row, 3, "–" if facts.covers_all else "not known", **style, align="right")
