"""A file that is not the list it should be is called what it is, with the next step."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from petstore_frame.errors import InputError
from petstore_frame.loader.source import Recipe, open_source
from unit.loader.opened import rows_of, written

FILES = {
    "~$pets.xlsx": (b"\x05Anna", "the lock file", "name the workbook itself: pets.xlsx"),
    ".~lock.pets.xlsx#": (b",anna", "the lock file", "name the workbook itself: pets.xlsx"),
    "lfs.csv": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "a Git LFS pointer",
        "git lfs pull",
    ),
    "r.txt": (b'"name" "category_id"\n"Bo Bo" 4\n', "separated by spaces", "name the delimiter"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_list_is_named(tmp_path: Path, name: str) -> None:
    """The error has the cause and the step."""
    content, cause, step = FILES[name]
    with pytest.raises(InputError, match=cause) as refused:
        open_source(written(tmp_path, content, name), Recipe())
    assert step in refused.value.hint


def test_a_table_that_is_separated_by_spaces_is_read_as_the_error_says(tmp_path: Path) -> None:
    """Names in quotes may have spaces."""
    path = written(tmp_path, '"name" "category_id"\n"Bo Bo" 4\n', "r.txt")
    assert [row.cells for row in rows_of(path, delimiter=" ")] == [("Bo Bo", "4")]


def test_row_names_of_r_are_named(tmp_path: Path) -> None:
    """Each row has one cell more than the header; the first is a number."""
    path = written(tmp_path, '"name","category_id"\n"1","Rex",3\n"2","Bo",4\n')
    assert "if R wrote its row names" in rows_of(path)[0].problems[0].hint


def test_a_key_that_is_the_index_of_a_frame_is_named() -> None:
    """The index of pandas is no column; ``reset_index`` makes it one."""
    frame = pd.DataFrame({"tag": ["a"], "name": ["Rex"], "category_id": [3]}).set_index("tag")
    with pytest.raises(InputError, match="'tag'") as refused:
        open_source(frame, Recipe(key="tag"))
    assert refused.value.hint == "'tag' is the index of the frame: load frame.reset_index()"
