"""Writes a comparison as a workbook: a summary, and a sheet for each kind of difference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from petstore_frame import __version__
from petstore_frame.comparison.pet_matching import IN_STORE
from petstore_frame.storage import Book, Sheet, mark_workbook, open_book, styles

if TYPE_CHECKING:
    from petstore_frame.comparison.comparison_result import Comparison

_TITLE = "Our list against the store"
_CELL = {**styles.BODY, "align": "left"}
_SUMMARY_WIDTHS = (26, 20, 20, 40)
_SMALLEST_WIDTH, _LARGEST_WIDTH = 8, 34
_MEASURED_ROWS = 1_000  # that decide the width of a column
_ALWAYS_SHOWN = ("line", "id")


def write_workbook(comparison: Comparison, path: Path, labels: Mapping[int, str]) -> None:
    """Write the workbook; categories have their labels, the fields that differ are marked."""
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
    for col, heading in enumerate(("What", "Rows of the list", "Pets of the store")):
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


def _write_kind(
    sheet: Sheet, comparison: Comparison, rows: pd.DataFrame, labels: Mapping[int, str]
) -> None:
    """Write the rows of a kind in the columns that have content."""
    headings = dict(zip(comparison.shown_columns, comparison.headings(), strict=True))
    del headings["kind"]  # the name of the sheet says it
    shown = rows.assign(
        **{
            name: rows[name].map(lambda number: labels.get(number, number), na_action="ignore")
            for name in ("category_id", "category_id" + IN_STORE)
        }
    )
    values = shown[[*headings]].astype("object").replace("", None)
    values = values.where(values.notna(), None)
    columns = [name for name in headings if name in _ALWAYS_SHOWN or values[name].notna().any()]

    head, plain, marked = (
        sheet.book.style(**look) for look in (styles.HEAD, _CELL, {**_CELL, **styles.DIFFERENT})
    )
    for col, name in enumerate(columns):
        sheet.width(col, _width(headings[name], values[name]))
        sheet.put(0, col, headings[name], head)
    sheet.raw.freeze_panes(1, 0)
    differences = rows["difference"].fillna("").str.split(", ")
    cells = values[columns].itertuples(index=False, name=None)
    for row, (row_values, differing) in enumerate(zip(cells, differences, strict=True), 1):
        for col, (name, value) in enumerate(zip(columns, row_values, strict=True)):
            is_marked = name.removesuffix(IN_STORE) in differing
            sheet.put(row, col, value, marked if is_marked else plain)
    sheet.allow_number_text(len(rows), len(columns) - 1)
    sheet.do("autofilter", 0, 0, len(rows), len(columns) - 1)
    _set_up_print(sheet, comparison, repeat_row=0)


def _width(heading: str, values: pd.Series[Any]) -> float:
    lengths = values.head(_MEASURED_ROWS).dropna().astype("str").str.len()
    longest = max(len(heading), int(lengths.max()) if len(lengths) else 0)
    return min(max(longest, _SMALLEST_WIDTH), _LARGEST_WIDTH) + 3


def _set_up_print(sheet: Sheet, comparison: Comparison, *, repeat_row: int | None) -> None:
    sheet.print_on_a4(
        sheet.name,
        warning=str(comparison.completeness),
        source=comparison.headline[:80],
        repeat_row=repeat_row,
    )
