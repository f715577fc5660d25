"""Writes workbooks row by row; a cell that Excel does not accept is an error."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from math import ceil
from pathlib import Path
from typing import Any, Self

from petstore_frame.errors import ReportError
from petstore_frame.extras import import_extra
from petstore_frame.rendering import palette
from petstore_frame.storage import excel_styles as styles
from petstore_frame.storage.cell_values import cell_value, fit

_HEIGHT = -1  # used as a column number, so that the height of a row is written before its cells

# XlsxWriter must not convert text.
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}

# Print: A4 with these margins in inches.
_A4 = 9
_MARGINS = {"left": 0.5, "right": 0.5, "top": 0.7, "bottom": 0.6}
_PORTRAIT_POINTS, _LANDSCAPE_POINTS = 523, 770  # between the margins
_SMALLEST_SCALE = 0.6  # below this, text is hard to read on paper


@contextmanager
def open_book(path: Path) -> Iterator[Book]:
    """Open a new workbook, whose rows go to disk as they are written; close it on success.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
        OSError: The file cannot be written, for example because the disk is full.
    """
    xlsxwriter = import_extra("xlsxwriter", "writing a workbook", "excel")
    with ExitStack() as scratch_files:
        scratch = scratch_files.enter_context(
            tempfile.TemporaryDirectory("_petstore_frame", ignore_cleanup_errors=True)
        )
        options = {**_OPTIONS, "tmpdir": scratch}
        file = scratch_files.enter_context(_ArchiveFile(path))
        workbook = xlsxwriter.Workbook(file, options)
        try:
            yield Book(workbook)
            workbook.close()
        except xlsxwriter.exceptions.FileCreateError as problem:
            raise problem.args[0] from problem  # the OSError that it wraps
        finally:
            # XlsxWriter closes them only after a successful close().
            for sheet in workbook.worksheets():
                sheet.row_data_fh.close()


class _ArchiveFile:
    """A file that ignores what is written after its first error.

    XlsxWriter leaves its archive open after an error. When Python deletes the archive, it tries to
    complete the file, and would print the same error a second time.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._position = 0
        self._has_failed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._has_failed |= kind is not None
        with self._noting_errors():
            self._file.close()

    def write(self, data: bytes) -> int:
        with self._noting_errors():
            self._file.write(data)
        self._position += len(data)
        return len(data)

    def seek(self, position: int) -> int:
        with self._noting_errors():
            self._file.seek(position)
        self._position = position
        return position

    def tell(self) -> int:
        return self._position

    def flush(self) -> None:
        with self._noting_errors():
            self._file.flush()

    @contextmanager
    def _noting_errors(self) -> Iterator[None]:
        """Raise the first error, and suppress all later ones."""
        try:
            yield
        except (OSError, ValueError):  # a ValueError if the file is closed
            if not self._has_failed:
                self._has_failed = True
                raise


class Book:
    """A workbook being written."""

    def __init__(self, workbook: Any) -> None:
        self.workbook = workbook
        self._styles: dict[frozenset[tuple[str, Any]], Any] = {}

    def sheet(self, name: str) -> Sheet:
        """Add a sheet at the end."""
        return Sheet(self, self.workbook.add_worksheet(name), name)

    def style(self, **properties: Any) -> Any:
        """Return the format with these properties, which is created only once."""
        wanted = {
            "font_name": styles.FONT,
            "font_color": palette.INK,
            "valign": "vcenter",
            **properties,
        }
        key = frozenset(wanted.items())
        if key not in self._styles:
            self._styles[key] = self.workbook.add_format(wanted)
        return self._styles[key]


