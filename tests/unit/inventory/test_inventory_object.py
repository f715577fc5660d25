"""What an Inventory answers to what is not asked of it, and which values no pet can have."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.inventory.frame.coverage import rows_fingerprint
from petstore_frame.report import write_data
from unit.conftest import make_inventory

STOCK: Any = make_inventory([(1, "Luna", 3, "sold"), (2, "Max", 4, None)])


@pytest.mark.parametrize(
    "use",
    [
        lambda: STOCK["status"],
        lambda: STOCK.head(),
        lambda: STOCK.to_csv("a.csv"),
        lambda: STOCK.merge(STOCK.frame),
        lambda: STOCK.df,
        lambda: list(STOCK),
        lambda: pd.DataFrame(STOCK),
    ],
)
def test_an_inventory_says_that_the_frame_is_its_attribute(use: Callable[[], object]) -> None:
    """What is typed by habit of pandas names ``.frame``."""
    with pytest.raises((AttributeError, TypeError), match=r"not a DataFrame; use \.frame"):
        use()


def test_neither_an_inventory_nor_its_completeness_is_true_or_false() -> None:
    """An empty store is not the same as no store, and complete not the same as not empty."""
    empty = make_inventory([])
    for value in (STOCK, empty, STOCK.completeness, empty.completeness):
        with pytest.raises(TypeError, match="is_complete"):
            bool(value)


def test_copies_are_the_same_inventory() -> None:
    """A copy and a pickle have the frame and what it covers."""
    for made in (copy.copy(STOCK), copy.deepcopy(STOCK), pickle.loads(pickle.dumps(STOCK))):
        assert isinstance(made, Inventory)
        assert (made.completeness, len(made)) == (STOCK.completeness, 2)
    with pytest.raises(AttributeError, match="has no attribute 'stauts'"):
        _ = STOCK.stauts


@pytest.mark.parametrize(
    "wanted",
    [
        {"category_id": "3"},
        {"category_id": True},
        {"category_id": 3.0},
        {"category_id": []},
        {"category_id": [3, "4"]},
        {"category_id": 2**63},
        {"status": []},
        {"status": True},
        {"status": "Sold"},
    ],
)
def test_a_filter_that_no_pet_can_match_is_rejected(wanted: dict[str, Any]) -> None:
    """A filter of the wrong type is not called complete with 0 pets."""
    with pytest.raises(pf.ArgumentError, match=next(iter(wanted))):
        STOCK.where(**wanted)


@pytest.mark.parametrize("status", ["Sold", "", None, 3])
def test_a_status_that_no_pet_can_have_has_no_count(status: Any) -> None:
    """A typing error is no count of 0."""
    with pytest.raises(pf.ArgumentError, match="status"):
        STOCK.completeness.count(status)
    assert STOCK.completeness.count("no status") == 1


def test_a_count_is_an_int_with_a_bound() -> None:
    """It compares, sorts, adds and formats like the number, and keeps its bound in a copy."""
    exact, minimum, rough = (StatusCount(300, b) for b in ("exact", "at_least", "about"))
    assert exact == 300 and minimum == 300 and exact != minimum
    assert sorted([StatusCount(5), minimum, 7]) == [5, 7, 300]
    assert minimum + 1 == 301 and f"{minimum:>5}|{minimum:,}" == "  300|300"
    assert [str(exact), f"{minimum}", str(rough)] == ["300", "≥ 300", "≈ 300"]
    for made in (copy.deepcopy(rough), pickle.loads(pickle.dumps(rough))):
        assert (made, made.bound) == (rough, "about")


@pytest.mark.parametrize(
    ("operation", "fingerprints"),
    [
        (lambda path: STOCK.completeness, 1),
        (lambda path: STOCK.to_dict(), 1),
        (lambda path: STOCK.require_complete(), 1),
        (lambda path: write_data(STOCK, path / "pets.csv"), 1),
        (lambda path: pf.write_report(STOCK, path / "pets.csv"), 1),
        (lambda path: pf.write_report(STOCK, path / "pets.xlsx"), 1),
        (lambda path: pf.write_report(STOCK, path / "pets.parquet"), 1),
        (lambda path: STOCK.with_ids(pd.DataFrame({"key": ["a"], "id": [1]})), 0),
        (lambda path: STOCK.where(status="sold"), 2),  # of these rows, and of those it leaves
    ],
)
def test_an_operation_compares_the_rows_once(
    operation: Callable[[Path], object], fingerprints: int, tmp_path: Path, monkeypatch
) -> None:
    """Whether the rows were changed is found out once, not at each step."""
    frames = []

    def count_and_compute(frame: pd.DataFrame) -> str | None:
        frames.append(frame)
        return rows_fingerprint(frame)

    for module in ("coverage", "inventory"):
        name = f"petstore_frame.inventory.frame.{module}.rows_fingerprint"
        monkeypatch.setattr(name, count_and_compute)
    operation(tmp_path)
    assert len(frames) == fingerprints


def test_the_completeness_is_the_object_that_the_fetch_made() -> None:
    """It is made once, and is the same until the rows change."""
    fetched = Inventory.from_frame(STOCK.frame.copy())
    assert fetched.completeness is fetched.completeness
    assert isinstance(fetched.frame.attrs["petstore_frame"], dict)


def test_a_pickled_frame_keeps_its_completeness_and_needs_no_package() -> None:
    """What it covers comes back as an ordinary dict, and says the same."""
    frame = pickle.loads(pickle.dumps(STOCK.frame))
    assert type(frame.attrs["petstore_frame"]) is dict
    assert pf.completeness(frame) == STOCK.completeness


def test_pages_come_one_by_one() -> None:
    """Each page is asked for when it is needed, and the filter is kept on the way."""
    store = pf.testing.fake_store(
        {"name": f"Pet {n}", "category_id": 1, "status": "sold"} for n in range(250)
    )
    with store.client() as client:
        pages = client.pages(status="sold")
        assert (len(next(pages)), len(store.requests)) == (100, 1)
        assert [len(page) for page in pages] == [100, 50]


def test_labels_leave_a_column_of_the_user_alone() -> None:
    """A column of your own that is called category stays, and the labels get another name."""
    own = replace(STOCK, frame=STOCK.frame.assign(category=["mine", "mine, too"]))
    labelled = own.to_frame({3: "Cat", 4: "Dog"})
    assert labelled["category"].tolist() == ["mine", "mine, too"]
    assert labelled["category (store)"].tolist() == ["Cat", "Dog"]


# What users call; other parts of the toolkit call functions of a module instead.
INVENTORY = {
    "base_url", "completeness", "fetched_at", "from_frame", "require_complete", "store_id",
    "store_name", "to_dict", "to_frame", "where", "with_ids",
}  # fmt: skip
COMPLETENESS = {
    "bound_of", "contradictions", "count", "covers_all", "from_dict", "headline", "is_complete",
    "next_step", "reasons", "rests_on_page_length", "to_dict", "total",
}  # fmt: skip


@pytest.mark.parametrize(
    ("public_class", "members"), [(pf.Inventory, INVENTORY), (pf.Completeness, COMPLETENESS)]
)
def test_a_class_shows_what_users_need(public_class: type, members: set[str]) -> None:
    """Each public member is wanted, and the reference, made of its docstring, says what it is."""
    shown = {name for name in dir(public_class) if not name.startswith("_")}
    fields = {item.name for item in dataclass_fields(public_class)}
    assert shown - fields == members
    assert all(getattr(public_class, name).__doc__ for name in members)
    public_fields = [name for name in fields if not name.startswith("_")]
    assert all(f"{name}:" in str(public_class.__doc__) for name in public_fields)
