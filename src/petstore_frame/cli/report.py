"""``petstore-frame report``: what a store holds, as a file to send on.

In: a store's address and a file name. Out: the report, and one line that says what it covers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def report(
    output: Annotated[
        Path,
        typer.Option(help="File to write: .xlsx, .csv, .parquet or .html.", show_default=False),
    ],
    base_url: Annotated[
        str | None, typer.Option(help="The store's address; else PETSTORE_BASE_URL.")
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(help="The key; better in PETSTORE_API_KEY, unseen by ps."),
    ] = None,
    categories: Annotated[
        Path | None, typer.Option(help="CSV of category_id,label.", exists=True, dir_okay=False)
    ] = None,
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="Write nothing unless all pets were read.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read the inventory and write the Monday workbook.

    The key comes from PETSTORE_API_KEY. Example: petstore-frame report --output stock.xlsx
    """
    from petstore_frame.client import Client
    from petstore_frame.errors import IncompleteInventoryError, PetstoreError
    from petstore_frame.inventory import fetch_inventory
    from petstore_frame.report import write_report

    try:
        with Client(base_url, api_key) as client:
            try:
                inventory = fetch_inventory(client)
            except IncompleteInventoryError as broken_off:
                typer.echo(str(broken_off), err=True)
                inventory = broken_off.partial
        path = write_report(
            inventory, output, categories=categories, require_complete=require_complete
        )
    except PetstoreError as problem:
        typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(2) from None
    claim = inventory.completeness
    if as_json:
        typer.echo(json.dumps({"output": str(path), "completeness": claim.to_dict()}))
    else:
        typer.echo(f"{path}: {claim}")
    if claim.verdict == "incomplete":
        raise typer.Exit(1)
