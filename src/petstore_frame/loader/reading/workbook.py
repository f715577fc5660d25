"""The rows of a workbook's sheet, each cell judged by its type; no formula is calculated."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from petstore_frame.errors import InputError, MissingExtraError
from petstore_frame.loader.advice import Advice
from petstore_frame.loader.reading.fields import CellError, suspicious
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.tables import (
    MERGED,
    Judged,
    Row,
    Table,
    text_of_value,
    typed_row,
)
from petstore_frame.loader.reading.workbook_parts import Merged, Survey, refuse_bombs, survey
from petstore_frame.loader.record import Suspicion

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
# Cells that a row leaves out count too: a few bytes in the last column make a whole row.
MAX_CELLS = 64_000_000
# Of the workbooks that this package writes.
DATA_SHEET, ABOUT_SHEET = "Inventory", "About"
_BATCH = 64
# How a workbook spells a control character, and an underscore that could begin such a spelling.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F])_")


class Sheet(NamedTuple):
    """A sheet with cells: its name, the part of the file that holds it, and whether it is seen."""

    name: str
    part: str
    is_hidden: bool


class Workbook:
    """A workbook whose parts have been looked through, with its ``sheets`` that have cells.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(self, file: BinaryIO) -> None:
        try:
            from openpyxl.reader.excel import ExcelReader
        except ImportError:
            raise MissingExtraError("reading a workbook", "excel") from None
        self._file = file
        with _as_input_errors():
            refuse_bombs(file)
            reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
            reader.read()
            self._book, parts = reader.wb, set(reader.valid_files)
            self.sheets = [
                Sheet(sheet.name, link.target, sheet.state != "visible")
                for sheet, link in reader.parser.find_sheets()
                if link.target in parts and link.Type.endswith("/worksheet")
            ]
            if not self.sheets:
                raise InputError("the workbook has no sheet with cells")

    def table(self, reading: Reading) -> Table:
        """Return the rows of the sheet that is meant, its header found."""
        sheet = self._choose(reading.sheet)
        columns, header_row = reading.columns, reading.header_row
        with _as_input_errors():
            found = survey(self._file, sheet.part, sheet.name)
        if columns is None:
            rows = islice(self._rows(sheet.name, found), (header_row or 1) - 1, header_row)
            header = next((row for row in rows if any(map(str.strip, row.cells))), None)
            if header is None:
                where = "no cells in" if header_row is None else f"no header in row {header_row} of"
                raise InputError(f"{where} the sheet {sheet.name!r}")
            columns, header_row = header.cells, header.line
        below = partial(self._records, sheet.name, found, len(columns), header_row or 0)
        return Table(tuple(columns), below, header_row, {"sheet": sheet.name})

    def _choose(self, name: str | None) -> Sheet:
        """Return the sheet that is meant: the one named, the only one, or our own report's."""
        names = [sheet.name for sheet in self.sheets]
        listed = ", ".join(
            repr(sheet.name) + " (hidden)" * sheet.is_hidden for sheet in self.sheets[:12]
        )
        if name is None and {DATA_SHEET, ABOUT_SHEET} <= set(names):
            name = DATA_SHEET
        if name is None:
            seen = [sheet for sheet in self.sheets if not sheet.is_hidden] or self.sheets
            if len(seen) == 1:
                return seen[0]
            answer = {"sheet": seen[0].name}
            hint = Advice("choose one, such as {}", *answer.items(), by_hand="choose one")
            raise InputError(f"the workbook has the sheets {listed}", hint=hint, answer=answer)
        if name not in names:
            raise InputError(f"no sheet is called {name!r}; there are {listed}")
        return self.sheets[names.index(name)]

    def _records(self, sheet: str, found: Survey, width: int, above: int) -> Iterator[Row]:
        """Yield the rows below a header; blank rows at the end are left out."""
        done = above
        for line, cells, aside in islice(self._rows(sheet, found, width), above, None):
            if not any(cells) and not (aside and aside.oddities):
                continue  # a sheet often ends in formatted rows that hold nothing
            for blank in range(done + 1, line):
                yield Row(blank, [""] * width)
            yield Row(line, [*cells, *[""] * (width - len(cells))], aside)
            done = line

    def _rows(self, sheet: str, found: Survey, width: int = 0) -> Iterator[Row]:
        """Yield all rows, the empty cells at their ends cut off."""
        count, merges = 0, _Merges(found.merged)
        is_hidden = "the row is hidden in the workbook, by a filter or by hand"
        hidden = suspicious(Suspicion.HIDDEN_ROW, is_hidden)
        for line, values in enumerate(self._values(sheet), 1):
            count += max(len(values), width)
            if line > MAX_ROWS or len(values) > MAX_COLUMNS or count > MAX_CELLS:
                what = (
                    f"the sheet {sheet!r} is larger than {MAX_ROWS:,} rows, "
                    f"{MAX_COLUMNS:,} columns or {MAX_CELLS:,} cells, empty ones included"
                )
                hint = "keep only the columns and rows of the animals"
                raise InputError(what, line=line, hint=hint)
            judged = [_judge(cell) for cell in values]
            for at, (text, _) in enumerate(judged if found.uncalculated else []):
                if not text and (line, at + 1) in found.uncalculated:
                    what = "the cell holds a formula whose value was never calculated"
                    hint = "open the workbook and save it, or type the value"
                    judged[at] = "", CellError("formula_without_value", what, hint)
            if found.merged and any(text or oddity for text, oddity in judged):
                merges.mark(line, judged, max(len(judged), width))
            while judged and judged[-1] == ("", None):
                judged.pop()
            yield typed_row(line, judged, hidden if line in found.hidden else None)

    def _values(self, sheet: str) -> Iterator[Sequence[Any]]:
        """Yield the cells of a sheet; errors of the library become ours once per batch."""
        with _as_input_errors():
            opened = self._book[sheet]
            opened.reset_dimensions()  # the size that a file states need not be true
            rows, batch = iter(opened.iter_rows()), list[Any]()
        while True:
            with _as_input_errors():
                batch = list(islice(rows, _BATCH))
            if not batch:
                break
            yield from batch


