"""What the pages and notebooks show is run; a notebook is kept without outputs."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
OF_VOILA = ROOT / "src/petstore_frame/cli/voila_page/dashboard.ipynb"
PAGES = sorted(
    page
    for page in [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/*/*.md")]
    if "file_format: mystnb" in page.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("notebook", [*NOTEBOOKS, OF_VOILA], ids=lambda path: path.stem)
def test_a_notebook_is_fit_to_be_kept_and_shown(notebook: Path) -> None:
    """It has no output, no cell is longer than a screen, and Run All leaves dashboards live."""
    all_cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    cells = [cell for cell in all_cells if cell["cell_type"] == "code"]
    lines = ["".join(cell["source"]).splitlines() for cell in cells]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert max(map(len, lines)) <= 20
    assert max(len(line) for line in chain(*lines)) <= 115
    text = "".join(chain(*lines))
    assert not ("pf.Dashboard(" in text and ".close()" in text)


@pytest.mark.timeout(300)
def test_cells_run(tmp_path: Path, draw: random.Random, times: int) -> None:
    """Each page runs to its end, in an empty folder, without an error, a warning or a key.

    One in five is drawn, as building the site runs all of them too.
    """
    pages = [*NOTEBOOKS, *PAGES]
    if times == 1:
        pages = draw.sample(pages, len(pages) // 5)
    home = {name: str(tmp_path) for name in ("HOME", "IPYTHONDIR", "XDG_STATE_HOME")}
    # A kernel that ends closes no store and no dashboard either.
    quietly = ["-W", "error", "-W", "ignore::ResourceWarning"]
    run = subprocess.run(
        [sys.executable, *quietly, str(Path(__file__).with_name("run_cells.py")), *map(str, pages)],
        env={**os.environ, **home}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-3000:]
    assert all(f"== {page.name}" in run.stdout for page in pages)
    assert re.search(r"psk_[\w-]{20}", run.stdout + run.stderr) is None
