"""Stories of animals that have a key, as people's files have it."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame.loader.record import State
from shop import Shop

TAGS = "tag,name"
KEYED = "tag,name,categoryId"
SIX = [f"{number:03},Pet {number}" for number in range(1, 7)]


# -- a key that was saved in another form ---------------------------------------------------------


@pytest.mark.parametrize("save", ["excel", "pandas"])
def test_a_key_without_its_zeros_is_asked_about_and_then_known(shop: Shop, save: str) -> None:
    """What a spreadsheet or pandas made of a key is never sent unasked, nor asked about twice."""
    words = ("b.xlsx", TAGS) if save == "excel" else (TAGS,)
    load = getattr(shop, save)
    shop.load("a.csv", TAGS, *SIX, key="tag")
    with shop.asks("similar_key"):
        load(*words, *SIX, key="tag")
    load(*words, *SIX, key="tag", duplicates="skip")
    load(*words, *SIX, "7,New", key="tag")
    assert shop.names == sorted([*(f"Pet {number}" for number in range(1, 7)), "New"])


@pytest.mark.parametrize("other", ["a-1", "Ａ-1", "'A-1", "A -1", "A\xa0-1"])
def test_a_key_written_otherwise_is_asked_about(shop: Shop, other: str) -> None:
    """Case, width, spaces and an apostrophe make no other animal in silence."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag")
    with shop.asks("similar_key"):
        shop.load("b.csv", TAGS, f"{other},Ada", key="tag")
    shop.load("b.csv", TAGS, f"{other},Ada", key="tag", duplicates="send")
    assert shop.names == ["Ada", "Ada"]


def test_the_other_form_of_a_key_is_asked_about_in_a_row_to_fix(shop: Shop) -> None:
    """A row that is invalid for another reason takes no second key of an animal in silence."""
    shop.load("a.csv", KEYED, "2,Bo,1", key="tag")
    with shop.asks("similar_key"):
        shop.load("b.csv", KEYED, "002,Bo,two", "3,Cy,1", key="tag")
    rows = KEYED, "002,Bo,two", "3,Cy,1"
    result = shop.load("b.csv", *rows, key="tag", duplicates="skip")
    assert (shop.names, result.to_fix) == (["Bo", "Cy"], 0)


def test_two_forms_of_a_key_in_one_file_are_asked_about(shop: Shop) -> None:
    """``001`` and ``1`` may be one animal: the user says, and the answer is remembered."""
    rows = KEYED, "001,Ada,1", "1,Bo,2"
    with shop.asks("similar_key"):
        shop.load("a.csv", *rows, key="tag")
    shop.load("a.csv", *rows, key="tag", duplicates="send")
    shop.load("b.csv", *rows, "2,Cy,1", key="tag")
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_two_forms_of_the_key_of_one_animal_are_one(shop: Shop) -> None:
    """Equal rows under ``001`` and ``1`` are sent once where the user says that they are one."""
    result = shop.load("a.csv", TAGS, "001,Ada", "1,Ada", key="tag", duplicates="skip")
    assert shop.names == ["Ada"] and result.counts[State.SKIPPED] == 1


def test_rows_equal_to_one_under_another_form_are_its_animal(shop: Shop) -> None:
    """A row that stands for others takes them along when it is another row's, and no stranger."""
    rows = TAGS, "001,Ada", "1,Ada", "1,Ada", "9,Bo", "9,Bo"
    result = shop.load("a.csv", *rows, key="tag", duplicates="skip")
    known = pf.read_ids(shop.client, journal=shop.journal)
    assert sorted(zip(known["key"], known["id"], strict=True)) == [("001", 1), ("1", 1), ("9", 2)]
    assert shop.names == ["Ada", "Bo"] and result.counts[State.SKIPPED] == 3


def test_the_same_text_in_another_column_is_another_key(shop: Shop) -> None:
    """A chip that reads as a tag does not let the other form of that tag pass unasked."""
    shop.load("a.csv", TAGS, "001,Ada", key="tag")
    shop.load("b.csv", "chip,name", "1,Bo", key="chip")
    with shop.asks("similar_key"):
        shop.load("c.csv", TAGS, "1,Cy", key="tag")


