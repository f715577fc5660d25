"""The same pets as frames of every engine, and inventories with a claim of choice."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pandas as pd
import pytest

from petstore_frame.history.engines import to_pandas
from petstore_frame.inventory import Inventory, Verdict
from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.frame import to_frame

ToEngine = Callable[[pd.DataFrame], Any]
_DASK = [pytest.mark.xdist_group("dask")]
_SPARK = [
    pytest.mark.spark,
    pytest.mark.xdist_group("spark"),
    # pyspark says this once at import; that it works is what these tests show.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
ENGINES = [
    "duckdb",
    "pandas",
    "polars",
    pytest.param("dask", marks=_DASK),
    pytest.param("spark", marks=_SPARK),
]
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
    pytest.param("dask", marks=_DASK),
    pytest.param("dask category", marks=_DASK),
    pytest.param("spark", marks=_SPARK),
]


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[None]:
    """Two Dask workers in processes of their own, as the current client, or a skip."""
    pytest.importorskip("dask.dataframe", reason="needs the extra dask")
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster),
    ):
        yield


@pytest.fixture(scope="session")
def spark_session() -> Iterator[Any]:
    """A Spark of two threads, or a skip that says what is absent."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: python -m pip install 'petstore-frame[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or later, and there is none on the PATH")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]").appName("petstore_frame tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(params=KINDS)
def to_kind(request: pytest.FixtureRequest) -> ToEngine:
    """Turn a plain table of pets into a frame of one kind."""
    kind = request.param
    if kind.startswith("dask"):
        request.getfixturevalue("dask_cluster")
        return partial(_to_dask, kind)
    if kind == "spark":
        return partial(_to_spark, request.getfixturevalue("spark_session"))
    return partial(_CONVERSIONS[kind.split()[0]], kind)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine that is up."""
    if request.param == "dask":
        request.getfixturevalue("dask_cluster")
    if request.param == "spark":
        request.getfixturevalue("spark_session")
    name: str = request.param
    return name


@pytest.fixture
def make_inventory() -> Callable[..., Inventory]:
    """Build an inventory of rows ``(id, name, category_id, status)`` with a claim of choice."""
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


def _to_dask(kind: str, table: pd.DataFrame) -> Any:
    import dask.dataframe as dd

    pets = dd.from_pandas(table, npartitions=2)
    return pets.astype({"status": "category"}) if kind == "dask category" else pets


def _to_spark(session: Any, table: pd.DataFrame) -> Any:
    columns = [f"{c} {'bigint' if c in ('id', 'category_id') else 'string'}" for c in table.columns]
    plain = table.astype("object").where(table.notna(), None)
    rows = list(plain.itertuples(index=False, name=None))
    return session.createDataFrame(rows, ", ".join(columns))


_CONVERSIONS: dict[str, Callable[[str, pd.DataFrame], Any]] = {
    "pandas": _to_pandas_kind,
    "pyarrow": _to_pyarrow,
    "polars": _to_polars,
    "duckdb": _to_duckdb,
}
