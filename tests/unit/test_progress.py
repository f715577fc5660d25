"""Progress is shown to a person who watches, and invents no totals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.storage import progress


def client() -> pf.Client:
    pets = [{"name": "x", "category_id": 1} for _ in range(300)]
    return pf.testing.fake_store(pets).client()


def test_a_function_is_told_the_pets_held() -> None:
    """Each page moves the count on, and the last call has them all."""
    told: list[int] = []
    pf.fetch_inventory(client(), progress=told.append)
    assert told == [100, 200, 300]


def test_a_bar_shows_no_total(capsys: pytest.CaptureFixture[str]) -> None:
    """A bar counts pets and promises no end."""
    pf.fetch_inventory(client(), progress=True)
    written = capsys.readouterr().err
    assert "Pets read" in written
    assert "%" not in written


def test_redirected_output_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal or a notebook nothing is written unless the user asks for it."""
    assert not progress.is_watched()
    with progress.ProgressBar(None, "Pets") as bar:
        bar.show(5, 5)
    assert capsys.readouterr().err == ""


def test_a_fetch_logs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """INFO has the store and what was read of it, in the logger of the inventory."""
    caplog.set_level("INFO")
    store = client()
    pf.fetch_inventory(store)
    (line,) = caplog.records
    assert (line.name, line.levelname) == ("petstore_frame.inventory", "INFO")
    assert line.getMessage() == f"{store.base_url}: complete: 300 pets, 7 requests"


def test_a_note_is_removed_with_its_cause(capsys, monkeypatch) -> None:
    """A count that fell to zero does not stay behind the number, and no bar stays at the end."""
    monkeypatch.setattr(progress, "REDRAW_S", 0)
    with progress.ProgressBar(True, "Loading", 3) as bar:
        bar.show(None, 2, unconfirmed=2)
        bar.show(None, 3)
    lines = capsys.readouterr().err.split("\r")
    drawn = [line for line in lines if line.strip()]
    assert "unconfirmed 2" in drawn[-2]
    assert "3/3" in drawn[-1] and "unconfirmed" not in drawn[-1]
    assert lines[-1].strip() == ""


STORY = """
import pandas as pd, petstore_frame as pf
frame = pd.DataFrame({"name": ["Luna", "Max"], "category_id": [3, 3]})
with pf.testing.fake_store([{"name": "Otis", "category_id": 3}] * 300).client() as client:
    pf.fetch_inventory(client, progress=True)
    pf.load(frame, client, progress=True, journal="kept")
"""


def test_no_line_stays_in_a_saved_notebook(tmp_path: Path) -> None:
    """A bar is seen while a cell runs; the saved notebook has no text of it, and no widget."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cell = nbformat.v4.new_code_cell(STORY)
    book = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [list(output["data"].values()) for output in cell["outputs"]] == [[""], [""]]


def test_no_bar_loads_no_library() -> None:
    """A program that shows no bar does not wait until tqdm is loaded."""
    program = (
        "import sys, petstore_frame as pf\n"
        "store = pf.testing.fake_store([{'name': 'x', 'category_id': 1}])\n"
        "pf.fetch_inventory(store.client(), progress=False)\n"
        "print('tqdm' in sys.modules, 'tomlkit' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"False"]
