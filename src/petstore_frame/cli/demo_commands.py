"""Defines ``petstore-frame demo``, a tour of the main steps, and ``sample``, a file to load."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Annotated

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.endings import refuse
from petstore_frame.cli.options import Overwrite


def sample(
    output: Annotated[Path, Option("--output", "-o", help="CSV file to write.")] = Path(
        "arrivals.csv"
    ),
    rows: Annotated[int, Option(min=0, help="Number of animals.")] = 2_000,
    seed: Annotated[
        int, Option(help="Seed of the sample data; the same seed writes the same file.")
    ] = 7,
    categories: Annotated[
        Path | None, Option(help="File for the category list.", show_default="not written")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a CSV file of sample animals.

    About one row in twenty has a typical mistake.

    Example: petstore-frame sample --output arrivals.csv --categories categories.csv
    """
    if categories == output:
        refuse(f"--output and --categories both name {output}")
    typer.echo(pf.sample_data.write_sample_csv(output, rows=rows, seed=seed, overwrite=overwrite))
    if categories is not None:
        typer.echo(pf.sample_data.write_sample_categories(categories, overwrite=overwrite))


def demo(
    folder: Annotated[Path, Option(help="Folder for the demo files.", file_okay=False)] = Path(
        "petstore-demo"
    ),
    rows: Annotated[int, Option(min=1, help="Number of animals in the sample file.")] = 2_000,
) -> None:
    """Try the main steps on this machine, with a sample store.

    The demo starts a store, loads a file into it, reads it back, and writes a workbook. The store
    ends with this command.

    Example: petstore-frame demo --rows 500
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = ("arrivals.csv", "categories.csv", "inventory.xlsx")
    arrivals, categories, report = (folder / name for name in names)
    typer.echo(f"Everything happens on this machine; the files are written to {folder}/")
    # Every run has a new store, so it needs a new journal. The user's own may know another store
    # that had the same port.
    with pf.serve() as server, server.client() as client, TemporaryDirectory() as journal:
        _step("A store", f"{server.base_url}, with a key for this run")
        pf.sample_data.write_sample_csv(arrivals, rows=rows)
        pf.sample_data.write_sample_categories(categories)
        _step("A file", f"{arrivals}: {rows:,} animals, some with typical mistakes")
        _step("Loading", "one request for each valid row; a row with a mistake is not sent")
        result = pf.load(arrivals, client, key="animal_id", categories=categories, journal=journal)
        _show(_outcome(result))
        inventory = pf.fetch_inventory(client)
        _step("Reading back", str(inventory.completeness))
        _show(str(pf.summarize(inventory, categories=categories)).partition("\n\n")[2])
        results = result.write(folder / "results")
        pf.write_report(inventory, report, categories=categories, journal=journal)
    _step("Files", "everything that was written")
    _show("\n".join(map(str, [arrivals, categories, *results, report, *_copy_notebooks(folder)])))
    _step("Next", "three things to try; each line can be copied")
    _show(_next_steps(arrivals, categories, folder / "results"))


def _outcome(result: pf.LoadResult) -> str:
    """Describe what happened to the rows, with an example of a row to fix."""
    lines = [f"{len(result.created):>6,}  created: in the store"]
    fix = result.fix
    if len(fix):
        lines.append(f"{len(fix):>6,}  to fix: not sent; all are in fix.csv, such as")
        row = fix.sort_values("error_value", key=lambda values: values.fillna("") == "").iloc[0]
        value = f" is {row['error_value']!r}" if isinstance(row["error_value"], str) else ""
        lines.append(f"        line {row['line']}: {row['error_column']}{value}: {row['hint']}")
    return "\n".join(lines)


def _next_steps(arrivals: Path, categories: Path, results: Path) -> str:
    """Return commands to try next; they start a new store, because this one has ended."""
    from petstore_frame.questions import command_line

    recipe = ["petstore-frame", "recipe", str(arrivals)]
    load = ["petstore-frame", "load", str(arrivals), "--key", "animal_id"]
    load += ["--categories", str(categories), "--output", str(results)]
    return f"""\
1. See a store in the browser, with the dashboard
     petstore-frame dashboard --sample 500
2. See how a file would be read, and what is left to decide; nothing is sent
     {command_line(recipe)}
3. Start your own store, which ends with Ctrl-C
     petstore-frame serve --api-key-file store.key
   and load the file into it in a second terminal
     {_set_store("http://127.0.0.1:8080/v1", "store.key")}
     {command_line(load)}"""


def _set_store(base_url: str, key_file: str) -> str:
    """Return the command that sets the store address and key in the shell of this system."""
    if os.name == "nt":  # PowerShell
        key = f"(Get-Content {key_file})"
        return f'$env:PETSTORE_BASE_URL="{base_url}"; $env:PETSTORE_API_KEY={key}'
    return f'export PETSTORE_BASE_URL={base_url} PETSTORE_API_KEY="$(cat {key_file})"'


def _copy_notebooks(folder: Path) -> list[Path]:
    """Copy the notebooks of the package to a folder where they can write their files."""
    notebooks = folder / "notebooks"
    for notebook in Path(pf.__file__).parent.glob("notebooks/*.ipynb"):
        notebooks.mkdir(exist_ok=True)
        if not (notebooks / notebook.name).exists():
            shutil.copyfile(notebook, notebooks / notebook.name)
    return sorted(notebooks.glob("*.ipynb"))


def _step(title: str, text: str) -> None:
    typer.echo(f"\n{typer.style(title, bold=True)}: {text}")


def _show(text: str) -> None:
    typer.echo(indent(text, "    "))
