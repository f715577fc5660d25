"""A file goes through the five steps by setting the values of controls, without a browser."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from datetime import datetime

import httpx
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.dashboard.page import background
from petstore_frame.dashboard.state.check_questions import SAME, is_birthday
from petstore_frame.dashboard.state.file_values import EXCLUDE, FIX_LATER
from petstore_frame.dashboard.state.step_questions import NO_KEY
from petstore_frame.loader import view_of
from petstore_frame.questions import YES
from unit.conftest import pets
from unit.dashboard.store import LABELS, WAIT_S, MemoryStore

GERMAN = (
    "Tiername;Kategorie;Status;Chip-Nr\nZoë;Hund;frei;A1\nKäthe;Katze;reserviert;A2\n"
    "Müsli;Frettchen;reserviert;A3\nBo;hund;gestorben;A4\nÆrø;Katze;frei;A5\n"
).encode("cp1252")
GOLDFISH = "name,category_id\n" + "".join(f"Goldfish {n},1\n" for n in range(400))
# Three animals in two rows each, which disagree.
TWICE = "Animal ID,name,category_id,status,Date of Birth,Outcome Date\n" + "".join(
    f"T{n},Tom {n},1,{status},2020-01-0{n},2026-03-0{day}\n"
    for n in (1, 2, 3)
    for day, status in ((1, "available"), (5, "sold"))
)


def answer_german(importing):
    """Answer everything that the German file asks."""
    importing.confirm().column("key", "Chip-Nr")
    importing.mean("status", frei="available", reserviert="pending", gestorben=EXCLUDE)
    return importing.mean("category_id", Hund="Dog", Katze="Cat", Frettchen="Ferret (9)")


def test_a_messy_file_goes_through_five_steps(importing) -> None:
    """Each step becomes one line once it is answered; nothing is sent before the last."""
    importing.open("neu.csv", GERMAN)
    assert importing.steps == ["current", "waiting", "waiting", "waiting", "waiting"]
    assert "Windows-1252 (Western)?" in importing.text
    importing.tab.choose_file.form.use_suggestions()
    assert importing.settled().steps[:2] == ["done", "current"] and importing.offer == ""
    answer_german(importing)
    assert importing.steps == ["done", "done", "done", "current", "current"]
    assert importing.offer == "Add 4 pets" and importing.names == []
    importing.send()
    assert importing.names == ["Käthe", "Müsli", "Zoë", "Ærø"]
    assert importing.state.result.counts["created"] == 4
    assert "results.csv" in importing.tab.send.files


def test_an_empty_tab_explains_itself_and_has_a_sample(importing) -> None:
    """Without a file the tab says what to do, and offers a file to try it with."""
    assert "Add animals from a spreadsheet" in importing.text
    importing.tab.sample.click()
    assert importing.settled().steps[0] == "done"
    assert "Add animals from a spreadsheet" not in importing.text


def test_the_next_week_takes_a_file_and_a_click(importing, import_into, store) -> None:
    """What was answered holds for the next file of the header, a workbook, and after a reload."""
    answer_german(importing.open("neu.csv", GERMAN)).send()
    more = GERMAN + "Ida;Frettchen;frei;A6\n".encode("cp1252")
    for tab in (importing, import_into(store, categories=LABELS)):
        tab.open("woche2.csv", more)
        assert tab.offer == "Add 1 pet" and tab.state.is_remembered
    path = importing.folder / "book.xlsx"
    columns = ["Tiername", "Kategorie", "Status", "Chip-Nr"]
    pd.DataFrame([["Ida", "Frettchen", "frei", "A6"]], columns=columns).to_excel(path, index=False)
    assert importing.path(path).offer == "Add 1 pet"


def test_start_over_forgets_a_header(importing) -> None:
    """The answers of a header can be forgotten; the names of categories stay."""
    answer_german(importing.open("neu.csv", GERMAN))
    importing.tab.choose_file.start_over.click()
    importing.settled().confirm()
    assert not importing.state.is_remembered and importing.state.recipe.value_map == {}
    assert importing.tab.memory.categories[9] == "Ferret"


def test_saved_settings_are_used_on_the_page(importing, import_into, store) -> None:
    """A recipe that was saved on the page answers a file on another page."""
    answer_german(importing.open("neu.csv", GERMAN))
    recipe = importing.state.recipe.write(importing.folder / "saved.toml")
    other = import_into(store, categories=LABELS)
    other.tab.memory.forget_recipe(importing.state.preview.columns)
    other.open("neu.csv", GERMAN)
    assert other.offer == ""
    other.tab.choose_file._use_settings("saved.toml", recipe.read_bytes())
    assert other.settled().offer == "Add 4 pets"


def test_answers_outlive_a_broken_file_and_are_never_used_by_load(importing, store) -> None:
    """A file that cannot be read forgets nothing; pf.load asks as if there were no memory."""
    answer_german(importing.open("neu.csv", GERMAN))
    importing.open("broken.csv", b'Tiername;Kategorie;Status;Chip-Nr\n"Zo;Hund;frei;A1\n')
    assert importing.offer == ""
    assert importing.open("neu.csv", GERMAN).offer == "Add 4 pets"
    (importing.folder / "neu.csv").write_bytes(GERMAN)
    with pytest.raises(pf.InputError):
        pf.load(importing.folder / "neu.csv", store.client(), journal=importing.folder / "journal")


def test_send_waits_for_a_certain_key(importing) -> None:
    """Six rows of three animals are not offered as six pets while nobody says what the key is."""
    importing.open("twice.csv", TWICE.replace("sold", "available"))
    assert importing.steps[1] == "current" and importing.offer == ""
    assert "Waiting for: Match columns" in importing.text or importing.steps[4] == "waiting"
    importing.confirm()
    assert importing.offer == "Add 3 pets"
    assert importing.column("key", NO_KEY).offer == "Add 6 pets"


def test_a_suggestion_is_a_button_and_no_preset(importing) -> None:
    """A similar value is offered next to the control, which stays open until a person answers."""
    importing.open("a.csv", "name,category_id,status\nLuna,1,availabel\nMax,1,sold\n")
    name = ("status", "availabel")
    assert importing.values[name] == "" and importing.offer == ""
    importing.tab.match_values.form.use_suggestions()
    assert importing.settled().values[name] == "available" and importing.offer == "Add 2 pets"


def test_columns_are_suggested_in_their_controls(importing) -> None:
    """A recognized column stands in its control and waits for a yes, while another is open."""
    importing.open("a.csv", "Tiername,Sorte,x\nLuna,1,\nMax,1,\n")
    form = importing.tab.match_columns.form
    assert form.suggestions["mapping", "name"] == "Tiername"
    assert form["mapping", "category_id"].value == ""
    importing.column("category_id", "Sorte").confirm().without_key()
    assert importing.offer == "Add 2 pets"


def test_spellings_that_differ_in_case_are_asked_once(importing) -> None:
    """Values are grouped by column, the most frequent first; Hund and hund are one value."""
    importing.open("neu.csv", GERMAN).confirm().column("key", "Chip-Nr")
    values = [value for value in importing.state.values if value.field == "category_id"]
    assert [value.rows for value in values] == [2, 2, 1]
    assert {"Hund", "hund"} in [set(value.spellings) for value in values]
    importing.mean("category_id", Hund="Dog", Katze="Cat", Frettchen=EXCLUDE)
    importing.mean("status", frei="sold", reserviert="sold", gestorben="sold")
    assert importing.offer == "Add 4 pets"


def test_everything_else_answers_what_is_open(importing) -> None:
    """Some values are answered one by one, and all others with one control."""
    rows = "".join(f"Kim {n},1,word {n}\n" for n in range(9))
    importing.open("a.csv", f"name,category_id,status\n{rows}")
    importing.mean("status", **{"word 3": "sold"})
    importing.tab.match_values.form["fallback", "status"].value = EXCLUDE
    assert importing.settled().offer == "Add 1 pet"
    importing.tab.toggle(3)
    importing.mean("status", **{"word 5": "available"}).send()
    assert importing.names == ["Kim 3", "Kim 5"]


def test_everything_else_also_holds_for_words_in_later_files(importing) -> None:
    """A new word next week asks nothing, and the finished step names it."""
    header = "name,category_id,status\n"
    importing.open("a.csv", header + "Luna,1,frei\nMax,1,weg\nBo,1,fort\n")
    importing.mean("status", frei="available")
    importing.tab.match_values.form["fallback", "status"].value = "sold"
    assert importing.settled().offer == "Add 3 pets"
    assert importing.state.recipe.fallback == {"status": "sold"}
    importing.send()
    importing.open("b.csv", header + "Ida,1,frei\nKim,1,verschwunden\n")
    assert importing.offer == "Add 2 pets"
    assert "everything else (verschwunden) → sold (1)" in importing.text
    importing.tab.toggle(3)
    importing.tab.match_values.form["fallback", "status"].value = ""
    assert importing.settled().offer == ""
    importing.mean("status", verschwunden="pending").send()
    assert [pet.status for pet in importing.store.pets[-5:]].count("sold") == 2


def test_a_value_can_be_left_to_fix(importing) -> None:
    """Rows whose value nobody can explain today are fixed later; the others are sent."""
    importing.open("a.csv", "name,category_id,status\nLuna,1,weird\nMax,1,sold\nBo,1,sold\n")
    importing.mean("status", weird=FIX_LATER)
    assert importing.offer == "Add 2 pets"
    assert importing.state.dry_run.facts.groups["need_fixing"] == 1
    assert not importing.tab.check.form.questions


def test_a_new_category_does_not_take_a_number_that_pets_have(import_into) -> None:
    """A number of pets in the store is rejected, and changes nothing; a free one is used."""
    importing = import_into(MemoryStore([(1, "Luna", 77, "sold")]), categories=LABELS)
    importing.open("neu.csv", GERMAN).confirm().column("key", "Chip-Nr")
    with pytest.raises(pf.ArgumentError, match="already has pets in category 77"):
        importing.mean("category_id", Frettchen="Ferret (77)")
    assert importing.state.recipe.value_map == {} and 77 not in importing.tab.memory.categories
    importing.mean("category_id", Frettchen="Ferret (78)")
    assert importing.state.recipe.value_map["category_id"] == {"Frettchen": 78}


def test_a_rejected_answer_stays_with_the_reason(importing) -> None:
    """An answer that is not possible stays in its box, with the reason, until the next one."""
    importing.open("neu.csv", GERMAN).confirm().column("key", "Chip-Nr")
    name = json.dumps(["value", "category_id", "frettchen"])
    importing.tab.match_values.form._on_use({"ask": name, "value": "Ferret"})
    assert "no category is called" in importing.text and 'value="Ferret"' in importing.text
    importing.mean("category_id", Frettchen="Ferret (9)")
    assert "no category is called" not in importing.text


def test_the_cards_add_up_to_the_rows(importing) -> None:
    """Each row of the file is on one card."""
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\n").send()
    rows = "Luna,1\nMax,2\nIda,1\n,2\nIda,1\nTotal,1\n"
    importing.open("b.csv", f"name,category_id\n{rows}")
    groups = importing.decide("duplicates", value=SAME).state.dry_run.facts.groups
    assert sum(groups.values()) == 6
    assert (groups["already_loaded"], groups["need_fixing"]) == (2, 2)


def test_a_redraw_does_not_read_the_journal(importing, monkeypatch) -> None:
    """What the dry run has read is shown again without a look at the disk, also after sending."""
    importing.open("a.csv", "name,category_id\nLuna,1\n,2\n")
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", None)
            importing.tab.render()
        importing.send()


def test_the_note_and_the_cards_count_the_same_rows(importing) -> None:
    """A row that repeats a wrong row needs no correction of its own."""
    rows = "Luna,1\n" + ",2\n" * 3 + "Ida,2\n" * 6
    groups = importing.open("a.csv", f"name,category_id\n{rows}").state.dry_run.facts.groups
    waiting = sum(groups[group] for group in ("possible_duplicate", "need_fixing", "rejected"))
    assert f"10 rows; {waiting} need a decision" in importing.text


def test_new_category_names_stand_next_to_the_pets_with_their_numbers(importing, store) -> None:
    """Somebody who knows the pets can see whether a name fits; each name is one row."""
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\n")
    names = importing.state.dry_run.facts.new_categories
    table = importing.text[importing.text.index("New category name<") :]
    assert [*names.names] == ["1", "2"]
    assert all(f">{name} ({number})<" in table for number, name in names.names.items())
    assert all(pet in table for pets in names.pets.values() for pet in pets)


def test_new_categories_without_pets_are_one_sentence(import_into) -> None:
    """Where no pet can show whether a name fits, a table would have nothing to compare."""
    importing = import_into(MemoryStore(), categories=LABELS)
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\n")
    assert "without pets in the store: Cat (1), Dog (2)" in importing.text
    assert "Pets in the store with its number" not in importing.text


def test_conflicting_rows_show_an_example_and_their_control(importing) -> None:
    """Rows that disagree are one message with one animal; a birthday never orders them."""
    importing.open("twice.csv", TWICE).column("key", "Animal ID")
    question = importing.tab.check.form["keep"].question
    assert [example.line for example in question.examples] == [2, 3]
    assert "6 rows differ" in question.text
    assert [step.text for step in question.answers] == [
        "the last by Outcome Date", "the last in the file", "the first in the file"
    ]  # fmt: skip
    assert importing.decide("keep", value="the last by Outcome Date").offer == "Add 3 pets"
    importing.send()
    assert {pet.status for pet in importing.store.pets[-3:]} == {"sold"}


@pytest.mark.parametrize("column", ["DOB", "birth_date", "Geburtsdatum", "Date de naissance"])
def test_birthdays_are_recognized(column: str) -> None:
    """A birthday says nothing about which row is newer."""
    assert is_birthday(column) and not is_birthday("Outcome Date")


def test_an_invalid_row_is_corrected_in_the_grid(importing) -> None:
    """A cell is edited for its row alone, checked at once, and sent with the rest."""
    rows = "".join(f"Kim {n},1\n" for n in range(6))
    importing.open("a.csv", f"name,category_id\n,1\n{rows},2\n")
    assert importing.offer == "Add 6 pets"
    assert importing.decide("cell", 1, "name", value="Luna").offer == "Add 7 pets"
    assert importing.decide("cell", 1, "name", value="").offer == "Add 6 pets"
    importing.decide("cell", 1, "name", value="Luna").send()
    assert importing.names == ["Kim 0", "Kim 1", "Kim 2", "Kim 3", "Kim 4", "Kim 5", "Luna"]
    assert importing.state.result.counts["created"] == 7
    assert importing.state.result.counts["invalid"] == 1
    assert "fix.csv" in importing.tab.send.files


def test_the_finished_page_says_what_each_row_needs_once(importing) -> None:
    """A sum has no category, but it needs one answer; what led to the result is not repeated."""
    rows = "1,Rex,Dog\n2,Mia,Cat\n3,,Cat\n4,Bo,Dog\nTotal,4,\n"
    importing.open("a.csv", f"tag,name,category\n{rows}").confirm().without_key()
    importing.decide("cell", 3, "name", value="Luna").send()
    assert "Added" in importing.text and importing.state.result.counts["created"] == 4
    text = importing.text
    assert text.count("line 6") == 1 and "tick “Import the totals rows”" in text
    assert "Animal ID:" not in text and "To send" not in text


def test_rows_that_became_doubtful_while_sending_are_asked_afterward(importing, store) -> None:
    """If somebody else adds animals after the check, rows like them wait, and step 4 asks."""
    rows = "".join(f"Kim {number},1\n" for number in range(6))
    importing.open("a.csv", f"name,category_id\n{rows}").without_key()
    for number in range(3):
        store.client().create_pet(f"Kim {number}", 1)
    importing.send()
    assert len(importing.names) == 6 and "answer in step 4" in importing.text
    assert importing.decide("duplicates", value="They are different animals").offer == "Add 3 pets"


def test_the_corrected_fix_file_is_uploaded_in_the_same_place(importing) -> None:
    """The rows that were left go to the fix file; corrected, they are sent once."""
    importing.open("a.csv", "name,category_id\nLuna,1\n,2\nMax,2\nBo,2\n").send()
    (path,) = importing.folder.glob("import-a-*/fix.csv")
    upload = {"name": "fix.csv", "content": path.read_text().replace("\n,2", "\nIda,2").encode()}
    upload |= {"size": 1, "type": "", "last_modified": datetime.now().astimezone()}
    importing.tab.send.upload_fix.value = [upload]
    assert importing.settled().offer == "Add 1 pet"
    importing.send()
    assert importing.names == ["Bo", "Ida", "Luna", "Max"]


def test_at_most_fifty_invalid_rows_are_shown(importing) -> None:
    """The grid has fifty rows; the note says where the others are."""
    bad, good = ",1\n" * 60, "".join(f"Kim {n},1\n" for n in range(70))
    importing.open("a.csv", f"name,category_id\n{bad}{good}")
    assert len(importing.tab.check.form.questions) == 50
    assert "fix.csv has all rows" in importing.text


def test_suspicious_rows_need_a_tick(importing) -> None:
    """A totals row is no animal until a person says so."""
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,1\nTotal,1\n")
    assert importing.offer == "Add 2 pets"
    assert importing.decide("allow", "total_row", value=YES).offer == "Add 3 pets"


def test_possible_duplicates_wait_for_one_answer(importing) -> None:
    """Each row is shown next to the animal that it may be; the others can be sent."""
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\nBo,3\n").send()
    importing.open("b.csv", "name,category_id\nLuna,1\nMax,2\nBo,3\nIda,1\n")
    assert importing.offer == "Add 1 pet"
    assert "Luna, Cat" in importing.tab.check.form["duplicate", 2].question.note
    assert importing.decide("duplicate", 3, value="a new animal").offer == "Add 2 pets"
    assert importing.decide("duplicates", value=SAME).offer == "Add 2 pets"
    importing.send()
    assert importing.names == ["Bo", "Ida", "Luna", "Max", "Max"]


def test_answers_stay_while_the_file_is_checked_again(importing, store) -> None:
    """The next check takes as long as the store does; no answer jumps back, and none is lost."""
    rows = "".join(f"{name},Cat\n" for name in ("", "", "Kim", "Bo", "Luna", "Max"))
    importing.open("a.csv", f"name,category\n{rows}").without_key()
    form, waiting = importing.tab.check.form, threading.Event()
    store.reply = lambda method, body, answer: waiting.wait(WAIT_S) and answer()
    for row, name in ((1, "Ada"), (2, "Eve")):
        form["cell", row, "name"].value = name
        assert form["cell", row, "name"].value == name and importing.offer == ""
    assert "Ada" in form.markup and "Eve" in form.markup
    waiting.set()
    assert importing.settled().offer == "Add 6 pets"


def test_the_same_file_may_stand_for_new_animals(importing) -> None:
    """A file that was sent is offered once more only if the user says so."""
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\n").send()
    importing.open("a.csv", "name,category_id\nLuna,1\nMax,2\n")
    assert importing.offer == "" and importing.names == ["Luna", "Max"]
    assert "adds 2 duplicates" in importing.tab.check.form["as_new"].question.text
    assert importing.decide("as_new", value=YES).offer == "Add 2 pets"


def stop_halfway(importing, store) -> None:
    """Press Stop while pets are sent."""
    stops = [importing.tab.send.stop]

    def reply(_, __, answer):
        if len(store.pets) > 290 and stops:
            stops.pop().click()
        return answer()

    store.reply = reply


def test_an_import_is_stopped_and_continued_without_its_file(importing, show, store) -> None:
    """Stop ends an import in order; the next page has a badge, and a button sends the rest."""
    importing.open("many.csv", GOLDFISH)
    stop_halfway(importing, store)
    importing.send()
    assert len(importing.names) < 400
    assert view_of(importing.state.result).summary["ending"] == "interrupted"
    added = len(importing.names)
    assert f"Added: {added} · To send: {400 - added}" in importing.text
    assert "send the remaining animals with the button above" in importing.text
    journal = importing.folder / "journal"
    other = show(store, journal=journal, folder=importing.folder)
    tab = other.tabs.imports
    assert other.tabs.titles[1] == "Import (1)"
    assert tab.unfinished.send_rest.description.startswith("Send the remaining")
    tab.unfinished.send_rest.click()
    assert tab.background.wait(WAIT_S)
    assert len(importing.names) == len({*importing.names}) == 400
    assert other.tabs.titles[1] == "Import"


def lossy_store(*, keeps: bool) -> MemoryStore:
    """Loses the answer to the pet called Lost, once, or the request if it does not keep it."""
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


def test_unconfirmed_rows_are_looked_for(import_into) -> None:
    """A pet whose answer was lost is found by a button, which sends nothing."""
    importing = import_into(lossy_store(keeps=True))
    importing.tab.grace_s = 0
    importing.open("some.csv", LOSSY).send()
    unfinished = importing.tab.unfinished
    assert unfinished.check.description == "Check whether 1 row arrived"
    assert "Unconfirmed" in importing.text
    unfinished.check.click()
    importing.settled()
    assert unfinished.results == [] and importing.names.count("Lost") == 1
    assert "Added" in importing.text and "Unconfirmed" not in importing.text


def test_what_did_not_arrive_is_one_click_away(import_into) -> None:
    """After the check the next step is a button, which sends the missing animal once."""
    importing = import_into(lossy_store(keeps=False))
    importing.tab.grace_s = 0
    importing.open("some.csv", LOSSY).send()
    unfinished = importing.tab.unfinished
    unfinished.check.click()
    importing.settled()
    assert unfinished.resend.description == "Send the 1 missing row again"
    assert "Lost" not in importing.names
    unfinished.resend.click()
    importing.settled()
    assert importing.names.count("Lost") == 1 and unfinished.results == []


def test_stop_now_does_not_wait_for_a_store_that_hangs(import_into) -> None:
    """The first press finishes the requests in flight; the second ends the job within a second."""
    speaks = threading.Event()
    importing = import_into(MemoryStore(pets(3)))
    importing.open("some.csv", "name,category_id\nLuna,1\n")

    def reply(method, __, answer):
        if method == "POST":
            speaks.wait(WAIT_S)
        return answer()

    importing.store.reply = reply
    importing.tab.send.send.click()
    wait_for(lambda: "0 of 1" in importing.tab.send.area.notice.value)
    importing.tab.send.stop.click()
    assert "Finishing the requests" in importing.tab.send.area.notice.value
    assert importing.tab.send.stop.description == "Stop now"
    pressed_at = time.monotonic()
    importing.tab.send.stop.click()
    importing.settled()
    ended_s = time.monotonic() - pressed_at
    speaks.set()
    assert ended_s < 3 and importing.state.result.counts["unconfirmed"] == 1


def test_stop_ends_the_reading_before_a_load_while_the_store_hangs(
    import_into, monkeypatch
) -> None:
    """The page says how long the store has been silent; Stop ends it within a second."""
    monkeypatch.setattr(background, "SILENT_AFTER_S", 0.2)
    speaks = threading.Event()
    importing = import_into(MemoryStore(pets(3)))
    importing.open("some.csv", "name,category_id\nLuna,1\n")
    importing.store.reply = lambda _, __, answer: speaks.wait(WAIT_S) and answer()
    importing.tab.send.send.click()
    wait_for(lambda: "No reply from the store" in importing.tab.send.area.notice.value)
    pressed_at = time.monotonic()
    importing.tab.send.stop.click()
    importing.settled()
    ended_s = time.monotonic() - pressed_at
    speaks.set()
    assert ended_s < 1 and "Stopped" in importing.text and importing.names == []
    importing.store.reply = lambda _, __, answer: answer()
    assert importing.send().names == ["Luna"]


def test_what_remains_is_counted_in_animals(importing, store) -> None:
    """Two equal rows of an animal are one animal to send, also after Stop."""
    rows = "".join(f"T{n // 2},Tom {n // 2},1\n" for n in range(400))
    importing.open("twice.csv", f"Animal ID,name,category_id\n{rows}").confirm().without_key()
    assert importing.offer == "Add 200 pets"
    stop_halfway(importing, store)
    remaining = 200 - len(importing.send().names)
    rest = importing.tab.unfinished.send_rest.description
    assert remaining and rest == f"Send the remaining {remaining} animals"


def wait_for(condition) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_path_starts_where_the_command_was_started(importing) -> None:
    """A relative path is that of the folder of the dashboard, not of the kernel."""
    (importing.folder / "sub").mkdir()
    (importing.folder / "sub" / "a.csv").write_text("name,category_id\nLuna,1\n")
    assert importing.path("sub/a.csv").offer == "Add 1 pet"


def test_too_large_an_upload_is_rejected_with_what_to_do(importing, failures) -> None:
    """A file that a browser cannot carry is named, with its size and the other way."""
    upload = {"upload": "big.csv", "size": 90 * 1024**2}
    importing.tab.choose_file.drop._handle_custom_msg(upload, [])
    assert "enter its path instead" in str(failures.pop())


def test_the_cards_count_rows_and_the_button_counts_pets(importing) -> None:
    """A row that stands for several pets is on one card, before and after it is sent."""
    importing.open("litters.csv", "name,category_id,Anzahl\nWurf,1,3\nMax,2,1\n,2,1\n")
    importing.tab.use_settings(importing.state.recipe.replace(quantity="Anzahl"))
    importing.settled().without_key()
    groups = importing.state.dry_run.facts.groups
    assert (groups["to_send"], groups["need_fixing"], sum(groups.values())) == (2, 1, 3)
    assert importing.offer == "Add 4 pets" and "4 animals" in importing.text
    importing.send()
    assert len(importing.names) == 4
    assert "4 animals" in importing.text
    groups = view_of(importing.state.result).facts.groups
    assert (groups["added"], groups["need_fixing"], sum(groups.values())) == (2, 1, 3)
    assert "Added" in importing.text


def test_a_list_that_contradicts_earlier_files_waits_for_an_answer(import_into) -> None:
    """Nothing is offered while a number has another name than in the files that were sent."""
    store = MemoryStore([(1, "Tweety", 4, "sold")])
    first = import_into(store, categories={4: "Bird"})
    first.open("birds.csv", "name,category_id\nKiwi,Bird\n").without_key().send()
    importing = import_into(store, categories={4: "Guinea pig"})
    importing.open("pigs.csv", "name,category_id\nMogli,Guinea pig\n").without_key()
    assert importing.offer == "" and "Waiting for: Check" in importing.text
    assert "Your list calls 4 Guinea pig" in importing.text
    importing.decide("rename_categories", value="Your list is right").send()
    assert importing.names == ["Mogli"]


def test_a_question_that_comes_up_while_sending_sends_nothing(import_into, tmp_path) -> None:
    """Somebody else gives a number another name after the check: the page asks before it sends."""
    store = MemoryStore([(1, "Tweety", 4, "sold")])
    importing = import_into(store, categories={4: "Guinea pig"})
    importing.open("pigs.csv", "name,category_id\nMogli,Guinea pig\n").without_key()
    path = tmp_path / "birds.csv"
    path.write_text("name,category_id\nKiwi,4\n")
    pf.load(path, store.client(), categories={4: "Bird"}, journal=tmp_path / "journal")
    importing.send()
    assert importing.names == ["Kiwi"] and "rename_categories" in importing.tab.check.form


def test_the_earlier_names_replace_a_list_that_is_wrong(import_into) -> None:
    """Then nothing means the number of the wrong name, and its words are asked about again."""
    store = MemoryStore([(1, "Tweety", 4, "sold")])
    first = import_into(store, categories={4: "Bird"})
    first.open("birds.csv", "name,category_id\nKiwi,Bird\n").without_key().send()
    importing = import_into(store, categories={4: "Guinea pig"})
    importing.open("pigs.csv", "name,category_id\nMogli,Guinea pig\n").without_key()
    importing.decide("rename_categories", value="The earlier names are right")
    assert importing.offer == "" and importing.values == {("category_id", "guinea pig"): ""}
    importing.mean("category_id", **{"Guinea pig": "Guinea pig (5)"}).send()
    assert [(pet.name, pet.category_id) for pet in store.pets[2:]] == [("Mogli", 5)]
