"""The words that every view shares: statuses, counts, moments, texts cut short."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

NO_STATUS = "no status"
# XML 1.0 has no way to write these, and HTML calls them errors.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def status_label(status: str | None) -> str:
    """Return the label of a status on screen; None is a pet without one.

    Example:
        >>> status_label("available"), status_label(None), status_label("")
        ('Available', 'No status', '(empty)')
    """
    text = NO_STATUS if status is None else status or "(empty)"
    return text[:1].upper() + text[1:]


def count_text(count: int, thing: str) -> str:
    """Return a number of things as a sentence has it.

    Example:
        >>> count_text(1, "pet"), count_text(2_500, "row")
        ('1 pet', '2,500 rows')
    """
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"


def minute_text(moment: datetime | float) -> str:
    """Return a moment's day and minute in its time zone, as ``2026-11-20 09:30 UTC``.

    So many seconds since 1970, and a moment without a time zone, are shown in UTC.
    """
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    known = moment if moment.tzinfo else moment.astimezone(UTC)
    return f"{known:%Y-%m-%d %H:%M %Z}"


def shorten(text: str, length: int = 80) -> str:
    """Cut a long text, and end it with an ellipsis.

    Example:
        >>> shorten("Dwarf rabbits and hares", 8)
        'Dwarf r…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def printable(value: Any) -> Any:
    """Return a value to show; in a text, U+FFFD takes the place of control characters.

    Example:
        >>> printable("a\x1b[31m cat"), printable(3)
        ('a\ufffd[31m cat', 3)
    """
    if isinstance(value, str) and _CONTROL.search(value):
        return type(value)(_CONTROL.sub("\ufffd", value))  # Markup stays Markup
    return value
