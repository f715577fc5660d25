"""What a bar shows beside its number."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from petstore_frame._internal.progress import open_progress


def test_a_note_that_no_longer_holds_is_taken_away() -> None:
    """A count that fell to nothing does not stay behind the bar when it ends."""
    shown = io.StringIO()
    with open_progress(True, "Loading", 3, file=shown) as display:
        display.show(None, 3, unknown=2)
        display.show(None, 3)
    last = shown.getvalue().split("\r")[-1]
    assert "3/3" in last and "unknown" not in last


STORY = """
import pandas as pd, petstore_frame as pf
frame = pd.DataFrame({"name": ["Luna", "Max"], "category_id": [3, 3]})
with pf.serve(sample=300, seed=7) as server, server.client() as client:
    pf.fetch_inventory(client, progress=True)
    pf.load_frame(frame, client, progress=True, journal="kept")
"""


def test_no_bar_stays_in_a_saved_notebook(tmp_path: Path) -> None:
    """A bar is seen while a cell runs; the saved notebook has no word of it, and no widget."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cell = nbformat.v4.new_code_cell(STORY)
    book = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [list(each["data"].values()) for each in cell["outputs"]] == [[""], [""]]
