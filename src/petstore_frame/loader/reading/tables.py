"""A table of text cells, as a text file, a sheet or a DataFrame gives it.

A sheet and a DataFrame hold typed values: each is text here, with a note or a refusal by its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.files.cells import EXACT_NUMBERS
from petstore_frame.loader.record import RecordOrigin, RecordProblem
from petstore_frame.schema.text import kind_text

MERGED = "merged_cell"
DATE_NOTE, NUMBER_NOTE = "date→text", "number→text"
# From here on, neighbouring whole numbers share one float.
_EXACT_FLOATS = 2**53
# By the name of the class: reading a file needs no listing.
_READ_BACK = {
    "Inventory": "an Inventory, whose animals are in a store already; pass its .frame to make "
    "copies of them, with new ids",
    "LoadResult": "a LoadResult, whose records were loaded already; correct its .fix and load that",
}

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
    """The cells of a record, the line they begin on, and the lines as they are, if several."""

    line: int
    cells: Sequence[str]
    notes: RowNotes | None = None
    raw: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """The names of columns, and a function that gives the rows below, each time anew.

    ``header_row`` is None where none was read; ``facts`` are encoding and delimiter, or sheet.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    header_row: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


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
    """Return a pandas or polars DataFrame as a table; a record's line is its position, from 1.

    Raises:
        ArgumentError: It is not a frame.
    """
    is_frame = hasattr(frame, "itertuples") or hasattr(frame, "iter_rows")
    if not is_frame or not hasattr(frame, "columns"):
        kind = type(frame).__name__
        got = _READ_BACK.get(kind, f"{kind_text(frame)}; load_csv and load_excel read files")
        raise ArgumentError(f"expected a pandas or polars DataFrame, got {got}; nothing was sent")
    return Table(tuple(map(str, frame.columns)), partial(_frame_rows, frame))


def index_names(frame: Any) -> list[str]:
    """Return what the levels of a frame's index are called, where they are called anything."""
    names = getattr(getattr(frame, "index", None), "names", ())
    return [str(name) for name in names if name is not None]


def _frame_rows(frame: Any) -> Iterator[Row]:
    for line, values in enumerate(_values(frame), 1):
        yield typed_row(
            line,
            [
                ("", None) if _is_missing(each) else text_of_value(each, has_exact_integers=True)
                for each in values
            ],
        )


def _values(frame: Any) -> Iterator[Sequence[Any]]:
    if hasattr(frame, "itertuples"):
        yield from frame.itertuples(index=False, name=None)
    else:
        yield from frame.iter_rows()


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None
    import pandas as pd

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
