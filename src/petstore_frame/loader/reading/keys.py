"""Which animal a row names by its key, and how new the row is by a column of dates or numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from unicodedata import normalize

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import quoted, word_of
from petstore_frame.loader.record import RecordProblem

# What a spreadsheet may put in the place of a key: an error, in English or German, or the rounded
# form of a long number.
_ERROR = re.compile(r"#(N/A|NV|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|BEZUG!|WERT!|ZAHL!)", re.I)
_ROUNDED = re.compile(r"\d([.,]\d+)?E\+\d+", re.IGNORECASE)
_DATE = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})"
    r"(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AP]M)?)?(?:Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_OFFSET = 10**15


class Keys:
    """The key of each row, a text; of several columns it is a JSON list of their texts.

    ``nothing`` has the words that mean that there is no key, by column, as ``word_of`` has them.
    """

    def __init__(
        self,
        columns: Sequence[str] = (),
        key: Sequence[str] = (),
        nothing: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._columns, words = tuple(key), nothing or {}
        self._places = [(columns.index(each), frozenset(words.get(each, ()))) for each in key]
        # With several columns: the texts seen in them so far.
        self.has_to_learn = len(self._places) > 1
        self._known = set[tuple[str, ...]]()
        self._unclear = frozenset[tuple[str, ...]]()

    def __bool__(self) -> bool:
        return bool(self._places)

    def see(self, cells: Sequence[str]) -> None:
        """Look at a row before any is read."""
        self._known.add(self._texts(cells)[0])

    def learn(self) -> None:
        """Find the rows of which some key columns are empty and the others name several rows."""
        unclear = set[tuple[str, ...]]()
        partial = [texts for texts in self._known if "" in texts and any(texts)]
        for filled in {tuple(map(bool, texts)) for texts in partial}:
            places = [at for at, is_filled in enumerate(filled) if is_filled]
            times = Counter(tuple(texts[at] for at in places) for texts in self._known)
            unclear |= {
                texts
                for texts in partial
                if tuple(map(bool, texts)) == filled
                and times[tuple(texts[at] for at in places)] > 1
            }
        self._known.clear()
        self._unclear = frozenset(unclear)

    def read(
        self, cells: Sequence[str], ordinal: str = ""
    ) -> tuple[str | None, RecordProblem | None]:
        """Return the key of a row, or why it has none; ``ordinal`` is which of its animals."""
        texts, why = self._texts(cells)
        if why is None and not ordinal and len(texts) == 1:
            return texts[0], None
        if texts in self._unclear:
            empty = self._columns[texts.index("")]
            why = empty, "", "the rest of the key names several rows"
        if why is not None and (texts in self._unclear or not any(texts) or why[1]):
            column, value, what = why
            hint = "fill it in: it says which animal this is"
            return None, RecordProblem("key_missing", what, column, value[:200], hint)
        parts = [*texts, ordinal] if ordinal else [*texts]
        return parts[0] if len(parts) == 1 else f"[{', '.join(map(quoted, parts))}]", None

    def _texts(self, cells: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, str, str] | None]:
        """Return the text of each column, and of one that holds no key the name, cell and why."""
        texts, why = list[str](), None
        for column, (at, nothing) in zip(self._columns, self._places, strict=True):
            cell = cells[at].strip() if at < len(cells) else ""
            text = cell if cell.isascii() else normalize("NFC", cell)
            if not text or (nothing and word_of(text) in nothing):
                text, why = "", why or (column, "", "the key is missing")
            elif (text[0] == "#" and _ERROR.fullmatch(text)) or (
                "+" in text and _ROUNDED.fullmatch(text)
            ):
                kind = "an error" if text[0] == "#" else "a rounded number"
                text, why = "", (column, cell, f"{cell[:60]!r} is {kind} of a spreadsheet, no key")
            texts.append(text)
        return tuple(texts), why


def is_date(text: str) -> bool:
    """Tell whether a cell holds a day, with or without a time."""
    return _DATE.fullmatch(text.strip()) is not None


class Ranks:
    """Texts that sort as a column of days, times or numbers does."""

    def __init__(self, at: int, column: str) -> None:
        self._at, self._column = at, column
        self._days_first = self._months_first = 0
        self._has_dates = False

    def see(self, cells: Sequence[str]) -> None:
        """Look at a row, to find out whether its day or its month comes first."""
        date = _DATE.fullmatch(cells[self._at].strip()) if self._at < len(cells) else None
        if date is not None and len(date[1]) <= 2:
            self._has_dates = True
            self._days_first += int(date[1]) > 12 or "." in date[0][:3]
            self._months_first += int(date[2]) > 12

    def learn(self) -> None:
        """Decide whether the day or the month comes first.

        Raises:
            InputError: No cell tells, or some say one and some the other.
        """
        if self._has_dates and bool(self._days_first) == bool(self._months_first):
            what = "the dates do not tell whether the day or the month comes first"
            raise InputError(what, column=self._column, hint="write them as 2026-03-31")

    def of(self, cells: Sequence[str]) -> str:
        """Return the rank of a row, the empty text where its cell has none."""
        text = cells[self._at].strip() if self._at < len(cells) else ""
        if date := _DATE.fullmatch(text):
            return self._moment(date)
        try:
            number = Decimal(text)
        except InvalidOperation:
            return ""
        if not number.is_finite() or abs(number) >= _OFFSET:
            return ""
        return f"{number + _OFFSET:.12f}".zfill(29)

    def _moment(self, date: re.Match[str]) -> str:
        year, month, day = int(date[1]), int(date[2]), int(date[3])
        if len(date[1]) < 3:
            day, year = year, day
            if not self._days_first:
                day, month = month, day
        hour = int(date[4] or 0)
        if date[7]:
            hour = hour % 12 + (12 if date[7].upper() == "PM" else 0)
        year += 2000 if year < 100 else 0
        try:
            moment = datetime(year, month, day, hour, int(date[5] or 0), int(date[6] or 0))
        except ValueError:
            return ""
        return moment.isoformat()


def outdated(
    columns: Sequence[str], pairs: Sequence[tuple[int, Sequence[str], Sequence[str]]]
) -> dict[str, list[int]]:
    """Return the column of dates by which the rows that count are not the newest, with their lines.

    A pair is the line and the cells of a row that counts, and the cells of one that does not.
    """
    found: dict[str, list[int]] = {}
    for at, column in enumerate(columns):
        rows = [cells for _, *both in pairs for cells in both if at < len(cells)]
        if not all(is_date(cells[at]) for cells in rows):
            continue
        ranks = Ranks(at, column)
        for cells in rows:
            ranks.see(cells)
        try:
            ranks.learn()
        except InputError:  # nobody can say which is the newest
            continue
        found[column] = sorted(
            {line for line, *both in pairs if ranks.of(both[0]) < ranks.of(both[1])}
        )
    worst = max(found, key=lambda column: len(found[column]), default="")
    return {worst: found[worst]} if found.get(worst) else {}
