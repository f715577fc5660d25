"""What counts as a table of pets, and the one table of its counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.inventory import Completeness, Evidence, Fact, Verdict
from petstore_frame.summary import Summary
from petstore_frame.validation import INT64
from unit.conftest import make_inventory, pets

LARGE = st.integers(INT64[0], INT64[-1])
SMALL = st.integers(0, 9)
INTEGER = (
    {"int64": LARGE}
    | dict.fromkeys(["Int64", "int64[pyarrow]", "object"], st.none() | LARGE)
    | dict.fromkeys(["int32", "uint8", "uint64"], SMALL)
    | dict.fromkeys(["float64", "double[pyarrow]", "category"], st.none() | SMALL)
)
QUICK_ENGINES: list[Callable[[pd.DataFrame], Any]] = [
    pd.DataFrame,
    pl.from_pandas,
    pa.Table.from_pandas,
    lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame)),
]


def pets_of(categories: list[Any], dtype: str) -> pd.DataFrame:
    """A table of pets with these categories."""
    count = len(categories)
    columns = {
        "id": pd.Series(range(count), dtype="int64"),
        "name": pd.Series(["x"] * count, dtype="str"),
        "category_id": pd.Series(categories, dtype=dtype),
        "status": pd.Series(["sold", None, "lost"] * count, dtype="str")[:count],
    }
    return pd.DataFrame(columns)


def sum_of(pets: Any) -> int:
    """How many pets the rows of a summary add up to, which is its total."""
    summary = pf.summarize(pets)
    total = int(summary.frame["pets"].sum())
    assert total == summary.total.count == sum(n.count for n in summary.by_status.values())
    return total


@pytest.mark.parametrize("dtype", INTEGER)
@settings(max_examples=8)
@given(data=st.data())
def test_every_pet_is_sum_of(dtype: str, data: Any) -> None:
    """Whole category ids of any dtype and engine are counted without a loss."""
    pets = pets_of(data.draw(st.lists(INTEGER[dtype], max_size=8)), dtype)
    # Other engines have no categories of numbers, and take a column of no objects for text.
    is_pandas_only = dtype == "category" or (dtype == "object" and pets["category_id"].isna().all())
    for convert in [pd.DataFrame] if is_pandas_only else QUICK_ENGINES:
        assert sum_of(convert(pets)) == len(pets)


@pytest.mark.parametrize("convert", QUICK_ENGINES)
@pytest.mark.parametrize(
    ("categories", "dtype", "message"),
    [
        ([1.2, 1.7, 1.7, 1.7], "float64", "1.[27] is not a whole number"),
        ([1.0, 2.0**53], "float64", r"9007199254740992.0 is a float of 2\*\*53 or more"),
        ([1.0, float("inf")], "float64", "inf is not a whole number"),
        (["1", "01", "1", "1"], "str", "must be whole numbers, got .*; convert the column to"),
        ([True, False], "bool", "must be whole numbers"),
        ([1, 2**63], "uint64", "a value does not fit int64"),
    ],
)
def test_what_is_not_a_whole_number_is_named(
    convert: Any, categories: list[Any], dtype: str, message: str
) -> None:
    """Categories that a count would merge or cut are refused on each engine."""
    with pytest.raises(pf.InputError, match=f"column 'category_id': .*{message}"):
        pf.summarize(convert(pets_of(categories, dtype)))


def test_a_left_join_leaves_pets_without_a_category(tmp_path) -> None:
    """Floats with NaN, as a join leaves them, are whole numbers and no category in each report."""
    joined = pets_of([7, None, 7], "float64")
    assert "at least 3 pets in at least 1 category:" in pf.charts.status_chart(joined).description
    for ending in ("xlsx", "parquet", "html", "csv"):
        path = pf.write_report(joined, tmp_path / f"stock.{ending}", categories={7: "Cat"})
    written = pd.read_csv(path, dtype="str", keep_default_na=False)
    assert written["category_id"].tolist() == ["7", "", "7"]
    assert written["category"].tolist() == ["Cat", "no category", "Cat"]


@pytest.mark.parametrize("verb", [pf.summarize, lambda pets: pf.write_report(pets, "no.xlsx")])
def test_one_text_for_what_is_not_a_table(verb: Any) -> None:
    """A wrong argument is named by its kind, a missing column by its name, two of one name too."""
    with pytest.raises(pf.ArgumentError, match="pets must be a table of pets, got "):
        verb([1, 2])
    with pytest.raises(pf.InputError, match=r"this one lacks (id, name, )?status; rename"):
        verb(pd.DataFrame({"category_id": [1]}))
    pets = pets_of([7], "int64")
    with pytest.raises(pf.InputError, match="appears more than once"):
        verb(pd.concat([pets, pets["category_id"]], axis=1))
    with pytest.raises(pf.InputError, match=r"column 'category_id': 1\.5 is not a whole number"):
        verb(pets_of([1.5], "float64"))


BIG = 2**53
COUNTED = pd.DataFrame(
    {
        "category_id": [3, 3, BIG, BIG + 2, 3],
        "status": ["available", None, "lost", "sold", "available"],
    }
)
COUNTS = [
    (3, "Cat", 2, 0, 0, 0, 1, 3), (BIG, f"Category {BIG}", 0, 0, 0, 1, 0, 1),
    (BIG + 2, f"Category {BIG + 2}", 0, 0, 1, 0, 0, 1),
]  # fmt: skip


@pytest.mark.parametrize("convert", QUICK_ENGINES)
def test_every_engine_counts_alike(convert: Any) -> None:
    """A missing status, one unknown to the interface, and ids past 2**53 are counted as such."""
    counted = pf.summarize(convert(COUNTED), categories={3: "Cat"})
    assert counted.statuses == ("available", "pending", "sold", "lost", "no status")
    assert [*counted.frame.itertuples(index=False, name=None)] == COUNTS
    assert str(counted.total) == "≥ 5"
    assert pf.summarize(convert(COUNTED.head(0))).total.count == 0


def test_dask_counts_as_pandas_does() -> None:
    """A lazy frame in several partitions has the same counts, a missing status too."""
    dask = pytest.importorskip("dask.dataframe", reason="needs the extra dask")
    lazy = pf.summarize(dask.from_pandas(COUNTED, npartitions=2))
    pd.testing.assert_frame_equal(lazy.frame, pf.summarize(COUNTED).frame)


GROUPS = [(3, "available", 4), (3, "sold", 1), (5, "sold", 2), (None, None, 1)]


def counted(
    groups: list[tuple[int | None, str | None, int]] = GROUPS, verdict: Verdict = Verdict.COMPLETE
) -> Summary:
    """The summary of so many pets of these categories and statuses."""
    rows = [group[:2] for group in groups for _ in range(group[2])]
    frame = pd.DataFrame(rows, columns=["category_id", "status"], dtype="object")
    completeness = Completeness(verdict, "made up", len(rows), requests=1)
    return Summary.of(
        frame.astype({"category_id": "Int64"}), completeness, {3: "Cat", 5: "<b>Dog</b>"}
    )


def test_lines_sums_and_text_agree() -> None:
    """Each number of the text is a number of the lines, and the last line is their sum."""
    summary = counted()
    lines = [re.split(r"\s{2,}", line) for line in str(summary).splitlines()[3:]]
    shown = [[int(number) for number in numbers] for _, *numbers in lines]
    expected = [[cell.count for cell in line.cells] for line in [*summary.largest(), summary.sums]]
    assert shown == expected
    assert shown[-1] == [sum(column) for column in zip(*shown[:-1], strict=True)]


@pytest.mark.parametrize(
    ("verdict", "shown"), [(Verdict.COMPLETE, "none"), (Verdict.UNKNOWN, "≥ 0")]
)
def test_nothing_available_is_marked_where_it_is_certain(verdict: Verdict, shown: str) -> None:
    """A category without available pets reads ``none``, unless some may have been missed."""
    summary = counted([(5, "sold", 2)], verdict)
    drawn = summary.to_html().partition("<tbody>")[2]
    assert re.findall(r"<td[^>]*><span[^>]*>([^<]*)<", drawn)[0] == shown
    assert bool(summary.nothing_available()) is (verdict is Verdict.COMPLETE)


@pytest.mark.parametrize(
    "wanted",
    [
        {"category_id": "3"}, {"category_id": True}, {"category_id": 3.0}, {"category_id": [3]},
        {"category_id": 2**63}, {"status": "lost"}, {"status": True}, {"status": ["sold"]},
        {"status": "sold", "category_id": "3"},
    ],
)  # fmt: skip
def test_a_count_that_no_pet_can_have_is_rejected(wanted: dict[str, Any]) -> None:
    """A 0 for a value of a wrong type would read like an answer about the store."""
    (name, *_) = [name for name in wanted if wanted[name] != "sold"]
    with pytest.raises(pf.ArgumentError, match=f"^{name} "):
        counted().count(**wanted)


def test_the_legend_says_what_changed() -> None:
    """Pets left is said only if pets left; otherwise the store changed."""
    sentences = {
        Fact.PETS_LEFT: "≈ means about: pets left the store while it was read.",
        Fact.ROWS_TWICE: "≈ means about: the store changed while it was read.",
    }
    for fact, sentence in sentences.items():
        inventory = make_inventory(verdict=Verdict.UNSTABLE, evidence=(Evidence(fact, count=2),))
        assert pf.summarize(inventory).legend[-1] == sentence


def test_repeated_rows_count_once() -> None:
    """A minimum counts the ids that were read, not the rows that a program repeated."""
    frame = make_inventory(pets(60)).frame
    for twice in (pd.concat([frame, frame]), pl.concat([pl.from_pandas(frame)] * 2)):
        assert str(pf.summarize(twice).total) == "≥ 60"


def test_a_summary_answers_for_its_table() -> None:
    """Its counts are those of the table of a frame, exact where all or that status was listed."""
    inventory = make_inventory()
    summary = pf.summarize(inventory, categories={3: "Cat"})
    counts = [summary.count("no status", category_id=number).count for number in (3, 9, 99)]
    assert counts == [0, 1, 0] and summary.frame["pets"].sum() == summary.total.count == 5
    plain = pf.summarize(pl.from_pandas(inventory.frame), categories={3: "Cat"})
    pd.testing.assert_frame_equal(plain.frame, summary.frame)
    unsure = pf.summarize(make_inventory(verdict=Verdict.UNKNOWN, exact=["sold"]))
    asked = ("sold", "available", "no status", None)
    assert [unsure.count(one).is_exact for one in asked] == [True, False, False, False]
    assert str(unsure).startswith("unknown: at least 5 pets\n≥ means at least: ")


def test_key_figures_are_all_pets_and_each_status() -> None:
    """A figure has a share where the counts are exact, and otherwise says how exact they are."""
    summary = pf.summarize(pd.DataFrame({"category_id": [1, 2], "status": ["sold", "pending"]}))
    figures = {figure.label: (str(figure.pets), figure.note) for figure in summary.figures()}
    assert figures["Pets"] == ("≥ 2", "in at least 2 categories")
    assert figures["Sold"] == ("≥ 1", "at least")


def test_key_figures_of_a_selection_name_the_whole() -> None:
    """Each figure of selected pets says of how many pets it is a part, also if it is 0."""
    whole = pf.summarize(pd.DataFrame({"category_id": [1, 2], "status": ["sold", "pending"]}))
    part = pf.summarize(pd.DataFrame({"category_id": [1], "status": ["sold"]}))
    notes = {figure.status: (figure.pets.count, figure.note) for figure in part.figures(of=whole)}
    assert notes[""] == (1, "of ≥ 2")
    assert notes["pending"] == (0, "of ≥ 1")
