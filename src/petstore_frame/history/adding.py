"""Adding an inventory to a history: when it is refused, and how it is written whole."""

from __future__ import annotations

import os
from datetime import date, tzinfo
from pathlib import Path

from petstore_frame.errors import ArgumentError, HistoryError, HistoryLockedError
from petstore_frame.files.lock import AtWorkError, held
from petstore_frame.files.whole import replacing, sync
from petstore_frame.history.folder import (
    FILE_NAME,
    Contents,
    Snapshot,
    SnapshotProblem,
    day_of,
    open_snapshot,
)
from petstore_frame.history.snapshot_file import check_rows, write_file
from petstore_frame.http.settings import same_store_address
from petstore_frame.inventory import Completeness, Inventory
from petstore_frame.inventory.evidence import Fact

LOCK_NAME, _WRITING = ".lock", ".writing-"


def add_snapshot(
    folder: Path, inventory: Inventory, zone: tzinfo | None, *, replace: bool
) -> Snapshot:
    """Keep an inventory, unless better data would be lost or stores mixed; see ``History.add``."""
    if not isinstance(inventory, Inventory):
        raise ArgumentError(
            f"expected an Inventory, got {type(inventory).__name__}; "
            "pass the Inventory, not its frame"
        )
    _check_inventory(inventory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with held(folder / LOCK_NAME):
            return _add(folder, inventory, zone, replace=replace)
    except AtWorkError:
        text = f"another writer is at work in {folder}; wait for it to end and add again"
        raise HistoryLockedError(text) from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        text = f"{folder} cannot be written to: {reason}; nothing was changed"
        raise HistoryError(text) from problem


def _check_inventory(inventory: Inventory) -> None:
    if inventory.fetched_at.tzinfo is None:
        raise HistoryError("fetched_at has no time zone, so its day is not known")
    known = inventory.completeness
    if any(each.fact in (Fact.CHANGED_SINCE, Fact.NO_RECORD) for each in known.evidence):
        raise HistoryError(
            f"what the frame covers is not known: {known.basis} "
            "Add the inventory before you edit its frame"
        )
    if known.part:
        raise HistoryError(f"it holds only the pets with {known.part}; add the whole inventory")


def _add(folder: Path, inventory: Inventory, zone: tzinfo | None, *, replace: bool) -> Snapshot:
    snapshots = Contents.of(folder, warn=False).snapshots
    if snapshots:
        _check_store(folder, snapshots, inventory)
    day = day_of(inventory.fetched_at, zone)
    present = next((each for each in snapshots if each.date == day), None)
    if present is not None:
        facts = (inventory.completeness, inventory.origin, len(inventory))
        if (present.completeness, present.origin, present.rows) == facts:
            return present
        if not replace:
            _check_order(present, inventory, zone)
    return _write(folder, inventory, day)


def _check_store(folder: Path, snapshots: list[Snapshot], inventory: Inventory) -> None:
    """Refuse another address, and another store at the same address where both state their id."""
    ids = [each.store_id for each in snapshots if each.store_id]
    is_other = bool(ids) and inventory.store_id not in (None, ids[-1])
    both = (snapshots[-1].base_url, inventory.base_url)
    addresses = {same_store_address(each, any_local_port=True) for each in both}
    if is_other or len(addresses) > 1:
        kept = _shown(snapshots[-1].base_url, ids[-1] if ids else None)
        other = _shown(inventory.base_url, inventory.store_id)
        raise HistoryError(
            f"{folder} keeps the history of {kept}, and this inventory is of {other}; "
            "use another folder for another store"
        )


def _shown(base_url: str, store_id: str | None) -> str:
    return base_url if store_id is None else f"{base_url} (store id {store_id})"


def _check_order(present: Snapshot, inventory: Inventory, zone: tzinfo | None) -> None:
    """Refuse to replace a day's snapshot by an older one or one that proves less."""
    if inventory.fetched_at <= present.fetched_at:
        read_at = present.fetched_at.astimezone(zone)
        reason = f"a listing of {read_at:%H:%M:%S %Z}, which is not older"
    elif _strength(inventory.completeness) < _strength(present.completeness):
        reason = f"a listing that proves more ({present.completeness})"
    else:
        return
    text = f"{present.date} already has {reason}; {{}} replaces it"
    raise HistoryError(text, option=("replace", True))


def _strength(known: Completeness) -> int:
    """Rank what a listing proves: all pets, all of some scope, or nothing."""
    return 2 if known.covers_all else 1 if known.is_complete else 0


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
    check_rows(path, written.columns)
    return written
