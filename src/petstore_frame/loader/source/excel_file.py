"""Reads a frame, a workbook or a text as columns with rows of text below them."""

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

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.extras import import_extra
from petstore_frame.loader.row_state import RowOrigin, RowProblem, Suspicion
from petstore_frame.loader.source.cell_parsing import suspicious
from petstore_frame.loader.source.recipe_options import RecipeFields
from petstore_frame.storage import excel_styles as styles

MERGED = "merged_cell"
DATE_NOTE: str = "date→text"
NUMBER_NOTE: str = "number→text"
# From here on, neighbouring whole numbers share one float.
_EXACT_FLOATS = 2**53
_MIB = 1024 * 1024
# A packed file can unpack to thousands of times its size, and a library holds each cell as an
# object: what a workbook unpacks to, and how many cells it spans, are known before.
MAX_UNPACKED, MAX_CELLS = 256 * _MIB, 16_000_000
# Of the workbooks that this package writes.
_DATA_SHEET, _ABOUT_SHEET = "Inventory", "About"
_MERGED_RANGE = re.compile(rb'mergeCell [^>]*ref="([A-Z]+[0-9]+:[A-Z]+[0-9]+)"')
# A formula that gave an empty text has the type "str", too.
_UNCALCULATED = re.compile(
    rb'<c (?:(?!t="str")[^>])*><f[^>]*(?:/>|>[^<]*</f>)(?:<v ?/>|<v></v>)?</c>'
)
# A refusal or a note on a cell, for its type or its place.
CellNote = RowProblem | str
Typed = tuple[str, CellNote | None]
_EMPTY: Typed = "", None
_HIDDEN = suspicious(
    Suspicion.HIDDEN_ROW, "the row is hidden in the workbook, by a filter or by hand"
)


class Row(NamedTuple):
    """The cells of a record, and what its source knows besides their text."""

    line: int  # that it begins on
    cells: Sequence[str]
    lines: int = 1  # that it takes
    notes: Mapping[int, CellNote] = {}  # by the position of the cell
    doubt: RowProblem | None = None  # why it needs a person's yes,
    is_confirmed: bool = False  # and whether there is one
    origin: RowOrigin | None = None  # the record that the user corrected


@dataclass(frozen=True)
class Table:
    """The names of columns, and a function that gives the rows below, each time anew.

    ``header_row`` is None where none was read; ``facts`` are encoding and delimiter, or sheet.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    header_row: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def cells(self) -> Iterator[Sequence[str]]:
        """Yield the cells of its rows down to one that cannot be read; ``rows`` says why."""
        with suppress(InputError):
            for row in self.rows():
                yield row.cells


def _row_of(line: int, typed: Iterable[Typed], doubt: RowProblem | None = None) -> Row:
    """Return a row of cells that were read by their type."""
    texts = list(typed)
    notes = {at: note for at, (_, note) in enumerate(texts) if note is not None}
    return Row(line, [text for text, _ in texts], notes=notes, doubt=doubt)


def _text_of(value: Any, exact: int, *, has_exact_integers: bool = False) -> Typed:
    """Return the text of a value that is not missing, and a note or a refusal by its type.

    A date is not a name, TRUE is not text, and a number from ``exact`` on may not be the one that
    was typed: Excel keeps 15 digits.
    """
    if type(value).__name__ in ("bool", "bool_"):
        word = "TRUE" if value else "FALSE"
        what = f"the cell holds the truth value {word}"
        return word, RowProblem("boolean_value", what, hint="make it text")
    if isinstance(value, Decimal):
        return str(value), NUMBER_NOTE
    if isinstance(value, Real):
        number: int | float = int(value) if isinstance(value, Integral) else float(value)
        is_whole = isinstance(number, int) or (number.is_integer() and abs(number) < 1e21)
        text = str(int(number)) if is_whole else repr(number)
        if abs(number) < exact or (has_exact_integers and isinstance(number, int)):
            return text, NUMBER_NOTE
        what = f"{text} is past {exact - 1}, so it may not be the number that was typed"
        return text, RowProblem("inexact_number", what, hint="keep such numbers as text")
    if isinstance(value, datetime):
        is_day = value.time() == time(0) and value.tzinfo is None
        return (value.date() if is_day else value).isoformat(), DATE_NOTE
    if isinstance(value, date | time | timedelta):
        return str(value), DATE_NOTE
    what = f"expected text or a number, the cell holds {type(value).__name__}"
    return str(value)[:200], RowProblem("not_text", what, hint="give text or a number")


def frame_table(frame: Any) -> Table:
    """Return a DataFrame as a table; a record's line is its position, from 1."""
    import narwhals as nw

    found = nw.from_native(frame, pass_through=True)
    if isinstance(found, nw.LazyFrame):
        found = found.collect()
    if not isinstance(found, nw.DataFrame):
        got = type(frame).__name__
        raise ArgumentError(f"expected a DataFrame or the path of a file, got {got}")

    def rows() -> Iterator[Row]:
        for line, values in enumerate(found.iter_rows(), 1):
            yield _row_of(line, map(_of_frame, values))

    return Table(tuple(map(str, found.columns)), rows)


