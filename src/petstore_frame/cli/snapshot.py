"""``petstore-frame snapshot``: keep what a store holds today, for cron."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from petstore_frame.cli.listing import read_listing, whole_or_untouched
from petstore_frame.cli.options import (
    AsJson,
    RequireComplete,
    ShowEvidence,
    Store,
    print_json,
)

if TYPE_CHECKING:
    from petstore_frame.history import Diff, History, Snapshot


def snapshot(
    history: Annotated[Path, typer.Option(help="Folder of the snapshots.")] = Path("history"),
    require_complete: RequireComplete = False,
    evidence: ShowEvidence = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the day's snapshot even by a weaker one.")
    ] = False,
    as_json: AsJson = False,
    *,
    store: Store,
) -> None:
    """Read the inventory and keep it under today's date (UTC), for cron.

    A listing that broke off is kept with the claim that it is only a part, so that no pet is taken
    for gone; it replaces nothing better.

    Example: petstore-frame snapshot --history history
    """
    from petstore_frame.history import History

    kept = History(history)
    with whole_or_untouched(history) as untouched:
        listing = read_listing(
            store,
            untouched=untouched,
            require_complete=require_complete,
        )
        added = kept.add(listing.inventory, replace=replace)
    changes = _changes(kept, added)
    if as_json:
        compared = {
            "date": added.date.isoformat(),
            "compared_with": None if changes is None else changes.since.isoformat(),
            "changes": None if changes is None else changes.counts,
        }
        print_json(listing.facts(added.path) | compared)
    else:
        listing.tell(added.path, evidence=evidence)
        alone = "the only day so far; a snapshot of another day is compared"
        typer.echo(alone if changes is None else str(changes))
    raise typer.Exit(listing.code)


def _changes(history: History, added: Snapshot) -> Diff | None:
    """Return the diff against the snapshot before, or None for the first."""
    earlier = history.snapshots()["date"].dt.date
    return history.diff(new=added.date) if (earlier < added.date).any() else None
