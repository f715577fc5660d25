"""The rows of a workbook's sheet, each cell judged by its type; no formula is calculated."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from petstore_frame.errors import InputError, MissingExtraError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.fields import CellError
from petstore_frame.loader.reading.kinds import changed, stamp_of
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.rows import MERGED, Oddity, Row
from petstore_frame.loader.reading.typed import text_of_value
from petstore_frame.loader.reading.workbook_parts import Merged, Parts, Sheet, Survey
from petstore_frame.loader.record import Record

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
# Cells that a row leaves out count too: a few bytes in the last column make a whole row.
MAX_CELLS = 64_000_000
# Of the workbooks that this package writes.
DATA_SHEET, ABOUT_SHEET = "Inventory", "About"
_BATCH = 64
# How a workbook spells a control character, and an underscore that could begin such a spelling.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F])_")


class Workbook:
    """A workbook whose parts have been looked through.

    Args:
        file: The file, open for bytes.
        path: Its path, for messages.

    Attributes:
        sheets: Its sheets that have cells.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._path, self._file, self._stamp = path, file, stamp_of(file)
        with _as_input_errors(path):
            self._parts = Parts(file)
            self.sheets = self._parts.sheets
            self._book = _load(file)

    def choose(self, name: str | None) -> Sheet:
        """Return the sheet that is meant: the one named, the only one, or that of our own report.

        Raises:
            InputError: There are several, or none of this name.
        """
        names = [sheet.name for sheet in self.sheets]
        listed = ", ".join(
            repr(sheet.name) + " (hidden)" * sheet.is_hidden for sheet in self.sheets[:12]
        )
        if name is None and is_own_book(names):
            name = DATA_SHEET
        if name is None:
            seen = [sheet for sheet in self.sheets if not sheet.is_hidden] or self.sheets
            if len(seen) == 1:
                return seen[0]
            raise InputError(
                f"the workbook has the sheets {listed}",
                path=str(self._path),
                hint=Advice(
                    "choose one, such as {}",
                    ("sheet", seen[0].name),
                    by_hand="choose one",
                ),
                answer={"sheet": seen[0].name},
            )
        if name not in names:
            raise InputError(
                f"no sheet is called {name!r}; there are {listed}", path=str(self._path)
            )
        return self.sheets[names.index(name)]

    def table(self, sheet: Sheet, reading: Reading) -> SheetTable:
        """Return the rows of a sheet, its header found.

        Raises:
            InputError: The sheet is empty, or has no header in the row that was named.
        """
        with _as_input_errors(self._path):
            survey = self._parts.survey(sheet)
        is_chosen = reading.sheet is None and len(self.sheets) > 1
        return SheetTable(sheet, survey, self._rows_of, self._path, reading, is_chosen=is_chosen)

    def _rows_of(self, sheet: Sheet) -> Iterator[Sequence[Any]]:
        """Yield the cells of a sheet; errors of the library become ours once per batch."""
        with _as_input_errors(self._path):
            opened = self._book[sheet.name]
            opened.reset_dimensions()  # the size that a file states need not be true
            rows, batch = iter(opened.iter_rows()), list[Any]()
        while True:
            with _as_input_errors(self._path):
                batch = list(islice(rows, _BATCH))
            if not batch:
                break
            yield from batch
        if stamp_of(self._file) != self._stamp:
            raise changed(self._path)


