"""A table of text cells, as a text file, a sheet or a DataFrame gives it.

A sheet and a DataFrame hold typed values: each is text here, with a note or a refusal by its type.
No formula is calculated.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import islice
from numbers import Integral, Real
from typing import Any, BinaryIO, NamedTuple

from petstore_frame.errors import ArgumentError, InputError, MissingExtraError
from petstore_frame.files.book import EXACT_NUMBERS
from petstore_frame.loader.reading.fields import suspicious
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.loader.record import RecordOrigin, RecordProblem, Suspicion
from petstore_frame.schema.text import kind_text

MERGED = "merged_cell"
DATE_NOTE: str = "date→text"
NUMBER_NOTE: str = "number→text"
# From here on, neighbouring whole numbers share one float.
_EXACT_FLOATS = 2**53
_MIB = 1024 * 1024
# A packed file can unpack to thousands of times its size, and a library holds each cell as an
# object: what a sheet unpacks to, and how many cells it spans, are known before.
MAX_UNPACKED, MAX_CELLS, MAX_COLUMNS = 256 * _MIB, 16_000_000, 16_384
_FREE_SIZE, _MAX_RATIO = 8 * _MIB, 200
# Of the workbooks that this package writes.
DATA_SHEET, ABOUT_SHEET = "Inventory", "About"
# How a workbook spells a control character, and an underscore that could begin such a spelling.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F])_")
_MERGED_RANGE = re.compile(rb'mergeCell [^>]*ref="([A-Z]+[0-9]+:[A-Z]+[0-9]+)"')
# A refusal or a note on a cell, for its type or its place.
CellNote = RecordProblem | str
Typed = tuple[str, CellNote | None]


@dataclass(frozen=True)
class RowNotes:
    """What a source knows of a row besides the text of its cells.

    Notes on cells by their position, why the record needs a person's yes, whether there is one, and
    the record that the user corrected.
    """

    cells: Mapping[int, CellNote] = field(default_factory=dict)
    held: RecordProblem | None = None
    is_confirmed: bool = False
    origin: RecordOrigin | None = None


class Row(NamedTuple):
    """The cells of a record, the line they begin on, and how many lines they take."""

    line: int
    cells: Sequence[str]
    notes: RowNotes | None = None
    lines: int = 1


@dataclass(frozen=True)
class Table:
    """The names of columns, and a function that gives the rows below, each time anew.

    ``header_row`` is None where none was read; ``facts`` are encoding and delimiter, or sheet.
    ``first_rows`` gives the first ones, cut by themselves where the delimiter may be another.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    header_row: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    first_rows: Callable[[], Iterator[Row]] = lambda: iter(())

    def readable(self) -> Iterator[Row]:
        """Yield its rows down to one that cannot be read; who makes records of them says why."""
        with suppress(InputError):
            yield from self.rows()


def typed_row(line: int, typed: Iterable[Typed], held: RecordProblem | None = None) -> Row:
    """Return a row of cells that were read by their type."""
    texts = list(typed)
    cells = {at: note for at, (_, note) in enumerate(texts) if note is not None}
    notes = RowNotes(cells, held) if cells or held is not None else None
    return Row(line, [text for text, _ in texts], notes)


def text_of_value(value: Any, *, has_exact_integers: bool) -> Typed:
    """Return the text of a value that is not missing, and a note or a refusal by its type.

    A date is not a name, TRUE is not text, and a number of too many digits may not be the one that
    was typed: Excel keeps 15, a frame ``has_exact_integers``.
    """
    exact = _EXACT_FLOATS if has_exact_integers else EXACT_NUMBERS
    if isinstance(value, str):
        return str(value), None
    if type(value).__name__ in ("bool", "bool_"):
        word = "TRUE" if value else "FALSE"
        what = f"the cell holds the truth value {word}"
        return word, RecordProblem("boolean_value", what, hint="make it text")
    if isinstance(value, Decimal):
        return str(value), NUMBER_NOTE
    if isinstance(value, Real):
        number: int | float = int(value) if isinstance(value, Integral) else float(value)
        is_whole = isinstance(number, int) or (number.is_integer() and abs(number) < 1e21)
        text = str(int(number)) if is_whole else repr(number)
        if abs(number) < exact or (has_exact_integers and isinstance(number, int)):
            return text, NUMBER_NOTE
        what = f"{text} is past {exact - 1}, so it may not be the number that was typed"
        return text, RecordProblem("inexact_number", what, hint="keep such numbers as text")
    if isinstance(value, datetime):
        is_day = value.time() == time(0) and value.tzinfo is None
        return (value.date() if is_day else value).isoformat(), DATE_NOTE
    if isinstance(value, date | time | timedelta):
        return str(value), DATE_NOTE
    what = f"expected text or a number, the cell holds {kind_text(value)}"
    return str(value)[:200], RecordProblem("not_text", what, hint="give text or a number")


def frame_table(frame: Any) -> Table:
    """Return a DataFrame as a table; a record's line is its position, from 1.

    Raises:
        ArgumentError: It is not a frame.
    """
    import narwhals as nw

    found = nw.from_native(frame, pass_through=True)
    if isinstance(found, nw.LazyFrame):
        found = found.collect()
    if not isinstance(found, nw.DataFrame):
        got = kind_text(frame)
        raise ArgumentError(f"expected a DataFrame or the path of a file, got {got}")
    return Table(tuple(map(str, found.columns)), partial(_frame_rows, found))


