"""Stories of copies, answers and fix files: what was said stays until the opposite is said."""

from __future__ import annotations

import sys
from code import InteractiveInterpreter
from functools import partial

import pytest

import petstore_frame as pf
from petstore_frame.loader.row_state import State
from shop import Shop, facts_of, tagged

TAGS = "tag,name"
NAMES = "name,categoryId"


# Its listing has a known end.
pytestmark = pytest.mark.store(page_cap=5)


def test_a_copy_on_purpose_is_made_once(shop: Shop) -> None:
    """The same call again continues it or finds it, and asks nothing."""
    rows = "name", "Ada", "Bo"
    shop.load("a.csv", *rows)
    for _ in range(2):
        shop.load("a.csv", *rows, as_new=True)
        assert shop.names == ["Ada", "Ada", "Bo", "Bo"]
    shop.load("a.csv", *rows, as_new=2)
    assert len(shop.pets) == 6


def test_the_same_rows_of_a_frame_are_the_same_import(shop: Shop) -> None:
    """Loaded again, they are neither sent nor asked about, and nothing is called new."""
    for _ in range(2):
        result = shop.pandas("name", "Ada", "Bo")
        assert shop.names == ["Ada", "Bo"]
    assert result.counts[State.CREATED] == 2


def test_the_same_bytes_are_the_same_import(shop: Shop) -> None:
    """Read in another encoding, the cells differ and the animals do not."""
    path = shop.folder / "a.csv"
    path.write_bytes(b"name,categoryId\nAda,1\nZo\xeb,1\n")
    load = partial(pf.load, path, shop.client, journal=shop.journal, progress=False)
    load(encoding="cp1251")
    result = load(encoding="cp1252")
    assert len(shop.pets) == 2 and len(result.changed) == 1


def test_two_rows_of_a_known_key_that_differ_need_fixing(shop: Shop) -> None:
    """Also if both of them have the name and the category of its animal."""
    header = "tag,name,categoryId,status"
    shop.load("a.csv", header, "A-1,Ada,1,available", "A-2,Bo,1,available", key="tag")
    rows = "A-1,Ada,1,available", "A-1,Ada,1,sold", "A-2,Bo,1,available"
    result = shop.load("b.csv", header, *rows, key="tag", max_errors=9)
    assert (result.counts[State.INVALID], shop.names) == (2, ["Ada", "Bo"])


def test_a_line_that_is_called_new_is_sent_and_no_other(shop: Shop) -> None:
    """Its row equals an earlier one, and the user says that it is another animal."""
    shop.load("a.csv", "name", "Ada", "Bo")
    with shop.asks("same_content"):
        shop.load("b.csv", "name", "Ada", "Bo", "Cy", as_new=[2])
    shop.load("b.csv", as_new=[2], duplicates="skip")
    assert shop.names == ["Ada", "Ada", "Bo", "Cy"]


def test_a_corrected_row_needs_its_key(shop: Shop) -> None:
    """Without it the row still needs fixing, and a later correction is that row."""
    result = shop.load("a.csv", "tag,name,categoryId", "A-1,Ada,one", "A-2,Bo,2", key="tag")
    rows = shop.fix_file(result)
    assert shop.fix(rows, {"one": "1", "A-1": ""}).counts[State.INVALID] == 1
    shop.fix(rows, {"one": "1"})
    shop.load("b.csv", "tag,name,categoryId", "A-1,Ada,1", "A-3,Cy,1", key="tag")
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_a_key_of_several_animals_is_the_one_that_reads_the_same(shop: Shop) -> None:
    """Two shelters use the same numbers, and the user said so once."""
    header = "tag,name,categoryId"
    shop.load("a.csv", header, "1,Zoe,2", key="tag")
    shop.load("b.csv", header, "1,Ada,1", key="tag", duplicates="create")
    assert shop.names == ["Ada", "Zoe"]
    result = shop.load("c.csv", header, "1,Ada,1", "2,New,1", key="tag")
    assert shop.names == ["Ada", "New", "Zoe"]
    assert len(result.changed) == 0


def test_an_animal_under_a_word_counts_as_keyless(shop: Shop) -> None:
    """Once it has a number, its content says that it may be the same animal."""
    shop.load("a.csv", TAGS, "unknown,Ada", key="tag")
    with shop.asks("same_content"):
        shop.load("b.csv", TAGS, "A-1,Ada", key="tag")


