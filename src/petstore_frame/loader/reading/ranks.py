"""Which of several rows of an animal is the newest, by a column of days, times or numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.options import NEWEST
from petstore_frame.loader.reading.tables import Row

_DATE = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})"
    r"(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AP]M)?)?(?:Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_OFFSET = 10**15


def is_date(text: str) -> bool:
    """Tell whether a cell holds a day, with or without a time."""
    return _DATE.fullmatch(text.strip()) is not None


class Ranks:
    """Texts that sort as a column does; the empty text where a cell has no rank.

    Args:
        columns: The names of all columns.
        keep: As of ``Options``, the column spelled as the file does.
    """

    def __init__(self, columns: Sequence[str] = (), keep: str | None = None) -> None:
        found = NEWEST.fullmatch(keep or "")
        self._at = None if found is None else columns.index(found[1])
        self._column = None if found is None else found[1]
        self._is_day_first: bool | None = None

    def learn(self, rows: Iterable[Row]) -> None:
        """Find out whether the day or the month comes first in the dates of the column.

        Raises:
            InputError: No cell tells, or some say one and some the other.
        """
        if self._at is None:
            return
        days_first, months_first, line = 0, 0, None
        for row in rows:
            date = (
                _DATE.fullmatch(row.cells[self._at].strip()) if self._at < len(row.cells) else None
            )
            if date is None or len(date[1]) > 2:
                continue
            line = line or row.line
            days_first += int(date[1]) > 12 or "." in date[0][:3]
            months_first += int(date[2]) > 12
        if line is not None and bool(days_first) == bool(months_first):
            what = "the dates do not tell whether the day or the month comes first"
            hint = "write them as 2026-03-31"
            raise InputError(what, line=line, column=self._column, hint=hint)
        self._is_day_first = days_first > 0

    def of(self, cells: Sequence[str]) -> str | None:
        """Return the rank of a row; None where none was asked for."""
        if self._at is None:
            return None
        text = cells[self._at].strip() if self._at < len(cells) else ""
        date = _DATE.fullmatch(text)
        if date is not None:
            return self._moment(date)
        try:
            number = Decimal(text)
        except InvalidOperation:
            return ""
        if not number.is_finite() or abs(number) >= _OFFSET:
            return ""
        return f"{number + _OFFSET:.12f}".zfill(29)

    def _moment(self, date: re.Match[str]) -> str:
        first, second, third = int(date[1]), int(date[2]), int(date[3])
        if len(date[1]) == 4:
            year, month, day = first, second, third
        elif self._is_day_first:
            year, month, day = third, second, first
        else:
            year, month, day = third, first, second
        hour = int(date[4] or 0)
        if date[7]:
            hour = hour % 12 + (12 if date[7].upper() == "PM" else 0)
        year += 2000 if len(str(year)) <= 2 else 0
        try:
            moment = datetime(year, month, day, hour, int(date[5] or 0), int(date[6] or 0))
        except ValueError:
            return ""
        return moment.isoformat()


def outdated(
    columns: Sequence[str], pairs: Sequence[tuple[int, Sequence[str], Sequence[str]]]
) -> dict[str, list[int]]:
    """Return the column of dates by which rows that stand are not the newest, with their lines.

    Args:
        columns: The names of all columns.
        pairs: Line and cells of a row that stands, and the cells of a row that it stands for.
    """
    found: dict[str, list[int]] = {}
    for at, column in enumerate(columns):
        dates = [Row(line, cells) for line, *both in pairs for cells in both if at < len(cells)]
        if not all(is_date(row.cells[at]) for row in dates) or column != column.strip():
            continue
        ranks = Ranks(columns, f"newest: {column}")
        try:
            ranks.learn(dates)
        except InputError:  # nobody can say which is the newest
            continue
        moments = [(line, ranks.of(stands), ranks.of(other)) for line, stands, other in pairs]
        found[column] = sorted({line for line, one, two in moments if (one or "") < (two or "")})
    worst = max(found, key=lambda column: len(found[column]), default="")
    return {worst: found[worst]} if found.get(worst) else {}
