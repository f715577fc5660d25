"""Answers a wrong word with the nearest right one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# So many known words are listed where none is near.
_LISTED = 30


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the end of a sentence that refuses a word: the nearest right one, or what there is.

    Example:
        >>> nearest("kye", ["key", "keep"]), nearest("colour", ["key", "keep"])
        ("; did you mean 'key'?", '; it has key, keep')
    """
    words = list(known)
    near = get_close_matches(str(word).strip().lower(), words, 1, 0.6)
    if near:
        return f"; did you mean {near[0]!r}?"
    more = ", …" if len(words) > _LISTED else ""
    return f"; it has {', '.join(words[:_LISTED])}{more}"