def test_dates_are_keys_if_all_keys_are_dates(shop: Shop) -> None:
    """A column of arrival dates may identify animals of a small shelter."""
    rows = [f"2026-03-{day:02},Pet {day}" for day in range(1, 9)]
    shop.load("a.csv", TAGS, *rows[:4], key="tag")
    shop.load("b.csv", TAGS, *rows, key="tag")
    assert len(shop.names) == len({*shop.names}) == 8


def test_create_is_remembered_for_files_of_the_same_columns(shop: Shop) -> None:
    """Few rows that equal earlier ones are sent and listed from then on; many are asked about."""
    shop.load("a.csv", "name", *(f"Pet {n}" for n in range(12)))
    shop.load("b.csv", "name", "Pet 1", duplicates="create")
    result = shop.load("c.csv", "name", "Pet 2", *(f"New {n}" for n in range(9)))
    assert facts_of(result)["equal_few"] == [2] and len(shop.pets) == 23
    with shop.asks("same_content"):
        shop.load("d.csv", "name", *(f"Pet {n}" for n in range(3, 7)))


def test_pets_are_decided_for_files_of_the_same_columns_only(shop: Shop) -> None:
    """A file with other columns asks about the pets of others for itself."""
    for n in range(8):
        shop.store.add({"name": f"Pet {n}", "categoryId": 1})
    shop.load("a.csv", TAGS, *tagged(0, 4), key="tag", duplicates="create")
    assert len(shop.pets) == 12
    with shop.asks("in_store"):
        shop.load("b.csv", "tag,name,note", "B-1,Pet 5,x", "B-2,Pet 6,x", "B-3,Pet 7,x", key="tag")


def test_a_pet_that_got_the_id_of_another_is_somebody_elses(shop: Shop) -> None:
    """Another name and another category under the id: a row that equals it is asked about."""
    shop.load("a.csv", TAGS, *tagged(0, 12), key="tag")
    shop.store.pets[3] |= {"name": "Zoe", "categoryId": 7}
    with shop.asks("in_store"):
        shop.load("b.csv", "tag,name,categoryId", "Z-1,Zoe,7", key="tag")


def test_pets_that_were_there_first_are_nobodys_twins(shop: Shop) -> None:
    """Only pets that were added since are said to be added by somebody else."""
    for n in range(3):
        shop.store.add({"name": f"Pet {n}", "categoryId": 1})
    shop.load("a.csv", TAGS, *tagged(0, 3), key="tag", duplicates="create")
    result = shop.load("b.csv", "tag,name,note", "N-1,New,x", key="tag")
    assert "twins" not in facts_of(result)
    shop.store.add({"name": "Pet 1", "categoryId": 1})
    assert facts_of(shop.load("c.csv", TAGS, "N-2,Newer", key="tag"))["twins"] == 1


def test_equal_pets_that_were_there_twice_are_nobodys_twins(shop: Shop) -> None:
    """Pets of others that were there before the first load were not added by somebody else."""
    for number in (0, 1, 2, 0, 1, 2):
        shop.store.add({"name": f"Pet {number}", "categoryId": 1})
    options = {"key": "tag", "duplicates": "skip"}
    assert "twins" not in facts_of(shop.load("a.csv", TAGS, *tagged(0, 3), **options))
    later = shop.load("b.csv", TAGS, "N-1,New", key="tag")
    assert "twins" not in facts_of(later)
    shop.store.add({"name": "Pet 1", "categoryId": 1})
    assert facts_of(shop.load("c.csv", TAGS, "N-2,Newer", key="tag"))["twins"] == 1


def test_a_listing_without_a_known_end_is_named(shop: Shop) -> None:
    """The question and the result say how many pets were compared."""
    shop.store.page_cap, shop.store.has_links = 100, False
    for n in range(100):
        shop.store.add({"name": f"Other {n}", "categoryId": 1})
    result = shop.load("a.csv", TAGS, *tagged(0, 3), key="tag")
    assert facts_of(result).get("store_cut") == 100


def test_a_pet_that_is_seen_again_is_its_animals(shop: Shop) -> None:
    """A store that was restored by mistake gets its pets back: nothing is created again."""
    shop.load("a.csv", TAGS, *tagged(0, 6), key="tag")
    shop.load("a.csv", key="tag")
    pets = dict(shop.store.pets)
    for pet_id in (1, 2, 3):
        del shop.store.pets[pet_id]
    shop.load("a.csv", key="tag", duplicates={"gone": "skip"})
    shop.store.pets = pets
    result = shop.load("a.csv", key="tag")
    assert result.counts[State.GONE] == 0 and result.counts[State.CREATED] == 6


