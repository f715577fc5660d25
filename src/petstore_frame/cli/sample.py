"""``petstore-frame sample``: a file to try the loader on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def sample(
    output: Annotated[Path, typer.Option("--output", "-o", help="The CSV to write.")] = Path(
        "arrivals.csv"
    ),
    rows: Annotated[int, typer.Option(min=0, help="Number of animals.")] = 2_000,
    seed: Annotated[int, typer.Option(help="The same seed writes the same file.")] = 7,
    clean: Annotated[bool, typer.Option("--clean", help="Spoil no record.")] = False,
    categories: Annotated[
        Path | None, typer.Option(help="Write the category labels here too.")
    ] = None,
) -> None:
    """Write made-up animals as CSV, about one record in twenty spoilt the way people do.

    Example: petstore-frame sample --rows 500 --output arrivals.csv
    """
    from petstore_frame.report import refuse_impossible
    from petstore_frame.samples import write_sample_categories, write_sample_csv

    for path in (output, categories):
        if path is not None:
            refuse_impossible(path)
    typer.echo(str(write_sample_csv(output, rows=rows, seed=seed, dirty=not clean)))
    if categories is not None:
        typer.echo(str(write_sample_categories(categories)))
