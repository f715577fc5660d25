"""Keeps the snapshots of a history in a folder: finds them, and adds one.

The layout is ``date=2026-11-01/pets.parquet``: plain hive-partitioned Parquet, which pandas,
polars, DuckDB and Spark read without us. Each question reads the folder once, so its answer is
about one state of it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
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
from petstore_frame.storage import AtWorkError, locked, replacing, sync

LOCK_NAME, _WRITING = ".lock", ".writing-"
Day: TypeAlias = Union[str, date, "np.datetime64"]


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
        """Read the ends of all files in a folder; warn of each day that cannot be read."""
        snapshots: list[Snapshot] = []
        problems: list[SnapshotProblem] = []
        for each in _found(folder):
            if isinstance(each, SnapshotProblem):
                problems.append(each)
            elif snapshots and snapshots[0].provenance.is_other_store(each.provenance):
                problems.append(SnapshotProblem(each.path, f"of {each.store_name}", each.date))
            else:
                snapshots.append(each)
        held = cls(folder, zone, snapshots, problems)
        for problem in held.lost.values() if warn else ():
            text = f"{problem}; that day is left out"
            warnings.warn(text, HistoryWarning, stacklevel=3)
        return held

    @property
    def lost(self) -> dict[date, SnapshotProblem]:
        """The days whose snapshot cannot be read, or is of another store."""
        return {each.date: each for each in self.problems if each.date is not None}

    def between(self, since: Day | None = None, until: Day | None = None) -> Contents:
        """Return what there is of these days, both included: at least one snapshot."""
        low = date.min if since is None else day_of(since, self.zone)
        high = date.max if until is None else day_of(until, self.zone)
        snapshots = [each for each in self.snapshots if low <= each.date <= high]
        if not snapshots:
            when = "" if since is None else f" from {low}"
            when += "" if until is None else f" to {high}"
            raise HistoryError(f"no snapshot{when or ' yet'}; {self._what_is_there()}")
        lost = [each for day, each in self.lost.items() if low <= day <= high]
        return replace(self, snapshots=snapshots, problems=lost)

    def on(self, day: Day | None) -> Snapshot:
        """Return the snapshot of a day, or the last one for None."""
        if day is None:
            return self.between().snapshots[-1]
        wanted = day_of(day, self.zone)
        for each in self.snapshots:
            if each.date == wanted:
                return each
        if wanted in self.lost:
            raise HistoryError(f"{self.lost[wanted]}; {NEXT_STEP}")
        raise HistoryError(f"no snapshot of {wanted}; {self._what_is_there()}")

    def __str__(self) -> str:
        days = [each.date for each in self.snapshots]
        span = f" from {days[0]} to {days[-1]}" if days else ""
        count = f"1 snapshot of {days[0]}" if len(days) == 1 else f"{len(days)} snapshots{span}"
        return f"History {str(self.folder)!r}: {count}"

    def _what_is_there(self) -> str:
        kept = self.snapshots
        if kept:
            return f"{self.folder} has {len(kept)}, {kept[0].date} to {kept[-1].date}"
        if self.lost:
            return f"{next(iter(self.lost.values()))}; {NEXT_STEP}"
        return (
            f"{str(self.folder)!r} holds no snapshot: keep one first with .add(inventory), or "
            "petstore-frame snapshot"
        )


def _found(folder: Path) -> Iterator[Snapshot | SnapshotProblem]:
    """Yield what lies in a folder, by date."""
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        if entry.name.startswith("."):  # the lock, and files that are half written
            continue
        try:
            day = date.fromisoformat(entry.name.removeprefix("date="))
        except ValueError:
            day = None
        if day is not None and entry.name == f"date={day}" and entry.is_dir():
            for path in sorted(entry.iterdir()):
                yield open_snapshot(path, day)
        else:
            yield SnapshotProblem(entry, "not part of this history; it is left alone")


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


def add_snapshot(
    folder: Path, inventory: Inventory, zone: tzinfo | None, *, replace_it: bool
) -> Snapshot:
    """Keep an inventory, unless better data would be lost or stores mixed; see ``History.add``."""
    if not isinstance(inventory, Inventory):
        raise ArgumentError(
            f"expected an Inventory, got {type(inventory).__name__}; "
            "pass the Inventory, not its frame"
        )
    completeness = inventory.completeness
    if not completeness.requests:
        raise HistoryError(
            f"what the frame covers is not known: {completeness.reason} "
            "Add the inventory before you edit its frame"
        )
    if completeness.part:
        raise HistoryError(
            f"it holds only the pets with {completeness.part}; add the whole inventory"
        )
    day = day_of(inventory.fetched_at, zone)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK_NAME):
            snapshots = Contents.of(folder, warn=False).snapshots
            facts = (completeness, inventory.provenance, len(inventory))
            for each in snapshots:
                if each.provenance.is_other_store(inventory.provenance):
                    raise HistoryError(
                        f"{folder} keeps the history of {each.store_name}, and this inventory is "
                        f"of {inventory.store_name}; use another folder for another store"
                    )
                # In another time zone it may be kept under another day.
                if (each.completeness, each.provenance, each.rows) == facts:
                    return each
            for each in snapshots:
                if each.date == day and not replace_it:
                    _check_order(each, inventory, zone)
            return _write(folder, inventory, day)
    except AtWorkError:
        text = f"another writer is at work in {folder}; wait for it to end and add again"
        raise HistoryLockedError(text) from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        text = f"{folder} cannot be written to: {reason}; nothing was changed"
        raise HistoryError(text) from problem


def _check_order(present: Snapshot, inventory: Inventory, zone: tzinfo | None) -> None:
    """Refuse to replace a day's snapshot by an older one or one that proves less."""
    old, new = present.completeness, inventory.completeness
    if inventory.fetched_at <= present.fetched_at:
        read_at = present.fetched_at.astimezone(zone)
        reason = f"a listing of {read_at:%H:%M:%S %Z}, which is not older"
    elif (new.covers_all, new.is_complete) < (old.covers_all, old.is_complete):
        reason = f"a listing that proves more ({old})"
    else:
        return
    raise HistoryError(f"{present.date} already has {reason}", add=("replace", True))


def _write(folder: Path, inventory: Inventory, day: date) -> Snapshot:
    """Write an inventory under a temporary name, and rename it into place when it is whole."""
    for orphan in folder.glob(f"{_WRITING}*"):  # the lock is ours, so its writer is dead
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
