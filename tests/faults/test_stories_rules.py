"""Stories of single rules about files, trials and answers that longer stories do not need."""

from __future__ import annotations

from functools import partial

import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.errors import DuplicatesError
from petstore_frame.loader import loading
from petstore_frame.loader.reconcile import read_store
from petstore_frame.loader.row_state import State
from shop import Shop, facts_of, tagged

TAGS = "tag,name"
NAMES = "name,categoryId"


# Its listing has a known end.
pytestmark = pytest.mark.store(page_cap=5)


# Which import a file is


def test_each_sheet_of_a_workbook_is_an_import_of_its_own(shop: Shop) -> None:
    """Two sheets of the same bytes have different animals in the same rows."""
    path = shop.write_excel("a.xlsx", "name", "Ada", "Bo")
    book = openpyxl.load_workbook(path)
    for values in (("name", "categoryId"), ("Cy", 1), ("Di", 1)):
        (book["May"] if "May" in book else book.create_sheet("May")).append(values)
    book.save(path)
    load = partial(pf.load, path, shop.client, journal=shop.journal, progress=False)
    load(sheet="Sheet")
    load(sheet="May")
    assert shop.names == ["Ada", "Bo", "Cy", "Di"]


def test_a_corrected_row_that_was_not_sent_may_be_corrected_again(shop: Shop) -> None:
    """Nothing of it is in the store, so the last correction counts."""
    rows = shop.fix_file(shop.load("a.csv", NAMES, "Ada,1", "Bo,two"))
    shop.store.fault_of = {2: "401"}.get
    shop.fix(rows, {"two": "2"})
    shop.store.fault_of = lambda number: None
    shop.fix(rows, {"two": "3"})
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 3}


def test_a_file_whose_rows_were_fixed_has_nothing_to_fix(shop: Shop) -> None:
    """The row of the file is the animal of its correction, also when the file is loaded again."""
    shop.fix(shop.load("a.csv", NAMES, "Ada,1", "Bo,two"), {"two": "2"})
    again = shop.load("a.csv")
    assert (again.exit_code, len(again.fix), shop.names) == (0, 0, ["Ada", "Bo"])


def test_a_row_that_still_needs_fixing_is_not_the_next_new_animal(shop: Shop) -> None:
    """Another file in between does not take its place."""
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,two")
    rows = shop.fix_file(first)
    shop.fix(rows, {"two": "2x"})
    shop.load("b.csv", NAMES, "Cy,1")
    assert first.counts[State.INVALID] == 1
    shop.fix(rows, {"two": "2"})
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_two_rows_that_are_corrected_to_one_key_need_fixing(shop: Shop) -> None:
    """Also if they had other keys in a correction that was not sent."""
    header, *rows = shop.fix_file(
        shop.load("a.csv", "tag,name,categoryId", ",Ada,1", ",Bo,2", "A-9,Cy,1", key="tag")
    )
    at = header.index("tag")

    def fix(*tags: str) -> pf.LoadResult:
        corrected = [[*row[:at], tag, *row[at + 1 :]] for row, tag in zip(rows, tags, strict=True)]
        return shop.fix([header, *corrected], {})

    shop.store.fault_of = {2: "401"}.get
    fix("A-1", "A-2")
    shop.store.fault_of = lambda number: None
    assert (fix("A-1", "A-1").counts[State.INVALID], shop.names) == (2, ["Cy"])
    fix("A-1", "A-2")
    assert shop.names == ["Ada", "Bo", "Cy"]


# Which animal a row is


