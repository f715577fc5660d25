"""What counts as a number.

In: any value of a caller. Out: a plain int or float, or None. Bounds and error texts are its
callers'.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


def as_whole(value: Any) -> int | None:
    """Return a whole number as int, numpy's included; None for all else, True and 3.0 included.

    Example:
        >>> [as_whole(value) for value in (3, True, 3.0, "3")]
        [3, None, None, None]
    """
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


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
