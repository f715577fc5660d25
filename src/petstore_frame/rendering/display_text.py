"""Shortens long texts, and replaces control characters, for display."""

from __future__ import annotations

import re
from typing import Any

# XML 1.0 cannot represent these characters, and in HTML they are errors.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def shorten(text: str, length: int = 80) -> str:
    """Cut a long text, and end it with an ellipsis.

    Example:
        >>> shorten("Dwarf rabbits and hares", 8)
        'Dwarf r…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def printable(value: Any) -> Any:
    """Return a value for display; in a text, U+FFFD replaces control characters.

    Example:
        >>> printable("a\x1b[31m cat"), printable(3)
        ('a\ufffd[31m cat', 3)
    """
    if isinstance(value, str) and _CONTROL.search(value):
        return type(value)(_CONTROL.sub("\ufffd", value))  # Markup stays Markup
    return value
