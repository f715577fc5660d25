"""A comparison as a workbook: first the counts, then a sheet per kind with both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from petstore_frame.errors import ReportError
from petstore_frame.files.book import Book, Sheet, open_book, plain_mark
from petstore_frame.files.styles import (
    BODY,
    COUNT,
    DIFFERENT,
    HEAD,
    HEAD_POINTS,
    RIGHT,
    SHEET_ROWS,
    TITLE,
    TITLE_POINTS,
)
from petstore_frame.files.whole import whole_file
from petstore_frame.schema.categories import Categories, shown_labels
from petstore_frame.stocktake.matching import FIELDS, Kind

if TYPE_CHECKING:
    import pandas as pd

_CELL = {**BODY, "align": "left"}
_WIDTHS = {"What": 13, "Differs in": 16, "Line": 8, "Id": 12}
_FIELD_WIDTH, _PROBLEM_WIDTH, _NOTE_POINTS = 19, 50, 32


class Compared(Protocol):
    """What a workbook needs to know of a comparison."""

    @property
    def headline(self) -> str: ...
    @property
    def store(self) -> str: ...
    @property
    def completeness(self) -> object: ...
    @property
    def summary(self) -> pd.DataFrame: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    def of(self, kind: Any, /) -> pd.DataFrame: ...
    def next_steps(self) -> Sequence[str]: ...
    def headings(self) -> Sequence[str]: ...
    def shown_rows(self, rows: pd.DataFrame, /) -> Iterable[tuple[Any, ...]]: ...


def write_workbook(comparison: Compared, path: str | PathLike[str], categories: Categories) -> Path:
    """Write a comparison; see ``Comparison.write``."""
    target = Path(fspath(path))
    if target.suffix.lower() != ".xlsx":
        raise ReportError(f"{target}: a comparison is written as .xlsx")
    labels = shown_labels(categories)
    with whole_file(target) as beside, open_book(beside, is_constant_memory=True) as book:
        _write_summary(book, comparison)
        for kind in comparison.summary.index:
            rows = comparison.of(kind)
            for number, start in enumerate(range(0, len(rows), SHEET_ROWS), start=1):
                name = kind.capitalize() + f" {number}" * (number > 1)
                part = rows[start : start + SHEET_ROWS]
                _write_kind(book.sheet(name), comparison, kind, part, labels)
    return target


def _write_summary(book: Book, comparison: Compared) -> None:
    sheet = book.sheet("Summary")
    for first, last, width in ((0, 0, 3), (1, 1, 26), (2, 3, 20)):
        sheet.do("set_column", first, last, width)
    sheet.raw.hide_gridlines(2)
    sheet.text(1, 1, "Our list against the store", **TITLE)
    sheet.height(1, TITLE_POINTS)
    sheet.text(2, 1, comparison.headline)
    sheet.text(3, 1, f"{comparison.store}; {comparison.completeness}")
    sheet.text(5, 1, "", **HEAD)
    sheet.text(5, 2, "Records of the list", **HEAD, **RIGHT)
    sheet.text(5, 3, "Pets of the store", **HEAD, **RIGHT)
    sheet.height(5, HEAD_POINTS)
    row = 6
    for kind, *counts in comparison.summary.itertuples(name=None):
        sheet.text(row, 1, kind.capitalize(), **BODY)
        for col, count in enumerate(counts, start=2):
            sheet.number(row, col, count, **BODY, num_format=COUNT)
        row += 1
    for line in (*comparison.warnings, *comparison.next_steps()):
        row += 1
        sheet.band(row, 1, 7, line)
        sheet.height(row, _NOTE_POINTS)
    _print(sheet, comparison)
    sheet.finish()


def _write_kind(
    sheet: Sheet, comparison: Compared, kind: str, rows: pd.DataFrame, labels: dict[int, str]
) -> None:
    """Write the rows of a kind, the fields that differ marked, categories by their names."""
    words = list(comparison.headings())
    last = len(words)
    first = last - 2 * len(FIELDS)  # from here on fields, ours and theirs in turn
    category = first + 2 * FIELDS.index("category_id")
    problems = [None] * len(rows)
    if kind == Kind.INVALID:
        words.append("Why it cannot be compared")
        problems = rows["problem"].to_list()
    for at, word in enumerate(words):
        width = _WIDTHS.get(word, _FIELD_WIDTH if at < last else _PROBLEM_WIDTH)
        sheet.do("set_column", at, at, width)
        sheet.text(0, at, word, **HEAD)
    sheet.height(0, HEAD_POINTS)
    sheet.raw.freeze_panes(1, 0)
    _print(sheet, comparison)
    sheet.finish()
    plain, marked = (sheet.book.style(**look) for look in (_CELL, {**_CELL, **DIFFERENT}))
    for row, (shown, problem) in enumerate(
        zip(comparison.shown_rows(rows), problems, strict=True), start=1
    ):
        cells = [*shown, problem][: len(words)]
        differing = (cells[1] or "").split(", ")
        for at, cell in enumerate(cells):
            differs = first <= at < last and FIELDS[(at - first) // 2] in differing
            value = labels.get(cell, cell) if at in (category, category + 1) else cell
            sheet.put(row, at, value, marked if differs else plain)
    sheet.do("autofilter", 0, 0, len(rows), len(words) - 1)


def _print(sheet: Sheet, comparison: Compared) -> None:
    known = plain_mark(str(comparison.completeness))
    sheet.print_on_a4(
        header=f"&L{plain_mark(sheet.name)}&R{known}",
        footer="&CPage &P of &N",
        repeat_row=0 if sheet.name != "Summary" else None,
    )
