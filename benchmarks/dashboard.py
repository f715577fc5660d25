"""The dashboard against the usual widgets, in a real JupyterLab and Chromium.

Run: PYTHONPATH=tests python benchmarks/dashboard.py [PETS ...]     (default: 100000 1000000)

Needs Chromium, and for the rivals: pip install ipydatagrid itables plotly anywidget. Every thing
is shown in a kernel of its own. "first paint" is from the start of the cell until its marks are on
the screen, "received" what came through the page's websocket for it; a filter change is timed in
the kernel (40 of them, sending included) and its bytes are those of one made in the browser.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from browser import jupyter

MADE = """import random
import petstore_frame as pf
from petstore_frame.schema import PetColumns
pets, chance = {pets}, random.Random(7)
names = ["".join(chance.choices("abcdefghijklmno", k=chance.randint(3, 20))) for _ in range(pets)]
columns = PetColumns([
    list(range(2**53, 2**53 + pets)), names, chance.choices(range(1, 41), k=pets),
    chance.choices(("available", "pending", "sold", None), (50, 15, 30, 5), k=pets)])
frame = columns.to_frame()
inventory = pf.Inventory.from_frame(frame, base_url="http://127.0.0.1:9/v1")
table = frame.groupby(["category_id", "status"], observed=False).size().unstack()
"""
SHOWN = {
    "petstore_frame dashboard": (
        "client = pf.Client('http://127.0.0.1:9/v1', 'key')\n"
        "shown = pf.Dashboard(client, inventory=inventory)\nshown",
        ".pf-pets td",
    ),
    "ipydatagrid, all rows": ("import ipydatagrid\nipydatagrid.DataGrid(frame)", "canvas"),
    "itables widget, as it comes": (
        "from itables.widget import ITable\nITable(frame)", "table tbody td",
    ),
    "plotly FigureWidget, the bars only": (
        "import plotly.graph_objects as go\n"
        "go.FigureWidget([go.Bar(name=s, x=table.index, y=table[s]) for s in table])",
        ".main-svg .bars path",
    ),
}  # fmt: skip
CHANGES = """import json, statistics, time
tab, spent = shown.tabs.inventory, {"status": [], "name": []}
for turn in range(40):
    start = time.perf_counter()
    tab.status.value = ("sold", "", "pending", "available")[turn % 4]
    spent["status"].append(1000 * (time.perf_counter() - start))
tab.status.value = ""
for turn in range(40):
    start = time.perf_counter()
    tab.name.value = ("ab", "", "cde", "f")[turn % 4]
    spent["name"].append(1000 * (time.perf_counter() - start))
print(json.dumps({kind: (statistics.median(t), sorted(t)[37]) for kind, t in spent.items()}))
"""

RUN_CELL = """async ([index, selector, timeout]) => {
  const app = window.jupyterapp, book = app.shell.currentWidget.content;
  book.activeCellIndex = index;
  const start = performance.now();
  const done = app.commands.execute('notebook:run-cell');
  while (selector && performance.now() - start < timeout) {
    const seen = book.widgets[index].outputArea.node.querySelector(selector);
    if (seen && seen.getBoundingClientRect().height > 0) {
      await new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)));
      return Math.round(performance.now() - start);
    }
    await new Promise(r => setTimeout(r, 10));
  }
  await done;
  return selector ? -1 : Math.round(performance.now() - start);
}"""


class Received:
    """Counts what a page gets through its websockets."""

    def __init__(self, page: Any) -> None:
        self.socket_bytes = 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._count))

    def _count(self, frame: str | bytes) -> None:
        self.socket_bytes += len(frame)


def run_cell(page: Any, index: int, selector: str | None = None) -> int:
    """Run a cell; returns milliseconds until ``selector`` is painted, or -1."""
    return int(page.evaluate(RUN_CELL, [index, selector, 60_000]))


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [100_000, 1_000_000]
    root = Path(tempfile.mkdtemp(prefix="petstore-bench-"))
    with jupyter.jupyter(root) as server, jupyter.chromium() as context:
        for pets in sizes:
            print(f"\n{pets:,} pets\n\n| shown | first paint ms | received kB |\n|---|---:|---:|")
            changes = ""
            for name, (source, marks) in SHOWN.items():
                with jupyter.tab(context) as (page, _):
                    traffic = Received(page)
                    cells = (MADE.format(pets=pets), source, CHANGES)
                    jupyter.write_notebook(root / "bench.ipynb", *cells)
                    jupyter.open_notebook(page, server, "bench.ipynb")
                    run_cell(page, 0)
                    paint_ms, received = show(page, traffic, marks)
                    print(f"| {name} | {paint_ms:,} | {received / 1000:,.0f} |", flush=True)
                    if name.startswith("petstore"):
                        changes = measure_changes(page, traffic)
                for session in server.request("GET", "/api/sessions").json():
                    server.request("DELETE", f"/api/sessions/{session['id']}")
            print(changes, flush=True)


def show(page: Any, traffic: Received, marks: str) -> tuple[int, int]:
    """Run the cell that shows something; returns milliseconds and bytes."""
    before = traffic.socket_bytes
    paint_ms = run_cell(page, 1, marks)
    page.wait_for_timeout(1500)
    return paint_ms, traffic.socket_bytes - before


def measure_changes(page: Any, traffic: Received) -> str:
    """Time changes in the kernel and count the bytes of one made in the browser."""
    run_cell(page, 2, ".jp-OutputArea-output pre")
    page.wait_for_timeout(500)
    text = page.locator(".jp-CodeCell").nth(2).locator("pre").last.inner_text()
    figures = json.loads(text.strip().splitlines()[-1])
    lines = ["", "| filter change | median ms | p95 ms | received kB |", "|---|---:|---:|---:|"]
    part = page.locator(".jp-CodeCell").nth(1)
    for kind, act in (("status", choose_status), ("name", type_name)):
        before = traffic.socket_bytes
        act(part)
        page.wait_for_timeout(1500)
        received = (traffic.socket_bytes - before) / 1000
        median_ms, late_ms = figures[kind]
        lines.append(f"| {kind} | {median_ms:.0f} | {late_ms:.0f} | {received:.0f} |")
    return "\n".join(lines)


def choose_status(part: Any) -> None:
    part.get_by_role("combobox", name="Status", exact=True).select_option(label="Sold")


def type_name(part: Any) -> None:
    part.get_by_role("textbox", name="Name", exact=True).fill("ab")


if __name__ == "__main__":
    main()