def test_a_key_that_skip_gave_is_known_in_the_next_file(shop: Shop) -> None:
    """Both spellings are keys of the animal from then on, and raise no question."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag")
    shop.load("b.csv", TAGS, "A-1*,Ada", key="tag", duplicates="skip")
    shop.load("c.csv", TAGS, "A-1*,Ada", "A-2,Bo", key="tag")
    assert shop.names == ["Ada", "Bo"]


def test_an_animal_with_another_key_is_another_animal(shop: Shop) -> None:
    """Equal contents are no reason to ask if both animals have a key of their own."""
    shop.load("a.csv", TAGS, *(f"A-{n},Goldfish" for n in range(4)), key="tag")
    result = shop.load("b.csv", TAGS, *(f"B-{n},Goldfish" for n in range(4)), key="tag")
    assert len(shop.pets) == 8 and not result.warnings


def test_an_animal_of_one_row_is_not_another_row_after_a_stop(shop: Shop) -> None:
    """Of two equal rows, one was skipped, and the other is still to send."""
    shop.load("a.csv", "name", "Ada")
    shop.store.fault_of = {2: "401"}.get
    shop.load("b.csv", "name", "Ada", "Ada", duplicates="skip")
    shop.store.fault_of = lambda number: None
    shop.load("b.csv", duplicates="skip")
    assert shop.names == ["Ada", "Ada"]


# The store


def test_only_the_first_load_asks_about_a_quarter_of_the_pets(shop: Shop) -> None:
    """Three of sixteen rows equal all pets of others: the first load asks, a later one lists."""
    for number in range(3):
        shop.store.add({"name": f"Pet {number}", "categoryId": 1})
    with shop.asks("in_store"):
        shop.load("a.csv", TAGS, *tagged(0, 16), key="tag")
    shop.load("a.csv", key="tag", duplicates="create")
    for number in range(20, 23):
        shop.store.add({"name": f"Pet {number}", "categoryId": 1})
    result = shop.load("b.csv", TAGS, *tagged(20, 36), key="tag")
    assert facts_of(result)["store_few"] == [2, 3, 4]


def test_few_pets_of_others_are_listed_by_the_first_load(shop: Shop) -> None:
    """Two of fifty rows equal pets: all are sent, and the result has the lines."""
    for number in range(2):
        shop.store.add({"name": f"Pet {number}", "categoryId": 1})
    result = shop.load("a.csv", TAGS, *tagged(0, 50), key="tag")
    assert facts_of(result)["store_few"] == [2, 3]
    assert "equal pets in the store in name and category: 2 rows (lines 2, 3)" in str(result)


@pytest.mark.parametrize(("name", "pet"), [("Zoë", "ZOE"), ("ADA", "Ada"), ("Bo", "Bò")])
def test_a_pet_whose_name_looks_the_same_is_asked_about(shop: Shop, name: str, pet: str) -> None:
    """Names are compared as a person reads them, in the file and in the store."""
    shop.store.add({"name": pet, "categoryId": 1})
    with shop.asks("in_store"):
        shop.load("a.csv", "name", name)


def test_a_thousand_pages_are_read_before_a_load_or_one_for_each_row(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file does not read an endless store, and a large one reads as much as it sends."""
    limits = []

    def read(client, on_rows, max_pages, on_wait):
        limits.append(max_pages)
        return read_store(client, on_rows, max_pages, on_wait)

    monkeypatch.setattr(loading, "read_store", read)
    shop.load("a.csv", "name", "Ada", dry_run=True)
    shop.load("b.csv", "name", *(f"Pet {n}" for n in range(1200)), dry_run=True)
    assert limits == [1000, 1200]


def test_a_pet_of_others_that_comes_back_is_new(shop: Shop) -> None:
    """Only the pets of the last reading are seen ones."""
    others = {n: {"id": n, "name": f"Pet {n}", "categoryId": 1} for n in (20, 21, 22)}
    shop.store.pets |= others
    shop.load("a.csv", TAGS, *tagged(0, 8), key="tag")
    for pet_id in others:
        del shop.store.pets[pet_id]
    shop.load("b.csv", TAGS, "B-1,Bo", key="tag")
    shop.store.pets |= others
    with shop.asks("in_store"):
        shop.load("c.csv", TAGS, *tagged(20, 28), key="tag")


