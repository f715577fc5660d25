"""``petstore-frame fetch``: every pet that can be read, as a data file.

The values are the store's own, byte for byte: a CSV for people and their spreadsheets, with cells
that cannot run as formulas, is what ``petstore-frame report`` writes.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from petstore_frame.cli.listing import Listing, read_listing, whole_or_untouched
from petstore_frame.cli.options import (
    AsJson,
    RequireComplete,
    ShowEvidence,
    Store,
    print_json,
)


class Status(StrEnum):
    """A status that the interface can filter by."""

    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


def fetch(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .csv, .parquet or .xlsx.",
            show_default=False,
        ),
    ],
    status: Annotated[
        Status | None, typer.Option(help="Only pets with this status.", case_sensitive=False)
    ] = None,
    max_pets: Annotated[
        int | None,
        typer.Option(
            help="Keep at most so many; where that cuts, the listing is incomplete.", min=1
        ),
    ] = None,
    documented: Annotated[
        bool, typer.Option("--documented", help="Use and trust only what the interface states.")
    ] = False,
    keep_partial: Annotated[
        bool,
        typer.Option(
            "--keep-partial", help="Write what was read when the reading broke off, or by Ctrl-C."
        ),
    ] = False,
    require_complete: RequireComplete = False,
    evidence: ShowEvidence = False,
    as_json: AsJson = False,
    *,
    store: Store,
) -> None:
    """Read the whole inventory into a data file, raw: names and ids exactly as the store has them.

    A data file cannot show that it is only a part, so a reading that breaks off writes none unless
    --keep-partial asks for it. A spreadsheet may take a name such as =1+1 in the CSV for a formula;
    for people, use report.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.report import check_data_target, write_data

    check_data_target(output)  # before minutes are spent on reading
    with whole_or_untouched(output) as untouched:
        listing = read_listing(
            store,
            untouched=untouched if keep_partial else f"{untouched} (--keep-partial writes a part)",
            require_complete=require_complete,
            may_be_part=keep_partial,
            may_be_interrupted=keep_partial,
            status=None if status is None else str(status),
            max_pets=max_pets,
            strategy="documented" if documented else "auto",
        )
        write_data(listing.inventory, output)
    _tell(listing, output, evidence=evidence, as_json=as_json)
    raise typer.Exit(listing.code)


def _tell(listing: Listing, output: Path, *, evidence: bool, as_json: bool) -> None:
    if as_json:
        print_json(listing.facts(output))
        return
    listing.tell(output, evidence=evidence)
    for name, count in listing.inventory.completeness.counts_asked_for().items():
        typer.echo(f"  {name:<12} {count}")
