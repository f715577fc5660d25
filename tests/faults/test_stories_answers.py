"""Stories of the four answers about possible duplicates: skip, create, as_new, exclude_lines."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.findings import CreatedBeforeSkip, SentAlthoughEqual, SkippedEarlier
from petstore_frame.loader.row_state import State
from shop import Shop, finding_of, held, tagged

TAGS = "tag,name"
KEYED = "tag,name,categoryId"

HELD = {  # what an earlier file, or somebody else, loaded; and the row that it holds back
    "line 3": ("A-1,Ada,1", "A-1,Zoe,2"),
    "line 4": ("A-1,Ada,1", "A-1*,Bo,2"),
    "line 5": ("A-1,Ada,1", "A-7,Ada,1"),
    "line 7": (None, "A-1,Ada,1"),
}


def two_animals(shop: Shop, earlier: str | None, later: str) -> None:
    """Load one animal, and hold back a row that may be this animal."""
    if earlier is None:
        shop.store.add({"name": "Ada", "categoryId": 1})
    else:
        shop.load("a.csv", KEYED, earlier, key="tag")
    assert held(shop.load("b.csv", f"{KEYED},note", f"{later},x", key="tag")) == [2]
    assert len(shop.pets) == 1


@pytest.mark.parametrize(("earlier", "later"), HELD.values(), ids=HELD)
def test_skip_says_that_it_is_the_same_animal(shop: Shop, earlier: str | None, later: str) -> None:
    """The row has its pet, and stays that animal in later calls and in later files."""
    two_animals(shop, earlier, later)
    for _ in range(2):
        result = shop.load("b.csv", key="tag", duplicates="skip")
        assert (held(result), result.frame["pet_id"].tolist()) == ([], [1])
    assert held(shop.load("b.csv", key="tag")) == [] and len(shop.pets) == 1
    next_week = shop.load("c.csv", f"{KEYED},note", f"{later},y", "N,New,1,y", key="tag")
    assert held(next_week) == [] and len(shop.pets) == 2


@pytest.mark.parametrize(("earlier", "later"), HELD.values(), ids=HELD)
def test_create_says_that_it_is_another_animal(shop: Shop, earlier: str | None, later: str) -> None:
    """The row is created once, and is not held back again."""
    two_animals(shop, earlier, later)
    for _ in range(2):
        shop.load("b.csv", key="tag", duplicates="create")
        assert len(shop.pets) == 2
    assert held(shop.load("b.csv", key="tag")) == [] and len(shop.pets) == 2


@pytest.mark.parametrize(("earlier", "later"), HELD.values(), ids=HELD)
def test_a_named_line_is_another_animal(shop: Shop, earlier: str | None, later: str) -> None:
    """``as_new=[2]`` creates this row, once."""
    two_animals(shop, earlier, later)
    for _ in range(2):
        shop.load("b.csv", key="tag", as_new=[2])
        assert len(shop.pets) == 2


@pytest.mark.parametrize(("earlier", "later"), HELD.values(), ids=HELD)
def test_an_excluded_line_is_not_held_back(shop: Shop, earlier: str | None, later: str) -> None:
    """``exclude_lines=[2]`` settles the row without a pet."""
    two_animals(shop, earlier, later)
    result = shop.load("b.csv", key="tag", exclude_lines=[2])
    assert (held(result), result.exit_code, len(shop.pets)) == ([], 0, 1)


@pytest.mark.parametrize(("earlier", "later"), HELD.values(), ids=HELD)
def test_create_ends_skip(shop: Shop, earlier: str | None, later: str) -> None:
    """A later ``create`` takes it back, once; what was created stays (I4)."""
    two_animals(shop, earlier, later)
    for answer, pets in (("skip", 1), ("create", 2), ("create", 2), ("skip", 2)):
        result = shop.load("b.csv", key="tag", duplicates=answer)
        assert (len(shop.pets), held(result)) == (pets, []), answer
    late = finding_of(result, CreatedBeforeSkip)
    assert late is not None and late.lines == [2]


@pytest.mark.parametrize(("earlier", "later"), HELD.values(), ids=HELD)
def test_an_earlier_skip_is_reported(shop: Shop, earlier: str | None, later: str) -> None:
    """The result names the lines, the day, and what to add to send them; then they are sent."""
    two_animals(shop, earlier, later)
    shop.load("b.csv", key="tag", duplicates="skip")
    result = shop.load("b.csv", key="tag")
    skipped = finding_of(result, SkippedEarlier)
    assert skipped is not None and skipped.lines == [2]
    assert "as_new=[2]" in str(result)
    shop.load("b.csv", key="tag", as_new=[2])
    assert len(shop.pets) == 2


def test_create_without_a_key_needs_a_list(shop: Shop) -> None:
    """A script that always says ``create`` doubles nothing: the rows are listed first."""
    shop.load("a.csv", "name", "Ada", "Bo")
    result = shop.load("b.csv", "name", "Ada", "Bo", "Cy", duplicates="create")
    assert (held(result), shop.names) == ([2, 3], ["Ada", "Bo", "Cy"])
    shop.load("b.csv", duplicates="create")
    assert shop.names == ["Ada", "Ada", "Bo", "Bo", "Cy"]


def test_create_without_a_key_applies_to_rows_of_the_list_only(shop: Shop) -> None:
    """A row that was added to the file since the list was shown is held back."""
    shop.load("a.csv", "name", "Ada", "Bo", "Cy")
    shop.load("b.csv", "name", "Ada")
    assert held(shop.load("b.csv", "name", "Ada", "Bo", duplicates="create")) == [2, 3]


def test_skip_and_create_before_anything_was_sent(shop: Shop) -> None:
    """As long as a row was not sent, the last answer counts."""
    shop.load("a.csv", TAGS, *tagged(0, 3), key="tag")
    later = TAGS, "B-0,Pet 0", "B-1,Pet 1"
    shop.load("b.csv", *later, key="tag", duplicates="skip")
    shop.load("b.csv", key="tag", duplicates="create", max_rows=1)
    assert len(shop.pets) == 4
    shop.load("b.csv", key="tag")  # goes on with what was answered last
    assert len(shop.pets) == 5


def test_create_is_taken_back_before_the_row_was_sent(shop: Shop) -> None:
    """The row that was not sent follows ``skip``, the other one stays."""
    shop.load("a.csv", TAGS, *tagged(0, 2), key="tag")
    later = TAGS, "B-0,Pet 0", "B-1,Pet 1"
    shop.load("b.csv", *later, key="tag", duplicates="create", max_rows=1)
    result = shop.load("b.csv", key="tag", duplicates="skip")
    assert len(shop.pets) == 3 and result.counts[State.PENDING] == 0
    assert shop.ids["B-1"] == 2


def test_a_line_whose_animal_is_certain_is_not_new(shop: Shop) -> None:
    """``as_new`` for a loaded row is refused, because it would double the animal."""
    shop.load("a.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag")
    with pytest.raises(ArgumentError, match="as_new: line 2"):
        shop.load("a.csv", key="tag", as_new=[2])
    with pytest.raises(ArgumentError, match="as_new: line 3"):
        shop.load("b.csv", TAGS, "A-9,New", "A-2,Bo", key="tag", as_new=[3])
    assert shop.names == ["Ada", "Bo"]


def test_one_named_line_leaves_the_others_held(shop: Shop) -> None:
    """The other possible duplicates still wait for an answer."""
    shop.load("a.csv", "name", "Ada", "Bo")
    assert held(shop.load("b.csv", "name", "Ada", "Bo", "Cy", as_new=[2])) == [3]
    shop.load("b.csv", as_new=[2], duplicates="skip")
    assert shop.names == ["Ada", "Ada", "Bo", "Cy"]


def test_an_answer_is_about_its_file(shop: Shop) -> None:
    """``skip`` about one file says nothing about the rows of another."""
    shop.load("a.csv", "name", "Ada", "Bo")
    shop.load("b.csv", "name", "Ada", "Cy", duplicates="skip")
    assert held(shop.load("c.csv", "name", "Ada", "Di")) == [2]


def test_a_key_that_skip_gave_is_known_in_the_next_file(shop: Shop) -> None:
    """Both spellings are keys of the animal from then on."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag")
    shop.load("b.csv", TAGS, "B-1,Ada", key="tag", duplicates="skip")
    result = shop.load("c.csv", TAGS, "B-1,Ada", "A-2,Bo", key="tag")
    assert (shop.names, held(result)) == (["Ada", "Bo"], [])
    moved = shop.load("d.csv", KEYED, "B-1,Ada,9", key="tag")
    assert (held(moved), finding_of(moved, SkippedEarlier)) == ([], None)


