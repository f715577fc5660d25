"""Reads the sheet of a workbook that has the animals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.extras import import_extra
from petstore_frame.file_questions import sheet_question
from petstore_frame.limits import EMPTY_ROW_WEIGHT, EmptyCells
from petstore_frame.schema.text import join_names
from petstore_frame.tables.sheet_xml import Sheet, column_letters, read_sheet
from petstore_frame.tables.table import Layout, Table, TableRow
from petstore_frame.tables.workbook_xml import SheetPart, WorkbookParts

# Whether a row of a sheet can be the header of the list that is read.
MayBeHeader = Callable[[Sequence[str]], bool]
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
        InputError: The file is not a workbook, or exceeds a limit.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(self, file: BinaryIO) -> None:
        import_extra("openpyxl", "reading a workbook", "excel")
        self._parts = WorkbookParts(file)
        self.names = tuple(sheet.title for sheet in self._parts.sheets)
        if not self.names:
            raise InputError("the workbook has no sheet with cells")
        self._sheets = dict[str, Sheet]()  # those that were read

    def table(self, layout: Layout, may_be_header: MayBeHeader) -> Table:
        """Return the header and the rows of the sheet to read."""
        part = self._choose(layout, may_be_header)
        sheet = self._read(part)
        _reject_formulas(sheet, part.title)
        columns, header_row = [*(layout.columns or ())], layout.header_row
        if not columns:
            rows = sheet.rows
            if header_row is not None:
                rows = [row for row in rows if row.line == header_row]
            header = next((row for row in rows if any(map(str.strip, row.cells))), None)
            if header is None and header_row is None:
                message = f"no cells in the sheet {part.title!r}"
                raise InputError(message, hint="it must have a header and rows")
            if header is None:
                raise InputError(f"no header in row {header_row} of the sheet {part.title!r}")
            columns, header_row = [*header.cells], header.line
            while not columns[-1].strip():  # such as cells that are merged with a title
                columns.pop()
        below = partial(_rows_below, sheet, len(columns), header_row or 0)
        return Table(tuple(columns), below, header_row, {"sheet": part.title})

    def _read(self, part: SheetPart) -> Sheet:
        if part.title not in self._sheets:
            self._sheets[part.title] = read_sheet(self._parts, part)
        return self._sheets[part.title]

    def _choose(self, layout: Layout, may_be_header: MayBeHeader) -> SheetPart:
        """Return the sheet of the layout, or the only sheet that can have the list."""
        parts = self._parts.sheets
        if layout.sheet is not None:
            if layout.sheet not in self.names:
                message = f"no sheet is called {layout.sheet!r}"
                raise InputError(message, hint=f"the sheets are {join_names(self.names)}")
            part = parts[self.names.index(layout.sheet)]
            self._reject_sheet_of_report(part, may_be_header)
            return part
        candidates = [part for part in parts if part.is_visible] or parts
        candidates = [part for part in candidates if part.title in self._own_names] or candidates
        if len(candidates) == 1:
            return candidates[0]
        filled = {part.title: rows for part in candidates if (rows := self._first_rows(part))}
        candidates = [part for part in candidates if part.title in filled] or candidates[:1]
        if len(candidates) > 1:
            tables = [
                part for part in candidates if _may_hold_animals(filled[part.title], may_be_header)
            ]
            candidates = tables or candidates
        if len(candidates) == 1:
            return candidates[0]
        raise _ambiguous_sheets({part.title: filled[part.title] for part in candidates})

    @cached_property
    def _own_names(self) -> list[str]:
        """The sheets with the pets, if this package wrote the workbook; otherwise empty."""
        if _OWN_MARK not in self._parts.description:
            return []
        return [name for name in self.names if _OWN_PET_SHEET.fullmatch(name)]

    def _reject_sheet_of_report(self, part: SheetPart, may_be_header: MayBeHeader) -> None:
        """Reject a sheet of our own report that has no animals, such as its summary."""
        if not self._own_names or part.title in self._own_names:
            return
        if _may_hold_animals(self._first_rows(part), may_be_header):
            return  # somebody added it
        message = (
            f"this is a report that petstore-frame wrote, and its sheet {part.title!r} has no "
            "list of animals"
        )
        hint = f"the animals are in the sheet {join_names(self._own_names)}"
        question = sheet_question(message, self._own_names, hint, is_certain=True)
        raise InputError(message, hint=hint, questions=(question,))

    def _first_rows(self, part: SheetPart) -> list[list[str]]:
        """Return the first rows of a sheet that have text."""
        rows = read_sheet(self._parts, part, _HEADER_ROWS).rows
        texts = ([cell for cell in row.cells if cell.strip()] for row in rows)
        return [cells for cells in texts if cells]

    @property
    def custom_properties(self) -> Mapping[str, str]:
        """The custom properties of the workbook, as text by name."""
        return self._parts.custom_properties


def _reject_formulas(sheet: Sheet, title: str) -> None:
    """Reject a sheet with formulas that were saved without their values."""
    cells = sheet.uncalculated
    if not cells:
        return
    formulas = f"the formula in {cells[0]} of the sheet {title!r}"
    if len(cells) > 1:
        formulas += f" and {len(cells) - 1:,} more"
    raise InputError(
        f"{formulas} was never calculated",
        hint="open the workbook, save it and load it again, or replace formulas with values",
    )


def _rows_below(sheet: Sheet, width: int, above: int) -> Iterator[TableRow]:
    """Yield the rows below a header, with blank rows between them but not at the end."""
    done = above
    empty_cells = EmptyCells()
    for row in sheet.rows:
        if row.line <= above:
            continue
        if not row.problems and not any(map(str.strip, row.cells)):
            if row.line - done > _MAX_BLANK_ROWS:
                continue  # a far cell of spaces
        elif row.line - done > _MAX_BLANK_ROWS:
            raise _far_below(row, done)
        blank_rows = row.line - done - 1
        empty_cells.add(blank_rows * EMPTY_ROW_WEIGHT, len(row.cells), f"row {row.line}", row.line)
        for blank in range(done + 1, row.line):
            yield TableRow(blank, [])
        missing = [""] * (width - len(row.cells))
        yield row._replace(cells=[*row.cells, *missing]) if missing else row
        done = row.line


def _far_below(row: TableRow, last: int) -> InputError:
    """Return the error for a row far below the last row of the list."""
    at = next((at for at, text in enumerate(row.cells) if text.strip()), 0)
    message = f"the cell {column_letters(at + 1)}{row.line} is {row.line - last:,} rows below"
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
    message = f"the workbook has several sheets that may hold the animals: {join_names(titles)}"
    hint = "; ".join(examples)
    question = sheet_question(message, titles, hint)
    return InputError(message, hint=hint, questions=(question,))


def _may_hold_animals(rows: list[list[str]], may_be_header: MayBeHeader) -> bool:
    """Return True if one of the first rows of a sheet can be the header of a list of animals."""
    return any(len(row) > 1 and may_be_header(row) for row in rows)
