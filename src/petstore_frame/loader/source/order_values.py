"""Turns the dates, instants or numbers of a column into texts that sort the same (``order_by``)."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.file_questions import date_order_question, thousands_question
from petstore_frame.loader.matching.dates import DATE_ORDERS, WrittenDate, read_date
from petstore_frame.loader.source.grouped_digits import starts_with_groups, without_separators
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.questions import Question
from petstore_frame.tables.table import NUMBER_NOTE, TableRow

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
# One thousand or one, unless ``thousands`` says what the separator is.
_AMBIGUOUS_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}(?P<separator>[.,])\d{3}")
_INTEGER_DIGITS, _FRACTION_DIGITS = 40, 20
# Before a text that cannot be read: no date or number begins with it.
UNREADABLE = "?"


class _Kind(StrEnum):
    DATE = "a date"
    INSTANT = "an instant with a time zone"
    NUMBER = "a number"


class _Example(NamedTuple):
    """A value of the column, and its line."""

    text: str
    line: int


class OrderReader:
    """Reads the sort value of each row, after it has examined all rows of the file.

    A text that is neither a date nor a number says nothing about the others.

    Args:
        at: The position of the column.
        column: Its name.
        thousands: The separator of groups of digits, as in a Recipe.
        date_order: The order of day, month and year in dates such as ``03/04/2026``.
    """

    def __init__(
        self,
        at: int,
        column: str,
        thousands: str | None = None,
        date_order: str | None = None,
    ) -> None:
        self._at, self._column = at, column
        self._thousands, self._date_order = thousands, date_order
        self._first_of_kind = dict[_Kind, _Example]()
        self._rows_of_kind = Counter[_Kind]()
        self._uncertain_dates = list[_Example]()  # the first one, and one that shows most
        self._ambiguous_number: _Example | None = None

    def observe(self, row: TableRow) -> None:
        """Examine a row, before the first value is read."""
        example = _Example(cell_at(row.cells, self._at), row.line)
        if self._number_of(example.text) is not None:
            self._note_kind(_Kind.NUMBER, example)
            is_cell_with_number = row.notes.get(self._at) == NUMBER_NOTE
            if not is_cell_with_number and _AMBIGUOUS_NUMBER.fullmatch(example.text):
                self._ambiguous_number = self._ambiguous_number or example
        elif written := read_date(example.text):
            kind = _Kind.DATE if written.time.tzinfo is None else _Kind.INSTANT
            self._note_kind(kind, example)
            if written.numbers is not None and self._date_order is None:
                self._note_uncertain_date(example)

    def _note_kind(self, kind: _Kind, example: _Example) -> None:
        self._first_of_kind.setdefault(kind, example)
        self._rows_of_kind[kind] += 1

    def _note_uncertain_date(self, example: _Example) -> None:
        """Keep the first date, and another one, if possible one that only one order can read."""
        first, *rest = [*self._uncertain_dates, example]
        second = sorted(rest, key=lambda date: len(_orders_of(date.text)))[:1]
        self._uncertain_dates = [first, *second]

    def finish(self) -> None:
        """Reject a column whose order is not certain; the message shows its values.

        Raises:
            InputError: The column has several kinds of values, dates whose order ``date_order``
                must state, or numbers whose separator ``thousands`` must state.
        """
        if len(self._first_of_kind) > 1:
            kinds = [f"{example.text!r} is {kind}" for kind, example in self._first_of_kind.items()]
            rarest = min(self._first_of_kind, key=self._rows_of_kind.__getitem__)
            message = f"needs one kind of value, but {' and '.join(kinds)}"
            raise self._error(message, self._first_of_kind[rarest].line, "write all in one way")
        if self._uncertain_dates:
            raise self._ask_for_date_order()
        if self._ambiguous_number is not None and self._thousands is None:
            raise self._ask_for_thousands(self._ambiguous_number)

    def _ask_for_date_order(self) -> InputError:
        """Return the error that asks for ``date_order``, with the readings of two values."""
        texts = [*dict.fromkeys(example.text for example in self._uncertain_dates)]
        readings = [
            f"{order} reads {' and '.join(_orders_of(text)[order] for text in texts)}"
            for order in DATE_ORDERS
            if all(order in _orders_of(text) for text in texts)
        ]
        message = f"needs the order of day, month and year in {' and '.join(map(repr, texts))}"
        hint = f"state it with date_order: {', '.join(readings) or ', '.join(DATE_ORDERS)}"
        orders = [reading.partition(" ")[0] for reading in readings]
        question = date_order_question(f"order_by {message}", orders, hint)
        return self._error(message, self._uncertain_dates[0].line, hint, question)

    def _ask_for_thousands(self, example: _Example) -> InputError:
        text = example.text
        separator = "," if "," in text else "."
        grouped, decimal = text.replace(separator, ""), text.replace(separator, ".")
        decimal_option = "." if separator == "," else ","
        message = f"finds a number that can be read in two ways: {text!r} is {grouped} or {decimal}"
        hint = f"thousands {separator!r} reads {grouped}, and {decimal_option!r} reads {decimal}"
        question = thousands_question(f"order_by {message}", hint)
        return self._error(message, example.line, hint, question)

    def _error(self, message: str, line: int, hint: str, *questions: Question) -> InputError:
        text = f"order_by {message}"
        return InputError(text, line=line, column=self._column, hint=hint, questions=questions)

    def read(self, row: TableRow) -> str:
        """Return a text that sorts like the value of a row does.

        It is empty if the cell is, and begins with ``UNREADABLE`` if its text cannot be read.
        """
        text = cell_at(row.cells, self._at)
        if not text:
            return ""
        number = self._number_of(text)
        if number is not None:
            return _sortable_number(number)
        written = read_date(text)
        moment = None if written is None else self._moment_of(written)
        if moment is None:
            return f"{UNREADABLE}{text}"
        return moment.isoformat(timespec="microseconds")

    def _number_of(self, text: str) -> Decimal | None:
        if self._thousands is not None:
            if not starts_with_groups(text, self._thousands):
                return None
            text = without_separators(text, self._thousands)
        if len(text) > _INTEGER_DIGITS or not (text.isascii() and _NUMBER.fullmatch(text)):
            return None
        return Decimal(text.replace(",", "."))

    def _moment_of(self, written: WrittenDate) -> datetime | None:
        """Return a date as a moment, in UTC if it has a zone; None if there is no such day."""
        day = written.day(self._date_order)
        if day is None:
            return None
        moment = datetime.combine(day, written.time)
        if moment.tzinfo is None:
            return moment
        try:
            return moment.astimezone(UTC).replace(tzinfo=None)
        except OverflowError:
            return None


def _orders_of(text: str) -> dict[str, str]:
    """Return the orders in which a date can be read, with its day in each."""
    written = read_date(text)
    if written is None:
        return {}
    days = {order: written.day(order) for order in DATE_ORDERS}
    return {order: day.isoformat() for order, day in days.items() if day is not None}


def _sortable_number(number: Decimal) -> str:
    """Return a text of fixed width; the digits of a negative number are complemented."""
    digits = f"{abs(number):0{_INTEGER_DIGITS + _FRACTION_DIGITS + 1}.{_FRACTION_DIGITS}f}"
    if number < 0:
        return "-" + digits.translate(str.maketrans("0123456789", "9876543210"))
    return digits
