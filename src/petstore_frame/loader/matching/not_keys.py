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
