"""Keys as people have them: what a spreadsheet changes of one, and the columns it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from unicodedata import normalize

_DECIMALS = re.compile(r"(?<=\d)[.,]0+$")


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
    text = "".join(normalize("NFKC", key).casefold().split()).lstrip("'’`")
    return _DECIMALS.sub("", text).lstrip("0") or ("0" if text else "")


def columns_of(key: Sequence[str]) -> str:
    """Return the columns of a key in their one spelling and order; empty for none.

    Example:
        >>> columns_of(["Site", "Animal ID"]) == columns_of(["animal_id", "site"])
        True
    """
    return "\x1f".join(sorted(map(_column, key)))


def in_order(key: Sequence[str]) -> list[int] | None:
    """Return the order in which the texts of a key are stored; None where it is the given one."""
    order = sorted(range(len(key)), key=lambda at: _column(key[at]))
    return None if order == list(range(len(key))) else order


def _column(name: str) -> str:
    text = normalize("NFKC", name).casefold().strip()
    return "".join(sign for sign in text if sign.isalnum()) or text
