"""Writes a table with one row per thing to a workbook, on as many sheets as necessary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from petstore_frame.storage import excel_styles as styles
from petstore_frame.storage.excel_cells import Book, Sheet

CellWriter: TypeAlias = Callable[[Sheet, int, int, Any], None]
_HEAD: Mapping[str, Any] = {**styles.HEAD, "num_format": styles.TEXT}


class TableColumn(NamedTuple):
    """A column of a table.

    Attributes:
        heading: The text of its first cell.
        width: Its width in characters.
        write: Writes a value to a cell.
        head_style: The style of the heading.
        empty_format: The format of the cells below the table.
    """

    heading: str
    width: float
    write: CellWriter
    head_style: Mapping[str, Any] = _HEAD
    empty_format: Any = None


class Table:
    """A table being written, row by row; a full sheet is continued on another one.

    The sheets of the table *All* are *All*, *All 2*, *All 3*; each has the headings and a filter.
    """

    def __init__(
        self,
        book: Book,
        name: str,
        columns: Sequence[TableColumn],
        *,
        finish_sheet: Callable[[Sheet], None],
        frozen_columns: int = 0,
        is_compact: bool = True,
        max_rows: int | None = None,
    ) -> None:
        """Begin the first sheet.

        Args:
            book: The workbook.
            name: The name of the first sheet.
            columns: The columns.
            finish_sheet: Sets up the print of a complete sheet.
            frozen_columns: Number of columns that stay visible on the left.
            is_compact: Whether a printed page has about 60 rows; the cells need ``styles.LIST``.
            max_rows: Maximum number of rows below the headings of a sheet; None for Excel's.
        """
        self._book, self._name, self._columns = book, name, columns
        self._finish_sheet, self._frozen_columns = finish_sheet, frozen_columns
        self._is_compact = is_compact
        self._max_rows = styles.SHEET_ROWS if max_rows is None else max_rows
        self._sheet_count = 0
        self._begin_sheet()

    def write(self, values: Iterable[Any]) -> None:
        """Write one row, whose values are in the order of the columns."""
        if self._row == self._max_rows:
            self.finish()
            self._begin_sheet()
        self._row += 1
        for col, (column, value) in enumerate(zip(self._columns, values, strict=True)):
            column.write(self._sheet, self._row, col, value)

    def finish(self) -> None:
        """Complete the last sheet."""
        last_col = len(self._columns) - 1
        self._sheet.allow_number_text(self._row, last_col)  # long ids, names that are numbers
        self._sheet.do("autofilter", 0, 0, self._row, last_col)
        self._finish_sheet(self._sheet)

    def _begin_sheet(self) -> None:
        self._sheet_count += 1
        self._row = 0
        name = self._name if self._sheet_count == 1 else f"{self._name} {self._sheet_count}"
        self._sheet = self._book.sheet(name)
        if self._is_compact:
            self._sheet.begin_list()
        for col, column in enumerate(self._columns):
            self._sheet.width(col, column.width, column.empty_format)
            self._sheet.cell(0, col, column.heading, **column.head_style)
        self._sheet.height(0, styles.HEAD_POINTS)
        self._sheet.raw.freeze_panes(1, self._frozen_columns)
        self._sheet.finish()


def write_table(
    book: Book,
    name: str,
    columns: Sequence[TableColumn],
    rows: Iterable[Iterable[Any]],
    **options: Any,
) -> None:
    """Write a whole table; the options are those of ``Table``."""
    table = Table(book, name, columns, **options)
    for row in rows:
        table.write(row)
    table.finish()
