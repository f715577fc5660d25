"""``petstore-frame fetch``: every pet that can be read, as a data file.

In: a store's address and a file name. Out: the file, and one line that says what it covers. The
values are the store's own, byte for byte: a CSV for people and their spreadsheets, with cells
that cannot run as formulas, is what ``petstore-frame report`` writes.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from petstore_frame.cli.options import ApiKey, AsJson, BaseUrl

if TYPE_CHECKING:
    from petstore_frame.inventory import Inventory


def fetch(
    output: Annotated[
        Path, typer.Option(help="File to write: .csv, .parquet or .xlsx.", show_default=False)
    ],
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    status: Annotated[
        str | None, typer.Option(help="Only pets that are available, pending or sold.")
    ] = None,
    max_pets: Annotated[int | None, typer.Option(help="Keep at most so many.", min=1)] = None,
    documented: Annotated[
        bool, typer.Option("--documented", help="Use and believe only what the interface states.")
    ] = False,
    keep_partial: Annotated[
        bool, typer.Option("--keep-partial", help="Write what was read when the reading broke off.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read the whole inventory into a data file, raw: names and ids exactly as the store has them.

    A spreadsheet may take a name such as =1+1 in the CSV for a formula; for people, use report.
    Exit codes: 0 written; 1 the reading broke off; 2 refused; 5 the
    store refused or was not reached.
    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.client import Client
    from petstore_frame.errors import ConfigurationError, IncompleteInventoryError
    from petstore_frame.inventory import fetch_inventory
    from petstore_frame.models import PET_STATUSES

    broken_off = False
    _check_target(output)
    if status is not None and status not in PET_STATUSES:
        words = ", ".join(PET_STATUSES)
        raise ConfigurationError(f"status is one of {words}, got {status!r}; nothing was sent")
    with Client(base_url, api_key) as client:
        try:
            inventory = fetch_inventory(
                client,
                status=status,
                max_pets=max_pets,
                strategy="documented" if documented else "auto",
            )
        except IncompleteInventoryError as problem:
            if not keep_partial:
                typer.echo(f"error: {problem}; --keep-partial writes them", err=True)
                raise typer.Exit(1) from None
            typer.echo(f"error: {problem}", err=True)
            inventory, broken_off = problem.partial, True
    _write(inventory, output)
    _tell(inventory, output, as_json=as_json)
    if broken_off:
        raise typer.Exit(1)


def _check_target(output: Path) -> None:
    """Refuse, before minutes are spent on reading, a file that cannot be written."""
    from petstore_frame.errors import ReportError
    from petstore_frame.report import refuse_impossible

    refuse_impossible(output)
    if output.suffix.lower() not in (".csv", ".parquet", ".xlsx"):
        raise ReportError(f"{output}: a data file is .csv, .parquet or .xlsx; nothing was sent")


def _write(inventory: Inventory, output: Path) -> None:
    """Write the file whole or not at all."""
    suffix = output.suffix.lower()
    if suffix == ".xlsx":
        from petstore_frame.report import write_report

        write_report(inventory, output)
        return
    from petstore_frame.atomic import replacing

    with replacing(output) as draft:
        if suffix == ".csv":
            _write_csv(inventory, draft)
        else:
            _write_parquet(inventory, draft)


def _write_csv(inventory: Inventory, path: Path) -> None:
    # All text is quoted: pandas and csv leave a lone carriage return in a name bare otherwise.
    inventory.frame.to_csv(
        path, index=False, encoding="utf-8", lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
    )


def _write_parquet(inventory: Inventory, path: Path) -> None:
    from petstore_frame.errors import MissingExtraError

    try:
        inventory.frame.to_parquet(path, index=False, engine="pyarrow")
    except ImportError:
        raise MissingExtraError("writing Parquet", "history") from None


def _tell(inventory: Inventory, output: Path, *, as_json: bool) -> None:
    claim = inventory.completeness
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "output": str(output),
                    "rows": len(inventory),
                    "base_url": inventory.base_url,
                    "fetched_at": inventory.fetched_at.isoformat(),
                    "completeness": claim.to_dict(),
                }
            )
        )
        return
    typer.echo(f"{output}: {claim}")
    for name, count in claim.by_status.items():
        typer.echo(f"  {name:<12} {count}")
