"""The Import tab, worked the way a browser works it, without one."""

from __future__ import annotations

import io
import re
import threading
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.dashboard.import_job import LARGEST_UPLOAD, ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.kit import Kit
from unit.dashboard_store import WAIT_S, MemoryStore, pets, upload

DIRTY = "name,category_id,status\nRex,2,sold\n,2,sold\nLuna,cat,available\nMax,1,for sale\n"


def test_an_upload_is_shown_before_it_can_be_imported(dashboard: pf.Dashboard) -> None:
    """The first records are on the screen, and Import waits for the rehearsal."""
    upload(dashboard, "dirty.csv", DIRTY.encode())
    assert "Luna" in dashboard.import_tab.preview.value
    assert dashboard.import_tab.load.disabled


def test_a_record_with_an_empty_first_cell_has_a_row_header(dashboard: pf.Dashboard) -> None:
    """A screen reader names each record by its number, whatever its cells hold."""
    upload(dashboard, "dirty.csv", b"name,,category_id\n,x,2\n")
    shown = dashboard.import_tab.preview.value
    assert '<th scope="row">1</th>' in shown
    assert '<th scope="col">(no name)</th>' in shown


def test_a_rehearsal_counts_what_an_import_would_add(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """Checking names the valid records on the Import button, and sends none."""
    upload(dashboard, "dirty.csv", DIRTY.encode())
    dashboard.import_tab.check.click()
    assert dashboard.import_tab.wait(WAIT_S) and len(store.pets) == 240
    assert dashboard.import_tab.load.description == "Import 2 pets"


def load_dirty(dashboard: pf.Dashboard) -> None:
    """Upload the dirty file, check it and import it."""
    tab = dashboard.import_tab
    upload(dashboard, "dirty.csv", DIRTY.encode())
    for step in (tab.check, tab.load):
        step.click()
        assert tab.wait(WAIT_S)
    assert dashboard.wait(WAIT_S)


def test_valid_records_end_in_the_store(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """Each valid record is created once, and the inventory on the screen has it."""
    load_dirty(dashboard)
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex", "Luna"]
    assert dashboard.inventory is not None and len(dashboard.inventory) == 242


def test_invalid_records_end_in_a_fix_file(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """What was not created is in a file, linked from the tab."""
    load_dirty(dashboard)
    (fix,) = tmp_path.glob("import-dirty-*/fix.csv")
    words = fix.read_text("utf-8-sig")
    assert "for sale" in words and "Rex" not in words
    assert "Download fix.csv" in dashboard.import_tab.files.value


def test_the_last_import_is_kept(dashboard: pf.Dashboard) -> None:
    """The result of an import is at hand for the next cell of a notebook."""
    assert dashboard.last_import is None
    load_dirty(dashboard)
    assert dashboard.last_import is not None and len(dashboard.last_import.frame) == 4


def test_columns_that_do_not_speak_can_be_mapped(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """A header in other words is asked about; once answered, the records are shown."""
    tab = dashboard.import_tab
    path = tmp_path / "tiere.csv"
    path.write_text("Tier;Sorte;Zustand\nRex;2;sold\n", encoding="utf-8")
    tab.path.value = str(path)
    assert "Which column is which?" in tab.message.value and tab.check.disabled
    tab.columns["name"].value = "Tier"
    tab.columns["category_id"].value = "Sorte"
    assert "Rex" in tab.preview.value and not tab.check.disabled


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Tier;Sorte\nRex;2\n", "choose the column; a file without a header needs one"),
        (b"name,category_id\nZo\xeb,1\n", "save it with the encoding UTF-8"),
        (b"n\0a\0m\0e\0,\0i\0d\0\n\0", "save it with the encoding UTF-8"),
        (b'name,category_id\nRex "x,1\n"Bo"x,2\n', "close or double its quotes"),
        (b"name,Category ID,category-id\nRex,1,1\n", "choose the one to use, or rename one"),
    ],
)
def test_advice_is_for_a_reader_without_options(
    dashboard: pf.Dashboard, content: bytes, words: str
) -> None:
    """At the dashboard there are fields and files, and no argument to write."""
    upload(dashboard, "odd.csv", content)
    shown = dashboard.import_tab.message.value
    assert words in shown and "petstore-upload" not in shown
    assert not re.search(r"(mapping|columns|encoding|quoting|delimiter)=", shown)


@pytest.mark.parametrize("name", ["pets.xlsx", "pets.xlsm", "pets.csv"])
def test_a_workbook_is_one_by_its_content(
    dashboard: pf.Dashboard, store: MemoryStore, name: str
) -> None:
    """A workbook is imported whatever the ending of its name."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["name", "category_id"])
    book.active.append(["Rex", 2])
    book.save(content)
    tab = dashboard.import_tab
    upload(dashboard, name, content.getvalue())
    for step in (tab.check, tab.load):
        step.click()
        assert tab.wait(WAIT_S)
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex"]


def test_an_upload_too_large_is_refused_with_advice(dashboard: pf.Dashboard) -> None:
    """Beyond 8 MiB the tab says so and names the way that works."""
    upload(dashboard, "big.csv", b"x" * (LARGEST_UPLOAD + 1))
    assert "give its path" in dashboard.import_tab.message.value
    assert dashboard.import_tab.check.disabled


@pytest.fixture
def stopped(dashboard: pf.Dashboard, tmp_path: Path) -> ImportTab:
    """The tab after an import of 400 goldfish that was cancelled early."""
    tab = dashboard.import_tab
    path = tmp_path / "many.csv"
    rows = "".join(f"Goldfish {n},1,sold\n" for n in range(400))
    path.write_text(f"name,category_id,status\n{rows}", encoding="utf-8")

    def stop_early(change: Any) -> None:
        if "Importing: " in change.new:
            tab.cancel.click()

    tab.path.value = str(path)
    tab.check.click()
    assert tab.wait(WAIT_S)
    tab.message.observe(stop_early, "value")
    tab.load.click()
    assert tab.wait(WAIT_S)
    tab.message.unobserve(stop_early, "value")
    return tab


def test_an_import_can_be_cancelled(stopped: ImportTab, store: MemoryStore) -> None:
    """Cancel ends an import in order, before all is sent."""
    assert len(store.pets) < 640
    assert stopped.last is not None and str(stopped.last.run.ending) == "interrupted"


def test_a_cancelled_import_can_go_on(stopped: ImportTab, store: MemoryStore) -> None:
    """The same file again sends the rest, none twice."""
    stopped.load.click()
    assert stopped.wait(WAIT_S)
    names = [pet["name"] for pet in store.pets[240:]]
    assert len(names) == len(set(names)) == 400


class LossyStore(MemoryStore):
    """Makes each pet, and loses its answer to the ones called Lost."""

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        answer = super()._create(pet)
        if pet["name"] == "Lost":
            raise httpx.ReadTimeout("the answer was lost")
        return answer


def import_tab(store: MemoryStore, tmp_path: Path, **options: Any) -> ImportTab:
    job = ImportJob(store.client(), {}, journal=tmp_path / "j", results=tmp_path, **options)
    return ImportTab(Kit(), job, lambda: None, threading.RLock())


def load_a_loss(tab: ImportTab, tmp_path: Path) -> None:
    """Import enough pets to show that ids rise, one of which may or may not be in the store."""
    path = tmp_path / "some.csv"
    names = [f"Pet {n}" for n in range(30)]
    names[15] = "Lost"
    rows = "".join(f"{name},1\n" for name in names)
    path.write_text(f"name,category_id\n{rows}", encoding="utf-8")
    tab.path.value = str(path)
    for step in (tab.check, tab.load):
        step.click()
        assert tab.wait(WAIT_S)


def test_doubtful_records_are_settled_by_reading_back(tmp_path: Path) -> None:
    """A pet whose answer was lost is found by a button, and nothing is sent for it."""
    store = LossyStore(pets(3))
    tab = import_tab(store, tmp_path, grace_s=0)
    load_a_loss(tab, tmp_path)
    assert "1 may or may not be in the store" in tab.files.value
    tab.settle.click()
    assert tab.wait(WAIT_S)
    assert "1 found in the store" in tab.message.value and tab.settle.layout.display == "none"
    assert [pet["name"] for pet in store.pets[3:]].count("Lost") == 1
    tab.close()


def test_settling_waits_for_late_requests_and_can_be_cancelled(tmp_path: Path) -> None:
    """While the store may still act the tab waits, says until when, and hears Cancel."""
    store = LossyStore(pets(3))
    tab = import_tab(store, tmp_path)
    load_a_loss(tab, tmp_path)
    requests, told = store.requests, []
    tab.message.observe(lambda change: told.append(change.new), "value")
    tab.message.observe(lambda change: "until" in change.new and tab.cancel.click(), "value")
    tab.settle.click()
    assert tab.wait(WAIT_S) and store.requests == requests
    assert any("Waiting until" in words for words in told) and "Stopped" in told[-1]
    tab.close()


class DroppingStore(MemoryStore):
    """Loses the requests for the pets called Lost, so that they are never made."""

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        if pet["name"] == "Lost":
            raise httpx.ReadTimeout("the request was lost")
        return super()._create(pet)


def test_a_record_that_is_not_found_stays_in_view(tmp_path: Path) -> None:
    """What the store does not have is in a file that is linked, and may be looked for again."""
    tab = import_tab(DroppingStore(pets(3)), tmp_path, grace_s=0)
    load_a_loss(tab, tmp_path)
    tab.settle.click()
    assert tab.wait(WAIT_S) and "1 not found there" in tab.message.value
    assert "1 not found in the store" in tab.files.value
    assert "Download unknown.csv" in tab.files.value
    assert tab.settle.layout.display != "none"
    tab.close()


def test_doubt_of_an_earlier_import_can_be_settled(tmp_path: Path) -> None:
    """A record left out because an earlier import of it is in doubt is settled by the button."""
    store = LossyStore(pets(3))
    tab = import_tab(store, tmp_path, grace_s=0)
    load_a_loss(tab, tmp_path)
    more = (tmp_path / "some.csv").read_text("utf-8") + "Luna,1\n"
    (tmp_path / "more.csv").write_text(more, encoding="utf-8")
    tab.path.value = str(tmp_path / "more.csv")
    for step in (tab.check, tab.load):
        step.click()
        assert tab.wait(WAIT_S)
    assert "1 may or may not be in the store" in tab.files.value
    assert tab.settle.layout.display != "none"
    tab.settle.click()
    assert tab.wait(WAIT_S) and "1 found in the store" in tab.message.value
    assert tab.last is not None and tab.last.in_doubt == 0
    tab.close()


class FailingJob(ImportJob):
    """An import that ends with an error of choice."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(MemoryStore([]).client(), {})
        self._error = error

    def look(self, path: Path, mapping: Any = None) -> Any:
        raise self._error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_an_interrupt_of_the_kernel_is_not_swallowed(error: BaseException) -> None:
    """The Import tab shows errors and its own Cancel; what ends a program goes on."""
    tab = ImportTab(Kit(), FailingJob(error), lambda: None, threading.RLock())
    with pytest.raises(type(error)):
        tab.path.value = "some.csv"
    assert tab.message.value == ""


def test_an_unforeseen_error_is_shown() -> None:
    """An error of any class is shown in the tab, escaped."""
    tab = ImportTab(Kit(), FailingJob(ZeroDivisionError("<b>")), lambda: None, threading.RLock())
    tab.path.value = "some.csv"
    assert "This did not work" in tab.message.value
    assert "&lt;b&gt;" in tab.message.value
