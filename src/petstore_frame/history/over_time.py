"""What many snapshots show together: counts by day, moves by week, and who still waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import pandas as pd

from petstore_frame.history.changes import MOVE, Diff, diff_snapshots, sort_moves
from petstore_frame.history.engines import COMPARED, open_snapshots, to_pandas, trend_pets
from petstore_frame.history.folder import Contents
from petstore_frame.history.snapshot import Snapshot, read_table
from petstore_frame.rendering import NO_STATUS
from petstore_frame.schema import PET_STATUSES
from petstore_frame.validation import some_of, whole_number

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


class Flow:
    """Who came, moved and went, and who still waits; ``history.flow()`` makes it.

    Each table is computed when it is first asked for, of ``snapshots``, by date.

    Example:
        >>> from petstore_frame import sample_data
        >>> flow = sample_data.write_sample_history("history", days=8, pets=40).flow()
        >>> int(flow.ageing["days_available"].max())
        7
    """

    def __init__(self, snapshots: Sequence[Snapshot], engine: str) -> None:
        self.snapshots = tuple(snapshots)
        self._engine = engine

    @cached_property
    def moves(self) -> pd.DataFrame:
        """How many pets moved between statuses, week by week.

        Columns: ``since`` and ``until`` (the snapshots compared: the last of each week, and the
        first of all), ``kind``, ``was``, ``now`` (as in ``diff``), ``pets`` (int64), ``count_is``
        (``exact`` or ``at least``). A move that any week has is a row of each. A pet that moved
        twice within a week counts once, from its first status to its last.
        """
        parts = [diff.moves for diff in self._diffs()]
        every = sort_moves(pd.concat(parts)[list(MOVE)].drop_duplicates())
        tables = []
        for diff, part in zip(self._diffs(), parts, strict=True):
            table = every.merge(part, how="left", on=list(MOVE))
            table["pets"] = table["pets"].fillna(0).astype("int64")
            table.insert(0, "since", pd.Timestamp(diff.since).as_unit("us"))
            table.insert(1, "until", pd.Timestamp(diff.until).as_unit("us"))
            tables.append(table.assign(count_is=EXACT if diff.is_exact else AT_LEAST))
        return pd.concat(tables, ignore_index=True)

    def _diffs(self) -> list[Diff]:
        """Compare each week's last snapshot with that of the week before."""
        last_of = {each.date.isocalendar()[:2]: each for each in self.snapshots}
        ends = {each.date: each for each in (self.snapshots[0], *last_of.values())}
        chosen = [ends[day] for day in sorted(ends)]
        # One snapshot alone is compared with itself: tables without rows, of the same dtypes.
        pairs = [*pairwise(chosen)] or [(chosen[0], chosen[0])]
        return [diff_snapshots(old, new, self._engine) for old, new in pairs]

    @cached_property
    def ageing(self) -> pd.DataFrame:
        """The pets that the last snapshot shows available, and for how long, oldest first.

        Columns: ``id`` (int64), ``name``, ``category_id`` (int64); ``available_since``: the first
        of the last unbroken run of snapshots that show the pet available; ``days_available``
        (int64): from then to the last snapshot; ``is_at_least``: whether it may have been available
        earlier, because the snapshot before the run is absent or not exact about available pets;
        ``count_is``: ``exact`` where the last snapshot holds every available pet, else
        ``at least``.
        """
        *earlier, last = self.snapshots
        table = self._available(last).assign(available_since=pd.Timestamp(last.date).as_unit("us"))
        waiting = pd.Index(table["id"])
        for snapshot in reversed(earlier):
            waiting = waiting.intersection(self._available(snapshot)["id"])
            if waiting.empty:
                break
            day = pd.Timestamp(snapshot.date).as_unit("us")
            table.loc[table["id"].isin(waiting), "available_since"] = day
        span = pd.Timestamp(last.date) - table["available_since"]
        table["days_available"] = span.dt.days.astype("int64")
        is_exact = {
            each.date: each.completeness.count("available").is_exact for each in self.snapshots
        }
        proven = [day for before, day in pairwise(is_exact) if is_exact[before]]
        table["is_at_least"] = ~table["available_since"].dt.date.isin(proven)
        table["count_is"] = EXACT if is_exact[last.date] else AT_LEAST
        return table.sort_values(
            ["days_available", "id"], ascending=[False, True], ignore_index=True
        )

    def _available(self, snapshot: Snapshot) -> pd.DataFrame:
        pets = to_pandas(read_table(snapshot.path, COMPARED))
        return pets[pets["status"].eq("available")].drop(columns="status")

    def __repr__(self) -> str:
        first, last = self.snapshots[0].date, self.snapshots[-1].date
        return f"<Flow {first} to {last}: {len(self.snapshots)} snapshots; .moves, .ageing>"