class SheetTable:
    """One sheet of a workbook.

    Args:
        sheet: The sheet.
        survey: What it has besides values.
        rows_of: Gives its rows.
        path: The workbook, for messages.
        reading: Where its header is.
        is_chosen: Whether the sheet was chosen here, of several.

    Attributes:
        columns: The names of the columns.
        header_row: Row of the header, or None for a sheet without.
        facts: How it is read.
        is_chosen: The sheet was chosen here, of several.
    """

    def __init__(
        self,
        sheet: Sheet,
        survey: Survey,
        rows_of: Callable[[Sheet], Iterator[Sequence[Any]]],
        path: Path,
        reading: Reading,
        *,
        is_chosen: bool = False,
    ) -> None:
        self._sheet, self._survey, self._rows_of, self._path = sheet, survey, rows_of, path
        self.facts: Mapping[str, Any] = {"sheet": sheet.name}
        self.is_chosen = is_chosen
        self.columns: tuple[str, ...] = ()
        if reading.columns is not None:
            self.columns, self.header_row = tuple(reading.columns), reading.header_row
        else:
            self.columns, self.header_row = self._read_header(reading.header_row)

    def rows(self) -> Iterator[Row]:
        """Yield the records from the first one on; blank rows at the end are left out."""
        width, done = len(self.columns), self.header_row or 0
        for row in islice(self._all_rows(), done, None):
            if not any(row.cells) and not row.oddities:
                continue  # a sheet often ends in formatted rows that hold nothing
            for blank in range(done + 1, row.line):
                yield Row(blank, [""] * width)
            yield row._replace(cells=[*row.cells, *[""] * (width - len(row.cells))])
            done = row.line

    def records(self, checker: Checker) -> Iterator[Record]:
        """Yield the rows as records."""
        return checker.records(self.rows())

    def _read_header(self, row: int | None) -> tuple[tuple[str, ...], int]:
        for line, cells, _, _ in islice(self._all_rows(), (row or 1) - 1, row):
            if any(cell.strip() for cell in cells):
                return tuple(cells), line
        where = (
            f"no header in row {row} of the sheet" if row is not None else "no cells in the sheet"
        )
        raise InputError(f"{where} {self._sheet.name!r}", path=str(self._path))

    def _all_rows(self) -> Iterator[Row]:
        """Yield all rows, the empty cells at their ends cut off."""
        count, merges = 0, _Merges(self._survey.merged)
        for line, values in enumerate(self._rows_of(self._sheet), 1):
            count += max(len(values), len(self.columns))
            if line > MAX_ROWS or len(values) > MAX_COLUMNS or count > MAX_CELLS:
                raise InputError(
                    f"the sheet {self._sheet.name!r} is larger than {MAX_ROWS:,} rows, "
                    f"{MAX_COLUMNS:,} columns or {MAX_CELLS:,} cells, empty ones included",
                    path=str(self._path),
                    line=line,
                    hint="keep only the columns and rows of the animals",
                )
            cells, oddities = _judge_row(values)
            self._mark_uncalculated(line, cells, oddities)
            covered = list(merges.covered(line, max(len(cells), len(self.columns))))
            if covered and (oddities or any(cells)):
                _mark_merged(cells, oddities, covered)
            while cells and not cells[-1] and len(cells) - 1 not in oddities:
                cells.pop()
            yield Row(line, cells, oddities, line in self._survey.hidden)

    def _mark_uncalculated(self, line: int, cells: list[str], oddities: dict[int, Oddity]) -> None:
        if not self._survey.uncalculated:
            return
        for at, text in enumerate(cells):
            if not text and (line, at + 1) in self._survey.uncalculated:
                oddities[at] = CellError(
                    "formula_without_value",
                    "the cell holds a formula whose value was never calculated",
                    "open the workbook and save it, or type the value",
                )


class _Merges:
    """Which cells of a row are covered by merged ones, row after row."""

    def __init__(self, merged: Sequence[Merged]) -> None:
        self._waiting, self._active = list(reversed(merged)), list[Merged]()

    def covered(self, line: int, width: int) -> Iterator[tuple[int, Merged]]:
        """Yield the position of each cell that a merged one above or beside it covers."""
        while self._waiting and self._waiting[-1].first_row <= line:
            self._active.append(self._waiting.pop())
        if self._active:
            self._active = [merged for merged in self._active if merged.last_row >= line]
        for merged in self._active:
            for column in range(merged.first_column, min(merged.last_column, width) + 1):
                if (line, column) != (merged.first_row, merged.first_column):
                    yield column - 1, merged


def _mark_merged(
    cells: list[str], oddities: dict[int, Oddity], covered: Sequence[tuple[int, Merged]]
) -> None:
    """Say of the empty cells of a row which merged cells they are a part of."""
    for at, merged in covered:
        cells += [""] * (at + 1 - len(cells))
        if not cells[at]:
            oddities[at] = CellError(
                MERGED,
                f"the cell is a part of the merged cells {merged.name}, whose text is in the first",
                "unmerge the cells and fill in each",
            )


def _judge_row(values: Sequence[Any]) -> tuple[list[str], dict[int, Oddity]]:
    cells, oddities = list[str](), dict[int, Oddity]()
    for at, cell in enumerate(values):
        value = cell.value
        if value is None:
            cells.append("")
        elif cell.data_type == "e":
            cells.append(str(value))
            oddities[at] = CellError(
                "error_value", f"the cell shows {value}", "fix the formula, or type the value"
            )
        elif isinstance(value, str):
            cells.append(_ESCAPE.sub(_unescaped, value) if "_x" in value else value)
        else:
            text, oddity = text_of_value(value, has_exact_integers=False)
            cells.append(text)
            if oddity is not None:
                oddities[at] = oddity
    return cells, oddities


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16))


def is_own_book(names: Sequence[str]) -> bool:
    """Tell whether a workbook of several sheets is one of ours: its pets are on one of them."""
    return DATA_SHEET in names and ABOUT_SHEET in names


def _load(file: BinaryIO) -> Any:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError("reading a workbook", "excel") from None
    file.seek(0)
    return load_workbook(file, read_only=True, data_only=True, keep_links=False)


@contextmanager
def _as_input_errors(path: Path) -> Iterator[None]:
    """Turn every error of the parsers into one of ours, and suppress their warnings on styles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (InputError, MissingExtraError) as problem:
        if isinstance(problem, InputError):
            problem.path = problem.path or str(path)
        raise
    except Exception as problem:  # noqa: BLE001 # openpyxl lets the errors of its parsers through
        raise InputError(
            f"the workbook cannot be read: {problem}", path=str(path), hint="save it again as .xlsx"
        ) from None
