"""The rows of a workbook's sheet, each cell read by its type; no formula is calculated."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

from petstore_frame.errors import InputError, MissingExtraError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.fields import suspicious
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.tables import (
    MERGED,
    Row,
    Table,
    Typed,
    text_of_value,
    typed_row,
)
from petstore_frame.loader.record import RecordProblem, Suspicion

_MIB = 1024 * 1024
# A packed file can unpack to thousands of times its size, and a library holds each cell as an
# object: what a sheet unpacks to, and how many cells it spans, are known before.
MAX_UNPACKED, MAX_CELLS, MAX_COLUMNS = 256 * _MIB, 16_000_000, 16_384
_FREE_SIZE, _MAX_RATIO = 8 * _MIB, 200
# Of the workbooks that this package writes.
DATA_SHEET, ABOUT_SHEET = "Inventory", "About"
# How a workbook spells a control character, and an underscore that could begin such a spelling.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F])_")
_MERGED_RANGE = re.compile(rb'mergeCell [^>]*ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')


class Workbook:
    """A workbook, with its ``sheets`` that have cells.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(self, file: BinaryIO) -> None:
        try:
            import openpyxl
        except ImportError:
            raise MissingExtraError("reading a workbook", "excel") from None
        with _as_input_errors():
            has_formulas = _refuse_bombs(file)
            self._book = openpyxl.load_workbook(file, data_only=True, keep_links=False)
            # A second reading tells a formula that was never calculated from an empty cell.
            self._formulas = openpyxl.load_workbook(file) if has_formulas else None
        self.sheets = self._book.worksheets
        if not self.sheets:
            raise InputError("the workbook has no sheet with cells")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sheets."""
        return tuple(sheet.title for sheet in self.sheets)

    def table(self, options: RecipeOptions) -> Table:
        """Return the rows of the sheet to read, its header found."""
        sheet = self._choose(options.sheet)
        columns, header_row = options.columns, options.header_row
        if columns is None:
            rows = islice(self._rows(sheet), (header_row or 1) - 1, header_row)
            header = next((row for row in rows if any(map(str.strip, row.cells))), None)
            if header is None:
                where = "no cells in" if header_row is None else f"no header in row {header_row} of"
                raise InputError(f"{where} the sheet {sheet.title!r}")
            columns, header_row = [*header.cells], header.line
            while not columns[-1].strip():  # the cells that a title is merged with
                columns.pop()
        below = partial(self._records, sheet, len(columns), header_row or 0)
        return Table(tuple(columns), below, header_row, {"sheet": sheet.title})

    def _choose(self, name: str | None) -> Any:
        """Return the sheet to read: the one named, the only one, or our own report's."""
        shown = [sheet for sheet in self.sheets if sheet.sheet_state == "visible"]
        listed = ", ".join(
            repr(sheet.title) if sheet in shown else f"{sheet.title!r} (hidden)"
            for sheet in self.sheets[:12]
        )
        if name is None and {DATA_SHEET, ABOUT_SHEET} <= {*self.names}:
            name = DATA_SHEET
        if name is None:
            seen = shown or self.sheets
            if len(seen) == 1:
                return seen[0]
            answer = {"sheet": seen[0].title}
            hint = Advice("choose one, such as {}", *answer.items(), by_hand="choose one")
            raise InputError(f"the workbook has the sheets {listed}", hint=hint, answer=answer)
        if name not in self.names:
            raise InputError(f"no sheet is called {name!r}; there are {listed}")
        return self.sheets[self.names.index(name)]

    def _records(self, sheet: Any, width: int, above: int) -> Iterator[Row]:
        """Yield the rows below a header; blank rows at the end are left out."""
        done = above
        for line, cells, notes, _ in islice(self._rows(sheet), above, None):
            if not any(cells) and not (notes and notes.cells):
                continue  # a sheet often ends in formatted rows that hold nothing
            for blank in range(done + 1, line):
                yield Row(blank, [""] * width)
            yield Row(line, [*cells, *[""] * (width - len(cells))], notes)
            done = line

    def _rows(self, sheet: Any) -> Iterator[Row]:
        """Yield all rows, the empty cells at their ends cut off."""
        cells = sheet.max_row * sheet.max_column
        if cells > MAX_CELLS or sheet.max_column > MAX_COLUMNS:
            what = (
                f"the sheet {sheet.title!r} is larger than {MAX_COLUMNS:,} columns or "
                f"{MAX_CELLS:,} cells, empty ones included"
            )
            raise InputError(what, hint="keep only the columns and rows of the animals")
        merged = {
            (row, column): str(each)
            for each in sheet.merged_cells.ranges
            for row, column in each.cells
            if (row, column) != (each.min_row, each.min_col)
        }
        formulas = set() if self._formulas is None else _formulas(self._formulas[sheet.title])
        what = "the row is hidden in the workbook, by a filter or by hand"
        hidden = suspicious(Suspicion.HIDDEN_ROW, what)
        for line, cells in enumerate(sheet.iter_rows(), 1):
            typed = [_typed(cell) for cell in cells]
            for at, (text, _) in enumerate(typed):
                if not text and (line, at + 1) in merged:
                    typed[at] = "", _is_merged(merged[line, at + 1])
                elif (line, at + 1) in formulas and _is_uncalculated(cells[at]):
                    typed[at] = "", _UNCALCULATED
            if not any(text or note is _UNCALCULATED for text, note in typed):
                typed = []
            while typed and typed[-1] == ("", None):
                typed.pop()
            dimension = sheet.row_dimensions.get(line)
            is_hidden = dimension is not None and (dimension.hidden or dimension.height == 0)
            yield typed_row(line, typed, hidden if is_hidden else None)


