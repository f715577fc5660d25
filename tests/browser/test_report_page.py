"""The HTML report in a browser: only there does a script find the rows that it pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.schema import PetColumns

PETS = 100_000
HOSTILE = "</noscript><img src=x onerror=document.title='bad'> & \"two\"\nlines"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Iterator[Any]:
    """The report of a hundred thousand pets whose ids need all their digits, opened once."""
    ids = [2**63 - 1 - at for at in range(PETS)]
    names = [f"Pet {at % 1000}" for at in range(PETS - 1)] + [HOSTILE]
    frame = PetColumns([ids, names, [at % 40 for at in range(PETS)], ["sold"] * PETS]).to_frame()
    path = tmp_path_factory.mktemp("report") / "stock.html"
    page = chromium.new_page()
    page.goto(pf.write_report(frame, path).as_uri())
    yield page
    page.close()


def test_a_large_report_lays_out_one_page_of_rows(page: Any) -> None:
    """Only the browser lays rows out: of a hundred thousand it shows fifty."""
    assert page.locator("tr").count() < 150
    assert page.inner_text("#place") == "1–50 of ≥ 100,000"


def test_search_sort_and_pages(page: Any) -> None:
    """Only a browser runs the script: it finds texts, sorts ids by all digits, turns pages."""
    page.click("#next")
    assert page.inner_text("#place").startswith("51–100 of")
    page.click("#live thead button:text-is('ID')")
    assert page.locator("#live tbody th").first.inner_text() == str(2**63 - PETS)
    page.fill("#search", "pet 999")
    assert page.inner_text("#place") == f"1–50 of {PETS // 1000 - 1} found"
    page.fill("#search", "no such pet")
    assert page.inner_text("#place") == "No pet has this text."


def test_a_hostile_name_stays_text(page: Any) -> None:
    """Only a browser would run it: a name that is markup is searched for and shown as text."""
    page.fill("#search", '& "two"')
    assert page.locator("#live tbody td").first.inner_text() == HOSTILE.replace("\n", " ")
    assert page.title() == "Store inventory"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, axe: Any, theme: str) -> None:
    """Only a browser knows colors as shown: roles, labels and contrasts are in order."""
    page.emulate_media(color_scheme=theme)
    assert axe(page.locator("html")) == []
