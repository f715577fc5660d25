"""What a typed value, of a workbook or a frame, is as text.

A note or a refusal goes with it where the type matters: a date is not a name, TRUE is not text, and
a number of too many digits may not be the one that was typed.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from petstore_frame.files.cells import EXACT_NUMBERS
from petstore_frame.loader.reading.fields import CellError

DATE_NOTE, NUMBER_NOTE = "date→text", "number→text"
# From here on, neighbouring whole numbers share one float.
_EXACT_FLOATS = 2**53

Oddity = CellError | str | None


def text_of_value(value: Any, *, has_exact_integers: bool) -> tuple[str, Oddity]:
    """Return the text of a value that is not missing, and what its type adds.

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
        return word, CellError(
            "boolean_value", f"the cell holds the truth value {word}", "make it text"
        )
    if isinstance(value, Integral):
        number = int(value)
        is_exact = has_exact_integers or abs(number) < exact
        return str(number), NUMBER_NOTE if is_exact else _inexact(str(number), exact)
    if isinstance(value, Decimal):
        return str(value), NUMBER_NOTE
    if isinstance(value, Real):
        return _text_of_float(float(value), exact)
    if isinstance(value, datetime):
        is_day = value.time() == time(0) and value.tzinfo is None
        return (value.date() if is_day else value).isoformat(), DATE_NOTE
    if isinstance(value, date | time):
        return value.isoformat(), DATE_NOTE
    if isinstance(value, timedelta):
        return str(value), DATE_NOTE
    kind = type(value).__name__
    return str(value)[:200], CellError(
        "not_text", f"expected text or a number, the cell holds a {kind}", "give text or a number"
    )


def _text_of_float(number: float, exact: int) -> tuple[str, Oddity]:
    text = str(int(number)) if number.is_integer() and abs(number) < 1e21 else repr(number)
    return text, NUMBER_NOTE if abs(number) < exact else _inexact(text, exact)


def _inexact(text: str, exact: int) -> CellError:
    return CellError(
        "inexact_number",
        f"{text} is past {exact - 1}, so it may not be the number that was typed",
        "keep such numbers as text",
    )
