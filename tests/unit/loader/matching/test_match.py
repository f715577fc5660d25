"""The rules in their order, the thresholds of the question, and its answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from petstore_frame.loader.matching.by_content import match_equal_animals
from petstore_frame.loader.matching.by_store import StoreMatches, match_equal_pets, match_ids
from petstore_frame.loader.matching.fix_rows import WRONG_ROW, Original, fix_row_problem
from petstore_frame.loader.matching.folding import content_of
from petstore_frame.loader.matching.gone import StoredAnimal, find_gone
from petstore_frame.loader.matching.match import MatchingInput, match
from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import By, Match
from petstore_frame.loader.row_state import State
from unit.loader.matching.rows import animal, pet, row, stored

NO_MATCHES = StoreMatches([], [])


def inputs(rows: list[Any], **facts: Any) -> MatchingInput:
    return MatchingInput(**{"rows": rows, "to_send": len(rows)} | facts)


def cases(plan) -> dict[str, list[int]]:
    return {str(case.name): [match_.row for match_ in case.matches] for case in plan.cases}


def named(count: int, **facts: Any) -> list[Any]:
    return [row(n, f"Pet {n}", **facts) for n in range(1, count + 1)]


# Thresholds


def test_all_of_fewer_than_three_are_many() -> None:
    """Two of two are asked about, and two of eight are not."""
    assert is_many(2, 2) and is_many(1, 1) and not is_many(2, 3)
    assert not is_many(2, 8)


# Rule 4, content


def test_equal_content_is_paired_once_with_each_animal() -> None:
    """Three rows and two equal animals are two matches, the one of the same status first."""
    rows = [row(1, "Luna", status="sold"), row(2, "Luna"), row(3, "Luna")]
    animals = [animal(7, "Luna"), animal(8, "luna ", status="sold")]
    assert match_equal_animals(rows, animals) == [Match(1, 8), Match(2, 7)]


def test_without_a_key_any_equal_row_is_asked_about() -> None:
    """One of ten is enough, until the user has said that equal rows are other animals."""
    facts = {"sent_animals": [animal(7, "Pet 3")]}
    assert cases(match(inputs(named(10), **facts), {})) == {"same_content": [3]}
    created = inputs(named(10), **facts, has_created_same=True)
    plan = match(created, {})
    assert (plan.cases, [m.row for m in plan.few[By.SAME_CONTENT]]) == ([], [3])


def test_with_a_key_many_equal_rows_are_asked_about() -> None:
    """Few are sent, and listed."""
    rows = [row(n, f"Pet {n}", key=f"K{n}") for n in range(1, 11)]
    animals = [animal(n + 50, f"Pet {n}") for n in range(1, 11)]
    keyed = {"has_keys": True}
    assert match(inputs(rows, sent_animals=animals[:2], **keyed), {}).few
    assert cases(match(inputs(rows, sent_animals=animals[:3], **keyed), {}))


def test_half_of_what_is_left_is_never_few() -> None:
    """One of two new rows that equals an earlier animal is asked about."""
    rows = [row(n, f"Pet {n}", key=f"K{n}") for n in (1, 2)]
    one = inputs(rows, sent_animals=[animal(7, "Pet 1")], has_keys=True)
    assert cases(match(one, {})) == {"same_content": [1]}
    three = inputs([*rows, row(3, "Cy", key="K3")], sent_animals=[animal(7, "Pet 1")],
                      has_keys=True)  # fmt: skip
    assert not match(three, {}).cases and match(three, {}).few


def test_the_cases_are_added_up() -> None:
    """Few equal rows and few equal pets are half of the file together."""
    rows = [row(n, f"Pet {n}", key=f"K{n}") for n in range(1, 5)]
    both = inputs(rows, sent_animals=[animal(7, "Pet 1")], pets=[pet(5, "Pet 2")],
                     has_keys=True)  # fmt: skip
    assert set(cases(match(both, {}))) == {"same_content", "in_store"}


def test_few_matches_are_added_to_those_of_an_open_case() -> None:
    """One key that looks like an earlier one and one equal row are half of four."""
    rows = [row(n, f"Pet {n}", key=f"K-{n}") for n in range(1, 5)]
    facts = {"sent_animals": [animal(7, "Pet 1")]}
    plan = match(keyed(rows, animal(8, "Cy", 2, "K2"), **facts), {})
    assert cases(plan) == {"similar_key": [2], "same_content": [1]}


# Answers


@pytest.mark.parametrize("answer", ["skip", "create"])
def test_an_answer_says_what_the_rows_are(answer: str) -> None:
    """The animals that they equal, or animals of their own."""
    plan = match(inputs(named(4), sent_animals=[animal(7, "Pet 3")]), {"same_content": answer})
    assert not plan.cases
    expected = ({3: (7, By.SAME_CONTENT)}, {}) if answer == "skip" else ({}, {3: By.SAME_CONTENT})
    assert (plan.animals, plan.created) == expected


def test_rows_that_the_user_calls_new_are_compared_with_nothing() -> None:
    """``as_new=[line]`` is an answer for that line."""
    new = row(1, "Ada", key="A", by=By.USER)
    plan = match(inputs([new], sent_animals=[animal(7, "Ada")], pets=[pet(5, "Ada")]), {})
    assert not (plan.cases or plan.animals or plan.few)


def test_a_file_that_stands_for_other_animals_is_not_compared() -> None:
    """A copy on purpose raises no question about its rows."""
    plan = match(inputs(named(4), sent_animals=[animal(7, "Pet 3")], is_compared=False), {})
    assert not plan.cases


# Unsent animals


def test_an_unsent_animal_moves_to_its_row_without_a_question() -> None:
    """It is not in the store, so the row takes it over."""
    unsent = animal(7, "Pet 3", state=State.PENDING)
    plan = match(inputs(named(4), unsent_animals=[unsent]), {})
    assert (plan.cases, plan.animals) == ([], {3: (7, By.MOVED)})


def test_an_unsent_animal_does_not_move_to_a_row_that_has_one() -> None:
    """The row of an earlier reading keeps its own animal."""
    rows = [row(3, "Pet 3", has_earlier_animal=True)]
    unsent = animal(7, "Pet 3", state=State.PENDING)
    assert match(inputs(rows, unsent_animals=[unsent]), {}).animals == {}


def test_a_row_called_other_than_the_sent_animal_takes_over_the_unsent_one() -> None:
    """Else both would be sent."""
    facts = {"sent_animals": [animal(6, "Pet 3")],
             "unsent_animals": [animal(7, "Pet 3", state=State.PENDING)]}  # fmt: skip
    plan = match(inputs(named(4), **facts), {"same_content": "create"})
    assert plan.animals == {3: (7, By.MOVED)}


# Keys


def keyed(rows: list[Any], *animals: Any, **facts: Any) -> MatchingInput:
    by_key: dict[str, list[Any]] = {}
    by_core: dict[str, list[Any]] = {}
    for one in animals:
        for key, core in zip(one.keys, one.cores, strict=True):
            by_key.setdefault(key, []).append(one)
            by_core.setdefault(core, []).append(one)
    facts = {"has_keys": True, "animals_of_key": by_key, "animals_of_core": by_core} | facts
    return inputs(rows, **facts)


def test_few_renamed_animals_are_changed_values() -> None:
    """One of eight known keys with another name raises no question; three of them do."""
    rows = [row(n, f"Pet {n}", key=f"K{n}") for n in range(1, 9)]
    animals = [animal(n + 50, f"Pet {n}", 1, f"K{n}") for n in range(1, 9)]
    renamed = [row(n, f"New {n}", key=f"K{n}") for n in range(1, 4)]
    one = match(keyed([renamed[0], *rows[1:]], *animals), {})
    assert not one.cases and one.animals[1] == (51, By.KEY)
    assert cases(match(keyed([*renamed, *rows[3:]], *animals), {})) == {"reused_key": [1, 2, 3]}


def test_an_excluded_row_is_the_animal_of_its_key() -> None:
    """Without a question, whatever it says: nothing of it is sent."""
    excluded = row(1, "Zoe", 2, key="A", is_excluded=True, is_to_send=False)
    plan = match(keyed([excluded], animal(7, "Ada", 1, "A")), {})
    assert (plan.animals, plan.cases) == ({1: (7, By.KEY)}, [])


def test_one_key_used_again_is_asked_about() -> None:
    """Another name and another category under one of a hundred keys."""
    plan = match(keyed([row(1, "Bo", 2, key="A")], animal(7, "Ada", 1, "A"), settled_keys=99), {})
    assert cases(plan) == {"reused_key": [1]}


def test_a_key_that_is_written_otherwise_is_asked_about_once() -> None:
    """Its row is compared with nothing more; as its own animal, if the user says so."""
    rows = [row(1, "Ada", key="A-1\u200b")]
    ada = animal(7, "Ada", 1, "A-1")
    plan = match(keyed(rows, ada, pets=[pet(5, "Ada", animal=7)]), {})
    assert cases(plan) == {"similar_key": [1]} and plan.animals == {1: (7, By.SIMILAR_KEY)}
    plan = match(keyed(rows, ada), {"similar_key": "create"})
    assert plan.created == {1: By.SIMILAR_KEY} and not plan.animals


def test_a_key_that_was_not_sent_may_be_one_that_was() -> None:
    """The store refused an animal under this spelling, and has one under another."""
    sent = animal(7, "Ada", 1, "8")
    refused = animal(9, "Ada", 1, "008", state=State.REJECTED)
    plan = match(keyed([row(1, "Ada", key="008")], sent, refused), {})
    assert cases(plan) == {"similar_key": [1]} and plan.animals == {1: (7, By.SIMILAR_KEY)}


def test_a_row_that_stands_for_others_takes_them_along() -> None:
    """A repeated row is what the row is that stands for it."""
    rows = [row(1, "Ada", key="1"), row(2, "Ada", key="1")]
    plan = match(keyed(rows, animal(7, "Ada", 1, "001")), {"similar_key": "skip"})
    assert plan.same_as == {2: 1} and plan.animals == {1: (7, By.SIMILAR_KEY)}


def test_an_animal_is_one_row_of_a_file() -> None:
    """The row with its key is that animal, so an equal row is a new one."""
    rows = [row(1, "Ada", key="unknown"), row(2, "Ada", key="A-5")]
    ada = animal(7, "Ada", 1, "unknown")
    plan = match(keyed(rows, ada, sent_animals=[animal(7, "Ada")]), {})
    assert (plan.animals, plan.cases) == ({1: (7, By.KEY)}, [])


# Fix rows


def original(**facts: Any) -> Original:
    values = {"line": 2, "source": "a.csv", "key": None, "core": None, "content": None,
              "animal": None, "has_key_problem": False, "is_to_fix": True}  # fmt: skip
    return Original(**values | facts)


def test_a_corrected_row_is_its_original() -> None:
    """Whatever it was corrected to."""
    assert fix_row_problem(row(1, "Bo", 2), original(), None) is None


def test_a_row_that_was_fixed_already_is_loaded_already() -> None:
    """It reads as it was, with whatever status."""
    fixed = original(is_to_fix=False, animal=animal(7, "Bo", 2))
    assert fix_row_problem(row(1, "Bo", 2, status="sold"), fixed, None) is None


def test_a_dragged_row_is_not_the_row_that_it_names() -> None:
    """It names a row that needed no fix, and reads otherwise; the message names both."""
    sent = original(is_to_fix=False, animal=animal(7, "Cy", 1))
    problem = fix_row_problem(row(1, "Bo", 2), sent, None)
    assert problem is not None and problem.code == WRONG_ROW
    assert "'Cy'" in problem.message and problem.value == "Bo"


def test_a_fix_row_with_another_key_is_another_animal() -> None:
    """Unless the key itself was what needed fixing."""
    other = row(1, "Bo", key="B")
    assert fix_row_problem(other, original(key=stored("A")), None) is not None
    to_fix = original(key=stored("A"), has_key_problem=True)
    assert fix_row_problem(other, to_fix, None) is None


def test_a_sent_row_is_not_given_the_key_of_another() -> None:
    """Both animals exist, so the row cannot be both."""
    sent = original(has_key_problem=True, animal=animal(7, "Bo", 1))
    problem = fix_row_problem(row(1, "Bo", key="B"), sent, animal(8, "Bo", 1, "B"))
    assert problem is not None


def test_a_row_that_was_not_sent_may_be_the_animal_of_its_corrected_key() -> None:
    """Only the other animal exists, so the row is that one."""
    rejected = original(has_key_problem=True, animal=animal(7, "Bo", 1, state=State.REJECTED))
    assert fix_row_problem(row(1, "Bo", key="B"), rejected, animal(8, "Bo", 1, "B")) is None


def test_a_row_under_its_own_key_is_its_original() -> None:
    """What reads otherwise now is a changed value of that animal."""
    sent = original(key=stored("A"), is_to_fix=False, animal=animal(7, "Cy", 1, "A"))
    assert fix_row_problem(row(1, "Bo", 2, key="A"), sent, None) is None


# The store


def test_many_equal_new_pets_are_asked_about() -> None:
    """Few are only listed."""
    pets = [pet(n, f"Pet {n}") for n in range(1, 4)]
    assert len(match_equal_pets(named(12), pets, 12).to_ask) == 3
    assert len(match_equal_pets(named(13), pets, 13).few) == 3


def test_few_equal_pets_are_listed_before_the_first_load() -> None:
    """Fewer than three of many rows, or of many pets, are a coincidence, even in a new journal."""
    pets = [pet(n, f"Pet {n}") for n in range(1, 3)]
    assert len(match_equal_pets(named(7053), pets, 7053, is_first=True).few) == 2
    others = [pet(100 + n, f"Other {n}") for n in range(20)]
    three = [*pets, pet(3, "Pet 3")]
    assert len(match_equal_pets(named(40), [*three, *others], 40, is_first=True).few) == 3


def test_a_quarter_of_the_pets_is_asked_about_before_the_first_load() -> None:
    """A lost journal may have sent some rows of a long file, and all of these pets equal rows."""
    pets = [pet(n, f"Pet {n}") for n in range(1, 4)]
    assert len(match_equal_pets(named(100), pets, 100, is_first=True).to_ask) == 3
    assert len(match_equal_pets(named(100), pets, 100).few) == 3


def test_a_row_is_compared_with_new_pets_first() -> None:
    """Of two equal pets, one was there at the last load, and the other was added since."""
    pets = [pet(1, "Ada", is_new=False), pet(2, "Ada", animal=7), pet(3, "Ada")]
    assert match_equal_pets([row(1, "Ada")], pets, 1).to_ask == [Match(1, pet=pets[2])]


def test_pets_that_an_earlier_load_saw_are_no_reason_to_ask() -> None:
    """Unless nine in ten of the rows equal pets, and at least five with different contents."""
    seen = [pet(n, f"Pet {n}", is_new=False) for n in range(1, 11)]
    assert not match_equal_pets(named(12), seen, 12).to_ask
    assert len(match_equal_pets(named(11), seen, 11).to_ask) == 10
    assert not match_equal_pets(named(4), seen, 4).to_ask
    fish = [row(n, "Goldfish") for n in range(9)]
    assert not match_equal_pets(
        fish, [pet(n, "Goldfish", is_new=False) for n in range(9)], 9
    ).to_ask


def test_names_from_defaults_equal_pets_by_chance() -> None:
    """They are compared with none."""
    rows = named(5, has_default_name=True)
    assert match_equal_pets(rows, [pet(n, f"Pet {n}") for n in range(1, 6)], 5) == NO_MATCHES


def test_ids_of_pets_need_names_that_agree() -> None:
    """Another list may number its rows; with the columns of our exports, all are asked about."""
    rows, ids = named(4), {n: n for n in range(1, 5)}
    pets = {n: pet(n, f"Pet {n}") for n in range(1, 5)}
    others = {n: pet(n, f"Other {n}") for n in range(1, 5)}
    assert len(match_ids(rows, ids, pets, is_export=False, of=4).to_ask) == 4
    assert match_ids(rows, ids, others, is_export=False, of=4) == NO_MATCHES
    assert len(match_ids(rows, ids, pets, is_export=True, of=40).to_ask) == 4
    assert len(match_ids(rows, ids, others, is_export=True, of=4).to_ask) == 4
    assert len(match_ids(rows, ids, others, is_export=True, of=40).few) == 4


def test_few_ids_of_another_list_are_no_ids_of_pets() -> None:
    """Four of forty rows may have such numbers and names by chance."""
    pets = {n: pet(n, f"Pet {n}") for n in range(1, 5)}
    ids = {n: n for n in range(1, 5)}
    assert match_ids(named(4), ids, pets, is_export=False, of=40) == NO_MATCHES


def test_an_id_that_two_rows_carry_is_the_pet_of_the_first() -> None:
    """A pet is one animal, so the second row is not matched with it."""
    pets = {1: pet(1, "Pet 1")}
    found = match_ids(named(2), {1: 1, 2: 1}, pets, is_export=False, is_marked=True, of=2)
    assert [[m.row for m in matches] for matches in found] == [[], [], [1]]


def test_an_export_of_this_store_says_which_pets_its_rows_are() -> None:
    """The same name is that pet; many with another name are asked about, and few are listed."""
    rows, ids = named(4), {n: n for n in range(1, 5)}
    pets = {n: pet(n, f"Pet {n}" if n < 3 else f"Other {n}") for n in range(1, 5)}
    few = match_ids(rows, ids, pets, is_export=False, is_marked=True, of=40)
    assert [[m.row for m in matches] for matches in few] == [[], [3, 4], [1, 2]]
    many = match_ids(rows, ids, pets, is_export=False, is_marked=True, of=2)
    assert [[m.row for m in matches] for matches in many] == [[3, 4], [], [1, 2]]
    plan = match(inputs(rows, pet_ids=ids, pets=list(pets.values()), is_marked=True), {})
    assert {*plan.pets} >= {1, 2} and cases(plan) == {"in_store": [3, 4]}


def test_rows_of_an_export_are_other_animals_if_the_user_says_so_by_name() -> None:
    """A plain word answers open questions only, and this was none."""
    pets = [pet(n, f"Pet {n}") for n in range(1, 5)]
    facts = {"pet_ids": {n: n for n in range(1, 5)}, "pets": pets, "is_marked": True}
    answers = {"in_store": "create"}
    assert len(match(inputs(named(4), **facts), answers).pets) == 4
    plan = match(inputs(named(4), creates_marked=True, **facts), answers)
    assert not plan.pets and {*plan.created} == {1, 2, 3, 4}


def test_pets_that_were_called_others_for_this_header_are_not_asked_about() -> None:
    """Whether their rows carry the ids or the contents of these pets."""
    rows, ids = named(4), {n: n for n in range(1, 5)}
    pets = {n: pet(n, f"Pet {n}", is_new=False, is_decided=True) for n in range(1, 5)}
    assert match_ids(rows, ids, pets, is_export=True, of=4) == NO_MATCHES


def test_a_row_that_is_created_has_a_life_of_its_own() -> None:
    """So that a store with idempotency keys does not answer with the equal pet."""
    facts = {"pets": [pet(n, f"Pet {n}") for n in (1, 2, 3)]}
    plan = match(inputs(named(3), **facts), {"in_store": "create"})
    assert plan.lives == {1: 1, 2: 1, 3: 1} and plan.creates_in_store


def test_a_pet_is_one_row_of_a_file() -> None:
    """The row with its id, or with the key of its animal; an equal row is a new animal."""
    ada = pet(1, "Ada")
    rows = [row(1, "Ada"), row(2, "Ada")]
    plan = match(inputs(rows, pet_ids={1: 1}, pets=[ada], is_marked=True), {})
    assert (plan.pets, plan.cases) == ({1: ada}, [])
    known = [animal(n, f"Pet {n}", 1, f"A{n}") for n in range(1, 6)]
    rows = [row(n, f"Pet {n}", key=f"A{n}") for n in range(1, 6)]
    rows += [row(n + 5, f"Pet {n}", key=f"B{n}") for n in range(1, 6)]
    pets = [pet(n, f"Pet {n}", animal=n) for n in range(1, 6)]
    plan = match(keyed(rows, *known, pets=pets), {})
    assert {*plan.animals} == {1, 2, 3, 4, 5} and not plan.cases


# Gone


def shown(count: int) -> list[StoredAnimal]:
    return [StoredAnimal(n, 100 + n, n, content_of(f"Pet {n}", 1)) for n in range(1, count + 1)]


def listing(*numbers: int, **renamed: Any) -> dict[int, str]:
    return {n: content_of(f"Pet {n}", 1) for n in numbers}


def test_many_animals_that_the_store_lacks_are_asked_about() -> None:
    """Few are listed; where the listing proves nothing, none are."""
    assert len(find_gone(shown(12), listing(*range(4, 13)), is_proof=True).to_ask) == 3
    assert len(find_gone(shown(12), listing(*range(3, 13)), is_proof=True).few) == 2
    assert find_gone(shown(12), listing(*range(4, 13)), is_proof=False) == ([], [], [], [])


def test_animals_that_an_assumed_listing_lacks_are_never_asked_about() -> None:
    """However many they are, they are only listed."""
    assumed = {"is_proof": False, "is_assumed_proof": True}
    gone = find_gone(shown(12), listing(12), **assumed)
    assert (gone.to_ask, gone.few, len(gone.unproven)) == ([], [], 11)


def test_a_renamed_pet_is_there() -> None:
    """Two of twelve with another name are changed, and not gone; three are asked about."""
    contents = listing(*range(1, 13))
    few = contents | {n: content_of("New", 1) for n in (1, 2)}
    assert [m.row for m in find_gone(shown(12), few, is_proof=True).renamed] == [1, 2]
    many = contents | {n: content_of("New", 1) for n in (1, 2, 3)}
    assert len(find_gone(shown(12), many, is_proof=False).to_ask) == 3


def test_an_answer_about_a_gone_animal_is_given_again_by_name_only() -> None:
    """A row of its key is that animal, and nobody is asked again whether it is there."""
    gone = animal(7, "Ada", 1, "A", state=State.GONE, reason="user")
    facts = keyed([row(1, "Ada", key="A")], gone)
    assert not match(facts, {}).cases
    assert cases(match(replace(facts, asks_again_about_gone=True), {})) == {"gone": [1]}


def test_another_name_and_category_under_an_id_is_another_pet() -> None:
    """The store gave the id again, whatever its listing proves."""
    contents = listing(*range(2, 13)) | {1: content_of("Other", 2)}
    assert [m.row for m in find_gone(shown(12), contents, is_proof=False).few] == [1]


def test_the_pet_of_an_animal_that_is_gone_may_be_another_row() -> None:
    """Many pets have another name now: they are other animals, and a row may be one of them."""
    rows = [row(1, "Ada", key="A"), row(2, "Zoe", key="Z")]
    facts = {"stored_animals": [StoredAnimal(1, 7, 5, content_of("Ada", 1))],
             "listing": {5: content_of("Zoe", 1)}, "pets": [pet(5, "Zoe", animal=7)]}  # fmt: skip
    plan = match(keyed(rows, animal(7, "Ada", 1, "A"), **facts), {})
    assert (plan.gone, plan.pets) == ({7}, {2: pet(5, "Zoe")})
    assert cases(plan) == {"gone": [1], "in_store": [2]}
