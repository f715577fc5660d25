"""``petstore-frame compare``: a list against the store, for stocktaking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from petstore_frame.cli.failures import PARTLY
from petstore_frame.cli.listing import read_listing, whole_or_untouched
from petstore_frame.cli.options import (
    AllowInsecure,
    ApiKey,
    AsJson,
    BaseUrl,
    CategoriesFile,
    Timeout,
    print_json,
)

if TYPE_CHECKING:
    from petstore_frame.stocktake import Comparison


def compare(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="A CSV or .xlsx file.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Workbook to write: .xlsx.", show_default=False),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="Column that identifies an animal; several: --key A --key B."),
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(help="Field that makes a record and a pet equal; repeat it for several."),
    ] = None,
    categories: CategoriesFile = None,
    journal: Annotated[
        Path | None, typer.Option(help="Folder of the journals; else the user's state directory.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of a text file, if not UTF-8.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help=r"Character between cells, \t for a tab; else it is found.")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook.")] = None,
    header_row: Annotated[
        int | None, typer.Option(help="Row of the header, below a title; 1 is the first.", min=1)
    ] = None,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = None,
    allow_insecure: AllowInsecure = False,
    as_json: AsJson = False,
) -> None:
    """Tell where a list and the store disagree, and write it as a workbook.

    With --key, the journal of the imports tells which pet each record is. With --on, records and
    pets that are equal in these fields belong together; where that leaves a choice, they are
    ambiguous. Exit code 0: they agree in all; 1: they differ, or the listing is not complete.

    Example: petstore-frame compare list.csv --key animal_id --output differences.xlsx
    """
    from petstore_frame.stocktake import compare as compare_list

    place = output or file
    with whole_or_untouched(place) as untouched:
        listing = read_listing(
            base_url,
            api_key,
            timeout,
            allow_insecure=allow_insecure,
            untouched=untouched,
            require_complete=False,
        )
        found = compare_list(
            file,
            listing.inventory,
            key=key or (),
            on=on or (),
            categories=categories,
            journal=journal,
            encoding=encoding,
            delimiter="\t" if delimiter == r"\t" else delimiter,
            sheet=sheet,
            header_row=header_row,
        )
        if output is not None:
            found.write(output, categories=categories)
    _tell(found, output, as_json=as_json)
    raise typer.Exit(listing.code or (0 if found.is_equal else PARTLY))


def _tell(found: Comparison, output: Path | None, *, as_json: bool) -> None:
    if not as_json:
        typer.echo(f"{output}: {found}" if output else str(found))
        return
    kinds = found.summary.to_dict(orient="index")
    print_json(
        {
            "output": None if output is None else str(output),
            "kinds": {str(kind): counts for kind, counts in kinds.items()},
            "is_equal": found.is_equal,
            "completeness": found.completeness.to_dict(),
        }
    )
