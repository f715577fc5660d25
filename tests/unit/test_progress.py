"""Progress is shown to whoever watches, and invents no totals."""

from __future__ import annotations

from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame import progress


def client() -> pf.Client:
    pets = [{"name": "x", "category_id": 1} for _ in range(300)]
    return pf.testing.fake_store(pets).client()


def test_a_function_is_told_the_pets_held() -> None:
    """Each page moves the count on, and the last call has them all."""
    told: list[int] = []
    pf.fetch_inventory(client(), progress=told.append)
    assert told == [100, 200, 300]


def test_a_line_shows_no_total(capsys: pytest.CaptureFixture[str]) -> None:
    """A line counts pets and promises no end; without a terminal or a notebook there is none."""
    assert not progress.is_watched()
    progress.Display(None, "Pets").show(5, 5)
    assert capsys.readouterr().err == ""
    pf.fetch_inventory(client(), progress=True)
    shown = capsys.readouterr().err
    assert "Pets read" in shown
    assert " of " not in shown


def test_a_fetch_logs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """INFO has the store and what was read of it, in the logger of the inventory."""
    caplog.set_level("INFO")
    store = client()
    pf.fetch_inventory(store)
    (line,) = caplog.records
    assert (line.name, line.levelname) == ("petstore_frame.inventory", "INFO")
    assert line.getMessage() == f"{store.base_url}: complete: 300 pets, 7 requests"


def test_a_note_that_no_longer_holds_is_taken_away(capsys, monkeypatch) -> None:
    """A count that fell to nothing does not stay behind the number, and no line stays."""
    monkeypatch.setattr(progress, "EVERY_S", 0)
    with progress.Display(True, "Loading", 3) as display:
        display.show(None, 3, unknown=2)
        display.show(None, 3)
    *_, first, last, cleared, end = capsys.readouterr().err.split("\r")
    assert "unknown 2" in first and "3 of 3" in last and "unknown" not in last
    assert (cleared.strip(), end) == ("", "")


STORY = """
import pandas as pd, petstore_frame as pf
frame = pd.DataFrame({"name": ["Luna", "Max"], "category_id": [3, 3]})
with pf.testing.fake_store([{"name": "Otis", "category_id": 3}] * 300).client() as client:
    pf.fetch_inventory(client, progress=True)
    pf.load(frame, client, progress=True, journal="kept")
"""


def test_no_line_stays_in_a_saved_notebook(tmp_path: Path) -> None:
    """A line is seen while a cell runs; the saved notebook has no word of it, and no widget."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cell = nbformat.v4.new_code_cell(STORY)
    book = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [list(each["data"].values()) for each in cell["outputs"]] == [[""], [""]]
