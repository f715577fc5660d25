"""Recognizes rows that are not animals: totals, footers, repeated headers, swallowed rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from petstore_frame.loader.row_state import RowProblem, Suspicion
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER, suspicious
from petstore_frame.loader.source.totals import is_footer_row, is_total_row
from petstore_frame.tables.table import ZERO_FORMULA_PREFIX, TableRow

_FOOTER_ROW = suspicious(
    Suspicion.TOTAL_ROW, "this looks like the foot of a printed list, not like an animal"
)
REPEATED_HEADER = RowProblem(
    "repeated_header",
    "the row repeats the names of the columns, so it is not an animal",
    hint="delete it, or exclude its line",
)
_TOTAL_ROW = suspicious(Suspicion.TOTAL_ROW, "this looks like a row of totals, not like an animal")


def repeats_header(cells: Sequence[str], columns: Sequence[str]) -> bool:
    """Return True for the header of another page or file, copied with its rows."""
    texts = [cell.strip() for cell in cells]
    return any(texts) and texts == [column.strip() for column in columns]


def with_total(
    problems: list[RowProblem], cells: Sequence[str], *, may_be_animal: bool
) -> list[RowProblem]:
    """Return the problems of a row; those of a total or the foot of a list, with that one first.

    Such a row gets no other option to add: a default for the category would make it an animal. If
    it may be an animal, a person must say whether to allow or to exclude it.
    """
    totals = [problem for problem in problems if problem.allow == Suspicion.TOTAL_ROW]
    if not totals and "" in cells and is_total_row(cells):
        totals = [_TOTAL_ROW]
    if not totals and is_footer_row(cells):
        totals = [_FOOTER_ROW]
    if not totals:
        return problems
    others = [problem for problem in problems if problem.allow != Suspicion.TOTAL_ROW]
    if not may_be_animal:
        totals = [replace(problem, add=("exclude_lines", PLACEHOLDER)) for problem in totals]
    return [*totals, *(replace(problem, add=None) for problem in others)]


def without_defaults(problems: list[RowProblem]) -> list[RowProblem]:
    """Return the problems of a row that has nothing of an animal, so that no default fits it."""
    return [
        replace(problem, add=None) if (problem.add or ("",))[0] == "defaults" else problem
        for problem in problems
    ]


def is_swallowing(cells: Sequence[str], delimiter: str, width: int) -> bool:
    """Return True if a cell of a text file contains line breaks and what looks like rows."""
    delimiters = width - 1
    if not delimiter or not delimiters:
        return False
    for at, cell in enumerate(cells):
        first, *below = cell.splitlines() or [""]
        # The rest of the row with the opening quote, or a complete row below it.
        is_rest = bool(below) and 0 < first.count(delimiter) == delimiters - at
        if is_rest or any(line.count(delimiter) == delimiters for line in below):
            return True
    return False


def swallowed(row: TableRow) -> RowProblem:
    """Return the problem of a row with a cell that seems to contain other rows."""
    lines = f"lines {row.line} to {row.line + row.lines - 1}"
    message = f"a cell seems to contain other rows, in {lines}: it starts with a quote"
    problem = suspicious(Suspicion.SWALLOWED_ROWS, message)
    hint = "close the quote, or read quotes as text with quoting 'none'"
    return replace(problem, hint=hint, add=("quoting", PLACEHOLDER))


def zero_formula(note: str) -> RowProblem:
    """Return the problem of a text whose cell is a formula with the value 0."""
    place = note.removeprefix(ZERO_FORMULA_PREFIX)
    message = f"the cell {place} is a formula with the value 0, which is not a text"
    hint = (
        "perhaps it was never calculated, or refers to an empty cell: calculate and save the "
        "workbook in Excel, or type the value"
    )
    return RowProblem("zero_formula", message, hint=hint)
