"""Counts over time as a table without holes, in which every hole is marked; none is filled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from itertools import pairwise, repeat
from typing import Any

import pandas as pd

from petstore_frame._internal.arguments import some_of
from petstore_frame.history.folder import Snapshot
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES

EXACT, AT_LEAST, NO_SNAPSHOT, UNREADABLE = "exact", "at least", "no snapshot", "unreadable"


def trend_columns(by: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns to count by, in a fixed order.

    Raises:
        ArgumentError: A name is neither ``status`` nor ``category_id``.
    """
    known = ("category_id", "status")
    asked = some_of("by", by, known)
    return tuple(name for name in known if name in asked)


def fill_trend(
    counted: pd.DataFrame,
    snapshots: Sequence[Snapshot],
    by: Sequence[str],
    *,
    lost: Collection[date],
    every_days: int | None,
) -> pd.DataFrame:
    """Give every day every group: 0 where a snapshot has none, missing where no snapshot is.

    Args:
        counted: ``date``, the columns of ``by``, ``pets``: the groups that occur.
        snapshots: The snapshots counted, by date.
        by: The columns that make a group.
        lost: Days whose snapshot cannot be read.
        every_days: In how many days a snapshot is due; None expects none.
    """
    read = {each.date: each for each in snapshots}
    days = sorted({*read, *lost, *missing_days({*read, *lost}, every_days)})
    levels = [_groups(counted, name) for name in by]
    index = pd.MultiIndex.from_product([pd.to_datetime(days), *levels], names=["date", *by])
    held = counted.set_index(["date", *by])["pets"].reindex(index).astype("Int64")
    table = held.reset_index()
    is_read = table["date"].isin(pd.to_datetime(list(read)))
    table.loc[is_read & table["pets"].isna(), "pets"] = 0
    statuses = levels[-1] if "status" in by else [None]
    words = {
        (pd.Timestamp(day), status): UNREADABLE if day in lost else _claim(read.get(day), status)
        for day in days
        for status in statuses
    }
    keys = zip(table["date"], table["status"] if "status" in by else repeat(None), strict=False)
    table["claim"] = pd.Series([words[key] for key in keys], dtype="str")
    return table.astype({"date": "datetime64[us]"})


def missing_days(taken: Collection[date], every_days: int | None) -> list[date]:
    """Return the days on which a snapshot was due and is not there."""
    if every_days is None:
        return []
    days = sorted(taken)
    due = timedelta(days=every_days)
    missing = []
    for earlier, later in pairwise(days):
        day = earlier + due
        while day < later:
            missing.append(day)
            day += due
    return missing


def _groups(counted: pd.DataFrame, name: str) -> list[Any]:
    seen = set(counted[name])
    if name == "category_id":
        return sorted(seen)
    others = seen - {*PET_STATUSES, NO_STATUS}
    return [*PET_STATUSES, *sorted(others), NO_STATUS]


def _claim(snapshot: Snapshot | None, status: str | None) -> str:
    if snapshot is None:
        return NO_SNAPSHOT
    claim = snapshot.completeness
    is_exact = claim.covers_all if status is None else claim.count(status).is_exact
    return EXACT if is_exact else AT_LEAST
