"""The verdict about a listing: its words, its JSON, and how an inventory looks in a notebook."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from petstore_frame.inventory import (
    Completeness,
    Evidence,
    Fact,
    Inventory,
    PetSearch,
    StatusCount,
    Verdict,
)
from petstore_frame.inventory.verdict.completeness import completeness_html
from unit.conftest import make_inventory as inventory_of


def known(verdict: Verdict = Verdict.COMPLETE, **more) -> Completeness:
    return Completeness(verdict, **({"reason": "because", "rows": 1200, "requests": 13} | more))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (known(), "complete: 1,200 pets"),
        (known(rows=1), "complete: 1 pet"),
        (known(status="sold"), "complete: 1,200 sold pets"),
        (known(Verdict.UNKNOWN, status="sold", rows=1), "unknown: at least 1 sold pet"),
        (known(Verdict.UNKNOWN), "unknown: at least 1,200 pets"),
        (known(Verdict.INCOMPLETE, advertised_total=5000), "incomplete: 1,200 of 5,000 pets"),
        (known(Verdict.UNSTABLE), "unstable: 1,200 pets read"),
    ],
)
def test_a_headline_is_short_and_honest(made: Completeness, text: str) -> None:
    """What is complete says what was asked for, and no other count stands bare."""
    assert str(made) == text
    assert made.is_complete is text.startswith("complete:")
    assert made.covers_all is (made.is_complete and made.status is None)
    # A count of zero is exact only where the whole store was read.
    assert str(made.count("pending")) == ("0" if made.covers_all else "≥ 0")


def test_all_that_contradicts_a_listing_is_told_once() -> None:
    """The reasons list all evidence against it, and do not repeat the main reason."""
    reason, other, seen = (
        Evidence(fact, count=7) for fact in (Fact.TOTAL_LARGER, Fact.ROWS_TWICE, Fact.LINKS_ENDED)
    )
    made = known(Verdict.INCOMPLETE, reason=str(reason), evidence=(reason, other, seen))
    assert made.reasons() == [
        ("Why", [str(reason)]),
        ("What to do", [reason.next_step]), ("Contradictions", [str(other)]),
        ("Other observations", [str(seen)]),
    ]  # fmt: skip


def test_a_verdict_is_a_value_but_no_yes_or_no() -> None:
    """Verdicts can be told apart in a set and survive JSON; none has a truth value."""
    counts = {"sold": StatusCount(3)}
    verdicts = {known(by_status=counts), known(by_status=dict(counts)), known(rows=7)}
    assert len(verdicts) == 2 and known(by_status=counts) in verdicts
    larger = Evidence(Fact.TOTAL_LARGER, assumptions=("b",), count=7)
    more = {"assumptions": ("a",), "advertised_total": 7, "evidence": (larger,)}
    made = known(Verdict.UNKNOWN, by_status=counts, **more)
    stored = json.loads(json.dumps(made.to_dict()))
    assert (Completeness.from_dict(stored), stored["text"]) == (made, str(made))
    with pytest.raises(TypeError, match=r"use \.covers_all .*\.is_complete .*\.verdict"):
        bool(made)


def test_a_reader_at_a_prompt_sees_one_line() -> None:
    """What a prompt shows of a verdict, a count and a search is one honest line."""
    unknown = known(Verdict.UNKNOWN, reason="the page was full", rows=100, requests=1)
    assert repr(unknown) == "<Completeness: unknown: at least 100 pets>"
    assert repr(unknown.total) == "<StatusCount: ≥ 100>"
    search = PetSearch("unknown", None, "not among 100 pets", 1)
    assert repr(search) == "<PetSearch: unknown (not among 100 pets)>"


def shown(inventory: Inventory) -> str:
    """The text of what a notebook shows of an inventory, each of whose tags is closed."""
    html = inventory._repr_html_().replace("&nbsp;", " ")
    page = ElementTree.fromstring(f"<page>{html.partition('</style>')[2]}</page>")
    return re.sub(r"\s+", " ", "".join(page.itertext()))


NASTY = "<img src=x onerror=alert(1)>"
SHOWN: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "the total": ({"verdict": Verdict.INCOMPLETE, "advertised_total": 900},
        ["Incomplete 5 of 900 pets", "Available"], []),
    "what is unknown": ({"verdict": Verdict.UNKNOWN}, ["Available"], []),
    "what moved": ({"verdict": Verdict.UNSTABLE}, ["Available"], []),
    "every digit of an id": ({}, [str(2**63 - 1), "-5"], []),
    "an empty store": ({"pets": []}, ["Complete 0 pets"], ["more in"]),
    "only the status asked for": ({"pets": [(1, "a", 1, "sold")], "status": "sold"},
        ["Sold 1"], ["Available", "No status"]),
    "long texts cut, missing ones marked":
        ({"pets": [(1, "W" * 400, 1, "sold"), (2, "", 1, None)]},
        ["No status 1", "—"], ["W" * 80]),
    "markup as text, wherever it stands": ({"pets": [(1, NASTY, 1, NASTY)], "reason": NASTY,
        "evidence": (Evidence(Fact.FILTER_NOT_KEPT, NASTY),), "assumptions": (NASTY,)},
        [NASTY], []),
}  # fmt: skip


@pytest.mark.parametrize(("made", "has", "lacks"), SHOWN.values(), ids=SHOWN)
def test_a_notebook_shows(made: dict, has: list[str], lacks: list[str]) -> None:
    """First the verdict, then each value as it is; no count of what is not complete stands bare."""
    inventory = inventory_of(**made)
    text = shown(inventory)
    assert ("<table" in inventory._repr_html_()) is bool(len(inventory))
    assert text.startswith("Complete") == ("verdict" not in made) == ("≥" not in text)
    assert [part for part in has if part not in text] == []
    assert [part for part in lacks if part in text] == []
    assert "<img" not in inventory._repr_html_()


def test_at_most_two_assumptions_are_shown_at_once() -> None:
    """The others are one click away, and none is lost."""
    completeness = Completeness(
        Verdict.COMPLETE, "It ended.", 3, 2, assumptions=("a", "b", "c", "d")
    )
    shown, _, folded = str(completeness_html(completeness)).partition("2 more")
    assert [f"<bdi>{name}.</bdi>" in shown for name in "ABCD"] == [True, True, False, False]
    assert [f"<bdi>{name}.</bdi>" in folded for name in "ABCD"] == [False, False, True, True]
