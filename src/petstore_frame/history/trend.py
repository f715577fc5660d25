"""What many snapshots say: how pets move through the store, and counts over time.

Nothing between two snapshots is guessed: every hole is marked, and none is filled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import pandas as pd

from petstore_frame.errors import HistoryWarning
from petstore_frame.errors.frames import callers_level
from petstore_frame.history.changes import MOVE, Diff, diff_snapshots, sort_moves
from petstore_frame.history.engines import (
    COMPARED,
    Engine,
    age_pets,
    live_pets,
    sell_pets,
    to_pandas,
    trend_pets,
)
from petstore_frame.history.folder import Contents, Day
from petstore_frame.history.snapshot import Snapshot
from petstore_frame.schema.arguments import one_of, some_of, whole_number
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES

EXACT, AT_LEAST, NO_SNAPSHOT, UNREADABLE = "exact", "at least", "no snapshot", "unreadable"
ESTIMATE = "estimate"  # of a share, where not even a minimum is known
# The columns of the turnover, each with its kind of move.
_TURNS = {
    "new": "new", "first_seen": "first seen", "gone": "gone", "not_seen": "not seen", "sold": None,
}  # fmt: skip
_PERIODS: dict[str, Callable[[date], Any]] = {
    "snapshot": lambda day: day,
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
}
_STEPS = {"D": "{}D", "W": "W", "M": "ME"}  # each as pandas calls the steps between its ends


class Flow:
    """Moves, turnover, sell-through, ageing and stale listings; ``history.flow()`` makes it.

    Each table is computed when it is first asked for, of ``snapshots``, by date. ``period`` is what
    ``moves`` and ``turnover`` compare: ``snapshot``, ``week`` or ``month``; an available pet is
    stale from ``stale_days`` days on.

    Example:
        >>> from petstore_frame import samples
        >>> flow = samples.write_sample_history("history", days=8, pets=40).flow(stale_days=5)
        >>> print(len(flow.stale), "of", len(flow.ageing), "pets are stale")
        20 of 27 pets are stale
    """

    def __init__(
        self, snapshots: Sequence[Snapshot], engine: Engine, *, period: str, stale_days: int
    ) -> None:
        self.snapshots = tuple(snapshots)
        self.period = one_of("period", period, _PERIODS)
        self.stale_days = whole_number("stale_days", stale_days, 0)
        self._engine = engine

    @cached_property
    def moves(self) -> pd.DataFrame:
        """How many pets moved between statuses, period by period.

        Columns: ``since`` and ``until`` (the snapshots compared: the last of each period, and
        the first of all), ``kind``, ``was``, ``now`` (as in ``diff``), ``pets`` (int64),
        ``count_is`` (``exact`` or ``at least``). A move that any period has is a row of each. A pet
        that moved twice within a period counts once, from its first status to its last.
        """
        parts = [diff.moves for diff in self._diffs]
        groups = sort_moves(pd.concat(parts)[list(MOVE)].drop_duplicates())
        return self._by_period(groups, parts)

    @cached_property
    def turnover(self) -> pd.DataFrame:
        """How many pets came, went and were sold, by period and category.

        Columns: ``since`` and ``until``, as in ``moves``; ``category_id`` (int64); as int64 the
        pets that were ``new`` and ``gone`` for certain; ``first_seen`` and ``not_seen``: those
        that came into sight or went out of it where a listing may have lacked them; ``sold``:
        those that became sold, whatever they were before; ``count_is`` (``exact`` or ``at least``).
        A category that any period has is a row of each.
        """
        parts = []
        for diff in self._diffs:
            moves = diff.moves_by_category
            for turn, kind in _TURNS.items():
                became_sold = (moves["kind"] == "changed") & (moves["now"] == "sold")
                is_meant = moves["kind"] == kind if kind else became_sold
                moves[turn] = moves["pets"].where(is_meant, 0)
            parts.append(moves.groupby("category_id", as_index=False)[list(_TURNS)].sum())
        found = pd.concat(parts)[["category_id"]].drop_duplicates()
        return self._by_period(found.sort_values("category_id"), parts)

    @cached_property
    def sell_through(self) -> pd.DataFrame:
        """What share of the pets offered was sold, by category.

        Columns: ``category_id`` (int64); ``offered`` (int64): pets that any snapshot shows
        available or pending; ``sold`` (int64): those of them that were sold when last seen;
        ``sell_through`` (float, 0 to 1): sold over offered; ``count_is``: ``exact`` where every
        snapshot holds every pet, else ``estimate``: the share may be too high or too low.
        A pet that came and was sold between two snapshots was never seen on offer: left out.
        """
        (pets,) = self._engine.open(self.snapshots, columns=("id", "category_id", "status"))
        table = to_pandas(sell_pets(live_pets(pets))).sort_values("category_id", ignore_index=True)
        table["sell_through"] = table["sold"] / table["offered"]
        return table.assign(count_is=EXACT if self.is_exact else ESTIMATE)

    @cached_property
    def ageing(self) -> pd.DataFrame:
        """The pets that were available when last seen, and for how long, oldest first.

        Columns: ``id`` (int64), ``name``, ``category_id`` (int64); ``first_seen``: the first
        snapshot that shows it, in any status; ``available_since``: the first of the last unbroken
        run of snapshots that show it available; ``last_seen``; ``days_available`` (int64): from
        ``available_since`` to ``last_seen``; ``is_listed``: whether the last snapshot shows it;
        ``is_at_least``: whether it may have been available earlier than ``available_since``,
        because the snapshot before that is absent or not exact about available pets. ``count_is``:
        ``exact`` where the last snapshot holds every available pet, else ``at least``.
        """
        (pets,) = self._engine.open(self.snapshots, columns=COMPARED)
        table = to_pandas(age_pets(pets, live_pets(pets)))
        span = table["last_seen"] - table["available_since"]
        table["days_available"] = span.dt.days.astype("int64")
        table["is_listed"] = table["last_seen"].dt.date == self.snapshots[-1].date
        is_exact = [each.completeness.count("available").is_exact for each in self.snapshots]
        days = [each.date for each in self.snapshots]
        after_exact = [day for day, was_exact in zip(days[1:], is_exact, strict=False) if was_exact]
        table["is_at_least"] = ~table["available_since"].dt.date.isin(after_exact)
        table["count_is"] = EXACT if is_exact[-1] else AT_LEAST
        return table.sort_values(
            ["days_available", "id"], ascending=[False, True], ignore_index=True
        )

    @property
    def stale(self) -> pd.DataFrame:
        """The rows of ``ageing`` still listed after ``stale_days`` days or more."""
        ageing = self.ageing
        is_stale = ageing["is_listed"] & (ageing["days_available"] >= self.stale_days)
        return ageing[is_stale].reset_index(drop=True)

    @property
    def is_exact(self) -> bool:
        """Whether every snapshot holds every pet of the store."""
        return all(each.completeness.covers_all for each in self.snapshots)

    def __repr__(self) -> str:
        first, last = self.snapshots[0].date, self.snapshots[-1].date
        partial = sum(not each.completeness.covers_all for each in self.snapshots)
        marked = f"{partial} of them not proven complete" if partial else "all complete"
        return (
            f"<Flow {first} to {last}: {len(self.snapshots)} snapshots, {marked}; "
            ".moves, .turnover, .sell_through, .ageing, .stale>"
        )

    @cached_property
    def _diffs(self) -> list[Diff]:
        """The comparison of each period's last snapshot with that of the period before."""
        last_of = {_PERIODS[self.period](each.date): each for each in self.snapshots}
        ends = {each.date: each for each in (self.snapshots[0], *last_of.values())}
        chosen = [ends[day] for day in sorted(ends)]
        # One snapshot alone is compared with itself: tables without rows, of the same dtypes.
        pairs = [*pairwise(chosen)] or [(chosen[0], chosen[0])]
        return [diff_snapshots(old, new, self._engine) for old, new in pairs]

    def _by_period(self, groups: pd.DataFrame, parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
        """Give each period a row for each group, with its counts, or 0."""
        by, tables = list(groups.columns), []
        for diff, part in zip(self._diffs, parts, strict=True):
            table = groups.merge(part, how="left", on=by)
            counts = [name for name in table.columns if name not in by]
            table[counts] = table[counts].fillna(0).astype("int64")
            table.insert(0, "since", pd.Timestamp(diff.since).as_unit("us"))
            table.insert(1, "until", pd.Timestamp(diff.until).as_unit("us"))
            tables.append(table.assign(count_is=EXACT if diff.is_exact else AT_LEAST))
        return pd.concat(tables, ignore_index=True)


def count_trend(
    held: Contents,
    engine: Engine,
    by: str | Sequence[str],
    *,
    since: Day | None,
    until: Day | None,
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
    found = held.between(since, until)
    last_of = {_end(each.date, freq): each for each in found}
    chosen = [*last_of.values()]
    # pandas holds all that it opens, so it gets one day at a time; the others plan for all.
    parts = [[each] for each in chosen] if engine.name == "pandas" else [chosen]
    frames = (frame for part in parts for frame in engine.open(part, columns=columns))
    counted = pd.concat([to_pandas(trend_pets(frame, columns)) for frame in frames])
    counted["date"] = [pd.Timestamp(_end(day, freq)) for day in counted["date"].dt.date]
    lost = {day for day in held.lost if found[0].date <= day <= found[-1].date}
    words = {_end(day, freq): UNREADABLE for day in lost} | dict.fromkeys(last_of, "")
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


def widen(trend: pd.DataFrame) -> pd.DataFrame:
    """Return a trend with a row for each date and a column for each group, by its label if given.

    Numbers alone no longer say that one is a minimum, so a warning does.
    """
    by = [name for name in ("category_id", "status") if name in trend]
    if "category" in trend:
        by[0] = "category"
    least = trend[trend["count_is"].eq(AT_LEAST) & trend["pets"].notna()]
    if len(least):
        last = least.iloc[-1]
        group = " and ".join(str(last[name]) for name in by)
        what = f"at least {last['pets']:,} of {group} on {last['date']:%Y-%m-%d}"
        text = f"{len(least):,} of the numbers are minimums, such as {what}; exact_only=True "
        text += "leaves them out, wide=False marks them"
        warnings.warn(text, HistoryWarning, stacklevel=callers_level())
    # In the order of the table, where pivot() would sort the statuses by their letters.
    groups = trend[by].drop_duplicates()
    wide = trend.pivot(index="date", columns=by, values="pets")
    return wide[groups[by[0]] if len(by) == 1 else pd.MultiIndex.from_frame(groups)]
