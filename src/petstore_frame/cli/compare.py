"""``petstore-frame compare``: a list against the store, for stocktaking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from petstore_frame.cli.commands import PARTLY
from petstore_frame.cli.listing import read_listing, whole_or_untouched
from petstore_frame.cli.options import (
    AsJson,
    HowRead,
    JournalFolder,
    Store,
    print_json,
)

if TYPE_CHECKING:
    from petstore_frame.stocktake import Comparison


def compare(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="A CSV or .xlsx file.")],
    *,
    reading: HowRead,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Workbook to write: .xlsx.", show_default=False),
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(help="Field that makes a record and a pet equal; repeat it for several."),
    ] = None,
    journal: JournalFolder = None,
    as_json: AsJson = False,
    store: Store,
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
            store,
            untouched=untouched,
        )
        found = compare_list(
            file,
            listing.inventory,
            on=on or (),
            journal=journal,
            **reading.of(file),
        )
        if output is not None:
            found.write(output, categories=reading.categories)
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
