"""``petstore-frame report``: what a store holds, as a file to send on.

In: a store's address and a file name. Out: the report, one line that says what it covers, and an
exit code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from petstore_frame.cli.options import ApiKey, AsJson, BaseUrl, CategoriesFile, RequireComplete


def report(
    output: Annotated[Path, typer.Option(help="File to write: .xlsx, .csv, .parquet or .html.")],
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    categories: CategoriesFile = None,
    history: Annotated[
        Path | None,
        typer.Option(
            help="Folder of snapshots: adds what changed between the last.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    require_complete: RequireComplete = False,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and write the Monday workbook.

    Exit codes: 0 written; 1 written, but the listing broke off; 2 refused; 5 the store refused or
    was not reached. The key comes from PETSTORE_API_KEY.
    Example: petstore-frame report --output stock.xlsx --categories categories.csv
    """
    from petstore_frame.client import Client
    from petstore_frame.errors import IncompleteInventoryError
    from petstore_frame.inventory import fetch_inventory
    from petstore_frame.report import check_target, write_report

    check_target(output)  # before minutes are spent on reading
    with Client(base_url, api_key) as client:
        try:
            inventory = fetch_inventory(client)
        except IncompleteInventoryError as broken_off:
            typer.echo(str(broken_off), err=True)
            inventory = broken_off.partial
    path = write_report(
        inventory, output, categories=categories, require_complete=require_complete,
        history=history,
    )  # fmt: skip
    claim = inventory.completeness
    if as_json:
        facts = {"path": str(path), "pets": len(inventory), "completeness": claim.to_dict()}
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        typer.echo(f"{path}: {claim}")
    if claim.verdict == "incomplete":
        raise typer.Exit(1)
