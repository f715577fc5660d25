"""Reads the rows of a sheet from its XML, in one pass.

Rows and cells are read by their numbers, in whatever order the file has them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.limits import (
    CELL_CHARACTERS,
    COLUMNS,
    MERGED_CELLS,
    ROWS,
    EmptyCells,
)
from petstore_frame.schema.text import short_text
from petstore_frame.storage.excel_styles import EXACT_NUMBERS
from petstore_frame.tables.table import (
    EMPTY_CELL,
    ZERO_FORMULA_PREFIX,
    Cell,
    CellProblem,
    TableRow,
    cell_of_value,
    row_of_cells,
)
from petstore_frame.tables.workbook_xml import (
    SAVE_AGAIN,
    Attributes,
    NumberFormat,
    SheetPart,
    WorkbookParts,
    unescaped,
)

MERGED = "merged_cell"
_ADDRESS = re.compile("([A-Za-z]{1,3})([0-9]{1,8})")
_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,8})(?::\$?([A-Za-z]{1,3})\$?([0-9]{1,8}))?")
_GENERAL = NumberFormat()


@dataclass
class Sheet:
    """The rows of a sheet that have text, in ascending order, and its uncalculated formulas."""

    rows: list[TableRow] = field(default_factory=list)
    uncalculated: list[str] = field(default_factory=list)  # addresses of formulas without a value


class _CellRange(NamedTuple):
    """A rectangle of cells; rows and columns count from 1."""

    top: int
    left: int
    bottom: int
    right: int
    name: str  # such as ``B2:B3``


class _EnoughRowsError(Exception):
    """The rows that were asked for are read."""


def read_sheet(parts: WorkbookParts, part: SheetPart, most_rows: int | None = None) -> Sheet:
    """Read the rows of a sheet, or the first ones with text.

    Raises:
        InputError: The sheet exceeds a limit, or has a row or a cell twice.
    """
    reader = _SheetReader(parts, part, most_rows)
    with suppress(_EnoughRowsError):
        parts.parse(part.file, reader.starts, reader.ends, reader.add_text)
    return reader.finish()


class _SheetReader:
    """Collects the rows of a sheet while its XML is parsed."""

    def __init__(self, parts: WorkbookParts, part: SheetPart, most_rows: int | None) -> None:
        self._texts, self._formats = parts.texts, parts.formats
        self._is_1904, self._is_uncalculated = parts.is_1904, parts.is_uncalculated
        self._title, self._most_rows = part.title, most_rows
        self._sheet = Sheet()
        self._merged = list[_CellRange]()
        self._merged_cells = 0
        self._empty_cells = EmptyCells()
        self._line, self._last_line, self._is_in_order = 0, 0, True
        self._is_hidden = False
        self._cells = list[Cell]()
        self._gaps = 0  # the number of empty cells among them
        # Of the current cell.
        self._column = 0
        self._type, self._format = "n", _GENERAL
        self._has_formula = False
        self._pieces = list[str]()  # of its value
        self._length = 0
        self._is_value = self._is_phonetic = False

        self.starts: Mapping[str, Callable[[Attributes], None]] = {
            "row": self._start_row,
            "c": self._start_cell,
            "v": self._start_value,
            "t": self._start_value,
            "f": self._start_formula,
            "rPh": self._start_phonetic,
            "mergeCell": self._add_merged,
        }
        self.ends: Mapping[str, Callable[[], None]] = {
            "row": self._end_row,
            "c": self._end_cell,
            "v": self._end_value,
            "t": self._end_value,
            "rPh": self._end_phonetic,
        }

    def add_text(self, content: str) -> None:
        """Add a text to the value of the current cell."""
        if self._is_value:
            self._length += len(content)
            CELL_CHARACTERS.check(self._length, is_exact=False, line=self._line)
            self._pieces.append(content)

    def _start_row(self, attributes: Attributes) -> None:
        number = attributes.get("r", "")
        self._line = self._line + 1 if not number else int(float(number))
        ROWS.check(self._line)
        self._cells, self._gaps, self._column = [], 0, 0
        is_flat = attributes.get("ht") in ("0", "0.0")
        self._is_hidden = is_flat or attributes.get("hidden") in ("1", "true")

    def _start_cell(self, attributes: Attributes) -> None:
        address = _ADDRESS.fullmatch(attributes.get("r", ""))
        self._column = self._column + 1 if address is None else _column_number(address[1])
        COLUMNS.check(self._column)
        self._type = attributes.get("t", "n")
        style = int(attributes.get("s") or 0)
        self._format = self._formats[style] if style < len(self._formats) else _GENERAL
        self._has_formula, self._length = False, 0
        self._pieces.clear()

    def _start_value(self, _: Attributes) -> None:
        self._is_value = not self._is_phonetic

    def _end_value(self) -> None:
        self._is_value = False

    def _start_formula(self, _: Attributes) -> None:
        self._has_formula = True

    def _start_phonetic(self, _: Attributes) -> None:
        self._is_phonetic = True

    def _end_phonetic(self) -> None:
        self._is_phonetic = False

    @property
    def _address(self) -> str:
        return f"{column_letters(self._column)}{self._line}"

    def _end_cell(self) -> None:
        text = "".join(self._pieces)
        if self._has_formula and not self._is_calculated(text):
            self._sheet.uncalculated.append(self._address)
        if not text:
            return
        cell = self._cell_of(text)
        if not cell.text and cell.problem is None:
            return
        if self._has_formula and text == "0" and self._type == "n":
            place = f"{self._title!r}!{self._address}"
            cell = cell._replace(note=f"{ZERO_FORMULA_PREFIX}{place}")
        cells, at = self._cells, self._column - 1
        if at == len(cells):
            cells.append(cell)
        elif at > len(cells):
            self._gaps += at - len(cells)
            cells += [EMPTY_CELL] * (at - len(cells))
            cells.append(cell)
        elif cells[at] is EMPTY_CELL:
            cells[at] = cell
            self._gaps -= 1
        else:
            raise InputError(f"the sheet has the cell {self._address} twice", hint=SAVE_AGAIN)

    def _is_calculated(self, text: str) -> bool:
        """Return True if the file has the value of a formula."""
        if self._is_uncalculated:
            return bool(text) and text != "0"
        # A formula with an empty text as its value has the type "str" and no value.
        return bool(text) or self._type == "str"

    def _cell_of(self, text: str) -> Cell:
        """Return the cell of a value as the file has it."""
        kind = self._type
        if kind == "s":
            return Cell(self._texts[int(text)])
        if kind in ("str", "inlineStr"):
            return Cell(unescaped(text))
        if kind == "e":
            problem = CellProblem(
                "error_value", f"the cell shows {text}", "fix the formula, or type the value"
            )
            return Cell(text, problem=problem)
        if kind == "b":
            return cell_of_value(text.strip() not in ("0", "false"), EXACT_NUMBERS)
        if kind == "d" or self._format.is_date:
            return self._cell_of_date(text)
        is_integer = not ("." in text or "E" in text or "e" in text)
        return cell_of_value(int(text) if is_integer else float(text), EXACT_NUMBERS)

    def _cell_of_date(self, text: str) -> Cell:
        from openpyxl.utils import datetime as dates

        if self._type == "d":
            return cell_of_value(dates.from_ISO8601(text), EXACT_NUMBERS)
        epoch = dates.MAC_EPOCH if self._is_1904 else dates.WINDOWS_EPOCH
        try:
            value = dates.from_excel(float(text), epoch, timedelta=self._format.is_duration)
        except (OverflowError, ValueError):
            message = f"the number {short_text(text)} is outside the dates of Excel"
            problem = CellProblem("error_value", message, "type the date")
            return Cell(text, problem=problem)
        return cell_of_value(value, EXACT_NUMBERS)

    def _end_row(self) -> None:
        cells = self._cells
        if not any(cell.text or cell.problem for cell in cells):
            return
        self._is_in_order = self._is_in_order and self._line > self._last_line
        self._last_line = self._line
        place = f"the cell {column_letters(len(cells))}{self._line}"
        self._empty_cells.add(self._gaps, len(cells) - self._gaps, place, self._line)
        self._sheet.rows.append(row_of_cells(self._line, cells, is_hidden=self._is_hidden))
        if self._most_rows is not None and len(self._sheet.rows) >= self._most_rows:
            raise _EnoughRowsError

    def _add_merged(self, attributes: Attributes) -> None:
        reference = attributes.get("ref", "")
        match = _RANGE.fullmatch(reference)
        if match is None:
            return
        left, right = sorted(_column_number(letters or match[1]) for letters in match.group(1, 3))
        top, bottom = sorted(int(row or match[2]) for row in match.group(2, 4))
        self._merged_cells += (right - left + 1) * (bottom - top + 1)
        MERGED_CELLS.check(self._merged_cells)
        self._merged.append(_CellRange(top, left, bottom, right, reference))

    def finish(self) -> Sheet:
        """Return the rows in ascending order, with the problems of merged cells."""
        rows = self._sheet.rows
        if not self._is_in_order:
            rows.sort(key=lambda row: row.line)
            for row, following in pairwise(rows):
                if row.line == following.line:
                    message = f"the sheet has the row {row.line} twice"
                    raise InputError(message, line=row.line, hint=SAVE_AGAIN)
        if self._merged:
            _mark_merged(rows, self._merged)
        return self._sheet


def _mark_merged(rows: list[TableRow], ranges: list[_CellRange]) -> None:
    """Add a problem to the empty cells that are part of merged cells."""
    ranges_of_line = defaultdict[int, list[_CellRange]](list)
    for area in ranges:
        for line in range(area.top, area.bottom + 1):
            ranges_of_line[line].append(area)
    for at, row in enumerate(rows):
        if row.line not in ranges_of_line:
            continue
        cells, problems = [*row.cells], dict(row.problems)
        for area in ranges_of_line[row.line]:
            message = f"the cell is part of the merged cells {area.name}; only the first has text"
            problem = CellProblem(MERGED, message, "unmerge the cells and fill them in")
            cells += [""] * (area.right - len(cells))
            for column in range(area.left, area.right + 1):
                is_first = (row.line, column) == (area.top, area.left)
                if not is_first and not cells[column - 1]:
                    problems[column - 1] = problem
        rows[at] = row._replace(cells=cells, problems=problems)


def _column_number(letters: str) -> int:
    """Return the number of the column with these letters, such as 28 for ``AB``."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """Return the letters of a column.

    Example:
        >>> column_letters(1), column_letters(28), column_letters(16_384)
        ('A', 'AB', 'XFD')
    """
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
