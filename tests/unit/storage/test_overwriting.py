"""No writer replaces a foreign file, a changed file, or one that it reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import ReportError
from petstore_frame.report import write_data

FRAME = pd.DataFrame({"id": [1], "name": ["Luna"], "category_id": [3], "status": ["sold"]})
PETS = pf.Inventory.from_frame(FRAME)
LIST = pd.DataFrame({"name": ["Luna", "Max"], "category_id": [3, 3]})
Writer = Callable[..., object]


def report(path: Path, **options: bool) -> object:
    return pf.write_report(PETS, path, **options)


def listing(path: Path, **options: bool) -> object:
    return write_data(PETS, path, **options)


def chart(path: Path, **options: bool) -> object:
    return pf.charts.status_chart(PETS).save(path, **options)


def comparison(path: Path, **options: bool) -> object:
    return pf.compare(LIST, PETS, on="name").write(path, **options)


def recipe(path: Path, **options: bool) -> object:
    return pf.Recipe(key="tag").write(path, **options)


WRITERS: dict[str, tuple[Writer, str]] = {
    "report as workbook": (report, "a.xlsx"),
    "report as CSV": (report, "a.csv"),
    "report as Parquet": (report, "a.parquet"),
    "report as page": (report, "a.html"),
    "listing as CSV": (listing, "a.csv"),
    "listing as JSON lines": (listing, "a.jsonl"),
    "listing as Parquet": (listing, "a.parquet"),
    "listing as workbook": (listing, "a.xlsx"),
    "chart as SVG": (chart, "a.svg"),
    "chart as PNG": (chart, "a.png"),
    "comparison": (comparison, "a.xlsx"),
    "recipe": (recipe, "a.toml"),
    "sample": (pf.sample_data.write_sample_csv, "a.csv"),
    "sample categories": (pf.sample_data.write_sample_categories, "a.csv"),
}
every_writer = pytest.mark.parametrize(("write", "name"), WRITERS.values(), ids=WRITERS)


@every_writer
def test_an_unchanged_file_of_ours_is_replaced(write: Writer, name: str, tmp_path: Path) -> None:
    """A daily script writes the same file again and again."""
    write(tmp_path / name)
    write(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 0


@every_writer
def test_a_changed_file_of_ours_needs_a_word(write: Writer, name: str, tmp_path: Path) -> None:
    """What somebody changed stays as it is until the call says overwrite."""
    path = tmp_path / name
    write(path)
    changed = path.read_bytes().replace(b"Luna", b"Lina") + b"\n"
    if name.endswith(".xlsx"):  # any other program writes its own properties
        pd.DataFrame({"name": ["Lina"]}).to_excel(path)
        changed = path.read_bytes()
    path.write_bytes(changed)
    with pytest.raises(ReportError, match="overwrite=True"):
        write(path)
    assert path.read_bytes() == changed
    write(path, overwrite=True)
    assert path.read_bytes() != changed


@every_writer
def test_a_foreign_file_needs_a_word(write: Writer, name: str, tmp_path: Path) -> None:
    """A file that this package did not write stays as it is."""
    path = tmp_path / name
    path.write_text("mine\n")
    with pytest.raises(ReportError, match="overwrite=True"):
        write(path)
    assert path.read_text() == "mine\n"


def test_a_file_that_is_read_is_never_written(tmp_path: Path) -> None:
    """The category list of a report, of a comparison or of a recipe is not replaced by it."""
    path = tmp_path / "categories.csv"
    pf.sample_data.write_sample_categories(path)
    before = path.read_bytes()
    workbook = tmp_path / "labels.xlsx"
    pd.DataFrame({"id": [3], "name": ["Cat"]}).to_excel(workbook, index=False)
    for write in (
        lambda: pf.write_report(PETS, path, categories=path, overwrite=True),
        lambda: pf.compare(LIST, PETS, on="name").write(
            workbook, categories=str(workbook), overwrite=True
        ),
        lambda: pf.Recipe(categories=path).write(path, overwrite=True),
    ):
        with pytest.raises(ReportError, match="is read by this call"):
            write()
    assert path.read_bytes() == before
