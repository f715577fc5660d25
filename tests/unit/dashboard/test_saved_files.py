"""The file of a tab and its answers outlive the page, until the import is done."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from petstore_frame.dashboard.state.check_questions import ONE_LINE
from petstore_frame.dashboard.state.file_values import FIX_LATER
from petstore_frame.dashboard.state.saved_files import SavedFiles
from petstore_frame.loader import RowGroup
from unit.dashboard.store import LABELS

ARRIVALS = (
    "Name,Art,Status\nZoë,Hund,frei\nKim,Katze,frei\nBo,Gnom,frei\n,Hund,frei\nAda,Rochen,frei\n"
)


@pytest.fixture
def open_again(import_into, store):
    """Makes the tab of another page of the same store."""
    return lambda: import_into(store, categories=LABELS)


@pytest.fixture
def answered(importing):
    """A file with an answer of each kind, which is not sent."""
    importing.open("arrivals.csv", ARRIVALS).column("category_id", "Art").confirm().without_key()
    importing.mean("status", frei="available")
    importing.mean("category_id", Hund="Dog", Katze="Cat", Rochen="Ray (12)", Gnom=FIX_LATER)
    importing.decide("cell", 4, "Name", value="Nameless")
    return importing


def test_a_new_page_continues_with_the_file_and_its_answers(answered, open_again) -> None:
    """The next page offers the file, and has each answer after one click."""
    again = open_again()
    assert again.state.source is None and "arrivals.csv is not finished" in again.text
    again.tab.choose_file.resume.click()
    before, state = answered.state, again.settled().state
    for name in ("source", "recipe", "postponed", "corrections", "corrected"):
        assert getattr(state, name) == getattr(before, name)
    assert again.offer == answered.offer == "Add 4 pets"
    assert again.send().names == ["Ada", "Kim", "Nameless", "Zoë"]


def test_what_was_sent_is_not_sent_again_by_the_next_page(answered, open_again) -> None:
    """The rows that arrived are known; only the rest waits."""
    answered.send()
    again = open_again()
    again.tab.choose_file.resume.click()
    loaded = again.settled().state.dry_run.facts.groups[RowGroup.ALREADY_LOADED]
    assert again.offer == "" and loaded == 4


def test_lines_that_were_decided_are_kept(importing, open_again) -> None:
    """The answer about one line is about the same line on the next page."""
    importing.open("a.csv", "name,category_id\nLuna,1\n").send()
    importing.open("b.csv", "name,category_id\nLuna,1\nTom,2\n")
    importing.decide("duplicate", 2, value=ONE_LINE["exclude"])
    again = open_again()
    again.tab.choose_file.resume.click()
    assert again.settled().state.excluded_lines == {2} and again.offer == "Add 1 pet"


def test_a_file_whose_import_is_done_is_deleted(importing, open_again) -> None:
    """After the last row nothing is offered, and the upload is gone with its page."""
    upload = importing.open("a.csv", "name,category_id\nLuna,1\n").state.source
    importing.send()
    assert upload.exists() and "is not finished" not in open_again().text
    importing.tab.clear()
    assert not upload.parent.exists()


def test_an_upload_stays_as_long_as_a_page_uses_it(importing, open_again) -> None:
    """A page that ends its import, or opens, deletes no file that another page shows."""
    upload = importing.open("a.csv", "name,category_id\nLuna,1\n").state.source
    second = open_again()
    second.tab.choose_file.resume.click()
    importing.settled().send()
    importing.tab.clear()
    open_again()
    second.settled().tab.start_over()
    assert second.settled().state.source == upload and "does not exist" not in second.text
    second.tab.clear()
    assert not upload.parent.exists()


def test_a_page_that_opens_keeps_the_upload_of_a_finished_page(importing, open_again) -> None:
    """The finished page can still read its file, as it does after an answer."""
    importing.open("a.csv", "name,category_id\nLuna,1\n").send()
    open_again()
    importing.tab.update()
    assert importing.settled().state.dry_run.facts.groups[RowGroup.ALREADY_LOADED] == 1


def test_a_file_can_be_removed(answered, open_again) -> None:
    """No page offers a removed file; another file on the page replaces the one before."""
    first = answered.state.source
    second = answered.open("b.csv", "name,category_id\nLuna,1\n").state.source
    assert not first.exists()
    again = open_again()
    again.tab.choose_file.forget.click()
    assert "is not finished" not in open_again().text
    answered.tab.clear()
    assert not second.parent.exists()


def test_only_its_owner_can_read_an_upload(answered) -> None:
    """The folder and each file in it have no rights for others."""
    folder = answered.state.source.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = [path for path in folder.iterdir() if path.suffix != ".lock"]  # locks are empty
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_a_file_that_was_changed_is_not_offered(importing, open_again) -> None:
    """Answers about lines of a file do not apply to other lines."""
    path = importing.folder / "list.csv"
    path.write_text("name,category_id\nLuna,1\n")
    importing.path(path)
    assert "list.csv is not finished" in open_again().text
    path.write_text("name,category_id\nMilo,1\nLuna,1\n")
    assert "is not finished" not in open_again().text
    assert path.exists()


def test_the_list_of_a_stocktake_is_kept_apart(dashboard, show, store, tmp_path) -> None:
    """Each tab offers its own file."""
    dashboard.tabs.stocktake.keep_upload("list.csv", b"name,category_id\nLuna,1\n")
    dashboard.tabs.stocktake.background.wait()
    again = show(store, journal=tmp_path / "journal", folder=tmp_path).tabs
    assert again.stocktake.unfinished_file is not None and again.imports.unfinished_file is None


@pytest.mark.parametrize("name", ["../../evil.csv", "C:\\evil.csv", "", "..", "x" * 300 + ".csv"])
def test_any_name_of_an_upload_is_kept_inside(tmp_path: Path, name: str) -> None:
    """A browser may send any name; the file lands in the folder of uploads."""
    saved_files = SavedFiles(tmp_path / "uploads")  # deletes the file when it is freed
    path = saved_files.keep_upload(name, b"name,category_id\n")
    assert path.resolve().is_relative_to(tmp_path / "uploads") and path.is_file()