_UNCALCULATED = RecordProblem(
    "formula_without_value",
    "the cell holds a formula whose value was never calculated",
    hint="open the workbook and save it, or type the value",
)


def _formulas(sheet: Any) -> set[tuple[int, int]]:
    return {(each.row, each.column) for row in sheet for each in row if each.data_type == "f"}


def _is_uncalculated(cell: Any) -> bool:
    """Tell whether a formula has no value; one whose value is the empty text has that type."""
    return cell.value is None and cell.data_type != "str"


def _is_merged(name: str) -> RecordProblem:
    what = f"the cell is a part of the merged cells {name}, whose text is in the first"
    return RecordProblem(MERGED, what, hint="unmerge the cells and fill in each")


def _typed(cell: Any) -> Typed:
    value = cell.value
    if value is None:
        return "", None
    if cell.data_type == "e":
        hint = "fix the formula, or type the value"
        return str(value), RecordProblem("error_value", f"the cell shows {value}", hint=hint)
    if isinstance(value, str):
        return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), value), None
    return text_of_value(value, has_exact_integers=False)


def _refuse_bombs(file: BinaryIO) -> bool:
    """Look through a packed file before a library unpacks it; tell whether it has formulas.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
    """
    from openpyxl.utils import column_index_from_string

    has_formulas = False
    with zipfile.ZipFile(file) as packed:
        parts = [part for part in packed.infolist() if not part.is_dir()]
        if not any(part.filename.startswith("xl/") for part in parts):
            what = "a zip file, but not a workbook"
            raise InputError(what, hint="unpack it, or save it as .xlsx")
        # A part never gives out more than its size in the directory, which is looked at here.
        size = sum(part.file_size for part in parts)
        if size > MAX_UNPACKED:
            raise _too_much(f"it would unpack to {size // _MIB:,} MiB")
        for part in parts:
            if part.file_size > max(_FREE_SIZE, _MAX_RATIO * part.compress_size):
                size = part.file_size // _MIB
                raise _too_much(f"{part.filename[:60]} inside would unpack to {size:,} MiB")
            if not part.filename.startswith("xl/worksheets/"):
                continue
            text = packed.read(part)
            has_formulas |= b"<f>" in text or b"<f " in text or b":f>" in text
            area = 0
            for left, top, right, bottom in _MERGED_RANGE.findall(text):
                columns = [column_index_from_string(each.decode()) for each in (left, right)]
                area += (int(bottom) - int(top) + 1) * (columns[1] - columns[0] + 1)
            if area > MAX_CELLS:
                raise _too_much(f"{part.filename[:60]} merges {area:,} cells")
    return has_formulas


def _too_much(what: str) -> InputError:
    hint = "save the sheet as CSV and load that"
    return InputError(f"{what}; no list of animals needs that much", hint=hint)


@contextmanager
def _as_input_errors() -> Iterator[None]:
    """Turn every error of the parsers into one of ours, and suppress their warnings on styles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as problem:  # openpyxl lets the errors of its parsers through
        if isinstance(problem, InputError | MissingExtraError):
            raise
        hint = "save it again as .xlsx"
        raise InputError(f"the workbook cannot be read: {problem}", hint=hint) from None