def test_a_question_about_a_listing_without_a_known_end_says_so(shop: Shop) -> None:
    """A pet that was not read may be another row's."""
    shop.store.page_cap, shop.store.has_links = 100, False
    for n in range(100):
        shop.store.add({"name": f"Pet {n}", "categoryId": 1})
    with pytest.raises(DuplicatesError, match="100 pets could be read"):
        shop.load("a.csv", TAGS, *tagged(0, 3), key="tag")


def test_a_question_about_lost_pets_says_what_each_answer_does(shop: Shop) -> None:
    """They are called removed, or are created again."""
    shop.load("a.csv", TAGS, *tagged(0, 6), key="tag")
    shop.load("a.csv", key="tag")
    shop.store.pets.clear()
    with pytest.raises(DuplicatesError) as asked:
        shop.load("a.csv", key="tag")
    question = asked.value.question
    assert (question.if_skip[State.GONE], question.if_skip[State.PENDING]) == (6, 0)
    assert (question.if_create[State.GONE], question.if_create[State.PENDING]) == (0, 6)


def test_an_answer_about_lost_pets_is_not_given_again_by_a_resume(shop: Shop) -> None:
    """The store lost them once more, and this time it may have been on purpose."""
    shop.load("a.csv", TAGS, *tagged(0, 6), key="tag")
    shop.load("a.csv", key="tag")
    shop.store.pets.clear()
    for post in (9, 10):
        shop.store.fault_of = {post: "401"}.get
        shop.load("a.csv", key="tag", duplicates={"gone": "create"})
    assert shop.names == ["Pet 0", "Pet 1"]
    shop.store.pets.clear()
    with shop.asks("gone"):
        pf.resume_loads(shop.client, journal=shop.journal, progress=False)


# What was not sent


def stopped(shop: Shop) -> None:
    """Load a file of ten, of which six are still to send."""
    shop.store.fault_of = {5: "401"}.get
    shop.load("week1.csv", TAGS, *tagged(0, 10), key="tag")
    shop.store.fault_of = lambda number: None


def test_a_copy_does_not_replace_its_original(shop: Shop) -> None:
    """It stands for other animals, so a resume sends what is left of the original."""
    stopped(shop)
    shop.load("week1.csv", key="tag", as_new=True)
    options = {"journal": shop.journal, "progress": False}
    pf.resume_loads(shop.client, **options, duplicates="create")  # which does not answer "unsent"
    assert len(shop.pets) == 20


def test_animals_that_were_not_sent_are_named_to_files_of_their_columns(shop: Shop) -> None:
    """A file with other columns is no later version of theirs."""
    stopped(shop)
    other = shop.load("other.csv", "tag,name,note", "B-1,Bo,x", key="tag")
    assert "left_unsent" not in facts_of(other)
    assert facts_of(shop.load("week2.csv", TAGS, "C-1,Cy", key="tag"))["left_unsent"] == 6


# Answers


def test_a_line_that_is_called_new_is_new_once(shop: Shop) -> None:
    """The same call again continues it, and sends nothing."""
    shop.load("a.csv", "name", "Ada", "Bo")
    for _ in range(2):
        shop.load("b.csv", "name", "Ada", "Cy", as_new=[2])
        assert shop.names == ["Ada", "Ada", "Bo", "Cy"]


def test_an_animal_that_is_called_new_stays_the_same_animal(shop: Shop) -> None:
    """So the earlier file, which did not send it, shows its pet as well."""
    shop.store.fault_of = {2: "401", 3: "401"}.get
    first = shop.load("a.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag")
    shop.load("b.csv", TAGS, "A-2,Bo", "A-3,Cy", key="tag")
    shop.store.fault_of = lambda number: None
    shop.store.add({"name": "Bo", "categoryId": 1})
    with shop.asks("in_store"):
        shop.load("b.csv", key="tag")
    shop.load("b.csv", key="tag", duplicates="create")
    assert shop.names == ["Ada", "Bo", "Bo", "Cy"]
    assert first.frame["pet_id"].tolist() == [1, shop.ids["A-2"]]