def test_another_pet_under_the_id_of_a_gone_one_is_not_its_animals(shop: Shop) -> None:
    """The id alone does not bring an animal back."""
    shop.load("a.csv", TAGS, *tagged(0, 6), key="tag")
    shop.load("a.csv", key="tag")
    for pet_id in (1, 2, 3):
        del shop.store.pets[pet_id]
    shop.load("a.csv", key="tag", duplicates={"gone": "skip"})
    shop.store.pets[1] = {"id": 1, "name": "Zoe", "categoryId": 7}
    assert shop.load("a.csv", key="tag").counts[State.GONE] == 3


def stopped(shop: Shop) -> None:
    """Load a file of ten, of which six are still to send."""
    shop.store.fault_of = {5: "401"}.get
    shop.load("week1.csv", TAGS, *tagged(0, 10), key="tag")
    shop.store.fault_of = lambda number: None


def test_animals_that_were_not_sent_move_to_the_next_file(shop: Shop) -> None:
    """Without a question, and the result says which rows took them over."""
    stopped(shop)
    result = shop.load("week2.csv", TAGS, *tagged(5, 12), key="tag")
    assert facts_of(result)["moved"] == [2, 3, 4, 5, 6]
    assert facts_of(result)["left_unsent"] == 1
    assert len(shop.names) == len({*shop.names}) == 11


@pytest.mark.parametrize(("answer", "pets"), [("skip", 6), ("create", 12)])
def test_a_resume_asks_if_a_later_file_took_the_place(shop: Shop, answer: str, pets: int) -> None:
    """The user says whether what was not sent is dropped or sent."""
    stopped(shop)
    shop.load("week2.csv", TAGS, *tagged(20, 22), key="tag")
    resume = partial(pf.resume_loads, shop.client, journal=shop.journal, progress=False)
    with shop.asks("unsent"):
        resume()
    resume(duplicates={"unsent": answer})
    assert len(shop.names) == pets


def test_rows_that_were_created_stay_and_are_listed(shop: Shop) -> None:
    """Nothing can be deleted, so ``skip`` says which rows it came too late for."""
    shop.load("a.csv", "name", "Ada", "Bo")
    shop.load("b.csv", "name", "Ada", "Cy", duplicates="create")
    result = shop.load("b.csv", duplicates={"same_content": "skip"})
    assert facts_of(result)["stays_created"] == [2] and shop.names == ["Ada", "Ada", "Bo", "Cy"]
    assert "not taken back: 1 row (line 2)" in str(result)


def test_create_is_taken_back_before_the_row_was_sent(shop: Shop) -> None:
    """The row follows the last answer."""
    shop.load("a.csv", "name", "Ada", "Bo")
    shop.store.fault_of = {3: "401"}.get
    shop.load("b.csv", "name", "Ada", "Cy", duplicates="create")
    shop.store.fault_of = lambda number: None
    assert shop.names == ["Ada", "Bo"]
    shop.load("b.csv", duplicates={"same_content": "skip"})
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_created_again_is_taken_back_before_it_was_sent(shop: Shop) -> None:
    """The pets were removed on purpose, after all."""
    shop.load("a.csv", TAGS, *tagged(0, 6), key="tag")
    shop.load("a.csv", key="tag")
    shop.store.pets.clear()
    shop.store.fault_of = lambda number: "401"
    shop.load("a.csv", key="tag", duplicates={"gone": "create"})
    shop.store.fault_of = lambda number: None
    result = shop.load("a.csv", key="tag", duplicates={"gone": "skip"})
    assert (result.counts[State.GONE], len(shop.pets)) == (6, 0)


def test_an_answer_about_reused_keys_is_taken_back(shop: Shop) -> None:
    """A key that was said to be the same animal's may be another's, by name."""
    header = "tag,name,categoryId"
    shop.load("a.csv", header, "1,Ada,1", key="tag")
    shop.load("b.csv", header, "1,Zoe,2", key="tag", duplicates="skip")
    shop.load("c.csv", header, "1,Zoe,2", "2,New,1", key="tag")
    assert shop.names == ["Ada", "New"]
    shop.load("c.csv", key="tag", duplicates={"reused_key": "create"})
    assert shop.names == ["Ada", "New", "Zoe"]


