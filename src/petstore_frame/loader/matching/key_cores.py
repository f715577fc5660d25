"""Finds keys that may be other spellings of a key: equal cores, or the same day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.dates import day_of_serial, read_date
from petstore_frame.loader.matching.folding import SEPARATOR, core, fold

_SERIAL = "46023"
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


class Cores(NamedTuple):
    """The core of a key, and its day if it reads as one."""

    core: str
    day_core: DayCore | None


def cores(key: Sequence[str]) -> Cores:
    """Return the forms of a key that its other spellings share.

    Example:
        >>> cores(["AUS-0017*"]).core, cores(["7.0"]).core, cores(["90.750"]).core
        ('aus-17', '7', '90-75')
        >>> iso, german = cores(["Luna", "2026-05-01"]), cores(["luna", "01.05.2026"])
        >>> iso.core == german.core, iso.day_core.is_of(german.day_core)
        (False, True)
    """
    return Cores(core_of_key(key), day_core(key))


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
