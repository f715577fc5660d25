"""Snapshots opened as frames of one of five engines, not yet read where the engine is lazy.

Most engines read a star or a bracket in a path as a pattern, which may match another history:
paths are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from glob import escape
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import pandas as pd
from typing_extensions import TypeVar

from petstore_frame._internal.arguments import one_of
from petstore_frame.errors import ArgumentError, MissingExtraError
from petstore_frame.history.folder import Snapshot
from petstore_frame.history.snapshot_file import check_rows, read_table
from petstore_frame.schema.frame import as_text

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    Relation: TypeAlias = duckdb.DuckDBPyRelation
    Polars: TypeAlias = pl.LazyFrame
Frame = TypeVar("Frame", default="Relation")
_Open = Callable[[Sequence[Snapshot], tuple[str, ...], Any], Any]


class Engine:
    """What computes: ``pandas``, ``polars``, ``duckdb``, ``dask`` or ``spark``.

    ``session`` is the user's DuckDB connection or SparkSession; None starts or finds one.
    """

    def __init__(self, name: str, session: Any = None) -> None:
        self.name = one_of("engine", name, _ENGINES)
        self._session = session

    def open(self, *parts: Sequence[Snapshot], columns: tuple[str, ...]) -> list[Any]:
        """Open columns of each part as one frame, with ``date`` as the last column.

        Frames meet in a join only on one session, which those of one call share. Each call has a
        DuckDB connection of its own, so questions may be asked from threads.
        """
        session = self._start()
        if self.name != "pandas":  # which checks what it reads
            for snapshot in chain.from_iterable(parts):
                check_rows(snapshot.path, columns)
        return [_ENGINES[self.name](snapshots, columns, session) for snapshots in parts]

    def _start(self) -> Any:
        given = self._session
        if self.name == "duckdb":
            if given is not None and not hasattr(given, "cursor"):
                raise ArgumentError(f"session is a DuckDB connection, got {type(given).__name__}")
            return given.cursor() if given else _library("duckdb", "history").connect()
        if self.name == "spark" and given is None:
            return _library("pyspark.sql", "spark").SparkSession.builder.getOrCreate()
        return given


def to_pandas(frame: Any) -> pd.DataFrame:
    """Bring a frame of any engine here: numbers int64, texts str, dates instants without a zone."""
    lazy = nw.from_native(frame).lazy()
    kind = lazy.implementation
    is_pandas = kind.is_dask() or kind.is_pandas_like()
    # Dask's index would leak into an Arrow table as a column.
    options = {"engine": "streaming"} if kind.is_polars() else {}
    collected = lazy.collect("pandas" if is_pandas else "pyarrow", **options)
    here: pd.DataFrame = collected.to_pandas()
    # Dask's own guess of a type, before it computes, may be another one.
    for name, dtype in collected.schema.items():
        if dtype.is_temporal():
            here[name] = _days(here[name])
        elif dtype.is_integer():
            here[name] = here[name].astype("int64")
        else:
            here[name] = as_text(here[name])
    here.index = pd.RangeIndex(len(here))
    return here


def _days(dates: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates as instants without a zone: DuckDB gives days, Spark instants in UTC."""
    zone = getattr(dates.dtype, "tz", None)
    plain = dates if zone is None else dates.dt.tz_localize(None)
    return plain.astype("datetime64[us]")


def _pandas(snapshots: Sequence[Snapshot], columns: tuple[str, ...], session: Any) -> pd.DataFrame:
    parts: list[pd.DataFrame] = []
    for snapshot in snapshots:
        # Arrow-backed columns stay whole numbers through a join, and take half the room.
        part = read_table(snapshot.path, columns).to_pandas(
            types_mapper=pd.ArrowDtype, ignore_metadata=True
        )
        parts.append(part.assign(date=pd.Timestamp(snapshot.date)))
    return pd.concat(parts, ignore_index=True)


def _polars(snapshots: Sequence[Snapshot], columns: tuple[str, ...], session: Any) -> Any:
    polars = _library("polars", "polars")
    paths = [str(each.path) for each in snapshots]
    scan = polars.scan_parquet(paths, hive_partitioning=True, glob=False)
    return scan.select(*columns, "date")


def _duckdb(snapshots: Sequence[Snapshot], columns: tuple[str, ...], session: Any) -> Any:
    paths = [escape(str(each.path)) for each in snapshots]
    rows = session.read_parquet(paths, hive_partitioning=True)
    return rows.select(", ".join((*columns, "date")))


def _dask(snapshots: Sequence[Snapshot], columns: tuple[str, ...], session: Any) -> Any:
    dask = _library("dask.dataframe", "dask")
    # fsspec takes a path for a pattern only if it has a star.
    paths = [str(each.path) for each in snapshots]
    paths = [escape(path) if "*" in path else path for path in paths]
    parts = [
        dask.read_parquet(path, columns=list(columns), partitioning=None).assign(
            date=pd.Timestamp(each.date)
        )
        for path, each in zip(paths, snapshots, strict=True)
    ]
    return dask.concat(parts)


def _spark(snapshots: Sequence[Snapshot], columns: tuple[str, ...], session: Any) -> Any:
    folder = str(snapshots[0].path.parent.parent)
    reader = session.read.option("basePath", folder)
    # Hadoop has signs of its own in a path, and a backslash takes their meaning from them.
    paths = [re.sub(r"([][*?{}\\])", r"\\\1", str(each.path)) for each in snapshots]
    return reader.parquet(*paths).select(*columns, "date")


def _library(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise MissingExtraError(f"a history on the engine {name}", extra) from None


_ENGINES: dict[str, _Open] = {
    "duckdb": _duckdb,
    "pandas": _pandas,
    "polars": _polars,
    "dask": _dask,
    "spark": _spark,
}
