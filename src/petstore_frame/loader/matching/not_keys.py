"""Recognizes texts in a key column that are not keys: markers such as "none", and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from petstore_frame.loader.missing_markers import is_missing_marker
from petstore_frame.schema import fold

_MONTH = (
    "jan|feb|mar|mär|mrz|apr|avr|abr|may|mai|jun|jul|aug|août|ago|sep|oct|okt|nov|dec|dez|dic|déc"
)
_DATE = re.compile(
    rf"\d{{1,2}}[-./ ]+(?:{fold(_MONTH)})[a-z]*\.?(?:[-./ ]+\d{{2,4}})?"
    rf"|(?:{fold(_MONTH)})[a-z]*\.?[-./ ]+(?:\d{{2}}|(?:19|20)\d{{2}})"
    r"|\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?",
)


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


def is_date(text: str) -> bool:
    """Return whether a key is a date; spreadsheets convert keys such as ``3-12`` to dates.

    Example:
        >>> is_date("12-Mar"), is_date("2026-03-12 00:00:00"), is_date("MAR-0012"), is_date("3-12")
        (True, True, False, False)
    """
    folded = fold(text)
    return _DATE.fullmatch(folded) is not None
