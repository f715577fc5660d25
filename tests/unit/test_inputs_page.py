"""The page on awkward inputs says of each what happens to it."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import Record, State

ROOT = Path(__file__).parents[2]
INPUTS = ROOT / "tests" / "unit" / "inputs"
PAGE = (ROOT / "docs" / "inputs.md").read_text("utf-8")
LINES = [
    [cell.strip() for cell in line.strip("| ").replace("\\|", "¦").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]
FILES = {cells[0].strip("`"): cells[2] for cells in LINES if cells[0].startswith("`")}
OTHERS = {
    cells[0]: cells[1] for cells in LINES if not cells[0].startswith(("`", "-", "file", "input"))
}


def fate_of(record: Record) -> str:
    if record.state is State.SKIPPED:
        return "skipped"
    if record.problem is not None:
        return "to confirm" if record.problem.accept else "to fix"
    return "sent with a warning" if record.notes else "sent"


def fates_of(source: Any) -> set[str]:
    try:
        with open_source(source, Recipe()) as opened:
            return {fate_of(record) for record in opened} or {"nothing"}
    except InputError:
        return {"refused"}


@pytest.mark.parametrize("name", sorted(path.name for path in INPUTS.glob("[0-9]*")))
def test_each_file_meets_the_fate_of_its_line(name: str) -> None:
    """What the page says of a file is what its records come to."""
    assert fates_of(INPUTS / name) == set(FILES[name].split(", "))


def test_no_line_is_of_a_file_that_is_not_there() -> None:
    """The page lists the files, and only those."""
    assert set(FILES) == {path.name for path in INPUTS.glob("[0-9]*")}


def workbook(folder: Path, *rows: tuple[Any, ...], **cells: Any) -> Path:
    book = openpyxl.Workbook()
    for row in (("name", "category_id", "status"), ("Rex", 3, None), ("Luna", 4, None), *rows):
        book.active.append(row)
    for place, value in cells.items():
        book.active[place] = value
    book.save(folder / "pets.xlsx")
    return folder / "pets.xlsx"


def changed(folder: Path, change: Callable[[openpyxl.Workbook], Any]) -> Path:
    path = workbook(folder, ("Bo", 5, None), ("Max", 6, None))
    book = openpyxl.load_workbook(path)
    change(book)
    book.save(path)
    return path


def hide_a_row(book: openpyxl.Workbook) -> None:
    book.active.row_dimensions[3].hidden = True


def hide_a_sheet(book: openpyxl.Workbook) -> None:
    book.create_sheet("Old").append(["x"])
    book["Old"].sheet_state = "hidden"


def bomb(folder: Path) -> Path:
    path = workbook(folder)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/more.xml", b"\0" * 2**26)
    return path


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


BUILD: dict[str, Callable[[Path], Any]] = {
    "a row that a filter hides": lambda folder: changed(folder, hide_a_row),
    "merged cells below the header": lambda folder: changed(
        folder, lambda book: book.active.merge_cells("B3:B4")
    ),
    "a formula that was never calculated": lambda folder: workbook(folder, ("=A2", 3, None)),
    "a cell that shows an error": lambda folder: workbook(folder, ("#REF!", 3, None)),
    "a date as a name": lambda folder: workbook(folder, (date(2026, 11, 5), 3, None)),
    "TRUE as a name": lambda folder: workbook(folder, (True, 3, None)),
    "a category id of 16 digits, as a number": lambda folder: workbook(
        folder, ("Bo", 1234567890123456, None)
    ),
    "several sheets": lambda folder: changed(
        folder, lambda book: book.create_sheet("More").append(["x"])
    ),
    "a sheet beside hidden ones": lambda folder: changed(folder, hide_a_sheet),
    "a workbook that unpacks to far more than its size": bomb,
    "a DataFrame with missing names": lambda _: pd.DataFrame(
        {"name": ["Rex", None], "category_id": [3, 4]}
    ),
    "a folder": lambda folder: folder,
    "a pipe": pipe,
    "a device that never ends": lambda _: "/dev/zero",
    "a cell of megabytes": lambda folder: _text(folder, f"name,category_id\n{'x' * 2**21},3\n"),
}


def _text(folder: Path, text: str) -> Path:
    (folder / "pets.csv").write_text(text, encoding="utf-8")
    return folder / "pets.csv"


@pytest.mark.parametrize("what", BUILD)
def test_each_other_input_meets_the_fate_of_its_line(what: str, tmp_path: Path) -> None:
    """Workbooks, frames and what is no file at all."""
    assert fates_of(BUILD[what](tmp_path)) == set(OTHERS[what].split(", "))


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """Whoever writes faster than the reader reads does not keep it busy for ever."""
    path = _text(tmp_path, "name,category_id\n" + "Rex,3\n" * 2000)
    assert OTHERS["a file that grows while it is read"] == "refused"
    with open_source(path) as source, path.open("a", encoding="utf-8") as more:
        with pytest.raises(InputError, match="changed while it was being read"):
            for _ in source:
                more.write("Bo,4\n")
                more.flush()
    assert set(OTHERS) == {*BUILD, "a file that grows while it is read"}
