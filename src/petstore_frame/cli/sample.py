"""``petstore-frame sample``: a file to try the loader on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from petstore_frame.cli.options import AsJson, print_json


def sample(
    output: Annotated[Path, typer.Option("--output", "-o", help="The CSV to write.")] = Path(
        "arrivals.csv"
    ),
    rows: Annotated[int, typer.Option(min=0, help="Number of animals.")] = 2_000,
    seed: Annotated[int, typer.Option(help="The same seed writes the same file.")] = 7,
    clean: Annotated[bool, typer.Option("--clean", help="Write valid records only.")] = False,
    categories: Annotated[
        Path | None, typer.Option(help="Write the category labels here too.")
    ] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Write the columns alone, to be filled in.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write made-up animals as CSV, about one record in twenty with a typical mistake.

    Example: petstore-frame sample --output arrivals.csv --categories categories.csv
    """
    from petstore_frame.bundled.samples import (
        write_sample_categories,
        write_sample_csv,
        write_template,
    )
    from petstore_frame.report import refuse_impossible

    for path in (output, categories):
        if path is not None:
            refuse_impossible(path)
    if template:
        rows, files = 0, [write_template(output)]
    else:
        files = [write_sample_csv(output, rows=rows, seed=seed, dirty=not clean)]
    if categories is not None:
        files.append(write_sample_categories(categories))
    if as_json:
        named = [str(file) for file in files]
        print_json({"output": str(output), "rows": rows, "files": named, "exit_code": 0})
    else:
        for file in files:
            typer.echo(str(file))