def test_an_answer_that_is_taken_back_leaves_the_others(shop: Shop) -> None:
    """Two cases of one file are two answers."""
    shop.load("a.csv", "name", "Ada")
    shop.load("b.csv", TAGS, "B-1,Bo", key="tag")
    shop.load("c.csv", TAGS, "C-1,Ada", "B-1*,Bo", key="tag", duplicates="skip")
    shop.load("c.csv", key="tag", duplicates={"similar_key": "create"})
    assert shop.names == ["Ada", "Bo", "Bo"]


def test_two_keys_of_a_file_that_were_one_are_two_by_name(shop: Shop) -> None:
    """A row that stood for another one lets it go."""
    shop.load("a.csv", TAGS, "001,Ada", "1,Ada", key="tag", duplicates="skip")
    assert shop.names == ["Ada"]
    shop.load("a.csv", key="tag", duplicates={"similar_key": "create"})
    assert shop.names == ["Ada", "Ada"]


# Files that are held back, trials, rehearsals


def test_a_file_is_held_back_if_most_of_its_rows_fail_for_one_reason(shop: Shop) -> None:
    """At least three, and more than half of those that were to be sent."""
    shop.load("two.csv", NAMES, "Ada,x", "Bo,x", "Cy,1")
    half = "Di,x,", "Ed,x,", "Flo,x,", "Gus,1,", "Hal,1,", "Ian,1,"
    shop.load("half.csv", "name,categoryId,note", *half)
    assert shop.names == ["Cy", "Gus", "Hal", "Ian"]
    most = "Jo,x,", "Kim,x,", "Lu,x,", "Mo,1,", "Ned,1,", "Otto,1,"
    result = shop.load("most.csv", "name,categoryId,sex", *most, exclude_lines=[7])
    assert (result.exit_code, result.counts[State.PENDING]) == (4, 2)
    assert len(shop.pets) == 4


def test_a_file_is_not_held_back_if_the_user_states_a_limit_of_errors(shop: Shop) -> None:
    """Then its valid rows are sent."""
    shop.load("a.csv", NAMES, "Ada,x", "Bo,x", "Cy,x", "Di,1", max_errors=9)
    assert shop.names == ["Di"]


def test_a_fix_file_is_not_held_back(shop: Shop) -> None:
    """A user who corrects one row of four has seen what the others need."""
    result = shop.load("a.csv", NAMES, "Ada,x1", "Bo,x2", "Cy,x3", "Di,x4")
    assert result.exit_code == 4
    shop.fix(result, {"x1": "1"})
    assert shop.names == ["Ada"]


def test_a_trial_leaves_the_header_new(shop: Shop) -> None:
    """One pet of a file says little about whether the next file is read the right way."""
    shop.load("a.csv", NAMES, "Ada,1", "Bo,1", max_rows=1)
    rows = "Cy,x", "Di,x", "Ed,x", "Flo,1"
    assert shop.load("b.csv", NAMES, *rows).exit_code == 4
    shop.load("a.csv")
    assert shop.load("b.csv").counts[State.CREATED] == 1
    assert shop.names == ["Ada", "Bo", "Flo"]


def test_a_rehearsal_shows_what_the_load_does_and_leaves_no_trace(shop: Shop) -> None:
    """It has no journal of its own, and knows what the journal knows."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag", dry_run=True)
    assert not list(shop.journal.rglob("*.sqlite*")) and shop.pets == []
    shop.load("a.csv", key="tag")
    for is_rehearsal, state in ((True, State.PENDING), (False, State.CREATED)):
        result = shop.load("b.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag", dry_run=is_rehearsal)
        assert result.counts[State.EXCLUDED] == result.counts[state] == 1
