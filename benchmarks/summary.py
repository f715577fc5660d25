"""The summary of a million pets on each engine, beside plain SQL.

Run: python benchmarks/summary.py [PETS]     (default: 1000000)

Each number is the best of five, in milliseconds. The frames are in memory before; the SQL is
DuckDB's GROUP BY over the same Arrow table. An Inventory is known to have each pet once; of a frame
that is not known, so its ids are looked through for repeats.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
from report import frame_of, inventory_of

import petstore_frame as pf

SQL = "SELECT category_id, status, count(*) FROM pets GROUP BY ALL"


def best(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def main(count: int) -> None:
    frame = frame_of(count)
    pets = pa.Table.from_pandas(frame)
    held = inventory_of(frame)
    known = held.completeness
    engines: dict[str, Any] = {
        "pandas": frame.copy().reset_index(drop=True),
        "polars": pl.from_arrow(pets),
        "pyarrow": pets,
        "DuckDB": duckdb.from_arrow(pets),
    }
    try:
        from dask import dataframe

        engines["Dask"] = dataframe.from_pandas(frame, npartitions=4)
    except ImportError:
        pass
    print(f"{count:,} pets")
    base = duckdb.connect().register("pets", pets)
    print(f"{'plain SQL':<12} {best(lambda: base.sql(SQL).fetchall()):8.0f}")
    print(f"{'Inventory':<12} {best(lambda: pf.summarize(held)):8.0f}")
    print(f"{'':<12} {'known':>8} {'not known':>10}")
    for name, table in engines.items():
        sure = best(lambda table=table: pf.Summary.of(table, known))
        unsure = best(lambda table=table: pf.Summary.of(table, None))
        print(f"{name:<12} {sure:8.0f} {unsure:10.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
