"""A comparison as a workbook: what was found first, then a sheet per kind, both sides beside."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ReportError
from petstore_frame.files.book import Book, Sheet, open_book, plain_mark
from petstore_frame.files.cells import EXACT_NUMBERS, fit
from petstore_frame.files.whole import whole_file
from petstore_frame.html.palette import RULE
from petstore_frame.html.style import SHEET_TITLE
from petstore_frame.schema.categories import Categories, shown_labels
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.stocktake.matching import Kind

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.stocktake.comparison import Comparison

_MAX_ROWS = 1_048_575
_HEAD = {"bold": True, "bottom": 2}
_BODY = {"bottom": 1, "bottom_color": RULE}
_CELL = {**_BODY, "align": "left"}
_MARKED = {**_CELL, "bg_color": "#FFF3CD", "bold": True}
_WIDTHS = {"What": 13, "Differs in": 16, "Line": 8, "Id": 12}
_FIELD_WIDTH, _PROBLEM_WIDTH, _HEAD_POINTS = 19, 50, 20


def write_workbook(
    comparison: Comparison, path: str | PathLike[str], categories: Categories
) -> Path:
    """Write a comparison; see ``Comparison.write``."""
    target = Path(fspath(path))
    if target.suffix.lower() != ".xlsx":
        raise ReportError(f"{target}: a comparison is written as .xlsx")
    labels = shown_labels(categories)
    with whole_file(target) as beside, open_book(beside, is_constant_memory=True) as book:
        _write_summary(book, comparison)
        for kind in comparison.summary.index:
            rows = comparison.of(kind)
            for start in range(0, len(rows), _MAX_ROWS):
                _write_kind(book, comparison, str(kind), rows[start : start + _MAX_ROWS], labels)
    return target


def _write_summary(book: Book, comparison: Comparison) -> None:
    sheet = book.sheet("Summary")
    sheet.do("set_column", 0, 0, 3)
    sheet.do("set_column", 1, 1, 26)
    sheet.do("set_column", 2, 3, 20)
    sheet.raw.hide_gridlines(2)
    sheet.text(1, 1, "Our list against the store", bold=True, font_size=SHEET_TITLE)
    sheet.height(1, 30)
    sheet.text(2, 1, comparison.headline)
    sheet.text(3, 1, f"The store: {comparison.completeness}")
    for at, word in enumerate(("", "Records of the list", "Pets of the store"), start=1):
        sheet.text(5, at, word, **_HEAD, align="left" if at == 1 else "right")
    sheet.height(5, _HEAD_POINTS)
    row = 6
    for kind, records, pets in comparison.summary.itertuples(name=None):
        sheet.text(row, 1, str(kind).capitalize(), **_BODY)
        sheet.number(row, 2, records, **_BODY, num_format="#,##0")
        sheet.number(row, 3, pets, **_BODY, num_format="#,##0")
        row += 1
    for line in (*comparison.warnings, *comparison.next_steps()):
        row += 1
        sheet.band(row, 1, 7, line)
        sheet.height(row, 32)
    _print(sheet, comparison)
    sheet.finish()


def _write_kind(
    book: Book,
    comparison: Comparison,
    kind: str,
    rows: pd.DataFrame,
    labels: dict[int, str],
) -> None:
    is_first = rows.index[0] == 0
    name = (
        kind.capitalize() if is_first else f"{kind.capitalize()} {rows.index[0] // _MAX_ROWS + 1}"
    )
    sheet = book.sheet(name)
    words = comparison.headings()
    if kind == Kind.INVALID:
        words = [*words, "Why it cannot be compared"]
    for at, word in enumerate(words):
        width = (
            _PROBLEM_WIDTH if at == len(comparison.headings()) else _WIDTHS.get(word, _FIELD_WIDTH)
        )
        sheet.do("set_column", at, at, width)
        sheet.text(0, at, word, **_HEAD)
    sheet.height(0, _HEAD_POINTS)
    sheet.raw.freeze_panes(1, 0)
    _print(sheet, comparison)
    sheet.finish()
    problems = rows["problem"].astype("object")
    for at, (cells, problem) in enumerate(
        zip(comparison.shown_rows(rows), problems, strict=True), start=1
    ):
        more = [problem] if kind == Kind.INVALID else []
        shown = [*_labelled(comparison, cells, labels), *more]
        _write_row(sheet, at, shown, _marked(comparison, cells))
    sheet.do("autofilter", 0, 0, len(rows), len(words) - 1)


def _first_side(comparison: Comparison) -> int:
    """Return the column where the fields begin, ours and theirs in turn."""
    return len(comparison.headings()) - 2 * len(SENT_FIELDS)


def _marked(comparison: Comparison, cells: Sequence[Any]) -> set[int]:
    """Return the columns of the fields that differ."""
    differing = set(cells[1].split(", ")) if cells[1] else set()
    start = _first_side(comparison)
    return {
        start + 2 * at + side
        for at, field in enumerate(SENT_FIELDS)
        if field.name in differing
        for side in (0, 1)
    }


def _labelled(comparison: Comparison, cells: Sequence[Any], labels: dict[int, str]) -> list[Any]:
    """Put the name of a category in the place of its number."""
    shown = list(cells)
    at = _first_side(comparison) + 2 * [field.name for field in SENT_FIELDS].index("category_id")
    for side in (at, at + 1):
        shown[side] = labels.get(shown[side], shown[side])
    return shown


def _write_row(sheet: Sheet, row: int, cells: Sequence[Any], marked: set[int]) -> None:
    """Write a row at once: in constant memory nothing is gathered."""
    for at, cell in enumerate(cells):
        look = sheet.book.style(**(_MARKED if at in marked else _CELL))
        if isinstance(cell, int) and abs(cell) < EXACT_NUMBERS:
            sheet.check(sheet.raw.write_number(row, at, cell, look), row)
        elif cell is None:
            sheet.check(sheet.raw.write_blank(row, at, None, look), row)
        else:
            sheet.check(sheet.raw.write_string(row, at, fit(str(cell))[0], look), row)


def _print(sheet: Sheet, comparison: Comparison) -> None:
    claim = plain_mark(str(comparison.completeness))
    sheet.print_on_a4(
        header=f"&L{plain_mark(sheet.name)}&R{claim}",
        footer="&CPage &P of &N",
        repeat_row=0 if sheet.name != "Summary" else None,
    )
