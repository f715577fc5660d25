"""``petstore-frame snapshot``: keep what a store holds today, for cron.

In: a store's address and a folder. Out: one dated Parquet file, one line that says what it covers
and what changed since the snapshot before, and an exit code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame.cli.options import ApiKey, AsJson, BaseUrl, RequireComplete

if TYPE_CHECKING:
    from petstore_frame.history import Diff, History, Snapshot
    from petstore_frame.inventory import Inventory


def snapshot(
    history: Annotated[Path, typer.Option(help="Folder of the snapshots.")] = Path("history"),
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    require_complete: RequireComplete = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the day's snapshot even by a weaker one.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and keep it under today's date (UTC).

    Exit codes: 0 kept; 1 kept, but the listing broke off, or not kept because --require-complete
    was not met; 2 refused; 5 the store refused or was not reached; 7 another writer is at work.
    The key comes from PETSTORE_API_KEY. Example: petstore-frame snapshot --history history --json
    """
    from petstore_frame.history import History

    kept = History(history)
    inventory = _fetch(base_url, api_key)
    claim = inventory.completeness
    if require_complete and not claim.covers_all:
        typer.echo(f"not kept: {claim}", err=True)
        raise typer.Exit(1)
    added = kept.add(inventory, replace=replace)
    changes = _changes(kept, added)
    if as_json:
        typer.echo(json.dumps(_as_json(added, changes), ensure_ascii=False))
    else:
        typer.echo(f"{added.path}: {claim}")
        alone = "the only day so far; a snapshot of another day is compared"
        typer.echo(alone if changes is None else str(changes))
    if claim.verdict == "incomplete":
        raise typer.Exit(1)


def _fetch(base_url: str | None, api_key: str | None) -> Inventory:
    from petstore_frame.client import Client
    from petstore_frame.errors import IncompleteInventoryError
    from petstore_frame.inventory import fetch_inventory

    with Client(base_url, api_key) as client:
        try:
            return fetch_inventory(client)
        except IncompleteInventoryError as broken_off:
            typer.echo(str(broken_off), err=True)
            partial: Inventory = broken_off.partial
            return partial


def _changes(history: History, added: Snapshot) -> Diff | None:
    """Return the diff against the snapshot before, or None for the first."""
    earlier = history.snapshots()["date"].dt.date
    return history.diff(new=added.date) if (earlier < added.date).any() else None


def _as_json(added: Snapshot, changes: Diff | None) -> dict[str, Any]:
    return {
        "path": str(added.path),
        "date": added.date.isoformat(),
        "rows": added.rows,
        "completeness": added.completeness.to_dict(),
        "compared_with": None if changes is None else changes.old.date.isoformat(),
        "changes": None if changes is None else changes.counts,
    }
