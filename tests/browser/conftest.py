"""One JupyterLab, one Chromium and one notebook for all browser tests.

The notebook has a cell that shows a dashboard.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from browser import jupyter
from threaded import Server, serve

NEEDED = {name: importlib.util.find_spec(name) for name in ("playwright", "jupyterlab", "voila")}
NEEDED["Chromium"] = jupyter.CHROMIUM
WHY_NOT = ", ".join(f"{name} is not installed" for name, found in NEEDED.items() if not found)
AXE_RUN = """(part, rules) => axe.run(part, rules).then(
  found => found.violations.map(v => v.id + ': ' + v.nodes[0].html.slice(0, 300)))"""
CELL = (
    "import petstore_frame as pf\n"
    "shown = pf.Dashboard(pf.Client(), categories='labels.csv', history='history', "
    "journal='journal', folder='out')\n"
    "shown"
)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT))
    yield


@pytest.fixture(scope="session")
def store() -> Iterator[Server]:
    """The store behind the notebook."""
    with serve(sample=250, seed=7) as running:
        yield running


@pytest.fixture(scope="session")
def environ(store: Server, folder: Path) -> dict[str, str]:
    """Where a program finds the store, and journals of these tests alone."""
    return {
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": store.api_key.get_secret_value(),
        "XDG_STATE_HOME": str(folder / "state"),
    }


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("notebooks")
    pf.sample_data.write_sample_categories(place / "labels.csv")
    (place / "out").mkdir()
    pf.sample_data.write_sample_history(place / "history", days=21, pets=150)
    jupyter.write_notebook(place / "book.ipynb", CELL)
    return place


# Not for the session: Playwright keeps an event loop running in the thread, where later tests start
# loops of their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    with jupyter.chromium() as context:
        yield context


@pytest.fixture(scope="session")
def lab(environ: dict[str, str], folder: Path) -> Iterator[jupyter.Server]:
    with jupyter.jupyter(folder, environ) as server:
        yield server


@pytest.fixture(scope="package")
def book(lab: jupyter.Server, chromium: Any) -> Iterator[tuple[Any, jupyter.Traffic]]:
    """The page of the open notebook, and what went over its wire."""
    with jupyter.tab(chromium) as (page, traffic):
        jupyter.open_notebook(page, lab, "book.ipynb")
        yield page, traffic


@contextlib.contextmanager
def open_page(
    environ: dict[str, str], folder: Path, *options: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start ``petstore-frame dashboard`` in a folder; yields its address and its process."""
    words = ["dashboard", "--no-browser", *options]
    log = folder / "page.log"
    with log.open("w") as out, subprocess.Popen(
        [sys.executable, "-m", "petstore_frame", *words], cwd=folder, env=os.environ | environ,
        stdout=subprocess.PIPE, stderr=out, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        waited = jupyter.Server(address.partition("/?")[0], address.partition("token=")[2])
        jupyter.await_answer(waited, "/login", process, log)
        try:
            yield address, process
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def kernels_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the kernels that a page server has started, by process id."""
    command = ["ps", "--ppid", str(process.pid), "-o", "pid=,args="]
    # The exit code is 1 if there is none.
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ipykernel" in line]


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """What axe-core, where CI has put it, finds wrong in a part of a page."""
    path = os.environ.get("PETSTORE_TEST_AXE")
    if not path or not Path(path).is_file():
        pytest.skip("no axe-core: npm install axe-core, then PETSTORE_TEST_AXE=.../axe.min.js")
    text = Path(path).read_text(encoding="utf-8")

    def faults(part: Any, **rules: Any) -> list[str]:
        part.page.evaluate(text)
        return list(part.evaluate(AXE_RUN, rules))

    return faults
