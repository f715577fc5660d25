"""The Import tab, worked the way a browser works it, without one."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.kit import LARGEST_UPLOAD, Kit
from unit.dashboard.conftest import Importing
from unit.dashboard_store import WAIT_S, MemoryStore, click, pets

DIRTY = "name,category_id,status\nRex,2,sold\n,2,sold\nLuna,dragon,available\nMax,1,for sale\n"
MESSY = (
    "Tierheim Nord\nTag;Tier;Art;Zustand\n1;Zo\xeb;Hund;da\n2;Bo;Katze;weg\n3;;Hund;?\n3;;Katze;?\n"
).encode("cp1252")
ImportInto = Callable[..., Importing]


def names(store: MemoryStore) -> list[str]:
    """The pets that were added, by name."""
    return [pet["name"] for pet in store.pets[240:]]


def cards(importing: Importing) -> dict[str, str]:
    """The key figures on the screen."""
    found = re.findall(r'faint">([^<]+)</span><b [^>]*>([^<]+)</b>', importing.tab.view.markup)
    return dict(found)


def book_of(*rows: list[Any], title: str = "Sheet") -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    return book


def bytes_of(book: openpyxl.Workbook) -> bytes:
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_a_file_is_checked_at_once_and_nothing_is_sent(
    importing: Importing, store: MemoryStore
) -> None:
    """The consequence is on the screen before anything is sent: how many are new, and to fix."""
    importing.upload("dirty.csv", DIRTY)
    assert importing.offer == "Send 1 pet" and len(store.pets) == 240
    assert cards(importing)["To fix"] == "3" and "Luna" in importing.text


def test_a_record_with_an_empty_first_cell_has_a_row_header(importing: Importing) -> None:
    """A screen reader names each record by its line, whatever its cells hold."""
    importing.upload("dirty.csv", "name,,category_id\n,x,2\n")
    assert re.search(r'<th scope="row"[^>]*><bdi>2</bdi>', importing.text)
    assert "(no name)" in importing.text


def test_a_cell_is_corrected_in_place(importing: Importing, store: MemoryStore) -> None:
    """The wrong cell is a box; corrected, its record is checked at once, and sent once."""
    importing.upload("dirty.csv", DIRTY)
    assert importing.screen.chosen("status in line 5") == "for sale"
    importing.choose("status in line 5", "sold")
    assert importing.offer == "Send 2 pets"
    importing.send()
    assert names(store) == ["Rex", "Max"] and "dirty-corrected.csv: 1 of 1" in importing.text
    downloads = [text for text in importing.screen.buttons() if text.startswith("Download")]
    assert len(downloads) == len(set(downloads)) > 2
    assert importing.upload("dirty.csv", DIRTY).offer == ""


def test_a_line_break_and_a_formula_stay_in_a_corrected_record(
    importing: Importing, store: MemoryStore
) -> None:
    """What else a corrected record holds reaches the store as it was."""
    importing.upload("odd.csv", 'name,category_id,status\n"=Max\n\'the 2nd",1,old\nRex,2,sold\n')
    importing.choose("status in line 2", "sold").send()
    assert names(store) == ["Rex", "=Max\n'the 2nd"]


def test_a_value_is_mapped_once_for_all_its_records(importing: Importing) -> None:
    """Each value that is not allowed stands in the list once, with what it is to mean."""
    rows = "".join(f"Newcomer {n},Dog,reserved\n" for n in range(23))
    importing.upload("many.csv", f"name,category_id,status\n{rows}")
    assert importing.text.count('data-text="reserved"') == 1 and importing.offer == ""
    assert importing.choose("what reserved means", "pending").offer == "Send 23 pets"
    assert importing.choose("what reserved means", "").offer == ""


def test_a_label_without_a_list_of_categories_is_given_its_number(import_into: ImportInto) -> None:
    """Where nobody said what "Dog" is, each label is asked for once, and answered by number."""
    importing = import_into(MemoryStore(pets(3)))
    importing.open("labels.csv", "name,category\nRex,Dog\nBo,Katze\nMax,Dog\nMo,7\n")
    assert importing.choose("what Dog means", "2").offer == "Send 3 pets"
    importing.choose("what Katze means", "Puss")
    assert "no category is called" in importing.text
    assert importing.choose("what Katze means", "Cat (1)").offer == "Send 4 pets"
    assert importing.screen.chosen("what Katze means") == "1"


def test_a_suspicious_record_is_held_until_it_is_ticked(importing: Importing) -> None:
    """A row of totals is not sent unless a person says so."""
    importing.upload("total.csv", "name,category_id\nRex,2\nBo,1\nTotal,2\n")
    assert importing.offer == "Send 2 pets"
    click(importing.tab.view, accept="total_row", value="true")
    assert importing.tab.wait(WAIT_S) and importing.offer == "Send 3 pets"


def test_only_records_with_problems_are_shown_on_request(importing: Importing) -> None:
    """The switch leaves the records to fix, those left out among them, and brings all back."""
    importing.upload("dirty.csv", DIRTY).press("Show only the 3 with problems")
    assert "Rex" not in importing.text and "for sale" in importing.text
    importing.press("leave it out")
    assert "left out" in importing.text and "send it after all" in importing.screen.buttons()
    assert "Rex" in importing.press("Show all records").text


def test_a_known_key_is_not_sent_again(importing: Importing, store: MemoryStore) -> None:
    """With a key the consequence tells new animals from known ones, and lists changed ones."""
    first = "name,category_id,status,tag\nRex,2,sold,T1\nBo,1,sold,T2\nMax,1,sold,T3\n"
    importing.upload("one.csv", first).press("use tag as the key").send()
    assert len(store.pets) == 243
    second = first.replace("Bo,1,sold", "Bo,1,pending") + "Luna,1,sold,T4\n"
    importing.upload("two.csv", second).choose("Key", "tag")
    assert importing.offer == "Send 1 pet"
    assert cards(importing) == {
        "New pets to send": "1", "Known already": "2", "Changed since": "1", "To fix": "0",
    }  # fmt: skip
    assert "status: sold → pending" in importing.text


def test_a_row_can_be_left_out(importing: Importing, store: MemoryStore) -> None:
    """A button beside what is wrong leaves the record out, and takes it in again."""
    importing.upload("dirty.csv", DIRTY)
    for to_fix in ("2", "3"):
        click(importing.tab.view, way="leave:5")
        assert importing.tab.wait(WAIT_S) and cards(importing)["To fix"] == to_fix
    assert len(store.pets) == 240


def test_a_held_record_is_sent_once_a_cell_of_it_is_corrected(
    importing: Importing, store: MemoryStore
) -> None:
    """Who corrected a record has looked at it, so it needs no second yes."""
    importing.upload("held.csv", "name,category_id\nRexine,2\nBoline,1\nZeus,-7\n")
    assert importing.offer == "Send 2 pets"
    importing.choose("category_id in line 4", "1").send()
    assert sorted(names(store)) == ["Boline", "Rexine", "Zeus"]


def test_one_held_record_is_sent_all_the_same(importing: Importing, store: MemoryStore) -> None:
    """Each record is decided on its own, can be taken back, and the row says what was decided."""
    importing.upload("total.csv", "name,category_id\nRex,2\nBo,1\nTotal,1\n")
    for words, offer in (
        ("send it all the same", "Send 3 pets"),
        ("do not send it", "Send 2 pets"),
        ("send it all the same", "Send 3 pets"),
    ):
        assert importing.press(words).offer == offer
    assert "sent all the same" in importing.text
    importing.send()
    assert names(store) == ["Rex", "Bo", "Total"]
    assert "1 corrected here among them" in importing.text


def test_a_file_like_last_weeks_is_read_as_last_week(
    importing: Importing, store: MemoryStore
) -> None:
    """What was chosen for a header is chosen again: week two is a file and a click."""
    importing.upload("week1.csv", MESSY)
    chosen = {"Name is": "Tier", "Category is": "Art", "Status is": "Zustand", "Key": "Tag"}
    meant = {"Hund": "Dog (2)", "Katze": "1", "da": "available", "weg": "sold", "?": "no status"}
    for name, column in chosen.items():
        importing.choose(name, column)
    for word, meaning in meant.items():
        importing.choose(f"what {word} means", meaning)
    importing.choose("what an empty Name means", "Ohne Namen {Tag}")
    assert "rows of one key that differ" in importing.text
    importing.choose("which row of a key stands", "the first stands")
    assert importing.offer == "Send 3 pets"
    importing.send()
    assert store.pets[-1]["name"] == "Ohne Namen 3" and "status" not in store.pets[-1]
    importing.upload("week2.csv", MESSY + b"4;Mo;Katze;da\n")
    assert importing.offer == "Send 1 pet" and "Read as on " in importing.text
    assert "Read as on " not in importing.press("read it anew").text


def test_choices_are_saved_and_dropped_in(importing: Importing, tmp_path: Path) -> None:
    """How a file is read is a recipe to download, a new label in it, and one is taken in."""
    importing.upload("odd.csv", "Wer,Category,Status\nRex,Iltis,gone\n")
    importing.choose("Name is", "Wer").choose("what gone means", "sold")
    importing.choose("what Iltis means", "Ferret (9)").press("Save these choices")
    ((name, content),) = importing.sent
    (tmp_path / name).write_bytes(content)
    recipe = pf.Recipe.read(tmp_path / name)
    assert name == "odd.toml" and recipe.mapping["name"] == "Wer"
    assert importing.upload("other.csv", "Wer,Category,Status\nMo,Iltis,gone\n").offer == ""
    assert importing.upload("odd.toml", content).offer == "Send 1 pet"
    assert importing.screen.chosen("what Iltis means") == "Ferret (9)"


def test_labels_may_come_as_a_file(importing: Importing) -> None:
    """A CSV of category_id,label names the categories of the file on the screen."""
    importing.upload("some.csv", "name,category\nRex,Ferret\n")
    assert importing.offer == ""
    importing.upload("labels.csv", "category_id,label\n9,Ferret\n", labels="")
    assert importing.offer == "Send 1 pet"


def test_counts_are_of_the_file_as_it_is_read_now(importing: Importing) -> None:
    """A mapped value stays in the list with its count; one of a column left out is gone."""
    importing.upload("some.csv", "name,category_id,status\nRex,2,gone\nBo,1,gone\n")
    assert 'data-text="gone"' in importing.choose("what gone means", "sold").text
    importing.choose("Status is", "(not in the file)")
    assert 'data-text="gone"' not in importing.text and importing.offer == "Send 2 pets"
    assert "Columns that are not sent: status" in importing.text


def test_the_same_file_again_says_so(importing: Importing, store: MemoryStore) -> None:
    """A file that is in the store says so in a sentence, with the way to send it once more."""
    rows = "name,category_id\nRex,2\nBo,1\n"
    importing.upload("one.csv", rows).send().upload("one.csv", rows)
    assert "2 of its 2 records are in the store already" in importing.text
    importing.press("they are other animals: send all of them once more").send()
    assert len(store.pets) == 244


def test_a_refused_file_leaves_nothing_to_send(importing: Importing) -> None:
    """Beyond 8 MiB the tab names the way that works, and no earlier file stays to be sent."""
    assert importing.upload("one.csv", "name,category_id\nRex,2\n").offer
    importing.upload("big.csv", b"x" * (LARGEST_UPLOAD + 1))
    assert importing.offer == "" and "8 MiB; put the file" in importing.text


def test_the_last_import_is_kept_with_its_call(
    importing: Importing, dashboard: pf.Dashboard
) -> None:
    """The result and the same call in Python are at hand for the next cell of a notebook."""
    assert dashboard.last_import is None
    importing.upload("dirty.csv", DIRTY).send()
    assert dashboard.last_import is not None and len(dashboard.last_import.frame) == 4
    call = str(dashboard.last_import.call)
    assert call.startswith("pf.load_csv('") and "journal=" in call


QUESTION = "name,category_id,status\nRex,2,sold\nBo,1,sold\nMax,1,sold\n"


def test_a_file_that_repeats_an_earlier_one_is_asked_about(
    importing: Importing, store: MemoryStore
) -> None:
    """Without a key, equal records are a question, and no number stands before its answer."""
    importing.upload("one.csv", QUESTION).send()
    importing.upload("two.csv", QUESTION + "Luna,1,sold\n")
    assert importing.offer == "" and "pf-card" not in importing.text
    (skip,) = (text for text in importing.screen.buttons() if "3 not sent again" in text)
    assert importing.press(skip).offer == "Send 1 pet"
    importing.send()
    assert names(store)[3:] == ["Luna"]


def test_a_question_about_corrected_rows_has_buttons(
    importing: Importing, store: MemoryStore
) -> None:
    """Where a corrected row may be a known animal, that is asked on the screen, too."""
    importing.upload("one.csv", QUESTION).send()
    importing.upload("two.csv", "name,category_id,status\nLuna,1,sold\nRex,2,sld\n")
    importing.choose("status in line 3", "sold").send()
    assert names(store)[3:] == ["Luna"] and "Are these animals in the store" in importing.text
    (send,) = (text for text in importing.screen.buttons() if text.startswith("1 sent"))
    importing.press(send).send()
    assert names(store)[3:] == ["Luna", "Rex"]


def test_valid_records_end_in_the_store_and_others_in_a_fix_file(
    importing: Importing, dashboard: pf.Dashboard, store: MemoryStore, tmp_path: Path
) -> None:
    """Each valid record is created once and shown; what was not is in a file to download."""
    importing.upload("dirty.csv", DIRTY).send()
    assert dashboard.wait(WAIT_S) and names(store) == ["Rex"]
    assert dashboard.inventory is not None and len(dashboard.inventory) == 241
    (fix,) = tmp_path.glob("import-dirty-*/fix.csv")
    importing.press("Download fix.csv")
    assert importing.sent == [("fix.csv", fix.read_bytes())]
    assert "for sale" in fix.read_text("utf-8-sig") and "Rex" not in fix.read_text("utf-8-sig")


def test_past_imports_are_listed_with_their_results(
    importing: Importing, import_into: ImportInto, tmp_path: Path, store: MemoryStore
) -> None:
    """Before a file is chosen, the last ones are there: file, day, states, and what became of each.

    A corrected record is under the name of its file.
    """
    importing.upload("dirty.csv", DIRTY).choose("status in line 5", "sold").send()
    job = ImportJob(store.client(), {}, journal=tmp_path / "journal", results=tmp_path)
    later = Importing(ImportTab(Kit(), job, lambda: None, threading.RLock()), tmp_path)
    rows = re.findall(r"<bdi>(dirty[^<]*)</bdi>", later.text)
    assert rows == ["dirty-corrected.csv", "dirty.csv"]
    assert "1 in the store, 3 not sent: to fix" in later.text
    later.screen.press("open")
    assert "Download results.csv" in later.screen.buttons() and later.tab.last is not None
    later.tab.close()


def test_what_is_recognised_is_preset(importing: Importing) -> None:
    """Another encoding, another delimiter and headers in another language are proposed."""
    content = "Tiername;Kategorie;Zustand\nZo\xeb;2;sold\nBo;1;sold\nMax;1;sold\n"
    importing.upload("tiere.csv", content.encode("cp1252"))
    lists = ("Encoding", "Delimiter", "Name is", "Category is", "Status is")
    preset = [importing.screen.chosen(name) for name in lists]
    assert preset == ["cp1252", "semicolon", "Tiername", "Kategorie", "Zustand"]
    assert "Zoë" in importing.text and importing.offer == "Send 3 pets"
    assert "Zoë" not in importing.choose("Encoding", "mac_roman").text


def test_a_recognised_column_stays_chosen_when_another_is_not(importing: Importing) -> None:
    """One header in other words is asked about; the records are in view all the while."""
    importing.upload("odd.csv", "Wer,Category,Status\nRex,2,sold\n")
    preset = [importing.screen.chosen(f"{name} is") for name in ("Name", "Category", "Status")]
    assert preset == ["(not in the file)", "Category", "Status"]
    assert "Rex" in importing.text and importing.offer == ""
    assert importing.choose("Name is", "Wer").offer == "Send 1 pet"


def test_a_workbook_with_a_title_and_two_sheets_is_read(importing: Importing) -> None:
    """The sheet and the row of the header are recognised, and can be chosen otherwise."""
    book = book_of(["see the other sheet"])
    sheet = book.create_sheet("Arrivals")
    for row in (["Arrivals of November"], [], ["Pet name", "Category"], ["Rex", 2]):
        sheet.append(row)
    sheet.merge_cells("A1:B1")
    importing.upload("november.xlsx", bytes_of(book))
    shown = [importing.screen.chosen(name) for name in ("Sheet", "Header in line")]
    assert shown == ["Arrivals", "3"] and importing.offer == "Send 1 pet"
    assert importing.choose("Header in line", "4").offer == ""


@pytest.mark.parametrize("name", ["pets.xlsx", "pets.csv"])
def test_a_workbook_is_one_by_its_content(
    importing: Importing, store: MemoryStore, name: str
) -> None:
    """A workbook is imported whatever the ending of its name."""
    book = book_of(["name", "category_id"], ["Rex", 2])
    importing.upload(name, bytes_of(book)).send()
    assert names(store) == ["Rex"]


BAD = {
    "other words": b"Wer;Sorte\nRex;2\n",
    "UTF-16 without a mark": b"n\0a\0m\0e\0,\0i\0d\0\n\0",
    "odd quotes": b'name,category_id\nRex "x,1\n"Bo"x,2\n',
    "an open quote": b'name,category_id\n"Rex,1\nBo,2\n',
    "a column twice": b"name,Category ID,category-id\nRex,1,1\n",
    "empty": b"",
    "a header alone": b"name,category_id\n",
    "no header": b"Rex,1\nBo,2\n",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a torn workbook": bytes_of(book_of(["name"]))[:900],
    "an old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "JSON": b'[{"name": "Rex"}]',
    "held records": b"name,category_id\nRex,77\nTotal,2\nBo,-1\n,\n" + b'"A\nB\nC,D,E\n\nF",1\n',
    "wrong cells": DIRTY.encode(),
    "rows of one key": b"tag,name,category_id\nA,Rex,1\nA,Bo,2\n,Mo,1\n",
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_what_is_wrong_is_told_in_words_of_the_screen(importing: Importing, content: bytes) -> None:
    """No option of Python, class of an error, code or folder of ours is on the screen."""
    importing.upload("bad.csv", content)
    if content.startswith(b"tag"):
        importing.choose("Key", "tag")
    screens = [importing.text]
    if importing.offer:
        screens.append(importing.send().text.partition("Result files")[0])
    for screen in screens:
        shown = re.sub(r"<[^>]*>", " ", screen)
        assert not re.search(r"\w=|\w+Error\b|\bframe\b|\bNone\b|\bpf\.|petstore-upload", shown)
        words = {*re.findall(r"\b[a-z]+_[a-z_]+\b", shown)}
        assert words <= {"category_id", "mac_roman", "shift_jis"}  # a column, and encodings


def test_an_import_can_be_cancelled_and_go_on(importing: Importing, store: MemoryStore) -> None:
    """Stop ends an import in order, before all is sent; the rest is sent later, none twice."""
    rows = "".join(f"Goldfish {n},1,sold\n" for n in range(400))
    importing.open("many.csv", f"name,category_id,status\n{rows}")
    store.at_pets = (len(store.pets) + 50, lambda: importing.screen.press("Stop"))
    importing.send()
    assert len(store.pets) < 640 and importing.tab.last is not None
    assert importing.tab.last.summary["ending"] == "interrupted"
    importing.send()
    assert len(names(store)) == len({*names(store)}) == 400


def test_checking_can_be_stopped_and_begun_again(importing: Importing) -> None:
    """Checking says how many rows were read, and Stop ends it; nothing is sent by halves."""
    stops = [True]
    importing.when_told(
        " of about 20,00", lambda: stops and stops.pop() and importing.screen.press("Stop")
    )
    rows = "".join(f"Goldfish {n},1\n" for n in range(20_000))
    importing.open("many.csv", f"name,category_id\n{rows}")
    assert importing.offer == "" and "Stopped" in importing.text
    assert importing.press("check all records").offer == "Send 20,000 pets"


class LossyStore(MemoryStore):
    """Loses the answers to the pets called Lost.

    Attributes:
        makes_them: Whether it makes these pets.
        speaks: Set when it may answer at all.
    """

    def __init__(self, *, makes_them: bool = True) -> None:
        super().__init__(pets(3))
        self.makes_them, self.speaks = makes_them, threading.Event()
        self.speaks.set()

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        self.speaks.wait(WAIT_S)
        if pet["name"] != "Lost":
            return super()._create(pet)
        if self.makes_them:
            super()._create(pet)
        raise httpx.ReadTimeout("the answer was lost")


def load_a_loss(importing: Importing) -> Importing:
    """Import enough pets to show that ids rise, one of which may or may not be in the store."""
    found = [f"Pet {n}" for n in range(30)]
    found[15] = "Lost"
    rows = "".join(f"{name},1\n" for name in found)
    return importing.open("some.csv", f"name,category_id\n{rows}").send()


def test_a_store_that_does_not_answer_is_told(import_into: ImportInto) -> None:
    """Within seconds the page says so, and Stop ends it, the second one at once."""
    store, silence = LossyStore(), threading.Event()
    importing = import_into(store)
    importing.when_told("No answer from the store since", silence.set)
    importing.open("some.csv", "name,category_id\nLost,1\n")
    store.speaks.clear()
    importing.screen.press("Send 1 pet")
    assert silence.wait(6)
    importing.screen.press("Stop")
    while importing.tab._worker.is_stopping:
        importing.tab.wait(0.1)
    importing.screen.press("Stop")
    assert importing.tab.wait(WAIT_S) and importing.tab.last is not None
    assert importing.tab.last.in_doubt == 1
    store.speaks.set()


def test_doubtful_records_are_settled_by_reading_back(import_into: ImportInto) -> None:
    """A pet whose answer was lost is found by a button, and nothing is sent for it."""
    store = LossyStore()
    importing = load_a_loss(import_into(store, grace_s=0))
    assert "1 may or may not be in the store" in importing.text
    click(importing.tab.top, state="sole_writer", value="true")
    importing.press("Settle doubtful records")
    assert "1 found in the store" in importing.text
    assert "Settle doubtful records" not in importing.screen.buttons()
    assert [pet["name"] for pet in store.pets[3:]].count("Lost") == 1


def test_settling_waits_for_late_requests_and_can_be_cancelled(import_into: ImportInto) -> None:
    """While the store may still act the tab waits, says until when, and hears Stop."""
    store = LossyStore()
    importing = load_a_loss(import_into(store))
    requests = store.requests
    importing.when_told("Waiting until", lambda: importing.screen.press("Stop"))
    importing.press("Settle doubtful records")
    assert store.requests == requests and "Stopped" in importing.text


def test_a_record_that_is_not_found_stays_in_view(import_into: ImportInto) -> None:
    """What the store does not have is in a file that is linked, and may be looked for again."""
    importing = load_a_loss(import_into(LossyStore(makes_them=False), grace_s=0))
    importing.press("Settle doubtful records")
    assert "1 not found there" in importing.text
    assert {"Download unknown.csv", "Settle doubtful records"} <= {*importing.screen.buttons()}


def test_doubt_of_an_earlier_import_can_be_settled(import_into: ImportInto, tmp_path: Path) -> None:
    """A record left out because an earlier import of it is in doubt is settled by the button."""
    importing = load_a_loss(import_into(LossyStore(), grace_s=0))
    more = (tmp_path / "some.csv").read_text("utf-8") + "Luna,1\n"
    importing.open("more.csv", more)
    click(importing.tab.view, way="duplicates:skip")
    assert importing.tab.wait(WAIT_S)
    importing.send()
    assert "1 may or may not be in the store" in importing.text
    click(importing.tab.top, state="sole_writer", value="true")
    importing.press("Settle doubtful records")
    assert "1 found in the store" in importing.text
    assert importing.tab.last is not None and importing.tab.last.in_doubt == 0


class FailingJob(ImportJob):
    """An import that ends with an error of choice."""

    def __init__(self, error: BaseException, journal: Path) -> None:
        super().__init__(MemoryStore([]).client(), {}, journal=journal)
        self._error = error

    def look(self, path: Path, reading: Any) -> Any:
        raise self._error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_an_interrupt_of_the_kernel_is_not_swallowed(error: BaseException, tmp_path: Path) -> None:
    """The Import tab shows errors and its own Stop; what ends a program goes on."""
    job = FailingJob(error, tmp_path)
    tab = ImportTab(Kit(), job, lambda: None, threading.RLock())
    with pytest.raises(type(error)):
        click(tab.top, path="", value="some.csv")
    assert tab.message.value == ""
    tab.close()


def test_an_unforeseen_error_is_shown(tmp_path: Path) -> None:
    """An error of any class is shown in the tab, escaped."""
    job = FailingJob(ZeroDivisionError("<b>"), tmp_path)
    tab = ImportTab(Kit(), job, lambda: None, threading.RLock())
    click(tab.top, path="", value="some.csv")
    assert "This did not work" in tab.message.value and "&lt;b&gt;" in tab.message.value
    tab.close()
