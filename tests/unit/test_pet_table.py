"""What counts as a table of pets: no verb loses a pet to the dtype of its category."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.charts.pet_list import pet_rows
from petstore_frame.counts.tally import CodedPets
from petstore_frame.schema.models import INT64_MAX, INT64_MIN

LARGE = st.integers(INT64_MIN, INT64_MAX)
SMALL = st.integers(0, 9)
WHOLE = {
    "int64": LARGE,
    "Int64": st.none() | LARGE,
    "int32": SMALL,
    "uint8": SMALL,
    "uint64": SMALL,
    "float64": st.none() | SMALL,
    "int64[pyarrow]": st.none() | LARGE,
    "double[pyarrow]": st.none() | SMALL,
    "object": st.none() | LARGE,
    "category": st.none() | SMALL,
}
OTHER = {
    "float64": st.none() | st.floats(),
    "uint64": st.integers(INT64_MAX - 1, 2**64 - 1),
    "UInt64": st.none() | st.integers(INT64_MAX - 1, 2**64 - 1),
    "object": st.sampled_from([1, 2.0, 1.5, "1", True, None, 2**64]),
    "str": st.none() | st.sampled_from(["1", "01", " 1"]),
    "bool": st.booleans(),
    "category": st.sampled_from(["1", "01", 1.5]),
}


def to_polars(frame: pd.DataFrame) -> Any:
    import polars as pl

    return pl.from_pandas(frame)


def to_arrow(frame: pd.DataFrame) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


def to_duckdb(frame: pd.DataFrame) -> Any:
    import duckdb

    return duckdb.from_arrow(to_arrow(frame))


def to_dask(frame: pd.DataFrame) -> Any:
    dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")
    return dd.from_pandas(frame, npartitions=2)


QUICK_ENGINES: list[Callable[[pd.DataFrame], Any]] = [pd.DataFrame, to_polars, to_arrow, to_duckdb]


def pets_of(categories: list[Any], dtype: str) -> pd.DataFrame:
    """A table of pets with these categories."""
    count = len(categories)
    return pd.DataFrame(
        {
            "id": pd.Series(range(count), dtype="int64"),
            "name": pd.Series(["x"] * count, dtype="str"),
            "category_id": pd.Series(categories, dtype=dtype),
            "status": pd.Series(["sold", None, "lost"] * count, dtype="str")[:count],
        }
    )


def counted(pets: Any) -> int:
    """How many pets the rows of a summary add up to."""
    here = nw.from_native(pf.summarize(pets)).lazy().collect("pandas").to_native()
    assert here["all pets"].iloc[:-1].sum() == here["all pets"].iloc[-1]
    return int(here["all pets"].iloc[-1])


@pytest.mark.parametrize("dtype", WHOLE)
@settings(max_examples=8)
@given(data=st.data())
def test_every_pet_is_counted(dtype: str, data: Any) -> None:
    """Whole category ids of any dtype and engine are counted without a loss."""
    pets = pets_of(data.draw(st.lists(WHOLE[dtype], max_size=8)), dtype)
    # Other engines have no categories of numbers, and take a column of no objects for text.
    is_pandas_only = dtype == "category" or (dtype == "object" and pets["category_id"].isna().all())
    for convert in [pd.DataFrame] if is_pandas_only else QUICK_ENGINES:
        assert counted(convert(pets)) == len(pets)
    assert CodedPets.of(pets).everything.total.count == len(pets)


@pytest.mark.parametrize("dtype", OTHER)
@settings(max_examples=15)
@given(data=st.data())
def test_every_pet_is_counted_or_the_column_is_refused(dtype: str, data: Any) -> None:
    """Whatever else a column holds, all pets are counted or the error names the column."""
    pets = pets_of(data.draw(st.lists(OTHER[dtype], max_size=8)), dtype)
    verbs = [counted, lambda frame: CodedPets.of(frame).everything.total.count]
    for verb in verbs:
        try:
            assert verb(pets) == len(pets)
        except pf.InputError as problem:
            assert "column 'category_id'" in str(problem)


@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize(
    ("dtype", "categories"),
    [("int64", [1, 1, 2]), ("Int64", [1, None, 1]), ("float64", [2.0, None, 2.0]), ("uint8", [3])],
)
def test_dask_counts_every_pet(dtype: str, categories: list[Any]) -> None:
    """On Dask, too, a missing category is counted."""
    assert counted(to_dask(pets_of(categories, dtype))) == len(categories)


@pytest.mark.parametrize("convert", QUICK_ENGINES)
@pytest.mark.parametrize(
    ("categories", "dtype", "message"),
    [
        ([1.2, 1.7, 1.7, 1.7], "float64", "1.[27] is not a whole number"),
        ([1.0, 2.0**53], "float64", r"9007199254740992.0 is a float of 2\*\*53 or more"),
        ([1.0, float("inf")], "float64", "inf is not a whole number"),
        (["1", "01", "1", "1"], "str", "not whole numbers; convert the column to int64"),
        ([True, False], "bool", "not whole numbers"),
        ([1, 2**63], "uint64", "a value is beyond int64"),
    ],
)
def test_what_is_not_a_whole_number_is_named(
    convert: Any, categories: list[Any], dtype: str, message: str
) -> None:
    """Categories that a count would merge or cut are refused on each engine."""
    with pytest.raises(pf.InputError, match=f"column 'category_id': .*{message}"):
        pf.summarize(convert(pets_of(categories, dtype)))


LEFT_JOINED = pets_of([7, None, 7], "float64")


def test_a_left_join_leaves_pets_without_a_category() -> None:
    """Floats with NaN, as a left join leaves them, are whole numbers and no category."""
    assert "3 pets in at least 1 category:" in pf.charts.status_chart(LEFT_JOINED).words
    assert [row[2] for row in pet_rows(LEFT_JOINED, {7: "Cat"})] == ["Cat", "no category", "Cat"]


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".parquet", ".html"])
def test_pets_without_a_category_are_reported(ending: str, tmp_path: Any) -> None:
    """Each kind of report can be written of pets without a category."""
    path = tmp_path / f"stock{ending}"
    assert pf.write_report(LEFT_JOINED, path, categories={7: "Cat"}) == path
    assert path.stat().st_size > 0


def test_a_missing_category_is_empty_in_a_csv(tmp_path: Any) -> None:
    """A CSV has no number for a missing category, and names it."""
    path = pf.write_report(LEFT_JOINED, tmp_path / "stock.csv", categories={7: "Cat"})
    written = pd.read_csv(path, dtype="str", keep_default_na=False)
    assert written["category_id"].tolist() == ["7", "", "7"]
    assert written["category"].tolist() == ["Cat", "no category", "Cat"]


def test_no_category_is_told_from_the_rest() -> None:
    """Pets without a category have a line of their own beside the line of the small categories."""
    lines = CodedPets.of(pets_of([None, None, 1, 2, 3], "Int64")).everything.largest(1)
    assert [(line.label, line.is_rest) for line in lines] == [
        ("no category", False),
        ("≥ 3 other categories", True),
    ]


@pytest.mark.parametrize("verb", [pf.summarize, pf.charts.status_chart, pf.charts.inventory_table])
def test_one_text_for_what_is_not_a_table(verb: Any) -> None:
    """A wrong argument is named by its kind, a missing column by its name."""
    with pytest.raises(pf.ArgumentError, match="expected a table of pets, got list; pass an Inv"):
        verb([1, 2])
    with pytest.raises(pf.InputError, match=r"this one lacks (id, name, )?status; rename"):
        verb(pd.DataFrame({"category_id": [1]}))


def test_a_report_asks_the_same_of_a_table(tmp_path: Any) -> None:
    """A report names a wrong argument and a wrong table as the other verbs do."""
    with pytest.raises(pf.ArgumentError, match="expected a table of pets, got list"):
        pf.write_report([1, 2], tmp_path / "stock.xlsx")
    with pytest.raises(pf.InputError, match=r"column 'category_id': 1\.5 is not a whole number"):
        pf.write_report(pets_of([1.5], "float64"), tmp_path / "stock.xlsx")


@pytest.mark.parametrize("dtype", ["object", "category", "int64"])
def test_statuses_of_any_dtype_are_counted_alike(dtype: str, tmp_path: Any) -> None:
    """A status that is not text is counted under its text by each verb, never as missing."""
    statuses = [1, 1, 2] if dtype == "int64" else [1, "lost", None]
    pets = pets_of([7, 7, 7], "int64").assign(status=pd.Series(statuses, dtype=dtype))
    summed = pf.summarize(pets).iloc[-1]
    drawn = CodedPets.of(pets).everything.by_status
    assert {name: count.count for name, count in drawn.items()} == {
        name: summed[name] for name in drawn
    }
    assert sum(count.count for name, count in drawn.items() if name != "no status") == (
        3 if dtype == "int64" else 2
    )


@pytest.mark.parametrize("verb", [pf.summarize, pf.charts.status_chart, pf.charts.inventory_table])
def test_a_repeated_column_is_refused(verb: Any) -> None:
    """Two columns of one name are refused: which of them is meant is not known."""
    pets = pets_of([7], "int64")
    with pytest.raises(pf.InputError, match="has each column once"):
        verb(pd.concat([pets, pets["category_id"]], axis=1))
