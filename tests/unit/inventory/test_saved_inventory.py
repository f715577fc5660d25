"""A saved inventory is read like any other table, and a mistake in it has its place."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.report import write_data
from unit.conftest import make_inventory, pets

HEADER = b"id,name,category_id,status\n"
PET = b'{"id":1,"name":"Rex","category_id":1,"status":"sold"}\n'
MISTAKES = {  # name -> (content, line, column, part of the message)
    "word.csv": (HEADER + b"1,Rex,1,sold\nx,Rex,1,sold\n", 3, "id", "'x'"),
    "after_lines.csv": (HEADER + b'1,"a\nb",1,sold\n2,Rex,y,sold\n', 4, "category_id", "'y'"),
    "fraction.csv": (HEADER + b"1.5,Rex,1,sold\n", 2, "id", "'1.5'"),
    "huge.csv": (HEADER + b"1,Rex,99999999999999999999,sold\n", 2, "category_id", "9999"),
    "missing.csv": (HEADER + b",Rex,1,sold\n", 2, "id", "missing"),
    "wide.csv": (HEADER + b"1,Rex,1,sold\n1,Rex,1,sold,5\n", 3, None, "5 cells, and the header 4"),
    "quote.csv": (HEADER + b'1,"Rex,1,sold\n', 2, None, "never closed"),
    "empty.csv": (b"", None, None, "empty"),
    "grouped.csv": (HEADER + b"1_000,Rex,1,sold\n", 2, "id", "'1_000'"),
    "twice.csv": (b"id,name,category_id,status,a,a\n", None, "a", "twice"),
    "latin.csv": (HEADER + b"1,R\xe9x,1,sold\n", 2, None, "not UTF-8 text"),
    "null.jsonl": (
        b'{"id":null,"name":"Rex","category_id":1,"status":null}\n', 1, "id", "missing",
    ),
    "half.jsonl": (PET + b'{"id":\n', 2, None, "not a JSON object"),
    "list.jsonl": (PET + b"[1]\n", 2, None, "not a JSON object"),
    "infinite.jsonl": (
        b'{"id":Infinity,"name":"a","category_id":1,"status":"sold"}\n', 1, "id", "inf",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_file_has_its_place(name: str, tmp_path: Path) -> None:
    """The error has the file, the line, the column, the value and a next step."""
    content, line, column, part = MISTAKES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(pf.InputError, match=part) as caught:
        pf.read_inventory(path)
    error = caught.value
    assert (error.path, error.line, error.column) == (str(path), line, column)
    assert error.hint
    assert not {"int()", "codec", "NoneType"} & set(str(error).split())


@pytest.mark.parametrize("name", ["folder", "folder.csv"])
def test_a_folder_is_called_a_folder(name: str, tmp_path: Path) -> None:
    """With or without an extension, it is not taken for a file."""
    (tmp_path / name).mkdir()
    with pytest.raises(pf.InputError, match="is a folder"):
        pf.read_inventory(tmp_path / name)


@pytest.mark.parametrize("value", [None, "x", 1.5])
@pytest.mark.parametrize("use", [pf.diff, lambda old, new: pf.compare(old, new, on="id")])
def test_a_wrong_id_of_a_frame_is_an_input_error(value, use) -> None:
    """A frame with an id that is missing or not a whole number names the column."""
    frame = pd.DataFrame({"id": [value], "name": ["x"], "category_id": [1], "status": ["sold"]})
    with pytest.raises(pf.InputError) as caught:
        use(frame, frame)
    assert caught.value.column == "id"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize("count", [0, 3])
def test_a_packed_inventory_is_the_same(name: str, count: int, tmp_path: Path) -> None:
    """``gzip`` leaves the coverage where it was, and the reader finds it."""
    inventory = make_inventory(pets(count))
    path = write_data(inventory, tmp_path / name)
    packed = path.with_name(f"{name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    back = pf.read_inventory(packed)
    has_pets = count > 0  # pyarrow loses the categories of a column without values
    pd.testing.assert_frame_equal(back.frame, inventory.frame, check_categorical=has_pets)
    assert back.completeness == inventory.completeness


def test_json_lines_may_have_a_key_in_some_lines_only(tmp_path: Path) -> None:
    """A key that a line lacks is a missing value, also above the line that has it first."""
    path = tmp_path / "pets.jsonl"
    pet = '{"id": %d, "name": "Luna", "category_id": 3, "status": null%s}\n'
    path.write_text(pet % (1, "") + pet % (2, ', "price": 7') + pet % (3, ""), encoding="utf-8")
    frame = pf.read_inventory(path).frame
    assert frame["price"].isna().tolist() == [True, False, True]
    assert (frame["id"].tolist(), frame["price"][1]) == ([1, 2, 3], 7)


def test_a_spreadsheet_may_save_a_report_as_unicode_text(tmp_path: Path) -> None:
    """Excel writes UTF-16 and tabs; the guards of formulas are removed, and nothing else."""
    report = "id\tname\tcategory_id\tcategory\tstatus\tprice\r\n1\t'=1+1\t3\tCat\t\t\r\n"
    path = tmp_path / "report.txt"
    path.write_bytes(report.encode("utf-16"))
    frame = pf.read_inventory(path).frame
    assert frame.columns.tolist() == ["id", "name", "category_id", "status", "price"]
    assert frame["name"].tolist() == ["=1+1"]
    assert frame[["status", "price"]].isna().all(axis=None)
