"""The number of rows of a preview says which part of the file it covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from petstore_frame.loader.source import FilePreview, Recipe

HEADER = "name,category_id,status\n"


@pytest.mark.parametrize(
    ("rows", "most", "counted"),
    [
        ("Rex,1,sold\nBo,1,sold\n", None, "2 rows"),
        ("Rex,1,sold\nBo,1,sold\n", 1, "1 of the first 1 row"),
        ('Rex,1,sold\nBo,1,sold\n"Al,1,sold\n', None, "2 rows above line 4, which cannot be read"),
    ],
)
def test_counted_rows_name_where_counting_stopped(
    rows: str, most: int | None, counted: str, tmp_path: Path
) -> None:
    """A count of a part of the file is never shown as the count of the file."""
    path = tmp_path / "list.csv"
    path.write_text(HEADER + rows)
    assert FilePreview.of(path, Recipe(), most=most).counted_rows == counted


def test_a_draft_counts_the_rows_above_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    """Its first line names the line at which counting stopped."""
    path = tmp_path / "list.csv"
    path.write_text(HEADER + 'Rex,1,sold\n"Al,1,sold\n')
    head = Recipe.draft(path).splitlines()[0]
    assert "list.csv: 1 row above line 3, which cannot be read." in head
