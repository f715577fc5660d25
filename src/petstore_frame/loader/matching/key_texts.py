"""Writes a key as one text: the form that the journal stores, results show and people type."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from unicodedata import normalize

_quoted: Callable[[str], str] = json.encoder.encode_basestring_ascii


def key_text(texts: Sequence[str]) -> str:
    """Return the stored form of a key: a JSON list of its texts, in ASCII."""
    return f"[{', '.join(map(_quoted, texts))}]"


def key_texts(key: str | None) -> tuple[str, ...]:
    """Decode a stored key."""
    return () if key is None else tuple(json.loads(key))


def shown_key(key: str | None) -> str | None:
    """Return a key for display: its text, or a JSON list of the texts of several columns."""
    if key is None:
        return None
    texts = key_texts(key)
    return texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False)


def order_of(columns: Sequence[str]) -> list[int] | None:
    """Return the positions of key columns in alphabetical order; None if they are sorted."""
    order = sorted(range(len(columns)), key=lambda at: _comparable_column(columns[at]))
    return None if order == list(range(len(columns))) else order


def is_key_named(key: str | None, name: str | Sequence[str], columns: Sequence[str]) -> bool:
    """Return whether a person who types a text, or the texts of several columns, means this key.

    The texts are in the order of the columns, or in the order of the stored key.

    Example:
        >>> stored = key_text(["A-17", "Zo\u00eb"])  # of the columns id and name
        >>> is_key_named(stored, ("Zoe\u0308", "A-17"), ("name", "id"))
        True
        >>> is_key_named(stored, ("A-17", "Zo\u00eb"), ("name", "id"))
        True
    """
    texts = [normalize("NFC", text.strip()) for text in ([name] if isinstance(name, str) else name)]
    order = order_of(columns)
    stored = list(key_texts(key))
    is_in_order = order is not None and len(order) == len(texts)
    if is_in_order and order is not None and [texts[at] for at in order] == stored:
        return True
    return texts == stored or shown_key(key) == name


def _comparable_column(name: str) -> str:
    text = normalize("NFKC", name).casefold().strip()
    return "".join(sign for sign in text if sign.isalnum()) or text
