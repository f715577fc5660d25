"""Finds keys that may be other spellings of a key: equal cores, or the same day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from petstore_frame.loader.matching.dates import day_of_serial, read_date
from petstore_frame.loader.matching.folding import SEPARATOR, core, fold

_SERIAL = "46023"
_MAY_BE_DATE = re.compile(r"\d[^\w]+\w+[^\w]+\d|(?:19|20)\d{6}|[^\W\d_]{3}")
_DAY_ZERO = date(1899, 12, 30)
_LONGEST_SERIAL = 7
_LONGEST_DATE = 40


class DayCore(NamedTuple):
    """The day that a key reads as.

    Two keys with the same day are compared only if their forms differ: a column that is written in
    one way has different keys for different animals.
    """

    day: str
    form: str

    def is_of(self, second: DayCore) -> bool:
        """Return whether two keys may be the same day in two forms."""
        return self.day == second.day and self.form != second.form


def date_cores(key: Sequence[str]) -> list[str]:
    """Return more cores of a key that is written as a date: its day, and its serial numbers.

    A key that is the serial number of a day has that number as its core, so it needs no other one.

    Example:
        >>> date_cores(["01.05.2026"])
        ['@2026-1-5', '46143', '46027']
        >>> date_cores(["A-17"]), date_cores(["46143"])
        ([], [])
    """
    if not any(_MAY_BE_DATE.search(text) for text in key):
        return []
    dates = [read_date(fold(text)) for text in key]
    day = day_core(key)
    if day is None or not any(dates):
        return []
    cores = [f"@{day.day}"]
    for choice in range(max(len(written.days) for written in dates if written is not None)):
        texts = [
            core(text) if written is None else _serial_number(written.days[choice:] or written.days)
            for text, written in zip(key, dates, strict=True)
        ]
        cores.append(SEPARATOR.join(texts))
    return cores


def _serial_number(days: Sequence[date]) -> str:
    """Return the serial number of the first of some days."""
    return str((days[0] - _DAY_ZERO).days)


def core_of_key(key: Sequence[str]) -> str:
    """Return the core of a key of one or several columns.

    Example:
        >>> core_of_key(["N-01", "7.0"]) == core_of_key(["n1", "007"])
        True
    """
    return core(key[0]) if len(key) == 1 else SEPARATOR.join(map(core, key))


def day_core(key: Sequence[str]) -> DayCore | None:
    """Return the day that a key reads as, or the serial number of a day; column by column.

    Day and month are in no order, because ``01/05/2026`` may be either day.

    Example:
        >>> day_core(["46143"]).is_of(day_core(["2026-05-01"]))
        True
        >>> day_core(["2026-01-05"]).is_of(day_core(["2026-05-01"]))  # written in the same form
        False
        >>> day_core(["A-17"])
    """
    days, forms = list[str](), list[str]()
    for text in key:
        day, form = _day_and_form(text)
        days.append(day or core(text))
        forms.append(form)
    return DayCore(SEPARATOR.join(days), SEPARATOR.join(forms)) if any(forms) else None


def _day_and_form(text: str) -> tuple[str, str]:
    """Return the day that a text reads as and the form of the text; two empty texts if none."""
    if text[:1].isalpha() and not text[-2:].isdecimal():
        return "", ""
    if len(text) > _LONGEST_DATE:
        return "", ""
    folded = fold(text)
    number = core(folded)
    if number.isdecimal() and len(number) <= _LONGEST_SERIAL:
        day, form = day_of_serial(int(number)), _SERIAL
    else:
        written = read_date(folded)
        if written is None:
            return "", ""
        day, form = written.days[0], written.form
    if day is None:
        return "", ""
    smaller, larger = sorted((day.month, day.day))
    return f"{day.year}-{smaller}-{larger}", form