@dataclass
class Sheet:
    """A sheet, which collects cells and writes them row by row, as constant memory requires.

    ``raw`` is XlsxWriter's sheet, for settings other than cells.
    """

    book: Book
    raw: Any
    name: str
    _cells: dict[tuple[int, int], tuple[Any, ...]] = field(default_factory=dict)
    _widths: dict[int, float] = field(default_factory=dict)

    def cell(self, row: int, col: int, value: Any, **style: Any) -> None:
        """Write a value by its type; None is an empty cell with a format."""
        self._cells[row, col] = (self.put, value, self.book.style(**style))

    def band(self, row: int, first_col: int, last_col: int, value: str, **style: Any) -> None:
        """Put a text across columns, wrapped."""
        cell_format = self.book.style(text_wrap=True, **style)
        self._cells[row, first_col] = (self.raw.merge_range, row, last_col, fit(value), cell_format)

    def link(self, row: int, col: int, sheet: str, value: str, **style: Any) -> None:
        """Put a text that leads to another sheet of the workbook."""
        cell_format = self.book.style(underline=1, **style)
        self._cells[row, col] = (
            self.raw.write_url,
            f"internal:'{sheet}'!A1",
            cell_format,
            fit(value),
        )

    def put(
        self, row: int, col: int, value: Any, cell_format: Any = None, text_format: Any = None
    ) -> None:
        """Write a value at once, by its type: for sheets with too many rows to collect.

        ``text_format`` is the format of text and of empty cells, if it is another.
        """
        if not isinstance(value, str):
            value = cell_value(value)
        if isinstance(value, str):
            code = self.raw.write_string(row, col, fit(value), text_format or cell_format)
        elif value is None:
            code = self.raw.write_blank(row, col, None, text_format or cell_format)
        elif isinstance(value, bool):
            code = self.raw.write_boolean(row, col, value, cell_format)
        elif isinstance(value, date):
            code = self.raw.write_datetime(row, col, value, cell_format or self._date_format(value))
        else:
            code = self.raw.write_number(row, col, value, cell_format)
        self.check(code, row)

    def _date_format(self, value: date) -> Any:
        has_time = isinstance(value, datetime)
        return self.book.style(num_format=styles.MOMENT if has_time else styles.DAY)

    def height(self, row: int, points: float) -> None:
        """Set the height of a row."""
        self._cells[row, _HEIGHT] = (points,)

    def begin_list(self) -> None:
        """Make rows low enough for about 60 on a printed page; cells need ``styles.LIST``."""
        self.raw.set_default_row(styles.LIST_POINTS)

    def width(self, col: int, characters: float, cell_format: Any = None) -> None:
        """Set the width of a column, and the format of its empty cells."""
        self._widths[col] = characters
        self.do("set_column", col, col, characters, cell_format)

    def allow_number_text(self, last_row: int, last_col: int) -> None:
        """Tell Excel that numbers stored as text are intended: it shows no green markers."""
        from xlsxwriter.utility import xl_rowcol_to_cell

        corner = xl_rowcol_to_cell(last_row, last_col)
        self.do("ignore_errors", {"number_stored_as_text": f"A1:{corner}"})

    def finish(self) -> None:
        """Write the collected cells row by row; a rejected cell is a ReportError."""
        for row, col in sorted(self._cells):
            if col == _HEIGHT:
                self.do("set_row", row, *self._cells[row, col])
            else:
                write, *values = self._cells[row, col]
                self.check(write(row, col, *values), row)
        self._cells.clear()

    def print_on_a4(
        self,
        *,
        warning: str = "",
        source: str = "",
        as_of: str = "",
        is_single_page: bool = False,
        repeat_row: int | None = None,
    ) -> None:
        """Set up print: portrait, the name of the sheet on each page, and all columns on one page.

        A sheet that would be too small to read is printed in landscape, and if that is too narrow,
        on several pages side by side, each with the first column.

        Args:
            warning: Text at the right above each page, in bold.
            source: Source of the data, at the left below each page.
            as_of: When the data was read, at the right below each page.
            is_single_page: Whether the sheet is printed on one page.
            repeat_row: The row of headings to print on each page.
        """
        self.raw.set_paper(_A4)
        self.raw.set_margins(**_MARGINS)
        if is_single_page:
            self.raw.fit_to_pages(1, 1)
        else:
            self._fit_columns()
        left, right, source, as_of = (  # an "&" starts a code
            text.replace("&", "&&") for text in (self.name, warning, source, as_of)
        )
        self.raw.set_header(f"&L{left}" + (f"&R&B{right}" if right else ""))
        self.raw.set_footer(f"&L{source}&CPage &P of &N&R{as_of}")
        if repeat_row is not None:
            self.raw.repeat_rows(repeat_row)

    def _fit_columns(self) -> None:
        points = sum(0.75 * (7 * width + 5) for width in self._widths.values())
        pages_across = 1
        if points * _SMALLEST_SCALE > _PORTRAIT_POINTS:
            self.raw.set_landscape()
            pages_across = ceil(points * _SMALLEST_SCALE / _LANDSCAPE_POINTS)
        if pages_across > 1:
            self.raw.repeat_columns(0)
        self.raw.fit_to_pages(pages_across, 0)

    def do(self, verb: str, *values: Any) -> None:
        """Add something other than a cell to the sheet: a filter, a table, a chart."""
        self.check(getattr(self.raw, verb)(*values), item=verb)

    def check(self, code: int, row: int | None = None, item: str = "a cell") -> None:
        """Raise a ReportError if XlsxWriter did not accept something."""
        if code:
            location = "" if row is None else f", row {row + 1}"
            raise ReportError(
                f"sheet {self.name!r}{location}: the workbook did not accept {item} (code {code}); "
                "no file was changed"
            )
