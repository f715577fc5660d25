"""What came back for one request: its status, header lines and body."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

# Identifies a store, in its answers and in a POST for it; an extension of the interface.
STORE_ID = "X-Store-Id"


class BodyProblem(StrEnum):
    """Why a body is not there although its answer began."""

    CUT = "broke off"
    LATE = "was not over in the time allowed"
    LARGE = "is larger than 64 MiB"
    PACKED = "is compressed twice, or wrongly"


class Headers:
    """The header lines of an answer, in order; names match in any case."""

    def __init__(self, lines: Iterable[tuple[str | bytes, str | bytes]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in lines:
            self._values.setdefault(_lower(name), []).append(_text(value))

    def get(self, name: str) -> str | None:
        """Return the value of the first line with this name, or None."""
        values = self._values.get(name.lower())
        return values[0] if values else None

    def get_all(self, name: str) -> list[str]:
        """Return the values of all lines with this name."""
        return [*self._values.get(name.lower(), ())]

    @property
    def names(self) -> Collection[str]:
        """The distinct names, in lower case."""
        return self._values.keys()


@lru_cache(maxsize=256)  # a store sends the same dozen names with each answer
def _lower(name: str | bytes) -> str:
    return _text(name).lower()


def _text(part: str | bytes) -> str:
    return part if isinstance(part, str) else part.decode("latin-1")


class Response(NamedTuple):
    """What came back for one request to ``url``; ``operation`` is its method and path.

    ``body`` is empty where there is a ``body_problem``. ``elapsed_s`` runs from the first byte out
    to the last byte in.
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    body_problem: BodyProblem | None
    elapsed_s: float
    url: str = ""

    @property
    def retry_after_s(self) -> float | None:
        """The seconds that the store asks to wait, or None."""
        return read_retry_after(self.headers.get("Retry-After"))


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
    from email.utils import parsedate_to_datetime  # large, and few answers need it

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
