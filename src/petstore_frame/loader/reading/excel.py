"""Which rows a workbook's sheet holds, each cell judged by its type.

In: an ``.xlsx`` file. Out: rows of text with what the cells' types add to it, streamed. It
never calculates a formula; what may be unpacked is unpack.py's business.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from typing import Any, BinaryIO

from petstore_frame._internal.voice import Advice
from petstore_frame.errors import InputError, MissingExtraError
from petstore_frame.loader.reading.check import OddRow
from petstore_frame.loader.reading.fields import CellError
from petstore_frame.loader.reading.typed import Oddity, text_of_value
from petstore_frame.loader.reading.unpack import OverfullError, Packed

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
# Cells that a row leaves out count too: a few bytes in the last column make a whole row.
MAX_CELLS = 64_000_000
# Of the workbooks that this package writes.
DATA_SHEET, ABOUT_SHEET = "Inventory", "About"
_BATCH = 64
_FORMULAS = (b"<f>", b"<f ", b"<f/")
_AS_CSV = "save the sheet as CSV and load that"
# How a workbook spells a control character, and an underscore that could begin such a spelling.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F])_")


class Workbook:
    """One sheet of a workbook.

    Args:
        file: The file, open for bytes.
        path: Its path, for messages.
        sheet: Name of the sheet; None if there is only one.
        columns: The column names of a sheet without a header.
        header_row: Number of the header's row; None is the first that is not blank.

    Attributes:
        header: The column names.
        sheet: Name of the sheet.
        is_chosen: The sheet was chosen here, of several.

    Raises:
        InputError: It is not a workbook, or has several sheets and none was named.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(
        self,
        file: BinaryIO,
        path: str,
        sheet: str | None,
        columns: Sequence[str] | None,
        header_row: int | None = None,
    ) -> None:
        self._path = path
        self.header, self._header_line = tuple(columns or ()), 0
        try:
            with _quiet(path):
                book = _Book(file, is_calculated=True)
                self.sheet = _choose(list(book.paths), book.hidden, sheet, path)
                self.is_chosen = sheet is None and len(book.paths) > 1
                self._books = [book]
                if book.parts.holds(book.paths[self.sheet], *_FORMULAS):
                    self._books.append(_Book(file, is_calculated=False))
        except OverfullError as problem:
            raise InputError(str(problem), path=path, hint=_AS_CSV) from None
        if columns is None:
            self.header = self._read_header(header_row)

    def rows(self) -> Iterator[OddRow]:
        """Yield the records from the first one on; blank rows at the end are left out."""
        width, done = len(self.header), self._header_line
        for line, cells, oddities in islice(self._all_rows(), self._header_line, None):
            if not any(cells) and not oddities:
                continue  # a sheet often ends in formatted rows that hold nothing
            for blank in range(done + 1, line):
                yield blank, [""] * width, {}
            yield line, [*cells, *[""] * (width - len(cells))], oddities
            done = line

    def _read_header(self, row: int | None) -> tuple[str, ...]:
        for line, cells, _ in islice(self._all_rows(), (row or 1) - 1, row):
            if any(cell.strip() for cell in cells):
                self._header_line = line
                return tuple(cells)
        if row is not None:
            raise InputError(f"no header in row {row} of the sheet {self.sheet!r}", path=self._path)
        raise InputError(f"the sheet {self.sheet!r} is empty", path=self._path)

    def _all_rows(self) -> Iterator[tuple[int, list[str], dict[int, CellError | str]]]:
        """Yield all rows, the empty cells at their ends cut off."""
        rows = zip_longest(*(book.rows(self.sheet) for book in self._books), fillvalue=())
        cells = 0
        for line, pair in enumerate(self._in_batches(rows), 1):
            cells += max(len(pair[0]), len(self.header))
            if line > MAX_ROWS or len(pair[0]) > MAX_COLUMNS or cells > MAX_CELLS:
                raise InputError(
                    f"the sheet {self.sheet!r} is larger than {MAX_ROWS:,} rows, "
                    f"{MAX_COLUMNS:,} columns or {MAX_CELLS:,} cells, empty ones included",
                    path=self._path,
                    line=line,
                    hint="keep only the columns and rows of the animals",
                )
            yield line, *_judge_row(*pair)

    def _in_batches(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Yield rows; warnings and errors of the library are handled once per batch."""
        done, batch = 0, list[Any]()
        while True:
            batch.clear()
            try:
                with _quiet(self._path):
                    batch.extend(islice(rows, _BATCH))
            except OverfullError as problem:
                raise InputError(
                    f"this row of the sheet {self.sheet!r} {problem.excess}",
                    path=self._path,
                    line=done + len(batch) + 1,
                    hint=_AS_CSV,
                ) from None
            if not batch:
                return
            done += len(batch)
            yield from batch


class _Book:
    """A workbook as openpyxl reads it.

    Args:
        file: The file, open for bytes.
        is_calculated: Whether a formula's cell gives its last value, or the formula.

    Attributes:
        parts: The packed parts.
        paths: The part of each sheet that has cells, by the sheet's name.
        hidden: The sheets of these that a person does not see.
    """

    def __init__(self, file: BinaryIO, *, is_calculated: bool) -> None:
        try:
            from openpyxl.reader.excel import ExcelReader, apply_stylesheet
        except ImportError:
            raise MissingExtraError("reading a workbook", "excel") from None
        self.parts = Packed(file)
        if "xl/workbook.xml" not in self.parts.namelist():
            raise InputError(
                "a zip file, but not a workbook", hint="unpack it, or save it as .xlsx"
            )
        reader = ExcelReader(file, read_only=True, data_only=is_calculated, keep_links=False)
        reader.archive = self.parts
        # What cells are made of. The reader's own read() goes through every sheet besides.
        reader.read_manifest()
        reader.read_strings()
        reader.read_workbook()
        apply_stylesheet(self.parts, reader.wb)
        self._reader = reader
        sheets = [
            (sheet, relation.target)
            for sheet, relation in reader.parser.find_sheets()
            if "chartsheet" not in relation.Type
        ]
        self.paths = {sheet.name: target for sheet, target in sheets}
        self.hidden = {sheet.name for sheet, _ in sheets if sheet.state != "visible"}
        self.parts.has_rows = True

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Yield the cells of a sheet row by row, missing rows too.

        Raises:
            OverfullError: A row is larger than those of animals are.
        """
        from openpyxl.worksheet._read_only import ReadOnlyWorksheet

        class Sheet(ReadOnlyWorksheet):  # type: ignore[misc] # openpyxl has no types
            def _get_size(self) -> None:
                """Ignore the size that the file states."""

        sheet = Sheet(self._reader.wb, name, self.paths[name], self._reader.shared_strings)
        for row in sheet.iter_rows():
            self.parts.rest()
            yield row


def _judge_row(
    values: Sequence[Any], formulas: Sequence[Any] = ()
) -> tuple[list[str], dict[int, CellError | str]]:
    cells, oddities = list[str](), dict[int, CellError | str]()
    for at, cell in enumerate(values):
        formula = formulas[at].data_type == "f" if at < len(formulas) else False
        text, oddity = _judge_cell(cell, has_formula=formula)
        cells.append(text)
        if oddity is not None:
            oddities[at] = oddity
    while cells and not cells[-1] and len(cells) - 1 not in oddities:
        cells.pop()
    return cells, oddities


def _judge_cell(cell: Any, *, has_formula: bool) -> tuple[str, Oddity]:
    if cell.value is None:
        # A formula whose value is the empty text has the type of text.
        return "", _uncalculated() if has_formula and cell.data_type != "str" else None
    if cell.data_type == "e":
        return str(cell.value), CellError(
            "error_value", f"the cell shows {cell.value}", "fix the formula, or type the value"
        )
    if isinstance(cell.value, str):
        return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), cell.value), None
    return text_of_value(cell.value, has_exact_integers=False)


