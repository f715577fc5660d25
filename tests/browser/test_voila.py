"""The dashboard as a page of its own: ``petstore-frame dashboard``."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from browser import jupyter
from browser.conftest import kernels_of, open_page
from plain_http import wait_until

GIVE = """() => {
  const files = new DataTransfer();
  files.items.add(new File(["name,Art\\nDropped,Hund\\n,Katze\\n"], "dropped.csv"));
  return files;
}"""
PASTE = """(place, text) => {
  const pasted = new DataTransfer();
  pasted.setData("text/plain", text);
  place.dispatchEvent(new ClipboardEvent("paste",
    {clipboardData: pasted, bubbles: true, cancelable: true}));
}"""


def test_dark_is_followed(voila: Any, axe: Any) -> None:
    """Only a browser has the system's preference: the page follows it, and axe finds nothing."""
    shades = {}
    for scheme in ("dark", "light"):
        voila.emulate_media(color_scheme=scheme)
        shades[scheme] = voila.locator(".pf-card").first.evaluate(
            "card => getComputedStyle(card).backgroundColor"
        )
        assert axe(voila.locator(".pf-dash")) == []
    assert shades["light"] == "rgb(255, 255, 255)" and shades["dark"] != shades["light"]


def test_without_the_token_there_is_no_page(address: str) -> None:
    """Another user of the machine who finds the port is asked for the token."""
    answer = httpx.get(address.partition("?")[0], follow_redirects=True, timeout=30)
    assert "/login" in str(answer.url) or answer.status_code in (401, 403)
    assert b"pf-dash" not in answer.content


def test_a_file_is_dropped_and_a_table_is_pasted(voila: Any, axe: Any) -> None:
    """Only a browser has a clipboard and a hand that drops; keys alone send what came so."""
    voila.get_by_role("tab", name="Import").click()
    tab, dash = voila.locator(".pf-tab:visible"), voila.locator(".pf-dash")
    files = voila.evaluate_handle(GIVE)
    tab.locator("textarea").wait_for()
    for kind in ("dragover", "drop"):
        tab.dispatch_event(kind, {"dataTransfer": files})
    tab.locator(".pf-step-title", has_text="dropped.csv").wait_for()
    tab.get_by_label("Category", exact=True).select_option(label="Art")
    tab.locator(".pf-form tr", has_text="Hund").wait_for()
    assert axe(dash) == []
    tab.get_by_role("button", name="Change").first.click()
    place = tab.locator("textarea")
    place.focus()
    place.evaluate(PASTE, "name\tcategory_id\r\nPasted\t2\r\n")
    tab.locator(".pf-step-title", has_text="pasted ").wait_for()
    voila.get_by_role("button", name="Add 1 pet").wait_for()
    tab.get_by_role("button", name="Change").last.focus()
    for _ in range(20):  # with keys alone
        voila.keyboard.press("Tab")
        if voila.evaluate("() => document.activeElement.innerText") == "Add 1 pet":
            break
    voila.keyboard.press("Enter")
    voila.get_by_role("button", name="Download results.csv").first.wait_for()
    assert axe(dash) == []


@pytest.fixture
def own_page(
    environ: dict[str, str], tmp_path: Path, chromium: Any
) -> Iterator[tuple[Any, str, subprocess.Popen[str]]]:
    """A page with a server of its own, which a test may end."""
    with open_page(environ, tmp_path) as (address, process), jupyter.tab(chromium) as (page, _):
        page.goto(address)
        page.wait_for_selector(".pf-card", timeout=90_000)
        yield page, address, process


def test_three_loads_leave_one_kernel_and_a_lost_one_is_explained(own_page: Any) -> None:
    """Only a browser reloads pages: that ends the kernel before, and a lost kernel is explained."""
    page, _, process = own_page
    for _ in range(2):
        page.reload()
        page.wait_for_selector(".pf-dash[data-watched]", timeout=90_000)
    assert wait_until(lambda: len(kernels_of(process)) == 1, 20)
    (kernel,) = kernels_of(process)
    os.kill(kernel, signal.SIGKILL)
    lost = page.locator(".pf-lost")
    lost.wait_for(timeout=60_000)
    assert "The connection was lost" in lost.inner_text()
    assert kernels_of(process) == []
    lost.get_by_role("button", name="Reload").click()
    page.wait_for_selector(".pf-card", timeout=90_000)
    assert page.locator(".pf-lost").count() == 0
    page.unroute_all()  # the guard drops what a page sends while it is left
    page.goto("about:blank")
    assert wait_until(lambda: kernels_of(process) == [], 30)


def test_moments_are_in_the_time_of_the_reader(voila: Any) -> None:
    """Only a browser knows the reader's time zone; the tooltip keeps UTC."""
    time = voila.locator(".pf-header time[data-local]")
    time.wait_for()
    assert "(your time)" in time.inner_text() and "UTC" in time.get_attribute("title")
