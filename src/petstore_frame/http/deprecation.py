"""What an answer announces about the end of its operation, warned of once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import date

from petstore_frame.errors import EndpointDeprecatedWarning
from petstore_frame.errors.frames import callers_level
from petstore_frame.http.answer import Headers, read_http_date
from petstore_frame.http.links import targets


@dataclass(frozen=True)
class Deprecation:
    """The announced end of an operation: its day, and what to do then; None where not known."""

    ends_on: date | None = None
    replacement: str | None = None

    def sentence(self, operation: str, today: date) -> str:
        """Return one sentence, with the days left."""
        text = f"{operation} is deprecated"
        if self.ends_on is not None:
            days = (self.ends_on - today).days
            left = f" ({days} day{'s' * (days != 1)} left)" if days > 0 else ""
            ending = "ends on" if days > 0 else "was to end on"
            text += f" and {ending} {self.ends_on.day} {self.ends_on:%B %Y}{left}"
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
    found, links = known or Deprecation(), headers.get_all("Link")
    relations = ("successor-version", "deprecation", "sunset")
    addresses = [each for relation in relations for each in targets(links, relation)]
    moment = None if sunset is None else read_http_date(sunset.strip())
    return Deprecation(
        found.ends_on if moment is None else moment.date(),
        found.replacement or (f"see {addresses[0]}" if addresses else None),
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
