"""Recognizes texts in a key column that are not keys: markers for none, and rounded numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from petstore_frame.loader.matching.missing_markers import is_missing_marker

EXACT_DIGITS = 15  # spreadsheets keep this many digits of a number, and write zeros for the rest
_LONG_NUMBER = re.compile(rf"0*[1-9]\d{{{EXACT_DIGITS - 1}}}(?P<rest>\d+)")


def may_be_rounded(key: Sequence[str]) -> bool:
    """Return whether a spreadsheet may have replaced the last digits of a key with zeros.

    A complete number may end in the same way, so this shows nothing until different animals have
    the key.

    Example:
        >>> may_be_rounded(["9810200456781230"]), may_be_rounded(["9810200456781234"])
        (True, False)
        >>> may_be_rounded(["981020045678120"])  # all its digits are kept
        False
    """
    numbers = [_LONG_NUMBER.fullmatch(text) for text in key]
    return any(number is not None and not number["rest"].strip("0") for number in numbers)


def is_missing_key(key: Sequence[str]) -> bool:
    """Return whether a key says that there is none; of several columns, in all of them.

    Example:
        >>> is_missing_key(["N/A"]), is_missing_key(["none", "unknown"]), is_missing_key(["?", "7"])
        (True, True, False)
    """
    return bool(key) and all(map(is_missing_marker, key))
