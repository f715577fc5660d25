"""Recognizes what people write into the cell of a key if an animal has none."""

from __future__ import annotations

import re

from petstore_frame.schema.words import comparable, words_for

_NAMES_SOMETHING = re.compile("[1-8]")  # no marker has such a digit, and most keys have
# Long numbers of one digit stand for none; 99 may be the number after 98, and 0000 before 0001.
_ONLY_ONE_DIGIT = re.compile(r"0|0{6,}|9{6,}")
_ONLY_PUNCTUATION = re.compile(r"[-?._/]+")


def is_missing_marker(text: str) -> bool:
    """Return True for a text that may mean that there is no key, such as ``unknown``.

    Case, accents, spaces and punctuation do not count.

    Example:
        >>> [is_missing_marker(text) for text in ("N.A.", "no  chip!", "?", "000000", "999999")]
        [True, True, True, True, True]
        >>> [is_missing_marker(text) for text in ("A-17", "99", "0000", "Nala", "")]
        [False, False, False, False, False]
    """
    if _NAMES_SOMETHING.search(text):
        return False
    word = comparable(text)
    if not word:
        return _ONLY_PUNCTUATION.fullmatch(text.strip()) is not None
    return word in words_for("none") or _ONLY_ONE_DIGIT.fullmatch(word) is not None
