"""DataFrames as input."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import polars as pl
import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.record import State
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


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_name_is_one_record_to_fix(missing: Any) -> None:
    """A missing name is one invalid record, as an empty one is; the others are as they were."""
    frame = pd.DataFrame({"name": ["Rex", missing], "category_id": [3, 3]}, dtype="object")
    records = records_of(frame)
    assert [record.state for record in records] == [State.PENDING, State.INVALID]
    assert records[1].problem == records_of(frame.where(frame.notna(), ""))[1].problem


def test_types_are_judged() -> None:
    """A category that pandas made a float is whole again, a date is its text; a truth value, a list
    or a missing category refuses its own record and no other."""
    names, categories = ["Rex", 7, date(2026, 3, 1), True, ["Bo"], "Bo"], [3.0, 4, 5, 6, 7, None]
    records = records_of(pd.DataFrame({"name": names, "category_id": categories}))
    assert [record.payload for record in records[:3]] == [
        b'{"name":"Rex","categoryId":3}',
        b'{"name":"7","categoryId":4}',
        b'{"name":"2026-03-01","categoryId":5}',
    ]
    problems = [record.problem.code for record in records if record.problem]
    assert problems == ["boolean_value", "not_text", "missing_category_id"]


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


LUNA = pd.DataFrame({"name": ["Luna"], "category_id": [3]})
NUMBERED = pd.DataFrame([["Luna", 3]])  # its columns are 0 and 1


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ({"name": ["Rex"]}, {}, "expected a pandas or polars DataFrame, got a dict"),
        (pd.DataFrame({"a": ["Rex"]}), {}, r"name the column: mapping=\{[^;]*$"),
        (LUNA.set_index("name"), {}, r"the index \(name\) is not read; load frame.reset_index"),
        (NUMBERED, {"mapping": {"name": 0, "category_id": 1}}, "columns are named as text: '0'"),
    ],
)
def test_a_frame_that_cannot_be_read_says_what_would_do(source, options, words) -> None:
    """No frame, no column of the name, names in the index, columns that are numbers, which a
    mapping names as text."""
    with pytest.raises((ArgumentError, InputError), match=words):
        records_of(source, **options)
    (record,) = records_of(NUMBERED, mapping={"name": "0", "category_id": "1"})
    assert record.state is State.PENDING
