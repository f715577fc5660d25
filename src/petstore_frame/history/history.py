"""A folder of dated snapshots, and the questions that it answers.

In: inventories, one a day. Out: what changed, how counts went, how pets moved. It knows no store:
whoever fetched an inventory adds it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import UTC, date, datetime
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.categories import Categories
from petstore_frame.errors import HistoryError, HistoryWarning
from petstore_frame.frame import PET_COLUMNS
from petstore_frame.history.changes import IdRange, diff_pets, trend_pets
from petstore_frame.history.diff import Diff
from petstore_frame.history.engines import check_engine, open_snapshots, start_session, to_pandas
from petstore_frame.history.flow import Flow
from petstore_frame.history.keeping import add_snapshot
from petstore_frame.history.snapshots import Problem, Snapshot, read_inventory, scan_folder
from petstore_frame.history.trend import fill_trend, trend_columns
from petstore_frame.inventory import Inventory
from petstore_frame.summary import Summary

if TYPE_CHECKING:
    import pandas as pd

Day = str | date
_ROWS_SHOWN = 10
_SNAPSHOT_COLUMNS = ("date", "rows", "verdict", "scope", "claim", "fetched_at", "base_url", "size")


class History:
    """Dated inventories of one store, kept as plain Parquet.

    The interface shows no events and no timestamps; the difference between two dated listings
    is all that can be known of what came, went and was sold. One snapshot is kept per UTC day:
    a later listing of the same day takes the place of an earlier one, unless it proves less.

    Args:
        folder: Where the snapshots are; made by the first ``add``.
        engine: What computes: ``duckdb`` (reads from disk what it needs, spills when short of
            memory), ``pandas``, ``polars``, ``dask`` or ``spark``. The answers are the same.
        session: A DuckDB connection (with its own memory limit, say) or a SparkSession to run
            on. None makes or finds one; Dask runs on the current client.

    Raises:
        ConfigurationError: The engine is none of the five.

    Example:
        >>> history = History("history")
        >>> len(history.snapshots())
        0

    Interface: Events (not shown); Resources (a Pet has no dates).
    """

    def __init__(
        self, folder: str | PathLike[str], *, engine: str = "duckdb", session: Any = None
    ) -> None:
        check_engine(engine)
        self.folder = Path(folder)
        self.engine = engine
        self._session = session

    def add(self, inventory: Inventory, *, replace: bool = False) -> Snapshot:
        """Keep an inventory under the UTC day on which it was fetched.

        The file appears whole or not at all. Adding the same inventory again changes nothing.

        Args:
            inventory: What was fetched.
            replace: Take the place of that day's snapshot even if this one is older or proves
                less.

        Raises:
            HistoryLockedError: Another writer is at work; nothing was changed.
            HistoryError: The day has a snapshot that is newer or proves more; the folder belongs
                to another store; the frame was changed since it was fetched; or an id repeats.
                Nothing was changed.
            MissingExtraError: pyarrow is not installed.
        """
        return add_snapshot(self.folder, inventory, replace=replace)

    def snapshots(self) -> pd.DataFrame:
        """List what is kept, oldest first.

        Returns:
            One row per snapshot: ``date``, ``rows`` (int64), ``verdict``, ``scope``, ``claim``
            (a sentence), ``fetched_at`` (UTC), ``base_url``, ``size`` (bytes, int64). Files that
            are damaged or not ours are in ``problems()``.
        """
        import pandas as pd

        listed = [
            (
                each.date, each.rows, str(each.completeness.verdict), each.completeness.scope,
                str(each.completeness), each.fetched_at, each.base_url, each.size,
            )
            for each in self._scan()
        ]  # fmt: skip
        table = pd.DataFrame(listed, columns=list(_SNAPSHOT_COLUMNS))
        return table.astype(
            {
                **dict.fromkeys(("verdict", "scope", "claim", "base_url"), "str"),
                **dict.fromkeys(("rows", "size"), "int64"),
                "date": "datetime64[us]",
                "fetched_at": "datetime64[us, UTC]",
            }
        )

    def problems(self) -> list[Problem]:
        """Name every path in the folder that cannot be read or is not ours, and why.

        Nothing is counted from such a file. A day lost by one also gives a HistoryWarning.
        """
        return scan_folder(self.folder)[1]

    def read(self, day: Day) -> Inventory:
        """Return the inventory kept under a day, with its claim.

        Args:
            day: A date, or text like ``2026-11-01``. An instant counts as its UTC day.

        Raises:
            HistoryError: No snapshot of that day can be read; names what is there.
        """
        return read_inventory(self._find(day))

    def at(self, day: Day) -> Inventory:
        """Return the last inventory kept on or before a day; its ``fetched_at`` says of when.

        Raises:
            HistoryError: The history begins later, or is empty.
        """
        return read_inventory(self._last_until(_day(day)))

    def open(self, day: Day | None = None, columns: Sequence[str] = PET_COLUMNS) -> Any:
        """Open one snapshot, or all, as a frame of the engine, lazy where the engine is.

        Args:
            day: A date; None opens all snapshots.
            columns: Columns of the pets' table; ``date`` is added as the last one.

        Raises:
            HistoryError: There is no such snapshot.
        """
        chosen = self._some() if day is None else [self._find(day)]
        return self._open(chosen, tuple(columns), start_session(self.engine, self._session))

    def summarize(self, day: Day | None = None, *, categories: Categories = None) -> Summary:
        """Count one snapshot by category and status on the engine, with its claim.

        Args:
            day: A date; None takes the last snapshot.
            categories: Labels by category id, as for ``petstore_frame.summarize``.

        Raises:
            HistoryError: There is no such snapshot.
        """
        chosen = self._some()[-1] if day is None else self._find(day)
        session = start_session(self.engine, self._session)
        rows = self._open([chosen], ("category_id", "status"), session)
        return Summary.of(rows, chosen.completeness, categories)

    def diff(self, old: Day | None = None, new: Day | None = None) -> Diff:
        """Compare two snapshots.

        Args:
            old: The earlier day; None takes the snapshot before ``new``.
            new: The later day; None takes the last snapshot.

        Returns:
            A Diff: counts in its repr, one row per pet in ``.frame``. A pet is called ``gone``
            only where the later snapshot holds every pet that it covers, else ``not seen``; and
            ``new`` only where the earlier one does, else ``first seen``.

        Raises:
            HistoryError: A snapshot is not there, or the days are not in this order.
        """
        later = self._some()[-1] if new is None else self._find(new)
        earlier = self._before(later) if old is None else self._find(old)
        if earlier.date >= later.date:
            raise HistoryError(f"old comes before new; got {earlier.date} and {later.date}")
        return self._compare(earlier, later)

    def trend(
        self,
        by: str | Sequence[str] = "status",
        *,
        since: Day | None = None,
        until: Day | None = None,
        every_days: int | None = 1,
    ) -> pd.DataFrame:
        """Count pets by day.

        Args:
            by: ``"status"``, ``"category_id"``, or both as a list.
            since: First day; None starts at the first snapshot.
            until: Last day; None ends at the last snapshot.
            every_days: In how many days a snapshot is due; a day on which one was due and is not
                there gets rows whose ``pets`` is missing. None marks no gaps.

        Returns:
            One row per day and group, by day: ``date``, the columns of ``by``, ``pets`` (Int64;
            0 where the snapshot has none, missing where there is no snapshot), ``claim``
            (``exact``, ``at least``, ``no snapshot``, ``unreadable``). Ready to plot:
            ``trend.pivot(index="date", columns="status", values="pets")``.

        Raises:
            HistoryError: No snapshot lies between the days.
            ConfigurationError: ``by`` names another column.
        """
        import pandas as pd

        columns = trend_columns(by)
        chosen = self._some(since, until)
        session = start_session(self.engine, self._session)
        # pandas holds all that it opens, so it gets one day at a time; the others plan for all.
        steps = [[each] for each in chosen] if self.engine == "pandas" else [chosen]
        counted = pd.concat(
            [to_pandas(trend_pets(self._open(step, columns, session), columns)) for step in steps],
            ignore_index=True,
        )
        lost = self._lost_days(chosen[0].date, chosen[-1].date)
        return fill_trend(counted, chosen, columns, lost=lost, every_days=every_days)

    def flow(
        self,
        *,
        period: str = "snapshot",
        stale_days: int = 30,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Flow:
        """Follow pets through the snapshots: moves, sell-through, ageing, stale listings.

        Args:
            period: What ``moves`` compares: each ``snapshot`` with the next, or the last ones of
                each ``week`` or ``month``.
            stale_days: From how many days on an available pet is stale.
            since: First day; None starts at the first snapshot.
            until: Last day; None ends at the last snapshot.

        Raises:
            HistoryError: No snapshot lies between the days.
            ConfigurationError: The period is none of the three.
        """
        chosen = self._some(since, until)
        return Flow(
            chosen,
            open_pets=lambda columns: self._open(
                chosen, columns, start_session(self.engine, self._session)
            ),
            compare=self._compare,
            period=period,
            stale_days=stale_days,
        )

    def __len__(self) -> int:
        return len(self._scan())

    def __repr__(self) -> str:
        snapshots, problems = scan_folder(self.folder)
        span = f" from {snapshots[0].date} to {snapshots[-1].date}" if snapshots else ""
        named = "".join(f"\n  {problem}" for problem in problems)
        return f"<History {str(self.folder)!r}: {len(snapshots)} snapshots{span}>{named}"

    def _repr_html_(self) -> str:
        first, *rest = repr(self).splitlines()
        named = "".join(f"<li>{escape(line.strip())}</li>" for line in rest)
        table = self.snapshots()[["date", "rows", "claim"]]
        html = table.tail(_ROWS_SHOWN).to_html(index=False, escape=True, border=0)
        more = max(0, len(table) - _ROWS_SHOWN)
        note = f"<p>{more} earlier: <code>.snapshots()</code> has all</p>" if more else ""
        return f"<p><b>{escape(first.strip('<>'))}</b></p><ul>{named}</ul>{html}{note}"

    def _scan(self) -> list[Snapshot]:
        snapshots, problems = scan_folder(self.folder)
        for problem in problems:
            if problem.date is not None:
                text = f"{problem}; that day is left out"
                warnings.warn(text, HistoryWarning, stacklevel=3)
        return snapshots

    def _lost_days(self, first: date, last: date) -> set[date]:
        lost = {problem.date for problem in self.problems() if problem.date is not None}
        return {day for day in lost if first <= day <= last}

    def _open(self, snapshots: Sequence[Snapshot], columns: tuple[str, ...], session: Any) -> Any:
        return open_snapshots(snapshots, columns, engine=self.engine, session=session)

    def _compare(self, old: Snapshot, new: Snapshot) -> Diff:
        session = start_session(self.engine, self._session)
        rows = diff_pets(
            self._open([old], PET_COLUMNS, session),
            self._open([new], PET_COLUMNS, session),
            old_covers=IdRange.of(old.completeness),
            new_covers=IdRange.of(new.completeness),
        )
        return Diff(old, new, rows)

    def _some(self, since: Day | None = None, until: Day | None = None) -> list[Snapshot]:
        low = date.min if since is None else _day(since)
        high = date.max if until is None else _day(until)
        found = [each for each in self._scan() if low <= each.date <= high]
        if not found:
            raise HistoryError(f"no snapshot {_between(since, until)}; {self._what_is_there()}")
        return found

    def _find(self, day: Day) -> Snapshot:
        wanted = _day(day)
        found = next((each for each in self._scan() if each.date == wanted), None)
        if found is None:
            raise HistoryError(f"no snapshot of {wanted}; {self._what_is_there()}")
        return found

    def _last_until(self, day: date) -> Snapshot:
        earlier = [each for each in self._scan() if each.date <= day]
        if not earlier:
            raise HistoryError(f"no snapshot on or before {day}; {self._what_is_there()}")
        return earlier[-1]

    def _before(self, snapshot: Snapshot) -> Snapshot:
        earlier = [each for each in self._scan() if each.date < snapshot.date]
        if not earlier:
            raise HistoryError(
                f"nothing comes before {snapshot.date}: a diff needs two snapshots; "
                "add an inventory on another day"
            )
        return earlier[-1]

    def _what_is_there(self) -> str:
        snapshots = self._scan()
        if not snapshots:
            return f"{str(self.folder)!r} holds none: add an inventory first"
        return f"{self.folder} has {len(snapshots)}, {snapshots[0].date} to {snapshots[-1].date}"


def _between(since: Day | None, until: Day | None) -> str:
    bounds = [f"from {_day(since)}" if since else "", f"to {_day(until)}" if until else ""]
    return " ".join(bound for bound in bounds if bound) or "yet"


def _day(value: Day) -> date:
    """Return the UTC day of a date, an instant or a text.

    Raises:
        HistoryError: The text is no date.
    """
    if isinstance(value, datetime):
        return value.astimezone(UTC).date() if value.tzinfo else value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise HistoryError(f"{value!r} is no date; write it like 2026-11-01") from None
