"""Finds the numbers that a workbook displays in another form, such as 7 as ``A-0007``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# The parts of a number format that are text, take no room, or stand for a digit.
_PARTS = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[(?:\$-[^\]]*|[a-z]{3,})\]|(?P<digit>[0#?])'
    r"|(?P<plain>[-\s()+:$€£¥'])",
    re.IGNORECASE | re.DOTALL,
)


class _Part(NamedTuple):
    text: str
    is_digit: bool


def displayed_number(text: str, number_format: str) -> str | None:
    """Return what a workbook shows instead of a whole number; None if it shows the number itself.

    Formats with decimals, groups of digits, percentages or dates show the value of the number, so
    they are left out.

    Example:
        >>> displayed_number("7", '"A-"0000'), displayed_number("7", "000")
        ('A-0007', '007')
        >>> displayed_number("1234", "#,##0"), displayed_number("7", "0")
        (None, None)
    """
    parts = _parts_of(number_format)
    if not parts or not text.isdecimal():
        return None
    digits = list(text)
    shown: list[str] = []
    first_digit = next(at for at, part in enumerate(parts) if part.is_digit)
    for at in range(len(parts) - 1, -1, -1):
        part = parts[at]
        if not part.is_digit:
            shown.append(part.text)
        elif at == first_digit:
            shown.append("".join(digits) or ("0" if part.text == "0" else ""))
        elif digits:
            shown.append(digits.pop())
        elif part.text == "0":
            shown.append("0")
    displayed = "".join(reversed(shown)).strip()
    return None if displayed == text else displayed


@lru_cache(maxsize=256)
def _parts_of(number_format: str) -> tuple[_Part, ...]:
    """Return the parts of a format for whole numbers; empty for any other format."""
    parts: list[_Part] = []
    at = 0
    while at < len(number_format) and number_format[at] != ";":  # below zero, zero, text
        match = _PARTS.match(number_format, at)
        if match is None:
            return ()
        text = match["quoted"] or match["escaped"] or match["digit"] or match["plain"] or ""
        parts.append(_Part(text, match["digit"] is not None))
        at = match.end()
    return tuple(parts) if any(part.is_digit for part in parts) else ()
