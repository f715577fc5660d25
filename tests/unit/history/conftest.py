"""The same pets as frames of every engine, and inventories with a verdict of choice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pandas as pd
import pytest

from petstore_frame.history.engines import to_pandas
from petstore_frame.inventory import Inventory, Verdict
from petstore_frame.schema.frame import PetColumns, to_frame

ToEngine = Callable[[pd.DataFrame], Any]
# Dask and Spark take seconds to start: test_far_engines.py asks each question of them once.
ENGINES = ["duckdb", "pandas", "polars"]
KINDS = [
    "pandas",
    "pandas category",
    "pandas arrow",
    "pyarrow",
    "polars",
    "polars lazy",
    "polars categorical",
    "duckdb",
    "duckdb enum",
]


@pytest.fixture(params=KINDS)
def to_kind(request: pytest.FixtureRequest) -> ToEngine:
    """Turn a plain table of pets into a frame of one kind."""
    kind = request.param
    return partial(_CONVERSIONS[kind.split()[0]], kind)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine in this process."""
    name: str = request.param
    return name


@pytest.fixture
def make_inventory() -> Callable[..., Inventory]:
    """Build an inventory of rows ``(id, name, category_id, status)`` with a verdict of choice."""
    return _make_inventory


@pytest.fixture
def rows_of() -> Callable[..., list[tuple[Any, ...]]]:
    """Bring a frame of any engine here as sorted tuples, None for what is missing."""
    return _rows_of


def _make_inventory(
    day: str,
    pets: list[tuple[int, str, int, str | None]],
    *,
    verdict: Verdict = Verdict.COMPLETE,
    status: str | None = None,
    base_url: str = "https://store.example/v1",
    hour: int = 12,
    store_id: str | None = None,
) -> Inventory:
    frame = to_frame(PetColumns(*(list(column) for column in zip(*pets, strict=True))) if pets
                     else PetColumns([], [], [], []))  # fmt: skip
    at = datetime.fromisoformat(day).replace(hour=hour, tzinfo=UTC)
    return Inventory.made_up(
        frame, verdict=verdict, status=status, fetched_at=at, base_url=base_url, store_id=store_id
    )


def _rows_of(frame: Any, *columns: str) -> list[tuple[Any, ...]]:
    here = to_pandas(frame)
    chosen = here[list(columns) or list(here.columns)].astype("object")
    plain = chosen.where(chosen.notna(), None).itertuples(index=False, name=None)
    return sorted(plain, key=lambda row: tuple((cell is None, cell or 0) for cell in row[:1]))


def _to_pandas_kind(kind: str, table: pd.DataFrame) -> Any:
    if kind == "pandas category":
        return table.astype({"status": "category"})
    if kind == "pandas arrow":
        return table.convert_dtypes(dtype_backend="pyarrow")
    return table


def _to_pyarrow(kind: str, table: pd.DataFrame) -> Any:
    import pyarrow as pa

    types = {"id": pa.int64(), "category_id": pa.int64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in table.columns])
    return pa.Table.from_pandas(table, schema=schema, preserve_index=False)


def _to_polars(kind: str, table: pd.DataFrame) -> Any:
    import polars as pl

    frame = pl.from_arrow(_to_pyarrow(kind, table))
    assert isinstance(frame, pl.DataFrame)
    if kind == "polars categorical":
        return frame.with_columns(pl.col("status").cast(pl.Categorical))
    return frame.lazy() if kind == "polars lazy" else frame


def _to_duckdb(kind: str, table: pd.DataFrame) -> Any:
    import duckdb

    # The default connection, as a notebook has it: relations meet in a join only on one.
    relation = duckdb.from_arrow(_to_pyarrow(kind, table))
    if kind == "duckdb":
        return relation
    words = "ENUM('available', 'pending', 'sold', 'lost', 'available ')"
    columns = [f"status::{words} AS status" if c == "status" else c for c in table.columns]
    return relation.select(", ".join(columns))


_CONVERSIONS: dict[str, Callable[[str, pd.DataFrame], Any]] = {
    "pandas": _to_pandas_kind,
    "pyarrow": _to_pyarrow,
    "polars": _to_polars,
    "duckdb": _to_duckdb,
}