class _Merges:
    """The merged cells of a sheet, asked row after row."""

    def __init__(self, merged: Sequence[Merged]) -> None:
        self._waiting, self._active = list(reversed(merged)), list[Merged]()

    def mark(self, line: int, judged: list[Judged], width: int) -> None:
        """Say of the empty cells of a row which merged cells they are a part of."""
        while self._waiting and self._waiting[-1][0] <= line:
            self._active.append(self._waiting.pop())
        self._active = [merged for merged in self._active if merged[2] >= line]
        for top, left, _, right, name in self._active:
            for at in range(left - 1, min(right, width)):
                judged += [("", None)] * (at + 1 - len(judged))
                if not judged[at][0] and (line, at + 1) != (top, left):
                    what = (
                        f"the cell is a part of the merged cells {name}, whose text is in the first"
                    )
                    judged[at] = "", CellError(MERGED, what, "unmerge the cells and fill in each")


def _judge(cell: Any) -> Judged:
    value = cell.value
    if value is None:
        return "", None
    if cell.data_type == "e":
        hint = "fix the formula, or type the value"
        return str(value), CellError("error_value", f"the cell shows {value}", hint)
    if isinstance(value, str):
        return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), value), None
    return text_of_value(value, has_exact_integers=False)


@contextmanager
def _as_input_errors() -> Iterator[None]:
    """Turn every error of the parsers into one of ours, and suppress their warnings on styles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as problem:  # openpyxl lets the errors of its parsers through
        if isinstance(problem, InputError):
            raise
        hint = "save it again as .xlsx"
        raise InputError(f"the workbook cannot be read: {problem}", hint=hint) from None
