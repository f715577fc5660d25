"""The HTML report in a browser: only there does a script find the rows that it pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.schema.frame import PetColumns, to_frame

PETS = 100_000
HOSTILE = "</noscript><img src=x onerror=document.title='bad'> & \"two\"\nlines"
AXE = "() => axe.run().then(found => found.violations.map(each => each.id))"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a hundred thousand pets whose ids need all their digits."""
    ids = [2**63 - 1 - at for at in range(PETS)]
    names = [f"Pet {at % 1000}" for at in range(PETS - 1)] + [HOSTILE]
    frame = to_frame(PetColumns(ids, names, [at % 40 for at in range(PETS)], ["sold"] * PETS))
    return pf.write_report(frame, tmp_path_factory.mktemp("report") / "stock.html", progress=False)


@pytest.fixture(scope="module")
def page(report: Path, chromium: Any) -> Iterator[Any]:
    """The report, opened once: its hundred thousand rows take a second."""
    page = chromium.new_page()
    page.goto(report.as_uri())
    yield page
    page.close()


def first_id(page: Any) -> str:
    return page.locator("#live tbody th").first.inner_text()


def test_a_large_report_opens_fast(page: Any) -> None:
    """Only the browser lays rows out: with a hundred thousand it shows fifty, within seconds."""
    times = page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
    assert page.locator("tr").count() < 150
    assert times["loadEventEnd"] < 10_000
    assert page.inner_text("#place") == "1–50 of at least 100,000"


def test_search_sort_and_pages(page: Any) -> None:
    """Only a browser runs the script: it finds texts, sorts ids by all digits, turns pages."""
    page.click("#next")
    assert page.inner_text("#place").startswith("51–100 of")
    page.click("#live thead button:text-is('ID')")
    assert first_id(page) == str(2**63 - PETS)
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
def test_axe_finds_nothing(page: Any, axe: str, theme: str) -> None:
    """Only a browser knows colours as shown: roles, labels and contrasts are in order."""
    page.emulate_media(color_scheme=theme)
    page.evaluate(axe)
    assert page.evaluate(AXE) == []
