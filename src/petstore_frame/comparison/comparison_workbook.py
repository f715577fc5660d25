"""Writes a comparison as a workbook: a summary, and a sheet for each kind of difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from petstore_frame import __version__
from petstore_frame.comparison.pet_matching import IN_STORE
from petstore_frame.schema import FIELDS, minute_text
from petstore_frame.storage import Book, Sheet, mark_workbook, open_book, styles

if TYPE_CHECKING:
    from petstore_frame.comparison.comparison_result import Comparison

_TITLE = "Stocktake: our list and the store"
_CELL = {**styles.LIST, "align": "left"}
_SUMMARY_WIDTHS = (26, 20, 20, 40)
_SMALLEST_WIDTH, _LARGEST_WIDTH, _NOTE_WIDTH = 6, 34, 60
_MEASURED_ROWS = 1_000  # used to choose the width of a column


def write_workbook(comparison: Comparison, path: Path, labels: Mapping[int, str]) -> None:
    """Write the workbook with category labels; values that differ are marked."""
    with open_book(path) as book:
        mark_workbook(
            book.workbook,
            title=_TITLE,
            subject=comparison.store,
            sentence=comparison.headline,
            version=__version__,
            as_of=comparison.inventory.fetched_at,
        )
        _write_summary(book, comparison)
        for kind in comparison.summary.index:
            rows = comparison.of(kind)
            for number, start in enumerate(range(0, len(rows), styles.SHEET_ROWS), start=1):
                name = kind.capitalize() if number == 1 else f"{kind.capitalize()} {number}"
                part = rows[start : start + styles.SHEET_ROWS]
                _write_kind(book.sheet(name), comparison, part, labels)


def _write_summary(book: Book, comparison: Comparison) -> None:
    sheet = book.sheet("Summary")
    for col, width in enumerate(_SUMMARY_WIDTHS):
        sheet.width(col, width)
    sheet.height(0, styles.TITLE_POINTS)
    sheet.cell(0, 0, _TITLE, **styles.TITLE)
    sheet.cell(1, 0, comparison.headline)
    sheet.cell(2, 0, f"{comparison.store}; {comparison.completeness}")
    for col, heading in enumerate(("Result", "Rows of the list", "Pets of the store")):
        sheet.cell(4, col, heading, **styles.HEAD)
    row = 5
    for counts in comparison.summary.itertuples(name=None):
        for col, value in enumerate(counts):
            sheet.cell(row, col, value, **_CELL)
        row += 1
    last_col = len(_SUMMARY_WIDTHS) - 1
    for sentence in (*comparison.warnings, *comparison.next_steps()):
        row += 1
        sheet.band(row, 0, last_col, sentence, valign="top")
        sheet.height(row, 15 * styles.lines(sentence, sum(_SUMMARY_WIDTHS)) + 3)
    sheet.finish()
    _set_up_print(sheet, comparison, repeat_row=None)


class _Column(NamedTuple):
    """A column of a sheet: its heading, its values, and the field that it shows, if any."""

    heading: str
    values: pd.Series[Any]
    field: str | None = None


def _write_kind(
    sheet: Sheet, comparison: Comparison, rows: pd.DataFrame, labels: Mapping[int, str]
) -> None:
    """Write the rows of a kind; values that differ are marked."""
    columns = [*_columns(comparison, rows, labels)]
    cell_styles = (styles.HEAD, _CELL, {**_CELL, **styles.DIFFERENT})
    head, plain, marked = (sheet.book.style(**cell_style) for cell_style in cell_styles)
    sheet.begin_list()
    for col, column in enumerate(columns):
        sheet.width(col, _width(column))
        sheet.put(0, col, column.heading, head)
    sheet.do("set_row", 0, styles.HEAD_POINTS)
    sheet.raw.freeze_panes(1, 0)
    differences = rows["difference"].fillna("").str.split(", ")
    cells = zip(*(column.values for column in columns), strict=True)
    for row, (values, differing) in enumerate(zip(cells, differences, strict=True), 1):
        for col, (column, value) in enumerate(zip(columns, values, strict=True)):
            sheet.put(row, col, value, marked if column.field in differing else plain)
    sheet.allow_number_text(len(rows), len(columns) - 1)
    sheet.do("autofilter", 0, 0, len(rows), len(columns) - 1)
    _set_up_print(sheet, comparison, repeat_row=0)


def _columns(
    comparison: Comparison, rows: pd.DataFrame, labels: Mapping[int, str]
) -> Iterator[_Column]:
    """Yield the columns with content; a field without differences takes one column, not two."""
    differing = {name for names in rows["difference"].fillna("") for name in names.split(", ")}
    columns = [
        _Column("Differs in", rows["difference"]),
        _Column("Line", rows["line"]),
        _Column(", ".join(comparison.key), rows["key"]),
        _Column("ID", rows["id"]),
    ]
    for field in FIELDS.sent:
        label = field.label
        list_values, store_values = rows[field.name], rows[field.name + IN_STORE]
        if field.name == "category_id" and labels:
            label = "Category"
            list_values, store_values = (
                side.map(lambda number: labels.get(number, number), na_action="ignore")
                for side in (list_values, store_values)
            )
        if field.name in differing:
            columns.append(_Column(f"{label} (list)", list_values, field.name))
            columns.append(_Column(f"{label} (store)", store_values, field.name))
        else:
            either = store_values.astype("object").where(
                store_values.notna(), list_values.astype("object")
            )
            columns.append(_Column(label, either))
    columns.append(_Column("Note", rows["problem"]))
    for column in columns:
        values = column.values.astype("object").replace("", None)
        values = values.where(values.notna(), None)
        if values.notna().any():
            yield column._replace(values=values)


def _width(column: _Column) -> float:
    lengths = column.values.head(_MEASURED_ROWS).dropna().astype("str").str.len()
    longest = max(len(column.heading), int(lengths.max()) if len(lengths) else 0)
    largest = _NOTE_WIDTH if column.heading == "Note" else _LARGEST_WIDTH
    return min(max(longest, _SMALLEST_WIDTH), largest) + 3


def _set_up_print(sheet: Sheet, comparison: Comparison, *, repeat_row: int | None) -> None:
    sheet.print_on_a4(
        sheet.name,
        warning=str(comparison.completeness),
        source=comparison.name[:60],
        as_of=f"Data as of {minute_text(comparison.inventory.fetched_at)}",
        repeat_row=repeat_row,
    )
