"""How a moment is written for people: in UTC, the same wherever it is read."""

from __future__ import annotations

from datetime import UTC, datetime


def day_text(moment: datetime | float) -> str:
    """Return the day of a moment, or of so many seconds since 1970, as ``2026-11-20``."""
    return f"{_in_utc(moment):%Y-%m-%d}"


def minute_text(moment: datetime | float) -> str:
    """Return a moment's day and minute, as ``2026-11-20 09:30 UTC``."""
    return f"{_in_utc(moment):%Y-%m-%d %H:%M} UTC"


def _in_utc(moment: datetime | float) -> datetime:
    if isinstance(moment, datetime):
        return moment.astimezone(UTC)
    return datetime.fromtimestamp(moment, UTC)
