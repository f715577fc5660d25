"""Turns the dates, times or numbers of a column into texts that sort the same (``order_by``)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.loader.source.table import NUMBER_NOTE, TableRow

DATE = re.compile(
    r"(?P<a>\d{1,4})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<c>\d{1,4})"
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d+))?)?"
    r"\s*(?P<half>[AP]M)?)?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
# One thousand or one, unless the column or ``thousands`` decides what the separator is.
_AMBIGUOUS_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}(?P<separator>[.,])\d{3}")
_MOST_DIGITS = 40
_INTEGER_DIGITS, _FRACTION_DIGITS = 40, 20
# Seconds and milliseconds since 1970, for the years 2001 to 2033.
_EPOCH_SECONDS, _EPOCH_MILLISECONDS = range(10**9, 2 * 10**9), range(10**12, 2 * 10**12)
_HINT = "write them as 2026-03-31"
# Before a text that cannot be read: no date or number begins with it.
UNREADABLE = "?"


class _Kind(StrEnum):
    DATE = "a date"
    INSTANT = "an instant with a time zone"
    NUMBER = "a number"


class _Moment(NamedTuple):
    """The parts of a date as written; which one is the day is decided later."""

    parts: tuple[int, int, int]
    is_year_first: bool
    has_short_year: bool
    time: tuple[int, int, int, int]  # hour, minute, second, microsecond
    zone: timezone | None


class OrderReader:
    """Reads the sort value of each row, after it has examined all rows of the file.

    Args:
        at: The position of the column.
        column: Its name.
        thousands: The separator of groups of digits, as in a Recipe.
    """

    def __init__(self, at: int, column: str, thousands: str | None = None) -> None:
        self._at, self._column, self._thousands = at, column, thousands
        self._examples = dict[_Kind, str]()
        self._ambiguous: str | None = None  # a date that may be read with the day or month first
        self._short_year: str | None = None
        self._is_day_first = self._is_month_first = False
        self._epochs = dict[str, str]()
        # Of each separator in a number: one that may group digits, and whether one cannot.
        self._ambiguous_numbers = dict[str, str]()
        self._decimal_separators = set[str]()

    def observe(self, row: TableRow) -> None:
        """Examine a row, before the first value is read."""
        text = cell_at(row.cells, self._at)
        moment = _moment_of(text)
        if moment is None:
            if self._number_of(text) is not None:
                self._examples.setdefault(_Kind.NUMBER, text)
                self._observe_epoch(text)
                if row.notes.get(self._at) != NUMBER_NOTE:
                    self._observe_separator(text)
            return
        kind = _Kind.DATE if moment.zone is None else _Kind.INSTANT
        self._examples.setdefault(kind, text)
        if moment.has_short_year:
            self._short_year = self._short_year or text
        elif not moment.is_year_first:
            first, second, _ = moment.parts
            self._is_day_first |= first > 12
            self._is_month_first |= second > 12
            if first != second:
                self._ambiguous = self._ambiguous or text

    def _observe_separator(self, text: str) -> None:
        if self._thousands is not None:
            return
        ambiguous = _AMBIGUOUS_NUMBER.fullmatch(text)
        if ambiguous is not None:
            self._ambiguous_numbers.setdefault(ambiguous["separator"], text)
        else:
            self._decimal_separators.update(text.strip("+-0123456789"))

    def _observe_epoch(self, text: str) -> None:
        if not text.isdecimal() or len(text) > 13:
            return
        if int(text) in _EPOCH_SECONDS:
            self._epochs.setdefault("seconds", text)
        elif int(text) in _EPOCH_MILLISECONDS:
            self._epochs.setdefault("milliseconds", text)

    def finish(self) -> None:
        """Reject a column with several possible orders; the message shows them."""
        if len(self._examples) > 1:
            kinds = [f"{text!r} is {kind}" for kind, text in self._examples.items()]
            message = f"order_by needs one kind of value, but {' and '.join(kinds)}"
            raise InputError(message, column=self._column, hint="write all values in the same way")
        if len(self._epochs) > 1:
            kinds = [f"{text} may be {unit}" for unit, text in self._epochs.items()]
            message = f"order_by needs one unit of time, but {' and '.join(kinds)} since 1970"
            raise InputError(message, column=self._column, hint=_HINT)
        self._check_separators()
        if self._short_year is not None:
            raise InputError(
                f"the years have two digits, so a date can be read in several ways: "
                f"{_readings(self._short_year)}",
                column=self._column,
                hint=_HINT,
            )
        if self._ambiguous is not None and self._is_day_first == self._is_month_first:
            reason = "some dates begin with the day and others with the month"
            if not self._is_day_first:
                reason = "no date proves whether the day or the month comes first"
            message = f"{reason}: {_readings(self._ambiguous)}"
            raise InputError(message, column=self._column, hint=_HINT)

    def _check_separators(self) -> None:
        """Reject numbers that may have a thousands separator or a decimal one."""
        for separator, text in self._ambiguous_numbers.items():
            if separator not in self._decimal_separators:
                grouped, decimal = text.replace(separator, ""), text.replace(separator, ".")
                raise InputError(
                    f"a number can be read in two ways: {text!r} is {grouped} or {decimal}",
                    column=self._column,
                    hint="say with thousands whether ',' or '.' groups digits",
                )

    def read(self, row: TableRow) -> str:
        """Return a text that sorts like the value of a row does.

        It is empty if the cell is, and begins with ``UNREADABLE`` if its text cannot be read.
        """
        text = cell_at(row.cells, self._at)
        moment = _moment_of(text)
        if moment is not None:
            return self._sortable_moment(moment) or f"{UNREADABLE}{text}"
        number = self._number_of(text)
        if number is not None:
            return _sortable_number(number)
        return f"{UNREADABLE}{text}" if text else ""

    def _number_of(self, text: str) -> Decimal | None:
        separator = self._thousands
        if separator is not None and separator in text:
            if not re.match(rf"[+-]?\d{{1,3}}(?:{re.escape(separator)}\d{{3}})+(?!\d)", text):
                return None
            text = text.replace(separator, "")
        if len(text) > _MOST_DIGITS or not (text.isascii() and _NUMBER.fullmatch(text)):
            return None
        try:
            return Decimal(text.replace(",", "."))
        except InvalidOperation:
            return None

    def _sortable_moment(self, moment: _Moment) -> str:
        year, month, day = moment.parts
        if not moment.is_year_first:
            first, second, year = moment.parts
            day, month = (second, first) if self._is_month_first else (first, second)
        try:
            read = datetime(year, month, day, *moment.time, tzinfo=moment.zone)
            if moment.zone is not None:
                read = read.astimezone(UTC).replace(tzinfo=None)
        except (ValueError, OverflowError):
            return ""
        return read.isoformat(timespec="microseconds")


def _moment_of(text: str) -> _Moment | None:
    """Return the parts of a date, or None for any other text."""
    match = DATE.fullmatch(text)
    if match is None:
        return None
    parts = int(match["a"]), int(match["b"]), int(match["c"])
    is_year_first = len(match["a"]) == 4 and len(match["c"]) <= 2
    is_year_last = len(match["c"]) == 4 and len(match["a"]) <= 2
    has_short_year = not is_year_first and not is_year_last
    hour = int(match["hour"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].upper() == "PM" else 0)
    microsecond = int(f"{match['part'] or 0:0<6}"[:6])
    time = hour, int(match["minute"] or 0), int(match["second"] or 0), microsecond
    return _Moment(parts, is_year_first, has_short_year, time, _zone_of(match["zone"]))


def _zone_of(text: str | None) -> timezone | None:
    if not text:
        return None
    if text.upper() == "Z":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    if offset >= timedelta(hours=24):
        return None
    return timezone(-offset if text[0] == "-" else offset)


def _sortable_number(number: Decimal) -> str:
    """Return a text of fixed width; the digits of a negative number are complemented."""
    digits = f"{abs(number):0{_INTEGER_DIGITS + _FRACTION_DIGITS + 1}.{_FRACTION_DIGITS}f}"
    if number < 0:
        return "-" + digits.translate(str.maketrans("0123456789", "9876543210"))
    return digits


def _readings(text: str) -> str:
    """Return the possible dates of a text, for a message: ``'03/04/2026' is 2026-04-03 or …``."""
    moment = _moment_of(text)
    if moment is None:
        return repr(text)
    first, second, third = moment.parts
    orders = [(third, second, first), (third, first, second)]
    if moment.has_short_year:
        orders = [
            (century + year, month, day)
            for year, month, day in [*orders, (first, second, third)]
            for century in (2000, 1900)
            if year < 100
        ]
    dates = dict[str, None]()
    for year, month, day in orders:
        try:
            dates[datetime(year, month, day, tzinfo=UTC).date().isoformat()] = None
        except ValueError:
            continue
    return f"{text!r} is {' or '.join([*dates][:3])}"
