"""``petstore-frame compare``: a list against the store, for stocktaking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import PARTLY
from petstore_frame.cli.listing import listed
from petstore_frame.cli.options import AsJson, HowRead, JournalFolder, WhichStore, finish, to_write


def compare(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="A CSV or .xlsx file.")],
    *,
    reading: HowRead,
    output: Annotated[Path | None, to_write("Workbook to write: .xlsx.")] = None,
    on: Annotated[
        list[str] | None,
        Option(help="Field that makes a record and a pet equal; repeat it for several."),
    ] = None,
    journal: JournalFolder = None,
    as_json: AsJson = False,
    store: WhichStore,
) -> None:
    """Tell where a list and the store disagree, and write it as a workbook.

    With --key, the journal of the imports tells which pet each record is. With --on, records and
    pets that are equal in these fields belong together; where that leaves a choice, they are
    ambiguous. Exit code 0: they agree in all; 1: they differ, or the listing is not complete.

    Example: petstore-frame compare list.csv --key animal_id --output differences.xlsx
    """
    from petstore_frame.loader.call import Call, Way

    recipe, lines = reading.of(file), reading.leave_lines
    with listed(store, output or file) as listing:
        found = pf.compare(
            file, listing.inventory, on=on or (), recipe=recipe, leave_lines=lines, journal=journal
        )
        given = {**reading.given(), "on": on, "journal": journal, **store.given()}
        found = replace(found, call=Call.of("compare", file, given, Way.SHELL))
        if output is not None:
            found.write(output, categories=recipe.categories)
    facts = {
        "output": None if output is None else str(output),
        "kinds": {str(kind): row for kind, row in found.summary.to_dict(orient="index").items()},
        "is_equal": found.is_equal,
        "completeness": found.completeness.to_dict(),
    }
    text = f"{output}: {found}" if output else str(found)
    code = listing.code or (0 if found.is_equal else PARTLY)
    finish(facts, text, as_json=as_json, code=code)
