"""Half characters in texts, names that are the same, counts and times as text.

JSON can escape half a character (a lone surrogate), which UTF-8 cannot hold; U+FFFD replaces it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_LONE = re.compile("[\ud800-\udfff]")  # Python joins a pair into one character when it reads it
_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_RAW = re.compile(rb"\xed[\xa0-\xbf]")


def holds_lone(text: str) -> bool:
    """Return whether a text holds a lone surrogate."""
    return _LONE.search(text) is not None


def whole_text(value: object) -> str:
    """Return a value as text that UTF-8 can hold.

    Example:
        >>> whole_text("an emoji, cut: \\ud83d")
        'an emoji, cut: �'
    """
    return _LONE.sub(REPLACEMENT, str(value))


def whole_body(body: bytes) -> bytes:
    """Return JSON whose texts UTF-8 can hold; a body that has them, or is not JSON, as it is."""
    # Raw ones are not UTF-8, but json reads them.
    if not (_ESCAPE.search(body) or _RAW.search(body)):
        return body
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body
    return whole_text(text).encode()


def folded_name(name: str) -> str:
    """Return a name without what a store may change of it: letter forms, case and spaces.

    Example:
        >>> folded_name(" Zoe\u0308  the\tCat") == folded_name("ZOË THE CAT")
        True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def count_text(count: int, thing: str) -> str:
    """Return a number of things as a sentence has it.

    Example:
        >>> count_text(1, "pet"), count_text(2_500, "row")
        ('1 pet', '2,500 rows')
    """
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"


def short_text(text: str) -> str:
    """Return a text of a user in few characters, quoted."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def kind_text(value: object) -> str:
    """Return what kind of thing a caller gave.

    Example:
        >>> kind_text(3), kind_text(3j), kind_text(None)
        ('an int', 'a complex', 'None')
    """
    kind = type(value).__name__
    return "None" if value is None else f"{'an' if kind[0] in 'AEIOaeio' else 'a'} {kind}"


def day_text(moment: datetime | float) -> str:
    """Return the day of a moment in its time zone, as ``2026-11-20``; of a number, in UTC."""
    return minute_text(moment)[:10]


def minute_text(moment: datetime | float) -> str:
    """Return a moment's day and minute in its time zone, as ``2026-11-20 09:30 UTC``.

    So many seconds since 1970, and a moment without a time zone, are shown in UTC.
    """
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    known = moment if moment.tzinfo else moment.astimezone(UTC)
    return f"{known:%Y-%m-%d %H:%M %Z}"
