"""Tells which texts are not keys: empty cells, Excel errors, rounded numbers and words for none."""

from __future__ import annotations

import re

from petstore_frame.loader.source.spreadsheet_text import ROUNDED_NUMBER, SPREADSHEET_ERROR
from petstore_frame.schema.words import comparable, words_for

_NAMES_SOMETHING = re.compile("[1-9]")  # no word for none has a digit, and most keys have
_ONLY_PUNCTUATION = re.compile(r"[-?._/]+")
_NOT_KEYS = (
    (re.compile(""), "no animal ID"),
    (SPREADSHEET_ERROR, "{} is a spreadsheet error, not an animal ID"),
    (ROUNDED_NUMBER, "{} is a number that a spreadsheet rounded, not an animal ID"),
)


def why_no_key(text: str) -> str | None:
    """Return why a text is not a key, or None if it is one.

    Example:
        >>> why_no_key(""), why_no_key("9,81E14")
        ('no animal ID', "'9,81E14' is a number that a spreadsheet rounded, not an animal ID")
        >>> why_no_key("n/a"), why_no_key("A-17")
        ("'n/a' says that there is no animal ID", None)
    """
    for pattern, message in _NOT_KEYS:
        if pattern.fullmatch(text):
            return message.format(repr(text[:60]))
    return f"{text[:60]!r} says that there is no animal ID" if means_none(text) else None


def means_none(text: str) -> bool:
    """Return whether a text means that there is no key, such as ``unknown`` or ``000``.

    Case, accents, spaces and punctuation do not count.

    Example:
        >>> [means_none(text) for text in ("N.A.", "no  chip!", "?", "000000")]
        [True, True, True, True]
        >>> [means_none(text) for text in ("A-17", "99", "N-0", "Nala", "")]
        [False, False, False, False, False]
    """
    if _NAMES_SOMETHING.search(text):
        return False
    word = comparable(text)
    if not word:
        return _ONLY_PUNCTUATION.fullmatch(text.strip()) is not None
    return word in words_for("none") or not word.strip("0")
