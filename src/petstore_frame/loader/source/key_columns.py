"""Finds the columns of a file that may identify an animal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import TYPE_CHECKING

from petstore_frame.loader.source.column_mapping import (
    IDENTIFIERS,
    OF_ANIMALS,
    OF_OTHERS,
    name_parts,
)
from petstore_frame.loader.source.order_values import DATE
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    import pandas as pd

Cells = Sequence[str]
_DECIMAL = re.compile(r"[+-]?\d+[.,]\d+")
_LEAST_REPEATED = 3


def date_columns(columns: Sequence[str], rows: Sequence[Cells]) -> tuple[str, ...]:
    """Return the columns that have only dates in these rows."""
    texts = ([cell_at(cells, at) for cells in rows] for at in range(len(columns)))
    of_days = (any(cells) and all(map(DATE.fullmatch, filter(None, cells))) for cells in texts)
    return tuple(compress(columns, of_days))


@dataclass(frozen=True)
class LikelyKey:
    """A column that may identify an animal, with the facts to decide on."""

    column: str
    rows: int  # number of rows that were read
    different: int  # number of different values
    empty: int  # number of empty cells
    with_different_names: int  # number of values with more than one name
    repeated: int  # number of values in several rows
    agreeing: int  # number of these whose rows all have the same name and category

    @property
    def is_of_others(self) -> bool:
        """Whether the column name suggests numbers of something else, such as owners."""
        return bool(name_parts(self.column) & OF_OTHERS)

    @property
    def is_of_animals(self) -> bool:
        """Whether the column name suggests numbers of animals, and of nothing else."""
        return bool(name_parts(self.column) & OF_ANIMALS) and not self.is_of_others

    def __str__(self) -> str:
        rows = count_text(self.rows, "row")
        values = "value" if self.different == 1 else "values"
        facts = [f"{self.column}: {self.different:,} different {values} in {rows}"]
        if self.empty:
            facts.append(f"{self.empty:,} empty")
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

    positions = [at for at, column in enumerate(columns)
             if column not in mapping.values() and IDENTIFIERS & name_parts(column)]  # fmt: skip
    if not positions:
        return ()
    sent = {field: columns.index(column) for field, column in mapping.items() if column in columns}
    name_at = sent.get("name", len(columns))
    content_positions = [at for field, at in sent.items() if field != "status"]
    texts = (
        [*(cell_at(cells, at) for at in positions), cell_at(cells, name_at).casefold(),
         str([cell_at(cells, at) for at in content_positions])]
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
    if times.empty or any(map(_is_number_or_date, times.index)):
        return None
    *_, names, contents = table.columns
    differing = filled.groupby(index)[contents].nunique() > 1
    renamed = filled[filled[names] != ""].groupby(index)[names].nunique() > 1
    empty, repeated = len(table) - len(filled), int((times > 1).sum())
    agreeing = repeated - int(differing.sum())
    return LikelyKey(column, len(table), len(times), empty, int(renamed.sum()), repeated, agreeing)


def _is_number_or_date(text: str) -> bool:
    return bool(_DECIMAL.fullmatch(text) or DATE.fullmatch(text))


def proven_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the only column with a different value in each row, if it is one of animals."""
    unique = [key for key in keys if key.different == key.rows]
    return unique[0] if len(unique) == 1 and unique[0].is_of_animals else None


def proposed_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the column to propose if the recipe has no key.

    It is the only column whose repeated values nearly always have the same content, or the proven
    one.
    """
    clear = [
        key for key in keys
        if key.repeated >= _LEAST_REPEATED and key.agreeing >= 0.9 * key.repeated
        and key.empty <= 0.1 * key.rows and not key.is_of_others
    ]  # fmt: skip
    of_animals = [key for key in clear if key.is_of_animals] or clear
    return of_animals[0] if len(of_animals) == 1 else proven_key(keys)
