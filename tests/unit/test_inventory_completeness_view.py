"""How an inventory looks in a notebook: verdict first, nothing taken for markup."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser

import pytest

from petstore_frame.inventory import Evidence, Fact, Verdict


class Tags(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


NASTY = "<img src=x onerror=alert(1)>"


def test_the_verdict_comes_first(inventory_of) -> None:
    """The first words are the verdict, before any number of pets."""
    page = Tags(inventory_of(verdict=Verdict.INCOMPLETE, advertised_total=900)._repr_html_())
    assert page.text.startswith("Incomplete 5 of 900 pets")
    assert (page.unbalanced, page.open) == ([], [])


@pytest.mark.parametrize("verdict", list(Verdict))
def test_no_count_stands_bare(inventory_of, verdict: Verdict) -> None:
    """Only a complete inventory shows counts without "at least"."""
    text = Tags(inventory_of(verdict=verdict)._repr_html_()).text
    assert ("at least" in text) is (verdict is not Verdict.COMPLETE)
    assert "Available" in text


def test_every_text_is_escaped(inventory_of) -> None:
    """Names, statuses, evidence and assumptions are text, whatever they hold."""
    made = inventory_of(
        [(1, NASTY, 1, NASTY), (2, "\u202egnirts", 1, None)],
        evidence=(
            Evidence(Fact.SAYS_MORE, detail=NASTY),
            Evidence(Fact.STATUS_PAGE, NASTY, detail=NASTY),
        ),
        assumptions=(NASTY,),
        basis=NASTY,
    )
    html = made._repr_html_()
    assert "<img" not in html
    assert html.count("&lt;img") >= 6


def test_ids_are_shown_whole(inventory_of) -> None:
    """Ids beyond 2**53 and negative ones keep every digit."""
    text = Tags(inventory_of()._repr_html_()).text
    assert str(2**63 - 1) in text
    assert "-5" in text


def test_an_empty_store_is_shown_too(inventory_of) -> None:
    """No pets is a listing like any other."""
    text = Tags(inventory_of([])._repr_html_()).text
    assert text.startswith("Complete 0 pets")
    assert "more in" not in text
    assert "<table" not in inventory_of([])._repr_html_()


def test_a_listing_of_one_status_counts_that_one(inventory_of) -> None:
    """Statuses that nobody asked for are not shown as "at least 0"."""
    made = inventory_of([(1, "a", 1, "sold")], status="sold")
    text = Tags(made._repr_html_()).text
    assert "Sold 1" in text
    assert "Available" not in text and "No status" not in text


def test_no_text_breaks_the_page(inventory_of) -> None:
    """Long texts are cut, and an empty one is told from a missing one."""
    made = inventory_of([(1, "W" * 400, 1, ""), (2, "", 1, None)])
    page = Tags(made._repr_html_())
    assert "W" * 79 + "…" in page.text and "W" * 80 not in page.text
    assert "(empty) 1" in page.text and "No status 1" in page.text
    assert "—" in page.text


def test_an_inventory_points_to_its_frame(inventory_of) -> None:
    """What a table can do is asked of the frame, and the message says so."""
    inventory = inventory_of()
    for wrong, error, advice in (
        (lambda: inventory.head(), AttributeError, r"\.frame\.head"),
        (lambda: inventory.summary(), AttributeError, r"pf\.summarize\(inventory\)"),
        (lambda: inventory.to_excel("a.xlsx"), AttributeError, r"pf\.write_report"),
        (lambda: inventory["name"], TypeError, r"\.frame\['name'\]"),
        (lambda: list(inventory), TypeError, r"\.frame\.itertuples"),
    ):
        with pytest.raises(error, match=advice):
            wrong()
    assert not hasattr(inventory, "columns")
    assert copy.deepcopy(inventory).completeness == inventory.completeness
