"""``petstore-frame recipe``: the draft of how a kind of file is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from petstore_frame.cli.commands import REFUSED, end
from petstore_frame.cli.options import HowRead, to_write


def recipe(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV or .xlsx file.")],
    *,
    reading: HowRead,
    output: Annotated[Path | None, to_write("Recipe to write: .toml; else it is printed.")] = None,
) -> None:
    """Draft a recipe: what was recognised in a whole file, with counts, ready to be filled in.

    Fill in what has a question mark, then load the file with --recipe, and the next one of its
    kind, too. Nothing is sent.

    Example: petstore-frame recipe arrivals.csv --output arrivals.toml
    """
    from petstore_frame.loader.reading.recipe import Recipe

    text = Recipe.draft(path, **reading.of(path).given())
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        with output.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        end(f"{output} is there; choose another name, or delete it first", REFUSED)
    typer.echo(f"wrote {output}; fill in what has a question mark")
