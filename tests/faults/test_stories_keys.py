"""Stories of animals that have a key, as people's files have it."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame.errors import DuplicatesError
from petstore_frame.loader.row_state import State
from shop import Shop

TAGS = "tag,name"
KEYED = "tag,name,categoryId"
SIX = [f"{number:03},Pet {number}" for number in range(1, 7)]


KNOWN = {  # an earlier file with its key, a later one with its own, and the pets then
    "equal rows": ("tag", f"{TAGS}/A,Ada/A,Ada", "tag", f"{TAGS}/A,Ada/A,Ada/C,Cy", "Ada Cy"),
    "a cell corrected": (
        "tag", f"{KEYED}/A,Ada,1/B,Bo,x", "tag", f"{KEYED}/A,Ada,1/B,Bo,2", "Ada Bo",
    ),
    "columns in any order": (
        "site tag", "site,tag,name/N,1,Ada/S,1,Bo", "tag site", "site,tag,name/N,1,Ada/S,2,Cy",
        "Ada Bo Cy",
    ),
    # A column is known by its letters; the keys of another are other animals.
    "another case": ("pet_id", "pet_id,name/A,Ada", "PET-ID", "PET-ID,name/A,Ada", "Ada"),
    "another column": ("pet_id", "pet_id,name/A,Ada", "id", "id,name/A,Mia", "Ada Mia"),
}  # fmt: skip


@pytest.mark.parametrize("answer", [{}, {"duplicates": "create"}], ids=str)
@pytest.mark.parametrize(("key", "earlier", "other", "later", "names"), KNOWN.values(), ids=KNOWN)
def test_a_key_is_known_in_the_next_file(
    shop: Shop, key: str, earlier: str, other: str, later: str, names: str, answer: dict
) -> None:
    """No key is sent twice, nor asked about, also by a script that always says ``send``."""
    shop.load("a.csv", *earlier.split("/"), key=key.split(), **answer)
    shop.load("b.csv", *later.split("/"), key=other.split(), **answer)
    assert shop.names == names.split()


ASKED = {  # an earlier file with its key, a later one with the key tag, and the pets then
    # Case, width, spaces and an apostrophe make no other animal in silence.
    **{
        other: ("similar_key", "create", "tag", f"{TAGS}/A-1,Ada", f"{TAGS}/{other},Ada", "Ada Ada")
        for other in ("a-1", "Ａ-1", "'A-1", "A -1", "A\xa0-1")
    },
    "forms in one file": ("similar_key", "create", "tag", TAGS, f"{TAGS}/001,Ada/1,Bo", "Ada Bo"),
    "a row to fix": (
        "similar_key", "skip", "tag", f"{KEYED}/2,Bo,1", f"{KEYED}/002,Bo,x/3,Cy,1", "Bo Cy",
    ),
    "a column renamed": ("similar_key", "skip", "chip", "chip,name/A,Ada", f"{TAGS}/A,Ada", "Ada"),
    "no key before": (
        "same_content", "skip", "", "name/Ada/Bo", f"{TAGS}/B,Bo/A,Ada", "Ada Bo",
    ),
    "numbers that begin anew": (
        "reused_key", "create", "tag", f"{TAGS}/1,Ada/2,Bo/3,Cy", f"{TAGS}/1,Di/2,Ed/3,Flo",
        "Ada Bo Cy Di Ed Flo",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("case", "answer", "key", "earlier", "later", "names"), ASKED.values(), ids=ASKED
)
def test_what_may_be_a_known_animal_is_asked_about(
    shop: Shop, case: str, answer: str, key: str, earlier: str, later: str, names: str
) -> None:
    """Nothing is sent unasked, and the answer is known in the next file."""
    shop.load("a.csv", *earlier.split("/"), key=key.split())
    with shop.asks(case):
        shop.load("b.csv", *later.split("/"), key="tag")
    result = shop.load("b.csv", *later.split("/"), key="tag", duplicates=answer)
    shop.load("c.csv", *later.split("/"), key="tag")
    assert (shop.names, len(result.fix)) == (names.split(), 0)


def test_the_question_shows_both_spellings(shop: Shop) -> None:
    """A key stands beside the known one that it is like, not beside itself."""
    shop.load("a.csv", TAGS, "A2,Bo", key="tag")
    with pytest.raises(DuplicatesError, match=r"'00a2'  \|  'A2'"):
        shop.load("b.csv", TAGS, "00a2,Bo", "A9,New", key="tag")


def test_rows_equal_to_one_under_another_form_are_its_animal(shop: Shop) -> None:
    """A row that stands for others takes them along when it is another row's, and no stranger."""
    rows = TAGS, "001,Ada", "1,Ada", "1,Ada", "9,Bo", "9,Bo"
    result = shop.load("a.csv", *rows, key="tag", duplicates="skip")
    ids = pf.read_ids(shop.client, journal=shop.journal)
    assert sorted(zip(ids["key"], ids["id"], strict=True)) == [("001", 1), ("1", 1), ("9", 2)]
    assert shop.names == ["Ada", "Bo"] and result.counts[State.EXCLUDED] == 3