def _frame_rows(frame: Any) -> Iterator[Row]:
    for line, values in enumerate(frame.iter_rows(), 1):
        typed = [
            ("", None) if _is_missing(each) else text_of_value(each, has_exact_integers=True)
            for each in values
        ]
        yield typed_row(line, typed)


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None
    import pandas as pd

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


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
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # on styles
                has_formulas = _refuse_bombs(file)
                self._book = openpyxl.load_workbook(file, data_only=True, keep_links=False)
                # A second reading tells a formula that was never calculated from an empty cell.
                self._formulas = openpyxl.load_workbook(file) if has_formulas else None
        except Exception as problem:  # openpyxl lets the errors of its parsers through
            if isinstance(problem, InputError):
                raise
            hint = "save it again as .xlsx"
            raise InputError(f"the workbook cannot be read: {problem}", hint=hint) from None
        self.sheets = self._book.worksheets
        if not self.sheets:
            raise InputError("the workbook has no sheet with cells")
        self.names = tuple(sheet.title for sheet in self.sheets)

    def table(self, options: RecipeFields) -> Table:
        """Return the rows of the sheet to read, its header found."""
        sheet = self._choose(options.sheet)
        columns, header_row = [*(options.columns or ())], options.header_row
        if options.columns is None:
            rows = islice(self._rows(sheet), (header_row or 1) - 1, header_row)
            header = next((row for row in rows if any(map(str.strip, row.cells))), None)
            if header is None:
                where = "no cells in" if header_row is None else f"no header in row {header_row} of"
                raise InputError(f"{where} the sheet {sheet.title!r}")
            columns, header_row = [*header.cells], header.line
            while not columns[-1].strip():  # the cells that a title is merged with
                columns.pop()
        below = partial(self._records, sheet, len(columns), header_row or 0)
        return Table(tuple(columns), below, header_row, {"sheet": sheet.title}, below)

    def _choose(self, name: str | None) -> Any:
        """Return the sheet to read: the one named, the only one, or our own report's."""
        shown = [sheet for sheet in self.sheets if sheet.sheet_state == "visible"]
        listed = ", ".join(
            repr(sheet.title) if sheet in shown else f"{sheet.title!r} (hidden)"
            for sheet in self.sheets[:12]
        )
        if name is None and {DATA_SHEET, ABOUT_SHEET} <= {*self.names}:
            name = DATA_SHEET
        if name in self.names:
            return self._book[name]
        if name is not None:
            raise InputError(f"no sheet is called {name!r}; there are {listed}")
        first, *more = shown or self.sheets
        if more:
            what, add = f"the workbook has the sheets {listed}", ("sheet", first.title)
            raise InputError(what, hint="choose one", add=add)
        return first

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
            size = f"{MAX_COLUMNS:,} columns or {MAX_CELLS:,} cells, empty ones included"
            what = f"the sheet {sheet.title!r} is larger than {size}"
            raise InputError(what, hint="keep only the columns and rows of the animals")
        missing = self._missing_cells(sheet)
        what = "the row is hidden in the workbook, by a filter or by hand"
        hidden = suspicious(Suspicion.HIDDEN_ROW, what)
        for line, cells in enumerate(sheet.iter_rows(), 1):
            typed = [_typed(cell, missing) for cell in cells]
            if not any(text or note is _UNCALCULATED for text, note in typed):
                typed = []
            while typed and typed[-1] == ("", None):
                typed.pop()
            dimension = sheet.row_dimensions.get(line)
            is_hidden = dimension is not None and (dimension.hidden or dimension.height == 0)
            yield typed_row(line, typed, hidden if is_hidden else None)

    def _missing_cells(self, sheet: Any) -> dict[tuple[int, int], RecordProblem]:
        """Return why cells have no value, by their places: parts of merged ones, formulas."""
        found: dict[tuple[int, int], RecordProblem] = {}
        for each in sheet.merged_cells.ranges:
            what = f"the cell is a part of the merged cells {each}, whose text is in the first"
            merged = RecordProblem(MERGED, what, hint="unmerge the cells and fill in each")
            found |= {
                place: merged for place in each.cells if place != (each.min_row, each.min_col)
            }
        for row in () if self._formulas is None else self._formulas[sheet.title]:
            for cell in row:
                if cell.data_type == "f":
                    found[cell.row, cell.column] = _UNCALCULATED
        return found


_UNCALCULATED = RecordProblem(
    "formula_without_value",
    "the cell holds a formula whose value was never calculated",
    hint="open the workbook and save it, or type the value",
)


def _typed(cell: Any, missing: Mapping[tuple[int, int], RecordProblem]) -> Typed:
    value = cell.value
    if value is None:
        # A formula whose value is the empty text has the type "str".
        return "", None if cell.data_type == "str" else missing.get((cell.row, cell.column))
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
    from openpyxl.utils import range_boundaries

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
            for found in _MERGED_RANGE.findall(text):
                left, top, right, bottom = range_boundaries(found.decode())
                area += (bottom - top + 1) * (right - left + 1)
            if area > MAX_CELLS:
                raise _too_much(f"{part.filename[:60]} merges {area:,} cells")
    return has_formulas


def _too_much(what: str) -> InputError:
    hint = "save the sheet as CSV and load that"
    return InputError(f"{what}; no list of animals needs that much", hint=hint)
