"""The summary of an inventory never says more than its listing proves."""

from __future__ import annotations

import pandas as pd

import petstore_frame as pf
from petstore_frame.inventory import StatusCount, Verdict

BIG = 2**53 + 1
PETS = [(1, "Ada", 3, "available"), (2, "Bo", 3, None), (3, "Cy", BIG, "<i>lost</i>")]


def test_complete_counts_stand_alone(make_inventory) -> None:
    """Where the listing is complete the numbers carry no mark."""
    summary = pf.summarize(make_inventory("2026-11-01", PETS), categories={3: "Cat"})
    assert "≥" not in str(summary)
    assert str(summary.count("no status", category_id=3)) == "1"
    assert summary.frame["category"].tolist() == ["Cat", f"Category {BIG}"]
    assert summary.frame["all pets"].sum() == summary.total.count == 3


def test_unproven_counts_are_minimums(make_inventory) -> None:
    """Where it is not, each number says at least, in the text, in HTML and by ``count``."""
    summary = pf.summarize(make_inventory("2026-11-01", PETS, verdict=Verdict.UNKNOWN))
    assert str(summary).splitlines()[:2] == [
        "unknown: at least 3 pets",
        "≥ means at least: the store may hold more than was read.",
    ]
    assert str(summary).splitlines()[-1].count("≥") == len(summary.statuses) + 1
    assert "≥ 3" in summary._repr_html_()
    assert str(summary.count()) == "at least 3"


def test_one_exact_status_is_not_marked() -> None:
    """A status whose own listing ended is exact even when the whole is not."""
    known = pf.Completeness(
        Verdict.UNKNOWN, "the page was full", rows=1, requests=2,
        by_status={"sold": StatusCount(1, True), "available": StatusCount(0, False)},
    )  # fmt: skip
    frame = pd.DataFrame({"category_id": [3], "status": ["sold"]})
    summary = pf.Summary.of(frame, known)
    asked = ("sold", "available", "no status", None)
    assert [summary.count(one).is_exact for one in asked] == [True, False, False, False]
    last_line = " ".join(str(summary).splitlines()[-1].split())
    assert last_line == "all categories ≥ 0 ≥ 0 1 ≥ 0 ≥ 1"


def test_html_escapes_what_the_store_says(make_inventory) -> None:
    """A status or a label is text, whatever it looks like."""
    html = pf.summarize(make_inventory("2026-11-01", PETS), categories={3: "<b>"})._repr_html_()
    assert "<i>" not in html and "<b>" not in html
    assert "&lt;i&gt;lost" in html


def test_unseen_counts_are_zero(make_inventory) -> None:
    """A status or category that does not occur counts 0, and it says whether that is exact."""
    summary = pf.summarize(make_inventory("2026-11-01", PETS, verdict=Verdict.UNKNOWN))
    assert str(summary.count("sold")) == "at least 0"
    assert summary.count("available", category_id=99).count == 0


def test_counts_of_a_frame_are_of_its_rows(make_inventory) -> None:
    """The frame of an Inventory is counted into a plain table of the same numbers, and the sums."""
    inventory = make_inventory("2026-11-01", PETS, verdict=Verdict.UNKNOWN)
    counts = pf.summarize(inventory.frame)
    assert type(counts) is pd.DataFrame
    pd.testing.assert_frame_equal(counts.iloc[:-1], pf.summarize(inventory).frame)
