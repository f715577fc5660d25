"""A file is loaded by setting the values of controls, without a browser."""

from __future__ import annotations

import threading

import httpx
import pandas as pd
import pytest

import petstore_frame as pf
from unit.conftest import pets
from unit.dashboard.store import LABELS, WAIT_S, MemoryStore

GERMAN = (
    "Tiername;Kategorie;Status;Chip-Nr\nZoë;Hund;frei;A1\nKäthe;Katze;reserviert;A2\n"
    "Müsli;Frettchen;reserviert;A3\nBo;Hund;gestorben;A4\nÆrø;Katze;frei;A5\n"
).encode("cp1252")
GOLDFISH = "name,category_id\n" + "".join(f"Goldfish {n},1\n" for n in range(400))


def answer_german(importing):
    """Answer all that the German file asks."""
    importing.press("right").tab.reading["key"].value = "Chip-Nr"
    importing.mean("status", frei="available", reserviert="pending", gestorben="leave these out")
    return importing.mean("category_id", Hund="Dog", Katze="Cat", Frettchen="Ferret (9)")


def test_a_messy_file_is_loaded_by_values(importing) -> None:
    """Encoding, columns, key and words are answered once; nothing is sent before."""
    importing.open("neu.csv", GERMAN)
    assert importing.offer == "" and "read as cp1252" in importing.text
    assert set(importing.words.values()) == {""}
    assert answer_german(importing).offer == "Send 4 pets" and importing.names == []
    importing.press("send")
    assert importing.names == ["Käthe", "Müsli", "Zoë", "Ærø"]
    assert importing.tab.result.counts["created"] == 4
    assert "results.csv" in " ".join(importing.tab.files)


def test_next_week_nothing_is_asked(importing, import_into, store) -> None:
    """What was answered holds for the next file of the header, a workbook, and after a reload."""
    answer_german(importing.open("neu.csv", GERMAN)).press("send")
    more = GERMAN + "Ida;Frettchen;frei;A6\n".encode("cp1252")
    for tab in (importing, import_into(store, categories=LABELS)):
        tab.open("woche2.csv", more)
        assert tab.offer == "Send 1 pet" and tab.tab.is_remembered
    path = importing.folder / "book.xlsx"
    columns = ["Tiername", "Kategorie", "Status", "Chip-Nr"]
    pd.DataFrame([["Ida", "Frettchen", "frei", "A6"]], columns=columns).to_excel(path, index=False)
    assert importing.set(path=str(path)).offer == "Send 1 pet"


def test_start_over_forgets_a_header(importing) -> None:
    """The answers of a header can be forgotten; the names of categories stay."""
    answer_german(importing.open("neu.csv", GERMAN)).press("start_over")
    assert not importing.tab.is_remembered and importing.words["status", "frei"] == ""
    assert importing.tab.memory.categories[9] == "Ferret"


def test_answers_outlive_a_refused_file_and_are_never_used_by_load(importing, store) -> None:
    """A file that cannot be read forgets nothing; pf.load asks as if there were no memory."""
    answer_german(importing.open("neu.csv", GERMAN))
    importing.open("broken.csv", b'Tiername;Kategorie;Status;Chip-Nr\n"Zo;Hund;frei;A1\n')
    assert importing.offer == ""
    assert importing.open("neu.csv", GERMAN).offer == "Send 4 pets"
    (importing.folder / "neu.csv").write_bytes(GERMAN)
    with pytest.raises(pf.InputError):
        pf.load(importing.folder / "neu.csv", store.client(), journal=importing.folder / "journal")


def test_a_number_with_another_name_is_asked_about(importing) -> None:
    """``Ferret (2)`` where 2 is Dog here is settled by the user; a new name gets a free number."""
    importing.open("neu.csv", GERMAN).press("right")
    control = importing.tab.words.words["category_id", "Frettchen"]
    assert "Ferret (4)" in control.placeholder  # 1 to 3 are taken
    control.value = "Ferret (2)"
    assert "2 is called Dog here" in importing.text and "Ferret (4)" in importing.text
    assert importing.tab.recipe.value_map == {} and importing.tab.memory.categories[2] == "Dog"
    for meant in ("Dog (2)", "Ferret (4)"):
        control.value = meant
        assert importing.settled().words["category_id", "Frettchen"] == meant


def test_quick_answers_stay(importing) -> None:
    """Each answer is shown at once, and none is lost while the file is checked."""
    importing.open("neu.csv", GERMAN)
    for word in ("frei", "reserviert", "gestorben"):
        importing.tab.words.words["status", word].value = "sold"
    importing.settled()
    assert [importing.words["status", w] for w in ("frei", "reserviert", "gestorben")] == [
        "sold"
    ] * 3


def test_all_other_words_are_answered_at_once(importing) -> None:
    """Of many words of status a few are answered by themselves, and the others with one control."""
    rows = "".join(f"Kim {n},1,word {n}\n" for n in range(9))
    importing.open("a.csv", f"name,category_id,status\n{rows}").mean("status", **{"word 3": "sold"})
    importing.tab.words.rest.value = "leave these out"
    assert importing.settled().offer == "Send 1 pet" and importing.tab.words.rest.value == ""
    importing.mean("status", **{"word 5": "available"}).press("send")
    assert importing.names == ["Kim 3", "Kim 5"]


