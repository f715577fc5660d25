"""Decides which animal each row of a file is.

Each line of this table is applied to all rows before the next; a row takes the first that fits:

1. It had its own animal when this file was read before: it is that animal.
2. It has the key of an animal, and its name or its category: it is that animal. A row that cannot
   be sent needs the name: its category alone would hide what must be fixed.
3. It has the key of an animal, but neither: a possible duplicate. If many rows with existing keys
   have another name, all of these are possible duplicates.
4. It has a new key with the core of another key (within the file: and equal content): a possible
   duplicate.
5. It has the name and category of an animal that no other row of the file is and that has none of
   its keys in the file: a possible duplicate.
6. It has no key, and the name of such an animal, if many rows without a key do this and line 5 fits
   none of them: a possible duplicate.
7. It has the name and category of a pet that is no animal of the journal, or, in a file with the
   columns of an export, the id of a pet: a possible duplicate. With the id and the name of a pet,
   it is that pet, whatever lines 5 and 6 say.

Any other row is a new animal. A possible duplicate is not sent, everything else is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from petstore_frame.loader.matching.folding import fold_name, name_in
from petstore_frame.loader.matching.pairing import pair_equal
from petstore_frame.loader.matching.repeated_keys import Keep, select_rows
from petstore_frame.loader.matching.similar_animals import SimilarAnimals, most_similar
from petstore_frame.loader.matching.values import (
    CREATE,
    SKIP,
    Animal,
    Answer,
    Candidates,
    Decision,
    Match,
    Pet,
    Plan,
    Row,
    has_category_of,
    has_name_of,
)

# The lines of the table that only list what they find, once a file with this header and a key was
# answered with ``create``.
LISTED_AFTER_CREATE = (5, 7)


def is_many(count: int, of: int) -> bool:
    """Return whether a count is at least three rows and at least a quarter of those in question.

    Example:
        >>> is_many(3, 12), is_many(3, 13), is_many(2, 2)
        (True, False, False)
    """
    return count >= 3 and 4 * count >= of


def match(candidates: Candidates, keep: Keep, answer: Answer | None = None, now: float = 0) -> Plan:
    """Return what each row is.

    Args:
        candidates: The rows that a line of the table may apply to, and what they may be.
        keep: Which of several rows of a key counts.
        answer: The answer of this call to all possible duplicates.
        now: The time of this call, for its answers.
    """
    plan = Plan()
    _use_own_animals(candidates, plan)
    select_rows(_open_rows(candidates, plan, only_sendable=False), keep, plan)
    _follow_earlier_answers(candidates, plan, answer)
    _match_keys(candidates, plan)
    _match_cores(candidates, plan)
    _match_ids(candidates, plan)
    _match_contents(candidates, plan)
    _match_names(candidates, plan)
    _match_pets(candidates, plan)
    _apply_answers(candidates, plan, answer, now)
    return plan


def _open_rows(candidates: Candidates, plan: Plan, *, only_sendable: bool = True) -> list[Row]:
    """Return the rows that no line has decided yet."""
    decided = (plan.animals, plan.pets, plan.same_as, plan.conflicts, plan.possible)
    return [
        row
        for row in candidates.rows
        if not any(row.number in rows for rows in decided)
        and (row.can_be_sent or not only_sendable)
    ]


def _use_own_animals(candidates: Candidates, plan: Plan) -> None:
    """Apply line 1."""
    plan.animals |= {row.number: row.own for row in candidates.rows if row.own is not None}


def _follow_earlier_answers(candidates: Candidates, plan: Plan, answer: Answer | None) -> None:
    """Apply earlier ``skip`` answers; ``_apply_answers`` ends them if this call says so."""
    open_rows = {row.number for row in _open_rows(candidates, plan)}
    for row in candidates.rows:
        decision = row.decision
        if decision is None or decision.answer != SKIP or row.is_named_new:
            continue
        if row.number in open_rows and decision.animal is not None:
            plan.animals[row.number] = decision.animal
        if row.number in plan.animals and answer is None:
            plan.skipped[row.number] = decision


def _match_keys(candidates: Candidates, plan: Plan) -> None:
    """Apply lines 2 and 3."""
    renamed: list[Match] = []
    others = 0
    known_keys = candidates.settled_keys
    for row in _open_rows(candidates, plan, only_sendable=False):
        animals = candidates.by_key.get(row.key or "", ())
        if not animals:
            continue
        animal = most_similar(row, animals)
        match = Match(row.number, 3, animal.id)
        has_name, has_category = has_name_of(row, animal), has_category_of(row, animal)
        if not row.can_be_sent:
            if has_name:
                plan.animals[row.number] = animal.id
            continue
        known_keys += 1
        if has_name:
            plan.animals[row.number] = animal.id
        elif has_category:
            renamed.append(match)
        else:
            others += 1
            plan.possible[row.number] = match
    if is_many(len(renamed) + others, known_keys):
        plan.possible |= {match.row: match for match in renamed}
    else:
        plan.animals |= {match.row: match.animal for match in renamed if match.animal is not None}


def _match_cores(candidates: Candidates, plan: Plan) -> None:
    """Apply line 4."""
    first_rows: dict[tuple[str, str | None], Row] = {}
    animals_of_core = {
        core: SimilarAnimals(animals) for core, animals in candidates.by_core.items()
    }
    for row in _open_rows(candidates, plan):
        if row.core is None:
            continue
        first_row = first_rows.setdefault((row.core, row.content), row)
        animals = animals_of_core.get(row.core)
        if animals:
            plan.possible[row.number] = Match(row.number, 4, animals.most_similar(row).id)
        elif first_row is not row:
            plan.possible[row.number] = Match(row.number, 4, same_as=first_row.number)


def _match_ids(candidates: Candidates, plan: Plan) -> None:
    """Apply line 7 to rows with the id and the name of a pet."""
    for row, pet_id in _rows_with_ids(candidates, plan):
        pet = candidates.pets.get(pet_id)
        animal = candidates.animals_of_pets.get(pet_id)
        if pet is not None and fold_name(pet.name) == name_in(row.content or ""):
            plan.pets[row.number] = pet
        elif animal is not None and has_name_of(row, animal):
            plan.animals[row.number] = animal.id


def _rows_with_ids(candidates: Candidates, plan: Plan) -> Iterator[tuple[Row, int]]:
    used_ids = {pet.id for pet in plan.pets.values()}
    for row in _open_rows(candidates, plan):
        if row.pet_id is not None and row.pet_id not in used_ids:
            used_ids.add(row.pet_id)
            yield row, row.pet_id


def _match_contents(candidates: Candidates, plan: Plan) -> None:
    """Apply line 5."""
    rows = [row for row in _open_rows(candidates, plan) if row.content and not row.has_default_name]
    pairs = _pair(rows, candidates.by_content, plan)
    plan.possible |= {row: Match(row, 5, animal.id) for row, animal in pairs.items()}


def _match_names(candidates: Candidates, plan: Plan) -> None:
    """Apply line 6."""
    if candidates.has_key or any(match.table_line == 5 for match in plan.possible.values()):
        return
    rows = [row for row in _open_rows(candidates, plan) if row.content and not row.has_default_name]
    used = _used_animals(plan)
    pairs = pair_equal(
        ((row.number, name_in(row.content or "")) for row in rows),
        (
            (name, animal)
            for name, animals in candidates.by_name.items()
            for animal in animals
            if animal.id not in used
        ),
    )
    if is_many(len(pairs), candidates.open_rows):
        plan.possible |= {row: Match(row, 6, animal.id) for row, animal in pairs.items()}


def _pair(
    rows: Sequence[Row], by_content: Mapping[str, Sequence[Animal]], plan: Plan
) -> dict[int, Animal]:
    """Pair rows with animals of equal content one to one, preferring the same status."""
    used = _used_animals(plan)
    animals = [
        animal
        for content in dict.fromkeys(row.content for row in rows)
        for animal in by_content.get(content or "", ())
        if animal.id not in used
    ]
    pairs = pair_equal(
        ((row.number, row.payload) for row in rows),
        ((animal.payload, animal) for animal in animals),
    )
    used |= {animal.id for animal in pairs.values()}
    return pairs | pair_equal(
        ((row.number, row.content) for row in rows if row.number not in pairs),
        ((animal.content, animal) for animal in animals if animal.id not in used),
    )


def _used_animals(plan: Plan) -> set[int]:
    """Return the animals that a row is or may be."""
    return {*plan.animals.values()} | {
        match.animal for match in plan.possible.values() if match.animal is not None
    }


def _match_pets(candidates: Candidates, plan: Plan) -> None:
    """Apply the rest of line 7."""
    for row, pet_id in _rows_with_ids(candidates, plan):
        pet, animal = candidates.pets.get(pet_id), candidates.animals_of_pets.get(pet_id)
        if pet is not None:
            plan.possible[row.number] = Match(row.number, 7, pet=pet)
        elif animal is not None:
            plan.possible[row.number] = Match(row.number, 7, animal.id)
    used = {pet.id for pet in plan.pets.values()}
    used |= {match.pet.id for match in plan.possible.values() if match.pet is not None}
    rows = [row for row in _open_rows(candidates, plan) if not row.has_default_name]
    free: list[Pet] = [pet for pet in candidates.pets.values() if pet.id not in used]
    pairs = pair_equal(
        ((row.number, row.content) for row in rows), ((pet.content, pet) for pet in free)
    )
    plan.possible |= {row: Match(row, 7, pet=pet) for row, pet in pairs.items()}


def _apply_answers(candidates: Candidates, plan: Plan, answer: Answer | None, now: float) -> None:
    """Decide about possible duplicates by the answers of this call and of earlier ones."""
    gone = {
        animal.id for animals in candidates.by_key.values() for animal in animals if animal.is_gone
    }
    for row in candidates.rows:
        match = plan.possible.get(row.number)
        if row.is_named_new:
            is_gone = row.is_gone or plan.animals.get(row.number) in gone
            _create_named(row, match, plan, now, is_gone=is_gone)
        elif _was_created(row, answer):
            _create(row, match, plan)
            if answer == CREATE:
                plan.answered[row.number] = Decision(CREATE, None, now)
        elif match is not None:
            _answer(row, match, candidates, plan, answer, now)
    if candidates.has_key and candidates.earlier_create:
        for match in [*plan.possible.values()]:
            if match.table_line in LISTED_AFTER_CREATE:
                plan.listed[match.row] = plan.possible.pop(match.row)


def _answer(
    row: Row, match: Match, candidates: Candidates, plan: Plan, answer: Answer | None, now: float
) -> None:
    """Apply the answer of this call to one possible duplicate; without one, an earlier ``skip``."""
    if answer == SKIP:
        _skip(match, plan, now)
    elif answer == CREATE and (candidates.has_key or row.was_shown):
        _create(row, match, plan)
        plan.answered[row.number] = Decision(CREATE, None, now)
    elif answer is None and row.decision is not None:
        plan.skipped[row.number] = row.decision
        _skip(match, plan, row.decision.at)


def _was_created(row: Row, answer: Answer | None) -> bool:
    """Return whether an earlier answer, or this one after ``skip``, makes a row a new animal."""
    if row.decision is None:
        return False
    if row.decision.answer == CREATE:
        return answer != SKIP and row.own is None
    return answer == CREATE


def _create_named(row: Row, match: Match | None, plan: Plan, now: float, *, is_gone: bool) -> None:
    """Make a row a new animal because its line is named, or refuse that."""
    is_created = row.decision is not None and row.decision.answer == CREATE
    if is_created and row.own is not None and not is_gone:
        return  # it was created by this answer before
    is_skipped = row.decision is not None and row.decision.answer == SKIP
    if match is None and not (is_created or is_skipped or is_gone or row.is_not_found):
        plan.refused.append(row.line)
        return
    _create(row, match, plan)
    plan.answered[row.number] = Decision(CREATE, None, now)


def _create(row: Row, match: Match | None, plan: Plan) -> None:
    plan.possible.pop(row.number, None)
    plan.animals.pop(row.number, None)
    plan.created[row.number] = match


def _skip(match: Match, plan: Plan, now: float) -> None:
    """Make a row the animal, the pet or the row that it may be."""
    del plan.possible[match.row]
    if match.animal is not None:
        plan.animals[match.row] = match.animal
        plan.answered[match.row] = Decision(SKIP, match.animal, now)
    elif match.pet is not None:
        plan.pets[match.row] = match.pet
        plan.answered[match.row] = Decision(SKIP, None, now)
    elif match.same_as is not None:
        plan.same_as[match.row] = match.same_as
        plan.answered[match.row] = Decision(SKIP, None, now)
