"""Counts over time; a day without a snapshot is marked, never filled in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any

import pandas as pd

from petstore_frame.history.engines import open_snapshots, to_pandas, trend_pets
from petstore_frame.history.folder import Contents
from petstore_frame.schema.arguments import one_of, some_of, whole_number
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES

EXACT, AT_LEAST, NO_SNAPSHOT, UNREADABLE = "exact", "at least", "no snapshot", "unreadable"
_STEPS = {"D": "{}D", "W": "W", "M": "ME"}  # each as pandas calls the steps between its ends


def count_trend(
    held: Contents,
    engine: str,
    by: str | Sequence[str],
    *,
    freq: str,
    every_days: int | None,
) -> pd.DataFrame:
    """Count the last snapshot of each day, week or month; see ``History.trend``."""
    one_of("freq", freq, _STEPS)
    if every_days is not None:
        whole_number("every_days", every_days, 1)
    known = ("category_id", "status")
    asked = some_of("by", by, known)
    columns = tuple(name for name in known if name in asked)
    last_of = {_end(each.date, freq): each for each in held.snapshots}
    chosen = [*last_of.values()]
    # What is here is held one day at a time; Dask and Spark plan for all.
    parts = [chosen] if engine in ("dask", "spark") else [[each] for each in chosen]
    frames = (frame for part in parts for frame in open_snapshots(engine, part, columns=columns))
    counted = pd.concat([to_pandas(trend_pets(frame, columns)) for frame in frames])
    counted["date"] = [pd.Timestamp(_end(day, freq)) for day in counted["date"].dt.date]
    words = {_end(day, freq): UNREADABLE for day in held.lost} | dict.fromkeys(last_of, "")
    if every_days is not None:
        for one, other in pairwise(sorted(words)):
            step = _STEPS[freq].format(every_days)
            due = pd.date_range(one, other, freq=step, inclusive="neither").date
            words |= dict.fromkeys(due, NO_SNAPSHOT)
    days: list[Any] = [pd.to_datetime(sorted(words)), *(_groups(counted, name) for name in columns)]
    index: Any = pd.MultiIndex.from_product(days, names=["date", *columns])
    pets = counted.set_index(["date", *columns])["pets"].reindex(index).astype("Int64")
    table = pets.reset_index().astype({"date": "datetime64[us]"})
    dates = table["date"].dt.date
    table.loc[dates.isin(last_of) & table["pets"].isna(), "pets"] = 0
    statuses = table["status"] if "status" in columns else [None] * len(table)

    @cache
    def exactness(day: date, status: str | None) -> str:
        known = last_of[day].completeness
        is_exact = known.covers_all if status is None else known.count(status).is_exact
        return EXACT if is_exact else AT_LEAST

    count_is = [words[day] or exactness(day, one) for day, one in zip(dates, statuses, strict=True)]
    return table.assign(count_is=pd.Series(count_is, dtype="str"))


def _end(day: date, freq: str) -> date:
    """Return the last day of the day, week or month that a day is in."""
    return day if freq == "D" else pd.Period(day, freq).end_time.date()


def _groups(counted: pd.DataFrame, name: str) -> list[Any]:
    seen = set(counted[name])
    if name == "category_id":
        return sorted(seen)
    return [*PET_STATUSES, *sorted(seen - {*PET_STATUSES, NO_STATUS}), NO_STATUS]
