"""The Import tab, worked the way a browser works it, without one."""

from __future__ import annotations

import io
import re
import threading
import tomllib
from contextlib import closing
from typing import Any
from unittest.mock import Mock

import httpx
import openpyxl
import pytest

from petstore_frame.dashboard import import_tab
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.kit import LARGEST_MESSAGE
from unit.conftest import pets
from unit.dashboard.conftest import Importing
from unit.dashboard.store import WAIT_S, MemoryStore, click

DIRTY = "name,category_id,status\nRex,2,sold\n,2,sold\nLuna,dragon,available\nMax,1,for sale\n"
MESSY = (
    "Tierheim Nord\nTag;Tier;Art;Zustand\n1;Zo\xeb;Hund;da\n2;Bo;Katze;weg\n3;;Hund;?\n3;;Katze;?\n"
).encode("cp1252")
GERMAN = "Tiername;Kategorie;Zustand\nZo\xeb;2;sold\nBo;1;sold\nMax;1;sold\n".encode("cp1252")
GOLDFISH = "name,category_id\n" + "".join(f"Goldfish {n},1\n" for n in range(400))


def book_of(*rows: list[Any]) -> bytes:
    """A workbook with these rows on a sheet Arrivals behind another one."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    sheet = book.create_sheet("Arrivals")
    for row in rows:
        sheet.append(row)
    book.save(content)
    return content.getvalue()


def test_a_file_is_checked_at_once_and_nothing_is_sent(importing) -> None:
    """What is new and what is to fix is on the screen before anything is sent."""
    importing.upload("dirty.csv", DIRTY)
    assert importing.offer == "Send 1 pet" and importing.names == []
    assert importing.cards["To fix"] == "3" and "Luna" in importing.text
    importing.upload("big.csv", b"x" * (LARGEST_MESSAGE + 1))
    assert importing.offer == "" and "8 MiB; put the file" in importing.text
    importing.upload("first cell.csv", "name,,category_id\n,x,2\n")
    assert re.search(r'<th scope="row"[^>]*><bdi>2</bdi>', importing.text)
    assert "(no name)" in importing.text


def test_a_cell_is_corrected_in_place(importing) -> None:
    """The wrong cell is a box; corrected, its record is checked at once, and sent once."""
    rows = DIRTY + '"=Max\n\'the 2nd",1,old\nZeus,-7,\n'
    importing.upload("dirty.csv", rows)
    assert importing.screen.chosen("status in line 5") == "for sale"
    assert importing.choose("status in line 5", "sold").offer == "Send 2 pets"
    importing.choose("status in line 6", "sold").choose("category_id in line 8", "1").send()
    assert importing.names == ["Rex", "Max", "=Max\n'the 2nd", "Zeus"]
    assert "dirty-corrected.csv: 3 of 3" in importing.text
    downloads = [text for text in importing.screen.buttons if text.startswith("Download")]
    assert len(downloads) == len(set(downloads)) > 2
    assert importing.upload("dirty.csv", rows).offer == ""


def test_a_value_is_mapped_once_for_all_its_records(importing) -> None:
    """A value that is not allowed is listed once, and stays until its column is left out."""
    rows = "".join(f"Newcomer {n},Dog,reserved\n" for n in range(23))
    importing.upload("many.csv", f"name,category_id,status\n{rows}")
    assert importing.text.count('data-text="reserved"') == 1 and importing.offer == ""
    assert importing.choose("what reserved means", "pending").offer == "Send 23 pets"
    assert 'data-text="reserved"' in importing.text
    assert importing.choose("what reserved means", "").offer == ""
    importing.choose("Status is", "(not in the file)")
    assert 'data-text="reserved"' not in importing.text and importing.offer == "Send 23 pets"
    assert "Columns that are not sent: status" in importing.text


def test_a_label_without_a_list_of_categories_is_given_its_number(import_into) -> None:
    """A label that nobody explained is asked for once; a number or a CSV of labels answers."""
    importing = import_into(MemoryStore(pets(3)))
    importing.open("labels.csv", "name,category\nRex,Dog\nBo,Katze\nMax,Dog\nMo,7\n")
    assert importing.choose("what Dog means", "2").offer == "Send 3 pets"
    assert "no category is called" in importing.choose("what Katze means", "Puss").text
    assert importing.choose("what Katze means", "Cat (1)").offer == "Send 4 pets"
    assert importing.screen.chosen("what Katze means") == "1"
    assert importing.open("some.csv", "name,category\nFips,Ferret\n").offer == ""
    importing.upload("labels.csv", "category_id,label\n9,Ferret\n", labels="")
    assert importing.offer == "Send 1 pet"


def test_a_suspicious_record_is_held_until_it_is_confirmed(importing) -> None:
    """A row of totals is sent by a tick for its kind or by a button, and each can be undone."""
    importing.upload("total.csv", "name,category_id\nRex,2\nBo,1\nTotal,2\n")
    assert importing.offer == "Send 2 pets"
    assert importing.tick(accept="total_row").offer == "Send 3 pets"
    assert importing.tick(accept="total_row").offer == "Send 2 pets"
    assert importing.press("send it all the same").offer == "Send 3 pets"
    assert importing.press("do not send it").offer == "Send 2 pets"
    assert "sent all the same" in importing.press("send it all the same").text
    assert importing.send().names == ["Rex", "Bo", "Total"]
    assert "1 corrected here among them" in importing.text


def test_a_row_is_left_out_among_those_with_problems(importing) -> None:
    """The switch leaves the records to fix, those left out among them, and brings all back."""
    importing.upload("dirty.csv", DIRTY).press("Show only the 3 with problems")
    assert "Rex" not in importing.text and "for sale" in importing.text
    assert importing.press("leave it out").cards["To fix"] == "2" and "left out" in importing.text
    assert importing.press("send it after all").cards["To fix"] == "3"
    assert "Rex" in importing.press("Show all records").text and importing.names == []


def test_a_known_key_is_not_sent_again(importing) -> None:
    """With a key the consequence tells new animals from known ones, and lists changed ones."""
    first = "name,category_id,status,tag\nRex,2,sold,T1\nBo,1,sold,T2\nMax,1,sold,T3\n"
    importing.upload("one.csv", first).press("use tag as the key").send()
    assert len(importing.names) == 3
    second = first.replace("Bo,1,sold", "Bo,1,pending") + "Luna,1,sold,T4\n"
    importing.upload("two.csv", second).choose("Key", "tag")
    assert importing.offer == "Send 1 pet"
    assert [*importing.cards.values()] == ["1", "2", "1", "0"]
    assert [*importing.cards][:3] == ["New pets to send", "Known already", "Changed since"]
    assert "status: sold → pending" in importing.text


def test_a_file_like_last_weeks_is_read_as_last_week(importing) -> None:
    """What took twelve clicks in the first week is chosen again: week two is a file and a click."""
    importing.upload("week1.csv", MESSY)
    chosen = {
        "Name is": "Tier", "Category is": "Art", "Status is": "Zustand", "Key": "Tag",
        "what Hund means": "Dog (2)", "what Katze means": "1", "what da means": "available",
        "what weg means": "sold", "what ? means": "no status",
        "what an empty Name means": "Ohne Namen {Tag}",
        "which row of a key stands": "the first stands",
    }  # fmt: skip
    for name, value in chosen.items():
        importing.choose(name, value)
    assert importing.offer == "Send 3 pets" and "rows of one key that differ" in importing.text
    assert len(chosen) + 1 <= 12
    last = importing.send().store.pets[-1]
    assert last["name"] == "Ohne Namen 3" and "status" not in last
    importing.upload("week2.csv", MESSY + b"4;Mo;Katze;da\n")
    assert importing.offer == "Send 1 pet" and "Read as on " in importing.text
    assert "Read as on " not in importing.press("read it anew").text


def test_choices_are_saved_and_dropped_in(importing) -> None:
    """How a file is read is a recipe to download, a new label in it, and one is taken in."""
    importing.upload("odd.csv", "Wer,Category,Status\nRex,Iltis,gone\n")
    importing.choose("Name is", "Wer").choose("what gone means", "sold")
    importing.choose("what Iltis means", "Ferret (9)").press("Save these choices")
    ((name, content),) = importing.sent
    assert name == "odd.toml" and tomllib.loads(content.decode())["mapping"]["name"] == "Wer"
    assert importing.upload("other.csv", "Wer,Category,Status\nMo,Iltis,gone\n").offer == ""
    assert importing.upload("odd.toml", content).offer == "Send 1 pet"
    assert importing.screen.chosen("what Iltis means") == "Ferret (9)"


def test_a_file_that_repeats_an_earlier_one_is_asked_about(importing) -> None:
    """Without a key, records that equal earlier ones are a question, corrected ones as well."""
    rows = "name,category_id,status\nRex,2,sold\nBo,1,sold\nMax,1,sold\n"
    importing.upload("one.csv", rows).send()
    importing.upload("two.csv", rows + "Luna,1,sold\n")
    assert importing.offer == "" and "pf-card" not in importing.text
    assert importing.press("3 not sent again").offer == "Send 1 pet"
    assert importing.send().names[3:] == ["Luna"]
    importing.upload("three.csv", "name,category_id,status\nMo,1,sold\nRex,2,sld\n")
    importing.choose("status in line 3", "sold").send()
    assert importing.names[4:] == ["Mo"] and "Are these animals in the store" in importing.text
    assert importing.press("1 sent").send().names[4:] == ["Mo", "Rex"]
    importing.upload("one.csv", rows)
    assert "3 of its 3 records are in the store already" in importing.text
    importing.press("they are other animals: send all of them once more").send()
    assert importing.names[6:] == ["Rex", "Bo", "Max"]


def test_an_import_leaves_its_result(importing, dashboard) -> None:
    """Valid records are created once, the others are in a file, and the call is at hand."""
    assert dashboard.last_import is None
    importing.upload("dirty.csv", DIRTY).send()
    assert dashboard.wait(WAIT_S) and importing.names == ["Rex"]
    assert len(dashboard.inventory) == 241
    (fix,) = importing.folder.glob("import-dirty-*/fix.csv")
    assert importing.press("Download fix.csv").sent == [("fix.csv", fix.read_bytes())]
    assert len(dashboard.last_import.frame) == 4
    assert str(dashboard.last_import.call).startswith("pf.load('")


def test_past_imports_are_listed_with_their_results(importing, import_into, store) -> None:
    """The last imports are there before a file is chosen: file, states, and what became of each."""
    importing.upload("dirty.csv", DIRTY).choose("status in line 5", "sold").send()
    later = import_into(store, journal=importing.folder / "journal")
    rows = re.findall(r"<bdi>(dirty[^<]*)</bdi>", later.text)
    assert rows == ["dirty-corrected.csv", "dirty.csv"]
    assert "1 in the store, 3 not sent: to fix" in later.text
    later.press("open")
    assert "Download results.csv" in later.screen.buttons and later.tab.last is not None


BOOK = book_of(["Arrivals of November"], [], ["Pet name", "Category"], ["Rex", 2])
WORDS = {"Encoding": "cp1252", "Delimiter": "semicolon", "Name is": "Tiername"}
RECOGNISED = {
    "another encoding, delimiter and language": (GERMAN, WORDS | {"Status is": "Zustand"}, "Zoë"),
    "a workbook, whatever its name": (BOOK, {"Sheet": "Arrivals", "Header in line": "3"}, "Rex"),
}


@pytest.mark.parametrize(("content", "preset", "name"), RECOGNISED.values(), ids=RECOGNISED)
def test_what_is_recognised_is_preset(importing, content, preset, name: str) -> None:
    """What the content of a file says is chosen already."""
    importing.upload("tiere.csv", content)
    assert {each: importing.screen.chosen(each) for each in preset} == preset
    assert importing.offer.startswith("Send ") and name in importing.text


def test_what_was_recognised_can_be_chosen_otherwise(importing) -> None:
    """Each choice counts at once."""
    assert "Zoë" not in importing.upload("a.csv", GERMAN).choose("Encoding", "mac_roman").text
    assert importing.upload("b.xlsx", BOOK).choose("Header in line", "4").offer == ""


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
    "a torn workbook": BOOK[:900],
    "an old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "JSON": b'[{"name": "Rex"}]',
    "held records": b"name,category_id\nRex,77\nTotal,2\nBo,-1\n,\n" + b'"A\nB\nC,D,E\n\nF",1\n',
    "wrong cells": DIRTY.encode(),
    "rows of one key": b"tag,name,category_id\nA,Rex,1\nA,Bo,2\n,Mo,1\n",
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_what_is_wrong_is_told_in_words_of_the_screen(importing, content: bytes) -> None:
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


def test_an_import_can_be_cancelled_and_go_on(importing, store) -> None:
    """Stop ends an import in order, before all is sent; the rest is sent later, none twice."""
    importing.open("many.csv", GOLDFISH)
    store.at_pets = (len(store.pets) + 50, lambda: importing.screen.press("Stop"))
    importing.send()
    assert len(importing.names) < 400
    assert importing.tab.last.summary["ending"] == "interrupted"
    importing.send()
    assert len(importing.names) == len({*importing.names}) == 400


def test_checking_can_be_stopped_and_begun_again(importing) -> None:
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
    """Loses the answers to the pets called Lost, whether it ``makes_them`` or not.

    It answers nothing while ``speaks`` is not set.
    """

    def __init__(self, *, makes_them: bool = True) -> None:
        super().__init__(pets(3))
        self.makes_them, self.speaks = makes_them, threading.Event()
        self.speaks.set()

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        self.speaks.wait(WAIT_S)
        if pet["name"] != "Lost" or self.makes_them:
            made = super()._create(pet)
        if pet["name"] == "Lost":
            raise httpx.ReadTimeout("the answer was lost")
        return made


def load_a_loss(importing: Importing) -> Importing:
    """Import enough pets to show that ids rise, one of which may or may not be in the store."""
    rows = "".join("Lost,1\n" if n == 15 else f"Pet {n},1\n" for n in range(30))
    return importing.open("some.csv", f"name,category_id\n{rows}").send()


def test_a_store_that_does_not_answer_is_told(import_into, monkeypatch) -> None:
    """Within seconds the page says so, and Stop ends it, the second one at once."""
    monkeypatch.setattr(import_tab, "QUIET_S", 0.5)
    store, silence = LossyStore(), threading.Event()
    importing = import_into(store)
    importing.when_told("No answer from the store since", silence.set)
    importing.open("some.csv", "name,category_id\nLost,1\n")
    store.speaks.clear()
    importing.screen.press("Send 1 pet")
    assert silence.wait(WAIT_S)
    importing.screen.press("Stop")
    while importing.tab._worker.is_stopping:
        importing.tab.wait(0.1)
    assert importing.press("Stop").tab.last.in_doubt == 1
    store.speaks.set()


@pytest.mark.parametrize("is_left_to_it", [False, True], ids=["its own", "of an earlier import"])
def test_doubtful_records_are_settled_by_reading_back(import_into, is_left_to_it: bool) -> None:
    """A pet whose answer was lost is found by a button; nothing is sent for it, now or later."""
    importing = load_a_loss(import_into(LossyStore(), grace_s=0))
    if is_left_to_it:
        more = (importing.folder / "some.csv").read_text("utf-8") + "Luna,1\n"
        importing.open("more.csv", more)
        click(importing.tab.view, way="duplicates:skip")
        assert importing.tab.wait(WAIT_S)
        importing.send()
    assert "1 may or may not be in the store" in importing.text
    importing.tick(state="sole_writer").press("Settle doubtful records")
    assert "1 found in the store" in importing.text and importing.names.count("Lost") == 1
    assert "Settle doubtful records" not in importing.screen.buttons
    assert importing.tab.last.in_doubt == 0


def test_settling_waits_for_late_requests_and_can_be_cancelled(import_into) -> None:
    """While the store may still act the tab waits, says until when, and hears Stop."""
    importing = load_a_loss(import_into(LossyStore()))
    requests = importing.store.requests
    importing.when_told("Waiting until", lambda: importing.screen.press("Stop"))
    importing.press("Settle doubtful records")
    assert importing.store.requests == requests and "Stopped" in importing.text


def test_a_record_that_is_not_found_stays_in_view(import_into) -> None:
    """What the store does not have is in a file that is linked, and may be looked for again."""
    importing = load_a_loss(import_into(LossyStore(makes_them=False), grace_s=0))
    assert "1 not found there" in importing.press("Settle doubtful records").text
    assert {"Download unknown.csv", "Settle doubtful records"} <= {*importing.screen.buttons}


def test_an_error_is_shown_in_the_tab(import_into, monkeypatch) -> None:
    """An error of any class is told there, escaped."""
    monkeypatch.setattr(ImportJob, "look", Mock(side_effect=ZeroDivisionError("<b>")))
    text = import_into(MemoryStore()).choose("or its path", "some.csv").text
    assert "This did not work" in text and "&lt;b&gt;" in text


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(1), GeneratorExit()], ids=repr)
def test_an_interrupt_of_the_kernel_is_not_an_error(import_into, end, monkeypatch) -> None:
    """What ends a program goes on, and the tab says nothing."""
    monkeypatch.setattr(ImportJob, "look", Mock(side_effect=end))
    importing = import_into(MemoryStore())
    with pytest.raises(type(end)):
        importing.choose("or its path", "some.csv")
    assert importing.tab.message.value == ""


NAMES = ["..", "a/..", ".", "", "/", "x" * 300, "ä" * 150 + ".csv", "C:\\pets.csv", "a\0b.csv"]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))
def test_any_name_of_an_upload_is_kept_inside(name: str) -> None:
    """Whatever a browser calls an upload, it becomes one file in the folder of uploads."""
    with closing(ImportJob(MemoryStore().client(), {})) as job:
        path = job.given({"upload": name}, b"name\n")
        assert path.read_bytes() == b"name\n"
        assert path.parent == job.given({"upload": "other.csv"}, b"").parent
