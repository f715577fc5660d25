"""Recognizes texts in a key column that are not keys: markers such as "none", and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from petstore_frame.schema import fold

_MARKERS = (
    "none", "n/a", "na", "unknown", "tbd", "0", "-", "--", "?", "??", "null", "nil", "nan", "no",
    "x", "xx", "xxx", "missing", "not available", "no chip", "keine", "unbekannt", "ninguno",
    "aucun",
)  # fmt: skip
_FOLDED_MARKERS = frozenset(fold(marker) for marker in _MARKERS)
_MONTH = (
    "jan|feb|mar|mär|mrz|apr|avr|abr|may|mai|jun|jul|aug|août|ago|sep|oct|okt|nov|dec|dez|dic|déc"
)
_DATE = re.compile(
    rf"\d{{1,2}}[-./ ]+(?:{fold(_MONTH)})[a-z]*\.?(?:[-./ ]+\d{{2,4}})?"
    rf"|(?:{fold(_MONTH)})[a-z]*\.?[-./ ]+(?:\d{{2}}|(?:19|20)\d{{2}})"
    r"|\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?",
)


def is_missing_marker(key: Sequence[str]) -> bool:
    """Return whether a key is a marker for a missing value, in all of its columns.

    Example:
        >>> [is_missing_marker([text]) for text in ("N/A", " Unknown", "?", "0000")]
        [True, True, True, False]
    """
    return bool(key) and all(fold(text) in _FOLDED_MARKERS for text in key)


def is_date(text: str) -> bool:
    """Return whether a key is a date; spreadsheets convert keys such as ``3-12`` to dates.

    Example:
        >>> is_date("12-Mar"), is_date("2026-03-12 00:00:00"), is_date("MAR-0012"), is_date("3-12")
        (True, True, False, False)
    """
    folded = fold(text)
    return _DATE.fullmatch(folded) is not None
