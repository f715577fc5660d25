"""Recognizes dates in a column of keys, which a spreadsheet makes of keys such as ``3-12``."""

from __future__ import annotations

import re
from enum import Enum, auto

from petstore_frame.loader.matching.folding import fold

# In English, German, French, Spanish, Italian, Portuguese and Dutch, in full and abbreviated.
_MONTHS = """
jan january januar janvier janv enero ene gennaio gen januari janeiro
feb february februar février févr fév febrero febbraio februari fevereiro fev
mar march märz mär mrz mars marzo maart mrt março
apr april avril avr abril abr aprile
may mai mayo maggio mag mei maio
jun june juni juin junio giugno giu junho
jul july juli juillet juil julio luglio lug julho
aug august août agosto ago augustus
sep sept september septembre septiembre settembre set setembro
oct october oktober okt octobre octubre ottobre ott outubro out
nov november novembre noviembre novembro
dec december dezember dez décembre déc diciembre dic dicembre dezembro
"""
_MONTH_NAMES = frozenset(map(fold, _MONTHS.split()))
_DATE = re.compile(
    r"\d{1,2}[-./ ]+(?P<month>[^\W\d_]+)\.?(?:[-./ ]+\d{2,4})?"
    r"|(?P<first_month>[^\W\d_]+)\.?[-./ ]+(?:\d{2}|(?:19|20)\d{2})"
    r"|(?P<first>\d{1,2})(?P<sign>[./])(?P<second>\d{1,2})(?P=sign)\d{4}(?: 0?0:00(?::00)?)?"
    r"|\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?z|[+-]\d{2}:?\d{2})?)?"
)
_MONTHS_OF_A_YEAR, _DAYS_OF_A_MONTH = 12, 31
THREE_NUMBERS = re.compile(r"\d+[./]\d+[./]\d+")


class DateForm(Enum):
    """How a date is written, which says how likely it is a converted key."""

    MONTH = auto()  # 12-Mar: only spreadsheets write keys like this
    NUMBERS = auto()  # 3/12/2026: a key may have three numbers, too
    ISO = auto()  # 2026-03-12, also with a time: programs and people write it


def date_form(text: str) -> DateForm | None:
    """Return how a text is written if it is a date, or None.

    Example:
        >>> date_form("12-Mar") is date_form("Mar-26") is DateForm.MONTH
        True
        >>> date_form("3/12/2026"), date_form("2026-03-12T00:00:00")
        (<DateForm.NUMBERS: 2>, <DateForm.ISO: 3>)
        >>> [date_form(text) for text in ("3-12", "MAR-0012", "Marley-22", "45/99/2026")]
        [None, None, None, None]
    """
    date = _DATE.fullmatch(text.lower() if text.isascii() else fold(text))
    if date is None:
        return None
    month = date["month"] or date["first_month"]
    if month is not None:
        return DateForm.MONTH if month in _MONTH_NAMES else None
    if date["sign"] is None:
        return DateForm.ISO
    smaller, larger = sorted((int(date["first"]), int(date["second"])))
    is_date = 0 < smaller <= _MONTHS_OF_A_YEAR and larger <= _DAYS_OF_A_MONTH
    return DateForm.NUMBERS if is_date else None
