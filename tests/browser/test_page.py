"""The dashboard as a page of its own: what a person sees, and what goes on when something fails.

The tests share one page, so their order is that of a visit: the last one crashes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from browser import jupyter
from browser.conftest import kernels_of, open_page
from faults.flaky_store import KEY, FlakyStore
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
IDLE_S = 15  # that Jupyter leaves an idle kernel alone, here
MANY = 80  # rows; at two seconds each, by eight workers: longer than that
SILENT = "No reply from the store for"
STOP_MS = 3_000
WORDS = ["Hund", "Katze", "Hamster"]


@pytest.fixture(scope="module")
def store() -> Iterator[FlakyStore]:
    with contextlib.closing(FlakyStore(has_links=True)) as store:
        store.add({"name": "Minka", "categoryId": 1, "status": "available"})
        yield store


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def served(store: FlakyStore, folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    pf.sample_data.write_sample_categories(folder / "labels.csv")
    settings = {"PageKernels": {"cull_idle_timeout": IDLE_S, "cull_interval": 1}}
    (folder / "voila.json").write_text(json.dumps(settings))
    environ = {
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": KEY,
        "XDG_STATE_HOME": str(folder / "state"),
        "JUPYTER_CONFIG_DIR": str(folder),
    }
    with open_page(environ, folder, "--categories", "labels.csv") as (address, process):
        yield address, process


@pytest.fixture(scope="module")
def page(served: tuple[str, Any], chromium: Any) -> Iterator[Any]:
    """The page, whose connection can be cut."""
    with jupyter.tab(chromium) as (page, traffic):
        page.set_default_timeout(60_000)
        page.add_init_script(SOCKETS)
        page.goto(served[0])
        page.wait_for_selector(".pf-card", timeout=90_000)
        yield page
        assert traffic.blocked == []


def open_import(page: Any) -> None:
    """Show the Import tab without a file."""
    page.get_by_role("tab", name="Import").click(timeout=90_000)
    page.locator(".pf-tab:visible .pf-step").first.wait_for()
    next_file = page.get_by_role("button", name="Import another file")
    if next_file.is_visible():
        next_file.click()
    page.get_by_role("button", name="Try it with a sample file").wait_for()
    page.locator(".pf-drop:visible").wait_for()


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


def start_import(page: Any, folder: Path, name: str) -> None:
    """Send a file of ``MANY`` rows."""
    rows = "".join(f"{name} {number},1\n" for number in range(MANY))
    (folder / f"{name}.csv").write_text(f"name,category_id\n{rows}")
    page.get_by_role("tab", name="Import").click()
    tab = page.locator(".pf-tab:visible")
    tab.locator(".pf-step").first.wait_for()
    path = tab.get_by_label("or a file path")
    if not path.is_visible():  # the step of the last file is one line
        tab.get_by_role("button", name="Change").first.click()
    path.fill(f"{name}.csv")
    path.press("Enter")
    page.get_by_role("button", name=f"Add {MANY} pets").click()


def use_suggestions(page: Any, number: int) -> None:
    """Accept what a step suggests."""
    step(page, number).get_by_role("button", name="Use all suggestions").click()


def step(page: Any, number: int) -> Any:
    return page.locator(".pf-tab:visible .pf-step").nth(number - 1)


def test_without_the_token_there_is_no_page(served: tuple[str, Any]) -> None:
    """Another user of the machine who finds the port is asked for the token."""
    answer = httpx.get(served[0].partition("?")[0], follow_redirects=True, timeout=30)
    assert "/login" in str(answer.url) or answer.status_code in (401, 403)
    assert b"pf-dash" not in answer.content


def test_dark_is_followed(page: Any, axe: Any) -> None:
    """Only a browser has the system's preference: the page follows it, in readable colors."""
    shades = {}
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        shades[scheme] = page.locator(".pf-card").first.evaluate(
            "card => getComputedStyle(card).backgroundColor"
        )
        assert axe(page.locator(".pf-dash"), runOnly=["color-contrast"]) == []
    assert shades["light"] == "rgb(255, 255, 255)" and shades["dark"] != shades["light"]


def test_moments_are_in_the_time_of_the_reader(page: Any) -> None:
    """Only a browser knows the reader's time zone; the tooltip keeps UTC."""
    time = page.locator(".pf-header time[data-local]")
    time.wait_for()
    assert "(your time)" in time.inner_text() and "UTC" in time.get_attribute("title")


