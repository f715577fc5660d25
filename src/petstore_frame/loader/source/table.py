"""Defines the table that every source is read into: columns, and rows of text cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import RowOrigin, RowProblem

DATE_NOTE: str = "date→text"
NUMBER_NOTE: str = "number→text"
PADDED_NOTE: str = "padded_number"
# From here on, neighboring whole numbers share one float.
EXACT_FLOATS = 2**53


class Cell(NamedTuple):
    """The text of a cell, and a note or a problem from its type or position."""

    text: str
    note: str | None = None  # for a warning
    problem: RowProblem | None = None  # why the text cannot be sent


EMPTY_CELL = Cell("")


class TableRow(NamedTuple):
    """The cells of a row as text, with the notes and problems of its source."""

    line: int  # on which it begins
    cells: Sequence[str]
    lines: int = 1  # how many it takes
    notes: Mapping[int, str] = {}  # by the position of the cell
    problems: Mapping[int, RowProblem] = {}  # likewise
    doubt: RowProblem | None = None  # why a person has to confirm the row
    is_confirmed: bool = False  # whether a person did
    origin: RowOrigin | None = None  # the row that a row of a fix file corrects


@dataclass(frozen=True)
class Table:
    """The names of columns, and a function that yields the rows from the first one.

    ``header_row`` is None if no header was read; ``facts`` are encoding and delimiter, or sheet.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterator[TableRow]]
    header_row: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def readable_rows(self) -> Iterator[TableRow]:
        """Yield the rows up to one that cannot be read; ``rows`` raises the error for it."""
        with suppress(InputError):
            yield from self.rows()

    def cells(self) -> Iterator[Sequence[str]]:
        """Yield the cells of the rows up to one that cannot be read."""
        for row in self.readable_rows():
            yield row.cells


def row_of_cells(line: int, cells: Iterable[Cell], doubt: RowProblem | None = None) -> TableRow:
    """Return a row of cells that were read by their type."""
    texts, notes, problems = list[str](), dict[int, str](), dict[int, RowProblem]()
    for at, cell in enumerate(cells):
        texts.append(cell.text)
        if cell.note is not None:
            notes[at] = cell.note
        if cell.problem is not None:
            problems[at] = cell.problem
    return TableRow(line, texts, notes=notes, problems=problems, doubt=doubt)


def cell_of_value(value: Any, exact_below: int, *, has_exact_integers: bool = False) -> Cell:
    """Return the cell of a value that is not missing, judged by its type.

    A date is not a name, TRUE is not text, and a number from ``exact_below`` on may not be the
    number that was typed: Excel keeps 15 digits.
    """
    if isinstance(value, str):
        return Cell(str(value))
    if type(value).__name__ in ("bool", "bool_"):
        text = "TRUE" if value else "FALSE"
        message = f"the cell holds the truth value {text}"
        return Cell(text, problem=RowProblem("boolean_value", message, hint="make it text"))
    if isinstance(value, Decimal):
        # 1.000 is the number 1: its type says that the point groups no digits.
        is_integer = value.is_finite() and value == value.to_integral_value()
        return Cell(f"{value:.0f}" if is_integer else str(value), NUMBER_NOTE)
    if isinstance(value, Real):
        return _cell_of_number(value, exact_below, has_exact_integers=has_exact_integers)
    if isinstance(value, date | time | timedelta):
        return Cell(_text_of_date(value), DATE_NOTE)
    message = f"the cell must hold text or a number, got {type(value).__name__}"
    problem = RowProblem("not_text", message, hint="replace it with text or a number")
    return Cell(str(value)[:200], problem=problem)


def _text_of_date(value: date | time | timedelta) -> str:
    """Return a date in ISO format, a moment at midnight as its date."""
    if not isinstance(value, datetime):
        return str(value)
    is_day = value.time() == time(0) and value.tzinfo is None
    return (value.date() if is_day else value).isoformat()


def _cell_of_number(value: Real, exact_below: int, *, has_exact_integers: bool) -> Cell:
    number: int | float = int(value) if isinstance(value, Integral) else float(value)
    is_integer = isinstance(number, int) or (number.is_integer() and abs(number) < 1e21)
    text = str(int(number)) if is_integer else repr(number)
    if abs(number) < exact_below or (has_exact_integers and isinstance(number, int)):
        return Cell(text, NUMBER_NOTE)
    message = f"{text} is past {exact_below - 1}, so it may not be the number that was typed"
    problem = RowProblem("inexact_number", message, hint="keep such numbers as text")
    return Cell(text, problem=problem)
