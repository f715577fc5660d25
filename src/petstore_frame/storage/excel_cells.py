"""Writes workbooks row by row; nothing that a cell cannot hold is lost in silence."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from petstore_frame.errors import ReportError
from petstore_frame.extras import import_extra
from petstore_frame.rendering import palette
from petstore_frame.storage import excel_styles as styles

_A4 = 9
_HEIGHT = -1  # in place of a column, so that a row's height is written before its cells
CELL_LIMIT = 32_767  # UTF-16 units, as Excel counts

# What a spreadsheet takes for the beginning of a formula.
_RUNNABLE = tuple("=+-@\t\r\n＝＋－＠")
# XML 1.0 forbids these. Other control characters are written as _x0001_ and come back.
_UNFIT = re.compile("[\ud800-\udfff\ufffe\uffff]")

# Text stays text.
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}


@contextmanager
def open_book(path: Path) -> Iterator[Book]:
    """Open a new workbook, whose rows go to disk as they are written; close it on success.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
        OSError: The file cannot be written, for example because the disk is full.
    """
    xlsxwriter = import_extra("xlsxwriter", "writing a workbook", "excel")
    with tempfile.TemporaryDirectory("_petstore_frame", ignore_cleanup_errors=True) as scratch:
        options = {**_OPTIONS, "tmpdir": scratch}
        workbook = xlsxwriter.Workbook(str(path), options)
        try:
            yield Book(workbook)
            workbook.close()
        except xlsxwriter.exceptions.FileCreateError as problem:
            raise problem.args[0] from problem  # the OSError that it wraps
        finally:
            for sheet in workbook.worksheets():  # XlsxWriter closes them only for a whole book
                sheet.row_data_fh.close()


def fit(text: str) -> str:
    """Return a text as a cell can hold it; what was cut, or replaced by U+FFFD, shows in it."""
    text = _UNFIT.sub("\ufffd", text)
    if _utf16_units(text) > CELL_LIMIT:
        mark = f" … [cut: {len(text):,} characters]"
        room = (CELL_LIMIT - len(mark)) * 2
        text = text.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + mark
    return text


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _is_exact(number: float) -> bool:
    return isinstance(number, float) or abs(number) < styles.EXACT_NUMBERS


def harmless(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; reading a CSV gives the text again.

    Example:
        >>> harmless("=1+1"), harmless("'=1+1"), harmless("Luna")
        ("'=1+1", "''=1+1", 'Luna')
    """
    return f"'{text}" if text.lstrip("'").startswith(_RUNNABLE) else text


class Book:
    """A workbook being written."""

    def __init__(self, workbook: Any) -> None:
        self.workbook = workbook
        self._styles: dict[frozenset[tuple[str, Any]], Any] = {}

    @staticmethod
    def fits(texts: Sequence[str]) -> bool:
        """Return whether all texts fit into cells as they are."""
        longest = max(map(len, texts), default=0)
        if longest > CELL_LIMIT // 2 and max(map(_utf16_units, texts)) > CELL_LIMIT:
            return False
        return not _UNFIT.search("".join(texts))

    def sheet(self, name: str) -> Sheet:
        """Add a sheet at the end."""
        return Sheet(self, self.workbook.add_worksheet(name), name)

    def style(self, **properties: Any) -> Any:
        """Return the one format of these properties."""
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
    """One sheet. It collects cells and writes them row by row, as constant memory needs.

    ``raw`` is XlsxWriter's sheet, for settings other than cells.
    """

    book: Book
    raw: Any
    name: str
    _cells: dict[tuple[int, int], tuple[Any, ...]] = field(default_factory=dict)

    def cell(self, row: int, col: int, value: Any, **style: Any) -> None:
        """Write a value by its type; None is an empty cell that has a look."""
        self._cells[row, col] = (self.put, value, self.book.style(**style))

    def band(self, row: int, first_col: int, last_col: int, value: str, **style: Any) -> None:
        """Put a text across columns, wrapped."""
        look = self.book.style(text_wrap=True, **style)
        self._cells[row, first_col] = (self.raw.merge_range, row, last_col, fit(value), look)

    def link(self, row: int, col: int, sheet: str, value: str, **style: Any) -> None:
        """Put a text that leads to another sheet of the workbook."""
        look = self.book.style(underline=1, **style)
        self._cells[row, col] = (self.raw.write_url, f"internal:'{sheet}'!A1", look, fit(value))

    def put(self, row: int, col: int, value: Any, look: Any = None, text_look: Any = None) -> None:
        """Write a value at once, by its type: for sheets with too many rows to collect.

        A number that Excel would round, as a long id, is text. ``text_look`` is for a text, or for
        nothing, where it differs.
        """
        if isinstance(value, str):
            text = value if value.isascii() and len(value) < CELL_LIMIT else fit(value)
            code = self.raw.write_string(row, col, text, text_look or look)
        elif value is None:
            code = self.raw.write_blank(row, col, None, text_look or look)
        elif isinstance(value, bool):
            code = self.raw.write_boolean(row, col, value, look)
        elif isinstance(value, datetime):
            code = self.raw.write_datetime(row, col, value.replace(tzinfo=None), look)
        elif isinstance(value, int | float) and isfinite(value) and _is_exact(value):
            code = self.raw.write_number(row, col, value, look)
        else:
            code = self.raw.write_string(row, col, fit(str(value)), text_look or look)
        self.check(code, row)

    def height(self, row: int, points: float) -> None:
        """Set the height of a row."""
        self._cells[row, _HEIGHT] = (points,)

    def finish(self) -> None:
        """Write the collected cells row by row; one that is not accepted is a ReportError."""
        for row, col in sorted(self._cells):
            if col == _HEIGHT:
                self.do("set_row", row, *self._cells[row, col])
            else:
                write, *values = self._cells[row, col]
                self.check(write(row, col, *values), row)
        self._cells.clear()

    def print_on_a4(
        self, head: str, *, warning: str = "", source: str = "", as_of: str = "",
        pages_high: int = 0, repeat_row: int | None = None,
    ) -> None:  # fmt: skip
        """Print across the page, as wide as it is, on so many pages or all (0).

        Each page has the head at its left and the warning at its right, and below them where the
        data is from, the page's number, and of when the data is.
        """
        left, right, source, as_of = (  # an "&" begins a mark
            text.replace("&", "&&") for text in (head, warning, source, as_of)
        )
        self.raw.set_landscape()
        self.raw.set_paper(_A4)
        self.raw.fit_to_pages(1, pages_high)
        self.raw.set_margins(left=0.5, right=0.5, top=0.75, bottom=0.7)
        self.raw.set_header(f"&L{left}" + (f"&R&B{right}" if right else ""))
        self.raw.set_footer(f"&L{source}&CPage &P of &N&R{as_of}")
        if repeat_row is not None:
            self.raw.repeat_rows(repeat_row)

    def do(self, verb: str, *values: Any) -> None:
        """Add something other than a cell to the sheet: a filter, a table, a chart."""
        self.check(getattr(self.raw, verb)(*values), what=verb)

    def check(self, code: int, row: int | None = None, what: str = "a cell") -> None:
        """Refuse to go on when XlsxWriter did not accept something."""
        if code:
            place = "" if row is None else f", row {row + 1}"
            raise ReportError(
                f"sheet {self.name!r}{place}: the workbook did not accept {what} (code {code}); "
                "no file was changed"
            )
