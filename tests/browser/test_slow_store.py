"""The page of a store that hangs or is slow: what it says, how fast Stop is, what goes on."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from browser import jupyter
from browser.conftest import kernels_of, open_page
from faults.flaky_store import KEY, FlakyStore
from plain_http import wait_until

SILENT = "No reply from the store for"
STOP_MS = 3_000
IDLE_S = 8  # that Jupyter leaves an idle kernel alone, here
ROWS = 80  # at two seconds each, by eight workers: longer than that


@pytest.fixture(scope="module")
def store() -> Iterator[FlakyStore]:
    with contextlib.closing(FlakyStore()) as store:
        store.add({"name": "Minka", "categoryId": 1, "status": "available"})
        yield store


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def served(store: FlakyStore, folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    settings = {"PageKernels": {"cull_idle_timeout": IDLE_S, "cull_interval": 1}}
    (folder / "voila.json").write_text(json.dumps(settings))
    environ = {
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": KEY,
        "XDG_STATE_HOME": str(folder / "state"),
        "JUPYTER_CONFIG_DIR": str(folder),
    }
    with open_page(environ, folder) as (address, process):
        yield address, process


@pytest.fixture(scope="module")
def page(served: tuple[str, Any], chromium: Any) -> Iterator[Any]:
    """The page, which the last test crashes."""
    with jupyter.tab(chromium) as (page, _):
        page.goto(served[0])
        page.wait_for_selector(".pf-card", timeout=90_000)
        yield page


def start_import(page: Any, folder: Path, name: str) -> None:
    """Send a file of ``ROWS`` rows."""
    rows = "".join(f"{name} {number},1\n" for number in range(ROWS))
    (folder / f"{name}.csv").write_text(f"name,category_id\n{rows}")
    page.get_by_role("tab", name="Import").click(timeout=90_000)
    tab = page.locator(".pf-tab:visible")
    tab.locator(".pf-step").first.wait_for()
    path = tab.get_by_label("or a file path")
    if not path.is_visible():  # the step of the last file is one line
        tab.get_by_role("button", name="Change").first.click()
    path.fill(f"{name}.csv")
    path.press("Enter")
    page.get_by_role("button", name=f"Add {ROWS} pets").click(timeout=60_000)


def count_sent(store: FlakyStore) -> int:
    return sum(pet["name"].startswith("Sent") for pet in list(store.pets.values()))


def test_a_store_that_hangs_is_named_and_stop_is_fast(
    store: FlakyStore, page: Any, folder: Path
) -> None:
    """Only a browser shows what a person waits for: the page names the silence, and obeys Stop."""
    goes_on = Event()
    stop = page.get_by_role("button", name="Stop", exact=True)

    store.on_get = goes_on.wait
    page.get_by_role("button", name="Refresh").click()
    page.get_by_text(SILENT).wait_for()
    stop.click()
    page.get_by_text("Reading was stopped").wait_for(timeout=STOP_MS)

    goes_on.set()
    store.latency_s = 120
    start_import(page, folder, "Hung")
    page.get_by_text(SILENT).wait_for()
    stop.click()
    page.get_by_role("button", name="Stop now").wait_for(timeout=STOP_MS)
    in_flight = store.posts
    page.get_by_role("button", name="Stop now").click()
    page.get_by_role("button", name="Check whether").wait_for(timeout=STOP_MS)
    page.get_by_role("button", name="Send the remaining").wait_for()
    assert store.posts == in_flight < ROWS


def test_a_crashed_page_finishes_its_import_and_then_its_kernel_ends(
    store: FlakyStore, served: tuple[str, Any], page: Any, folder: Path
) -> None:
    """Only a browser crashes: the import goes on without it, and no kernel is left behind."""
    from playwright.sync_api import Error

    store.latency_s = 2
    start_import(page, folder, "Sent")
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    with contextlib.suppress(Error):
        page.goto("chrome://crash", timeout=2_000)
    assert wait_until(lambda: count_sent(store) == ROWS, 120)
    assert wait_until(lambda: kernels_of(served[1]) == [], 20)


def test_an_idle_kernel_without_a_page_is_left_alone_for_half_a_minute() -> None:
    """A page that lost its connection may come back."""
    from petstore_frame.cli.page_kernels import PageKernels

    assert PageKernels().cull_idle_timeout == 30
