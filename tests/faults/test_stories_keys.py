"""Stories of animals that have a key, as people's files have it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import QuestionError
from petstore_frame.loader.findings import ChangedValues
from petstore_frame.loader.row_state import State
from shop import Shop, finding_of, held, tagged

TAGS = "tag,name"
KEYED = "tag,name,categoryId"


KNOWN = {  # an earlier file with its key, a later one with its own, and the pets then
    "equal rows": ("tag", f"{TAGS}/A,Ada/A,Ada", "tag", f"{TAGS}/A,Ada/A,Ada/C,Cy", "Ada Cy"),
    "a cell corrected": (
        "tag", f"{KEYED}/A,Ada,1/B,Bo,x", "tag", f"{KEYED}/A,Ada,1/B,Bo,2", "Ada Bo",
    ),
    "columns in any order": (
        "site tag", "site,tag,name/N,1,Ada/S,1,Bo", "tag site", "site,tag,name/N,1,Ada/S,2,Cy",
        "Ada Bo Cy",
    ),
    "another name of the column": (
        "chip", "chip,name/A,Ada", "tag", "tag,name/A,Ada/B,Bo", "Ada Bo",
    ),
    "another column in an older file": (
        "", "name,tag/Ada,A/Bo,B", "tag", "name,tag/Ada,A/Cy,C", "Ada Bo Cy",
    ),
}  # fmt: skip


@pytest.mark.parametrize("answer", [{}, {"duplicates": "create"}], ids=str)
@pytest.mark.parametrize(("key", "earlier", "other", "later", "names"), KNOWN.values(), ids=KNOWN)
def test_a_key_is_known_in_the_next_file(
    shop: Shop, key: str, earlier: str, other: str, later: str, names: str, answer: dict
) -> None:
    """No key is sent twice, nor held back, also by a script that always says ``create``."""
    shop.load("a.csv", *earlier.split("/"), key=key.split(), **answer)
    result = shop.load("b.csv", *later.split("/"), key=other.split(), **answer)
    assert (shop.names, held(result)) == (names.split(), [])


POSSIBLE = {  # an earlier file with its key, a later one with the key tag, lines held, answer, pets
    "another animal under its key": ("tag", f"{KEYED}/1,Ada,1", f"{KEYED}/1,Di,2", [2], "Ada Di"),
    "many other names": (
        "tag", f"{TAGS}/1,Ada/2,Bo/3,Cy", f"{TAGS}/1,Di/2,Ed/3,Flo", [2, 3, 4],
        "Ada Bo Cy Di Ed Flo",
    ),
    "two forms in one file": ("tag", TAGS, f"{TAGS}/001,Ada/1,Ada", [3], "Ada Ada"),
    "no key before": ("", "name/Ada/Bo", f"{TAGS}/B,Bo/A,Ada", [2, 3], "Ada Ada Bo Bo"),
    "a new number": ("tag", f"{TAGS}/A,Ada", f"{TAGS}/B,Ada", [2], "Ada Ada"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "earlier", "later", "lines", "names"), POSSIBLE.values(), ids=POSSIBLE
)
def test_what_may_be_a_loaded_animal_is_not_sent(
    shop: Shop, key: str, earlier: str, later: str, lines: list[int], names: str
) -> None:
    """Only these rows are held back; ``create`` sends them, and a later file knows them."""
    shop.load("a.csv", *earlier.split("/"), key=key.split())
    new = "Z,New,1" if KEYED in later else "Z,New"
    result = shop.load("b.csv", *later.split("/"), new, key="tag")
    assert (held(result), result.exit_code, "New" in shop.names) == (lines, 9, True)
    shop.load("b.csv", key="tag", duplicates="create")
    again = shop.load("c.csv", *later.split("/"), new, key="tag")
    assert (shop.names, held(again)) == (sorted([*names.split(), "New"]), [])


@pytest.mark.parametrize("spoilt", ["1,Eve,x,sold", "1,Eve,1,gone?"], ids=["category", "status"])
def test_a_row_to_fix_is_not_the_animal_that_has_its_key_now(shop: Shop, spoilt: str) -> None:
    """It still needs fixing, and then an answer; with the name of that animal it is that animal."""
    header = f"{KEYED},status"
    shop.load("a.csv", header, spoilt, key="tag")
    shop.load("b.csv", header, "1,Ada,1,sold", key="tag")
    results = [shop.load("a.csv", key="tag"), shop.load("c.csv", header, "1,Ada,x,sold", key="tag")]
    assert [result.counts[State.INVALID] for result in results] == [1, 0]


RESPELLED: dict[str, Callable[[str], str]] = {  # how a program writes the keys of another
    "a prefix": lambda key: f"DE{key}",
    "a suffix": lambda key: f"{key}/26",
    "groups": lambda key: re.sub("...(?!$)", r"\g<0> ", key),
    "the letter O": lambda key: key.replace("0", "O"),
}


@pytest.mark.parametrize("respell", RESPELLED.values(), ids=RESPELLED)
@pytest.mark.parametrize("count", [1, 12])
def test_a_key_that_is_written_otherwise(
    shop: Shop, respell: Callable[[str], str], count: int
) -> None:
    """Whether all keys changed or one; ``skip`` adds the new spelling to its animal."""
    keys = [f"276098{1001 + 13 * n}" for n in range(14)]
    shop.load("a.csv", TAGS, *(f"{key},Pet {n}" for n, key in enumerate(keys[:12])), key="tag")
    keys = [respell(key) if n < count else key for n, key in enumerate(keys)]
    later = TAGS, *(f"{key},Pet {n}" for n, key in enumerate(keys))
    assert held(shop.load("b.csv", *later, key="tag")) == [*range(2, 2 + count)]
    shop.load("b.csv", key="tag", duplicates="skip")
    last = shop.load("c.csv", *later, "X-1,New", key="tag")
    assert held(last) == [] and len(shop.names) == len({*shop.names}) == 15


def test_a_possible_duplicate_shows_what_it_may_be(shop: Shop) -> None:
    """The values, the key, the pet and the file of the animal stand next to the row."""
    shop.load("a.csv", TAGS, "A2,Bo", key="tag")
    result = shop.load("b.csv", TAGS, "a2,Bo", "A9,New", key="tag")
    (row,) = result.possible_duplicates.to_dict("records")
    expected = {"tag": "a2", "may_be_name": "Bo", "may_be_key": "A2", "may_be_id": 1,
                "table_line": 4}  # fmt: skip
    assert {name: row[name] for name in expected} == expected
    assert "a.csv" in row["may_be_from"]


def test_rows_equal_to_one_under_another_form_are_its_animal(shop: Shop) -> None:
    """A row that stands for others takes them along if it is the animal of another row."""
    rows = TAGS, "001,Ada", "1,Ada", "1,Ada", "9,Bo", "9,Bo"
    result = shop.load("a.csv", *rows, key="tag", duplicates="skip")
    assert (shop.names, held(result), len(result.fix)) == (["Ada", "Bo"], [], 0)
    assert held(shop.load("a.csv", key="tag")) == []
    later = shop.load("b.csv", TAGS, "1,Ada", "9,Bo", key="tag")
    assert (shop.names, held(later)) == (["Ada", "Bo"], [])


def test_two_keys_of_a_file_that_were_one_are_two_by_name(shop: Shop) -> None:
    """A row that was skipped for another row is sent once its line is named."""
    shop.load("a.csv", TAGS, "001,Ada", "1,Ada", key="tag", duplicates="skip")
    shop.load("a.csv", key="tag", as_new=[3])
    assert shop.names == ["Ada", "Ada"]


def test_a_column_of_none_sends_nothing_in_silence(shop: Shop) -> None:
    """Animals whose chip is "none" need fixing in each call."""
    rows = "chip,name,categoryId", "none,Ada,1", "none,Bo,2", "none,Cy,3", "985-1,Di,1"
    for _ in range(2):
        result = shop.load("a.csv", *rows, key="chip", max_errors=3)
        assert (shop.names, result.counts[State.INVALID]) == (["Di"], 3)


@pytest.mark.parametrize("word", ["none", "unknown", "0", "TBD", "n/a", "-", "?", "", "#N/A"])
def test_a_word_is_no_key(shop: Shop, word: str) -> None:
    """The next animal without a chip is not the one before it: both need fixing."""
    for name in ("a.csv", "b.csv"):
        result = shop.load(name, TAGS, f"{word},Ada", f"A-{name},Cy {name}", key="tag")
        assert result.counts[State.INVALID] == 1
    assert shop.names == ["Cy a.csv", "Cy b.csv"]


def test_a_few_new_names_are_changed_values(shop: Shop) -> None:
    """Three animals of thirteen with other names are reported as changed, and not sent."""
    rows = tagged(0, 13)
    shop.load("a.csv", TAGS, *rows, key="tag")
    result = shop.load("b.csv", TAGS, *(f"A-{n},New {n}" for n in range(3)), *rows[3:], key="tag")
    assert len(shop.names) == 13 and result.changed["tag"].tolist() == ["A-0", "A-1", "A-2"]


def test_repeated_rows_count_once(shop: Shop) -> None:
    """Three of twelve animals with other names are many, also if a file has each animal twice."""
    lines = tagged(1, 13)
    shop.load("a.csv", TAGS, *lines, key="tag")
    renamed = [f"{line} the Second" for line in lines[:3]]
    result = shop.load("b.csv", TAGS, *renamed, *lines[3:], *lines[3:], key="tag")
    assert held(result) == [2, 3, 4]


def test_rows_to_fix_keep_their_animals_from_other_rows(shop: Shop) -> None:
    """An animal whose key is in the file holds back no other row, even if its rows need fixing."""
    shop.load("a.csv", KEYED, "A,Ada,1", key="tag")
    result = shop.load("b.csv", KEYED, "A,Bo,2", "A,Cy,3", "B,Ada,1", key="tag")
    assert (held(result), len(result.fix), shop.names) == ([], 2, ["Ada", "Ada"])


def test_a_key_of_several_animals_is_the_one_that_reads_the_same(shop: Shop) -> None:
    """Two shelters use the same numbers, and the user said so once."""
    shop.load("a.csv", KEYED, "1,Zoe,2", key="tag")
    shop.load("b.csv", KEYED, "1,Ada,1", key="tag", duplicates="create")
    result = shop.load("c.csv", KEYED, "1,Ada,1", "2,New,1", key="tag")
    assert (shop.names, len(result.changed)) == (["Ada", "New", "Zoe"], 0)


def test_two_rows_of_a_key_that_differ_need_fixing(shop: Shop) -> None:
    """Also if both of them have the name and the category of its animal."""
    header = "tag,name,categoryId,status"
    shop.load("a.csv", header, "A-1,Ada,1,available", "A-2,Bo,1,available", key="tag")
    rows = "A-1,Ada,1,available", "A-1,Ada,1,sold", "A-2,Bo,1,available"
    result = shop.load("b.csv", header, *rows, key="tag", max_errors=9)
    assert (result.counts[State.INVALID], shop.names) == (2, ["Ada", "Bo"])


@pytest.mark.parametrize("keep", [None, "first", "last"])
def test_the_files_of_two_shelters_in_one(shop: Shop, keep: str | None) -> None:
    """Rows of one key with another name and category need fixing, whatever ``keep`` says."""
    rows = [f"{n},Pet {n},1" for n in range(1, 9)] + [f"{n},Other {n},2" for n in range(1, 9)]
    result = shop.load("both.csv", KEYED, *rows, key="tag", keep=keep, max_errors=99)
    assert (shop.names, result.counts[State.INVALID]) == ([], 16)


EXCLUDED = {  # what excludes the row of a known animal
    "exclude": {"exclude": {"status": ["sold"]}},
    "include": {"include": {"status": ["available", "pending"]}},
    "keep": {"exclude": {"status": ["sold"]}, "keep": "last"},
    "a line": {"exclude_lines": [2]},
}


@pytest.mark.parametrize("options", EXCLUDED.values(), ids=EXCLUDED)
def test_an_excluded_row_says_that_the_store_still_shows_its_animal(
    shop: Shop, options: dict
) -> None:
    """A known animal whose status differs is in ``changed``, and nothing is sent or held."""
    header = "tag,name,categoryId,status"
    shop.load("a.csv", header, "A,Ada,1,available", "B,Bo,1,available", key="tag")
    rows = "A,Ada,1,sold", "B,Bo,1,available", "C,Cy,1,available"
    for _ in range(2):
        result = shop.load("b.csv", header, *rows, key="tag", **options)
        changed = dict(zip(result.changed["tag"], result.changed["changed"], strict=True))
        assert changed == {"A": "status: available → sold; the store still shows it as available"}
    assert shop.names == ["Ada", "Bo", "Cy"] and result.exit_code == 0


@pytest.mark.parametrize("options", [{}, {"keep": "last"}], ids=["alone", "keep"])
def test_an_excluded_row_with_an_unreadable_status_is_changed(shop: Shop, options: dict) -> None:
    """The word that excludes a row is often one that no store has."""
    header = "tag,name,categoryId,status"
    shop.load("a.csv", header, "A,Ada,1,available", "B,Bo,1,available", key="tag")
    options = {"key": "tag", "exclude": {"status": ["Euthanized"]}} | options
    for _ in range(2):
        result = shop.load("b.csv", header, "A,Ada,1,Euthanized", "B,Bo,1,available", **options)
        assert result.changed["changed"].tolist() == ["the store still shows it as available"]
    assert result.exit_code == 0


def test_a_dead_animal_does_not_become_available(shop: Shop) -> None:
    """Rows are ranked before they are excluded, and equal rows are no tie."""
    rows = [
        "A,Ada,available,2026-05-25,a",
        "A,Ada,available,2026-05-25,b",
        "A,Ada,Euthanized,2026-06-28,a",
        "A,Ada,Euthanized,2026-06-28,b",
    ]
    options = {"keep": "last", "order_by": "date", "exclude": {"status": ["Euthanized"]}}
    result = shop.load("a.csv", "tag,name,status,date,note", *rows, key="tag", **options)
    assert (shop.names, len(result.fix)) == ([], 0)


@pytest.mark.parametrize("key", ['["a', "[unknown]", "[]", '"', "{", "\x00", "null", "\ud83d"])
def test_any_text_may_be_a_key(shop: Shop, key: str) -> None:
    """Nothing in a key makes a journal look damaged."""
    rows = [("Ada", 1, key), ("Bo", 1, "B"), ("Cy", 1, key)]
    frame = pd.DataFrame(rows, columns=["name", "category_id", "tag"], dtype=object)
    load = partial(pf.load, frame, shop.client, key="tag", keep="last", journal=shop.journal)
    for _ in range(2):
        load(progress=False, max_errors=9)
        assert len(shop.pets) <= 2


# The question which column is the key


def test_a_certain_key_is_asked_for_before_sending(shop: Shop) -> None:
    """If a column numbers animals and its values repeat; the answer is remembered."""
    rows = [f"A-{n},Pet {n}" for n in range(3)] * 2
    with pytest.raises(QuestionError, match="animal_id"):
        shop.load("a.csv", "animal_id,name", *rows)
    assert shop.names == []
    shop.load("a.csv", "animal_id,name", *rows, key="animal_id")
    shop.load("b.csv", "animal_id,name", *rows, "A-9,New")
    assert shop.names == ["New", "Pet 0", "Pet 1", "Pet 2"]


def test_a_likely_key_is_named_after_a_load(shop: Shop) -> None:
    """Its facts are shown with a placeholder, because nothing proves it."""
    result = shop.load("a.csv", "Ref,name", "X1,Ada", "X2,Bo", "X3,Cy", "X3,Di")
    assert shop.names == ["Ada", "Bo", "Cy", "Di"]
    assert "Ref: 3 different values in 4 rows, 1 value has several names" in str(result)
    assert "may identify" not in str(shop.load("a.csv", key="", as_new=True))


def test_a_key_that_is_named_late_is_read_from_the_earlier_files(shop: Shop) -> None:
    """Advice that is followed a week later doubles nothing, and holds nothing back."""
    rows = [f"A-{n},Pet {n}" for n in range(8)]
    shop.load("a.csv", TAGS, *rows[:5], key="")
    result = shop.load("b.csv", TAGS, *rows[5:], *rows[:2], key="tag")
    assert len(shop.names) == len({*shop.names}) == 8 and held(result) == []


def test_a_key_that_repeats_in_an_earlier_file_is_asked_for(shop: Shop) -> None:
    """Also with ``duplicates``: no answer is taken that needs the key first."""
    shop.load("a.csv", "animal_id,name", *(f"A-{n},Pet {n}" for n in range(10)))
    later = "animal_id,name", *(f"A-{n},Pet {n}" for n in range(14))
    for answer in ({}, {"duplicates": "skip"}):
        with pytest.raises(QuestionError, match="animal_id") as asked:
            shop.load("b.csv", *later, **answer)
        assert [question.name for question in asked.value.questions] == ["key"]
    shop.load("b.csv", *later, key="animal_id")
    assert len(shop.names) == 14


def test_no_key_is_an_answer_as_well(shop: Shop) -> None:
    """It is remembered for the next files of this header."""
    shop.load("a.csv", "animal_id,name", "A-1,Ada", "A-2,Bo", "A-1,Ada", key="")
    shop.load("b.csv", "animal_id,name", "A-1,Zoe", "A-1,Zoe")
    assert shop.names == ["Ada", "Ada", "Bo", "Zoe", "Zoe"]


def test_a_load_changes_no_pet(shop: Shop) -> None:
    """If all statuses changed, the result says which values, and that no pet was changed."""
    header = "tag,name,status"
    shop.load("a.csv", header, *(f"A-{n},Pet {n},available" for n in range(4)), key="tag")
    result = shop.load("b.csv", header, *(f"A-{n},Pet {n},sold" for n in range(4)), key="tag")
    changed = finding_of(result, ChangedValues)
    assert changed is not None and (changed.rows, changed.fields) == (4, {"status": 4})
    assert "a load changes no pet: see result.changed" in str(result)
    assert {pet["status"] for pet in shop.pets} == {"available"}


def test_a_quantity_has_no_key(shop: Shop) -> None:
    """A key is one animal, so a number of animals per row is refused with it."""
    with pytest.raises(pf.InputError, match="quantity"):
        shop.load("a.csv", "tag,name,n", "A,Guppy,5", key="tag", quantity="n")
    assert shop.names == []
