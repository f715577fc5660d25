"""Stores dated snapshots of a store in a folder, and reports what changed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, tzinfo
from os import PathLike
from typing import Any, TypeAlias, Union

import pandas as pd

from petstore_frame.errors import ArgumentError, keeping
from petstore_frame.history.changes import Diff, compare_listings
from petstore_frame.history.coverage import coverage_tables
from petstore_frame.history.flow import Flow
from petstore_frame.history.folder import Contents, Day, add_snapshot, day_of
from petstore_frame.history.snapshot import Snapshot, SnapshotProblem
from petstore_frame.history.trend import checked_columns, count_by_day
from petstore_frame.inventory import Inventory
from petstore_frame.rendering import PAGE, in_notebook
from petstore_frame.schema import as_type
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import checked_folder, checked_integer, time_zone

HistoryOption: TypeAlias = Union["History", str, "PathLike[str]", None]
_MAX_ROWS = 10
_SNAPSHOT_DTYPES = {
    "date": "datetime64[us]",
    "rows": "int64",
    "verdict": "str",
    "status": "str",
    "completeness": "str",
    "fetched_at": "datetime64[us, UTC]",
    "base_url": "str",
    "path": "str",
    "size": "int64",
}


class History:
    """Snapshots of one store in a folder, as one Parquet file per day.

    If you add two inventories on one day, the later one replaces the earlier one, unless it is less
    complete. A folder is for one store, which is identified by its address (with any port on this
    machine) and, if the store has one, its id.

    ``trend``, ``flow`` and ``diff`` each run one SQL statement over all days with DuckDB. Only the
    columns that the statement needs are in memory. ``petstore_frame.history.statement`` returns the
    statements, which Spark runs unchanged.

    Args:
        folder: Folder for the snapshots; the first ``add`` creates it.
        timezone: Time zone that decides the day of a snapshot, such as ``Europe/Zurich``; None is
            the machine's. Existing snapshots keep their day.

    Example:
        >>> history = History("history")
        >>> len(history.snapshots())
        0

    Interface: Events (not shown); Resources (a Pet has no dates).
    """

    def __init__(
        self, folder: str | PathLike[str], *, timezone: str | tzinfo | None = None
    ) -> None:
        self.folder = checked_folder("folder", folder)
        self.timezone = time_zone(timezone)

    def add(self, inventory: Inventory, *, replace: bool = False) -> Snapshot:
        """Save an inventory as the snapshot of the day on which it was fetched.

        The file is written completely or not at all.

        Args:
            inventory: Inventory to save; adding the same one again changes nothing.
            replace: Replace the snapshot of that day even if this one is older or less complete.

        Raises:
            HistoryLockedError: Another process is writing to the folder.
            HistoryError: The snapshot of the day is newer or more complete, the folder is for
                another store, the frame was changed after it was fetched, or an id appears twice.
        """
        with keeping(inventory):
            return add_snapshot(self.folder, inventory, self.timezone, overwrite=replace)

    def snapshots(self) -> pd.DataFrame:
        """List the snapshots, oldest first.

        Returns:
            One row per snapshot: ``date``, ``rows`` (int64), ``verdict``, ``status`` (the only one
            that was fetched, if any), ``completeness`` (a sentence), ``fetched_at`` (UTC),
            ``base_url``, ``path``, ``size`` (bytes, int64). Files that are damaged or that
            no History wrote are in ``problems()``.
        """
        rows = [
            (
                entry.date,
                entry.rows,
                str(entry.completeness.verdict),
                entry.completeness.status,
                str(entry.completeness),
                entry.fetched_at,
                entry.base_url,
                str(entry.path),
                entry.size,
            )
            for entry in self._contents().snapshots
        ]
        return as_type(pd.DataFrame(rows, columns=list(_SNAPSHOT_DTYPES)), _SNAPSHOT_DTYPES)

    def problems(self) -> list[SnapshotProblem]:
        """List every path in the folder that is not a readable snapshot, with the reason."""
        return self._contents(warn=False).problems

    def read(self, day: Day | None = None) -> Inventory:
        """Return the inventory of a day, with what it covers.

        Args:
            day: A date, or text like ``2026-11-01``; None is the last snapshot. An instant counts
                as its day in the history's time zone.
        """
        return self._contents().on(day).read()

    def last_complete(self, before: Day | None = None) -> Snapshot | None:
        """Return the last snapshot before a day that has every pet of the store, or None."""
        end = date.max if before is None else day_of(before, self.timezone)
        for entry in reversed(self._contents().snapshots):
            if entry.date < end and entry.completeness.covers_all:
                return entry
        return None

    def diff(self, old: Day | None = None, new: Day | None = None) -> Diff:
        """Compare two snapshots; by default the last one with the one before it.

        A pet is ``gone`` only if the later snapshot has every pet of the store, otherwise
        ``not seen``. A pet is ``new`` only if the earlier snapshot has every pet, otherwise
        ``first seen``.
        """
        contents = self._contents()
        later = contents.on(new)
        earlier = contents.before(later) if old is None else contents.on(old)
        if earlier.date >= later.date:
            raise ArgumentError(f"old must be before new, got {earlier.date} and {later.date}")
        changes = compare_listings(earlier, later, self.timezone)
        left_out = [problem for day, problem in contents.lost.items() if day > earlier.date]
        return replace(changes, left_out=tuple(left_out))

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
            since, until: The first and the last day; None is the first and the last snapshot.
            every_days: Days between snapshots. A day without an expected snapshot gets rows without
                a number. None marks no missing days.
            categories: Labels by category id, for a column ``category``.

        Returns:
            One row per day and group, by day: ``date``, the columns of ``by``, ``pets`` (Int64;
            0 if the snapshot has none, missing if there is no snapshot), and ``bound``, which says
            what the number is (``exact``, ``at_least``, ``about``) or why there is none
            (``no_snapshot``, ``unreadable``).

        Example:
            >>> from petstore_frame import sample_data
            >>> history = sample_data.write_sample_history("history", days=3, pets=40)
            >>> trend = history.trend().pivot(index="date", columns="status", values="pets")
            >>> trend["available"].tolist()
            [38, 37, 31]
        """
        columns = checked_columns(by)
        if every_days is not None:
            every_days = checked_integer("every_days", every_days, 1)
        table = count_by_day(self._contents().between(since, until), columns, every_days)
        labels = Labels(categories)
        if labels and "category_id" in table:
            names = [labels[category_id] for category_id in table["category_id"]]
            table.insert(2, "category", pd.Series(names, dtype="str"))
        return table

    def flow(self, *, since: Day | None = None, until: Day | None = None) -> Flow:
        """Follow pets through the snapshots of these days: which moved, and how long they wait."""
        return Flow(self._contents().between(since, until))

    def coverage(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        every_days: int | None = 1,
    ) -> dict[str, Any]:
        """Return what the snapshots of these days cover, for another SQL engine.

        The statements of ``petstore_frame.history.statement`` read these two tables next to the
        pets themselves.

        Args:
            since, until, every_days: As for ``trend``.

        Returns:
            Two pyarrow Tables by name. ``days`` has a row per day: ``date`` (date32),
            ``day_number`` (int32), ``problem`` (``no_snapshot`` or ``unreadable``, missing for a
            readable snapshot), ``covers_all`` (bool), ``bound`` (of all its pets). ``bounds`` has
            a row per snapshot and status: ``date``, ``status``, ``bound``.

        Example:
            >>> from petstore_frame import sample_data
            >>> history = sample_data.write_sample_history("history", days=3, pets=40)
            >>> history.coverage()["days"].column("bound").to_pylist()
            ['exact', 'exact', 'exact']
        """
        return coverage_tables(self._contents().between(since, until), every_days)

    def __len__(self) -> int:
        return len(self._contents().snapshots)

    def __repr__(self) -> str:
        contents = self._contents(warn=False)
        return "\n  ".join([f"<{contents}>", *map(str, contents.problems)])

    def _repr_html_(self) -> str:
        contents = self._contents(warn=False)
        latest = contents.snapshots[-_MAX_ROWS:]
        rows = [(entry.date, f"{entry.rows:,}", str(entry.completeness)) for entry in latest]
        hidden = len(contents.snapshots) - len(latest)
        note = f"{hidden} earlier: .snapshots() has all" if hidden > 0 else ""
        return in_notebook(
            PAGE.section(str(contents))
            + PAGE.items(map(str, contents.problems))
            + PAGE.table(rows, ("date", "pets", "completeness"), numbers={1})
            + PAGE.quiet([note])
        )

    def _contents(self, *, warn: bool = True) -> Contents:
        return Contents.of(self.folder, self.timezone, warn=warn)


def open_history(history: HistoryOption) -> History | None:
    """Return the History of an option ``history=``, None for None."""
    return history if history is None or isinstance(history, History) else History(history)
