"""What came back for one request: its header lines, what they announce, and its body."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from pydantic_core import from_json

from petstore_frame.errors import EndpointDeprecatedWarning
from petstore_frame.errors.frames import callers_level
from petstore_frame.http.links import targets

# Identifies a store, in its answers and in a POST meant for it; an extension of the interface.
STORE_ID = "X-Store-Id"
MAX_BODY_BYTES = 64 * 2**20
# Header lines that state where a body ends.
_FRAMES = frozenset((b"content-length", b"transfer-encoding"))
RawLines = list[tuple[bytes, bytes]]


class Flaw(StrEnum):
    """Why a body is not there although its answer began."""

    CUT = "broke off"
    LATE = "was not over in the time allowed"
    LARGE = "is larger than 64 MiB"
    PACKED = "is compressed twice, or wrongly"


class Headers:
    """The header lines of an answer, in order; names match in any case."""

    def __init__(self, lines: Iterable[tuple[str | bytes, str | bytes]]) -> None:
        self._values: dict[str, list[str | bytes]] = {}
        for name, value in lines:
            self._values.setdefault(_lower(name), []).append(value)

    def get(self, name: str) -> str | None:
        """Return the value of the first line with this name, or None."""
        values = self._values.get(name.lower())
        return None if values is None else _text(values[0])

    def get_all(self, name: str) -> list[str]:
        """Return the values of all lines with this name."""
        return [_text(value) for value in self._values.get(name.lower(), ())]

    @property
    def names(self) -> Collection[str]:
        """The distinct names, in lower case."""
        return self._values.keys()


@lru_cache(maxsize=256)  # a store sends the same dozen names with each answer
def _lower(name: str | bytes) -> str:
    return _text(name).lower()


def _text(part: str | bytes) -> str:
    return part if isinstance(part, str) else part.decode("latin-1")


class StoreAnswer(NamedTuple):
    """What came back for one request to ``url``; ``operation`` is its method and path.

    ``body`` is empty where it has a ``flaw``. ``elapsed_s`` runs from the first byte out to the
    last byte in.
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    flaw: Flaw | None
    elapsed_s: float
    url: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the body is what the store sent."""
        return self.flaw is None

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
    moment = read_http_date(text)
    now = now or datetime.now(UTC)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def read_http_date(text: str) -> datetime | None:
    """Return the moment of an HTTP date, or None where it cannot be read."""
    from email.utils import parsedate_to_datetime  # large, and few answers need it

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def stops_early(content: bytes, lines: RawLines) -> bool:
    """Tell whether a body is JSON that stops in the middle, where its end is not certain.

    A body of no stated length ends with its connection, and a packed one with its last byte,
    whether the store had finished or not.
    """
    names = {name.lower() for name, _ in lines}
    if names & _FRAMES and b"content-encoding" not in names:
        return False
    try:
        from_json(content)
    except ValueError as problem:
        return str(problem).startswith("EOF while parsing")
    return False


# -- the announced end of an operation


class Deprecation(NamedTuple):
    """The announced end of an operation: its day, and what to do then; None where not known."""

    ends_on: date | None = None
    replacement: str | None = None

    def sentence(self, operation: str, today: date) -> str:
        """Return one sentence, with the days left."""
        text = f"{operation} is deprecated"
        if self.ends_on is not None:
            days, day = (self.ends_on - today).days, f"{self.ends_on.day} {self.ends_on:%B %Y}"
            left = f"and ends on {day} ({days} day{'s' * (days != 1)} left)"
            text += f" {left}" if days > 0 else f" and was to end on {day}"
        return f"{text}; {self.replacement}" if self.replacement else text


# Interface: Versioning.
GET_PET = Deprecation(date(2030, 12, 5), "list with a status filter instead")


def read_deprecation(headers: Headers, known: Deprecation | None = None) -> Deprecation | None:
    """Read the ``Deprecation`` (RFC 9745), ``Sunset`` (RFC 8594) and ``Link`` headers.

    What the interface itself states is ``known``; a header that is more specific wins.

    Example:
        >>> read_deprecation(Headers([("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")])).ends_on
        datetime.date(2030, 12, 5)
    """
    sunset = headers.get("Sunset")
    if sunset is None and headers.get("Deprecation") is None:
        return known
    ends_on, replacement = known or Deprecation()
    relations = ("successor-version", "deprecation", "sunset")
    links = headers.get_all("Link")
    addresses = [each for relation in relations for each in targets(links, relation)]
    if addresses and replacement is None:
        replacement = f"see {addresses[0]}"
    moment = None if sunset is None else read_http_date(sunset.strip())
    return Deprecation(ends_on if moment is None else moment.date(), replacement)


class DeprecationNotices:
    """Warns of each operation once, at the line of the caller's own code."""

    def __init__(self) -> None:
        self._noted: set[str] = set()

    def read(self, operation: str, headers: Headers, known: Deprecation | None = None) -> None:
        """Warn if an answer's headers, or the interface itself, announce an end."""
        notice = None if operation in self._noted else read_deprecation(headers, known)
        if notice is not None:
            self.warn(operation, notice)

    def warn(self, operation: str, notice: Deprecation) -> None:
        """Warn of an end that is known."""
        if operation not in self._noted:
            self._noted.add(operation)
            text = notice.sentence(operation, date.today())  # a day more or less does not matter
            warnings.warn(text, EndpointDeprecatedWarning, stacklevel=callers_level())
