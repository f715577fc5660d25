"""Reads the sheet of a workbook that has the animals."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Any, BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.extras import import_extra
from petstore_frame.questions import PLACEHOLDER
from petstore_frame.schema.text import join_names
from petstore_frame.storage import excel_styles as styles
from petstore_frame.tables.number_formats import displayed_number
from petstore_frame.tables.table import (
    DISPLAYED_PREFIX,
    EMPTY_CELL,
    ZERO_FORMULA_PREFIX,
    Cell,
    CellProblem,
    Layout,
    Table,
    TableRow,
    cell_of_value,
    row_of_cells,
)
from petstore_frame.tables.workbook_xml import (
    MergedCells,
    SheetFacts,
    read_parts,
)

# Whether a row of a sheet can be the header of the list that is read.
MayBeHeader = Callable[[Sequence[str]], bool]
MERGED = "merged_cell"
# Marks a workbook that this package wrote; its pets are in these sheets.
_OWN_MARK = "Made with petstore-frame"
_OWN_SHEET = "Inventory"
_OWN_PET_SHEET = re.compile(rf"{_OWN_SHEET}(?: \d+)?")
# Number of rows to search for a header; number of rows and sheets in a question.
_HEADER_ROWS, _EXAMPLE_ROWS, _EXAMPLE_SHEETS = 20, 2, 6
# A cell further below the others is a slip of the keyboard; a list has no such gap.
_MAX_BLANK_ROWS = 10_000


class Workbook:
    """A workbook; ``names`` are the titles of its sheets with cells.

    Raises:
        InputError: The file is not a workbook, or is too large when it is unpacked.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(self, file: BinaryIO) -> None:
        openpyxl = import_extra("openpyxl", "reading a workbook", "excel")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about styles
                parts = read_parts(file)
                # Before openpyxl opens a sheet, because that may need much memory.
                self._facts = {title: parts.sheet_facts(file, title) for title in parts.sheet_files}
                self._book = openpyxl.load_workbook(
                    file, read_only=True, data_only=True, keep_links=False
                )
        except InputError:
            raise
        except Exception as problem:  # noqa: BLE001 # openpyxl lets the errors of its parsers through
            raise _unreadable(problem) from None
        self.names = tuple(sheet.title for sheet in self._book.worksheets)
        if not self.names:
            raise InputError("the workbook has no sheet with cells")

    def table(self, layout: Layout, may_be_header: MayBeHeader) -> Table:
        """Return the header and the rows of the sheet to read."""
        sheet = self._choose(layout, may_be_header)
        self._reject_formulas(sheet)
        columns, header_row = [*(layout.columns or ())], layout.header_row
        if not columns:
            rows = self._rows(sheet)
            if header_row is not None:
                rows = (row for row in rows if row.line == header_row)
            header = next((row for row in rows if any(map(str.strip, row.cells))), None)
            if header is None and header_row is None:
                message = f"no cells in the sheet {sheet.title!r}"
                raise InputError(message, hint="it must have a header and rows")
            if header is None:
                raise InputError(f"no header in row {header_row} of the sheet {sheet.title!r}")
            columns, header_row = [*header.cells], header.line
            while not columns[-1].strip():  # such as cells that are merged with a title
                columns.pop()
        below = partial(self._rows_below, sheet, len(columns), header_row or 0)
        return Table(tuple(columns), below, header_row, {"sheet": sheet.title})

    def _choose(self, layout: Layout, may_be_header: MayBeHeader) -> Any:
        """Return the sheet of the recipe, or the only sheet that can have the animals."""
        if layout.sheet is not None:
            if layout.sheet not in self.names:
                message = f"no sheet is called {layout.sheet!r}"
                raise InputError(message, hint=f"the sheets are {join_names(self.names)}")
            self._reject_sheet_of_report(layout.sheet, may_be_header)
            return self._book[layout.sheet]
        sheets = self._book.worksheets
        candidates = [sheet for sheet in sheets if sheet.sheet_state == "visible"] or sheets
        candidates = [sheet for sheet in candidates if sheet.title in self._own_names] or candidates
        if len(candidates) == 1:
            return candidates[0]
        filled = {sheet.title: rows for sheet in candidates if (rows := self._first_rows(sheet))}
        candidates = [sheet for sheet in candidates if sheet.title in filled] or candidates[:1]
        if len(candidates) > 1:
            tables = [
                sheet
                for sheet in candidates
                if _may_hold_animals(filled[sheet.title], may_be_header)
            ]
            candidates = tables or candidates
        if len(candidates) == 1:
            return candidates[0]
        raise _ambiguous_sheets({sheet.title: filled[sheet.title] for sheet in candidates})

    @cached_property
    def _own_names(self) -> list[str]:
        """The sheets with the pets, if this package wrote the workbook; otherwise empty."""
        if _OWN_MARK not in (self._book.properties.description or ""):
            return []
        return [name for name in self.names if _OWN_PET_SHEET.fullmatch(name)]

    def _reject_sheet_of_report(self, title: str, may_be_header: MayBeHeader) -> None:
        """Reject a sheet of our own report that has no animals, such as its summary."""
        if not self._own_names or title in self._own_names:
            return
        if _may_hold_animals(self._first_rows(self._book[title]), may_be_header):
            return  # somebody added it
        raise InputError(
            f"this is a report that petstore-frame wrote, and its sheet {title!r} has no "
            "list of animals",
            hint=f"the animals are in the sheet {join_names(self._own_names)}",
            add=("sheet", self._own_names[0]),
        )

    def _first_rows(self, sheet: Any) -> list[list[str]]:
        """Return the first rows of a sheet that have text."""
        rows = (list(filter(str.strip, row.cells)) for row in self._rows(sheet))
        return [*islice(filter(None, rows), _HEADER_ROWS)]

    def _facts_of(self, sheet: Any) -> SheetFacts:
        return self._facts.get(sheet.title) or SheetFacts()

    def _reject_formulas(self, sheet: Any) -> None:
        """Reject a sheet with formulas that were saved without their values."""
        cells = self._facts_of(sheet).uncalculated
        if not cells:
            return
        formulas = f"the formula in {cells[0]} of the sheet {sheet.title!r}"
        if len(cells) > 1:
            formulas += f" and {len(cells) - 1:,} more"
        raise InputError(
            f"{formulas} was never calculated",
            hint="open the workbook, save it and load it again, or replace formulas with values",
        )

    def _rows_below(self, sheet: Any, width: int, above: int) -> Iterator[TableRow]:
        """Yield the rows below a header, with blank rows between them but not at the end."""
        done = above
        for row in self._rows(sheet):
            if row.line > above:
                if row.line - done > _MAX_BLANK_ROWS:
                    if not row.problems and not any(map(str.strip, row.cells)):
                        continue  # a far cell of spaces
                    raise _far_below(row, done)
                for blank in range(done + 1, row.line):
                    yield TableRow(blank, [])
                missing = [""] * (width - len(row.cells))
                yield row._replace(cells=[*row.cells, *missing])
                done = row.line

    def _rows(self, sheet: Any) -> Iterator[TableRow]:
        """Yield the rows with text or a problem, without the empty cells at their end."""
        facts = self._facts_of(sheet)
        merged = MergedCells(facts.merged)
        sheet.reset_dimensions()  # the stored size may be wrong
        try:
            for line, values in enumerate(sheet.iter_rows(), 1):
                if not values and not merged:
                    continue
                cells = [_cell_of_sheet(value) for value in values]
                if facts.zero_formulas:
                    _mark_zero_formulas(cells, line, facts, sheet.title)
                if merged:
                    _mark_merged(cells, line, merged)
                while cells and cells[-1] == EMPTY_CELL:
                    cells.pop()
                if cells and any(cell.text or cell.problem for cell in cells):
                    yield row_of_cells(line, cells, is_hidden=line in facts.hidden_rows)
        except (ValueError, TypeError, KeyError, IndexError, SyntaxError) as problem:
            raise _unreadable(problem) from None


