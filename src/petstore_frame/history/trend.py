"""Counts over time; a day without a snapshot is marked, never filled in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any

import pandas as pd

from petstore_frame.errors import some_of, whole_number
from petstore_frame.history.engines import open_snapshots, to_pandas, trend_pets
from petstore_frame.history.folder import Contents
from petstore_frame.markup import NO_STATUS
from petstore_frame.schema import PET_STATUSES

EXACT, AT_LEAST, NO_SNAPSHOT, UNREADABLE = "exact", "at least", "no snapshot", "unreadable"


def count_trend(
    held: Contents,
    engine: str,
    by: str | Sequence[str],
    every_days: int | None,
) -> pd.DataFrame:
    """Count each snapshot; see ``History.trend``."""
    if every_days is not None:
        whole_number("every_days", every_days, 1)
    known = ("category_id", "status")
    asked = some_of("by", by, known)
    columns = tuple(name for name in known if name in asked)
    kept = {each.date: each for each in held.snapshots}
    # What is here is in memory one day at a time; Dask and Spark plan for all.
    parts = [held.snapshots] if engine in ("dask", "spark") else [[each] for each in kept.values()]
    frames = (frame for part in parts for frame in open_snapshots(engine, part, columns=columns))
    counted = pd.concat([to_pandas(trend_pets(frame, columns)) for frame in frames])
    words = dict.fromkeys(held.lost, UNREADABLE) | dict.fromkeys(kept, "")
    if every_days is not None:
        for one, other in pairwise(sorted(words)):
            due = pd.date_range(one, other, freq=f"{every_days}D", inclusive="neither").date
            words |= dict.fromkeys(due, NO_SNAPSHOT)
    days: list[Any] = [pd.to_datetime(sorted(words)), *(_groups(counted, name) for name in columns)]
    index: Any = pd.MultiIndex.from_product(days, names=["date", *columns])
    pets = counted.set_index(["date", *columns])["pets"].reindex(index).astype("Int64")
    table = pets.reset_index().astype({"date": "datetime64[us]"})
    dates = table["date"].dt.date
    table.loc[dates.isin(kept) & table["pets"].isna(), "pets"] = 0
    statuses = table["status"] if "status" in columns else [None] * len(table)

    @cache
    def exactness(day: date, status: str | None) -> str:
        known = kept[day].completeness
        is_exact = known.covers_all if status is None else known.count(status).is_exact
        return EXACT if is_exact else AT_LEAST

    count_is = [words[day] or exactness(day, one) for day, one in zip(dates, statuses, strict=True)]
    return table.assign(count_is=pd.Series(count_is, dtype="str"))


def _groups(counted: pd.DataFrame, name: str) -> list[Any]:
    seen = set(counted[name])
    if name == "category_id":
        return sorted(seen)
    return [*PET_STATUSES, *sorted(seen - {*PET_STATUSES, NO_STATUS}), NO_STATUS]
