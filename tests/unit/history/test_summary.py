"""A summary says no more than its listing proves, and the same on every engine."""

from __future__ import annotations

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.inventory import StatusCount, Verdict
from unit.history.conftest import BIG, listing, rows_of, table

PETS = [(1, "Ada", 3, "available"), (2, "Bo", 3, None), (3, "Cy", BIG, "<i>lost</i>")]


def test_complete_counts_stand_alone() -> None:
    """Where the listing is complete the numbers carry no mark."""
    summary = pf.summarize(listing("2026-11-01", PETS), categories={3: "<b>"})
    assert "≥" not in str(summary)
    assert str(summary.count("no status", category_id=3)) == "1"
    assert summary.frame["category"].tolist() == ["<b>", f"Category {BIG}"]
    assert summary.frame["all pets"].sum() == summary.total.count == 3


def test_unproven_counts_are_minimums() -> None:
    """Where it is not, each number says at least, in the text, in HTML and by ``count``."""
    inventory = listing("2026-11-01", PETS, verdict=Verdict.UNKNOWN)
    summary = pf.summarize(inventory)
    assert str(summary).splitlines()[:2] == [
        "unknown: at least 3 pets",
        "≥ means at least: the store may hold more than was read.",
    ]
    assert str(summary).splitlines()[-1].count("≥") == len(summary.statuses) + 1
    assert "≥ 3" in summary._repr_html_()
    assert (str(summary.count()), str(summary.count("sold"))) == ("at least 3", "at least 0")
    assert summary.count("available", category_id=99).count == 0
    # The frame of an Inventory is counted into a plain table of the same numbers, and the sums.
    pd.testing.assert_frame_equal(pf.summarize(inventory.frame).iloc[:-1], summary.frame)


def test_one_exact_status_is_not_marked() -> None:
    """A status whose own listing ended is exact even when the whole is not."""
    known = pf.Completeness(
        Verdict.UNKNOWN, "the page was full", rows=1, requests=2,
        by_status={"sold": StatusCount(1, True), "available": StatusCount(0, False)},
    )  # fmt: skip
    summary = pf.Summary.of(pd.DataFrame({"category_id": [3], "status": ["sold"]}), known)
    asked = ("sold", "available", "no status", None)
    assert [summary.count(one).is_exact for one in asked] == [True, False, False, False]
    last_line = " ".join(str(summary).splitlines()[-1].split())
    assert last_line == "all categories ≥ 0 ≥ 0 1 ≥ 0 ≥ 1"


COLUMNS = ["category_id", "category", "available", "pending", "sold", "no status", "all pets"]
COUNTED = {
    "a missing status, an unknown one and ids past 2**53": (
        [
            (1, "a", 3, "available"), (BIG, "b", 3, None), (BIG + 2, "c", BIG, "lost"),
            (4, "d", BIG + 2, "sold"), (5, "e", 3, "available"),
        ],
        [
            (3, "Cat", 2, 0, 0, 1, 3), (BIG, f"Category {BIG}", 0, 0, 0, 0, 1),
            (BIG + 2, f"Category {BIG + 2}", 0, 0, 1, 0, 1),
            (None, "all categories", 2, 0, 1, 1, 5),
        ],
    ),
    "no pets": ([], [(None, "all categories", 0, 0, 0, 0, 0)]),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "counts"), COUNTED.values(), ids=COUNTED)
def test_every_kind_of_frame_is_counted(to_kind, rows, counts) -> None:
    """Pets are counted for what they are into a frame of the same kind, the sums last."""
    pets = to_kind(rows)
    counted = pf.summarize(pets, categories={3: "Cat"})
    assert type(counted) is type(pets)
    assert rows_of(counted, *COLUMNS) == counts


@pytest.mark.parametrize("name", ["category", "category_id", "all pets"])
def test_status_named_like_a_column(name: str) -> None:
    """A store's odd status never takes the place of a column of ours."""
    counted = pf.summarize(table([(1, "a", 3, name)]))
    assert counted[f"status {name}"].tolist() == [1, 1]
    assert counted["all pets"].tolist() == [1, 1]
