"""A result file of ours is read as we wrote it, whatever options its first source needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.returned import Columns, ColumnsOf
from unit.opened import records_of

RUN = "01234567"
HEADER = "Tier,Art,name,_pf_problem,_pf_state,_pf_record"
FIX = f"{HEADER}\r\nZoë,3,Anna,?,,r{RUN}-4\r\n"
MAPPING = {"name": "Tier", "category_id": "Art"}
KNOWN = {RUN: Columns(MAPPING)}


def read(
    source: Any, columns_of: ColumnsOf = KNOWN.get, **options: Any
) -> list[tuple[int, tuple[str, ...], bytes | None]]:
    records = records_of(source, columns_of=columns_of, **options)
    return [(record.number, record.cells, record.payload) for record in records]


@pytest.fixture
def fix(tmp_path: Path) -> Path:
    path = tmp_path / "fix.csv"
    path.write_bytes(FIX.encode("utf-8-sig"))
    return path


ZOE = [(1, ("Zoë", "3", "Anna"), '{"name":"Zoë","categoryId":3}'.encode())]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"header_row": 3},
        {"encoding": "cp1252"},
        {"delimiter": ";"},
        {"columns": ["Tier", "Art"]},
        {"quoting": "none"},
        {"mapping": MAPPING},
    ],
    ids=str,
)
def test_the_options_of_the_first_source_do_not_matter(fix: Path, options: dict[str, Any]) -> None:
    """Neither the layout, nor the encoding, nor the columns need to be said again, or left out."""
    assert read(fix, **options) == ZOE
    assert read(fix, **{"mapping": MAPPING} | options) == ZOE


def test_a_spreadsheet_may_have_saved_it_in_its_own_way(fix: Path) -> None:
    """A file saved again with semicolons and in another encoding is read by what is given."""
    fix.write_bytes(FIX.replace(",", ";").encode("cp1252"))
    assert read(fix, encoding="cp1252", delimiter=",") == ZOE


def test_a_workbook_and_a_frame_come_back_too(tmp_path: Path) -> None:
    """The same rows saved as a workbook, or read into a frame, need no options either."""
    header, row = (line.split(",") for line in FIX.splitlines())
    book = openpyxl.Workbook()
    book.active.append(header)
    book.active.append(row)
    book.save(tmp_path / "fix.xlsx")
    assert read(tmp_path / "fix.xlsx", header_row=3) == ZOE
    assert read(pd.DataFrame([row], columns=header)) == ZOE


def test_a_mapping_whose_columns_are_gone_is_not_used(fix: Path) -> None:
    """Columns that a person renamed are found by their names, as in any file."""
    fix.write_bytes(FIX.replace("Tier,Art,name", "name,category,owner").encode("utf-8-sig"))
    assert read(fix) == ZOE
    with pytest.raises(InputError, match="names the column 'Tier'"):
        read(fix, mapping=MAPPING)


def test_an_import_that_is_not_known_leaves_it_to_the_caller(fix: Path) -> None:
    """Without its journal a result file needs the mapping again, and the text says how."""
    with pytest.raises(InputError, match="no column for category_id among 'Tier', 'Art', 'name'"):
        read(fix, columns_of=lambda import_id: None)
    assert read(fix, columns_of=lambda import_id: None, mapping=MAPPING) == ZOE
