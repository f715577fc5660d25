"""Counts the pets of many snapshots by day, status and category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from petstore_frame.history.coverage import coverage_tables
from petstore_frame.history.folder import Contents
from petstore_frame.history.queries import run, statement
from petstore_frame.history.snapshot import dated_table
from petstore_frame.validation import checked_choices

if TYPE_CHECKING:
    import pandas as pd

Columns = tuple[str, ...]
_STATEMENTS: dict[Columns, str] = {
    ("status",): "trend_by_status",
    ("category_id",): "trend_by_category",
    ("category_id", "status"): "trend_by_category_and_status",
}
_DTYPES = {
    "date": "datetime64[us]",
    "category_id": "int64",
    "status": "str",
    "pets": "Int64",
    "bound": "str",
}


def checked_columns(by: str | Sequence[str]) -> Columns:
    """Return the columns of the argument ``by``, in the order of their names."""
    return tuple(sorted({*checked_choices("by", by, ("category_id", "status"))}))


def count_by_day(contents: Contents, columns: Columns, every_days: int | None) -> pd.DataFrame:
    """Count each snapshot; see ``History.trend``."""
    views = coverage_tables(contents, every_days)
    views["pets"] = dated_table(contents.snapshots, columns)
    dtypes = {name: _DTYPES[name] for name in ("date", *columns, "pets", "bound")}
    return run(statement(_STATEMENTS[columns]), views, dtypes)