def _unreadable(problem: Exception) -> InputError:
    reason = str(problem).partition("\n")[0][:200]
    return InputError(f"the workbook cannot be read: {reason}", hint="save it again as .xlsx")


def _far_below(row: TableRow, last: int) -> InputError:
    """Return the error for a row far below the last row of the list."""
    from openpyxl.utils import get_column_letter

    at = next((at for at, text in enumerate(row.cells) if text.strip()), 0)
    message = f"the cell {get_column_letter(at + 1)}{row.line} is {row.line - last:,} rows below"
    return InputError(f"{message} the list", line=row.line, hint="delete it, or move it up")


def _ambiguous_sheets(first_rows: dict[str, list[list[str]]]) -> InputError:
    """Return the error that asks which sheet to read, with the first rows of several sheets."""
    titles = [*first_rows]
    examples = []
    for title in titles[:_EXAMPLE_SHEETS]:
        rows = " / ".join(map(join_names, first_rows[title][:_EXAMPLE_ROWS]))
        examples.append(f"{title!r} begins with {rows}")
    if more := titles[_EXAMPLE_SHEETS:]:
        examples.append(f"{len(more)} more sheets have a list, too")
    return InputError(
        f"the workbook has several sheets that may hold the animals: {join_names(titles)}",
        hint="; ".join(examples),
        add=("sheet", PLACEHOLDER),
        likely=titles[0],
    )


def _may_hold_animals(rows: list[list[str]], may_be_header: MayBeHeader) -> bool:
    """Return True if one of the first rows of a sheet can be the header of a list of animals."""
    return any(len(row) > 1 and may_be_header(row) for row in rows)


def _mark_merged(cells: list[Cell], line: int, merged: MergedCells) -> None:
    """Add a problem to the empty cells that are part of merged cells."""
    for column, area in merged.in_row(line):
        message = f"the cell is part of the merged cells {area.name}; only the first has text"
        problem = CellProblem(MERGED, message, "unmerge the cells and fill them in")
        while len(cells) < column:
            cells.append(EMPTY_CELL)
        if not cells[column - 1].text:
            cells[column - 1] = Cell("", problem=problem)


def _mark_zero_formulas(cells: list[Cell], line: int, facts: SheetFacts, title: str) -> None:
    """Add a note to the formulas with the value 0, which may never have been calculated."""
    from openpyxl.utils import get_column_letter

    for column, cell in enumerate(cells, 1):
        if cell.text == "0" and facts.is_zero_formula(line, column):
            place = f"{title!r}!{get_column_letter(column)}{line}"
            cells[column - 1] = cell._replace(note=f"{ZERO_FORMULA_PREFIX}{place}")


def _cell_of_sheet(cell: Any) -> Cell:
    value = cell.value
    if value is None:
        return EMPTY_CELL
    if cell.data_type == "e":
        hint = "fix the formula, or type the value"
        return Cell(
            str(value),
            problem=CellProblem("error_value", f"the cell shows {value}", hint),
        )
    if isinstance(value, str):
        from openpyxl.utils.escape import unescape  # of control characters

        return Cell(unescape(value) if "_x" in value else value)
    read = cell_of_value(value, styles.EXACT_NUMBERS)
    displayed = displayed_number(read.text, cell.number_format or "")
    return read if displayed is None else read._replace(note=f"{DISPLAYED_PREFIX}{displayed}")
