"""Texts of a store: halves of characters replaced, and names compared.

JSON can escape half a character (a lone surrogate), which UTF-8 cannot hold; U+FFFD replaces it.
"""

from __future__ import annotations

import json
import re
import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_LONE = re.compile("[\ud800-\udfff]")  # Python joins a pair into one character when it reads it
_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_RAW = re.compile(rb"\xed[\xa0-\xbf]")


def may_hold_lone(body: bytes) -> bool:
    """Tell quickly whether JSON in UTF-8 may hold a lone surrogate; an escaped pair counts too."""
    return b"\\" in body and _ESCAPE.search(body) is not None


def holds_lone(text: str) -> bool:
    """Tell whether a text holds a lone surrogate."""
    return _LONE.search(text) is not None


def whole_text(value: object) -> str:
    """Return a value as text that UTF-8 can hold.

    Example:
        >>> whole_text("an emoji, cut: \\ud83d")
        'an emoji, cut: �'
    """
    return _LONE.sub(REPLACEMENT, str(value))


def whole_body(body: bytes) -> bytes:
    """Return JSON whose texts UTF-8 can hold; a body that is not JSON is returned as it is."""
    if not (may_hold_lone(body) or _RAW.search(body)):  # the latter is not UTF-8, but json reads it
        return body
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body
    return whole_text(text).encode()


def likeness(name: str) -> str:
    """Return a name without what a store may change of it: letter forms, case and spaces.

    Example:
        >>> likeness(" Zoe\u0308  the\tCat") == likeness("ZOË THE CAT")
        True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
