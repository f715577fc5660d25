"""What a frame covers is true of the rows that it has now, and of no others."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.inventory import (
    Completeness,
    Fact,
    Inventory,
    Provenance,
    Verdict,
    inventory_facts,
    inventory_of,
    provenance_of,
    write_coverage,
)
from petstore_frame.inventory.verdict.completeness import StatusCount
from petstore_frame.report.report_content import gather
from petstore_frame.schema import PetColumns

SOLD = {"sold": StatusCount(2)}
KNOWN = Completeness(Verdict.COMPLETE, "because", 4, 1, by_status=SOLD)

PROVENANCE = Provenance("http://127.0.0.1/v1", datetime(2026, 11, 21, 2, 0, tzinfo=UTC), "s-1")


@pytest.fixture
def frame() -> pd.DataFrame:
    ids, statuses = [3, 1, 2, 2**63 - 1], ["sold", None, "x", "sold"]
    return inventory_of(
        PetColumns([ids, list("abcd"), [7, 7, 8, 8], statuses]).to_frame(), KNOWN, PROVENANCE
    ).frame


PRICES = pd.DataFrame({"id": [1, 2, 3, 2**63 - 1, 99], "price": [9.5, 1, 2, 3, 4]})


def given_attrs(merged: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    merged.attrs = frame.attrs
    return merged


KEEPS = {
    "untouched": lambda frame: frame,
    "sorted": lambda frame: frame.sort_values("name", ascending=False),
    "copied": lambda frame: frame.copy(),
    "given a column": lambda frame: frame.assign(label="Dogs"),
    "given an index": lambda frame: frame.set_index(pd.Index(list("wxyz"))),
    "given its attrs after a merge": lambda frame: given_attrs(frame.merge(PRICES, on="id"), frame),
    "with tidied categories": lambda frame: frame.assign(
        status=frame["status"].cat.remove_unused_categories()
    ),
    "pickled": lambda frame: pickle.loads(pickle.dumps(frame)),
}
BREAKS = {
    "filtered": (
        lambda frame: frame[frame["status"] == "sold"],
        "it has 2 rows, and 4 pets were read",
    ),
    "cut": (lambda frame: frame.head(3), "it has 3 rows"),
    "doubled": (lambda frame: frame.loc[frame.index.repeat(2)], "it has 8 rows"),
    "sold out": (lambda frame: frame.assign(status="sold"), "a status"),
    "moved to a category": (lambda frame: frame.assign(category_id=1), "a category"),
    "turned": (lambda frame: frame.T, "an id"),
    "described": (lambda frame: frame.describe(), "it has 8 rows"),
    "without ids": (lambda frame: frame.drop(columns="id"), "an id"),
}


@pytest.mark.parametrize("change", KEEPS.values(), ids=KEEPS)
def test_what_keeps_the_rows_keeps_what_they_cover(frame: pd.DataFrame, change) -> None:
    """Order, index, further columns, copies, and attrs given back after a merge change nothing."""
    changed = change(frame)
    assert (pf.completeness(changed), provenance_of(changed)) == (KNOWN, PROVENANCE)


@pytest.mark.parametrize(("change", "why"), BREAKS.values(), ids=BREAKS)
def test_changed_rows_cover_nothing_that_is_known(frame: pd.DataFrame, change, why: str) -> None:
    """No filtered or edited frame passes for the whole, and the reason is told."""
    completeness = pf.completeness(change(frame))
    assert completeness.verdict is Verdict.UNKNOWN
    assert {item.fact for item in completeness.evidence} == {Fact.CHANGED_SINCE}
    assert why in completeness.reason


def test_of_a_frame_from_elsewhere_nothing_is_known(frame: pd.DataFrame) -> None:
    """Without a readable record it is unknown, as after a merge; other values are refused."""
    for attrs in ({}, {"petstore_frame": "{"}, {"petstore_frame": []}):
        other = pd.DataFrame({"id": [1]})
        other.attrs.update(attrs)
        for rows in (other, frame.merge(other, on="id"), other.loc[[0, 0]]):
            completeness = pf.completeness(rows)
            assert str(completeness) == "unknown: at least 1 pet"
            assert {item.fact for item in completeness.evidence} == {Fact.NO_RECORD}
    for value in (None, "stock.csv", 3, pd.Series([1])):
        with pytest.raises(
            pf.ArgumentError, match="pets must be a frame of pets or an Inventory, got"
        ):
            pf.completeness(value)


EDITS = {
    "a row added in place": lambda inventory: inventory.frame.loc.__setitem__(
        99, [9, "Rex", 1, "sold"]
    ),
    "a cell set": lambda inventory: inventory.frame.__setitem__("category_id", 1),
    "replaced": lambda inventory: dataclasses.replace(inventory, frame=inventory.frame.head(2)),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_inventory_is_nowhere_called_complete(frame: pd.DataFrame, edit) -> None:
    """Whatever shows an Inventory stops calling it complete once its rows were changed."""
    inventory = Inventory(frame, PROVENANCE)
    assert (inventory.completeness, pf.summarize(inventory).completeness) == (KNOWN, KNOWN)
    edited = edit(inventory)
    inventory = inventory if edited is None else edited
    chart = repr(pf.charts.status_chart(inventory))
    shown = [repr(inventory), inventory._repr_html_(), str(pf.summarize(inventory)), chart]
    assert all(("at least" in text or "≥" in text) and str(KNOWN) not in text for text in shown)
    assert not pf.summarize(inventory).count("sold").is_exact


def made(verdict: Verdict = Verdict.COMPLETE, **more: Any) -> Inventory:
    """Five pets in two categories, one of them without a status."""
    statuses = ["sold", None, "available", "sold", "pending"]
    columns = PetColumns([[5, 1, 2, 4, 3], list("abcde"), [7, 7, 8, 8, 8], statuses])
    return Inventory.from_frame(columns.to_frame(), verdict=verdict, **more)


def test_own_keys_stand_beside_the_pets() -> None:
    """with_ids adds a column of text, and what is covered stays; a pet with two keys has both."""
    ids = pd.DataFrame({"key": ["A1", "A2", "A3", "x"], "id": [5, 1, 5, None]})
    inventory = made().with_ids(ids.astype({"id": "Int64"}))
    assert inventory.frame["key"].fillna("").tolist() == ["A1, A3", "A2", "", "", ""]
    assert inventory.frame["key"].dtype == inventory.frame["name"].dtype
    assert inventory.completeness.covers_all
    with pytest.raises(pf.ArgumentError, match="key is missing"):
        made().with_ids(pd.DataFrame({"id": [1]}))


def test_every_pet_can_be_counted_with_pandas() -> None:
    """to_frame gives every pet a status and a label; the Inventory's own frame stays as it is."""
    inventory = made()
    pets = inventory.to_frame({7: "Cat"}, no_status="(none)")
    assert pets.groupby("status", observed=True).size().sum() == len(inventory) == 5
    assert pets["category"].tolist()[:3] == ["Cat", "Cat", "Category 8"]
    assert inventory.frame["status"].isna().sum() == 1


