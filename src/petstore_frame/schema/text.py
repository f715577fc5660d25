"""Formats statuses, counts and dates, replaces lone surrogates, and normalizes names.

JSON can escape a lone surrogate (half of a character), which UTF-8 cannot encode. U+FFFD replaces
it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

NO_STATUS = "no status"
_MAX_RANGES = 10  # maximum number of ranges of lines in a sentence
_MIN_RANGE = 3  # two lines in a row are listed one by one
# Python decodes a surrogate pair as one character.
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_RAW = re.compile(rb"\xed[\xa0-\xbf]")
# Characters of Unicode's Default_Ignorable_Code_Point, format characters (Cf) and control
# characters that have no purpose in a name.
INVISIBLE_CHARACTERS = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
)
INVISIBLE = re.compile(f"[{INVISIBLE_CHARACTERS}]")
_NO_BREAK_SPACE = re.compile("[\u00a0\u2009\u202f]")
_MAX_NAMES = 12  # maximum number of column names in a message


def short_text(text: str) -> str:
    """Return a text in quotes, cut to 60 characters; no-break spaces look like spaces."""
    return repr(_NO_BREAK_SPACE.sub(" ", text if len(text) <= 60 else text[:57] + "..."))


def join_names(names: Sequence[str]) -> str:
    """Return the first column names of a list, for a message."""
    if not names:
        return "no columns"
    text = ", ".join(map(short_text, names[:_MAX_NAMES]))
    if len(names) > _MAX_NAMES:
        return f"{text} and {len(names) - _MAX_NAMES} more"
    return text


def status_label(status: str | None) -> str:
    """Return the label of a status on screen; None is a pet without one.

    Example:
        >>> status_label("available"), status_label(None), status_label("")
        ('Available', 'No status', '(empty)')
    """
    text = NO_STATUS if status is None else status or "(empty)"
    return text[:1].upper() + text[1:]


def count_text(count: int, thing: str) -> str:
    """Format a number of things for a sentence.

    Example:
        >>> count_text(1, "pet"), count_text(2_500, "row")
        ('1 pet', '2,500 rows')
    """
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"


def line_ranges(lines: Iterable[int | range]) -> list[range]:
    """Return lines in ascending order, with consecutive ones as one range.

    Example:
        >>> line_ranges([4, 2, range(5, 8)])
        [range(2, 3), range(4, 8)]
    """
    spans = (line if isinstance(line, range) else range(line, line + 1) for line in lines)
    # The lines of a large file are mostly in order, so few ranges have to be sorted.
    return _merged(sorted(_merged(spans), key=lambda span: span.start))


def _merged(spans: Iterable[range]) -> list[range]:
    """Combine each range with the one before it if no line is between them."""
    merged: list[range] = []
    for span in spans:
        if merged and merged[-1].start <= span.start <= merged[-1].stop:
            last = merged.pop()
            merged.append(range(last.start, max(last.stop, span.stop)))
        else:
            merged.append(span)
    return merged


def line_text(lines: Iterable[int | range]) -> str:
    """Name the lines of a file in a sentence; the first ten ranges, and how many more there are.

    Example:
        >>> line_text([17, *range(2, 15), 20, 21]), line_text([5])
        ('lines 2 to 14, 17, 20, 21', 'line 5')
    """
    ranges = line_ranges(lines)
    texts: list[str] = []
    for span in ranges[:_MAX_RANGES]:
        if len(span) < _MIN_RANGE:
            texts += [str(line) for line in span]
        else:
            texts.append(f"{span[0]} to {span[-1]}")
    more = sum(len(span) for span in ranges[_MAX_RANGES:])
    if more:
        texts.append(f"and {more:,} more")
    noun = "line" if sum(map(len, ranges)) == 1 else "lines"
    return f"{noun} {', '.join(texts)}"


def minute_text(moment: datetime | float) -> str:
    """Return a moment's day and minute in its time zone, as ``2026-11-20 09:30 UTC``.

    A number is seconds since 1970. It is shown in UTC, as is a moment without a time zone.
    """
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    zoned = moment if moment.tzinfo else moment.astimezone(UTC)
    return f"{zoned:%Y-%m-%d %H:%M %Z}"


def clean_text(text: str, longest: int = 200) -> str:
    """Return a text that is safe to display: one line, no control characters.

    Escape sequences could control a terminal, and invisible characters could mislead a reader.

    Example:
        >>> clean_text("\\x1b[31mno\\nsuch key", longest=10)
        '[31mno su…'
    """
    # A lone surrogate cannot be printed.
    beginning = text[: 4 * longest].encode(errors="replace").decode()
    cleaned = "".join(
        " " if character.isspace() else character
        for character in beginning
        if character.isspace() or not unicodedata.category(character).startswith("C")
    )
    cleaned = " ".join(cleaned.split())
    return cleaned if len(cleaned) <= longest else f"{cleaned[: longest - 1]}…"


def has_lone_surrogate(text: str) -> bool:
    """Return whether a text has a lone surrogate."""
    return _SURROGATE.search(text) is not None


def replace_surrogates(value: object) -> str:
    """Return a value as text that UTF-8 can encode.

    Example:
        >>> replace_surrogates("an emoji, cut: \\ud83d")
        'an emoji, cut: �'
    """
    return _SURROGATE.sub("\ufffd", str(value))


def replace_surrogates_in_json(body: bytes) -> bytes:
    """Replace lone surrogates in a JSON body; any other body is unchanged."""
    # Raw surrogates are not valid UTF-8, but the json module accepts them.
    if not (_ESCAPE.search(body) or _RAW.search(body)):
        return body
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body
    return replace_surrogates(text).encode()


def folded_name(name: str) -> str:
    """Normalize a name: ignore what a store may change (letter forms, case and spaces).

    Example:
        >>> folded_name(" Zoe\u0308  the\tCat") == folded_name("ZOË THE CAT")
        True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
