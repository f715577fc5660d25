"""Which animal a row is by its key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.loader.matching.by_key import (
    animal_of_key,
    is_extended,
    is_respelled,
    match_existing_keys,
    match_renamed_columns,
    match_similar_keys,
)
from petstore_frame.loader.matching.folding import compact
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.matching.not_keys import is_missing_key
from petstore_frame.loader.matching.values import Animal, Match, Row
from petstore_frame.loader.row_state import State
from unit.loader.matching.rows import animal, row, stored


def known(rows: list[Row], *animals: Animal, earlier=frozenset()):
    by_key: dict[str, list[Animal]] = {}
    for one in animals:
        for key in one.keys:
            by_key.setdefault(key, []).append(one)
    return match_existing_keys(rows, by_key, earlier)


def similar(*rows: Row, animals: tuple[Animal, ...] = (), in_file: set[str] = frozenset()):
    by_core: dict[str, list[Animal]] = {}
    by_content: dict[str, list[Animal]] = {}
    by_digits: dict[str, list[Animal]] = {}
    for one in animals:
        by_content.setdefault(one.content, []).append(one)
        for key_core in one.cores:
            by_core.setdefault(key_core, []).append(one)
            by_digits.setdefault(key_core[:15], []).append(one)
    return match_similar_keys(list(rows), by_core, by_content, by_digits, in_file)


def test_a_known_key_is_its_animal() -> None:
    """Also with another status, or another category: these are changed values."""
    for category in (1, 2):
        result = known([row(1, "Ada", category, key="A")], animal(7, "Ada", 1, "A"))
        assert result.same == [Match(1, 7)] and not (result.renamed or result.reused)


def test_another_name_is_a_renamed_animal() -> None:
    """The category says that it may be the same."""
    assert known([row(1, "Adele", key="A")], animal(7, "Ada", 1, "A")).renamed == [Match(1, 7)]


def test_another_name_and_category_is_a_key_used_again() -> None:
    """Nothing but the key says that it is the same animal."""
    assert known([row(1, "Bo", 2, key="A")], animal(7, "Ada", 1, "A")).reused == [Match(1, 7)]


def test_another_name_of_a_number_that_may_be_rounded_is_a_key_used_again() -> None:
    """It may be another animal, whose number a spreadsheet rounded to the same one."""
    for number, is_reused in (("9810200456781230", True), ("9810200456781231", False)):
        matches = match_existing_keys(
            [row(1, "Bo", key=number)], {stored(number): [animal(7, "Ada", 1, number)]}
        )
        assert bool(matches.reused) == is_reused
        assert bool(matches.renamed) != is_reused


def test_a_name_that_looks_the_same_is_no_other_name() -> None:
    """Accents, quotes and spaces that nobody sees do not make a question."""
    result = known([row(1, "Zoë  O’Brien", key="A")], animal(7, "zoe o'brien", 1, "A"))
    assert result.same == [Match(1, 7)]


@pytest.mark.parametrize("is_row", [True, False])
def test_a_name_from_defaults_counts_as_no_name(is_row: bool) -> None:
    """Whether the default was used then or now."""
    unnamed = row(1, "Unnamed", 2, key="A", has_default_name=is_row)
    result = known([unnamed], animal(7, "Ada", 1, "A", has_default_name=not is_row))
    assert result.same == [Match(1, 7)]


def test_of_several_animals_of_a_key_it_is_the_one_that_reads_the_same() -> None:
    """Equal content comes before an equal name alone."""
    animals = animal(7, "Ada", 3, "A"), animal(8, "Ada", 2, "A"), animal(9, "Bo", 1, "A")
    assert known([row(1, "Ada", 2, key="A")], *animals).same == [Match(1, 8)]
    assert known([row(1, "Bo", 4, key="A")], *animals).same == [Match(1, 9)]
    assert known([row(1, "Cy", 4, key="A")], *animals).reused


def test_the_animal_of_a_key_differs_in_as_little_as_possible() -> None:
    """Another category is less than another name, and that is less than both."""
    both, name, category = animal(7, "Zoe", 2), animal(8, "Zoe", 1), animal(9, "Ada", 2)
    assert animal_of_key(row(1, "Ada", 1), [both, name]).id == 8
    assert animal_of_key(row(1, "Ada", 1), [name, category]).id == 9


def test_the_animal_of_a_key_is_one_that_was_sent() -> None:
    """An animal that the store rejected is not taken before the one that is there."""
    rejected = animal(7, "Ada", 1, state=State.REJECTED)
    assert animal_of_key(row(1, "Ada", 1), [rejected, animal(8, "Zoe", 1)]).id == 8


def test_a_word_is_in_all_columns_of_a_key() -> None:
    """A number next to the word still tells animals apart."""
    assert is_missing_key(["none", "unknown"]) and not is_missing_key(["none", "17"])


def test_a_row_that_reads_like_an_earlier_one_was_answered() -> None:
    """Who said that it is the same animal is not asked again by the next file."""
    new = row(1, "Bo", 2, key="A")
    result = known([new], animal(7, "Ada", 1, "A"), earlier={(7, new.content)})
    assert result.same == [Match(1, 7)]


@pytest.mark.parametrize("state", [State.PENDING, State.REJECTED, State.NOT_FOUND, None])
def test_an_animal_that_was_not_sent_takes_what_the_row_says(state: State | None) -> None:
    """Nothing of it is in the store, so there is nothing to ask."""
    result = known([row(1, "Bo", 2, key="A")], animal(7, "Ada", 1, "A", state=state))
    assert result.same == [Match(1, 7)]


def test_a_word_for_other_content_is_no_key() -> None:
    """The next animal without a chip is not the one before it."""
    result = known([row(1, "Bo", 2, key="unknown")], animal(7, "Ada", 1, "unknown"))
    assert [one.number for one in result.not_keys] == [1] and not result.reused


@pytest.mark.parametrize(
    "spelling",
    ["a-1", "A 1", "A1", "A-01", "A-1*", "{A-1}", "A-1\u200b", "\u0410-1", "A\u20111", "'A-1"],
)
def test_a_key_with_the_same_core_may_be_the_same(spelling: str) -> None:
    """One such key is enough to ask."""
    assert similar(row(1, "Bo", 2, key=spelling), animals=(animal(7, "Ada", 1, "A-1"),)) == [
        Match(1, animal=7)
    ]


def test_of_several_similar_keys_it_is_one_that_was_sent() -> None:
    """Else an animal that the store refused would be sent in its place, and be there twice."""
    animals = animal(7, "Ada", 1, "8"), animal(9, "Ada", 1, "8", state=State.REJECTED)
    assert similar(row(1, "Ada", key="008"), animals=animals) == [Match(1, animal=7)]


def test_of_several_similar_keys_it_is_one_of_the_same_content() -> None:
    """If two animals have the key in other spellings."""
    animals = animal(7, "Ada", 1, "8"), animal(9, "Zoe", 1, "08")
    assert similar(row(1, "Ada", key="008"), animals=animals) == [Match(1, animal=7)]


def test_keys_that_fold_to_nothing_equal_nothing() -> None:
    """Two keys of invisible characters are not one key."""
    assert similar(row(1, "Ada", key="\u200b"), row(2, "Bo", key="\u200e")) == []


def test_a_longer_key_of_a_default_name_is_another_key() -> None:
    """Rows without a name have equal contents by chance."""
    unnamed = row(1, "Ada", key="AUS-17", has_default_name=True)
    assert similar(unnamed, animals=(animal(7, "Ada", 1, "17"),)) == []


def test_two_keys_of_a_file_with_one_core_may_be_one() -> None:
    """The first row stands for both."""
    rows = row(1, "Ada", key="001"), row(2, "Ada", key="1"), row(3, "Bo", key="2")
    assert similar(*rows) == [Match(2, same_as=1)]


@pytest.mark.parametrize("spelling", ["AUS-17", "17-26", "17/B", "AUS 17"])
def test_a_longer_key_of_equal_content_may_be_the_same(spelling: str) -> None:
    """A prefix or a suffix is asked about if the content is equal too, in either direction."""
    seventeen = animal(7, "Ada", 1, "17")
    assert similar(row(1, "Ada", key=spelling), animals=(seventeen,)) == [Match(1, animal=7)]
    longer = animal(7, "Ada", 1, spelling)
    assert similar(row(1, "Ada", key="17"), animals=(longer,)) == [Match(1, animal=7)]
    assert similar(row(1, "Bo", key=spelling), animals=(seventeen,)) == []
    assert similar(row(1, "Ada", key=spelling), animals=(seventeen,), in_file={stored("17")}) == []


def test_a_long_number_that_was_rounded_may_be_the_same() -> None:
    """A spreadsheet keeps fifteen digits of a number."""
    chip = animal(7, "Ada", 1, "9810001234567893")
    assert similar(row(1, "Bo", key="9810001234567890"), animals=(chip,)) == [Match(1, animal=7)]
    assert similar(row(1, "Bo", key="9810001234567894"), animals=(chip,)) == []


@pytest.mark.parametrize(("key", "earlier"), [("AUS-17", "7"), ("17-26", "1")])
def test_a_part_of_a_number_is_no_shorter_key(key: str, earlier: str) -> None:
    """Only whole groups of digits or letters are a prefix or a suffix."""
    assert similar(row(1, "Ada", key=key), animals=(animal(7, "Ada", 1, earlier),)) == []


RESPELLED = {  # a key, another spelling of it, and whether it is one
    "groups of digits": ("276098000000000", "276 098 000 000 000", True),
    "a space in the digits": ("KA-1001", "KA-10 01", True),
    "a letter for a digit": ("KA-1001", "KA-1OOI", True),
    "a prefix": ("KA-1001", "DEKA-1001", True),
    "a suffix": ("KA-1001", "KA-1001 B", True),
    "scientific": ("1E5", "100000", True),
    "no country": ("276098000000017", "098000000017", True),
    "a longer number": ("1001", "10012", False),
    "a longer number at the end": ("A-1001", "1001", True),
    "the end of a number": ("1001", "21001", False),
    "too short": ("A1", "XA1", False),
    "no letters or digits": ("#", "*", False),
    "other digits": ("KA-1001", "KA-1002", False),
}


@pytest.mark.parametrize(("key", "spelling", "is_similar"), RESPELLED.values(), ids=RESPELLED)
def test_a_respelled_key_of_equal_content_may_be_the_same(
    key: str, spelling: str, is_similar: bool
) -> None:
    """In both directions, but with other content or with the earlier key in the file, never."""
    for earlier, later in ((key, spelling), (spelling, key)):
        ada = animal(7, "Ada", 1, earlier)
        expected = [Match(1, animal=7)] if is_similar else []
        assert similar(row(1, "Ada", key=later), animals=(ada,)) == expected
        assert (
            similar(row(1, "Bo", key="2026-11-2"), animals=(animal(7, "Ada", 1, "2026-1-12"),))
            == []
        )
        if core_of_key([earlier]) != core_of_key([later]):
            keys = {stored(earlier)}
            assert similar(row(1, "Ada", key=later), animals=(ada,), in_file=keys) == []


keys = st.lists(st.text("01aAoO -", max_size=7), min_size=1, max_size=2)


@given(keys, st.lists(keys, max_size=6))
def test_an_animal_is_found_by_the_ends_of_its_key(key: list[str], others: list[list[str]]) -> None:
    """Exactly the first one of equal content whose key is extended or respelled."""
    new = row(1, "Ada")._replace(key=stored(*key), core=core_of_key(key))
    animals = [
        animal(id, "Ada")._replace(keys=(stored(*other),), cores=(core_of_key(other),))
        for id, other in enumerate(others)
    ]
    expected = [
        Match(1, animal=id)
        for id, other in enumerate(others)
        if new.core
        and (
            is_extended(new.core, core_of_key(other))
            or is_respelled([*map(compact, key)], [*map(compact, other)])
        )
    ]
    by_content = {new.content: animals}
    assert match_similar_keys([new], {}, by_content, {}, frozenset()) == expected[:1]


def test_a_long_text_as_a_key_is_compared_as_a_whole() -> None:
    """A page of text in the key column takes no more than its own length."""
    text = "A1" * 100_000
    ada = animal(7, "Ada", 1, text)
    for key, is_similar in ((f"{text[:9]} {text[9:]}", True), (text[9:], False)):
        expected = [Match(1, animal=7)] if is_similar else []
        assert similar(row(1, "Ada", key=key), animals=(ada,)) == expected


def test_each_column_of_a_respelled_key_is_compared() -> None:
    """A letter that moves to the next column makes another key."""
    ada = animal(7, "Ada")._replace(keys=(stored("North", "1001"),), cores=("north\x1f1001",))
    for key, is_similar in ((("No rth", "10 01"), True), (("Nor", "th1001"), False)):
        new = row(1, "Ada")._replace(key=stored(*key), core=core_of_key(key))
        assert similar(new, animals=(ada,)) == ([Match(1, animal=7)] if is_similar else [])


def test_keys_of_a_column_that_was_renamed_may_be_the_same() -> None:
    """If many names are equal; then also rows with another name or another category."""
    names = ["Ada", "Bo", "Cy", "Di", "Ed"]
    animals = {str(n): [animal(n, name, 1, str(n))] for n, name in enumerate(names, 1)}
    rows = [row(1, "Ada", 1, "1"), row(2, "Bo", 2, "2"), row(3, "Cy", 2, "3")]
    corrected, other, new = row(4, "Dia", 1, "4"), row(5, "Eve", 2, "5"), row(6, "Flo", 1, "6")
    expected = [Match(number, number) for number in (1, 2, 3, 4)]
    assert match_renamed_columns([*rows, corrected, other, new], animals) == expected


def test_running_numbers_of_another_column_are_other_animals() -> None:
    """Equal numbers and categories alone are chance, and names from ``defaults`` are no names."""
    animals = {str(n): [animal(n, f"Pet {n}", 1, str(n))] for n in range(1, 5)}
    for facts in ({}, {"has_default_name": True}):
        rows = [row(n, f"{'Pet' if facts else 'Cat'} {n}", 1, str(n), **facts) for n in range(1, 5)]
        assert match_renamed_columns(rows, animals) == []


def test_each_column_of_a_key_may_be_longer() -> None:
    """A prefix in one column and a suffix in the next are compared with their own columns."""
    content = row(1, "Ada").content
    two = Animal(7, content, keys=(stored("N", "1"),), cores=(core_of_key(["N", "1"]),))
    longer = ["AUS-N", "1-26"]
    new = row(1, "Ada")._replace(key=stored(*longer), core=core_of_key(longer))
    assert similar(new, animals=(two,)) == [Match(1, animal=7)]


def test_columns_of_a_key_are_compared_one_by_one() -> None:
    """The groups of one column are not those of the next."""
    two = Animal(7, "c", keys=(stored("N", "1"),), cores=(core_of_key(["N", "1"]),))
    new = row(1, "Ada")._replace(key=stored("N1", ""), core=core_of_key(["N1", ""]))
    assert similar(new, animals=(two,)) == []


def test_words_are_told_from_keys() -> None:
    """A word for none in any spelling."""
    assert all(
        is_missing_key([word]) for word in ("None", " n/a ", "UNKNOWN", "tbd", "0", "-", "?")
    )
    assert not any(is_missing_key([word]) for word in ("A", "7", "nonet", "0-1", "99", ""))
