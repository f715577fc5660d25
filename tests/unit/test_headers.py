"""A header is found below a title and proposed, and is read whole or refused; it is never cut."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.call import SHELL
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from unit.opened import written

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


WIDE = [f"question_{number:05d}_of_a_survey" for number in range(5000)]


def test_a_header_of_thousands_of_columns_is_read_whole(tmp_path: Path) -> None:
    """The survey's last columns count too, and each record has as many cells."""
    columns = ",".join([*WIDE, "name", "category_id"])
    path = written(tmp_path, f"{columns}\n{'x,' * len(WIDE)}Luna,3\n")
    with open_source(path) as source:
        (record,) = source
    assert len(source.columns) == len(WIDE) + 2
    assert (record.state, len(record.cells)) == ("pending", len(WIDE) + 2)


def test_a_header_below_a_very_long_title_is_found(tmp_path: Path) -> None:
    """The row that a refusal proposes can be read then."""
    path = written(tmp_path, f"{'x' * 70_000}\nname,category_id\nLuna,3\n")
    with pytest.raises(InputError, match="header_row=2"):
        open_source(path)
    with open_source(path, Recipe(header_row=2)) as source:
        assert [record.state for record in source] == ["pending"]


@pytest.mark.parametrize("line", ["name,category_id," + "x," * 600_000, "x" * 1_200_000], ids=len)
def test_a_header_without_end_is_refused(tmp_path: Path, line: str) -> None:
    """A first line of over a megabyte is reported as such, not as records with too many cells."""
    path = written(tmp_path, f"{line}\nLuna,3\n")
    with pytest.raises(InputError, match=r"line 1: .*longer than 1,048,576 characters"):
        open_source(path)
