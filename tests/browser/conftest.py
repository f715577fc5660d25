"""One JupyterLab, one Chromium and one notebook for all browser tests.

The notebook has a cell for each kind of store; a test runs its cell and works what appears below.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from browser import jupyter

WHY_NOT = next(
    (
        f"{name} is not installed"
        for name in ("playwright", "jupyterlab", "voila")
        if importlib.util.find_spec(name) is None
    ),
    None if jupyter.CHROMIUM else "Chromium is not installed",
)
LABELS = {1: "Cat", 2: "Dog", 3: "Bird", 4: "Fish", 5: "Guinea pig"}
CELLS = {
    "store": "import petstore_frame as pf\n"
    "shown = pf.Dashboard(pf.Client(), categories='labels.csv', history='history', "
    "journal='journal', folder='out')\n"
    "shown",
}  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.skipif(WHY_NOT is not None, reason=WHY_NOT or ""))
    yield


@dataclass
class Book:
    """An open notebook whose cells show dashboards."""

    page: Any
    traffic: jupyter.Traffic
    server: jupyter.Server
    folder: Path

    def show(self, name: str) -> Any:
        """Run a cell and return the place where its dashboard is."""
        index = list(CELLS).index(name)
        painted_ms = jupyter.run_cell(self.page, index, ".pf-card")
        assert painted_ms >= 0, "the dashboard was not painted"
        return self.part(name)

    def part(self, name: str) -> Any:
        return self.page.locator(".jp-CodeCell").nth(list(CELLS).index(name))


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pf.Server]:
    """The store behind the notebook."""
    database = tmp_path_factory.mktemp("store") / "store.sqlite3"
    with pf.serve(database=database, sample=250, seed=7) as running:
        yield running


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("notebooks")
    lines = "".join(f"{number},{label}\n" for number, label in LABELS.items())
    (place / "labels.csv").write_text(f"category_id,label\n{lines}", encoding="utf-8")
    (place / "out").mkdir()
    pf.samples.write_sample_history(place / "history", pets=150)
    jupyter.write_notebook(place / "book.ipynb", *CELLS.values())
    return place


# Not for the session: Playwright keeps an event loop running in the thread, where later tests start
# loops of their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    with jupyter.chromium() as context:
        yield context


@pytest.fixture(scope="session")
def lab(store: pf.Server, folder: Path) -> Iterator[jupyter.Server]:
    environ = {
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": store.api_key.get_secret_value(),
    }
    with jupyter.jupyter(folder, environ=environ) as server:
        yield server


@pytest.fixture(scope="package")
def book(lab: jupyter.Server, chromium: Any, folder: Path) -> Iterator[Book]:
    with jupyter.tab(chromium) as (page, traffic):
        jupyter.open_notebook(page, lab, "book.ipynb")
        yield Book(page, traffic, lab, folder)
        lab.end_kernels()


@pytest.fixture(scope="package")
def address(store: pf.Server, folder: Path) -> Iterator[str]:
    """Where ``petstore-frame dashboard`` shows the store as a page of its own."""
    environ = {
        **os.environ,
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": store.api_key.get_secret_value(),
        "XDG_STATE_HOME": str(folder / "state"),  # journals of these tests alone
    }
    command = [
        sys.executable, "-m", "petstore_frame", "dashboard", "--no-browser", "--categories",
        "labels.csv",
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        waited = jupyter.Server(address.partition("/?")[0], address.partition("token=")[2])
        jupyter.await_answer(waited, "/login", process)
        yield address
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.fixture(scope="package")
def voila(address: str, chromium: Any) -> Iterator[Any]:
    """The page, opened."""
    with jupyter.tab(chromium) as (opened, traffic):
        opened.goto(address)
        opened.wait_for_selector(".pf-card", timeout=90_000)
        yield opened
        assert traffic.blocked == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The text of axe-core, where CI has put it."""
    path = os.environ.get("PETSTORE_TEST_AXE")
    if not path or not Path(path).is_file():
        pytest.skip(
            "axe-core is not there: npm install axe-core, then PETSTORE_TEST_AXE=.../axe.min.js"
        )
    return Path(path).read_text(encoding="utf-8")


@pytest.fixture
def picture() -> Any:
    """Keeps pictures of a page, wide, narrow and dark, in the folder PETSTORE_TEST_PICTURES."""
    kept = os.environ.get("PETSTORE_TEST_PICTURES")

    def take(page: Any, name: str) -> None:
        if not kept:
            return
        before = page.viewport_size
        for width, scheme in ((1400, "light"), (700, "light"), (1400, "dark")):
            page.set_viewport_size({"width": width, "height": 1000})
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(200)
            page.screenshot(path=f"{kept}/{name}_{width}_{scheme}.png", full_page=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(before)

    return take
