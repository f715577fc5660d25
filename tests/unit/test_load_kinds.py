"""Files and frames that are of another kind than they seem are named as what they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe

CSV = "name,category_id\nLuna,3\n"


@pytest.mark.parametrize("load", [pf.load_csv, pf.load_excel])
def test_a_packed_csv_file_is_called_a_zip_file(tmp_path: Path, load) -> None:
    """Neither of the two functions sends the reader to the other one."""
    path = tmp_path / "a.csv.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.csv", CSV)
    with pf.Client("http://127.0.0.1:9/v1", "a-key") as client:
        with pytest.raises(
            ArgumentError, match=r"is a zip file, but not an \.xlsx workbook; unpack"
        ):
            load(path, client, journal=tmp_path / "journal")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE html>\n<html><body>\n", "an HTML page or XML"),
        ('[{"name": "Luna", "categoryId": 3}]\n', "JSON"),
        ('{"pets": []}\n', "JSON"),
    ],
)
def test_another_text_format_is_named(tmp_path: Path, text: str, words: str) -> None:
    """A page or JSON saved as .csv needs an export, not a mapping."""
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"looks like {words}, not like CSV") as refused:
        open_source(path)
    assert "mapping" not in str(refused.value)


def test_a_block_of_zeros_is_no_other_encoding(tmp_path: Path) -> None:
    """What a crashed export leaves at the end of a file costs one record, not the file."""
    path = tmp_path / "a.csv"
    path.write_bytes(CSV.encode() + bytes(500))
    with open_source(path) as source:
        assert [record.state for record in source] == ["pending", "invalid"]
    path.write_bytes(CSV.encode("utf-16-be"))
    with pytest.raises(InputError, match="encoding='utf-16-be'"):
        open_source(path)


def test_the_one_sheet_that_a_person_sees_is_read(tmp_path: Path) -> None:
    """A hidden sheet is not offered as a choice, and is marked where sheets are listed."""
    book = openpyxl.Workbook()
    for line in CSV.splitlines():
        book.active.append(line.split(","))
    book.create_sheet("Lists").sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    with open_source(tmp_path / "a.xlsx") as source:
        assert [record.state for record in source] == ["pending"]
        assert source.name == "a.xlsx (sheet Sheet)"
    book.create_sheet("More")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match=r"the sheets 'Sheet', 'Lists' \(hidden\), 'More'"):
        open_source(tmp_path / "a.xlsx")


def test_a_frame_whose_names_are_its_index_is_told_how_to_get_them(tmp_path: Path) -> None:
    """The index is not read, so the way to make it a column is the hint."""
    frame = pd.DataFrame({"name": ["Luna"], "category_id": [3]}).set_index("name")
    with pytest.raises(InputError, match=r"the index \(name\) is not read; load frame.reset_index"):
        open_source(frame)
    with open_source(frame.reset_index()) as source:
        assert [record.state for record in source] == ["pending"]


def test_a_column_that_is_a_number_is_named_as_text() -> None:
    """The columns of a frame without a header are 0, 1, ...; a mapping names them as text."""
    frame = pd.DataFrame([["Luna", 3]])
    with pytest.raises(ArgumentError, match="columns are named as text: '0'"):
        open_source(frame, Recipe(mapping={"name": 0, "category_id": 1}))
    with open_source(frame, Recipe(mapping={"name": "0", "category_id": "1"})) as source:
        assert [record.state for record in source] == ["pending"]
