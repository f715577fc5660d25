"""The header lines of an answer, and what Retry-After says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

# Identifies a store, in its answers and in a POST meant for it; an extension of the interface.
STORE_ID = "X-Store-Id"


class Headers:
    """The header lines of an answer, in order; names match in any case."""

    def __init__(self, lines: Iterable[tuple[str | bytes, str | bytes]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in lines:
            self._values.setdefault(_text(name).lower(), []).append(_text(value))

    def get(self, name: str) -> str | None:
        """Return the value of the first line with this name, or None."""
        return next(iter(self._values.get(name.lower(), ())), None)

    def get_all(self, *names: str) -> list[str]:
        """Return the values of all lines with one of these names, in the order of the names."""
        return [value for name in names for value in self._values.get(name.lower(), ())]

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the name, in lower case, and the value of each line."""
        return ((name, value) for name, values in self._values.items() for value in values)


def _text(part: str | bytes) -> str:
    return part if isinstance(part, str) else part.decode("latin-1")


def read_retry_after(text: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a Retry-After header, in either form; None if it cannot be read.

    Example:
        >>> read_retry_after("7")
        7.0
        >>> read_retry_after("soon") is None
        True
    """
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= 10:
        return float(text)
    moment = read_http_date(text)
    return (
        None if moment is None else max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
    )


def read_http_date(text: str) -> datetime | None:
    """Return the moment of an HTTP date, or None where it cannot be read."""
    from email.utils import parsedate_to_datetime  # large, and few answers need it

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
