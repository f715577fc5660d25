"""``petstore-frame demo``, the main job once through, and ``sample``, a file to load."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.load import write_files
from petstore_frame.cli.options import AsJson, finish, switch, to_write


def sample(
    output: Annotated[Path, to_write("The CSV to write.")] = Path("arrivals.csv"),
    rows: Annotated[int, Option(min=0, help="Number of animals.")] = 2_000,
    seed: Annotated[int, Option(help="The same seed writes the same file.")] = 7,
    clean: Annotated[bool, switch("clean", "Write valid records only.")] = False,
    categories: Annotated[Path | None, Option(help="Write the category labels here too.")] = None,
    template: Annotated[
        bool, switch("template", "Write the columns alone, to be filled in.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write made-up animals as CSV, about one record in twenty with a typical mistake.

    Example: petstore-frame sample --output arrivals.csv --categories categories.csv
    """
    from petstore_frame.report import refuse_impossible

    for path in (output, categories):
        if path is not None:
            refuse_impossible(path)
    if template:
        rows, written = 0, [pf.samples.write_template(output)]
    else:
        written = [pf.samples.write_sample_csv(output, rows=rows, seed=seed, dirty=not clean)]
    if categories is not None:
        written.append(pf.samples.write_sample_categories(categories))
    named = [str(file) for file in written]
    facts = {"output": str(output), "rows": rows, "files": named}
    finish(facts, "\n".join(named), as_json=as_json)


def demo(
    folder: Annotated[Path, Option(help="Where the files go.", file_okay=False)] = Path(
        "petstore-demo"
    ),
    rows: Annotated[int, Option(min=1, help="Animals in the sample file.")] = 2_000,
    seed: Annotated[int, Option(help="The same seed writes the same file.")] = 7,
) -> None:
    """Start a store, load a file into it, read it back, and write a workbook.

    Everything happens on this machine: the store is a small service of its own that ends with
    this command.

    Example: petstore-frame demo --rows 500
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrivals, categories, report = (
        folder / name for name in ("arrivals.csv", "categories.csv", "inventory.xlsx")
    )
    typer.echo(f"Everything happens on this machine; the files go to {folder}/")
    # The store is new at each run, so the memory of earlier imports would only be in the way.
    with pf.serve() as server, server.client() as client, TemporaryDirectory() as journal:
        _step("A store", f"{server.base_url}, process {server.pid}, with a key made for this run")
        pf.samples.write_sample_csv(arrivals, rows=rows, seed=seed)
        pf.samples.write_sample_categories(categories)
        _step("A file", f"{arrivals}: {rows:,} animals as people send them, some rows dirty")
        _step("Loading", "one request per good row; each row ends in exactly one state")
        result = pf.load_csv(
            arrivals, client, key="animal_id", categories=categories, journal=journal
        )
        typer.echo(_indented(str(result)))
        inventory = pf.fetch_inventory(client)
        _step("Reading back", str(inventory.completeness))
        table = str(pf.summarize(inventory, categories=categories))
        typer.echo(_indented(table.partition("\n\n")[2]))
        results = write_files(result, folder / "results")
        pf.write_report(inventory, report, categories=categories, results=result)
    _step("Files", "all that was written")
    typer.echo(_indented("\n".join(map(str, [arrivals, categories, *results, report]))))
    _say_what_next(folder, report, arrivals, categories)


def _say_what_next(folder: Path, report: Path, arrivals: Path, categories: Path) -> None:
    notebooks = _copy_notebooks(folder)
    shown = [] if notebooks is None else [f"jupyter lab {notebooks}"]
    shown += [
        "petstore-frame dashboard --sample 500",
        f"libreoffice {report}   (or open it in Excel)",
    ]
    _step("Next", "type one of these")
    typer.echo(_indented("\n".join(shown)))
    typer.echo(
        f"""
This store has ended. One of your own, to load the file into:
    petstore-frame serve --api-key-file store.key
and in another terminal:
    export PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 PETSTORE_API_KEY="$(cat store.key)"
    petstore-frame load {arrivals} --key animal_id --categories {categories}"""
    )


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
