"""Decides how many matches are enough to ask the user."""

from __future__ import annotations

LEAST = 3
_QUARTER = 4


def is_many(count: int, of: int) -> bool:
    """Return whether a count is at least a quarter of the rows, and at least three or all.

    Example:
        >>> is_many(3, 12), is_many(3, 13), is_many(2, 2), is_many(2, 8), is_many(0, 0)
        (True, False, True, False, False)
    """
    return count > 0 and min(LEAST, of) <= count and of <= _QUARTER * count


def is_half(count: int, of: int) -> bool:
    """Return whether a count is at least half of the rows that would be sent.

    Example:
        >>> is_half(1, 2), is_half(1, 3), is_half(0, 0)
        (True, False, False)
    """
    return count > 0 and of <= 2 * count
