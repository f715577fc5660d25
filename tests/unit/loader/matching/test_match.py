"""Which animal each row is: every line of the table, alone and in its order."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import pytest

from petstore_frame.loader.matching.match import is_many, match
from petstore_frame.loader.matching.repeated_keys import Keep
from petstore_frame.loader.matching.values import (
    CREATE,
    SKIP,
    Answer,
    Candidates,
    Decision,
    Match,
    Plan,
)
from unit.loader.matching.rows import animal, candidates, pet, row

NEW = "new"
SKIPPED = Decision(SKIP, 9, 1.0)
CREATED = Decision(CREATE, None, 1.0)


class Case(NamedTuple):
    """A name, what may be matched, and what each row is then."""

    name: str
    candidates: Candidates
    expected: dict[int, Any]  # by row: what it is, as ``outcome`` says it


def plan_of(inputs: Candidates, answer: Answer | None = None) -> Plan:
    return match(inputs, Keep(), answer, now=2.0)


def outcome(plan: Plan, number: int) -> Any:
    """Return the animal of a row, its pet, the line of the table that holds it back, or NEW."""
    if number in plan.possible:
        duplicate = plan.possible[number]
        animal_id = duplicate.animal or duplicate.same_as or duplicate.pet.id
        return f"line {duplicate.table_line}", animal_id
    if number in plan.pets:
        return f"pet {plan.pets[number].id}"
    return plan.animals.get(number, NEW)


def three(**facts: Any) -> list:
    """Return three rows with the names of the animals 1 to 3."""
    return [row(number, f"Pet {number}", **facts) for number in (1, 2, 3)]


TABLE = [
    Case("1: a row keeps its own animal, whatever it says now",
         candidates([row(1, "Bo", 2, "B", own=7)],
                    [animal(7, "Ada", 1, "A"), animal(8, "Bo", 2, "B")]),
         {1: 7}),
    Case("1: also if it needs fixing now",
         candidates([row(1, own=7)], [animal(7, "Ada")]),
         {1: 7}),
    Case("2: key, name and category",
         candidates([row(1, "Ada", 1, "A")], [animal(7, "Ada", 1, "A")]),
         {1: 7}),
    Case("2: key and name",
         candidates([row(1, "Ada", 2, "A")], [animal(7, "Ada", 1, "A")]),
         {1: 7}),
    Case("2: key and category",
         candidates([row(1, "Bo", 1, "A")], [animal(7, "Ada", 1, "A")]),
         {1: 7}),
    Case("2: a name from defaults is the name of any animal",
         candidates([row(1, "Unnamed", 2, "A", has_default_name=True)], [animal(7, "Ada", 1, "A")]),
         {1: 7}),
    Case("2: and so is that of an animal",
         candidates([row(1, "Ada", 2, "A")], [animal(7, "Unnamed", 1, "A", has_default_name=True)]),
         {1: 7}),
    Case("2: a row that cannot be read is the animal of its key",
         candidates([row(1, key="A")], [animal(7, "Ada", 1, "A")]),
         {1: 7}),
    Case("2: an excluded row of another content is not",
         candidates([row(1, "Bo", 2, "A", is_excluded=True)], [animal(7, "Ada", 1, "A")]),
         {1: NEW}),
    Case("2: an animal that is gone keeps its key",
         candidates([row(1, "Ada", 1, "A")], [animal(7, "Ada", 1, "A", is_gone=True)]),
         {1: 7}),
    Case("2: of several animals of a key, the one that agrees most",
         candidates([row(1, "Ada", 1, "A")],
                    [animal(7, "Ada", 1, "A"), animal(8, "Ada", 2, "A"), animal(9, "Bo", 2, "A")]),
         {1: 7}),
    Case("2: then one that is not gone",
         candidates([row(1, "Ada", 1, "A")],
                    [animal(7, "Ada", 1, "A"), animal(8, "Ada", 1, "A", is_gone=True)]),
         {1: 7}),
    Case("2: then the latest",
         candidates([row(1, "Ada", 1, "A")], [animal(7, "Ada", 1, "A"), animal(8, "Ada", 1, "A")]),
         {1: 8}),
    Case("3: neither name nor category",
         candidates([row(1, "Bo", 2, "A")], [animal(7, "Ada", 1, "A")]),
         {1: ("line 3", 7)}),
    Case("3: other names, if they are many",
         candidates([row(n, f"Other {n}", 1, f"K{n}") for n in (1, 2, 3)],
                    [animal(n, f"Pet {n}", 1, f"K{n}") for n in (1, 2, 3)]),
         {n: ("line 3", n) for n in (1, 2, 3)}),
    Case("3: also those whose category is another, too, are many",
         candidates([row(n, f"Other {n}", n, f"K{n}") for n in (1, 2, 3)],
                    [animal(n, f"Pet {n}", 1, f"K{n}") for n in (1, 2, 3)]),
         {n: ("line 3", n) for n in (1, 2, 3)}),
    Case("3: two other names are not many",
         candidates([row(n, f"Other {n}", 1, f"K{n}") for n in (1, 2)],
                    [animal(n, f"Pet {n}", 1, f"K{n}") for n in (1, 2)]),
         {1: 1, 2: 2}),
    Case("3: nor are three among ten more rows with a key",
         candidates([row(n, f"Other {n}", 1, f"K{n}") for n in (1, 2, 3)],
                    [animal(n, f"Pet {n}", 1, f"K{n}") for n in (1, 2, 3)], settled_keys=10),
         {1: 1, 2: 2, 3: 3}),
    Case("4: the core of another key",
         candidates([row(1, "Bo", 2, "007")], [animal(7, "Ada", 1, "7")]),
         {1: ("line 4", 7)}),
    Case("4: within the file, with equal content",
         candidates([row(1, "Ada", 1, "007"), row(2, "Ada", 1, "7")]),
         {1: NEW, 2: ("line 4", 1)}),
    Case("4: within the file, not with other content",
         candidates([row(1, "Ada", 1, "007"), row(2, "Bo", 1, "7")]),
         {1: NEW, 2: NEW}),
    Case("4: the exact key comes first",
         candidates([row(1, "Ada", 1, "007")],
                    [animal(7, "Ada", 1, "7"), animal(8, "Ada", 1, "007")]),
         {1: 8}),
    Case("4: of several animals of a core, the one that agrees most",
         candidates([row(1, "Ada", 1, "7")],
                    [animal(7, "Bo", 2, "07"), animal(8, "Ada", 1, "007")]),
         {1: ("line 4", 8)}),
    Case("5: name and category of an animal, under another key",
         candidates([row(1, "Ada", 1, "B")], [animal(7, "Ada", 1, "A")]),
         {1: ("line 5", 7)}),
    Case("5: name and category without a key",
         candidates([row(1, "Ada")], [animal(7, "Ada")]),
         {1: ("line 5", 7)}),
    Case("5: not an animal whose key is in the file",
         candidates([row(1, "Ada", 1, "B"), row(2, "Cy", 1, "A")], [animal(7, "Ada", 1, "A")]),
         {1: NEW, 2: 7}),
    Case("5: not an animal that a row of the file is",
         candidates([row(1, "Ada"), row(2, "Cy", own=7)], [animal(7, "Ada")]),
         {1: NEW, 2: 7}),
    Case("5: one animal holds back one row",
         candidates([row(1, "Ada"), row(2, "Ada")], [animal(7, "Ada")]),
         {1: ("line 5", 7), 2: NEW}),
    Case("5: preferably one with its status",
         candidates([row(1, "Ada"), row(2, "Ada", status="sold")],
                    [animal(7, "Ada", status="sold")]),
         {1: NEW, 2: ("line 5", 7)}),
    Case("5: not for a name from defaults",
         candidates([row(1, "Unnamed", has_default_name=True)], [animal(7, "Unnamed")]),
         {1: NEW}),
    Case("5: lines 3 and 4 come first",
         candidates([row(1, "Ada", 1, "007"), row(2, "Ada", 1, "B")], [animal(7, "Ada", 1, "7")]),
         {1: ("line 4", 7), 2: NEW}),
    Case("5: an excluded row is not held back, and holds no animal",
         candidates([row(1, "Ada", is_excluded=True), row(2, "Ada")], [animal(7, "Ada")]),
         {1: NEW, 2: ("line 5", 7)}),
    Case("6: the names of many, in other categories",
         candidates(three(category=5), [animal(n, f"Pet {n}") for n in (1, 2, 3)]),
         {n: ("line 6", n) for n in (1, 2, 3)}),
    Case("6: two are not many",
         candidates(three(category=5)[:2], [animal(n, f"Pet {n}") for n in (1, 2)]),
         {1: NEW, 2: NEW}),
    Case("6: not if line 5 fits one of them",
         candidates([*three(category=5), row(4, "Di")],
                    [*(animal(n, f"Pet {n}") for n in (1, 2, 3)), animal(4, "Di")]),
         {1: NEW, 2: NEW, 3: NEW, 4: ("line 5", 4)}),
    Case("6: not with a key",
         candidates([row(n, f"Pet {n}", 5, f"N{n}") for n in (1, 2, 3)],
                    [animal(n, f"Pet {n}", 1, f"K{n}") for n in (1, 2, 3)]),
         {1: NEW, 2: NEW, 3: NEW}),
    Case("6: not an animal that a row of the file is",
         candidates([*three(category=5), row(4, "Cy", decision=Decision(SKIP, 1, 1.0))],
                    [animal(n, f"Pet {n}") for n in (1, 2, 3)]),
         {1: NEW, 2: NEW, 3: NEW, 4: 1}),
    Case("6: not for a name from defaults",
         candidates(three(category=5, has_default_name=True),
                    [animal(n, f"Pet {n}") for n in (1, 2, 3)]),
         {1: NEW, 2: NEW, 3: NEW}),
    Case("6: line 6 comes before line 7",
         candidates(three(category=5), [animal(n, f"Pet {n}") for n in (1, 2, 3)],
                    [pet(n, f"Pet {n}", 5) for n in (1, 2, 3)]),
         {n: ("line 6", n) for n in (1, 2, 3)}),
    Case("7: name and category of a pet",
         candidates([row(1, "Ada"), row(2, "Ada")], pets=[pet(5, "Ada")]),
         {1: ("line 7", 5), 2: NEW}),
    Case("7: not for a name from defaults",
         candidates([row(1, "Unnamed", has_default_name=True)], pets=[pet(5, "Unnamed")]),
         {1: NEW}),
    Case("7: the id and the name of a pet",
         candidates([row(1, "Ada", 2, pet_id=5)], pets=[pet(5, "Ada")]),
         {1: "pet 5"}),
    Case("7: the id and the name of a pet, whatever line 5 says",
         candidates([row(1, "Ada", pet_id=5)], [animal(7, "Ada")], [pet(5, "Ada")]),
         {1: "pet 5"}),
    Case("7: the id of a pet with another name",
         candidates([row(1, "Bo", pet_id=5)], pets=[pet(5, "Ada")]),
         {1: ("line 7", 5)}),
    Case("7: an id counts once",
         candidates([row(1, "Ada", pet_id=5), row(2, "Ada", pet_id=5)], pets=[pet(5, "Ada")]),
         {1: "pet 5", 2: NEW}),
    Case("7: the id and the name of an animal",
         candidates([row(1, "Ada", 2, pet_id=5)], animals_of_pets={5: animal(7, "Ada")}),
         {1: 7}),
    Case("7: the id of an animal with another name",
         candidates([row(1, "Bo", pet_id=5)], animals_of_pets={5: animal(7, "Ada")}),
         {1: ("line 7", 7)}),
    Case("5 comes before 7",
         candidates([row(1, "Ada")], [animal(7, "Ada")], [pet(5, "Ada")]),
         {1: ("line 5", 7)}),
    Case("any other row is a new animal",
         candidates([row(1, "Ada", 1, "A")], [animal(7, "Bo", 1, "B")], [pet(5, "Cy")]),
         {1: NEW}),
]  # fmt: skip


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_the_table(case: Case) -> None:
    """Each line of the table says which animal a row is, in its order."""
    plan = plan_of(case.candidates)
    assert {number: outcome(plan, number) for number in case.expected} == case.expected


def test_many() -> None:
    """Many are at least three, and at least a quarter of those in question."""
    assert [is_many(count, 12) for count in (2, 3, 4)] == [False, True, True]
    assert not is_many(3, 13)


ONE = candidates([row(1, "Ada")], [animal(9, "Ada")])
ONE_SHOWN = candidates([row(1, "Ada", was_shown=True)], [animal(9, "Ada")])
KEYED = candidates([row(1, "Ada", 1, "B")], [animal(9, "Ada", 1, "A")])


def test_skip_makes_a_row_the_animal() -> None:
    """The answer ``skip`` says that the possible duplicate is the animal, for this row."""
    plan = plan_of(ONE, SKIP)
    assert (plan.animals, plan.answered) == ({1: 9}, {1: Decision(SKIP, 9, 2.0)})


def test_skip_makes_a_row_the_pet() -> None:
    """The answer ``skip`` matches a row with the pet of the store."""
    plan = plan_of(candidates([row(1, "Ada")], pets=[pet(5, "Ada")]), SKIP)
    assert plan.pets[1].id == 5 and not plan.possible


def test_create_needs_a_key_or_a_list() -> None:
    """Without a key, ``create`` applies only to rows that somebody has seen in a list."""
    assert outcome(plan_of(KEYED, CREATE), 1) == NEW
    assert outcome(plan_of(ONE_SHOWN, CREATE), 1) == NEW
    assert outcome(plan_of(ONE, CREATE), 1) == ("line 5", 9)


def test_create_is_an_answer_for_each_row() -> None:
    """The plan says which rows an answer created, and what they were held back for."""
    plan = plan_of(KEYED, CREATE)
    assert plan.created == {1: Match(1, 5, 9)}
    assert plan.answered == {1: Decision(CREATE, None, 2.0)}


def test_an_earlier_skip_is_followed_and_reported() -> None:
    """A row that was skipped stays that animal, and the result says why it is not sent."""
    plan = plan_of(candidates([row(1, "Bo", 2, decision=SKIPPED)]))
    assert (plan.animals, plan.skipped) == ({1: 9}, {1: SKIPPED})


def test_create_ends_an_earlier_skip() -> None:
    """A later ``create`` is an answer of its own, so it is followed from then on."""
    plan = plan_of(candidates([row(1, "Ada", decision=SKIPPED)], [animal(9, "Ada")]), CREATE)
    assert outcome(plan, 1) == NEW and 1 in plan.created
    assert plan.answered == {1: Decision(CREATE, None, 2.0)}


def test_an_earlier_create_is_followed() -> None:
    """A row that was created by an answer is not asked about again before it was sent."""
    plan = plan_of(candidates([row(1, "Ada", decision=CREATED)], [animal(9, "Ada")]))
    assert outcome(plan, 1) == NEW and 1 in plan.created


def test_skip_ends_an_earlier_create() -> None:
    """As long as the row was not sent."""
    plan = plan_of(candidates([row(1, "Ada", decision=CREATED)], [animal(9, "Ada")]), SKIP)
    assert plan.animals == {1: 9}
    sent = candidates([row(1, "Ada", decision=CREATED, own=3)], [animal(9, "Ada")])
    for answer in (SKIP, CREATE, None):
        assert (plan_of(sent, answer).animals, plan_of(sent, answer).created) == ({1: 3}, {})


def test_a_skipped_row_of_the_file_stays_skipped() -> None:
    """Also a row that is the same as another row of its file is not asked about twice."""
    rows = [row(1, "Ada", 1, "007"), row(2, "Ada", 1, "7")]
    plan = plan_of(candidates(rows), SKIP)
    assert plan.same_as == {2: 1}
    rows[1] = rows[1]._replace(decision=Decision(SKIP, None, 1.0))
    again = plan_of(candidates(rows))
    assert (again.same_as, again.answered) == ({2: 1}, {2: Decision(SKIP, None, 1.0)})


NAMED = {
    "a possible duplicate": row(1, "Ada", is_named_new=True),
    "skipped earlier": row(1, "Cy", is_named_new=True, decision=SKIPPED),
    "not found": row(1, "Cy", is_named_new=True, is_not_found=True),
    "gone": row(1, "Ada", is_named_new=True, own=9, is_gone=True),
    "created and gone": row(1, "Ada", is_named_new=True, own=3, is_gone=True, decision=CREATED),
}


@pytest.mark.parametrize("named", NAMED.values(), ids=NAMED)
def test_a_named_line_is_a_new_animal(named) -> None:
    """``as_new=[line]`` creates what is doubtful, skipped, not found or gone."""
    plan = plan_of(candidates([named], [animal(9, "Ada")]))
    assert outcome(plan, 1) == NEW and 1 in plan.created
    assert not (plan.refused or plan.skipped)


def test_a_named_line_whose_animal_of_another_file_is_gone_is_a_new_animal() -> None:
    """Also if its name is another one now."""
    inputs = candidates(
        [row(1, "Bo", 1, "A", is_named_new=True)], [animal(9, "Ada", 1, "A", is_gone=True)]
    )
    assert (outcome(plan_of(inputs), 1), plan_of(inputs).refused) == (NEW, [])


def test_lines_take_precedence_over_words() -> None:
    """``skip`` applies to the rows that no line names."""
    rows = [row(1, "Ada", is_named_new=True), row(2, "Bo")]
    plan = plan_of(candidates(rows, [animal(9, "Ada"), animal(8, "Bo")]), SKIP)
    assert ([*plan.created], plan.animals) == ([1], {2: 8})


def test_a_named_line_needs_a_reason() -> None:
    """A line whose animal is certain is refused; a line that was created before is done."""
    loaded = candidates([row(1, "Ada", is_named_new=True, own=9)])
    assert plan_of(loaded).refused == [2]
    done = candidates([row(1, "Ada", is_named_new=True, own=3, decision=CREATED)])
    plan = plan_of(done)
    assert (plan.refused, plan.animals, plan.created) == ([], {1: 3}, {})


def test_after_create_a_header_with_a_key_is_listed() -> None:
    """Lines 5 and 7 then only list what they find; lines 3 and 4 still hold rows back."""
    rows = [row(1, "Ada", 1, "B"), row(2, "Cy", 1, "C"), row(3, "Di", 1, "007"),
            row(4, "Ed", 2, "E")]  # fmt: skip
    animals = [animal(9, "Ada", 1, "A"), animal(8, "Other", 1, "7"), animal(6, "Fay", 1, "E")]
    plan = plan_of(candidates(rows, animals, [pet(5, "Cy")], earlier_create=True))
    assert sorted(plan.listed) == [1, 2]
    assert sorted(plan.possible) == [3, 4]


def test_after_create_a_header_without_a_key_is_held() -> None:
    """Without a key, nothing but the user can tell two animals apart."""
    plan = plan_of(candidates(ONE.rows, [animal(9, "Ada")], earlier_create=True))
    assert sorted(plan.possible) == [1] and not plan.listed


def test_rows_of_one_key_are_settled_before_the_table() -> None:
    """One row of a key is compared with animals; the others are the same as it."""
    rows = [row(1, "Ada", 1, "A"), row(2, "Ada", 1, "A")]
    plan = plan_of(candidates(rows, [animal(9, "Bo", 2, "A")]))
    assert (plan.same_as, outcome(plan, 1)) == ({2: 1}, ("line 3", 9))


def test_a_row_that_was_sent_is_not_compared_with_the_rows_of_its_key() -> None:
    """The others are compared with its animal, and need no fixing because they differ from it."""
    rows = [row(1, "Ada", 1, "A", own=7), row(2, "Ada", 2, "A")]
    plan = plan_of(candidates(rows, [animal(7, "Ada", 1, "A")]))
    assert (plan.animals, plan.conflicts, plan.same_as) == ({1: 7, 2: 7}, {}, {})


def test_a_row_that_was_created_is_not_reported_as_skipped() -> None:
    """Only ``skip`` is a reason why a row is not sent."""
    plan = plan_of(candidates([row(1, "Ada", own=3, decision=CREATED)]))
    assert (plan.animals, plan.skipped) == ({1: 3}, {})


def test_an_earlier_skip_comes_before_the_keys() -> None:
    """A row that is another animal by an answer is not compared with the animal of its key."""
    inputs = candidates([row(1, "Bo", 2, "A", decision=SKIPPED)], [animal(8, "Ada", 1, "A")])
    assert plan_of(inputs).animals == {1: 9}


def test_the_order_of_the_rows_decides_nothing() -> None:
    """Each line is applied to all rows before the next, so a later row may take an animal first."""
    rows = [row(1, "Ada", 1, "B"), row(2, "Ada", 1, "007")]
    animals = [animal(9, "Ada", 1, "7")]
    plans = [plan_of(candidates(order, animals)) for order in (rows, rows[::-1])]
    assert plans[0].possible == plans[1].possible == {2: Match(2, 4, 9)}


def steps_of(count: int) -> int:
    """Return how many functions are called to match so many rows with animals of one core."""
    animals = [animal(n, f"Pet {n}", n, "0" * n + "7") for n in range(1, count + 1)]
    rows = [row(n, f"Other {n}", n + 1, "-" * n + "7") for n in range(1, count + 1)]
    inputs, steps = candidates(rows, animals), 0

    def note(*_: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(note)
    try:
        plan_of(inputs)
    finally:
        sys.setprofile(None)
    return steps


def test_the_keys_of_one_core_are_not_all_compared_with_each_other() -> None:
    """Twice as many rows and animals take twice as many steps."""
    assert steps_of(200) < 2.2 * steps_of(100)
