"""A row as its source gives it, and what a typed value, of a workbook or a frame, is as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol

from petstore_frame.files.cells import EXACT_NUMBERS
from petstore_frame.loader.reading.fields import CellError
from petstore_frame.loader.record import Origin

MERGED = "merged_cell"
DATE_NOTE, NUMBER_NOTE = "date→text", "number→text"
# From here on, neighbouring whole numbers share one float.
_EXACT_FLOATS = 2**53

Oddity = CellError | str


@dataclass(frozen=True)
class Aside:
    """What a source says of a row besides the text of its cells.

    Attributes:
        oddities: By position, what the type or the place of a cell adds to its text: a refusal, or
            a note.
        held: Why the record waits for a person, or None.
        accept: Kinds of suspicious records that are sent after all, for this row.
        origin: The record that it was fixed from.
    """

    oddities: Mapping[int, Oddity] = field(default_factory=dict)
    held: CellError | None = None
    accept: frozenset[str] = frozenset()
    origin: Origin | None = None


class Row(NamedTuple):
    """A row as its source gives it.

    Attributes:
        line: First physical line.
        cells: The cells as text.
        aside: What else is to be known; None where all is said by the cells, on one line.
    """

    line: int
    cells: Sequence[str]
    aside: Aside | None = None


class Table(Protocol):
    """The rows of a source, cut into columns.

    Attributes:
        columns: The names of the columns.
        header_row: Row of the header, or None where none was read.
        facts: How it is read: encoding and delimiter, or sheet.
    """

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def header_row(self) -> int | None: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the header, each time anew."""
        ...


def typed_row(
    line: int, judged: Iterable[tuple[str, Oddity | None]], held: CellError | None = None
) -> Row:
    """Return a row of cells that were judged by their type."""
    texts = list(judged)
    oddities = {at: oddity for at, (_, oddity) in enumerate(texts) if oddity is not None}
    aside = Aside(oddities, held) if oddities or held is not None else None
    return Row(line, [text for text, _ in texts], aside)


def text_of_value(value: Any, *, has_exact_integers: bool) -> tuple[str, Oddity | None]:
    """Return the text of a value that is not missing, and a note or a refusal by its type.

    A date is not a name, TRUE is not text, and a number of too many digits may not be the one that
    was typed.

    Args:
        value: A cell's value.
        has_exact_integers: Whether whole numbers of any size are as they were typed; of a
            workbook Excel has kept 15 digits.
    """
    exact = _EXACT_FLOATS if has_exact_integers else EXACT_NUMBERS
    if isinstance(value, str):
        return str(value), None
    if type(value).__name__ in ("bool", "bool_"):
        word = "TRUE" if value else "FALSE"
        what = f"the cell holds the truth value {word}"
        return word, CellError("boolean_value", what, "make it text")
    if isinstance(value, Integral):
        is_exact = has_exact_integers or abs(int(value)) < exact
        return str(int(value)), NUMBER_NOTE if is_exact else _inexact(str(int(value)), exact)
    if isinstance(value, Decimal):
        return str(value), NUMBER_NOTE
    if isinstance(value, Real):
        number = float(value)
        text = str(int(number)) if number.is_integer() and abs(number) < 1e21 else repr(number)
        return text, NUMBER_NOTE if abs(number) < exact else _inexact(text, exact)
    if isinstance(value, datetime):
        is_day = value.time() == time(0) and value.tzinfo is None
        return (value.date() if is_day else value).isoformat(), DATE_NOTE
    if isinstance(value, date | time):
        return value.isoformat(), DATE_NOTE
    if isinstance(value, timedelta):
        return str(value), DATE_NOTE
    what = f"expected text or a number, the cell holds a {type(value).__name__}"
    return str(value)[:200], CellError("not_text", what, "give text or a number")


def _inexact(text: str, exact: int) -> CellError:
    what = f"{text} is past {exact - 1}, so it may not be the number that was typed"
    return CellError("inexact_number", what, "keep such numbers as text")
