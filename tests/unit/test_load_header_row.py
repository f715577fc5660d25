"""A header below a title is found by its row, and proposed where it was not named."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.call import SHELL
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe

TITLED = [["Arrivals from Anna"], [], ["name", "category_id", "status"], ["Ada", "1", "sold"]]


def write(path: Path, rows: list[list[str]]) -> Path:
    """Write the same rows as text, or as a workbook."""
    if path.suffix == ".csv":
        path.write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
        return path
    book = openpyxl.Workbook()
    for at, row in enumerate(rows, 1):
        for column, text in enumerate(row, 1):
            book.active.cell(at, column, text)
    book.save(path)
    return path


@pytest.fixture(params=["csv", "xlsx"])
def titled(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write(tmp_path / f"anna.{request.param}", TITLED)


def test_the_row_that_looks_like_the_header_is_proposed(titled: Path) -> None:
    """A title above the header is refused with the option that skips it."""
    with pytest.raises(InputError, match="'Arrivals from Anna'") as refused:
        open_source(titled)
    assert "row 3 looks like the header: header_row=3" in str(refused.value)
    assert refused.value.phrased_by(SHELL).endswith("--header-row 3")


def test_the_header_is_where_it_is_said_to_be(titled: Path) -> None:
    """What is above the named row is not read; lines are counted from the file's first."""
    with open_source(titled, Recipe(header_row=3)) as source:
        (record,) = source
    assert source.columns == ("name", "category_id", "status")
    assert (record.number, record.line, record.cells[0]) == (1, 4, "Ada")


def test_without_a_header_below_the_columns_are_asked_for(tmp_path: Path) -> None:
    """Nothing is proposed where no row has the needed columns."""
    path = write(tmp_path / "pets.csv", [["Anna"], ["Ada", "1"], ["Bo", "2"]])
    with pytest.raises(InputError, match="needs columns=") as refused:
        open_source(path)
    assert "header_row" not in str(refused.value)


def test_a_row_that_is_not_there_is_refused(titled: Path) -> None:
    """A row past the end and row 0 are refused."""
    with pytest.raises(InputError, match=r"no header in (row|line) 9"):
        open_source(titled, Recipe(header_row=9))
    with pytest.raises(ArgumentError, match="header_row"):
        open_source(titled, Recipe(header_row=0))


def test_a_blank_row_is_no_header(titled: Path) -> None:
    """The row that was named must hold column names, in text as in a workbook."""
    with pytest.raises(InputError, match=r"no header in (line|row) 2"):
        open_source(titled, Recipe(header_row=2))
