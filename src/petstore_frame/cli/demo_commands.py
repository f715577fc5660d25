"""``petstore-frame demo``, the main job once through, and ``sample``, a file to load."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Annotated

import typer
from typer import Option

import petstore_frame as pf


def sample(
    output: Annotated[Path, Option("--output", "-o", help="CSV.")] = Path("arrivals.csv"),
    rows: Annotated[int, Option(min=0, help="Number of animals.")] = 2_000,
    seed: Annotated[int, Option(help="The same seed writes the same file.")] = 7,
    categories: Annotated[Path | None, Option(help="Write the category labels here too.")] = None,
) -> None:
    """Write made-up animals as CSV, about one record in twenty with a typical mistake.

    Example: petstore-frame sample --output arrivals.csv --categories categories.csv
    """
    typer.echo(pf.sample_data.write_sample_csv(output, rows=rows, seed=seed))
    if categories is not None:
        typer.echo(pf.sample_data.write_sample_categories(categories))


def demo(
    folder: Annotated[Path, Option(help="Of the files.", file_okay=False)] = Path("petstore-demo"),
    rows: Annotated[int, Option(min=1, help="Animals in the sample file.")] = 2_000,
) -> None:
    """Start a store, load a file into it, read it back, and write a workbook.

    The store is a small service on this machine that ends with this command.

    Example: petstore-frame demo --rows 500
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = ("arrivals.csv", "categories.csv", "inventory.xlsx")
    arrivals, categories, report = (folder / name for name in names)
    typer.echo(f"Everything happens on this machine; the files go to {folder}/")
    # The store is new at each run, so the memory of earlier imports would only be in the way.
    with pf.serve() as server, server.client() as client, TemporaryDirectory() as journal:
        _step("A store", f"{server.base_url}, with a key made for this run")
        pf.sample_data.write_sample_csv(arrivals, rows=rows)
        pf.sample_data.write_sample_categories(categories)
        _step("A file", f"{arrivals}: {rows:,} animals as people send them")
        _step("Loading", "one request for each good row; a row with a mistake is not sent")
        result = pf.load(arrivals, client, key="animal_id", categories=categories, journal=journal)
        _show(_became(result))
        inventory = pf.fetch_inventory(client)
        _step("Reading back", str(inventory.completeness))
        _show(str(pf.summarize(inventory, categories=categories)).partition("\n\n")[2])
        results = result.write(folder / "results")
        pf.write_report(inventory, report, categories=categories)
    _step("Files", "all that was written")
    _show("\n".join(map(str, [arrivals, categories, *results, report, *_copy_notebooks(folder)])))
    _step("Next", "three things to try, each as it stands")
    _show(_next(arrivals, categories, folder / "results"))


def _became(result: pf.LoadResult) -> str:
    """Say what became of the rows, with the first of those to fix that has a value."""
    lines = [f"{len(result.created):>6,}  created: in the store"]
    fix = result.fix
    if len(fix):
        lines.append(f"{len(fix):>6,}  to fix: not sent; all are in fix.csv, such as")
        row = fix.sort_values("error_value", key=lambda values: values.fillna("") == "").iloc[0]
        value = f" is {row['error_value']!r}" if isinstance(row["error_value"], str) else ""
        lines.append(f"        line {row['line']}: {row['error_column']}{value}: {row['hint']}")
    return "\n".join(lines)


def _next(arrivals: Path, categories: Path, results: Path) -> str:
    """Return what a newcomer may type next; this run's store has ended by then."""
    load = ["petstore-frame", "load", str(arrivals), "--key", "animal_id"]
    load += ["--categories", str(categories), "--output", str(results)]
    return f"""\
1. See a store in the browser, with the dashboard
     petstore-frame dashboard --sample 500
2. See what is recognised in a file, and what is left to say; nothing is sent
     {shlex.join(["petstore-frame", "recipe", str(arrivals)])}
3. Start a store of your own, which ends with Ctrl-C
     petstore-frame serve --api-key-file store.key
   and in a second terminal load the file into it
     export PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 PETSTORE_API_KEY="$(cat store.key)"
     {shlex.join(load)}"""


def _copy_notebooks(folder: Path) -> list[Path]:
    """Put the package's notebooks into a folder of their own, where they write their own files."""
    place = folder / "notebooks"
    for notebook in Path(pf.__file__).parent.glob("notebooks/*.ipynb"):
        place.mkdir(exist_ok=True)
        if not (place / notebook.name).exists():
            shutil.copyfile(notebook, place / notebook.name)
    return sorted(place.glob("*.ipynb"))


def _step(title: str, text: str) -> None:
    typer.echo(f"\n{typer.style(title, bold=True)}: {text}")


def _show(text: str) -> None:
    typer.echo(indent(text, "    "))
