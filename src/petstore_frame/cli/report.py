"""``petstore-frame report``: what a store holds, as a file to send on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from petstore_frame.cli.listing import read_listing, whole_or_untouched
from petstore_frame.cli.options import (
    AsJson,
    CategoriesFile,
    RequireComplete,
    ShowEvidence,
    Store,
    print_json,
)


def report(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write: .xlsx, .csv, .parquet or .html.")
    ],
    categories: CategoriesFile = None,
    history: Annotated[
        Path | None,
        typer.Option(
            help="Folder of snapshots: adds to a workbook what changed between the last two.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    require_complete: RequireComplete = False,
    evidence: ShowEvidence = False,
    as_json: AsJson = False,
    *,
    store: Store,
) -> None:
    """Read the inventory and write the Monday workbook.

    A listing that broke off is reported too, and the report states at its top that it is only a
    part.

    Example: petstore-frame report --output stock.xlsx --categories categories.csv
    """
    from petstore_frame.report import check_target, write_report

    ending = check_target(output)  # before minutes are spent on reading
    if history is not None and ending != ".xlsx":
        raise typer.BadParameter(f"--history is for a workbook (.xlsx), which {output} is not")
    with whole_or_untouched(output) as untouched:
        listing = read_listing(
            store,
            untouched=untouched,
            require_complete=require_complete,
        )
        write_report(listing.inventory, output, categories=categories, history=history)
    if as_json:
        print_json(listing.facts(output))
    else:
        listing.tell(output, evidence=evidence)
    raise typer.Exit(listing.code)
