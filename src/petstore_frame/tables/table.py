"""Defines the common form of all sources: a table with columns, and rows of text cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.schema.text import short_text

DATE_NOTE: str = "date→text"
NUMBER_NOTE: str = "number→text"
# Before the place of a formula with the value 0, in a note such as ``zero_formula:'Pets'!A2``.
ZERO_FORMULA_NOTE: str = "zero_formula"
ZERO_FORMULA_PREFIX: str = f"{ZERO_FORMULA_NOTE}:"
# Above this, several whole numbers have the same float.
EXACT_FLOATS = 2**53


class CellProblem(NamedTuple):
    """Why the text of a cell cannot be used."""

    code: str  # a short name of the cause, such as ``error_value``
    message: str
    hint: str


class Cell(NamedTuple):
    """The text of a cell, and a note or a problem from its type or position."""

    text: str
    note: str | None = None  # for a warning
    problem: CellProblem | None = None


EMPTY_CELL = Cell("")


class RowOrigin(NamedTuple):
    """The imported row that a row of a fix file corrects."""

    import_id: str  # or the start of it
    row: int


class TableRow(NamedTuple):
    """The cells of a row as text, with the notes and problems of its source."""

    line: int  # the first line of the row
    cells: Sequence[str]
    lines: int = 1  # the number of lines of the row
    notes: Mapping[int, str] = {}  # by the position of the cell
    problems: Mapping[int, CellProblem] = {}  # by the position of the cell
    is_hidden: bool = False  # in the workbook, by a filter or by hand
    answer: str = ""  # what a person wrote in a row of a fix file, such as ``yes``
    origin: RowOrigin | None = None  # the row that a row of a fix file corrects


@dataclass(frozen=True)
class Layout:
    """How a file is read; None is what the file itself says."""

    encoding: str | None = None
    delimiter: str | None = None
    quoting: str = "strict"
    sheet: str | None = None
    header_row: int | None = None
    columns: tuple[str, ...] | None = None  # of a file without a header


@dataclass(frozen=True)
class Table:
    """The column names, and a function that returns a new iterator over the rows.

    ``header_row`` is None without a header; ``facts`` has the encoding and delimiter, or the sheet.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterator[TableRow]]
    header_row: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def readable_rows(self) -> Iterator[TableRow]:
        """Yield the rows above the first unreadable one; ``rows`` raises its error instead."""
        with suppress(InputError):
            yield from self.rows()

    def cells(self) -> Iterator[Sequence[str]]:
        """Yield the cells of the rows above the first unreadable one."""
        for row in self.readable_rows():
            yield row.cells


def is_number_note(note: str) -> bool:
    """Return True if a note only says that the text of a cell was a number."""
    return note == NUMBER_NOTE or note.startswith(ZERO_FORMULA_PREFIX)


def reject_repeated(names: Iterable[str], noun: str) -> None:
    """Refuse a frame or a file with two columns of the same name."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"the {noun} has the column {short_text(repeated[0])} twice",
            column=repeated[0],
            hint="rename or drop one of the two",
        )


def row_of_cells(line: int, cells: Iterable[Cell], *, is_hidden: bool = False) -> TableRow:
    """Return a row with the texts, notes and problems of its cells."""
    texts, notes, problems = list[str](), dict[int, str](), dict[int, CellProblem]()
    for at, cell in enumerate(cells):
        texts.append(cell.text)
        if cell.note is not None:
            notes[at] = cell.note
        if cell.problem is not None:
            problems[at] = cell.problem
    return TableRow(line, texts, notes=notes, problems=problems, is_hidden=is_hidden)


def cell_of_value(value: Any, exact_below: int, *, has_exact_integers: bool = False) -> Cell:
    """Return the cell of a typed value that is not missing.

    Dates and numbers become text with a note; TRUE and FALSE are problems. A number of at least
    ``exact_below`` is a problem too, because it may have been rounded: Excel stores 15 digits.
    """
    if isinstance(value, str):
        return Cell(str(value))
    if type(value).__name__ in ("bool", "bool_"):
        text = "TRUE" if value else "FALSE"
        message = f"the cell has the logical value {text}"
        return Cell(text, problem=CellProblem("boolean_value", message, "enter it as text"))
    if isinstance(value, Decimal):
        # 1.000 is the number 1: in a Decimal, the point is not a thousands separator.
        is_integer = value.is_finite() and value == value.to_integral_value()
        return Cell(f"{value:.0f}" if is_integer else str(value), NUMBER_NOTE)
    if isinstance(value, Real):
        return _cell_of_number(value, exact_below, has_exact_integers=has_exact_integers)
    if isinstance(value, date | time | timedelta):
        return Cell(_text_of_date(value), DATE_NOTE)
    message = f"the cell must hold text or a number, got {type(value).__name__}"
    problem = CellProblem("not_text", message, "replace it with text or a number")
    return Cell(str(value)[:200], problem=problem)


def _text_of_date(value: date | time | timedelta) -> str:
    """Return a date or time in ISO format; midnight is left out."""
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
    message = f"{text} has too many digits for a number cell, so it may have been rounded"
    problem = CellProblem("inexact_number", message, "enter such numbers as text")
    return Cell(text, problem=problem)
