"""How pets move through the store: what became of them, how fast, and what stays.

Every definition stands where its table is made; nothing between two snapshots is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import pandas as pd

from petstore_frame._internal.arguments import one_of, whole_number
from petstore_frame.history.changes import MOVE, Diff, diff_snapshots, sort_moves
from petstore_frame.history.engines import Engine, to_pandas
from petstore_frame.history.folder import Snapshot
from petstore_frame.history.queries import COMPARED, age_pets, live_pets, sell_pets
from petstore_frame.history.trend import AT_LEAST, EXACT

# The columns of the turnover, each with its kind of move.
_TURNS = {
    "new": "new", "first_seen": "first seen", "gone": "gone", "not_seen": "not seen", "sold": None,
}  # fmt: skip
ESTIMATE = "estimate"  # of a share, where not even a minimum is known
_PERIODS: dict[str, Callable[[Snapshot], Any]] = {
    "snapshot": lambda snapshot: snapshot.date,
    "week": lambda snapshot: snapshot.date.isocalendar()[:2],
    "month": lambda snapshot: (snapshot.date.year, snapshot.date.month),
}


class Flow:
    """Moves, turnover, sell-through, ageing and stale listings; ``history.flow()`` makes it.

    Each table is computed when it is first asked for.

    Attributes:
        snapshots: The snapshots followed, by date.
        period: What ``moves`` and ``turnover`` compare: ``snapshot``, ``week`` or ``month``.
        stale_days: From how many days on an available pet is stale.

    Example:
        >>> from petstore_frame import samples
        >>> flow = samples.write_sample_history("history", days=8, pets=40).flow(stale_days=5)
        >>> print(len(flow.stale), "of", len(flow.ageing), "pets are stale")
        20 of 27 pets are stale
    """

    def __init__(
        self,
        snapshots: Sequence[Snapshot],
        engine: Engine,
        *,
        period: str,
        stale_days: int,
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
        ``count_is`` (``exact`` where both snapshots hold every pet, else ``at least``). A move that
        any period has is a row of each, 0 where it did not occur. A pet that moved twice within a
        period counts once, from its first status to its last.
        """
        if not self._diffs:
            return _no_rows({"kind": "str", "was": "str", "now": "str", "pets": "int64"})
        moves = pd.concat([diff.moves[list(MOVE)] for diff in self._diffs]).drop_duplicates()
        parts = [_period(diff, sort_moves(moves)) for diff in self._diffs]
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def turnover(self) -> pd.DataFrame:
        """How many pets came, went and were sold, by period and category.

        Columns: ``since`` and ``until``, as in ``moves``; ``category_id`` (int64); as int64 the
        pets that were ``new`` and ``gone`` for certain; ``first_seen`` and ``not_seen``: those
        that came into sight or went out of it where a listing may have lacked them; ``sold``:
        those that became sold, whatever they were before; ``count_is`` (``exact`` or ``at least``).
        A category that any period has is a row of each. The sum over categories is that of the
        store: ``turnover.groupby("until")[["new", "gone", "sold"]].sum()``.
        """
        if not self._diffs:
            return _no_rows({"category_id": "int64", **dict.fromkeys(_TURNS, "int64")})
        found = sorted(
            {one for diff in self._diffs for one in diff.moves_by_category["category_id"]}
        )
        parts = [_turns(diff, found) for diff in self._diffs]
        return pd.concat(parts, ignore_index=True)

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
        lives = live_pets(pets)
        table = to_pandas(sell_pets(lives)).sort_values("category_id", ignore_index=True)
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
        because the snapshot before that is absent or not exact about available pets. Where it is
        False, the true number of days is less than one step between snapshots longer. ``count_is``:
        ``exact`` where the last snapshot holds every available pet, else ``at least``: there may
        be more such pets than rows.
        """
        (pets,) = self._engine.open(self.snapshots, columns=COMPARED)
        table = to_pandas(age_pets(pets, live_pets(pets)))
        span = table["last_seen"] - table["available_since"]
        table["days_available"] = span.dt.days.astype("int64")
        table["is_listed"] = table["last_seen"].dt.date == self.snapshots[-1].date
        after_exact = [
            later.date
            for earlier, later in pairwise(self.snapshots)
            if earlier.completeness.count("available").is_exact
        ]
        table["is_at_least"] = ~table["available_since"].dt.date.isin(after_exact)
        is_exact = self.snapshots[-1].completeness.count("available").is_exact
        table["count_is"] = EXACT if is_exact else AT_LEAST
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
        last_of = {_PERIODS[self.period](each): each for each in self.snapshots}
        ends = sorted({each.date: each for each in (self.snapshots[0], *last_of.values())}.items())
        return [diff_snapshots(old, new, self._engine) for (_, old), (_, new) in pairwise(ends)]


def _period(diff: Diff, moves: pd.DataFrame) -> pd.DataFrame:
    """Return one period's number for each of the moves."""
    part = moves.merge(diff.moves, how="left", on=list(MOVE))
    part["pets"] = part["pets"].fillna(0).astype("int64")
    return _dated(diff, part)


def _turns(diff: Diff, categories: Sequence[int]) -> pd.DataFrame:
    """Return one period's turnover for each of the categories."""
    moves = diff.moves_by_category
    chosen = {
        **{turn: moves["kind"] == kind for turn, kind in _TURNS.items() if kind},
        "sold": (moves["kind"] == "changed") & (moves["now"] == "sold"),
    }
    index = pd.Series(categories, dtype="int64")
    counted = {
        turn: index.map(moves[is_meant].groupby("category_id")["pets"].sum()).fillna(0)
        for turn, is_meant in chosen.items()
    }
    return _dated(diff, pd.DataFrame({"category_id": index, **counted}).astype("int64"))


def _dated(diff: Diff, part: pd.DataFrame) -> pd.DataFrame:
    part.insert(0, "since", pd.Timestamp(diff.since).as_unit("us"))
    part.insert(1, "until", pd.Timestamp(diff.until).as_unit("us"))
    return part.assign(count_is=EXACT if diff.is_exact else AT_LEAST)


def _no_rows(columns: dict[str, str]) -> pd.DataFrame:
    dtypes = {"since": "datetime64[us]", "until": "datetime64[us]", **columns, "count_is": "str"}
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in dtypes.items()})
