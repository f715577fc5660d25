"""Which values are whole or positive numbers; callers check the bounds."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import Any

_WHOLE_TEXT = re.compile(r"[+-]?[0-9]{1,4000}", re.ASCII)  # Python refuses to read longer numbers


def as_whole(value: Any) -> int | None:
    """Return a whole number as int, numpy's included; None for all else, True and 3.0 included.

    Example:
        >>> [as_whole(value) for value in (3, True, 3.0, "3")]
        [3, None, None, None]
    """
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


def whole_from_text(text: str) -> int | None:
    """Return the whole number that a text spells in plain digits; None for all else, 1_0 included.

    Example:
        >>> [whole_from_text(text) for text in (" 3", "-3", "3.0", "1_0", "٣")]
        [3, -3, None, None, None]
    """
    return int(text) if _WHOLE_TEXT.fullmatch(text.strip()) else None


def whole_float(value: Any) -> Any:
    """Return ``1.0`` as 1, which JSON Schema calls the same integer, and all else as it is."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


def as_positive(value: Any) -> float | None:
    """Return a finite number above 0 as float, numpy's included; None for all else.

    Example:
        >>> [as_positive(value) for value in (3, 0.5, 0, True, float("inf"), "3")]
        [3.0, 0.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if 0 < number < math.inf else None