def test_a_key_that_create_takes_back_is_another_animal(shop: Shop) -> None:
    """After ``skip`` and then ``create``, the key belongs to the new animal only."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag")
    for answer in ("skip", "create"):
        shop.load("b.csv", TAGS, "B-1,Ada", key="tag", duplicates=answer)
    ids = pf.read_ids(shop.client, journal=shop.journal)
    assert sorted(zip(ids["key"], ids["id"], strict=True)) == [("A-1", 1), ("B-1", 2)]


def test_many_animals_with_other_names_are_asked_about_once(shop: Shop) -> None:
    """Next week's file says that they were skipped; a line that is named is another animal then."""
    shop.load("a.csv", TAGS, "1,Ada", "2,Bo", "3,Cy", key="tag")
    renamed = TAGS, "1,Adele", "2,Bob", "3,Cyd"
    assert held(shop.load("b.csv", *renamed, key="tag")) == [2, 3, 4]
    shop.load("b.csv", key="tag", duplicates="skip")
    next_week = shop.load("c.csv", *renamed, "4,Di", key="tag")
    assert (held(next_week), finding_of(next_week, SkippedEarlier).lines) == ([], [2, 3, 4])
    shop.load("c.csv", key="tag", as_new=[3])
    last = shop.load("d.csv", *renamed, "4,Di", "5,Ed", key="tag")
    assert (held(last), finding_of(last, SkippedEarlier).lines) == ([], [2, 4])
    assert shop.names == ["Ada", "Bo", "Bob", "Cy", "Di", "Ed"]


