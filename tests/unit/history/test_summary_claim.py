"""The summary of an inventory never says more than its listing proves."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.inventory import StatusCount, Verdict
from petstore_frame.inventory.source import seal

BIG = 2**53 + 1
PETS = [(1, "Ada", 3, "available"), (2, "Bo", 3, None), (3, "Cy", BIG, "<i>lost</i>")]


def test_complete_counts_stand_alone(make_inventory) -> None:
    """Where the listing is complete the numbers carry no mark."""
    summary = pf.summarize(make_inventory("2026-11-01", PETS), categories={3: "Cat"})
    assert "≥" not in str(summary)
    assert str(summary.count("no status", category_id=3)) == "1"
    assert summary.frame["category"].tolist() == ["Cat", f"Category {BIG}", "all categories"]


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
    claim = pf.Completeness(
        Verdict.UNKNOWN, "the page was full", rows=1, requests=2,
        by_status={"sold": StatusCount(1, True), "available": StatusCount(0, False)},
    )  # fmt: skip
    frame = pd.DataFrame({"category_id": [3], "status": ["sold"]})
    summary = pf.Summary.of(frame, claim)
    asked = ("sold", "available", "no status", None)
    assert [summary.count(one).is_exact for one in asked] == [True, False, False, False]
    last_line = " ".join(str(summary).splitlines()[-1].split())
    assert last_line == "all categories ≥ 0 ≥ 0 1 ≥ 0 ≥ 1"


def test_many_categories_stay_readable(make_inventory) -> None:
    """The text shows the largest categories and sums up the rest; the frame has them all."""
    pets = [(n, "x", n % 30, "sold") for n in range(100)]
    summary = pf.summarize(make_inventory("2026-11-01", pets))
    assert "10 other categories" in str(summary)
    assert len(summary.frame) == 31
    assert str(summary).splitlines()[-1].split()[-1] == "100"


def test_html_escapes_what_the_store_says(make_inventory) -> None:
    """A status or a label is text, whatever it looks like."""
    html = pf.summarize(make_inventory("2026-11-01", PETS), categories={3: "<b>"})._repr_html_()
    assert "<i>" not in html and "<b>" not in html
    assert "&lt;i&gt;lost" in html


def test_unseen_counts_are_zero(make_inventory) -> None:
    """A status or category that does not occur counts 0, with the claim that goes for it."""
    summary = pf.summarize(make_inventory("2026-11-01", PETS, verdict=Verdict.UNKNOWN))
    assert str(summary.count("sold")) == "at least 0"
    assert summary.count("available", category_id=99).count == 0


def sealed(inventory: pf.Inventory) -> pd.DataFrame:
    """The frame as a fetch leaves it."""
    return seal(inventory.frame, inventory.source)


def test_a_frame_keeps_its_claim_in_its_counts(make_inventory) -> None:
    """The frame of an Inventory is counted into a table that is shown as the Inventory's is."""
    inventory = make_inventory("2026-11-01", PETS, verdict=Verdict.UNKNOWN)
    frame, summary = sealed(inventory), pf.summarize(inventory)
    counts = pf.summarize(frame)
    assert repr(counts) == str(summary)
    assert counts._repr_html_() == summary._repr_html_()
    pd.testing.assert_frame_equal(pd.DataFrame(counts), pf.summarize(pd.DataFrame(dict(frame))))


def test_a_part_of_a_frame_does_not_pass_for_it(make_inventory) -> None:
    """Counts of filtered rows say that they are not those of the store."""
    frame = sealed(make_inventory("2026-11-01", PETS))
    words = repr(pf.summarize(frame[frame["category_id"] == 3])).splitlines()[0]
    assert words.startswith("changed since it was read")
    assert words.endswith("these are counts of its rows, not of the store")


def test_what_is_made_of_counts_is_a_plain_table(make_inventory) -> None:
    """No claim goes on to a table that somebody has worked on; a copy by pickle keeps it."""
    counts = pf.summarize(sealed(make_inventory("2026-11-01", PETS)))
    assert type(counts[counts["sold"] > 0]) is pd.DataFrame
    assert repr(pickle.loads(pickle.dumps(counts))) == repr(counts)


@pytest.mark.parametrize("edit", [{"sold": 999}, {"share": 0.5}], ids=["count", "column"])
def test_counts_edited_in_place_carry_no_claim(make_inventory, edit) -> None:
    """A number that nobody counted is not shown below the claim, and the Summary keeps its own."""
    summary = pf.summarize(make_inventory("2026-11-01", PETS))
    counts = summary.frame
    for column, value in edit.items():
        counts.loc[0, column] = value
    assert repr(counts).startswith("changed since it was counted")
    assert "complete" not in repr(counts) + counts._repr_html_()
    assert repr(summary.frame) == str(summary)