def _uncalculated() -> CellError:
    return CellError(
        "formula_without_value",
        "the cell holds a formula whose value was never calculated",
        "open the workbook and save it, or type the value",
    )


def is_own_book(names: Sequence[str]) -> bool:
    """Tell whether a workbook of several sheets is one of ours: its pets are on one of them."""
    return DATA_SHEET in names and ABOUT_SHEET in names


def _choose(names: Sequence[str], hidden: Container[str], sheet: str | None, path: str) -> str:
    listed = ", ".join(repr(name) + " (hidden)" * (name in hidden) for name in names[:12])
    if sheet is None and is_own_book(names):
        return DATA_SHEET
    if sheet is None:
        seen = [name for name in names if name not in hidden] or names
        if len(seen) != 1:
            raise InputError(
                f"the workbook has the sheets {listed}",
                path=path,
                hint=Advice(
                    "choose one with {}",
                    ("sheet",),
                    by_hand="save the sheet to import as a file of its own",
                ),
            )
        return seen[0]
    if sheet not in names:
        raise InputError(f"no sheet is called {sheet!r}; there are {listed}", path=path)
    return sheet


@contextmanager
def _quiet(path: str) -> Iterator[None]:
    """Turn every error of the parser into one of ours, and suppress its warnings on styles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (InputError, MissingExtraError, OverfullError):
        raise
    except Exception as problem:  # noqa: BLE001 # openpyxl lets the errors of its parsers through
        raise InputError(
            f"the workbook cannot be read: {problem}", path=path, hint="save it again as .xlsx"
        ) from None
