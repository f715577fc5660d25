"""Repairs half characters in texts, and brings keys into one form.

JSON can escape half a character (a lone surrogate), which UTF-8 cannot hold; U+FFFD replaces it.
"""

from __future__ import annotations

import json
import re
import unicodedata

_LONE = re.compile("[\ud800-\udfff]")  # Python joins a pair into one character when it reads it
_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_RAW = re.compile(rb"\xed[\xa0-\xbf]")


def clean_text(text: str, longest: int = 200) -> str:
    """Return a text of a store or a file so that it can be shown: one line, no control characters.

    Escape sequences would reach a terminal, and invisible characters would change what is read.

    Example:
        >>> clean_text("\\x1b[31mno\\nsuch key", longest=10)
        '[31mno su…'
    """
    # Half a character could not be printed.
    beginning = text[: 4 * longest].encode(errors="replace").decode()
    shown = "".join(
        " " if character.isspace() else character
        for character in beginning
        if character.isspace() or not unicodedata.category(character).startswith("C")
    )
    shown = " ".join(shown.split())
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def holds_lone(text: str) -> bool:
    """Return whether a text holds a lone surrogate."""
    return _LONE.search(text) is not None


def whole_text(value: object) -> str:
    """Return a value as text that UTF-8 can hold.

    Example:
        >>> whole_text("an emoji, cut: \\ud83d")
        'an emoji, cut: �'
    """
    return _LONE.sub("\ufffd", str(value))


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


def folded_name(name: str) -> str:
    """Return a name without what a store may change of it: letter forms, case and spaces.

    Example:
        >>> folded_name(" Zoe\u0308  the\tCat") == folded_name("ZOË THE CAT")
        True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
