"""The words that every view shares: statuses, counts, moments, texts cut short."""

from __future__ import annotations

from datetime import UTC, datetime

NO_STATUS = "no status"


def status_word(status: str | None) -> str:
    """Return the word for a status on screen; None is a pet without one.

    Example:
        >>> status_word("available"), status_word(None), status_word("")
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