def test_a_file_is_dropped_and_a_table_is_pasted(page: Any, axe: Any) -> None:
    """Only a browser has a clipboard and a hand that drops; keys alone send what came so."""
    open_import(page)
    tab, dash = page.locator(".pf-tab:visible"), page.locator(".pf-dash")
    files = page.evaluate_handle(GIVE)
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
    page.get_by_role("button", name="Add 1 pet").wait_for()
    tab.get_by_role("button", name="Change").last.focus()
    for _ in range(20):  # with keys alone
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.innerText") == "Add 1 pet":
            break
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Download results.csv").first.wait_for()
    assert axe(dash) == []


def test_each_step_goes_on_after_a_lost_connection(page: Any, store: FlakyStore) -> None:
    """What a person does in a step while the page is offline is done once, and its result shown."""
    open_import(page)
    before = {*store.pets}
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
    names = [pet["name"] for number, pet in store.pets.items() if number not in before]
    assert len(names) == ROWS and "Nameless" in names


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


def test_a_page_that_is_reloaded_or_left_ends_its_kernel(
    page: Any, served: tuple[str, subprocess.Popen[str]]
) -> None:
    """Only a browser leaves a page: its kernel ends at once, not when it is idle."""
    process = served[1]
    before = kernels_of(process)
    page.reload()
    assert wait_until(lambda: not {*before} & {*kernels_of(process)}, IDLE_S - 5)
    page.wait_for_selector(".pf-dash[data-watched]", timeout=90_000)
    assert len(kernels_of(process)) == 1
    page.goto("about:blank")
    assert wait_until(lambda: kernels_of(process) == [], IDLE_S - 5)
    page.goto(served[0])
    page.wait_for_selector(".pf-dash[data-watched]", timeout=90_000)


def test_a_killed_process_is_explained_and_its_import_goes_on(
    page: Any, store: FlakyStore, served: tuple[str, subprocess.Popen[str]]
) -> None:
    """After kill -9 while it sends, the page offers Reload, then the file, answers and rest."""
    process = served[1]
    open_import(page)
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
    (kernel,) = kernels_of(process)
    os.kill(kernel, signal.SIGKILL)
    lost = page.locator(".pf-lost")
    lost.wait_for()
    assert "The connection was lost" in lost.inner_text()
    assert kernels_of(process) == []
    store.latency_s = 0
    lost.get_by_role("button", name="Reload").click()
    page.wait_for_selector(".pf-card", timeout=90_000)
    assert page.locator(".pf-lost").count() == 0
    open_import(page)
    page.get_by_role("button", name="Continue with Kind.csv").click()
    page.locator(".pf-step.pf-done", has_text="Kind.csv").wait_for()
    page.get_by_role("button", name="Send the remaining").click()
    page.get_by_role("button", name="Send the remaining").wait_for(state="hidden")
    check = page.get_by_role("button", name="Check whether")
    unconfirmed = int(check.inner_text().split()[2]) if check.is_visible() else 0
    names = [pet["name"] for pet in store.pets.values()]
    assert ROWS - unconfirmed <= len(names) - before <= ROWS and len({*names}) == len(names)
    assert "Nameless again" in names


def count_sent(store: FlakyStore) -> int:
    return sum(pet["name"].startswith("Sent") for pet in list(store.pets.values()))


def test_a_store_that_hangs_is_named_and_stop_is_fast(
    store: FlakyStore, page: Any, folder: Path
) -> None:
    """Only a browser shows what a person waits for: the page names the silence, and obeys Stop."""
    page.get_by_role("tab", name="Inventory").click()
    goes_on = Event()
    stop = page.get_by_role("button", name="Stop", exact=True)

    store.on_get = goes_on.wait
    page.get_by_role("button", name="Refresh").click()
    page.get_by_text(SILENT).wait_for()
    stop.click()
    page.get_by_text("Reading was stopped").wait_for(timeout=STOP_MS)

    goes_on.set()
    store.latency_s, before = 120, store.posts
    start_import(page, folder, "Hung")
    page.get_by_text(SILENT).wait_for()
    stop.click()
    page.get_by_role("button", name="Stop now").wait_for(timeout=STOP_MS)
    in_flight = store.posts - before
    page.get_by_role("button", name="Stop now").click()
    page.get_by_role("button", name="Check whether").wait_for(timeout=STOP_MS)
    page.get_by_role("button", name="Send the remaining").wait_for()
    assert store.posts - before == in_flight < MANY


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
    assert wait_until(lambda: count_sent(store) == MANY, 120)
    assert wait_until(lambda: kernels_of(served[1]) == [], 20)
