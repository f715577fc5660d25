"""Counts over time as a table without holes, in which every hole is marked; none is filled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from functools import cache
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
    known_of = {each.date: each.completeness for each in snapshots}
    days = sorted({*known_of, *lost, *_missing_days({*known_of, *lost}, every_days)})
    levels: list[Any] = [pd.to_datetime(days), *(_groups(counted, name) for name in by)]
    index: Any = pd.MultiIndex.from_product(levels, names=["date", *by])
    held = counted.set_index(["date", *by])["pets"].reindex(index).astype("Int64")
    table = held.reset_index().astype({"date": "datetime64[us]"})
    is_read = table["date"].dt.date.isin(known_of)
    table.loc[is_read & table["pets"].isna(), "pets"] = 0

    @cache
    def word(day: date, status: str | None) -> str:
        if day not in known_of:
            return UNREADABLE if day in lost else NO_SNAPSHOT
        known = known_of[day]
        is_exact = known.covers_all if status is None else known.count(status).is_exact
        return EXACT if is_exact else AT_LEAST

    statuses = table["status"] if "status" in by else repeat(None, len(table))
    words = list(map(word, table["date"].dt.date, statuses))
    return table.assign(count_is=pd.Series(words, dtype="str"))


def _missing_days(taken: Collection[date], every_days: int | None) -> list[date]:
    """Return the days on which a snapshot was due and is not there."""
    if every_days is None:
        return []
    return [
        day
        for earlier, later in pairwise(sorted(taken))
        for day in pd.date_range(earlier, later, freq=f"{every_days}D", inclusive="neither").date
    ]


def _groups(counted: pd.DataFrame, name: str) -> list[Any]:
    seen = set(counted[name])
    if name == "category_id":
        return sorted(seen)
    others = seen - {*PET_STATUSES, NO_STATUS}
    return [*PET_STATUSES, *sorted(others), NO_STATUS]
