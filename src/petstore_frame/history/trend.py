"""Counts over time as a table without holes, in which every hole is marked; none is filled."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from datetime import date
from functools import cache
from itertools import pairwise, repeat
from typing import Any

import pandas as pd

from petstore_frame._internal.arguments import one_of, some_of, whole_number
from petstore_frame.errors import HistoryWarning
from petstore_frame.errors.frames import callers_level
from petstore_frame.history.engines import Engine, to_pandas
from petstore_frame.history.folder import Contents, Day, Snapshot
from petstore_frame.history.queries import trend_pets
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES

EXACT, AT_LEAST, NO_SNAPSHOT, UNREADABLE = "exact", "at least", "no snapshot", "unreadable"
FREQUENCIES = {"D": "{}D", "W": "W", "M": "ME"}  # each as pandas calls the steps between its ends


def count_trend(
    held: Contents,
    engine: Engine,
    by: tuple[str, ...],
    *,
    since: Day | None,
    until: Day | None,
    freq: str,
    every_days: int | None,
) -> pd.DataFrame:
    """Count the last snapshot of each day, week or month; see ``History.trend``."""
    one_of("freq", freq, FREQUENCIES)
    if every_days is not None:
        whole_number("every_days", every_days, 1)
    found = held.between(since, until)
    chosen = [*{_end(each.date, freq): each for each in found}.values()]
    # pandas holds all that it opens, so it gets one day at a time; the others plan for all.
    parts = [[each] for each in chosen] if engine.name == "pandas" else [chosen]
    frames = (frame for part in parts for frame in engine.open(part, columns=by))
    counted = pd.concat([to_pandas(trend_pets(frame, by)) for frame in frames])
    lost = held.lost_days(found[0].date, found[-1].date)
    return _filled(counted, chosen, by, lost=lost, freq=freq, every_days=every_days)


def trend_columns(by: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns to count by, in a fixed order."""
    known = ("category_id", "status")
    asked = some_of("by", by, known)
    return tuple(name for name in known if name in asked)


def _filled(
    counted: pd.DataFrame,
    snapshots: Sequence[Snapshot],
    by: Sequence[str],
    *,
    lost: Collection[date],
    freq: str,
    every_days: int | None,
) -> pd.DataFrame:
    """Give every day every group: 0 where a snapshot has none, missing where no snapshot is."""
    known_of = {_end(each.date, freq): each.completeness for each in snapshots}
    unreadable = {_end(day, freq) for day in lost} - {*known_of}
    days = [*known_of, *unreadable]
    if every_days is not None:
        step = FREQUENCIES[freq].format(every_days)
        for earlier, later in pairwise(sorted(days)):
            days += [*pd.date_range(earlier, later, freq=step, inclusive="neither").date]
    levels: list[Any] = [pd.to_datetime(sorted(days)), *(_groups(counted, name) for name in by)]
    index: Any = pd.MultiIndex.from_product(levels, names=["date", *by])
    ends = [pd.Timestamp(_end(day, freq)) for day in counted["date"].dt.date]
    held = counted.assign(date=ends).set_index(["date", *by])["pets"].reindex(index).astype("Int64")
    table = held.reset_index().astype({"date": "datetime64[us]"})
    is_read = table["date"].dt.date.isin(known_of)
    table.loc[is_read & table["pets"].isna(), "pets"] = 0

    @cache
    def word(day: date, status: str | None) -> str:
        if day not in known_of:
            return UNREADABLE if day in unreadable else NO_SNAPSHOT
        known = known_of[day]
        is_exact = known.covers_all if status is None else known.count(status).is_exact
        return EXACT if is_exact else AT_LEAST

    statuses = table["status"] if "status" in by else repeat(None, len(table))
    words = list(map(word, table["date"].dt.date, statuses))
    return table.assign(count_is=pd.Series(words, dtype="str"))


def widen(trend: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return a trend with a row for each date and a column for each group, by its label if given.

    Numbers alone no longer say that one is a minimum, so a warning does.
    """
    by = ["category" if "category" in trend and name == "category_id" else name for name in by]
    least = trend[trend["count_is"].eq(AT_LEAST) & trend["pets"].notna()]
    if len(least):
        last = least.iloc[-1]
        group = " and ".join(str(last[name]) for name in by)
        what = f"at least {last['pets']:,} of {group} on {last['date']:%Y-%m-%d}"
        text = f"{len(least):,} of the numbers are minimums, such as {what}; exact_only=True "
        text += "leaves them out, wide=False marks them"
        warnings.warn(text, HistoryWarning, stacklevel=callers_level())
    # In the order of the table, where pivot() would sort the statuses by their letters.
    groups = trend[list(by)].drop_duplicates()
    wide = trend.pivot(index="date", columns=list(by), values="pets")
    return wide[groups[by[0]] if len(by) == 1 else pd.MultiIndex.from_frame(groups)]


def _end(day: date, freq: str) -> date:
    """Return the last day of the day, week or month that a day is in."""
    return day if freq == "D" else pd.Period(day, freq).end_time.date()


def _groups(counted: pd.DataFrame, name: str) -> list[Any]:
    seen = set(counted[name])
    if name == "category_id":
        return sorted(seen)
    others = seen - {*PET_STATUSES, NO_STATUS}
    return [*PET_STATUSES, *sorted(others), NO_STATUS]