def test_a_file_of_other_animals_follows_no_answer_about_names(shop: Shop) -> None:
    """``as_new=True`` fills a wiped store also with animals that were skipped before."""
    shop.load("a.csv", KEYED, "1,Ada,1", key="tag")
    shop.load("b.csv", KEYED, "1,Adele,2", key="tag", duplicates="skip")
    shop.store.pets.clear()
    shop.load("c.csv", KEYED, "1,Adele,2", "1,Adele,2", key="tag", as_new=True)
    assert shop.names == ["Adele"]


def test_create_takes_no_key_from_its_own_animal(shop: Shop) -> None:
    """An animal keeps the key that it was sent with, whatever becomes of a row that was skipped."""
    header = "tag,name,categoryId"
    shop.load("a.csv", header, "A-1,Ada,1", key="tag")
    shop.load("b.csv", header, "A-1,Bo,2", key="tag", duplicates="skip")
    shop.load("b.csv", key="tag", as_new=[2])
    assert held(shop.load("c.csv", header, "A-1,Ada,1", "Z-1,Zed,1", key="tag")) == []


def test_after_create_equal_animals_are_sent_and_listed(shop: Shop) -> None:
    """With a key, the next files of this header are not held back for it, but told (I8)."""
    shop.load("a.csv", TAGS, *(f"A-{n},Kitten {n}" for n in range(3)), key="tag")
    litter = [f"B-{n},Kitten {n}" for n in range(3)]
    assert held(shop.load("b.csv", TAGS, *litter, key="tag")) == [2, 3, 4]
    shop.load("b.csv", key="tag", duplicates="create")
    result = shop.load("c.csv", TAGS, *(f"C-{n},Kitten {n}" for n in range(3)), key="tag")
    listed = finding_of(result, SentAlthoughEqual)
    assert listed is not None and listed.lines == [2, 3, 4] and result.exit_code == 0
    assert len(shop.pets) == 9


def test_after_create_another_animal_under_a_key_is_still_held(shop: Shop) -> None:
    """Lines 3 and 4 hold rows back whatever was answered for this header."""
    shop.load("a.csv", KEYED, "A-1,Ada,1", "A-2,Bo,1", key="tag")
    shop.load("b.csv", KEYED, "B-1,Ada,1", key="tag", duplicates="create")
    result = shop.load("c.csv", KEYED, "A-1,Zoe,2", "a-2,Cy,2", key="tag")
    assert held(result) == [2, 3]


def test_after_create_other_headers_are_held(shop: Shop) -> None:
    """A file with other columns is another kind of file."""
    shop.load("a.csv", TAGS, *tagged(0, 3), key="tag")
    shop.load("b.csv", TAGS, "B-1,Pet 0", key="tag", duplicates="create")
    assert held(shop.load("c.csv", f"{TAGS},note", "C-1,Pet 1,x", key="tag")) == [2]


def test_a_row_that_create_sent_and_the_store_rejected_is_not_sent_again(shop: Shop) -> None:
    """The answer makes it a new animal once: the store would reject the same values again."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag")
    shop.store.fault_of = {2: "400"}.get
    for _ in range(2):
        result = shop.load("b.csv", TAGS, "B-1,Ada", key="tag", duplicates="create")
    assert (shop.store.posts, result.counts[State.REJECTED]) == (2, 1)


def test_a_growing_list_of_animals_that_share_names(shop: Shop) -> None:
    """Animals that are in the file under their own keys hold nothing back (I8)."""
    names = ["Max", "Bella", "Luna", "Rocky"]
    rows = [f"A-{n},{names[n % 4]}" for n in range(24)]
    for week in range(1, 4):
        assert held(shop.load("a.csv", TAGS, *rows[: 8 * week], key="tag")) == []
    assert len(shop.pets) == 24


def test_one_row_does_not_hold_back_the_others(shop: Shop) -> None:
    """A key of an animal with another name and category holds back its row only (I10)."""
    shop.load("a.csv", KEYED, *(f"A-{n},Pet {n},1" for n in range(41)), key="tag")
    rows = ["A-0,Other,2", *(f"A-{n},Pet {n},1" for n in range(1, 42))]
    assert held(shop.load("b.csv", KEYED, *rows, key="tag")) == [2]
    assert len(shop.pets) == 42


def test_two_kinds_of_doubt_take_one_answer_each(shop: Shop) -> None:
    """One line is named as new, and the rest is skipped."""
    shop.load("a.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag")
    later = TAGS, "C-1,Ada", "a-2,Bo", "C-3,Cy"
    assert held(shop.load("b.csv", *later, key="tag")) == [2, 3]
    shop.load("b.csv", key="tag", as_new=[2], duplicates="skip")
    assert shop.names == ["Ada", "Ada", "Bo", "Cy"]
