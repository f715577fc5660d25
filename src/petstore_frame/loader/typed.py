"""What a typed value, of a workbook or a frame, is as text.

In: one value. Out: its text, with a note or a refusal where the type matters: a date is not a name,
TRUE is not text, and a number past 2**53 may not be the one that was typed.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from petstore_frame.loader.fields import NUMBER_NOTE, CellError

DATE_NOTE = "date→text"
_EXACT = 2**53

Oddity = CellError | str | None


def text_of_value(value: Any, *, has_exact_integers: bool) -> tuple[str, Oddity]:
    """Return the text of a value that is not missing, and what its type adds.

    Args:
        value: A cell's value.
        has_exact_integers: Whether whole numbers of any size are as they were typed; a workbook
            keeps every number as a float.
    """
    if isinstance(value, str):
        return str(value), None
    if type(value).__name__ in ("bool", "bool_"):
        word = "TRUE" if value else "FALSE"
        return word, CellError(
            "boolean_value", f"the cell holds the truth value {word}", "make it text"
        )
    if isinstance(value, Integral):
        number = int(value)
        is_exact = has_exact_integers or abs(number) < _EXACT
        return str(number), NUMBER_NOTE if is_exact else _inexact(str(number))
    if isinstance(value, Decimal):
        return str(value), NUMBER_NOTE
    if isinstance(value, Real):
        return _text_of_float(float(value))
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


def _text_of_float(number: float) -> tuple[str, Oddity]:
    text = str(int(number)) if number.is_integer() and abs(number) < 1e21 else repr(number)
    return text, NUMBER_NOTE if abs(number) < _EXACT else _inexact(text)


def _inexact(text: str) -> CellError:
    return CellError(
        "inexact_number",
        f"{text} is past 9007199254740991, so it may not be the number that was typed",
        "keep such numbers as text",
    )
