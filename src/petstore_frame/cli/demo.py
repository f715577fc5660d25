"""``petstore-frame demo``: the main job once through, on this machine alone."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from petstore_frame.cli.load_words import write_files

if TYPE_CHECKING:
    from petstore_frame.client import Client
    from petstore_frame.inventory import Inventory
    from petstore_frame.loader.results.results import LoadResult

SHOWN_PROBLEMS = 5


def demo(
    folder: Annotated[Path, typer.Option(help="Where the files go.", file_okay=False)] = Path(
        "petstore-demo"
    ),
    rows: Annotated[int, typer.Option(min=1, help="Animals in the sample file.")] = 2_000,
    seed: Annotated[int, typer.Option(help="The same seed writes the same file.")] = 7,
) -> None:
    """Start a store, load a file into it, read it back, and write a workbook.

    Everything happens on this machine: the store is a small service of its own that ends with
    this command.

    Example: petstore-frame demo --rows 500
    """
    from petstore_frame.bundled.server import serve
    from petstore_frame.report import write_report

    folder.mkdir(parents=True, exist_ok=True)
    arrivals, categories, report = (
        folder / name for name in ("arrivals.csv", "categories.csv", "inventory.xlsx")
    )
    typer.echo(f"Everything happens on this machine; the files go to {folder}/")
    # The store is new at each run, so the memory of earlier imports would only be in the way.
    with serve() as server, server.client() as client, TemporaryDirectory() as journal:
        _step("A store", f"{server.base_url}, process {server.pid}, with a key made for this run")
        _write_sample(arrivals, categories, rows, seed)
        result = _load(arrivals, client, categories, Path(journal))
        inventory = _read_back(client, categories)
        results = write_files(result, folder / "results")
        write_report(inventory, report, categories=categories, results=result)
    _name_files([arrivals, categories, *results, report])
    _say_what_next(folder, report, arrivals, categories)


def _write_sample(arrivals: Path, categories: Path, rows: int, seed: int) -> None:
    from petstore_frame.bundled.samples import write_sample_categories, write_sample_csv

    write_sample_csv(arrivals, rows=rows, seed=seed)
    write_sample_categories(categories)
    _step("A file", f"{arrivals}: {rows:,} animals as people send them, some rows dirty")


def _load(arrivals: Path, client: Client, categories: Path, journal: Path) -> LoadResult:
    from petstore_frame.loader.load import load_csv

    _step("Loading", "one request per good row; each row ends in exactly one state")
    result = load_csv(arrivals, client, key="animal_id", categories=categories, journal=journal)
    typer.echo(_indented(str(result)))
    return result


def _read_back(client: Client, categories: Path) -> Inventory:
    from petstore_frame.counts.summary import summarize
    from petstore_frame.inventory import fetch_inventory

    inventory = fetch_inventory(client)
    _step("Reading back", str(inventory.completeness))
    table = str(summarize(inventory, categories=categories))
    typer.echo(_indented(table.partition("\n\n")[2]))
    return inventory


def _name_files(paths: list[Path]) -> None:
    _step("Files", "all that was written")
    for path in paths:
        typer.echo(f"    {path}")


def _say_what_next(folder: Path, report: Path, arrivals: Path, categories: Path) -> None:
    notebooks = _copy_notebooks(folder)
    _step("Next", "type one of these")
    if notebooks is not None:
        typer.echo(f"    jupyter lab {notebooks}")
    typer.echo("    petstore-frame dashboard --sample 500")
    typer.echo(f"    libreoffice {report}   (or open it in Excel)")
    typer.echo("\nThis store has ended. One of your own, to load the file into:")
    typer.echo("    petstore-frame serve --api-key-file store.key")
    typer.echo("and in another terminal:")
    typer.echo(
        '    export PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 PETSTORE_API_KEY="$(cat store.key)"'
    )
    typer.echo(f"    petstore-frame load {arrivals} --key animal_id --categories {categories}")


def _copy_notebooks(folder: Path) -> Path | None:
    """Put the package's notebooks into a folder of their own, where they write their own files."""
    home = files("petstore_frame") / "notebooks"
    if not home.is_dir():
        return None
    place = folder / "notebooks"
    place.mkdir(exist_ok=True)
    for notebook in home.iterdir():
        if notebook.name.endswith(".ipynb") and not (place / notebook.name).exists():
            with notebook.open("rb") as source, (place / notebook.name).open("wb") as target:
                shutil.copyfileobj(source, target)
    return place / "01_first_look.ipynb"


def _step(title: str, text: str) -> None:
    typer.echo(f"\n{typer.style(title, bold=True)}: {text}")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
