"""DataFrames as input."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import polars as pl
import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.record import State
from unit.opened import records_of


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


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_name_is_one_record_to_fix(missing: Any) -> None:
    """A missing name is one invalid record, as an empty one is; the others are as they were."""
    frame = pd.DataFrame({"name": ["Rex", missing], "category_id": [3, 3]}, dtype="object")
    records = records_of(frame)
    assert [record.state for record in records] == [State.PENDING, State.INVALID]
    assert records[1].problem == records_of(frame.where(frame.notna(), ""))[1].problem


def test_types_are_judged() -> None:
    """A category that pandas made a float is whole again; a date or a truth value is told."""
    frame = pd.DataFrame(
        {
            "name": ["Rex", 7, date(2026, 3, 1), True, ["Bo"]],
            "category_id": [3.0, 4.0, 5.0, 6.0, 7.0],
        }
    )
    records = records_of(frame)
    assert [record.payload for record in records[:3]] == [
        b'{"name":"Rex","categoryId":3}',
        b'{"name":"7","categoryId":4}',
        b'{"name":"2026-03-01","categoryId":5}',
    ]
    problems = [record.problem for record in records[3:]]
    assert [problem.code for problem in problems if problem] == ["boolean_value", "not_text"]


def test_missing_category_is_one_invalid_record() -> None:
    """A missing category refuses its own record and no other."""
    frame = pd.DataFrame({"name": ["Rex", "Bo"], "category_id": [3, None]})
    records = records_of(frame)
    assert records[1].problem is not None
    assert records[1].problem.code == "missing_category_id"


def test_no_frame_at_all() -> None:
    """What is not a frame is a wrong argument, and the message names what is expected."""
    with pytest.raises(ArgumentError, match="expected a pandas or polars DataFrame, got a dict"):
        open_source({"name": ["Rex"]})


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


def test_a_frame_without_the_columns_is_bad_content() -> None:
    """A frame has no missing header, so the message names the mapping alone."""
    with pytest.raises(InputError, match=r"name the column: mapping=\{[^;]*$"):
        records_of(pd.DataFrame({"a": ["Rex"]}))


def test_a_frame_whose_names_are_its_index_is_told_how_to_get_them() -> None:
    """The index is not read, so the way to make it a column is the hint."""
    frame = pd.DataFrame({"name": ["Luna"], "category_id": [3]}).set_index("name")
    with pytest.raises(InputError, match=r"the index \(name\) is not read; load frame.reset_index"):
        open_source(frame)
    assert [record.state for record in records_of(frame.reset_index())] == ["pending"]


def test_a_column_that_is_a_number_is_named_as_text() -> None:
    """The columns of a frame without a header are 0, 1, ...; a mapping names them as text."""
    frame = pd.DataFrame([["Luna", 3]])
    with pytest.raises(ArgumentError, match="columns are named as text: '0'"):
        records_of(frame, mapping={"name": 0, "category_id": 1})
    (record,) = records_of(frame, mapping={"name": "0", "category_id": "1"})
    assert record.state is State.PENDING
