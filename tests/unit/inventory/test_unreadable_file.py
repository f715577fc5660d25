"""A file of pets that cannot be read is described by its line, column and value."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf

HEADER = b"id,name,category_id,status\n"
MISTAKES = {  # name -> (content, line, column, part of the message)
    "word.csv": (HEADER + b"1,Rex,1,sold\nx,Rex,1,sold\n", 3, "id", '"x"'),
    "after_lines.csv": (HEADER + b'1,"a\nb",1,sold\n2,Rex,y,sold\n', 4, "category_id", '"y"'),
    "fraction.csv": (HEADER + b"1.5,Rex,1,sold\n", 2, "id", '"1.5"'),
    "huge.csv": (HEADER + b"1,Rex,99999999999999999999,sold\n", 2, "category_id", "9999"),
    "missing.csv": (HEADER + b",Rex,1,sold\n", 2, "id", "missing"),
    "wide.csv": (HEADER + b"1,Rex,1,sold\n1,Rex,1,sold,5\n", 3, None, "5 instead of 4"),
    "quote.csv": (HEADER + b'1,"Rex,1,sold\n', 2, None, "not CSV"),
    "empty.csv": (b"", None, None, "empty"),
    "utf16.csv": ("id;name;category_id;status\n".encode("utf-16"), None, None, "UTF-16"),
    "latin.csv": (HEADER + b"1,R\xe9x,1,sold\n", 2, None, "not UTF-8"),
    "null.jsonl": (
        b'{"id":null,"name":"Rex","category_id":1,"status":null}\n', 1, "id", "missing",
    ),
    "half.jsonl": (b'\n{"id":\n', 2, None, "not JSON"),
    "list.jsonl": (b"[1]\n", 1, None, "not a JSON object"),
    "infinite.jsonl": (
        b'{"id":Infinity,"name":"a","category_id":1,"status":"sold"}\n', 1, "id", "Infinity",
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
