"""Finds the columns of a file that may identify an animal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import TYPE_CHECKING

from petstore_frame.loader.matching.dates import read_date
from petstore_frame.loader.source.column_mapping import name_parts
from petstore_frame.loader.source.not_keys import means_none
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.schema import count_text
from petstore_frame.schema.words import words_for

if TYPE_CHECKING:
    import pandas as pd

Cells = Sequence[str]
_DECIMAL = re.compile(r"[+-]?\d+[.,]\d+")
# At most this share of an identifier's cells is empty, or has a text such as "none".
_MAX_EMPTY, _MAX_EMPTY_OF_LIKELY = 0.1, 0.5
# At least this share of the values in several rows has one name and category.
_NEARLY_ALL = 0.9
# A code with fewer different values stands for few rows each, unless it is a kind or a color.
_MANY_VALUES, _MAX_ROWS_OF_A_VALUE = 10, 5
_MAX_LIKELY = 3


def date_columns(columns: Sequence[str], rows: Sequence[Cells]) -> tuple[str, ...]:
    """Return the columns that have only dates in these rows."""
    texts = ([cell_at(cells, at) for cells in rows] for at in range(len(columns)))
    of_days = (any(cells) and all(map(_is_date, filter(None, cells))) for cells in texts)
    return tuple(compress(columns, of_days))


@dataclass(frozen=True)
class LikelyKey:
    """A column that may identify an animal, with the facts to decide on."""

    column: str
    rows: int  # number of rows that were read
    different: int  # number of different values
    empty: int  # number of cells that are empty, or have a text such as "none"
    with_different_names: int  # number of values with more than one name
    repeated: int  # number of values in several rows
    agreeing: int  # number of these whose rows all have the same name and category
    contents: int  # number of different names and categories in rows with a value

    @property
    def is_of_others(self) -> bool:
        """Whether the column name suggests numbers of something else, such as owners."""
        return bool(name_parts(self.column) & words_for("identified_else"))

    @property
    def is_of_animals(self) -> bool:
        """Whether the column name suggests numbers of animals, and of nothing else."""
        return bool(name_parts(self.column) & words_for("identified")) and not self.is_of_others

    @property
    def filled(self) -> int:
        """The number of rows with a value."""
        return self.rows - self.empty

    @property
    def identifies_animals(self) -> bool:
        """Whether it certainly identifies animals.

        A column that is named after animals does if most of its values are different, or if the
        rows of a value have one name and category. A column such as ``ID`` needs the latter.
        """
        if self.is_of_others or self.empty > _MAX_EMPTY * self.rows:
            return False
        if self.is_of_animals:
            return self._is_mostly_different or self._has_agreeing_rows
        return self._has_agreeing_rows and not self._is_kind

    @property
    def is_proven(self) -> bool:
        """Whether it numbers animals, and each row that has a number has another one."""
        return self.is_of_animals and self.identifies_animals and self.different == self.filled

    @property
    def is_likely(self) -> bool:
        """Whether it may identify animals, so that the user should hear about it."""
        if self.is_of_others or self.empty > _MAX_EMPTY_OF_LIKELY * self.rows:
            return False
        return self.identifies_animals or self._is_mostly_different

    @property
    def _is_mostly_different(self) -> bool:
        return 2 * self.different >= self.filled

    @property
    def _has_agreeing_rows(self) -> bool:
        """Whether the rows of nearly each repeated value have one content, and not all the same."""
        is_varied = 2 * self.contents >= self.different
        return self.repeated > 0 and self.agreeing >= _NEARLY_ALL * self.repeated and is_varied

    @property
    def _is_kind(self) -> bool:
        """Whether few values stand for many rows each, as those of a kind or a color do."""
        return self.different < _MANY_VALUES and self.filled > _MAX_ROWS_OF_A_VALUE * self.different

    def __str__(self) -> str:
        if self.different == self.filled:
            facts = [f"{self.column}: different in {count_text(self.filled, 'row')}"]
        else:
            values = "value" if self.different == 1 else "values"
            rows = count_text(self.rows, "row")
            facts = [f"{self.column}: {self.different:,} different {values} in {rows}"]
        if self.empty:
            facts.append(f"empty in {self.empty:,}")
        if self.with_different_names:
            verb = "has" if self.with_different_names == 1 else "have"
            facts.append(f"{count_text(self.with_different_names, 'value')} {verb} several names")
        return ", ".join(facts)


def likely_keys(
    columns: Sequence[str],
    rows: Iterable[Cells],
    mapping: Mapping[str, str],
    most: int | None = None,
) -> tuple[LikelyKey, ...]:
    """Return the columns with the name of an identifier, those of animals first.

    Mapped columns, and columns with dates or decimal numbers, are left out. Only the first ``most``
    rows are read; None reads all.
    """
    import pandas as pd

    identifiers = words_for("identifier")
    positions = [
        at
        for at, column in enumerate(columns)
        if column not in mapping.values() and identifiers & name_parts(column)
    ]
    if not positions:
        return ()
    sent = {field: columns.index(column) for field, column in mapping.items() if column in columns}
    name_at = sent.get("name", len(columns))
    content_positions = [at for field, at in sent.items() if field != "status"]
    texts = (
        [*(cell_at(cells, at) for at in positions), cell_at(cells, name_at).casefold(),
         str([cell_at(cells, at).casefold() for at in content_positions])]
        for cells in islice(rows, most) if any(map(str.strip, cells))
    )  # fmt: skip
    table = pd.DataFrame(texts, columns=range(len(positions) + 2), dtype=object)
    facts = (_facts(columns[at], table, index) for index, at in enumerate(positions))
    keys = [key for key in facts if key is not None]
    return tuple(sorted(keys, key=lambda key: (not key.is_of_animals, key.is_of_others)))


def _facts(column: str, table: pd.DataFrame, index: int) -> LikelyKey | None:
    """Return the facts about a column; the last two columns of ``table`` are names and contents."""
    filled = table[table[index] != ""]
    times = filled[index].value_counts()
    markers = [text for text in times.index if means_none(text)]
    if markers:
        filled = filled[~filled[index].isin(markers)]
        times = times.drop(markers)
    if times.empty or sum(map(_is_number_or_date, times.index)) * 2 > len(times):
        return None
    *_, names, contents = table.columns
    differing = filled.groupby(index)[contents].nunique() > 1
    renamed = filled[filled[names] != ""].groupby(index)[names].nunique() > 1
    repeated = int((times > 1).sum())
    return LikelyKey(
        column=column,
        rows=len(table),
        different=len(times),
        empty=len(table) - len(filled),
        with_different_names=int(renamed.sum()),
        repeated=repeated,
        agreeing=repeated - int(differing.sum()),
        contents=int(filled[contents].nunique()),
    )


def _is_number_or_date(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None or _is_date(text)


def _is_date(text: str) -> bool:
    """Return whether a text is a date; digits alone may be a number of an animal."""
    return not text.isdecimal() and read_date(text) is not None


def proven_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the only proven column, if no other column is different in each row."""
    different = [key for key in keys if key.different == key.rows or key.is_proven]
    return different[0] if len(different) == 1 and different[0].is_proven else None


def proposed_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the column to ask about before anything is sent, if the recipe has no key.

    It identifies animals of which some are in several rows; or it is the proven one.
    """
    repeating = [key for key in keys if key.identifies_animals and key.repeated]
    if not repeating:
        return proven_key(keys)
    # Those of animals come first, then the fullest.
    return min(repeating, key=lambda key: (not key.is_of_animals, key.empty, -key.different))


def likely_columns(keys: Sequence[LikelyKey]) -> tuple[LikelyKey, ...]:
    """Return the first columns that may identify animals, to name them after a load."""
    return tuple(key for key in keys if key.is_likely)[:_MAX_LIKELY]
