"""Reads dates in the forms that spreadsheets, programs and people write."""

from __future__ import annotations

import re
from datetime import UTC, date, time, timedelta, timezone
from typing import NamedTuple

from petstore_frame.loader.matching.folding import fold
from petstore_frame.schema.words import comparable, month_numbers

_TIME = (
    r"(?:[t ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d+))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?)?\s*(?P<zone>z|[+-]\d{2}:?\d{2})?"
)
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})(?P<sign>[-./])(?P<month>\d{{1,2}})(?P=sign)(?P<day>\d{{1,2}}){_TIME}"
)
_YEAR_LAST = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<sign>[-./])(?P<b>\d{{1,2}})(?P=sign)(?P<c>\d{{4}}|\d{{2}}){_TIME}"
)
_MONTH_NAMED = re.compile(
    r"(?:(?P<day>\d{1,2})[-./ ]+(?P<month>[^\W\d_]+)|(?P<first_month>[^\W\d_]+)[-./ ]+"
    rf"(?P<second_day>\d{{1,2}}))[-./, ]+(?P<year>\d{{4}}|\d{{2}}){_TIME}"
)
_WITHOUT_SIGNS = re.compile(r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})")
# What a spreadsheet makes of ``3-12``: a day without a year, or a month.
_PART = re.compile(
    r"\d{1,2}[-./ ]+(?P<month>[^\W\d_]+)\.?"
    r"|(?P<first_month>[^\W\d_]+)\.?[-./ ]+(?:\d{2}|(?:19|20)\d{2})"
)
# The possible orders of day, month and year in a date of three numbers.
DATE_ORDERS = ("DMY", "MDY", "YMD")
_FIRST_DAY, _FALSE_LEAP_DAY = date(1899, 12, 31), 60
_SPREADSHEET_FORMS = ("1/1/2026", "1.1.2026", "1 January", "January 1")
_LAST_SERIAL = 2_958_465  # 31 December 9999
_SHORT_YEARS, _FIRST_OF_1900S = range(100), 69  # 69 is 1969, and 68 is 2068, as in POSIX


class WrittenDate(NamedTuple):
    """A date as it is written.

    Attributes:
        form: How it is written, such as ``1/1/2026``; a time is ``00:00``.
        days: The days that it may be: several if day and month may be exchanged.
        time: Its time, with the zone if it has one.
        numbers: The three numbers as written if their order is not certain.
    """

    form: str
    days: tuple[date, ...]
    time: time
    numbers: tuple[int, int, int] | None = None

    def day(self, order: str | None = None) -> date | None:
        """Return the day, or None if this order of the numbers makes no day or none is named."""
        if self.numbers is None:
            return self.days[0]
        return None if order is None else _day_of(order, self.numbers)


def read_date(text: str) -> WrittenDate | None:
    """Return a date as it is written, or None for any other text.

    Example:
        >>> [day.isoformat() for day in read_date("01/05/2026").days]
        ['2026-05-01', '2026-01-05']
        >>> [day.isoformat() for day in read_date("1. Mai 2026").days]
        ['2026-05-01']
        >>> read_date("2026-05-01T10:30").form, read_date("45/99/2026"), read_date("3-12")
        ('2026-01-01 00:00', None, None)
    """
    text = text.lower() if text.isascii() else fold(text)
    try:
        if match := _YEAR_FIRST.fullmatch(text):
            form = match["sign"].join(("2026", "01", "01"))
            return _certain_date(form, match, int(match["month"]), match["day"])
        if match := _YEAR_LAST.fullmatch(text):
            return _date_with_last_year(match)
        if match := _MONTH_NAMED.fullmatch(text):
            return _date_with_named_month(match)
        if match := _WITHOUT_SIGNS.fullmatch(text):
            numbers = int(match["year"]), int(match["month"]), int(match["day"])
            return WrittenDate("20260101", (date(*numbers),), time())
    except ValueError:
        return None
    return None


def is_spreadsheet_date(text: str) -> bool:
    """Return whether a text is a date as spreadsheets write it, maybe without its day or year.

    ISO dates may be keys, and so may three numbers with dashes or of two digits.

    Example:
        >>> is_spreadsheet_date("12-Mar"), is_spreadsheet_date("3/12/2026")
        (True, True)
        >>> is_spreadsheet_date("2026-03-12"), is_spreadsheet_date("MAR-0012")
        (False, False)
    """
    folded = text.lower() if text.isascii() else fold(text)
    written = read_date(folded)
    if written is not None:
        return written.form.startswith(_SPREADSHEET_FORMS)
    match = _PART.fullmatch(folded)
    if match is None:
        return False
    return comparable(match["month"] or match["first_month"]) in month_numbers()


def day_of_serial(number: int) -> date | None:
    """Return the day that a spreadsheet shows for a number in a date format.

    Example:
        >>> day_of_serial(46143).isoformat(), day_of_serial(1).isoformat(), day_of_serial(0)
        ('2026-05-01', '1900-01-01', None)
    """
    if not 0 < number <= _LAST_SERIAL or number == _FALSE_LEAP_DAY:
        return None
    return _FIRST_DAY + timedelta(days=number - (number > _FALSE_LEAP_DAY))


def _certain_date(form: str, match: re.Match[str], month: int, day: str) -> WrittenDate:
    """Return a date of which year, month and day are known."""
    form += " 00:00" if match["hour"] else ""
    year = int(match["year"])
    if len(match["year"]) == 2:
        year = _full_year(year)
    return WrittenDate(form, (date(year, month, int(day)),), _time_of(match))


def _date_with_named_month(match: re.Match[str]) -> WrittenDate | None:
    month = month_numbers().get(comparable(match["month"] or match["first_month"]))
    if month is None:
        return None
    form = "1 January" if match["day"] else "January 1"
    return _certain_date(form, match, month, match["day"] or match["second_day"])


def _date_with_last_year(match: re.Match[str]) -> WrittenDate | None:
    """Return a date such as ``01/05/2026``, of which the order may be uncertain."""
    numbers = int(match["a"]), int(match["b"]), int(match["c"])
    day_first, month_first = (_day_of(order, numbers) for order in ("DMY", "MDY"))
    year_first = _day_of("YMD", numbers) if numbers[2] in _SHORT_YEARS else None
    days = dict.fromkeys(day for day in (day_first, month_first) if day is not None)
    if not days and year_first is not None:
        days = {year_first: None}
    if not days:
        return None
    form = match["sign"].join(("1", "1", "2026" if numbers[2] not in _SHORT_YEARS else "26"))
    if len(days) == 1 and day_first != month_first:
        form += " day first" if day_first else " month first"
    form += " 00:00" if match["hour"] else ""
    return WrittenDate(form, tuple(days), _time_of(match), numbers)


def _day_of(order: str, numbers: tuple[int, int, int]) -> date | None:
    parts = dict(zip(order, numbers, strict=True))
    try:
        return date(_full_year(parts["Y"]), parts["M"], parts["D"])
    except ValueError:
        return None


def _full_year(year: int) -> int:
    if year not in _SHORT_YEARS:
        return year
    return year + (1900 if year >= _FIRST_OF_1900S else 2000)


def _time_of(match: re.Match[str]) -> time:
    """Return the time of a date; midnight if it has none."""
    hour = int(match["hour"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].startswith("p") else 0)
    microsecond = int(f"{match['part'] or 0:0<6}"[:6])
    minute, second = int(match["minute"] or 0), int(match["second"] or 0)
    return time(hour, minute, second, microsecond, _zone_of(match["zone"]))


def _zone_of(text: str | None) -> timezone | None:
    if not text:
        return None
    if text == "z":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)
