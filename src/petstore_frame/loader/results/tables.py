"""The results of an import as a frame.

In: rows of a journal and the facts of their run. Out: a DataFrame with fixed dtypes, also for no
rows. columns.py describes what each column holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from petstore_frame.loader.journal.journal import JournalRow, Run
from petstore_frame.loader.results.columns import CATEGORIES, COLUMNS, describe, original_columns
from petstore_frame.schema.frame import text_series
from petstore_frame.schema.text import whole_text

if TYPE_CHECKING:
    import pandas as pd


def make_frame(run: Run, rows: Iterator[JournalRow]) -> pd.DataFrame:
    """Return one row per record; its columns are those of ``LoadResult.frame``."""
    import pandas as pd

    originals = original_columns(run)
    cells: list[list[str | None]] = [[] for _ in originals]
    values: list[list[Any]] = [[] for _ in COLUMNS]
    for row in rows:
        for at, column in enumerate(cells):
            column.append(row.cells[at] if at < len(row.cells) else None)
        for own, value in zip(values, describe(row, run), strict=True):
            own.append(value)
    own_series = {
        name: _series(name, dtype, column)
        for (name, dtype), column in zip(COLUMNS.items(), values, strict=True)
    }
    file_series = {
        whole_text(name): text_series(column) for name, column in zip(originals, cells, strict=True)
    }
    first = {name: own_series.pop(name) for name in ("row", "line")}
    return pd.DataFrame({**first, **file_series, **own_series})


def _series(name: str, dtype: str, values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    if dtype == "str":
        return text_series(values)
    if dtype != "category":
        return pd.Series(values, dtype=dtype)
    seen = {value for value in values if value is not None}
    known = CATEGORIES.get(name, [])
    levels = [*known, *sorted(seen - set(known))]
    return pd.Series(pd.Categorical(values, categories=levels))