def test_other_libraries_read_an_inventory() -> None:
    """polars and pyarrow take an Inventory as it is, by the Arrow stream of its frame."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    assert polars.DataFrame(made())["id"].to_list() == [5, 1, 2, 4, 3]
    assert pyarrow.table(made()).column("name").to_pylist() == list("abcde")


def test_a_stated_filter_keeps_what_is_known_of_its_part() -> None:
    """The part of a whole is whole, and what a filter leaves out is 0."""
    part = made().where(category_id=8)
    assert str(part.completeness) == "complete: 3 pets with category 8"
    assert not part.completeness.covers_all
    assert part.completeness.count("sold") == StatusCount(1)
    open_end = made(Verdict.UNKNOWN, exact=("sold", "pending"))
    assert open_end.where(status=["sold", "pending"]).completeness.is_complete
    other = open_end.where(status=["sold", "available"]).completeness
    assert (other.is_complete, other.count("available").is_exact) == (False, False)
    assert str(other.count("pending")) == "0"
    assert not made(Verdict.INCOMPLETE).where(category_id=8).completeness.is_complete
    assert len(made().where(status="no status")) == 1


def test_a_part_of_a_part_is_not_the_store() -> None:
    """Filters add up, rows dropped afterward by hand are seen, and no part is compared as all."""
    part = made().where(category_id=8).where(status="sold")
    assert str(part.completeness) == "complete: 1 pet with category 8 and status sold"
    assert pf.completeness(part.frame.head(0)).verdict is Verdict.UNKNOWN
    assert Completeness.from_dict(part.completeness.to_dict()) == part.completeness
    with pytest.raises(pf.ArgumentError, match="only the pets with category 8"):
        pf.compare(part.frame, part, on="name")


def test_no_more_pets_are_counted_than_were_read(frame: pd.DataFrame) -> None:
    """A row that repeats is no further pet, and a row added by hand was not read."""
    twice = pd.concat([frame, frame])
    twice.attrs = frame.attrs
    added = frame.copy()
    added.loc[9] = [9, "e", 7, "sold"]
    for changed in (twice, added):
        completeness = pf.completeness(changed)
        assert (completeness.rows, completeness.count("sold").count, completeness.is_complete) == (
            4,
            2,
            False,
        )


def test_what_is_not_complete_can_be_refused(frame: pd.DataFrame) -> None:
    """``require_complete`` gives the Inventory, or raises with the evidence and what there is."""
    assert len(Inventory(frame, PROVENANCE).require_complete()) == 4
    with pytest.raises(pf.IncompleteInventoryError, match="it has 2 rows") as caught:
        Inventory(frame.head(2), PROVENANCE).require_complete()
    assert len(caught.value.partial) == 2


def test_a_csv_keeps_what_it_covers_until_it_is_changed(frame: pd.DataFrame, tmp_path) -> None:
    """A report's CSV or a raw one reads back with its claim; changed, or alone, it has none."""
    frame = inventory_of(frame.assign(name=["=1+1", "'a", "b;,\r", "ü"]), KNOWN, PROVENANCE).frame
    for path in (tmp_path / "report.csv", tmp_path / "raw.csv"):
        if path.stem == "report":
            pf.write_report(Inventory(frame, PROVENANCE), path)
        else:
            frame.to_csv(path, index=False, quoting=2)
        write_coverage(path, inventory_facts(Inventory(frame, PROVENANCE)))
        back = pf.read_inventory(path)
        assert (back.completeness, back.provenance) == (KNOWN, PROVENANCE)
        assert back.frame["name"].tolist() == frame["name"].tolist()
        path.write_bytes(path.read_bytes().replace(b"sold", b"pending"))
        assert pf.read_inventory(path).completeness.verdict == "unknown"
        (tmp_path / f"{path.name}.coverage.json").unlink()
        assert pf.read_inventory(path).base_url == ""
    path.write_text("id,name\n1,x\n", encoding="utf-8")
    with pytest.raises(pf.ArgumentError, match="lacks category_id, status"):
        pf.read_inventory(path)
    path.write_text("id,name,category_id,status\n1,x,1,sold,9,9\n", encoding="utf-8")
    with pytest.raises(pf.InputError, match="the line has 6 cells, and the header 4"):
        pf.read_inventory(path)


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv", "a.parquet"])
def test_an_inventory_and_its_report_state_the_same(
    frame: pd.DataFrame, name: str, tmp_path
) -> None:
    """A merge loses what pandas stores with a frame, and the Inventory knows it."""
    kept = inventory_of(frame, KNOWN, PROVENANCE)
    merged = frame.merge(PRICES, on="id", how="left")
    merged.attrs.clear()
    with_prices = dataclasses.replace(kept, frame=merged)
    assert with_prices.completeness == kept.completeness == pf.completeness(with_prices.frame)
    path = pf.write_report(with_prices, tmp_path / name)
    if name != "a.xlsx":
        assert pf.read_inventory(path).completeness == kept.completeness
    assert gather(with_prices).completeness == kept.completeness
