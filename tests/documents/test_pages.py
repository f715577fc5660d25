"""A notebook is kept without outputs; building the pages runs it, and the cells of each page."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
OF_VOILA = ROOT / "src/petstore_frame/cli/voila_page/dashboard.ipynb"


@pytest.mark.parametrize("notebook", [*NOTEBOOKS, OF_VOILA], ids=lambda path: path.stem)
def test_a_notebook_is_fit_to_be_kept_and_shown(notebook: Path) -> None:
    """It has no output, no cell is longer than a screen, and Run All leaves dashboards live."""
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    cells = [cell for cell in found if cell["cell_type"] == "code"]
    lines = ["".join(cell["source"]).splitlines() for cell in cells]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert max(map(len, lines)) <= 20
    assert max(len(line) for line in chain(*lines)) <= 115
    text = "".join(chain(*lines))
    assert not ("pf.Dashboard(" in text and ".close()" in text)
