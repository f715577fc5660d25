"""Finds the snapshots of a history in its folder, and adds new ones.

The layout is ``date=2026-11-01/pets.parquet``: plain hive-partitioned Parquet, which pandas,
polars, DuckDB and Spark read without this package. Each query reads the folder once, so its
result describes one state of the folder.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TypeAlias, Union

import numpy as np
import pandas as pd

from petstore_frame.errors import ArgumentError, HistoryError, HistoryLockedError, HistoryWarning
from petstore_frame.history.snapshot import (
    FILE_NAME,
    NEXT_STEP,
    Snapshot,
    SnapshotProblem,
    open_snapshot,
    write_file,
)
from petstore_frame.inventory import Inventory
from petstore_frame.questions import command_line
from petstore_frame.schema import minute_text
from petstore_frame.storage import LockedError, locked, replacing, sync
from petstore_frame.validation import shown

_MOST_AHEAD = timedelta(days=366)  # a clock that is further ahead is wrong
LOCK_NAME, _WRITING = ".lock", ".writing-"
Day: TypeAlias = Union[str, date, "np.datetime64"]


@dataclass(frozen=True)
class Contents:
    """The snapshots and problem files of a folder at one moment, oldest first.

    If a query has no result, the HistoryError says which snapshots exist.
    """

    folder: Path
    zone: tzinfo | None
    snapshots: list[Snapshot]
    problems: list[SnapshotProblem]

    @classmethod
    def of(cls, folder: Path, zone: tzinfo | None = None, *, warn: bool = True) -> Contents:
        """Read the footers of all files in a folder; warn of each day that cannot be read."""
        snapshots: list[Snapshot] = []
        problems: list[SnapshotProblem] = []
        for entry in _entries(folder):
            if isinstance(entry, SnapshotProblem):
                problems.append(entry)
            elif snapshots and snapshots[0].provenance.is_other_store(entry.provenance):
                reason = f"of another store, {entry.store_name}"
                problems.append(SnapshotProblem(entry.path, reason, entry.date))
            else:
                snapshots.append(entry)
        contents = cls(folder, zone, snapshots, problems)
        if warn:
            for problem in contents.lost.values():
                text = f"{problem}; that day is left out"
                warnings.warn(text, HistoryWarning, stacklevel=4)
        return contents

    @property
    def lost(self) -> dict[date, SnapshotProblem]:
        """The days whose snapshot cannot be read, or is of another store."""
        return {problem.date: problem for problem in self.problems if problem.date is not None}

    def between(self, since: Day | None = None, until: Day | None = None) -> Contents:
        """Return the contents of these days, both included; without a snapshot, raise an error."""
        first = date.min if since is None else day_of(since, self.zone, "since")
        last = date.max if until is None else day_of(until, self.zone, "until")
        if first > last:
            raise ArgumentError(f"since must not be after until, got {first} and {last}")
        snapshots = [entry for entry in self.snapshots if first <= entry.date <= last]
        if not snapshots:
            if not self.snapshots:
                raise HistoryError(self._describe_contents())
            start = "" if since is None else f" from {first}"
            end = "" if until is None else f" to {last}"
            raise HistoryError(f"no snapshot{start}{end}; {self._describe_contents()}")
        problems = [problem for day, problem in self.lost.items() if first <= day <= last]
        return replace(self, snapshots=snapshots, problems=problems)

    def on(self, day: Day | None) -> Snapshot:
        """Return the snapshot of a day; None is the last snapshot."""
        if day is None:
            return self.between().snapshots[-1]
        wanted = day_of(day, self.zone)
        for entry in self.snapshots:
            if entry.date == wanted:
                return entry
        if wanted in self.lost:
            raise HistoryError(f"{self.lost[wanted]}; {NEXT_STEP}")
        raise HistoryError(f"no snapshot of {wanted}; {self._describe_contents()}")

    def before(self, later: Snapshot) -> Snapshot:
        """Return the last snapshot before a later one."""
        earlier = [entry for entry in self.snapshots if entry.date < later.date]
        if not earlier:
            raise HistoryError(
                f"no snapshot before {later.date}: a diff needs two snapshots; "
                "add an inventory on another day"
            )
        return earlier[-1]

    def __str__(self) -> str:
        name = f"History {str(self.folder)!r}"
        if not self.snapshots:
            return f"{name}: no snapshots"
        first, last = self.snapshots[0].date, self.snapshots[-1].date
        if len(self.snapshots) == 1:
            return f"{name}: 1 snapshot of {first}"
        return f"{name}: {len(self.snapshots)} snapshots from {first} to {last}"

    def _describe_contents(self) -> str:
        if self.snapshots:
            first, last = self.snapshots[0].date, self.snapshots[-1].date
            return f"{self.folder} has {len(self.snapshots)}, {first} to {last}"
        if self.lost:
            return f"{next(iter(self.lost.values()))}; {NEXT_STEP}"
        command = command_line(["petstore-frame", "snapshot", "--history", str(self.folder)])
        return f"no snapshots in {str(self.folder)!r}; add one first, in a shell with {command}"


def _entries(folder: Path) -> Iterator[Snapshot | SnapshotProblem]:
    """Yield the snapshots and problems in a folder, by date."""
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        if entry.name.startswith("."):  # the lock, and files that are half written
            continue
        day = _day_of_folder(entry)
        if day is None:
            yield SnapshotProblem(entry, "not part of this history; it is not touched")
        else:
            for path in sorted(entry.iterdir()):
                yield open_snapshot(path, day)


def _day_of_folder(path: Path) -> date | None:
    """Return the day of a folder such as ``date=2026-11-01``, None for any other path."""
    try:
        day = date.fromisoformat(path.name.removeprefix("date="))
    except ValueError:
        return None
    is_day = path.name == f"date={day}" and path.is_dir()
    return day if is_day else None


def day_of(day: Day, zone: tzinfo | None, name: str = "day") -> date:
    """Return the day of a date, an instant (also one of pandas or numpy), or a text.

    Args:
        day: The day.
        zone: The time zone in which an instant counts as a day; None is the machine's.
        name: The argument, for an error.
    """
    try:
        if isinstance(day, str):
            return date.fromisoformat(day)
        if isinstance(day, (date, np.datetime64)) and not pd.isna(day):
            moment: datetime = pd.Timestamp(day).to_pydatetime(warn=False)
            return (moment.astimezone(zone) if moment.tzinfo else moment).date()
    except ValueError:
        pass
    raise ArgumentError(f"{name} must be a date, or a text such as 2026-11-01, got {shown(day)}")


def add_snapshot(
    folder: Path, inventory: Inventory, zone: tzinfo | None, *, overwrite: bool
) -> Snapshot:
    """Add an inventory, unless better data would be lost or stores mixed; see ``History.add``."""
    if not isinstance(inventory, Inventory):
        raise ArgumentError(
            f"inventory must be an Inventory, such as pf.fetch_inventory(client) returns, not "
            f"its frame; got {shown(inventory)}"
        )
    _check_coverage(inventory)
    if inventory.fetched_at > datetime.now(UTC) + _MOST_AHEAD:
        raise HistoryError(
            f"the inventory was fetched in the future, at {minute_text(inventory.fetched_at)}; "
            "check the clock of the computer that fetched it, and fetch it again"
        )
    day = day_of(inventory.fetched_at, zone)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK_NAME):
            snapshots = Contents.of(folder, warn=False).snapshots
            _check_store(folder, snapshots, inventory)
            for entry in snapshots:
                # In another time zone the same inventory may be stored under another day.
                if _is_same(entry, inventory):
                    return entry
            for entry in snapshots:
                if entry.date == day and not overwrite:
                    _check_order(entry, inventory, zone)
            return _write(folder, inventory, day)
    except LockedError:
        raise HistoryLockedError(
            f"another process is writing to {folder}; wait for it to end and add again"
        ) from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise HistoryError(
            f"{folder} cannot be written to: {reason}; nothing was changed; make it writable, or "
            "name another folder"
        ) from problem


def _check_coverage(inventory: Inventory) -> None:
    """Raise a HistoryError if the coverage of the rows is unknown, or if they are a selection."""
    completeness = inventory.completeness
    if not completeness.requests:
        raise HistoryError(
            f"the coverage of the frame is unknown: {completeness.reason} "
            "Add the inventory before you edit its frame"
        )
    if completeness.part:
        raise HistoryError(
            f"the inventory has only the pets with {completeness.part}; add the complete inventory"
        )


def _check_store(folder: Path, snapshots: Sequence[Snapshot], inventory: Inventory) -> None:
    for entry in snapshots:
        if entry.provenance.is_other_store(inventory.provenance):
            raise HistoryError(
                f"{folder} has the history of {entry.store_name}, and this inventory is of "
                f"{inventory.store_name}; use another folder for another store"
            )


def _is_same(entry: Snapshot, inventory: Inventory) -> bool:
    return (
        entry.completeness == inventory.completeness
        and entry.provenance == inventory.provenance
        and entry.rows == len(inventory)
    )


def _check_order(present: Snapshot, inventory: Inventory, zone: tzinfo | None) -> None:
    """Raise a HistoryError if the snapshot of a day is newer than an inventory, or proves more."""
    old, new = present.completeness, inventory.completeness
    proves_less = (new.covers_all, new.is_complete) < (old.covers_all, old.is_complete)
    if inventory.fetched_at <= present.fetched_at:
        read_at = present.fetched_at.astimezone(zone)
        reason = f"a listing of {read_at:%H:%M:%S %Z}, which is not older"
    elif proves_less:
        reason = f"a listing that proves more ({old})"
    else:
        return
    raise HistoryError(f"{present.date} already has {reason}", add=("replace", True))


def _write(folder: Path, inventory: Inventory, day: date) -> Snapshot:
    """Write an inventory under a temporary name, and rename it when it is complete."""
    for orphan in folder.glob(
        f"{_WRITING}*"
    ):  # we hold the lock, so the writer of such a file has ended
        orphan.unlink()
    path = folder / f"date={day.isoformat()}" / FILE_NAME
    with replacing(path, draft=folder / f"{_WRITING}{os.getpid()}") as draft:
        write_file(draft, inventory)
        path.parent.mkdir(exist_ok=True)
    sync(folder)
    written = open_snapshot(path, day)
    if isinstance(written, SnapshotProblem):
        raise HistoryError(f"{written}; the disk did not keep what was written")
    return written
