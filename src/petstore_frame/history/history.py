"""A folder of dated snapshots, and the questions that it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, tzinfo
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, Union

import pandas as pd

from petstore_frame.errors import ArgumentError, HistoryError
from petstore_frame.history.changes import Diff, diff_snapshots
from petstore_frame.history.engines import ENGINES, open_snapshots
from petstore_frame.history.folder import Contents, Day, add_snapshot, day_of
from petstore_frame.history.over_time import Flow, count_trend
from petstore_frame.history.snapshot import Snapshot, SnapshotProblem
from petstore_frame.inventory import Inventory
from petstore_frame.rendering import PAGE, in_notebook
from petstore_frame.schema import FIELDS, Categories, Labels, as_type
from petstore_frame.validation import one_of, time_zone

HistoryOption: TypeAlias = Union["History", str, "PathLike[str]", None]
_ROWS_SHOWN = 10
_LISTED = {
    "date": "datetime64[us]",
    "rows": "int64",
    "verdict": "str",
    "status": "str",
    "completeness": "str",
    "fetched_at": "datetime64[us, UTC]",
    "base_url": "str",
    "size": "int64",
}


class History:
    """Dated inventories of one store, kept as plain Parquet.

    One snapshot is kept per day: a later listing replaces an earlier one unless it proves less. A
    folder keeps one store: its address (on this machine, with any port), and its id if it has one.

    Args:
        folder: Where the snapshots are; made by the first ``add``.
        engine: What computes: ``duckdb``, ``pandas``, ``polars``, ``dask`` (on the current client)
            or ``spark`` (on the current session). The answers are the same.
        timezone: The time zone of the days, such as ``Europe/Zurich``; None is the machine's. A
            snapshot that is there keeps its day.

    Example:
        >>> history = History("history")
        >>> len(history.snapshots())
        0

    Interface: Events (not shown); Resources (a Pet has no dates).
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        engine: str = "duckdb",
        timezone: str | tzinfo | None = None,
    ) -> None:
        if not isinstance(folder, (str, PathLike)):
            raise ArgumentError(f"folder is a path, got {folder!r}")
        self.folder = Path(folder)
        self.engine = one_of("engine", engine, ENGINES)
        self.timezone = time_zone(timezone)

    def add(self, inventory: Inventory, *, replace: bool = False) -> Snapshot:
        """Keep an inventory under the day on which it was fetched, whole or not at all.

        Args:
            inventory: What was fetched; adding it again changes nothing.
            replace: Replace that day's snapshot even if this one is older or proves less.

        Raises:
            HistoryLockedError: Another writer is at work.
            HistoryError: The day has a snapshot that is newer or proves more; the folder is of
                another store; the frame was changed since it was fetched; or an id repeats.
        """
        return add_snapshot(self.folder, inventory, self.timezone, replace_it=replace)

    def snapshots(self) -> pd.DataFrame:
        """List what is kept, oldest first.

        Returns:
            One row per snapshot: ``date``, ``rows`` (int64), ``verdict``, ``status`` (the one
            asked for), ``completeness`` (a sentence), ``fetched_at`` (UTC), ``base_url``, ``size``
            (bytes, int64). Files that are damaged or not ours are in ``problems()``.
        """
        rows = [
            (
                each.date, each.rows, str(each.completeness.verdict), each.completeness.status,
                str(each.completeness), each.fetched_at, each.base_url, each.size,
            )
            for each in self._contents().snapshots
        ]  # fmt: skip
        return as_type(pd.DataFrame(rows, columns=list(_LISTED)), _LISTED)

    def problems(self) -> list[SnapshotProblem]:
        """Name every path in the folder that cannot be read or is not ours, and why."""
        return self._contents(warn=False).problems

    def read(self, day: Day | None = None) -> Inventory:
        """Return the inventory kept under a day, with what it covers.

        Args:
            day: A date, or text like ``2026-11-01``; None takes the last snapshot, here and in
                each question. An instant counts as its day in the history's time zone.
        """
        return self._contents().on(day).read()

    def last_complete(self, before: Day | None = None) -> Snapshot | None:
        """Return the last snapshot, before that day, that holds every pet of the store, or None."""
        end = date.max if before is None else day_of(before, self.timezone)
        earlier = [each for each in self._contents().snapshots if each.date < end]
        return next((each for each in reversed(earlier) if each.completeness.covers_all), None)

    def open(self, day: Day | None = None) -> Any:
        """Open one snapshot as a frame of the engine, lazy where the engine is.

        Args:
            day: As of ``read``. It is added as the last column, ``date``.
        """
        snapshot = self._contents().on(day)
        held = tuple(name for name in FIELDS.names if name in snapshot.columns)
        return open_snapshots(self.engine, [snapshot], columns=held)[0]

    def diff(self, old: Day | None = None, new: Day | None = None) -> Diff:
        """Compare two snapshots, the last with the one before it where no day is given.

        A pet is called ``gone`` only where the later snapshot holds every pet that it covers, else
        ``not seen``; and ``new`` only where the earlier one does, else ``first seen``.
        """
        held = self._contents()
        later = held.on(new)
        before = [each for each in held.snapshots if each.date < later.date]
        if old is None and not before:
            raise HistoryError(
                f"nothing comes before {later.date}: a diff needs two snapshots; "
                "add an inventory on another day"
            )
        earlier = before[-1] if old is None else held.on(old)
        if earlier.date >= later.date:
            raise ArgumentError(f"old comes before new; got {earlier.date} and {later.date}")
        changes = diff_snapshots(earlier, later, self.engine, self.timezone)
        lost = [problem for day, problem in held.lost.items() if day > earlier.date]
        return replace(changes, left_out=tuple(lost))

    def trend(
        self,
        by: str | Sequence[str] = "status",
        *,
        since: Day | None = None,
        until: Day | None = None,
        every_days: int | None = 1,
        categories: Categories = None,
    ) -> pd.DataFrame:
        """Count pets by day.

        Args:
            by: ``"status"``, ``"category_id"``, or both as a list.
            since, until: The first and the last day.
            every_days: In how many days a snapshot is due; a day on which one was due and is not
                there gets rows whose ``pets`` is missing. None marks no gaps.
            categories: Labels by category id, for a column ``category``.

        Returns:
            One row per day and group, by day: ``date``, the columns of ``by``, ``pets`` (Int64;
            0 where the snapshot has none, missing where there is no snapshot), ``count_is``
            (``exact``, ``at least``, ``no snapshot``, ``unreadable``).

        Example:
            >>> from petstore_frame import sample_data
            >>> history = sample_data.write_sample_history("history", days=3, pets=40)
            >>> trend = history.trend().pivot(index="date", columns="status", values="pets")
            >>> trend["available"].tolist()
            [38, 37, 31]
        """
        held = self._contents().between(since, until)
        table = count_trend(held, self.engine, by, every_days)
        labels = Labels(categories)
        if labels and "category_id" in table:
            names = [labels[one] for one in table["category_id"]]
            table.insert(2, "category", pd.Series(names, dtype="str"))
        return table

    def flow(self, *, since: Day | None = None, until: Day | None = None) -> Flow:
        """Follow pets through the snapshots of these days: who moved, and how long they wait."""
        return Flow(self._contents().between(since, until).snapshots, self.engine)

    def __len__(self) -> int:
        return len(self._contents().snapshots)

    def __repr__(self) -> str:
        kept = self._contents(warn=False)
        return "\n  ".join([f"<{kept}>", *map(str, kept.problems)])

    def _repr_html_(self) -> str:
        kept = self._contents(warn=False)
        last = kept.snapshots[-_ROWS_SHOWN:]
        rows = [(each.date, f"{each.rows:,}", str(each.completeness)) for each in last]
        more = len(kept.snapshots) - len(rows)
        return in_notebook(
            PAGE.section(str(kept))
            + PAGE.items(map(str, kept.problems))
            + PAGE.table(rows, ("date", "pets", "completeness"), numbers={1})
            + PAGE.quiet([f"{more} earlier: .snapshots() has all" if more else ""])
        )

    def _contents(self, *, warn: bool = True) -> Contents:
        return Contents.of(self.folder, self.timezone, warn=warn)


def open_history(history: HistoryOption) -> History | None:
    """Return the History that an option ``history=`` means, None for None."""
    return history if history is None or isinstance(history, History) else History(history)
