"""Reads the key of a row and how new the row is, and finds columns that may be the key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import compress, islice
from typing import TYPE_CHECKING
from unicodedata import normalize

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import RecordProblem
from petstore_frame.loader.source.cell_parsing import word_of
from petstore_frame.loader.source.column_mapping import IDENTIFIERS, OF_ANIMALS, OF_OTHERS, words_of
from petstore_frame.rendering import count_text

if TYPE_CHECKING:
    import pandas as pd

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
_NUMBER_OR_DATE = re.compile(rf"[+-]?\d+[.,]\d+|{_DATE.pattern}", re.IGNORECASE)
_LONGEST_NUMBER = 20
_LEAST_REPEATED = 3


def cell_at(cells: Cells, at: int) -> str:
    """Return a cell without outer spaces, empty where a row is too short."""
    return cells[at].strip() if at < len(cells) else ""


class Keys:
    """The key of each row: the text of each of its columns.

    ``nothing`` has the words that mean that there is no key; ``rows`` are all of a file.
    """

    def __init__(
        self,
        columns: Sequence[str],
        key: Sequence[str],
        nothing: Collection[str],
        rows: Iterable[Cells],
    ) -> None:
        self._places, self._nothing = {each: columns.index(each) for each in key}, {*nothing}
        # Rows of which some key columns are empty and the others name several rows.
        self._unclear = set[tuple[str, ...]]()
        known = {tuple(self._texts(cells)) for cells in (rows if len(key) > 1 else ())}
        partial = [each for each in known if "" in each and any(each)]
        for filled in {tuple(map(bool, texts)) for texts in partial}:
            rest = {texts: tuple(compress(texts, filled)) for texts in known}
            times = Counter(rest.values())
            alike = (each for each in partial if tuple(map(bool, each)) == filled)
            self._unclear.update(each for each in alike if times[rest[each]] > 1)

    def read(
        self, cells: Cells, ordinal: str = ""
    ) -> tuple[tuple[str, ...] | None, RecordProblem | None]:
        """Return the key of a row, or why it has none; ``ordinal`` is which of its animals."""
        texts = self._texts(cells)
        if "" in texts and (problem := self._problem(cells, texts)):
            return None, problem
        if ordinal:
            texts.append(ordinal)
        return tuple(texts), None

    def _texts(self, cells: Cells) -> list[str]:
        """Return the text of each column, empty where it holds no key."""
        texts = []
        for at in self._places.values():
            text = cell_at(cells, at)
            if not text.isascii():
                text = normalize("NFC", text)
            is_none = self._nothing and word_of(text) in self._nothing
            is_odd = text[:1] == "#" or "+" in text
            texts.append("" if is_none or (is_odd and _NO_KEY.fullmatch(text)) else text)
        return texts

    def _problem(self, cells: Cells, texts: Sequence[str]) -> RecordProblem | None:
        """Return why a row whose key has gaps has none."""
        hint = "fill it in: it says which animal this is"
        for column, at in self._places.items():
            if _NO_KEY.fullmatch(cell := cell_at(cells, at)):
                kind = "an error" if cell[0] == "#" else "a rounded number"
                what = f"{cell[:60]!r} is {kind} of a spreadsheet, no key"
                return RecordProblem("key_missing", what, column, cell[:200], hint)
        what = "the rest of the key names several rows"
        if not any(texts):
            what = "the key is missing"
        elif tuple(texts) not in self._unclear:
            return None
        return RecordProblem("key_missing", what, [*self._places][texts.index("")], "", hint)


def date_columns(columns: Sequence[str], rows: Sequence[Cells]) -> tuple[str, ...]:
    """Return the columns that hold nothing but days in these rows."""
    texts = ([cell_at(cells, at) for cells in rows] for at in range(len(columns)))
    of_days = (any(cells) and all(map(_DATE.fullmatch, filter(None, cells))) for cells in texts)
    return tuple(compress(columns, of_days))


class Ranks:
    """Texts that sort as a column of days, times or whole numbers does; ``rows`` are all of a file.

    Raises:
        InputError: No cell tells whether the day or the month comes first, or they disagree.
    """

    def __init__(self, at: int, column: str, rows: Iterable[Cells]) -> None:
        self._at, self._is_day_first, has_dates, is_month_first = at, False, False, False
        for cells in rows:
            date = _DATE.fullmatch(cell_at(cells, at))
            if date is not None and len(date[1]) <= 2:
                has_dates = True
                self._is_day_first |= int(date[1]) > 12 or "." in date[0][:3]
                is_month_first |= int(date[2]) > 12
        if has_dates and self._is_day_first == is_month_first:
            what = "the dates do not tell whether the day or the month comes first"
            raise InputError(what, column=column, hint="write them as 2026-03-31")

    def of(self, cells: Cells) -> str:
        """Return the rank of a row, the empty text where its cell has none."""
        text = cell_at(cells, self._at)
        if date := _DATE.fullmatch(text):
            return self._moment(date)
        return text.zfill(_LONGEST_NUMBER) if text.isascii() and text.isdecimal() else ""

    def _moment(self, date: re.Match[str]) -> str:
        year, month, day = int(date[1]), int(date[2]), int(date[3])
        if len(date[1]) < 3:
            day, month, year = (year, month, day) if self._is_day_first else (month, year, day)
        hour = int(date[4] or 0)
        if date[7]:
            hour = hour % 12 + (12 if date[7].upper() == "PM" else 0)
        minute, second = int(date[5] or 0), int(date[6] or 0)
        try:
            moment = datetime(year + (2000 if year < 100 else 0), month, day, hour, minute, second)
        except ValueError:
            return ""
        return moment.isoformat()


@dataclass(frozen=True)
class LikelyKey:
    """A column that may identify an animal, with its facts."""

    column: str
    rows: int  # that were looked at
    different: int  # values
    empty: int  # cells
    with_several_names: int  # values beside more than one name
    repeated: int  # values in several rows,
    agreeing: int  # and those of them with one name and category in all

    @property
    def is_of_others(self) -> bool:
        """Whether its name says that it numbers something else, such as owners."""
        return bool(words_of(self.column) & OF_OTHERS)

    @property
    def is_of_animals(self) -> bool:
        """Whether its name says that it numbers animals, and nothing else."""
        return bool(words_of(self.column) & OF_ANIMALS) and not self.is_of_others

    def __str__(self) -> str:
        facts = [f"{self.column}: {self.different:,} different in {count_text(self.rows, 'row')}"]
        if self.empty:
            facts.append(f"{self.empty:,} empty")
        if self.with_several_names:
            facts.append(f"{self.with_several_names:,} with more than one name")
        return ", ".join(facts)


def likely_keys(
    columns: Sequence[str],
    rows: Iterable[Cells],
    mapping: Mapping[str, str],
    most: int | None = None,
) -> tuple[LikelyKey, ...]:
    """Return the columns that are called like an identifier, those of animals first.

    A mapped column, one of dates and one of numbers with decimals is none. Of the rows the first
    ``most`` are looked at, all for None.
    """
    import pandas as pd

    found = [at for at, column in enumerate(columns)
             if column not in mapping.values() and IDENTIFIERS & words_of(column)]  # fmt: skip
    if not found:
        return ()
    sent = {field: columns.index(column) for field, column in mapping.items() if column in columns}
    name_at = sent.get("name", len(columns))
    content = [at for field, at in sent.items() if field != "status"]
    texts = (
        [*(cell_at(cells, at) for at in found), cell_at(cells, name_at).casefold(),
         str([cell_at(cells, at) for at in content])]
        for cells in islice(rows, most) if any(map(str.strip, cells))
    )  # fmt: skip
    table = pd.DataFrame(texts, columns=range(len(found) + 2), dtype=object)
    facts = (_facts(columns[at], table, place) for place, at in enumerate(found))
    keys = [each for each in facts if each is not None]
    return tuple(sorted(keys, key=lambda each: (not each.is_of_animals, each.is_of_others)))


def _facts(column: str, table: pd.DataFrame, place: int) -> LikelyKey | None:
    """Return what is known of a column, whose names and contents are the last columns."""
    filled = table[table[place] != ""]
    times = filled[place].value_counts()
    if times.empty or any(map(_NUMBER_OR_DATE.fullmatch, times.index)):
        return None
    *_, names, contents = table.columns
    differing = filled.groupby(place)[contents].nunique() > 1
    renamed = filled[filled[names] != ""].groupby(place)[names].nunique() > 1
    empty, repeated = len(table) - len(filled), int((times > 1).sum())
    agreeing = repeated - int(differing.sum())
    return LikelyKey(column, len(table), len(times), empty, int(renamed.sum()), repeated, agreeing)


def proven_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the only column that is an animal's own and different in every row, if one is."""
    unique = [each for each in keys if each.different == each.rows]
    return unique[0] if len(unique) == 1 and unique[0].is_of_animals else None


def proposed_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the column to propose where nothing says which animal a row is.

    It is the proven one, or the only one whose repeated values nearly always agree in all that is
    sent.
    """
    clear = [
        each for each in keys
        if each.repeated >= _LEAST_REPEATED and each.agreeing >= 0.9 * each.repeated
        and each.empty <= 0.1 * each.rows and not each.is_of_others
    ]  # fmt: skip
    of_animals = [each for each in clear if each.is_of_animals] or clear
    return of_animals[0] if len(of_animals) == 1 else proven_key(keys)