def test_lost_zeros_and_used_keys_are_answered_each_for_itself(shop: Shop) -> None:
    """Forty keys without their zeros and two used again: one question, two answers."""
    rows = [f"{number:04},Pet {number},1" for number in range(1, 41)]
    shop.load("a.csv", KEYED, *rows, "A41,Old 1,1", "A42,Old 2,1", key="tag")
    later = KEYED, *rows, "A41,New 1,2", "A42,New 2,2"
    with shop.asks("similar_key", "reused_key"):
        shop.excel("b.xlsx", *later, key="tag")
    answers = {"similar_key": "skip", "reused_key": "send"}
    shop.excel("b.xlsx", *later, key="tag", duplicates=answers)
    assert len(shop.names) == 44 and {"New 1", "New 2", "Old 1"} < set(shop.names)
    shop.excel("c.xlsx", *later, "A43,Last,1", key="tag")
    assert len(shop.names) == 45


# -- a key that names nobody, or two --------------------------------------------------------------


def test_equal_rows_of_one_key_are_one_animal(shop: Shop) -> None:
    """The first stands, the others are skipped, and the key is known from then on."""
    result = shop.load("a.csv", TAGS, "A,Ada", "B,Bo", "A,Ada", key="tag")
    assert [result.counts[state] for state in (State.CREATED, State.SKIPPED)] == [2, 1]
    shop.load("b.csv", TAGS, "A,Ada", "A,Ada", "C,Cy", key="tag")
    assert shop.names == ["Ada", "Bo", "Cy"]


@pytest.mark.parametrize("cell", ["#N/A", ""])
def test_what_is_no_key_is_invalid_until_it_is_fixed(shop: Shop, cell: str) -> None:
    """An Excel error and an empty cell name no animal; the key of the fix file is known then."""
    first = shop.load("a.csv", TAGS, f"{cell},Ada", "B,Bo", key="tag")
    second = shop.load("b.csv", TAGS, f"{cell},Cy", "B,Bo", key="tag")
    assert (shop.names, first.to_fix, second.to_fix) == (["Bo"], 1, 1)
    shop.fix(first, {cell: "A"})
    shop.fix(second, {cell: "C"})
    shop.load("c.csv", TAGS, "A,Ada", "B,Bo", "C,Cy", key="tag")
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_a_column_of_none_sends_nothing_in_silence(shop: Shop) -> None:
    """Animals whose chip is "none" are to fix, in each call, and "none" can be said to be empty."""
    rows = "chip,name,categoryId", "none,Ada,1", "none,Bo,2", "none,Cy,3", "985-1,Di,1"
    for _ in range(2):
        result = shop.load("a.csv", *rows, key="chip", max_errors=3)
        assert (shop.names, result.counts[State.INVALID]) == (["Di"], 3)


# -- a key that is used again ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "is_known"),
    [("Animal ID", True), ("ANIMAL_ID", True), ("animal-id", True), ("id", False)],
)
def test_keys_belong_to_a_column_that_is_known_by_its_letters(
    shop: Shop, column: str, is_known: bool
) -> None:
    """``Animal ID`` is ``animal_id``, so its keys are known; those of another are other animals."""
    shop.load("a.csv", "animal_id,name", "A,Ada", "B,Bo", key="animal_id")
    shop.load("b.csv", f"{column},name", "A,Mia", "B,Tom", "C,Zed", key=column)
    assert shop.names == ["Ada", "Bo", *([] if is_known else ["Mia", "Tom"]), "Zed"]