def test_most_rows_may_fail_if_the_columns_were_loaded_before(shop: Shop) -> None:
    """Only a first file is held back, as it was probably read the wrong way."""
    shop.load("a.csv", NAMES, "Ada,1")
    result = shop.load("b.csv", NAMES, "Bo,x", "Cy,x", "Di,x", "Ed,1")
    assert shop.names == ["Ada", "Ed"] and result.counts[State.INVALID] == 3


def test_a_row_may_be_corrected_more_than_once(shop: Shop) -> None:
    """The first fix file may be edited again while its row still needs fixing."""
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,two")
    rows = shop.fix_file(first)
    again = shop.fix(rows, {"two": "2x"})
    assert (again.counts[State.INVALID], shop.names) == (1, ["Ada"])
    shop.fix(rows, {"two": "2"})
    assert shop.names == ["Ada", "Bo"]


def test_a_row_that_was_fixed_with_other_values_says_by_which_file(shop: Shop) -> None:
    """It did need a fix, and got it: the message names the file, and what can still be done."""
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,two")
    rows = shop.fix_file(first)
    shop.fix(rows, {"two": "2", "Bo": "Wrong"})
    result = shop.fix(rows, {"two": "2"}, max_errors=9)
    (error,) = result.fix["error_message"]
    assert shop.names == ["Ada", "Wrong"] and "already fixed by fixed.csv" in error


def test_a_fix_file_without_its_key_column_leaves_the_keys_known(shop: Shop) -> None:
    """A fix row is its original row, so the key of that row is its animal's in the next file."""
    first = shop.load("a.csv", "tag,name,categoryId", "A-1,Ada,1", "A-2,Bo,two", key="tag")
    header, row = shop.fix_file(first)
    at = header.index("tag")
    shop.fix([header[:at] + header[at + 1 :], row[:at] + row[at + 1 :]], {"two": "2"})
    assert shop.ids == {"A-1": 1, "A-2": 2}
    shop.load("b.csv", "tag,name,categoryId", "A-1,Ada,1", "A-2,Bob,2", key="tag")
    assert shop.names == ["Ada", "Bo"]


def test_a_row_that_the_store_rejected_may_be_corrected_more_than_once(shop: Shop) -> None:
    """Each correction is a request of its own, until one is accepted."""
    shop.store.fault_of = {2: "400", 3: "400"}.get
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,2")
    rows = shop.fix_file(first)
    again = shop.fix(rows, {"Bo": "Bob"})
    assert (again.counts[State.REJECTED], shop.names) == (1, ["Ada"])
    shop.fix(rows, {"Bo": "Bobby"})
    assert shop.names == ["Ada", "Bobby"]
    assert first.exit_code == 0


def test_the_fix_file_of_a_fix_file_corrects_the_same_row(shop: Shop) -> None:
    """Each result writes its own, and all of them name one animal."""
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,two")
    rows = shop.fix_file(first)
    second = shop.fix(rows, {"two": "2x"})
    shop.fix(second, {"2x": "2"})
    assert shop.names == ["Ada", "Bo"]
    shop.fix(rows, {"two": "2"})
    assert shop.names == ["Ada", "Bo"]


def test_a_row_that_was_fixed_is_not_corrected_into_another(shop: Shop) -> None:
    """It is in the store as it was fixed; nobody can change a pet there."""
    rows = shop.fix_file(shop.load("a.csv", NAMES, "Ada,1", "Bo,two"))
    shop.fix(rows, {"two": "2"})
    result = shop.fix(rows, {"two": "3"}, max_errors=9)
    assert (result.counts[State.INVALID], shop.names) == (1, ["Ada", "Bo"])


def test_the_steps_after_a_stopped_load_work_when_pasted(
    shop: Shop, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable has the result of a call that raised, so the text says where it is."""
    monkeypatch.chdir(shop.folder)
    path = shop.write("a.csv", NAMES, "Ada,1", "Bo,two", "Cy,1")
    shop.store.fault_of = {2: "401"}.get
    call = {"journal": shop.journal, "progress": False, "workers": 1}
    prompt = InteractiveInterpreter({"pf": pf, "client": shop.client, "call": call, "result": None})
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    prompt.runsource(f"pf.load({str(path)!r}, client, **call)")
    printed = capsys.readouterr().err
    steps = [line.strip() for line in printed.splitlines() if line.startswith("  ")]
    (write,) = [step for step in steps if step.startswith("result.write(")]
    (keep,) = [step for step in steps if step.startswith("import sys;")]
    for step in (keep, write):
        prompt.runsource(step)
    assert "Bo,two" in (shop.folder / "results" / "fix.csv").read_text("utf-8-sig")
