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
# What a spreadsheet takes for the beginning of a formula.
RUNNABLE = tuple("=+-@\t\r\n＝＋－＠")
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


def harmless(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; reading a CSV gives the text again.

    Example:
        >>> harmless("=1+1"), harmless("'=1+1"), harmless("Luna")
        ("'=1+1", "''=1+1", 'Luna')
    """
    return f"'{text}" if text.lstrip("'").startswith(RUNNABLE) else text


def form_of(key: str) -> str:
    """Return a key without what spreadsheets and people change of it.

    That is case, width, spaces, an apostrophe in front, zeros in front and ``.0`` behind. Keys of
    one form may be one key, which is to be asked. A key of several columns is a JSON list.

    Example:
        >>> form_of("007"), form_of("7.0"), form_of("'ab 1"), form_of('["A", "01"]')
        ('7', '7', 'ab1', 'a\\x1f1')
    """
    if key.isascii() and key.isalnum():
        return key.lower().lstrip("0") or "0"
    if key.startswith('["'):
        return "\x1f".join(form_of(part) for part in json.loads(key))
    text = "".join(unicodedata.normalize("NFKC", key).casefold().split()).lstrip("'’`")
    return re.sub(r"(?<=\d)[.,]0+$", "", text).lstrip("0") or ("0" if text else "")


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
