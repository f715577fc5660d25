"""A result file of ours is read as we wrote it, whatever options its first source needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.returned import Columns
from unit.loader.opened import records_of, workbook_of, written

RUN = "01234567"
FIX = f"Tier,Art,name,_pf_problem,_pf_state,_pf_record\r\nZoë,3,Anna,?,,r{RUN}-4\r\n"
MAPPING = {"name": "Tier", "category_id": "Art"}
ZOE = [(1, ("Zoë", "3", "Anna"), '{"name":"Zoë","categoryId":3}'.encode())]


def read(source: Any, known: dict[str, Columns] | None = None, **options: Any) -> list[Any]:
    columns_of = {RUN: Columns(MAPPING)}.get if known is None else known.get
    records = records_of(source, columns_of=columns_of, **options)
    return [(record.number, record.cells, record.payload) for record in records]


FIRST = [
    {}, {"header_row": 3}, {"encoding": "cp1252"}, {"delimiter": ";"}, {"quoting": "none"},
    {"columns": ["Tier", "Art"]}, {"mapping": MAPPING},
]  # fmt: skip


@pytest.mark.parametrize("options", FIRST, ids=str)
def test_the_options_of_the_first_source_do_not_matter(tmp_path: Path, options) -> None:
    """Neither the layout, nor the encoding, nor the columns need to be said again, or left out."""
    fix = written(tmp_path, FIX.encode("utf-8-sig"))
    assert read(fix, **options) == read(fix, **{"mapping": MAPPING} | options) == ZOE


def test_whatever_saved_it_the_rows_come_back(tmp_path: Path) -> None:
    """Saved by a spreadsheet in its own way, as a workbook, or read into a frame."""
    header, row = (line.split(",") for line in FIX.splitlines())
    workbook_of(tmp_path, header, row)
    text = written(tmp_path, FIX.replace(",", ";").encode("cp1252"))
    assert read(text, encoding="cp1252", delimiter=",") == ZOE
    assert read(tmp_path / "pets.xlsx", header_row=3) == ZOE
    assert read(pd.DataFrame([row], columns=header)) == ZOE


def test_a_mapping_whose_columns_are_gone_is_not_used(tmp_path: Path) -> None:
    """Columns that a person renamed are found by their names, as in any file."""
    fix = written(tmp_path, FIX.replace("Tier,Art,name", "name,category,owner"))
    assert read(fix) == ZOE
    with pytest.raises(InputError, match="names the column 'Tier'"):
        read(fix, mapping=MAPPING)