def test_the_same_text_in_another_column_is_another_key(shop: Shop) -> None:
    """A chip that reads as a tag does not let the other form of that tag pass unasked."""
    shop.load("a.csv", TAGS, "001,Ada", key="tag")
    shop.load("b.csv", "chip,name", "1,Bo", key="chip")
    with shop.asks("similar_key"):
        shop.load("c.csv", TAGS, "1,Cy", key="tag")


def test_a_key_column_may_have_another_name(shop: Shop) -> None:
    """The question has all its rows, also those with a corrected value, and skip creates none."""
    rows = [f"KA-{number},Pet {number},1" for number in range(12)]
    shop.load("a.csv", KEYED, *rows, key="tag")
    corrected = ["KA-0,Renamed,1", "KA-1,Pet 1,2", *rows[2:], "KA-12,New,1"]
    later = "Animal No,name,categoryId", *corrected
    with pytest.raises(DuplicatesError) as asked:
        shop.load("b.csv", *later, key="Animal No")
    assert [(case.name, case.rows) for case in asked.value.question.cases] == [("similar_key", 12)]
    shop.load("b.csv", *later, key="Animal No", duplicates="skip")
    shop.load("c.csv", *later, "KA-13,Newer,1", key="Animal No")
    assert len(shop.names) == 14


def test_running_numbers_of_another_column_are_sent(shop: Shop) -> None:
    """They are the same texts by chance, and no name agrees."""
    shop.load("a.csv", "dog,name", "1,Ada", "2,Bo", "3,Cy", key="dog")
    shop.load("b.csv", "cat,name", "1,Di", "2,Ed", "3,Flo", key="cat")
    assert len(shop.names) == 6


def test_a_column_that_is_still_in_the_file_was_not_renamed(shop: Shop) -> None:
    """Its keys say which animals these are, whatever another column has."""
    shop.load("a.csv", TAGS, "1,Ada", "2,Bo", "3,Cy", key="tag")
    shop.load("b.csv", "no,tag,name,categoryId", "1,7,Ada,2", "2,8,Bo,2", "3,9,Cy,2", key="no")
    assert len(shop.names) == 6


def test_a_column_of_none_sends_nothing_in_silence(shop: Shop) -> None:
    """Animals whose chip is "none" are to fix, in each call, and "none" can be said to be empty."""
    rows = "chip,name,categoryId", "none,Ada,1", "none,Bo,2", "none,Cy,3", "985-1,Di,1"
    for _ in range(2):
        result = shop.load("a.csv", *rows, key="chip", max_errors=3)
        assert (shop.names, result.counts[State.INVALID]) == (["Di"], 3)


def test_a_few_new_names_are_changed_values(shop: Shop) -> None:
    """One animal of eight with another name is that animal: told as changed, not sent or asked."""
    rows = [f"T{number},Pet {number}" for number in range(8)]
    shop.load("a.csv", TAGS, *rows, key="tag")
    result = shop.load("b.csv", TAGS, "T0,Renamed", *rows[1:], key="tag")
    assert len(shop.names) == 8 and result.changed["tag"].tolist() == ["T0"]


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
    """A known animal whose status differs is in ``changed``, and nothing is sent or asked."""
    header = "tag,name,categoryId,status"
    shop.load("a.csv", header, "A,Ada,1,available", "B,Bo,1,available", key="tag")
    rows = "A,Ada,1,sold", "B,Bo,1,available", "C,Cy,1,available"
    for _ in range(2):
        result = shop.load("b.csv", header, *rows, key="tag", **options)
        changed = dict(zip(result.changed["tag"], result.changed["changed"], strict=True))
        assert changed == {"A": "status: available → sold; the store still shows it as available"}
    assert shop.names == ["Ada", "Bo", "Cy"] and result.exit_code == 0
