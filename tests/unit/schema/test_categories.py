"""Labels of categories: each by a whole number, and none where none is given."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.loader.source import Recipe, open_source
from petstore_frame.tables import Labels
from unit.loader.opened import rows_of, workbook_of, written


@pytest.mark.parametrize(
    "categories",
    [
        {3: "Cat"},
        {"3": "Cat"},
        {np.int64(3): "Cat"},
        pd.Series(["Cat"], index=[3.0]),
        {"Cat": 3},
        pd.Series([3.0], index=["Cat"]),
    ],
)
def test_an_id_may_be_written_in_several_ways(categories: Any) -> None:
    """What is plainly a whole number is an id, in a dict or a Series, either way round."""
    assert Labels(categories) == {3: "Cat"}
    assert Labels({"3": 7}) == {3: "7"}  # a key that is an id is never a label


@pytest.mark.parametrize(
    "key", [2.9, np.float32(2.9), True, np.True_, "Dog", "1_0", "٣", None, float("nan")]
)
def test_an_id_is_never_bent(key: Any) -> None:
    """2.9 is not category 2: a label would stand at another category."""
    for categories in ({key: "Dog"}, {"Cat": 3, key: "Dog"}):
        with pytest.raises(pf.ArgumentError, match="labels by id"):
            Labels(categories)
    with pytest.raises(pf.ArgumentError, match="a CSV file"):
        Labels(pd.DataFrame({"category_id": [3], "label": ["Cat"]}))  # type: ignore[arg-type]


def test_a_missing_label_is_left_out(tmp_path: Path) -> None:
    """A category without a label is shown by its number, not as nan or as nothing."""
    labels = ["Dog", None, float("nan"), pd.NA, ""]
    series = pd.Series(labels, index=[1, 2, 3, 4, 5], dtype="object")
    path = written(tmp_path, "category_id,label\n1,Dog\n2,\n3,\n")
    assert Labels(series) == Labels(path) == {1: "Dog"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('1,"Dog"x', "line 3: not a line of a categories file"),
        ("1_0,Dog", "line 3: '1_0' is not a category id"),
    ],
)
def test_a_line_that_is_not_a_label_is_named(tmp_path: Path, line: str, words: str) -> None:
    """A file with a broken line gives no labels, and the error has its place."""
    with pytest.raises(pf.InputError, match=words):
        Labels(written(tmp_path, f"category_id,label\n2,Cat\n{line}\n"))


@pytest.mark.parametrize("number", ["{}.0", "{},0", "{}.00", "+{}"])
def test_a_label_file_may_have_its_numbers_with_decimals(tmp_path: Path, number: str) -> None:
    """A whole number that a spreadsheet wrote as 1.0 is an id; 1.000 may be a thousand."""
    rows = [f'{label};"{number.format(at)}"' for at, label in enumerate(["Dog", "Cat"], 1)]
    path = written(tmp_path, "\n".join(["name;id", *rows]))
    assert Labels(path) == {1: "Dog", 2: "Cat"}
    with pytest.raises(pf.InputError, match="not clear which columns"):
        Labels(written(tmp_path, "name;id\nDog;1.000\nCat;2.000\n"))


def test_an_id_may_have_several_labels_to_be_read_by(tmp_path: Path) -> None:
    """Each label means its category in a file, and is near a typo; the last one is shown."""
    labels = written(tmp_path, "category_id,label\n1,Dog\n2,Cat\n2,Kitty\n", "categories.csv")
    animals = written(tmp_path, "name,category\nAda,cat\nBob,Kitty\nCy,Kity\n")
    for categories in (labels, pd.Series(["Dog", "Cat", "Kitty"], index=[1, 2, 2])):
        records = rows_of(animals, categories=categories)
        assert [record.state for record in records] == ["pending", "pending", "invalid"]
        assert "'kitty'" in records[2].problems[0].hint
    assert Labels(categories) == {1: "Dog", 2: "Kitty"}
    with pytest.warns(UserWarning, match="category 2 has the names 'Cat' and 'Kitty'; the last"):
        assert Labels(labels) == {1: "Dog", 2: "Kitty"}


@pytest.mark.parametrize(
    "content",
    [
        "3;Cat\n5;Dog\n",
        "Art\tNummer\nCat\t3\nDog\t5\n",
        "Number|Name|Count\n3|Cat|20\n5|Dog|7\n",
        "label,category_id\nCat,3\nDog,5\n".encode("utf-16"),
    ],
)
def test_a_label_file_may_have_any_two_columns(tmp_path: Path, content: str | bytes) -> None:
    """A number and a name per row are enough: any delimiter, any header or none, UTF-16 too."""
    assert Labels(written(tmp_path, content, "labels.txt")) == {3: "Cat", 5: "Dog"}


def test_a_label_file_may_be_a_workbook(tmp_path: Path) -> None:
    """Its only visible sheet with a number and a name is read; of several none is guessed."""
    book = workbook_of(tmp_path, ("Kind", "No"), ("Cat", 3), ("Dog", 5))
    book.create_sheet("About", 0).append(["Categories of 2026"])
    book.save(tmp_path / "pets.xlsx")
    assert Labels(tmp_path / "pets.xlsx") == {3: "Cat", 5: "Dog"}
    book.create_sheet("Old").append((3, "Bird"))
    book.save(tmp_path / "pets.xlsx")
    with pytest.raises(pf.InputError, match="'Pets' and 'Old'"):
        Labels(tmp_path / "pets.xlsx")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PAR1", "this is a Parquet file; save it as CSV"),
        (b'{"id": 1, "name": "Dog"}\n', "a file of JSON lines; save it as CSV"),
        (b'[{"id": 1}]', "a JSON document; save it as CSV"),
        (b"%PDF-1.7", "a PDF document"),
        (b"<html><table>", "a web page"),
        (b"\xd0\xcf\x11\xe0", r"an old Office file \(.xls\)"),
        ("3,Cat\n".encode("utf-16-le"), "UTF-16 text without a byte order mark"),
        ("3,Cat\n5,Zoë\n".encode("cp1252"), "line 2: the categories file is not UTF-8 text"),
    ],
)
def test_a_label_file_of_another_kind_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    """As a file of animals is, with what to save it as."""
    with pytest.raises(pf.InputError, match=words) as refused:
        Labels(written(tmp_path, content, "labels"))
    assert refused.value.path and refused.value.hint


@pytest.mark.parametrize(
    ("part", "words"),
    [("mimetype", "an OpenDocument file"), ("xl/workbook.bin", "xlsb"), ("a.csv", "a zip file")],
)
def test_an_archive_of_labels_is_named(tmp_path: Path, part: str, words: str) -> None:
    """What is no workbook is called what it is."""
    path = tmp_path / "labels.xlsx"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(part, "application/vnd.oasis.opendocument.spreadsheet")
    with pytest.raises(pf.InputError, match=words):
        Labels(path)


def test_a_label_file_may_be_packed(tmp_path: Path) -> None:
    """By gzip, as a file of animals may be."""
    assert Labels(written(tmp_path, gzip.compress(b"3,Cat\n"), "labels.csv.gz")) == {3: "Cat"}


def test_a_load_warns_of_labels_and_ids_with_several_meanings(tmp_path: Path) -> None:
    """Two names of an id, and two ids of a name, are said once; that name needs fixing."""
    labels = written(tmp_path, "1,Dog\n1,Hund\n3,Dog\n2,Cat\n", "labels.csv")
    source = open_source(
        written(tmp_path, "name,category\nAda,Hund\nBo,Dog\n"), Recipe(categories=str(labels))
    )
    assert [row.state for row in source] == ["pending", "invalid"]
    assert [warning.removeprefix(f"{labels}: ") for warning in source.warnings()] == [
        "category 1 has the names 'Dog' and 'Hund'",
        "the name 'Dog' has the categories 1 and 3",
    ]


@pytest.mark.parametrize("content", ["a,b,3\nc,d,4\n", "1,2\n3,4\n", "Cat\nDog\n", ""])
def test_a_label_file_that_is_not_clear_is_rejected(tmp_path: Path, content: str) -> None:
    """Which column is the name is never guessed."""
    with pytest.raises(pf.InputError, match="write two columns, a number and a name"):
        Labels(written(tmp_path, content, "labels.txt"))
