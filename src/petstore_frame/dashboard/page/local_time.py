"""Shows moments in the reader's own time zone, with UTC in a tooltip."""

from __future__ import annotations

from datetime import UTC, datetime

from petstore_frame.rendering import Markup, element


def utc_text(moment: datetime | float) -> str:
    """Format a moment for a sentence; a number is seconds since 1970.

    Example:
        >>> utc_text(0)
        '1 Jan 1970, 00:00 UTC'
    """
    at = _in_utc(moment)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


def time_element(moment: datetime | float) -> Markup:
    """Return a moment as markup; the script of ``LiveHTML`` shows it in the browser's time zone.

    Without the script, the time is shown in UTC and marked as UTC.
    """
    at = _in_utc(moment)
    return element("time", utc_text(at), datetime=f"{at:%Y-%m-%dT%H:%M:%SZ}", title=utc_text(at))


def _in_utc(moment: datetime | float) -> datetime:
    if not isinstance(moment, datetime):
        return datetime.fromtimestamp(moment, UTC)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
