"""Which UTC day a caller means.

In: a date, an instant, or a text. Out: a date.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from petstore_frame.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

Day: TypeAlias = Union[str, date, "np.datetime64"]


def utc_day(day: Day) -> date:
    """Return the UTC day of a date, an instant (also one of pandas or numpy), or a text.

    Raises:
        ArgumentError: It is something else.

    Example:
        >>> utc_day("2026-11-01")
        datetime.date(2026, 11, 1)
    """
    value: Any = _plain(day)
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    elif isinstance(value, datetime):
        if value == value:  # false for NaT
            return value.astimezone(UTC).date() if value.tzinfo else value.date()
    elif isinstance(value, date):
        return value
    raise ArgumentError(f"expected a day, got {day!r}; pass a date, or text like 2026-11-01")


def _plain(day: Any) -> Any:
    """Return numpy's instants as Python's."""
    if isinstance(day, (str, date)):
        return day
    import numpy as np

    return day.astype("datetime64[us]").item() if isinstance(day, np.datetime64) else day
