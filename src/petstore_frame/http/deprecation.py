"""What an answer announces about the end of its operation, warned of once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from petstore_frame.errors import EndpointDeprecatedWarning
from petstore_frame.errors.frames import callers_level
from petstore_frame.http.headers import Headers, read_http_date
from petstore_frame.http.links import targets


@dataclass(frozen=True)
class Deprecation:
    """The announced end of an operation.

    Attributes:
        ends_on: The day of its removal, or None when the store names none.
        replacement: What to use instead, or None.
        since: The day from which it is deprecated, or None.
    """

    ends_on: date | None = None
    replacement: str | None = None
    since: date | None = None

    def sentence(self, operation: str, today: date) -> str:
        """Return one sentence, with the days left."""
        text = f"{operation} is deprecated"
        if self.since is not None:
            text += f" since {_day(self.since)}" if self.since <= today else ""
        if self.ends_on is not None:
            days = (self.ends_on - today).days
            left = f"{days} days left" if days != 1 else "1 day left"
            ending = "ends on" if days > 0 else "was to end on"
            text += f" and {ending} {_day(self.ends_on)}{f' ({left})' if days > 0 else ''}"
        if self.since and self.ends_on and self.ends_on < self.since:
            text += " (the store names an end before the deprecation)"
        return f"{text}; {self.replacement}" if self.replacement else text


# Interface: Versioning.
GET_PET = Deprecation(date(2030, 12, 5), "list with a status filter instead")


def read_deprecation(headers: Headers, known: Deprecation | None = None) -> Deprecation | None:
    """Read the ``Deprecation`` (RFC 9745), ``Sunset`` (RFC 8594) and ``Link`` headers.

    Args:
        headers: The header lines of an answer.
        known: What the interface itself states; a header that is more specific wins.

    Example:
        >>> read_deprecation(Headers([("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")])).ends_on
        datetime.date(2030, 12, 5)
    """
    mark, sunset = headers.get("Deprecation"), headers.get("Sunset")
    if mark is None and sunset is None:
        return known
    found = known or Deprecation()
    links = headers.get_all("Link")
    for relation in ("successor-version", "deprecation", "sunset"):
        addresses = targets(links, relation)
        if addresses and found.replacement is None:
            found = replace(found, replacement=f"see {addresses[0]}")
    return replace(
        found,
        since=_moment(mark) or found.since,
        ends_on=_moment(sunset) or found.ends_on,
    )


class DeprecationNotices:
    """Warns of each operation once, at the line of the caller's own code."""

    def __init__(self) -> None:
        self._noted: set[str] = set()

    def read(self, operation: str, headers: Headers, known: Deprecation | None = None) -> None:
        """Warn if an answer's headers, or the interface itself, announce an end."""
        if operation not in self._noted:
            notice = read_deprecation(headers, known)
            if notice is not None:
                self.warn(operation, notice)

    def warn(self, operation: str, notice: Deprecation) -> None:
        """Warn of an end that is known."""
        if operation not in self._noted:
            self._noted.add(operation)
            today = date.today()  # a day more or less does not matter here
            text = notice.sentence(operation, today)
            warnings.warn(text, EndpointDeprecatedWarning, stacklevel=callers_level())


def _moment(text: str | None) -> date | None:
    """Read ``@seconds`` or an HTTP date; the ``true`` of early drafts names no day."""
    if text is None:
        return None
    text = text.strip()
    if not text.startswith("@"):
        moment = read_http_date(text)
        return None if moment is None else moment.date()
    try:
        return datetime.fromtimestamp(int(text[1:]), UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