def test_a_cell_is_corrected(importing) -> None:
    """Only cells with a problem have controls; what was said of one can be taken back."""
    rows = "".join(f"Kim {n},1\n" for n in range(6))
    importing.open("a.csv", f"name,category_id\nLuna,1x\n{rows}Total,1\n")
    shown = importing.tab.words.rows
    assert set(shown) == {2, 9} and importing.offer == "Send 6 pets"
    for meant, offer in (("1", "Send 7 pets"), ("", "Send 6 pets"), ("Cat", "Send 7 pets")):
        shown[2].value = meant
        assert importing.settled().offer == offer
    assert importing.words["category_id", "1x"] == "Cat (1)" and "To fix" in importing.text
    importing.press("send")
    assert "Luna" in importing.names and "Total" not in importing.names
    importing.tab.words.allow["total_row"].value = True
    assert importing.settled().offer == "Send 1 pet"


def test_a_known_key_is_not_sent_again_and_a_question_is_answered(importing) -> None:
    """The question has a control for each case, with what each answer does in numbers."""
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\nBo,3\n").press("send")
    importing.open("b.csv", "name,category_id\nLuna,1\nMax,2\nBo,3\nIda,1\n")
    assert importing.offer == ""
    (case,) = importing.tab.cases.values()
    assert [each.split(" (")[1] for each, _ in case.options] == [
        "1 to send, 3 not sent again)", "4 to send)",
    ]  # fmt: skip
    case.value = "skip"
    assert importing.settled().offer == "Send 1 pet"
    importing.press("send")
    assert importing.names == ["Bo", "Ida", "Luna", "Max"]


def test_the_same_file_may_stand_for_other_animals(importing) -> None:
    """A file that was sent is offered once more only where the user says so."""
    for _ in range(2):
        importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\n")
        if importing.offer:
            importing.press("send")
    assert importing.offer == "" and importing.names == ["Luna", "Max"]
    assert importing.tick("as_new").offer == "Send 2 pets"


def test_an_import_is_stopped_and_goes_on_without_its_file(importing, show, store) -> None:
    """Stop ends an import in order and answers at once; Continue sends the rest, none twice."""
    importing.open("many.csv", GOLDFISH)
    stops = [importing.tab.stop]

    def reply(_, __, answer):
        if len(store.pets) > 290 and stops:
            stops.pop().click()
        return answer()

    store.reply = reply
    importing.press("send")
    assert len(importing.names) < 400
    assert importing.tab.result.summary["ending"] == "interrupted"
    journal = importing.folder / "journal"
    other = show(store, journal=journal, folder=importing.folder)
    other.tabs.selected_index, shown = 1, other.imports
    assert "many.csv" in shown._left.value and "Continue: send the" in shown.go_on.description
    shown.go_on.click()
    assert shown.work.wait(WAIT_S)
    assert len(importing.names) == len({*importing.names}) == 400


def lossy_store(*, keeps: bool) -> MemoryStore:
    """Loses the answer to the pet called Lost, once, or the request where it does not keep it."""
    store, lost = MemoryStore(pets(3)), list[str]()

    def reply(method, body, answer):
        if b"Lost" in body and not lost:
            lost.append("Lost")
            if keeps:
                answer()
            raise httpx.ReadTimeout("the answer was lost")
        return answer()

    store.reply = reply
    return store


LOSSY = "name,category_id\n" + "".join(
    f"{'Lost' if n == 15 else f'Kim {n}'},1\n" for n in range(30)
)


def test_what_is_in_doubt_is_looked_for(import_into) -> None:
    """A pet whose answer was lost is found by a button, which says what it rests on."""
    importing = import_into(lossy_store(keeps=True))
    importing.tab.grace_s = 0
    importing.open("some.csv", LOSSY).press("send")
    assert "sends nothing" in importing.text and importing.names.count("Lost") == 1
    importing.press("check")
    assert len(importing.tab.result.unconfirmed) == 0 and importing.names.count("Lost") == 1


def test_what_is_not_in_the_store_is_sent_again_if_the_user_says_so(import_into) -> None:
    """A row whose pet is surely not there is no part of what is sent before a tick says so."""
    importing = import_into(lossy_store(keeps=False))
    importing.tab.grace_s = 0
    importing.open("some.csv", LOSSY).press("send").press("check")
    assert "Not found" in importing.text and importing.offer == ""
    assert importing.tick("not_found").offer == "Send 1 pet"
    importing.press("send")
    assert importing.names.count("Lost") == 1


def test_stop_answers_while_the_store_hangs(import_into) -> None:
    """The first press says what it waits for, and the second does not wait."""
    speaks = threading.Event()
    store = MemoryStore(pets(3))
    importing = import_into(store).open("some.csv", "name,category_id\nLuna,1\n")
    store.reply = lambda _, __, answer: speaks.wait(WAIT_S) and answer()
    importing.tab.send.click()
    importing.tab.stop.click()
    assert "waits for the requests" in importing.tab.notice.value
    assert importing.tab.stop.description == "Stop now"
    importing.tab.stop.click()
    speaks.set()
    importing.settled()
    assert importing.tab.send.disabled in (True, False)


@pytest.mark.parametrize("name", ["../../evil.csv", "C:\\evil.csv", "", "..", "x" * 300 + ".csv"])
def test_any_name_of_an_upload_is_kept_inside(importing, name: str) -> None:
    """A browser may send any name; the file lands in the folder of uploads."""
    importing.open(name, "name,category_id\nLuna,1\n")
    inside = importing.tab.source.resolve()
    assert inside.is_relative_to(importing.tab._uploads.name) and importing.offer == "Send 1 pet"


def test_too_large_an_upload_is_refused_with_what_to_do(importing, failures) -> None:
    """A file that a browser cannot carry is named, with its size and the other way."""
    upload = {"upload": "big.csv", "size": 90 * 1024**2}
    importing.tab.drop._handle_custom_msg(upload, [])
    assert "give its path instead" in str(failures.pop())
