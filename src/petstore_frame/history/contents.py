"""What one look into a history's folder found, and which snapshot a question means.

In: a folder, then days. Out: snapshots, or the reason why there is none. A question looks once, so
that its answer describes one state of the folder.
"""

from __future__ import annotations

import shlex
import warnings
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from petstore_frame._internal.callers import callers_level
from petstore_frame.errors import HistoryError, HistoryWarning
from petstore_frame.history.days import Day, utc_day
from petstore_frame.history.snapshots import Snapshot, SnapshotProblem, scan_folder


@dataclass(frozen=True)
class Contents:
    """The snapshots of a folder as they were at one moment.

    Attributes:
        folder: Where they are.
        snapshots: Those that can be read, oldest first.
        problems: The paths that cannot be read or do not belong here.
    """

    folder: Path
    snapshots: list[Snapshot]
    problems: list[SnapshotProblem]

    @classmethod
    def of(cls, folder: Path) -> Contents:
        """Look into a folder, and warn of each day whose snapshot cannot be read."""
        snapshots, problems = scan_folder(folder)
        for problem in problems:
            if problem.date is not None:
                text = f"{problem}; that day is left out"
                warnings.warn(text, HistoryWarning, stacklevel=callers_level())
        return cls(folder, snapshots, problems)

    def between(self, since: Day | None = None, until: Day | None = None) -> list[Snapshot]:
        """Return the snapshots of these days, both included; None sets no bound.

        Raises:
            HistoryError: There is none.
        """
        low = None if since is None else utc_day(since)
        high = None if until is None else utc_day(until)
        found = [
            each
            for each in self.snapshots
            if (low is None or low <= each.date) and (high is None or each.date <= high)
        ]
        if not found:
            bounds = " ".join([f"from {low}"] * bool(low) + [f"to {high}"] * bool(high)) or "yet"
            raise HistoryError(f"no snapshot {bounds}; {self._what_is_there()}")
        return found

    def on(self, day: Day | None) -> Snapshot:
        """Return the snapshot of a day, or the last one for None.

        Raises:
            HistoryError: There is none.
        """
        if day is None:
            return self.between()[-1]
        wanted = utc_day(day)
        for each in self.snapshots:
            if each.date == wanted:
                return each
        raise HistoryError(f"no snapshot of {wanted}; {self._what_is_there()}")

    def on_or_before(self, day: Day) -> Snapshot:
        """Return the last snapshot of a day or an earlier one.

        Raises:
            HistoryError: There is none.
        """
        latest = utc_day(day)
        found = [each for each in self.snapshots if each.date <= latest]
        if not found:
            raise HistoryError(f"no snapshot on or before {latest}; {self._what_is_there()}")
        return found[-1]

    def before(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot before another one.

        Raises:
            HistoryError: There is none.
        """
        found = [each for each in self.snapshots if each.date < snapshot.date]
        if not found:
            raise HistoryError(
                f"nothing comes before {snapshot.date}: a diff needs two snapshots; "
                "add an inventory on another day"
            )
        return found[-1]

    def lost_days(self, first: date, last: date) -> set[date]:
        """Return the days, both bounds included, whose snapshot cannot be read."""
        lost = {problem.date for problem in self.problems if problem.date is not None}
        return {day for day in lost if first <= day <= last}

    def _what_is_there(self) -> str:
        held = self.snapshots
        if not held:
            state = "holds no snapshot" if self.folder.is_dir() else "does not exist"
            return (
                f"{str(self.folder)!r} {state}: keep one first with .add(inventory), "
                f"or petstore-frame snapshot --history {shlex.quote(str(self.folder))}"
            )
        return f"{self.folder} has {len(held)}, {held[0].date} to {held[-1].date}"