def test_columns_are_a_key_in_any_order(shop: Shop) -> None:
    """``site, tag`` is ``tag, site``."""
    shop.load("a.csv", "site,tag,name", "N,1,Ada", "S,1,Bo", key=["site", "tag"])
    shop.load("b.csv", "site,tag,name", "N,1,Ada", "S,2,Cy", key=["tag", "site"])
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_a_renamed_key_column_is_asked_about_and_then_known(shop: Shop) -> None:
    """Equal animals under another column's keys: the user says so once."""
    rows = [f"T{number},Pet {number}" for number in range(8)]
    shop.load("a.csv", "tag,name", *rows, key="tag")
    with shop.asks("equal"):
        shop.load("b.csv", "chip,name", *rows, "T8,New", key="chip")
    shop.load("b.csv", "chip,name", *rows, "T8,New", key="chip", duplicates="skip")
    shop.load("c.csv", "chip,name", *rows, "T8,New", "T9,Last", key="chip")
    assert len(shop.names) == len(set(shop.names)) == 10


def test_a_shelter_of_dogs_that_numbers_anew_each_year(shop: Shop) -> None:
    """Known keys with other names, all of one category: asked, and then each year is known."""
    years = [[f"{number},{year} {number}" for number in range(1, 9)] for year in ("Old", "New")]
    shop.load("2025.csv", "no,name", *years[0], key="no")
    with shop.asks("reused_key"):
        shop.load("2026.csv", "no,name", *years[1], key="no")
    shop.load("2026.csv", "no,name", *years[1], key="no", duplicates="send")
    for year in years:
        shop.load("again.csv", "no,name", *reversed(year), key="no")
    assert len(shop.names) == len(set(shop.names)) == 16


def test_a_few_new_names_are_changed_values(shop: Shop) -> None:
    """One animal of eight with another name is that animal: told as changed, not sent or asked."""
    rows = [f"T{number},Pet {number}" for number in range(8)]
    shop.load("a.csv", TAGS, *rows, key="tag")
    result = shop.load("b.csv", TAGS, "T0,Renamed", *rows[1:], key="tag")
    assert len(shop.names) == 8 and result.changed["tag"].tolist() == ["T0"]


def test_a_key_used_again_under_its_other_form_hides_no_animal(shop: Shop) -> None:
    """Animals known without their zeros are not sent twice when others have the keys with them."""
    old = [f"00{number},Old {number},1" for number in (1, 2, 3)]
    new = [f"00{number},New {number},2" for number in (1, 2, 3)]
    shop.excel("old.xlsx", KEYED, *old, key="tag")
    shop.load("new.csv", KEYED, *new, key="tag", duplicates={"similar_key": "send"})
    shop.load("old.csv", KEYED, *old, key="tag", duplicates={"reused_key": "send"})
    assert len(shop.names) == len(set(shop.names)) == 6


# -- keys that stay with their animals ------------------------------------------------------------


def test_a_refused_copy_takes_no_key(shop: Shop) -> None:
    """``again=True`` moves no key, so what it could not send leaves the animal known."""
    shop.load("a.csv", TAGS, "A,Ada", key="tag")
    shop.store.fault_of = {2: "400"}.get
    shop.load("a.csv", key="tag", again=True)
    shop.load("b.csv", TAGS, "A,Ada", "B,Bo", key="tag")
    assert shop.names == ["Ada", "Bo"]


def test_a_fix_row_keeps_the_key_of_its_record(shop: Shop) -> None:
    """A spreadsheet that makes 7 of 007 in the fix file changes no key."""
    rows = KEYED, "007,Ada,two", "008,Bo,1"
    result = shop.load("a.csv", *rows, key="tag")
    shop.fix(result, {"two": "2", "007": "7"})
    shop.load("b.csv", KEYED, "007,Ada,2", "008,Bo,1", "009,Cy,1", key="tag")
    assert shop.names == ["Ada", "Bo", "Cy"] and set(shop.ids) == {"007", "008", "009"}


def test_a_send_in_the_script_sends_no_known_key(shop: Shop) -> None:
    """A call that always says ``send`` does not double a file of which one cell was corrected."""
    shop.load("a.csv", KEYED, "A,Ada,1", "B,Bo,two", key="tag", duplicates="send")
    shop.load("a.csv", KEYED, "A,Ada,1", "B,Bo,2", key="tag", duplicates="send")
    assert shop.names == ["Ada", "Bo"]
