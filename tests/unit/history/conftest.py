"""The same pets as frames of every engine, and inventories with a verdict of choice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import narwhals as nw
import pandas as pd
import pytest

from petstore_frame.inventory import Inventory
from petstore_frame.schema.frame import PetColumns, as_dtypes, to_frame

# Dask and Spark take seconds to start: test_far_engines.py asks each question of them once.
ENGINES = ["duckdb", "pandas", "polars"]
KINDS = [
    "pandas", "pandas category", "pandas arrow", "pyarrow",
    "polars", "polars lazy", "polars categorical", "duckdb", "duckdb enum",
]  # fmt: skip


@pytest.fixture(params=KINDS)
def to_kind(request):
    """Turn rows of pets into a frame of one kind; ``more`` names columns that follow."""
    return lambda rows, *more: _of_kind(request.param, table(rows, *more))


@pytest.fixture(params=ENGINES)
def engine(request) -> str:
    """The name of an engine in this process."""
    return request.param


@pytest.fixture(scope="session")
def make_inventory():
    """Build an inventory of rows ``(id, name, category_id, status)`` with a verdict of choice."""

    def make(day: str, pets: list[tuple[Any, ...]], *, hour: int = 12, **known: Any) -> Inventory:
        frame = to_frame(PetColumns.of_rows(pets))
        at = datetime.fromisoformat(day).replace(hour=hour, tzinfo=UTC)
        known = {"base_url": "https://store.example/v1", **known}
        return Inventory.made_up(frame, fetched_at=at, **known)

    return make


@pytest.fixture
def rows_of():
    """Bring a frame of any engine here as sorted tuples, None for what is missing."""

    def rows(frame: Any, *columns: str) -> list[tuple[Any, ...]]:
        opened = nw.from_native(frame).lazy().select(*columns)
        here = opened.collect("pandas" if opened.implementation.is_pandas_like() else "pyarrow")
        plain = [[None if pd.isna(cell) else cell for cell in row] for row in here.iter_rows()]
        return sorted(map(tuple, plain), key=lambda row: (row[0] is None, row[0] or 0))

    return rows


def table(rows: list[tuple[Any, ...]], *more: str) -> pd.DataFrame:
    """Build a plain table of pets, also for no rows."""
    frame = pd.DataFrame(rows, columns=["id", "name", "category_id", "status", *more])
    dtypes = {"id": "int64", "category_id": "int64"}
    return as_dtypes(frame, {name: dtypes.get(name, "str") for name in frame.columns})


def _of_kind(kind: str, table: pd.DataFrame) -> Any:
    import duckdb
    import polars as pl
    import pyarrow as pa

    if kind == "pandas":
        return table
    if kind == "pandas category":
        return table.astype({"status": "category"})
    if kind == "pandas arrow":
        return table.convert_dtypes(dtype_backend="pyarrow")
    types = {"id": pa.int64(), "category_id": pa.int64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in table.columns])
    arrow = pa.Table.from_pandas(table, schema=schema, preserve_index=False)
    if kind == "pyarrow":
        return arrow
    if kind.startswith("polars"):
        frame = pl.DataFrame(arrow)
        if kind == "polars categorical":
            return frame.with_columns(pl.col("status").cast(pl.Categorical))
        return frame.lazy() if kind == "polars lazy" else frame
    # The default connection, as a notebook has it: relations meet in a join only on one.
    relation = duckdb.from_arrow(arrow)
    if kind == "duckdb":
        return relation
    words = "ENUM('available', 'pending', 'sold', 'lost', 'available ')"
    columns = [f"status::{words} AS status" if c == "status" else c for c in table.columns]
    return relation.select(", ".join(columns))
