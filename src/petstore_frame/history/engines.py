"""Queries over all snapshots, on any of five engines.

Three rules keep the engines alike. A status is compared as text, a missing one as ``no status``,
because nulls compare differently. Joins are left joins and anti joins, because a full join turns
int64 ids into floats on pandas and Dask. No order is promised; rows are sorted where they are
shown. Dask and Spark read the files themselves; the others get the rows that were checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from glob import escape
from typing import Any

import narwhals as nw
import pandas as pd

from petstore_frame.extras import import_extra
from petstore_frame.history.snapshot import Snapshot, dated_table
from petstore_frame.pet_table import open_frame
from petstore_frame.schema import FIELDS, as_type
from petstore_frame.summary import count_pets, status_text

ENGINES = ("duckdb", "pandas", "polars", "dask", "spark")
COMPARED = ("id", "name", "category_id", "status")
DIFF_COLUMNS = ("id", "name", "category_id", "kind", "was", "now", "difference")
KINDS = ("new", "first seen", "changed", "gone", "not seen")


def open_snapshots(engine: str, *parts: Sequence[Snapshot], columns: tuple[str, ...]) -> list[Any]:
    """Open columns of each part as one frame of the engine, with ``date`` as the last column.

    All rows are compared with their checksums. Frames meet in a join only on one session, which
    those of one call share, so questions may be asked from threads.
    """
    tables = [[dated_table(each, columns) for each in snapshots] for snapshots in parts]
    if engine == "dask":
        return [_open_dask(snapshots, columns) for snapshots in parts]
    if engine == "spark":
        return [_open_spark(snapshots, columns) for snapshots in parts]
    arrow = _library("pyarrow", "history")
    wholes = [arrow.concat_tables(part) for part in tables]
    if engine == "pandas":
        # Arrow-backed columns stay whole numbers through a join, and take half the room.
        kept = {"types_mapper": pd.ArrowDtype, "ignore_metadata": True}
        return [whole.to_pandas(**kept) for whole in wholes]
    if engine == "polars":
        polars = _library("polars", "polars")
        return [polars.from_arrow(whole).lazy() for whole in wholes]
    connection = _library("duckdb", "history").connect()
    return [connection.from_arrow(whole) for whole in wholes]


def _open_dask(snapshots: Sequence[Snapshot], columns: tuple[str, ...]) -> Any:
    dask = _library("dask.dataframe", "dask")
    kept, frames = {"columns": list(columns), "partitioning": None}, []
    for each in snapshots:  # fsspec takes a path for a pattern only if it has a star
        path = escape(str(each.path)) if "*" in str(each.path) else str(each.path)
        frames.append(dask.read_parquet(path, **kept).assign(date=pd.Timestamp(each.date)))
    return dask.concat(frames)


def _open_spark(snapshots: Sequence[Snapshot], columns: tuple[str, ...]) -> Any:
    session = _library("pyspark.sql", "spark").SparkSession.builder.getOrCreate()
    folder = str(snapshots[0].path.parent.parent)
    # Hadoop has signs of its own in a path, and a backslash takes their meaning from them.
    paths = [re.sub(r"([][*?{}\\])", r"\\\1", str(each.path)) for each in snapshots]
    rows = session.read.option("basePath", folder).parquet(*paths)
    return rows.select(*columns, "date")


def _library(module: str, extra: str) -> Any:
    return import_extra(module, f"a history on the engine {module.partition('.')[0]}", extra)


def to_pandas(frame: Any) -> pd.DataFrame:
    """Bring a frame of any engine here: numbers int64, texts str, dates instants without a zone."""
    lazy = nw.from_native(frame).lazy()
    kind = lazy.implementation
    # Dask's index would leak into an Arrow table as a column.
    backend = "pandas" if kind.is_dask() or kind.is_pandas_like() else "pyarrow"
    options = {"engine": "streaming"} if kind.is_polars() else {}
    collected = lazy.collect(backend, **options)
    here: pd.DataFrame = collected.to_pandas()
    # Dask's own guess of a type, before it computes, may be another one.
    for name, dtype in collected.schema.items():
        column = here[name]
        if dtype.is_temporal():  # DuckDB gives days, Spark instants in UTC
            is_zoned = getattr(column.dtype, "tz", None) is not None
            plain = column.dt.tz_localize(None) if is_zoned else column
            here[name] = plain.astype("datetime64[us]")
        else:
            here[name] = column.astype("int64") if dtype.is_integer() else as_type(column, "str")
    here.index = pd.RangeIndex(len(here))
    return here


def diff_pets(old: Any, new: Any, *, is_old_whole: bool = False, is_new_whole: bool = False) -> Any:
    """Return one row per pet that came, went or changed in any field.

    Args:
        old: The earlier pets: ``id`` (unique), ``name``, ``category_id``, ``status``, and further
            fields of a pet, which are compared where both have them.
        new: The later pets, a frame of the same kind.
        is_old_whole, is_new_whole: Whether they are known to be all pets of the store.

    Returns:
        A frame of the same kind, in no fixed order, with the columns of ``Diff.frame``: the name
        and category are those of the later pets where the pet is in these.

    Raises:
        ArgumentError: It is not a frame.
        InputError: A frame lacks a column, or ids are not whole numbers.
    """
    before, after = open_frame(old, COMPARED), open_frame(new, COMPARED)
    held = {*before.collect_schema().names()} & {*after.collect_schema().names()}
    fields = [name for name in FIELDS.names if name in held and name != "id"]
    # Every engine compares texts alike; a missing value is the empty text.
    texts = {
        name: status_text() if name == "status" else nw.col(name).cast(nw.String).fill_null("")
        for name in fields
    }
    was = before.select("id", *(text.alias(f"was {name}") for name, text in texts.items()))
    shown = ("id", "name", "category_id")
    now = after.select(*shown, *(text.alias(f"now {name}") for name, text in texts.items()))
    was_there = ~nw.col("was status").is_null()
    differences = [
        nw.when(was_there & (nw.col(f"was {name}") != nw.col(f"now {name}")))
        .then(nw.lit(f", {name}"))
        .otherwise(nw.lit(""))
        for name in fields
    ]
    came = nw.lit("new" if is_old_whole else "first seen")
    changed = (
        now.join(was, on="id", how="left")
        .with_columns(
            difference=nw.concat_str(differences).str.slice(2),
            kind=nw.when(was_there).then(nw.lit("changed")).otherwise(came),
        )
        .filter(~was_there | (nw.col("difference") != ""))
        .rename({"was status": "was", "now status": "now"})
    )
    went = (
        before.select(*shown, was=status_text())
        .join(after.select("id"), on="id", how="anti")
        .with_columns(
            now=nw.lit(None, dtype=nw.String),
            kind=nw.lit("gone" if is_new_whole else "not seen"),
            difference=nw.lit(""),
        )
    )
    return nw.concat([changed.select(*DIFF_COLUMNS), went.select(*DIFF_COLUMNS)]).to_native()


def trend_pets(pets: Any, by: Sequence[str] = ("status",)) -> Any:
    """Count dated pets by day and by columns.

    ``pets`` has ``date`` (a date, an instant, or text like 2026-11-01), one row per pet and
    snapshot. The frame returned has ``date`` (an instant), the columns of ``by``, ``pets`` (int64).
    """
    counted = nw.from_native(count_pets(pets, ("date", *by)))
    # As an instant, which is the one form that every engine reads alike.
    day = nw.col("date").cast(nw.String).str.slice(0, 10)
    return counted.with_columns(date=day.str.to_datetime(format="%Y-%m-%d")).to_native()
