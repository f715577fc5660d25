"""What counts as a whole number.

In: any value of a caller. Out: a Python int, or None. Bounds and error texts are its callers'.
"""

from __future__ import annotations

from operator import index
from typing import Any


def as_whole(value: Any) -> int | None:
    """Return a whole number as int, numpy's included; None for all else, True and 3.0 included.

    Example:
        >>> [as_whole(value) for value in (3, True, 3.0, "3")]
        [3, None, None, None]
    """
    if isinstance(value, bool):
        return None
    try:
        return index(value)
    except TypeError:
        return None
