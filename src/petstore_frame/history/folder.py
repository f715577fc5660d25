"""What is in a history's folder, and which snapshots a question is about.

The layout is ``date=2026-11-01/pets.parquet``: plain hive-partitioned Parquet, which pandas,
polars, DuckDB and Spark read without us. Each question reads the folder once, so its answer is
about one state of it.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TypeAlias, Union

import numpy as np
import pandas as pd

from petstore_frame.errors import ArgumentError, HistoryError, HistoryWarning
from petstore_frame.errors.frames import callers_level
from petstore_frame.history.snapshot_file import (
    NEXT_STEP,
    UnreadableError,
    read_footer,
    read_inventory,
)
from petstore_frame.inventory import Completeness, Inventory, Origin
from petstore_frame.inventory.origin import HasOrigin, ListingRecord
from petstore_frame.schema.frame import as_dtypes

FILE_NAME = "pets.parquet"
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
Day: TypeAlias = Union[str, date, "np.datetime64"]


@dataclass(frozen=True, repr=False)
class Snapshot(HasOrigin):
    """One dated inventory on disk.

    Attributes:
        date: The day of ``fetched_at`` in the time zone of the History that kept it.
        path: The Parquet file, of ``size`` bytes, with ``rows`` pets in ``columns``.
        completeness: What the listing covers.
        origin: The store's address, when it was read, and what it calls itself; ``.base_url``,
            ``.fetched_at`` and ``.store_id`` of a snapshot are those of its origin.

    Example:
        >>> from datetime import UTC, datetime
        >>> from petstore_frame import History, Inventory
        >>> from petstore_frame.schema.frame import to_frame
        >>> from petstore_frame.schema.frame import PetColumns
        >>> pets = to_frame(PetColumns([1], ["Luna"], [3], ["sold"]))
        >>> read_at = datetime(2026, 11, 1, 9, tzinfo=UTC)
        >>> History("history").add(Inventory.made_up(pets, fetched_at=read_at))
        <Snapshot of 2026-11-01: complete: 1 pet>
    """

    date: date
    path: Path
    rows: int
    size: int
    completeness: Completeness
    origin: Origin
    columns: tuple[str, ...]

    def read(self) -> Inventory:
        """Load it into memory, with what it covers; a HistoryError names a damaged file."""
        return read_inventory(
            self.path, ListingRecord(self.completeness, self.origin), self.columns
        )

    def __repr__(self) -> str:
        return f"<Snapshot of {self.date}: {self.completeness}>"


@dataclass(frozen=True)
class SnapshotProblem:
    """A path that is not a readable snapshot, and why.

    ``date`` is the day whose snapshot is lost; None for a path that does not belong here.
    """

    path: Path
    reason: str
    date: date | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class Contents:
    """The snapshots of a folder as they were at one moment, oldest first, and all else in it.

    If it cannot answer a question, the HistoryError names what is there.
    """

    folder: Path
    zone: tzinfo | None
    snapshots: list[Snapshot]
    problems: list[SnapshotProblem]

    @classmethod
    def of(cls, folder: Path, zone: tzinfo | None = None, *, warn: bool = True) -> Contents:
        """Read the footers of all files in a folder, and name all that is no snapshot.

        ``warn`` warns of each day whose snapshot cannot be read.
        """
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
        # The lock, and files that are half written, begin with a dot.
        shown = (entry for entry in entries if not entry.name.startswith("."))
        found = [each for entry in shown for each in _look_into(entry)]
        snapshots = [each for each in found if isinstance(each, Snapshot)]
        problems = [each for each in found if isinstance(each, SnapshotProblem)]
        for problem in problems:
            if warn and problem.date is not None:
                text = f"{problem}; that day is left out"
                warnings.warn(text, HistoryWarning, stacklevel=callers_level())
        return cls(folder, zone, snapshots, problems)

    def between(self, since: Day | None = None, until: Day | None = None) -> list[Snapshot]:
        """Return the snapshots of these days, both included, at least one."""
        low = date.min if since is None else day_of(since, self.zone)
        high = date.max if until is None else day_of(until, self.zone)
        found = [each for each in self.snapshots if low <= each.date <= high]
        if not found:
            when = "" if since is None else f" from {low}"
            when += "" if until is None else f" to {high}"
            raise HistoryError(f"no snapshot{when or ' yet'}; {self._what_is_there()}")
        return found

    def on(self, day: Day | None) -> Snapshot:
        """Return the snapshot of a day, or the last one for None."""
        if day is None:
            return self.between()[-1]
        wanted = day_of(day, self.zone)
        for each in self.snapshots:
            if each.date == wanted:
                return each
        for problem in self.problems:
            if problem.date == wanted:
                raise HistoryError(f"{problem}; {NEXT_STEP}")
        raise HistoryError(f"no snapshot of {wanted}; {self._what_is_there()}")

    def before(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot before another one."""
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
        kept, lost = self.snapshots, [each for each in self.problems if each.date is not None]
        if lost and not kept:
            return f"{lost[0]}; {NEXT_STEP}"
        if not kept:
            state = "holds no snapshot" if self.folder.is_dir() else "does not exist"
            return (
                f"{str(self.folder)!r} {state}: keep one first with .add(inventory), "
                f"or petstore-frame snapshot --history {shlex.quote(str(self.folder))}"
            )
        return f"{self.folder} has {len(kept)}, {kept[0].date} to {kept[-1].date}"


