"""DataFrames as input."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

import petstore_frame as pf
from unit.loader.opened import records_of


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frame_is_a_file(make: Any) -> None:
    """A frame of either library is read like the file that it could have come from."""
    frame = make({"Name": ["Rex", "NA"], "category_id": [3, 2**53 + 1], "status": ["Sold", None]})
    records = records_of(frame)
    assert [record.payload for record in records] == [
        b'{"name":"Rex","categoryId":3,"status":"sold"}',
        b'{"name":"NA","categoryId":9007199254740993}',
    ]
    assert [(record.number, record.line) for record in records] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("load", "what", "words"),
    [
        (pf.load_frame, pf.Inventory, "in a store already; pass its .frame"),
        (pf.load_csv, pd.DataFrame({"name": ["Rex"]}), "got a DataFrame; load_frame takes"),
        (pf.load_csv, "pets.xlsx", "pets.xlsx is a workbook; use load_excel"),
        (pf.load_excel, "pets.csv", "pets.csv is not a workbook; use load_csv"),
    ],
)
def test_what_is_meant_for_another_function_names_it(
    load, what, words, sample_server, tmp_path
) -> None:
    """A caller who passes the wrong kind of thing is told what would be right."""
    with sample_server.client() as client:
        given = pf.fetch_inventory(client) if what is pf.Inventory else what
        with pytest.raises(pf.ArgumentError, match=words):
            load(given, client, journal=tmp_path)
