"""The same pets as frames of every engine, and listings of a day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from petstore_frame.inventory import Inventory
from petstore_frame.schema.frame import as_dtypes
from unit.conftest import inventory

Rows = list[tuple[Any, ...]]
BIG = 2**53 + 1
# Dask and Spark take seconds to start: test_far_engines.py asks each question of them once.
ENGINES = ["duckdb", "pandas", "polars"]


def to_arrow(frame: pd.DataFrame) -> pa.Table:
    types = {"id": pa.int64(), "category_id": pa.int64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in frame.columns])
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)


def to_polars(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(to_arrow(frame))


def to_enum(frame: pd.DataFrame) -> duckdb.DuckDBPyRelation:
    words = "ENUM('available', 'pending', 'sold', 'lost', 'available ')"
    return duckdb.from_arrow(to_arrow(frame)).select(f"* REPLACE (status::{words} AS status)")


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": pd.DataFrame,
    "pandas category": lambda frame: frame.astype({"status": "category"}),
    "pandas arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "pyarrow": to_arrow,
    "polars": to_polars,
    "polars lazy": lambda frame: to_polars(frame).lazy(),
    "polars categorical": lambda frame: to_polars(frame).cast({"status": pl.Categorical}),
    # The default connection, as a notebook has it: relations meet in a join only on one.
    "duckdb": lambda frame: duckdb.from_arrow(to_arrow(frame)),
    "duckdb enum": to_enum,
}


@pytest.fixture(params=KINDS)
def to_kind(request) -> Callable[..., Any]:
    """Turn rows of pets into a frame of one kind; ``more`` names columns that follow."""
    return lambda rows, *more: KINDS[request.param](table(rows, *more))


@pytest.fixture(params=ENGINES)
def engine(request) -> str:
    """The name of an engine in this process."""
    return request.param


def listing(day: str, pets: Rows, *, hour: int = 12, **known: Any) -> Inventory:
    """A listing of a day."""
    at = datetime.fromisoformat(day).replace(hour=hour, tzinfo=UTC)
    return inventory(pets, at=at, **known)


def rows_of(frame: Any, *columns: str) -> Rows:
    """Bring a frame of any engine here as sorted tuples, None for what is missing."""
    opened = nw.from_native(frame).lazy().select(*columns)
    here = opened.collect("pandas" if opened.implementation.is_pandas_like() else "pyarrow")
    plain = [[None if pd.isna(cell) else cell for cell in row] for row in here.iter_rows()]
    return sorted(map(tuple, plain), key=lambda row: (row[0] is None, row[0] or 0))


def table(rows: Rows, *more: str) -> pd.DataFrame:
    """Build a plain table of pets, also for no rows."""
    frame = pd.DataFrame(rows, columns=["id", "name", "category_id", "status", *more])
    dtypes = {"id": "int64", "category_id": "int64"}
    return as_dtypes(frame, {name: dtypes.get(name, "str") for name in frame.columns})
