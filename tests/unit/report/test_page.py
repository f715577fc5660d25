"""The report as one page: whole without a script, nothing from elsewhere, every text escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import petstore_frame as pf
from petstore_frame.inventory import Verdict

HOSTILE = ["<script>alert(1)</script>", "</noscript><b>", "two\nlines", "sold", "Tom & <tr>", ""]


class Page(HTMLParser):
    """The tags, the addresses, and the rows of the list of pets, as a browser without scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.rows: list[list[str]] = []
        self._is_list = False
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action")]
        self._is_list |= tag == "noscript"
        if self._is_list and tag == "tr":
            self.rows.append([])
        if self._is_list and tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag) -> None:
        self._is_list &= tag != "noscript"

    def handle_data(self, data) -> None:
        if self._is_list and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def page_of(inventory, tmp_path) -> tuple[str, Page]:
    text = pf.write_report(inventory, tmp_path / "stock.html").read_text(encoding="utf-8")
    return text, Page(text)


def test_every_pet_is_on_the_page(inventory_of, tmp_path) -> None:
    """A reader without scripts finds each pet, with id and texts to the letter."""
    pets = [(2**63 - 1 - at, HOSTILE[at % len(HOSTILE)], 3, "sold") for at in range(1_200)]
    _, page = page_of(inventory_of(pets), tmp_path)
    listed = [row for row in page.rows if row[0] != "ID"]
    assert [[cell.strip("\n") for cell in row] for row in listed] == [
        [str(pet_id), name, "3", "sold"] for pet_id, name, _, _ in pets
    ]


def test_nothing_comes_from_elsewhere(inventory_of, tmp_path) -> None:
    """The page has one script of its own, and names no address."""
    text, page = page_of(inventory_of([(1, HOSTILE[0], 3, "sold")]), tmp_path)
    assert page.tags.count("script") == 1
    assert page.addresses == []
    assert not re.search(r"url\((?!#)|@import|fetch\(|XMLHttpRequest", text)


def test_a_doubt_shows_minimums(inventory_of, tmp_path) -> None:
    """Counts that are not exact carry their sign on the page too."""
    text, _ = page_of(inventory_of(verdict=Verdict.UNKNOWN), tmp_path)
    assert re.search(r'<b class="pf-figure">≥ 5</b>', text)
    assert "Counts marked ≥ are minimums" in text


def test_an_empty_store_is_a_page(inventory_of, tmp_path) -> None:
    """Without pets there is no list and no drawing, and the verdict is there."""
    text, page = page_of(inventory_of([]), tmp_path)
    assert "noscript" not in page.tags
    assert "Complete: 0 pets" in text
