"""Writes a comparison as a workbook: a summary, and a sheet for each kind of difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from petstore_frame.comparison.comparison_columns import ComparisonColumn, table_columns
from petstore_frame.schema import minute_text
from petstore_frame.storage import (
    Book,
    Sheet,
    TableColumn,
    mark_workbook,
    open_book,
    styles,
    write_table,
)

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
            as_of=comparison.inventory.fetched_at,
        )
        _write_summary(book, comparison)
        for kind in comparison.summary.index:
            rows = comparison.of(kind)
            if len(rows):
                _write_kind(book, kind.capitalize(), comparison, rows, labels)


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


class _Different(NamedTuple):
    """A value that differs between the list and the store."""

    value: Any


def _write_kind(
    book: Book, name: str, comparison: Comparison, rows: pd.DataFrame, labels: Mapping[int, str]
) -> None:
    """Write the rows of a kind; values that differ are marked."""
    plain, marked = book.style(**_CELL), book.style(**_CELL, **styles.DIFFERENT)

    def write(sheet: Sheet, row: int, col: int, value: Any) -> None:
        if isinstance(value, _Different):
            sheet.put(row, col, value.value, marked)
        else:
            sheet.put(row, col, value, plain)

    columns = table_columns(comparison, rows, labels)
    write_table(
        book,
        name,
        [TableColumn(column.heading, _width(column), write) for column in columns],
        _values(columns, rows),
        finish_sheet=partial(_set_up_print, comparison=comparison, repeat_row=0),
    )


def _values(columns: list[ComparisonColumn], rows: pd.DataFrame) -> Iterator[list[Any]]:
    differences = rows["difference"].fillna("").str.split(", ")
    cells = zip(*(column.values for column in columns), strict=True)
    for values, differing in zip(cells, differences, strict=True):
        yield [
            _Different(value) if column.field in differing else value
            for column, value in zip(columns, values, strict=True)
        ]


def _width(column: ComparisonColumn) -> float:
    lengths = column.values.head(_MEASURED_ROWS).dropna().astype("str").str.len()
    longest = max(len(column.heading), int(lengths.max()) if len(lengths) else 0)
    largest = _NOTE_WIDTH if column.heading == "Note" else _LARGEST_WIDTH
    return min(max(longest, _SMALLEST_WIDTH), largest) + 3


def _set_up_print(sheet: Sheet, comparison: Comparison, *, repeat_row: int | None) -> None:
    sheet.print_on_a4(
        warning=str(comparison.completeness),
        source=comparison.name[:60],
        as_of=f"Data as of {minute_text(comparison.inventory.fetched_at)}",
        repeat_row=repeat_row,
    )
