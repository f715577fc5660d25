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
from petstore_frame.dashboard.import_controls import NOT_IN_FILE
from petstore_frame.dashboard.import_job import LARGEST_UPLOAD, ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.kit import Kit
from petstore_frame.loader.record import State
from unit.dashboard_store import WAIT_S, MemoryStore, click, pets, upload

DIRTY = "name,category_id,status\nRex,2,sold\n,2,sold\nLuna,dragon,available\nMax,1,for sale\n"


def look_at(dashboard: pf.Dashboard, name: str, content: bytes) -> ImportTab:
    """Upload a file and wait until all of it is checked."""
    upload(dashboard, name, content)
    assert dashboard.import_tab.wait(WAIT_S)
    return dashboard.import_tab


def test_a_file_is_checked_at_once_and_nothing_is_sent(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """The consequence is on the screen before anything is sent: how many are new, and to fix."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    assert "Luna" in tab.view.markup and len(store.pets) == 240
    assert tab.load.description == "Send 1 pet" and not tab.load.disabled
    assert tab.seen is not None and tab.seen.plan is not None
    assert tab.seen.plan.count(State.INVALID) == 3


def test_a_record_with_an_empty_first_cell_has_a_row_header(dashboard: pf.Dashboard) -> None:
    """A screen reader names each record by its line, whatever its cells hold."""
    tab = look_at(dashboard, "dirty.csv", b"name,,category_id\n,x,2\n")
    assert re.search(r'<th scope="row"[^>]*><bdi>2</bdi>', tab.view.markup)
    assert "(no name)" in tab.view.markup


def test_a_problem_is_marked_in_its_cell(dashboard: pf.Dashboard) -> None:
    """The cell that is wrong can be written into, and says what is wrong."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    box = re.search(r'<input[^>]*data-edit="5"[^>]*>', tab.view.markup)
    assert box is not None and 'value="for sale"' in box[0] and 'data-column="status"' in box[0]


def test_a_cell_is_corrected_in_place(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """A corrected record is checked again at once, and sent with the others, once."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    click(tab.view, edit="5", column="status", value="sold")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 2 pets"
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex", "Max"]
    names = [name for name, _ in tab.downloads.widget.options]
    assert len(names) == len(set(names)) > 2
    (again,) = (look_at(dashboard, "dirty.csv", DIRTY.encode()),)
    assert again.seen is not None and again.seen.plan is not None
    assert again.seen.plan.to_send == 0


def test_a_value_is_mapped_once_for_all_its_records(dashboard: pf.Dashboard) -> None:
    """Each value that is not allowed stands in the list once, with what it is to mean."""
    rows = "".join(f"Newcomer {n},Dog,reserved\n" for n in range(23))
    tab = look_at(dashboard, "many.csv", f"name,category_id,status\n{rows}".encode())
    assert tab.view.markup.count('data-text="reserved"') == 1 and tab.load.disabled
    click(tab.view, map="status", text="reserved", value="pending")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 23 pets"
    click(tab.view, map="status", text="reserved", value="")
    assert tab.wait(WAIT_S) and tab.load.disabled


def test_labels_without_a_list_of_categories_are_mapped_to_numbers(
    store: MemoryStore, tmp_path: Path
) -> None:
    """Where nobody said what "Dog" is, each label is asked for once."""
    tab = import_tab(store, tmp_path)
    path = tmp_path / "labels.csv"
    path.write_text("name,category\nRex,Dog\nBo,Cat\nMax,Dog\n", encoding="utf-8")
    tab.path.value = str(path)
    assert tab.wait(WAIT_S) and tab.load.disabled
    for label, number in (("Dog", "1"), ("Cat", "2")):
        click(tab.view, map="category_id", text=label, value=number)
        assert tab.wait(WAIT_S)
    assert tab.load.description == "Send 3 pets"
    tab.close()


def test_a_suspicious_record_is_held_until_it_is_ticked(dashboard: pf.Dashboard) -> None:
    """A row of totals is not sent unless a person says so."""
    tab = look_at(dashboard, "total.csv", b"name,category_id\nRex,2\nBo,1\nTotal,2\n")
    assert tab.load.description == "Send 2 pets"
    click(tab.view, accept="total_row", value="true")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 3 pets"


def test_only_records_with_problems_are_shown_on_request(dashboard: pf.Dashboard) -> None:
    """The switch leaves the records to fix, and brings the others back."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    click(tab.view, way="show:problems")
    assert "Rex" not in tab.view.markup and "for sale" in tab.view.markup
    click(tab.view, way="show:all")
    assert "Rex" in tab.view.markup


def test_a_known_key_is_not_sent_again(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """With a key the consequence tells new animals from known ones, and from changed ones."""
    first = b"name,category_id,status,tag\nRex,2,sold,T1\nBo,1,sold,T2\nMax,1,sold,T3\n"
    tab = look_at(dashboard, "one.csv", first)
    assert "use tag as the key" in tab.view.markup
    click(tab.view, way="key:tag")
    assert tab.wait(WAIT_S)
    tab.load.click()
    assert tab.wait(WAIT_S) and len(store.pets) == 243
    second = first.replace(b"Bo,1,sold", b"Bo,1,pending") + b"Luna,1,sold,T4\n"
    tab = look_at(dashboard, "two.csv", second)
    click(tab.view, way="key:tag")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 1 pet"
    assert tab.seen is not None and tab.seen.plan is not None
    assert {(each.reason, each.records) for each in tab.seen.plan.result.skipped} == {
        ("known", 2), ("changed", 1),
    }  # fmt: skip
    assert "status: sold → pending" in tab.view.markup


def test_a_row_can_be_left_out(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """A button beside what is wrong leaves the record out, and takes it in again."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    assert 'data-way="leave:5"' in tab.view.markup
    click(tab.view, way="leave:5")
    assert tab.wait(WAIT_S) and tab.seen is not None and tab.seen.plan is not None
    assert tab.seen.plan.count(State.INVALID) == 2
    click(tab.view, way="leave:5")
    assert tab.wait(WAIT_S) and tab.seen.plan.count(State.INVALID) == 3
    assert len(store.pets) == 240


def test_a_held_record_is_sent_once_a_cell_of_it_is_corrected(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """Who corrected a record has looked at it, so it is not held any longer."""
    rows = b"name,category_id,status\nRexine,2,sold\nBoline,1,sold\nZeus,-7,sold\n"
    tab = look_at(dashboard, "held.csv", rows)
    assert tab.load.description == "Send 2 pets"
    click(tab.view, edit="4", column="category_id", value="1")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 3 pets"
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert sorted(pet["name"] for pet in store.pets[240:]) == ["Boline", "Rexine", "Zeus"]


MESSY = (
    "Tierheim Nord\nTag;Tier;Art;Zustand\n1;Zo\xeb;Hund;da\n2;Bo;Katze;weg\n3;;Hund;?\n3;;Katze;?\n"
).encode("cp1252")


def test_a_file_like_last_weeks_is_read_as_last_week(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """What was chosen for a header is chosen again: week two is a file and a click."""
    tab = look_at(dashboard, "week1.csv", MESSY)
    columns = dict(zip(tab.controls.columns.values(), ("Tier", "Art", "Zustand"), strict=True))
    for control, column in columns.items():
        control.value = column
    tab.controls.key.value = "Tag"
    for field, text, value in (
        ("category_id", "Hund", "2"), ("category_id", "Katze", "1"), ("status", "da", "available"),
        ("status", "weg", "sold"), ("status", "?", "none"),
    ):  # fmt: skip
        click(tab.view, map=field, text=text, value=value)
    click(tab.view, default="name", text="", value="Ohne Namen {Tag}")
    assert tab.wait(WAIT_S) and "rows of one key that differ" in tab.view.markup
    click(tab.view, keep="yes", value="first")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 3 pets"
    tab.load.click()
    assert tab.wait(WAIT_S) and store.pets[-1]["name"] == "Ohne Namen 3"
    assert "status" not in store.pets[-1]
    tab = look_at(dashboard, "week2.csv", MESSY + b"4;Mo;Katze;da\n")
    assert tab.load.description == "Send 1 pet" and "Read as on " in tab.view.markup
    click(tab.view, way="fresh:yes")
    assert tab.wait(WAIT_S) and "Read as on " not in tab.view.markup


def test_choices_are_saved_and_dropped_in(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """How a file is read is a recipe to download, and one is taken in."""
    sent: list[Any] = []
    tab = look_at(dashboard, "odd.csv", b"Wer,Category,Status\nRex,2,gone\n")
    tab.view.send = lambda *message: sent.append(message)
    tab.controls.columns["name"].value = "Wer"
    click(tab.view, map="status", text="gone", value="sold")
    assert tab.wait(WAIT_S)
    tab.controls.save.click()
    ((head, (content,)),) = sent
    (tmp_path / "odd.toml").write_bytes(content)
    recipe = pf.Recipe.read(tmp_path / "odd.toml")
    assert head["file"] == "odd.toml" and recipe.mapping["name"] == "Wer"
    tab = look_at(dashboard, "other.csv", b"Wer,Category,Status\nMo,1,gone\n")
    assert tab.load.disabled
    upload(dashboard, "odd.toml", content)
    assert tab.wait(WAIT_S) and tab.load.description == "Send 1 pet"


def test_counts_are_of_the_file_as_it_is_read_now(dashboard: pf.Dashboard) -> None:
    """A mapped value stays in the list with its count; one of a column left out is gone."""
    tab = look_at(dashboard, "some.csv", b"name,category_id,status\nRex,2,gone\nBo,1,gone\n")
    click(tab.view, map="status", text="gone", value="sold")
    assert 'data-text="gone"' in tab.view.markup
    tab.controls.columns["status"].value = NOT_IN_FILE
    assert tab.wait(WAIT_S) and 'data-text="gone"' not in tab.view.markup


def test_one_held_record_is_sent_all_the_same(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """Each record is decided on its own, can be taken back, and the row says what was decided."""
    rows = b"name,category_id\nRex,2\nBo,1\nTotal,1\n"
    tab = look_at(dashboard, "total.csv", rows)
    for description in ("Send 3 pets", "Send 2 pets", "Send 3 pets"):
        click(tab.view, way="confirm:4")
        assert tab.wait(WAIT_S) and tab.load.description == description
    assert "sent all the same" in tab.view.markup
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex", "Bo", "Total"]
    assert "1 corrected here among them" in tab.result.value


def test_a_record_left_out_stays_among_the_problems(dashboard: pf.Dashboard) -> None:
    """What was left out can be taken in again where it was left out."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    click(tab.view, way="show:problems")
    click(tab.view, way="leave:5")
    assert tab.wait(WAIT_S)
    assert "left out" in tab.view.markup and "send it after all" in tab.view.markup


def test_the_same_file_again_says_so(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """A file that is in the store says so in a sentence, with the way to send it once more."""
    rows = b"name,category_id\nRex,2\nBo,1\n"
    for _ in range(2):
        tab = look_at(dashboard, "one.csv", rows)
        tab.load.click()
        assert tab.wait(WAIT_S) and len(store.pets) == 242
    tab = look_at(dashboard, "one.csv", rows)
    assert "2 of its 2 records are in the store already" in tab.view.markup
    click(tab.view, way="again:yes")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 2 pets"
    tab.load.click()
    assert tab.wait(WAIT_S) and len(store.pets) == 244


def test_a_refused_file_leaves_nothing_to_send(dashboard: pf.Dashboard) -> None:
    """Where a file is refused, no earlier one stays under the button that sends."""
    tab = look_at(dashboard, "one.csv", b"name,category_id\nRex,2\n")
    assert not tab.load.disabled
    upload(dashboard, "big.csv", b"x" * (LARGEST_UPLOAD + 1))
    assert tab.load.disabled and "8 MiB" in tab.message.value and "Error" not in tab.message.value


def test_the_last_import_has_the_call_for_the_next_cell(dashboard: pf.Dashboard) -> None:
    """Typed in Python, it loads the same file as it was read on the screen."""
    load_dirty(dashboard)
    assert str(dashboard.last_import.call).startswith("pf.load_csv('")
    assert "journal=" in str(dashboard.last_import.call)


def test_a_file_that_repeats_an_earlier_one_is_asked_about(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """Without a key, equal records are a question with buttons, and nothing is sent before."""
    rows = b"name,category_id,status\nRex,2,sold\nBo,1,sold\nMax,1,sold\n"
    tab = look_at(dashboard, "one.csv", rows)
    tab.load.click()
    assert tab.wait(WAIT_S)
    tab = look_at(dashboard, "two.csv", rows + b"Luna,1,sold\n")
    assert tab.load.disabled and 'data-way="duplicates:skip"' in tab.view.markup
    assert "pf-card" not in tab.view.markup and "3 not sent again" in tab.view.markup
    click(tab.view, way="duplicates:skip")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 1 pet"
    tab.load.click()
    assert tab.wait(WAIT_S) and [pet["name"] for pet in store.pets[243:]] == ["Luna"]


def test_a_template_is_at_hand(dashboard: pf.Dashboard) -> None:
    """The template has a column for each field, and one for a key."""
    sent: list[Any] = []
    dashboard.import_tab.view.send = lambda *message: sent.append(message)
    dashboard.import_tab.controls.template.click()
    ((_, (content,)),) = sent
    assert content.decode("utf-8-sig").strip() == "animal_id,name,category_id,status"


def load_dirty(dashboard: pf.Dashboard) -> None:
    """Upload the dirty file, check it and import it."""
    tab = look_at(dashboard, "dirty.csv", DIRTY.encode())
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert dashboard.wait(WAIT_S)


def test_valid_records_end_in_the_store(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """Each valid record is created once, and the inventory on the screen has it."""
    load_dirty(dashboard)
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex"]
    assert dashboard.inventory is not None and len(dashboard.inventory) == 241


def test_invalid_records_end_in_a_fix_file(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """What was not created is in a file, linked from the tab."""
    load_dirty(dashboard)
    (fix,) = tmp_path.glob("import-dirty-*/fix.csv")
    words = fix.read_text("utf-8-sig")
    assert "for sale" in words and "Rex" not in words
    assert ("Download fix.csv", 0) in dashboard.import_tab.downloads.widget.options


def test_a_result_names_what_the_page_has(dashboard: pf.Dashboard) -> None:
    """What helps is named as the list or button it is here, not as an argument of Python."""
    load_dirty(dashboard)
    shown = dashboard.import_tab.result.value
    assert "“Values to map”" in shown and not re.search(r"(value_map|categories)=", shown)
    assert "value_map=" in dashboard.last_import._repr_html_()


def test_the_last_import_is_kept(dashboard: pf.Dashboard) -> None:
    """The result of an import is at hand for the next cell of a notebook."""
    assert dashboard.last_import is None
    load_dirty(dashboard)
    assert dashboard.last_import is not None and len(dashboard.last_import.frame) == 4


def test_what_is_recognised_is_preset(dashboard: pf.Dashboard) -> None:
    """Another encoding, another delimiter and headers in another language are proposed."""
    content = "Tiername;Kategorie;Zustand\nZo\xeb;2;sold\nBo;1;sold\nMax;1;sold\n"
    tab = look_at(dashboard, "tiere.csv", content.encode("cp1252"))
    assert (tab.controls.layout["encoding"].value, tab.controls.layout["delimiter"].value) == (
        "cp1252",
        ";",
    )
    chosen = [control.value for control in tab.controls.columns.values()]
    assert chosen == ["Tiername", "Kategorie", "Zustand"]
    assert "Zoë" in tab.view.markup and tab.load.description == "Send 3 pets"


def test_a_recognised_column_stays_chosen_when_another_is_not(dashboard: pf.Dashboard) -> None:
    """One header in other words is asked about; the records are in view all the while."""
    tab = look_at(dashboard, "odd.csv", b"Wer,Category,Status\nRex,2,sold\n")
    assert [control.value for control in tab.controls.columns.values()] == [
        NOT_IN_FILE, "Category", "Status",
    ]  # fmt: skip
    assert "Rex" in tab.view.markup and tab.load.disabled
    tab.controls.columns["name"].value = "Wer"
    assert tab.wait(WAIT_S) and tab.load.description == "Send 1 pet"


def test_a_column_can_be_left_out(dashboard: pf.Dashboard) -> None:
    """A status that is not wanted is not sent, and the screen says so."""
    tab = look_at(dashboard, "some.csv", b"name,category_id,status\nRex,2,gone\n")
    tab.controls.columns["status"].value = NOT_IN_FILE
    assert tab.wait(WAIT_S) and tab.load.description == "Send 1 pet"
    assert "Columns that are not sent: status" in tab.view.markup


def test_a_workbook_with_a_title_and_two_sheets_is_read(dashboard: pf.Dashboard) -> None:
    """The sheet and the row of the header are recognised, and can be chosen otherwise."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["see the other sheet"])
    sheet = book.create_sheet("Arrivals")
    for row in (["Arrivals of November"], [], ["Pet name", "Category"], ["Rex", 2]):
        sheet.append(row)
    sheet.merge_cells("A1:B1")
    book.save(content)
    tab = look_at(dashboard, "november.xlsx", content.getvalue())
    assert (tab.controls.layout["sheet"].value, tab.controls.layout["header_row"].value) == (
        "Arrivals",
        3,
    )
    assert tab.load.description == "Send 1 pet"


@pytest.mark.parametrize(
    "content",
    [b"Wer;Sorte\nRex;2\n", b"n\0a\0m\0e\0,\0i\0d\0\n\0",
     b'name,category_id\nRex "x,1\n"Bo"x,2\n', b"name,Category ID,category-id\nRex,1,1\n"],
)  # fmt: skip
def test_advice_is_for_a_reader_without_options(dashboard: pf.Dashboard, content: bytes) -> None:
    """At the dashboard there are fields and files, and no argument to write."""
    tab = look_at(dashboard, "odd.csv", content)
    shown = tab.message.value + tab.view.markup
    assert "This needs your answer" in shown or "please check" in shown or "did not work" in shown
    assert "petstore-upload" not in shown
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
    tab = look_at(dashboard, name, content.getvalue())
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex"]


def test_an_upload_too_large_is_refused_with_advice(dashboard: pf.Dashboard) -> None:
    """Beyond 8 MiB the tab says so and names the way that works."""
    upload(dashboard, "big.csv", b"x" * (LARGEST_UPLOAD + 1))
    assert "give its path" in dashboard.import_tab.message.value
    assert dashboard.import_tab.seen is None


@pytest.fixture
def stopped(dashboard: pf.Dashboard, store: MemoryStore, tmp_path: Path) -> ImportTab:
    """The tab after an import of 400 goldfish that was cancelled when the store had 50 of them."""
    tab = dashboard.import_tab
    path = tmp_path / "many.csv"
    rows = "".join(f"Goldfish {n},1,sold\n" for n in range(400))
    path.write_text(f"name,category_id,status\n{rows}", encoding="utf-8")

    tab.path.value = str(path)
    assert tab.wait(WAIT_S)
    store.at_pets = (len(store.pets) + 50, tab.cancel.click)
    tab.load.click()
    assert tab.wait(WAIT_S)
    return tab


def test_an_import_can_be_cancelled(stopped: ImportTab, store: MemoryStore) -> None:
    """Cancel ends an import in order, before all is sent."""
    assert len(store.pets) < 640
    assert stopped.last is not None and stopped.last.summary["ending"] == "interrupted"


def test_a_cancelled_import_can_go_on(stopped: ImportTab, store: MemoryStore) -> None:
    """The same file again sends the rest, none twice."""
    stopped.load.click()
    assert stopped.wait(WAIT_S)
    names = [pet["name"] for pet in store.pets[240:]]
    assert len(names) == len(set(names)) == 400


def test_checking_can_be_stopped_and_begun_again(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """Checking says how many rows were read, and Stop ends it; nothing is sent by halves."""
    tab, path = dashboard.import_tab, tmp_path / "many.csv"
    rows = "".join(f"Goldfish {n},1\n" for n in range(20_000))
    path.write_text(f"name,category_id\n{rows}", encoding="utf-8")

    def stop_early(change: Any) -> None:
        if " of about 20,00" in change.new:
            tab.cancel.click()

    tab.message.observe(stop_early, "value")
    tab.path.value = str(path)
    assert tab.wait(WAIT_S) and tab.load.disabled and "Stopped" in tab.message.value
    tab.message.unobserve(stop_early, "value")
    click(tab.view, way="check:yes")
    assert tab.wait(WAIT_S) and tab.load.description == "Send 20,000 pets"


class SilentStore(MemoryStore):
    """Takes pets and answers nothing until it is told to."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.speaks = threading.Event()

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        self.speaks.wait(WAIT_S)
        raise httpx.ReadTimeout("no answer")


def test_a_store_that_does_not_answer_is_told(tmp_path: Path) -> None:
    """Within seconds the page says so, and Stop ends it, the second one at once."""
    store, silence = SilentStore(pets(3)), threading.Event()
    tab = import_tab(store, tmp_path)

    def hear(change: Any) -> None:
        if "No answer from the store since" in change.new:
            silence.set()

    tab.message.observe(hear, "value")
    path = tmp_path / "some.csv"
    path.write_text("name,category_id\nRex,1\n", encoding="utf-8")
    tab.path.value = str(path)
    assert tab.wait(WAIT_S)
    tab.load.click()
    assert silence.wait(6)
    tab.cancel.click()
    while tab._worker.is_stopping:
        tab.wait(0.1)
    tab.cancel.click()
    assert tab.wait(WAIT_S) and tab.last is not None and tab.last.in_doubt == 1
    store.speaks.set()
    tab.close()


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
    assert tab.wait(WAIT_S)
    tab.load.click()
    assert tab.wait(WAIT_S)


def test_doubtful_records_are_settled_by_reading_back(tmp_path: Path) -> None:
    """A pet whose answer was lost is found by a button, and nothing is sent for it."""
    store = LossyStore(pets(3))
    tab = import_tab(store, tmp_path, grace_s=0)
    load_a_loss(tab, tmp_path)
    assert "1 may or may not be in the store" in tab.files.value
    tab.sole.value = True
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
    assert ("Download unknown.csv", 0) in tab.downloads.widget.options
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
    assert tab.wait(WAIT_S)
    click(tab.view, way="duplicates:skip")
    assert tab.wait(WAIT_S)
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert "1 may or may not be in the store" in tab.files.value
    assert tab.settle.layout.display != "none"
    tab.sole.value = True
    tab.settle.click()
    assert tab.wait(WAIT_S) and "1 found in the store" in tab.message.value
    assert tab.last is not None and tab.last.in_doubt == 0
    tab.close()


class FailingJob(ImportJob):
    """An import that ends with an error of choice."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(MemoryStore([]).client(), {})
        self._error = error

    def look(self, path: Path, reading: Any) -> Any:
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
