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
    with pytest.raises(pf.ArgumentError, match="the columns id and name"):
        Labels(pd.DataFrame({"category_id": [3], "label": ["Cat"]}))  # type: ignore[arg-type]


def test_a_missing_label_is_left_out(tmp_path: Path) -> None:
    """A category without a label is shown by its number, not as nan or as nothing."""
    labels = ["Dog", None, float("nan"), pd.NA, ""]
    series = pd.Series(labels, index=[1, 2, 3, 4, 5], dtype="object")
    path = written(tmp_path, "id,name\n1,Dog\n2,\n3,\n")
    assert Labels(series) == Labels(path) == {1: "Dog"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('1,"Dog"x', "line 3: the row that begins here cannot be read"),
        ("1_0,Dog", "line 3: '1_0' is not a category id"),
    ],
)
def test_a_line_that_is_not_a_label_is_named(tmp_path: Path, line: str, words: str) -> None:
    """A file with a broken line gives no labels, and the error has its place."""
    with pytest.raises(pf.InputError, match=words):
        Labels(written(tmp_path, f"id,name\n2,Cat\n{line}\n"))


@pytest.mark.parametrize("number", ["{}.0", "{},0", "{}.00", "+{}"])
def test_a_label_file_may_have_its_numbers_with_decimals(tmp_path: Path, number: str) -> None:
    """A whole number that a spreadsheet wrote as 1.0 is an id; 1.000 may be a thousand."""
    rows = [f'{label};"{number.format(at)}"' for at, label in enumerate(["Dog", "Cat"], 1)]
    path = written(tmp_path, "\n".join(["name;id", *rows]))
    assert Labels(path) == {1: "Dog", 2: "Cat"}
    with pytest.raises(pf.InputError, match=r"line 2: '1\.000' is not a category id"):
        Labels(written(tmp_path, "name;id\nDog;1.000\nCat;2.000\n"))


def test_an_id_may_have_several_labels_to_be_read_by(tmp_path: Path) -> None:
    """Each label means its category in a file, and is near a typo; the last one is shown."""
    labels = written(tmp_path, "id,name\n1,Dog\n2,Cat\n2,Kitty\n", "categories.csv")
    animals = written(tmp_path, "name,category\nAda,cat\nBob,Kitty\nCy,Kity\n")
    for categories in (labels, pd.Series(["Dog", "Cat", "Kitty"], index=[1, 2, 2])):
        records = rows_of(animals, categories=categories)
        assert [record.state for record in records] == ["pending", "pending", "invalid"]
        assert "'kitty'" in records[2].problems[0].hint
    assert Labels(categories) == {1: "Dog", 2: "Kitty"}
    with pytest.warns(UserWarning, match="category 2 has the names 'Cat' and 'Kitty'; the last"):
        assert Labels(labels) == {1: "Dog", 2: "Kitty"}


LISTS: dict[str, str | bytes] = {
    "a.csv": "id;name\n3;Cat\n5;Dog\n",
    "a.tsv": "Name\tID\tCount\nCat\t3\t20\nDog\t5\t7\n",
    "utf-16.csv": "name,id\nCat,3\nDog,5\n".encode("utf-16"),
    "a.jsonl": '{"id": 3, "name": "Cat"}\n{"id": 5, "name": "Dog"}\n',
    "a.csv.gz": gzip.compress(b"id,name\n3,Cat\n5,Dog\n"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_category_list_is_a_table_with_an_id_and_a_name(tmp_path: Path, name: str) -> None:
    """It is read like a list of animals; other columns are ignored."""
    assert Labels(written(tmp_path, LISTS[name], name)) == {3: "Cat", 5: "Dog"}


def test_a_category_list_may_be_a_workbook_or_a_parquet_file(tmp_path: Path) -> None:
    """The only visible sheet with both columns is read; of several none is guessed."""
    pd.DataFrame({"id": [3, 5], "name": ["Cat", "Dog"]}).to_parquet(tmp_path / "a.parquet")
    assert Labels(tmp_path / "a.parquet") == {3: "Cat", 5: "Dog"}
    book = workbook_of(tmp_path, ("Name", "Id"), ("Cat", 3), ("Dog", 5))
    book.create_sheet("About", 0).append(["Categories of 2026"])
    book.save(tmp_path / "pets.xlsx")
    assert Labels(tmp_path / "pets.xlsx") == {3: "Cat", 5: "Dog"}
    book.create_sheet("Old").append(("id", "name"))
    book["Old"].append((3, "Bird"))
    book.save(tmp_path / "pets.xlsx")
    with pytest.raises(pf.InputError, match="'Pets', 'Old'") as refused:
        Labels(tmp_path / "pets.xlsx")
    assert "save the list as CSV" in refused.value.hint and refused.value.add is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PAR1", "the Parquet file is damaged"),
        (b'[{"id": 1}]', "a JSON document"),
        (b"%PDF-1.7", "a PDF document"),
        (b"<html><table>", "a web page"),
        (b"\xd0\xcf\x11\xe0", r"an old Office file \(.xls\)"),
        ("id,name\n3,Cat\n".encode("utf-16-le"), "UTF-16 text without a byte order mark"),
        ("id,name\n5,Zoë\n".encode("cp1252"), "not UTF-8"),
    ],
)
def test_a_category_list_of_another_kind_is_named(tmp_path: Path, content: bytes, words) -> None:
    """As a list of animals is, with what to save it as."""
    with pytest.raises(pf.InputError, match=words) as refused:
        Labels(written(tmp_path, content, "labels"))
    assert refused.value.path and refused.value.hint and refused.value.add is None


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


def test_a_load_warns_of_labels_and_ids_with_several_meanings(tmp_path: Path) -> None:
    """Two names of an id, and two ids of a name, are said once; that name needs fixing."""
    labels = written(tmp_path, "id,name\n1,Dog\n1,Hund\n3,Dog\n2,Cat\n", "labels.csv")
    source = open_source(
        written(tmp_path, "name,category\nAda,Hund\nBo,Dog\n"), Recipe(categories=str(labels))
    )
    assert [row.state for row in source] == ["pending", "invalid"]
    assert [warning.removeprefix(f"{labels}: ") for warning in source.warnings()] == [
        "category 1 has the names 'Dog' and 'Hund'",
        "the name 'Dog' has the categories 1 and 3",
    ]


@pytest.mark.parametrize("header", ["categoryId,label", "id,label", "id,id,name", "3,Cat"])
def test_a_category_list_without_these_columns_names_those_it_has(tmp_path, header: str) -> None:
    """Which column is the name is never guessed."""
    with pytest.raises(pf.InputError, match=f"got '{header[:1]}") as refused:
        Labels(written(tmp_path, f"{header}\n1,Dog\n", "labels.txt"))
    assert refused.value.hint == "name its columns id and name"