def list_snapshots(snapshots: Sequence[Snapshot]) -> pd.DataFrame:
    """Return a row for each snapshot, as ``History.snapshots`` describes it."""
    rows = [
        (
            each.date, each.rows, str(each.completeness.verdict), each.completeness.status,
            str(each.completeness), each.fetched_at, each.base_url, each.size,
        )
        for each in snapshots
    ]  # fmt: skip
    return as_dtypes(pd.DataFrame(rows, columns=list(_LISTED)), _LISTED)


def open_snapshot(path: Path, day: date) -> Snapshot | SnapshotProblem:
    """Read the end of one file, which must be the snapshot of this day."""
    if path.name != FILE_NAME:
        return SnapshotProblem(path, f"not a file of this history, which writes {FILE_NAME} only")
    try:
        record, rows, columns = read_footer(path)
        size = path.stat().st_size
    except (UnreadableError, OSError) as problem:
        return SnapshotProblem(path, str(problem), day)
    read_on = record.origin.fetched_at.astimezone(UTC).date()
    # Anywhere on earth the day is that of UTC, the one before or the one after.
    if abs(read_on - day) > timedelta(days=1):
        return SnapshotProblem(path, f"fetched on {read_on}, but kept under another date")
    return Snapshot(day, path, rows, size, *record, columns)


def day_of(day: Day, zone: tzinfo | None = None) -> date:
    """Return the day of a date, an instant (also one of pandas or numpy), or a text.

    An instant with a time zone counts as its day in ``zone``; None is the machine's.
    """
    try:
        if isinstance(day, str):
            return date.fromisoformat(day)
        if isinstance(day, (date, np.datetime64)) and not pd.isna(day):
            moment: datetime = pd.Timestamp(day).to_pydatetime(warn=False)
            return (moment.astimezone(zone) if moment.tzinfo else moment).date()
    except ValueError:
        pass
    raise ArgumentError(f"expected a day, got {day!r}; pass a date, or text like 2026-11-01")


def _look_into(entry: Path) -> list[Snapshot | SnapshotProblem]:
    """Return what one entry of the folder is: the files of a day, or nothing of ours."""
    try:
        day = date.fromisoformat(entry.name.removeprefix("date="))
    except ValueError:
        day = None
    if day is None or entry.name != f"date={day}" or not entry.is_dir():
        return [SnapshotProblem(entry, "not part of this history; it is left alone")]
    return [open_snapshot(path, day) for path in sorted(entry.iterdir())]
