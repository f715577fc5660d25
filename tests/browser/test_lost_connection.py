"""A page whose connection is lost in each step of an import, and one that loses its process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

import petstore_frame as pf
from browser import jupyter
from browser.conftest import kernels_of, open_page
from faults.flaky_store import KEY, FlakyStore

# While the page is offline, a new socket closes at once, as it does without a network.
SOCKETS = """
  window.sockets = [];
  window.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      sockets.push(this);
      if (window.offline) this.close();
    }
  };"""
SET_OFFLINE = """(offline) => {
  window.offline = offline;
  if (offline) sockets.splice(0).forEach(socket => socket.close());
}"""
ROWS = 40
WORDS = ["Hund", "Katze", "Hamster"]


@contextlib.contextmanager
def offline(page: Any) -> Iterator[None]:
    """Close the sockets of a page, and let none open during the block."""
    page.evaluate(SET_OFFLINE, True)
    yield
    page.evaluate(SET_OFFLINE, False)


def upload(page: Any, name: str) -> None:
    """Choose a German file whose first animal has no name."""
    rows = [f"{name} {n};{WORDS[n % 3]};frei;{name}-{n:03};" for n in range(1, ROWS)]
    # A header of its own, so that the answers for another file do not apply.
    lines = [f"Tiername;Tierart;Zustand;Chip-Nr;Notiz {name}", f";Hund;frei;{name}-000;", *rows]
    content = "\n".join(lines).encode()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").first.click()
    chooser.value.set_files({"name": f"{name}.csv", "mimeType": "text/csv", "buffer": content})


def use_suggestions(page: Any, number: int) -> None:
    """Accept what a step suggests."""
    step(page, number).get_by_role("button", name="Use all suggestions").click()


def step(page: Any, number: int) -> Any:
    return page.locator(".pf-tab:visible .pf-step").nth(number - 1)


def open_import(page: Any, address: str) -> None:
    page.goto(address)
    page.get_by_role("tab", name="Import").click(timeout=90_000)
    page.get_by_role("button", name="Try it with a sample file").wait_for()
    page.locator(".pf-drop:visible").wait_for()


@pytest.fixture(scope="module")
def store() -> Iterator[FlakyStore]:
    with contextlib.closing(FlakyStore(has_links=True)) as store:
        yield store


@pytest.fixture(scope="module")
def served(
    store: FlakyStore, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    folder = tmp_path_factory.mktemp("page")
    pf.sample_data.write_sample_categories(folder / "labels.csv")
    environ = {
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": KEY,
        "XDG_STATE_HOME": str(folder / "state"),
    }
    with open_page(environ, folder, "--categories", "labels.csv") as (address, process):
        yield address, process


@pytest.fixture
def page(served: tuple[str, Any], chromium: Any) -> Iterator[Any]:
    """The Import tab of a page whose connection can be cut."""
    with jupyter.tab(chromium) as (page, _):
        page.set_default_timeout(60_000)
        page.add_init_script(SOCKETS)
        open_import(page, served[0])
        yield page


def test_each_step_goes_on_after_a_lost_connection(page: Any, store: FlakyStore) -> None:
    """What a person does in a step while the page is offline is done once, and its result shown."""
    with offline(page):
        upload(page, "Tier")
    step(page, 2).get_by_role("button", name="Use all suggestions").wait_for()
    with offline(page):
        use_suggestions(page, 2)
    step(page, 3).get_by_role("button", name="Use all suggestions").wait_for()
    with offline(page):
        use_suggestions(page, 3)
    cell = step(page, 4).get_by_role("textbox")
    cell.wait_for()
    with offline(page):
        cell.fill("Nameless")
        cell.press("Enter")
    page.get_by_role("button", name=f"Add {ROWS} pets").wait_for()
    store.latency_s = 0.3
    with offline(page):
        page.get_by_role("button", name=f"Add {ROWS} pets").click()
    step(page, 5).get_by_role("button", name="Stop", exact=True).wait_for()
    with offline(page):
        pass  # while it is sending
    page.get_by_role("button", name="Download results.csv").wait_for()
    with offline(page):
        page.get_by_role("button", name="Import another file").click()
    page.get_by_role("button", name="Try it with a sample file").wait_for()
    assert page.locator(".pf-lost").count() == 0
    assert len(store.pets) == ROWS and "Nameless" in {pet["name"] for pet in store.pets.values()}


def test_a_page_that_lost_its_controls_says_so(page: Any) -> None:
    """Controls made while the page is offline are there afterward, or the page offers Reload."""
    with offline(page):
        page.get_by_role("tab", name="Stocktake").click()
    lost = page.locator(".pf-lost")
    goes_on = page.locator(".pf-tab:visible .pf-drop")
    lost.or_(goes_on).first.wait_for()
    if lost.count():
        assert "The connection was lost" in lost.inner_text()
        assert lost.get_by_role("button", name="Reload").is_visible()


def test_a_killed_process_loses_no_file_and_sends_nothing_twice(
    page: Any, store: FlakyStore, served: tuple[str, subprocess.Popen[str]]
) -> None:
    """After kill -9 in the middle of sending, the next page has the file, the answers, the rest."""
    address, process = served
    before = len(store.pets)
    store.latency_s = 0
    upload(page, "Kind")
    use_suggestions(page, 2)
    use_suggestions(page, 3)
    cell = step(page, 4).get_by_role("textbox")
    cell.fill("Nameless again")
    cell.press("Enter")
    store.latency_s = 1
    page.get_by_role("button", name=f"Add {ROWS} pets").click()
    step(page, 5).get_by_text(f" of {ROWS}").wait_for()
    for kernel in kernels_of(process):
        os.kill(kernel, signal.SIGKILL)
    store.latency_s = 0
    open_import(page, address)
    page.get_by_role("button", name="Continue with Kind.csv").click()
    page.locator(".pf-step.pf-done", has_text="Kind.csv").wait_for()
    page.get_by_role("button", name="Send the remaining").click()
    page.get_by_role("button", name="Send the remaining").wait_for(state="hidden")
    check = page.get_by_role("button", name="Check whether")
    unconfirmed = int(check.inner_text().split()[2]) if check.is_visible() else 0
    names = [pet["name"] for pet in store.pets.values()]
    assert ROWS - unconfirmed <= len(names) - before <= ROWS and len({*names}) == len(names)
    assert "Nameless again" in names