def _of_frame(value: Any) -> Typed:
    import pandas as pd

    if isinstance(value, str):
        return str(value), None
    if value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value))):
        return _EMPTY
    return _text_of(value, _EXACT_FLOATS, has_exact_integers=True)


class Workbook:
    """A workbook, with the ``names`` of its sheets that have cells.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(self, file: BinaryIO) -> None:
        openpyxl = import_extra("openpyxl", "reading a workbook", "excel")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # on styles
                _refuse_packed(file)
                self._book = openpyxl.load_workbook(file, data_only=True, keep_links=False)
        except InputError:
            raise
        except Exception as problem:  # noqa: BLE001 # openpyxl lets the errors of its parsers through
            hint = "save it again as .xlsx"
            raise InputError(f"the workbook cannot be read: {problem}", hint=hint) from None
        self.names = tuple(sheet.title for sheet in self._book.worksheets)
        if not self.names:
            raise InputError("the workbook has no sheet with cells")

    def table(self, recipe: RecipeFields) -> Table:
        """Return the rows of the sheet to read, its header found."""
        sheet = self._choose(recipe.sheet)
        columns, header_row = [*(recipe.columns or ())], recipe.header_row
        if not columns:
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
        sheets = self._book.worksheets
        shown = [each for each in sheets if each.sheet_state == "visible"] or sheets
        if name is None and {_DATA_SHEET, _ABOUT_SHEET} <= {*self.names}:
            name = _DATA_SHEET
        if name is None and len(shown) == 1:
            return shown[0]
        if name in self.names:
            return self._book[name]
        listed = ", ".join(map(repr, self.names[:12]))
        if name is not None:
            raise InputError(f"no sheet is called {name!r}; there are {listed}")
        what, add = f"the workbook has the sheets {listed}", ("sheet", shown[0].title)
        raise InputError(what, hint="choose one", add=add)

    def _records(self, sheet: Any, width: int, above: int) -> Iterator[Row]:
        """Yield the rows below a header; a sheet often ends in formatted rows without a cell."""
        done = above
        for row in islice(self._rows(sheet), above, None):
            if any(row.cells) or row.notes:
                yield from (Row(blank, []) for blank in range(done + 1, row.line))
                yield row._replace(cells=[*row.cells, *[""] * (width - len(row.cells))])
                done = row.line

    def _rows(self, sheet: Any) -> Iterator[Row]:
        """Yield all rows, the empty cells at their ends cut off."""
        if (cells := sheet.max_row * sheet.max_column) > MAX_CELLS:
            raise _too_large(f"has {cells:,} cells, empty ones included")
        merged = dict[tuple[int, int], CellNote]()
        for each in sheet.merged_cells.ranges:
            what = f"the cell is a part of the merged cells {each}, whose text is in the first"
            part = RowProblem(MERGED, what, hint="unmerge the cells and fill in each")
            merged |= dict.fromkeys(each.cells, part)  # the first has its text
        for line, cells in enumerate(sheet.iter_rows(), 1):
            typed = [_of_sheet(cell, merged.get((cell.row, cell.column))) for cell in cells]
            if not any(text for text, _ in typed):
                typed = []
            while typed and typed[-1] == _EMPTY:
                typed.pop()
            look = sheet.row_dimensions.get(line)
            is_hidden = look is not None and (look.hidden or look.height == 0)
            yield _row_of(line, typed, _HIDDEN if is_hidden else None)


def _of_sheet(cell: Any, merged: CellNote | None) -> Typed:
    value = cell.value
    if value is None:
        return "", merged
    if cell.data_type == "e":
        hint = "fix the formula, or type the value"
        return str(value), RowProblem("error_value", f"the cell shows {value}", hint=hint)
    if isinstance(value, str):
        from openpyxl.utils.escape import unescape  # of control characters

        return unescape(value) if "_x" in value else value, None
    return _text_of(value, styles.EXACT_NUMBERS)


def _refuse_packed(file: BinaryIO) -> None:
    """Refuse a file that a library should not unpack, or cannot read the cells of."""
    from openpyxl.utils import range_boundaries

    area = 0
    with zipfile.ZipFile(file) as packed:
        parts = packed.infolist()
        if not any(part.filename.startswith("xl/") for part in parts):
            what = "a zip file, but not a workbook"
            raise InputError(what, hint="unpack it, or save it as .xlsx")
        # A part never gives out more than its size in the directory, which is looked at here.
        if (size := sum(part.file_size for part in parts)) > MAX_UNPACKED:
            raise _too_large(f"would unpack to {size // _MIB:,} MiB")
        for part in parts:
            text = packed.read(part) if part.filename.startswith("xl/worksheets/") else b""
            if _UNCALCULATED.search(text):
                what = "the workbook holds formulas whose values were never calculated"
                raise InputError(what, hint="open it and save it, or type the values")
            for found in _MERGED_RANGE.findall(text):
                left, top, right, bottom = range_boundaries(found.decode())
                area += (right - left + 1) * (bottom - top + 1)
    if area > MAX_CELLS:
        raise _too_large(f"merges {area:,} cells")


def _too_large(what: str) -> InputError:
    hint = "save the cells of the animals as CSV, and load that"
    return InputError(f"the workbook {what}, more than a list of animals needs", hint=hint)
