"""Which animal a row names by its key, and how new the row is by a column of dates or numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from itertools import compress
from unicodedata import normalize

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import quoted, word_of
from petstore_frame.loader.record import RecordProblem

Cells = Sequence[str]
# What a spreadsheet may put in the place of a key: an error, in English or German, or the rounded
# form of a long number.
_NO_KEY = re.compile(
    r"#(N/A|NV|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|BEZUG!|WERT!|ZAHL!)|\d([.,]\d+)?E\+\d+",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})"
    r"(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AP]M)?)?(?:Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_OFFSET = 10**15


class Keys:
    """The key of each row, a text; of several columns it is a JSON list of their texts.

    ``nothing`` has the words that mean that there is no key, by column, as ``word_of`` has them;
    ``rows`` are all of a file.
    """

    def __init__(
        self,
        columns: Sequence[str],
        key: Sequence[str],
        nothing: Mapping[str, Collection[str]],
        rows: Iterable[Cells],
    ) -> None:
        self._places = [
            (each, columns.index(each), frozenset(nothing.get(each, ()))) for each in key
        ]
        # Rows of which some key columns are empty and the others name several rows.
        self._unclear, known = set[tuple[str, ...]](), set[tuple[str, ...]]()
        known.update(tuple(self._texts(cells)) for cells in (rows if len(key) > 1 else ()))
        partial = [each for each in known if "" in each and any(each)]
        for filled in {tuple(map(bool, texts)) for texts in partial}:
            rest = {texts: tuple(compress(texts, filled)) for texts in known}
            times = Counter(rest.values())
            alike = (each for each in partial if tuple(map(bool, each)) == filled)
            self._unclear.update(each for each in alike if times[rest[each]] > 1)

    def read(self, cells: Cells, ordinal: str = "") -> tuple[str | None, RecordProblem | None]:
        """Return the key of a row, or why it has none; ``ordinal`` is which of its animals."""
        texts = self._texts(cells)
        if "" in texts and (problem := self._problem(cells, texts)):
            return None, problem
        if ordinal:
            texts.append(ordinal)
        return texts[0] if len(texts) == 1 else f"[{', '.join(map(quoted, texts))}]", None

    def _texts(self, cells: Cells) -> list[str]:
        """Return the text of each column, empty where it holds no key."""
        texts = []
        for _, at, nothing in self._places:
            text = cells[at].strip() if at < len(cells) else ""
            if not text.isascii():
                text = normalize("NFC", text)
            is_none = nothing and word_of(text) in nothing
            is_odd = text[:1] == "#" or "+" in text
            texts.append("" if is_none or (is_odd and _NO_KEY.fullmatch(text)) else text)
        return texts

    def _problem(self, cells: Cells, texts: Sequence[str]) -> RecordProblem | None:
        """Return why a row whose key has gaps has none."""
        hint = "fill it in: it says which animal this is"
        for (column, at, nothing), text in zip(self._places, texts, strict=True):
            cell = cells[at].strip() if at < len(cells) else ""
            if not text and cell and word_of(cell) not in nothing:
                kind = "an error" if cell[0] == "#" else "a rounded number"
                what = f"{cell[:60]!r} is {kind} of a spreadsheet, no key"
                return RecordProblem("key_missing", what, column, cell[:200], hint)
        what = "the rest of the key names several rows"
        if not any(texts):
            what = "the key is missing"
        elif tuple(texts) not in self._unclear:
            return None
        return RecordProblem("key_missing", what, self._places[texts.index("")][0], "", hint)


def is_date(text: str) -> bool:
    """Tell whether a cell holds a day, with or without a time."""
    return _DATE.fullmatch(text.strip()) is not None


class Ranks:
    """Texts that sort as a column of days, times or numbers does; ``rows`` are all of a file.

    Raises:
        InputError: No cell tells whether the day or the month comes first, or they disagree.
    """

    def __init__(self, at: int, column: str, rows: Iterable[Cells]) -> None:
        self._at, dates, months_first = at, 0, 0
        self._days_first = 0
        for cells in rows:
            date = _DATE.fullmatch(cells[at].strip()) if at < len(cells) else None
            if date is not None and len(date[1]) <= 2:
                dates += 1
                self._days_first += int(date[1]) > 12 or "." in date[0][:3]
                months_first += int(date[2]) > 12
        if dates and bool(self._days_first) == bool(months_first):
            what = "the dates do not tell whether the day or the month comes first"
            raise InputError(what, column=column, hint="write them as 2026-03-31")

    def of(self, cells: Cells) -> str:
        """Return the rank of a row, the empty text where its cell has none."""
        text = cells[self._at].strip() if self._at < len(cells) else ""
        if date := _DATE.fullmatch(text):
            return self._moment(date)
        try:
            number = Decimal(text)
        except InvalidOperation:
            return ""
        is_sortable = number.is_finite() and abs(number) < _OFFSET
        return f"{number + _OFFSET:.12f}".zfill(29) if is_sortable else ""

    def _moment(self, date: re.Match[str]) -> str:
        year, month, day = int(date[1]), int(date[2]), int(date[3])
        if len(date[1]) < 3:
            day, month, year = (year, month, day) if self._days_first else (month, year, day)
        hour = int(date[4] or 0)
        if date[7]:
            hour = hour % 12 + (12 if date[7].upper() == "PM" else 0)
        year += 2000 if year < 100 else 0
        try:
            moment = datetime(year, month, day, hour, int(date[5] or 0), int(date[6] or 0))
        except ValueError:
            return ""
        return moment.isoformat()
