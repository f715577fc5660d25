"""A header is read whole, however many columns it names, or refused; it is never cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe

WIDE = [f"question_{number:05d}_of_a_survey" for number in range(5000)]


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_header_of_thousands_of_columns_is_read_whole(tmp_path: Path) -> None:
    """The survey's last columns count too, and each record has as many cells."""
    columns = ",".join([*WIDE, "name", "category_id"])
    path = write(tmp_path / "wide.csv", columns, "x," * len(WIDE) + "Luna,3")
    with open_source(path) as source:
        (record,) = source
    assert len(source.columns) == len(WIDE) + 2
    assert (record.state, len(record.cells)) == ("pending", len(WIDE) + 2)


def test_a_header_below_a_very_long_title_is_found(tmp_path: Path) -> None:
    """The row that a refusal proposes can be read then."""
    path = write(tmp_path / "titled.csv", "x" * 70_000, "name,category_id", "Luna,3")
    with pytest.raises(InputError, match="header_row=2"):
        open_source(path)
    with open_source(path, Recipe(header_row=2)) as source:
        assert [record.state for record in source] == ["pending"]


@pytest.mark.parametrize("line", ["name,category_id," + "x," * 600_000, "x" * 1_200_000], ids=len)
def test_a_header_without_end_is_refused(tmp_path: Path, line: str) -> None:
    """A first line of over a megabyte is reported as such, not as records with too many cells."""
    path = write(tmp_path / "endless.csv", line, "Luna,3")
    with pytest.raises(InputError, match=r"line 1: .*longer than 1,048,576 characters"):
        open_source(path)
