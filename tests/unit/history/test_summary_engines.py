"""One summary for every engine: the same cases, the same rows, the same kind of frame back."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.schema.frame import as_dtypes

BIG = 2**53 + 1


def table(*rows: tuple[Any, ...]) -> pd.DataFrame:
    """Build a plain table of pets, also for no rows."""
    frame = pd.DataFrame(list(rows), columns=["id", "name", "category_id", "status"])
    dtypes = {"id": "int64", "name": "str", "category_id": "int64", "status": "str"}
    return as_dtypes(frame, dtypes)


def cells(frame: Any) -> dict[str, list[Any]]:
    """Return the columns as lists, None for what is missing."""
    opened = nw.from_native(frame).lazy()
    is_pandas = opened.implementation.is_dask() or opened.implementation.is_pandas_like()
    here = opened.collect("pandas" if is_pandas else "pyarrow")
    return {
        name: [None if x is pd.NA else x for x in here[name].to_list()] for name in here.columns
    }


def test_counts_null_unknown_and_big(to_kind) -> None:
    """A missing status, an unknown one and ids past 2**53 are counted for what they are."""
    rows = [
        (1, "a", 3, "available"),
        (BIG, "b", 3, None),
        (BIG + 2, "c", BIG, "lost"),
        (4, "d", BIG + 2, "sold"),
        (5, "e", 3, "available"),
    ]
    pets = to_kind(table(*rows))
    counted = pf.summarize(pets, categories={3: "Cat"})
    assert type(counted) is type(pets)
    assert cells(counted) == {
        "category_id": [3, BIG, BIG + 2, None],
        "category": ["Cat", f"Category {BIG}", f"Category {BIG + 2}", "all categories"],
        "available": [2, 0, 0, 2],
        "pending": [0, 0, 0, 0],
        "sold": [0, 0, 1, 1],
        "lost": [0, 1, 0, 1],
        "no status": [1, 0, 0, 1],
        "all pets": [3, 1, 1, 5],
    }


def test_no_pets(to_kind) -> None:
    """Without pets there are the columns, and one row of zeros."""
    counted = cells(pf.summarize(to_kind(table())))
    assert counted["category"] == ["all categories"]
    assert [counted[name] for name in ("available", "pending", "sold", "no status")] == [[0]] * 4


def test_no_status_anywhere(to_kind) -> None:
    """A column of missing statuses, of whatever type the engine gives it, is no status."""
    counted = cells(pf.summarize(to_kind(table((1, "a", 3, None), (2, "b", 4, None)))))
    assert counted["no status"] == [1, 1, 2]
    assert counted["available"] == [0, 0, 0]


@pytest.mark.parametrize("name", ["category", "category_id", "all pets"])
def test_status_named_like_a_column(name: str) -> None:
    """A store's odd status never takes the place of a column of ours."""
    counted = pf.summarize(table((1, "a", 3, name)))
    assert counted[f"status {name}"].tolist() == [1, 1]
    assert counted["all pets"].tolist() == [1, 1]
