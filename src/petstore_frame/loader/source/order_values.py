"""Turns the dates, times or numbers of a column into texts that sort the same (``order_by``)."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.grouped_digits import starts_with_groups, without_separators
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.tables.table import NUMBER_NOTE, TableRow

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
_MONTHS, _CENTURY = 12, 2000
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


class _Example(NamedTuple):
    """A value of the column, and its line."""

    text: str
    line: int


class OrderReader:
    """Reads the sort value of each row, after it has examined all rows of the file.

    Args:
        at: The position of the column.
        column: Its name.
        thousands: The separator of groups of digits, as in a Recipe.
    """

    def __init__(self, at: int, column: str, thousands: str | None = None) -> None:
        self._at, self._column, self._thousands = at, column, thousands
        self._examples = dict[_Kind, _Example]()
        self._rows_of_kind = Counter[_Kind]()
        # A date that may be read with the day or month first, and one that proves each of these.
        self._ambiguous: _Example | None = None
        self._day_first: _Example | None = None
        self._month_first: _Example | None = None
        self._short_year: _Example | None = None
        self._epochs = dict[str, _Example]()
        # Of each separator in a number: one that may group digits, and whether one cannot.
        self._ambiguous_numbers = dict[str, _Example]()
        self._decimal_separators = set[str]()

    def observe(self, row: TableRow) -> None:
        """Examine a row, before the first value is read.

        A value that is not a date or a number in any reading says nothing about the others.
        """
        example = _Example(cell_at(row.cells, self._at), row.line)
        moment = _moment_of(example.text)
        if moment is not None:
            if _is_readable(moment):
                self._observe_moment(moment, example)
        elif self._number_of(example.text) is not None:
            self._note_kind(_Kind.NUMBER, example)
            self._observe_epoch(example)
            if row.notes.get(self._at) != NUMBER_NOTE:
                self._observe_separator(example)

    def _note_kind(self, kind: _Kind, example: _Example) -> None:
        self._examples.setdefault(kind, example)
        self._rows_of_kind[kind] += 1

    def _observe_moment(self, moment: _Moment, example: _Example) -> None:
        self._note_kind(_Kind.DATE if moment.zone is None else _Kind.INSTANT, example)
        if moment.has_short_year:
            self._short_year = self._short_year or example
        elif not moment.is_year_first:
            first, second, _ = moment.parts
            if first > _MONTHS:
                self._day_first = self._day_first or example
            if second > _MONTHS:
                self._month_first = self._month_first or example
            if first != second:
                self._ambiguous = self._ambiguous or example

    def _observe_separator(self, example: _Example) -> None:
        if self._thousands is not None:
            return
        ambiguous = _AMBIGUOUS_NUMBER.fullmatch(example.text)
        if ambiguous is not None:
            self._ambiguous_numbers.setdefault(ambiguous["separator"], example)
        else:
            self._decimal_separators.update(example.text.strip("+-0123456789"))

    def _observe_epoch(self, example: _Example) -> None:
        text = example.text
        if not text.isdecimal() or len(text) > 13:
            return
        if int(text) in _EPOCH_SECONDS:
            self._epochs.setdefault("seconds", example)
        elif int(text) in _EPOCH_MILLISECONDS:
            self._epochs.setdefault("milliseconds", example)

    def finish(self) -> None:
        """Reject a column with several possible orders; the message shows them."""
        if len(self._examples) > 1:
            kinds = [f"{example.text!r} is {kind}" for kind, example in self._examples.items()]
            rarest = min(self._examples, key=self._rows_of_kind.__getitem__)
            message = f"needs one kind of value, but {' and '.join(kinds)}"
            raise self._error(message, self._examples[rarest], "write all values in the same way")
        if len(self._epochs) > 1:
            kinds = [f"{example.text} may be {unit}" for unit, example in self._epochs.items()]
            message = f"needs one unit of time, but {' and '.join(kinds)} since 1970"
            raise self._error(message, [*self._epochs.values()][-1])
        self._check_separators()
        self._check_dates()

    def _check_dates(self) -> None:
        """Reject dates that can be read in several ways."""
        if self._short_year is not None:
            readings = _readings(self._short_year.text)
            message = "needs dates that can be read in one way, but the years have two digits"
            raise self._error(f"{message}: {readings}", self._short_year)
        if self._ambiguous is None:
            return
        readings = _readings(self._ambiguous.text)
        if self._day_first is None and self._month_first is None:
            message = "needs one order of dates, and no date proves whether the day comes first"
            raise self._error(f"{message}: {readings}", self._ambiguous)
        if self._day_first is not None and self._month_first is not None:
            proofs = (self._day_first, self._month_first)
            examples = " and ".join(f"{text!r} in line {line}" for text, line in proofs)
            message = "needs one order of dates, but some dates begin with the day and others with"
            raise self._error(f"{message} the month: {examples}", self._ambiguous)

    def _check_separators(self) -> None:
        """Reject numbers that may have a thousands separator or a decimal one."""
        for separator, example in self._ambiguous_numbers.items():
            text = example.text
            if separator not in self._decimal_separators:
                grouped, decimal = text.replace(separator, ""), text.replace(separator, ".")
                decimal_option = "." if separator == "," else ","
                message = f"finds a number that can be read in two ways: {text!r} is {grouped}"
                hint = (
                    f"thousands {separator!r} reads {grouped}; thousands {decimal_option!r} "
                    f"reads {decimal}"
                )
                error = self._error(f"{message} or {decimal}", example, hint)
                error.add = ("thousands", PLACEHOLDER)
                raise error

    def _error(self, message: str, example: _Example, hint: str = _HINT) -> InputError:
        """Return an error about the column, with the line of a value."""
        return InputError(f"order_by {message}", line=example.line, column=self._column, hint=hint)

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
        if self._thousands is not None:
            if not starts_with_groups(text, self._thousands):
                return None
            text = without_separators(text, self._thousands)
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
            is_month_first = self._month_first is not None
            day, month = (second, first) if is_month_first else (first, second)
        read = _datetime(moment, year, month, day)
        return "" if read is None else read.isoformat(timespec="microseconds")


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


def _datetime(moment: _Moment, year: int, month: int, day: int) -> datetime | None:
    """Return a moment in UTC if it has a zone; None if there is no such day or time."""
    try:
        read = datetime(year, month, day, *moment.time, tzinfo=moment.zone)
        if moment.zone is not None:
            read = read.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return read


def _is_readable(moment: _Moment) -> bool:
    """Return whether a moment is a date in any of its readings."""
    first, second, third = moment.parts
    orders = [(first, second, third)]
    if not moment.is_year_first:
        orders = [(third, second, first), (third, first, second)]
    if moment.has_short_year:
        orders = [(_CENTURY + year, month, day) for year, month, day in [*orders, moment.parts]]
    return any(_datetime(moment, *order) is not None for order in orders)


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
