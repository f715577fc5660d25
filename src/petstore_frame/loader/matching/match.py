"""Applies the matching rules to the rows of a file in order, as a pure function.

1. Rows with the same key in a file are one animal, or need fixing (``repeated_keys``).
2. A row with a loaded key is that animal; with a similar key, it may be (``by_key``).
3. A row without a loaded key may be an animal with equal content (``by_content``).
4. Animals that an earlier file did not send move to rows with equal content.
5. A row may be a pet that others created, and loaded animals may be gone from the store
   (``by_store``, ``gone``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from petstore_frame.loader.matching.by_content import match_equal_animals
from petstore_frame.loader.matching.by_key import (
    animal_of_key,
    match_existing_keys,
    match_renamed_columns,
    match_similar_keys,
)
from petstore_frame.loader.matching.by_store import StoreMatches, match_equal_pets, match_ids
from petstore_frame.loader.matching.gone import StoredAnimal, find_gone
from petstore_frame.loader.matching.repeated_keys import (
    KEY_MISSING,
    NOT_A_KEY_HINT,
    choose_rows,
    key_texts,
)
from petstore_frame.loader.matching.thresholds import is_half, is_many
from petstore_frame.loader.matching.values import (
    CREATE,
    SKIP,
    Animal,
    Answers,
    By,
    Match,
    OpenCase,
    Pet,
    Plan,
    Row,
)
from petstore_frame.loader.row_state import RowProblem, State

DECIDED = "user"  # the reason of an animal that is gone, as the user confirmed


@dataclass(frozen=True)
class MatchingInput:
    """The input of the rules.

    ``rows`` are the rows that need a rule: their keys, cores or contents are in the journal, in the
    store, or several times in the file. All other rows are already settled, or are new animals.
    """

    rows: Sequence[Row] = ()
    to_send: int = 0  # rows of the file that would be sent, including those that no rule applies to
    keep: str | None = None
    order_by: str | None = None  # the column whose values order the rows of a key
    has_keys: bool = False
    is_compared: bool = True  # False with ``as_new=True`` and in a resume
    is_resumed: bool = False  # without the file: only compare with the store
    settled_keys: int = 0  # number of rows with loaded keys and unchanged content
    animals_of_key: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    animals_of_core: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    animals_of_other_columns: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    keyed_animals: Sequence[Animal] = ()  # with contents of rows, and keys of the same columns
    long_numbers: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    keys_of_file: frozenset[str] = frozenset()
    date_problems: Mapping[int, RowProblem] = field(default_factory=dict)
    sent_animals: Sequence[Animal] = ()  # with contents of rows, and without such keys
    unsent_animals: Sequence[Animal] = ()
    earlier_contents: frozenset[tuple[int, str]] = frozenset()
    has_created_same: bool = False  # same_content was answered with ``create`` for this header
    pets: Sequence[Pet] = ()
    pet_ids: Mapping[int, int] = field(default_factory=dict)  # the ids in the file, by row
    is_first: bool = False  # first load of the journal: every pet of others counts as new
    is_export: bool = False  # the file has the columns of our exports
    is_marked: bool = False  # the file is marked as an export of this store
    creates_marked: bool = False  # the user said that its rows are new animals
    stored_animals: Sequence[StoredAnimal] = ()  # animals of rows that were in the store
    open_gone: Sequence[Match] = ()  # rows whose animal is gone, to ask about
    asks_again_about_gone: bool = False  # the user reverses an earlier answer about ``gone``
    listing: Mapping[int, str] = field(default_factory=dict)  # contents of pets, by id
    is_proof: bool = False  # a pet that the listing lacks is not in the store
    is_assumed_proof: bool = False  # the same, if the store fills its pages


def match(inputs: MatchingInput, answers: Answers, default: str = SKIP) -> Plan:
    """Return the plan for the rows of a file; ``default`` is the answer to cases without one.

    If a case has few matches, they are sent with a warning. But if the matches of all cases are at
    least half of the rows that would be sent, the user is asked about them.
    """
    first = _Matching(inputs, answers, default)
    first.run()
    if not (first.plan.few and is_half(len(first.matched_rows), first.open_rows)):
        return first.plan
    second = _Matching(inputs, answers, default, asks_about_few=True)
    second.run()
    return second.plan


class _Matching:
    """One pass through the rules."""

    def __init__(
        self, inputs: MatchingInput, answers: Answers, default: str, *, asks_about_few: bool = False
    ) -> None:
        self.inputs, self.answers, self.default = inputs, answers, default
        self.asks_about_few = asks_about_few
        self.plan = Plan()
        self.rows = {row.number: row for row in inputs.rows}
        groups = (
            *inputs.animals_of_key.values(),
            inputs.keyed_animals,
            inputs.sent_animals,
            inputs.unsent_animals,
        )
        self.animals = {animal.id: animal for group in groups for animal in group}
        self.used_animals: set[int] = set()  # animals that were assigned to rows
        self.matched_rows: set[int] = set()
        self.open_rows = inputs.to_send

    def run(self) -> None:
        """Apply the rules in order."""
        inputs = self.inputs
        if inputs.has_keys and not inputs.is_resumed:
            self._choose_rows()
            self.open_rows = inputs.to_send - self._count_settled()
        if inputs.is_compared:
            if inputs.has_keys:
                self._match_keys()
            self._match_ids()
            self._match_contents()
            self._move_unsent()
        self._find_gone()
        if inputs.is_compared or inputs.is_resumed:
            self._match_pets()

    def _free_rows(self) -> list[Row]:
        """Return the rows that would be sent as new animals."""
        return [
            row
            for row in self.inputs.rows
            if row.is_to_send and row.is_free and not self.plan.is_decided(row)
        ]

    def _find_gone(self) -> None:
        """Find the animals of the file that are gone from the store, and apply the answer."""
        inputs, plan = self.inputs, self.plan
        open_matches = {match_.animal: match_ for match_ in inputs.open_gone}
        stored_animals = {animal.animal: animal for animal in inputs.stored_animals}
        for row, (number, _) in plan.animals.items():
            animal = self.animals.get(number)
            if animal is None:
                continue
            if animal.state is State.GONE:
                if animal.reason != DECIDED or inputs.asks_again_about_gone:
                    open_matches.setdefault(number, Match(row, number))
            elif (
                animal.pet_id is not None and animal.should_be_listed and animal.content is not None
            ):
                stored = StoredAnimal(row, number, animal.pet_id, animal.content)
                stored_animals.setdefault(number, stored)
        gone = find_gone(
            list(stored_animals.values()),
            inputs.listing,
            is_proof=inputs.is_proof,
            is_assumed_proof=inputs.is_assumed_proof,
        )
        to_ask = [*open_matches.values(), *gone.to_ask]
        few = gone.few
        if open_matches or By.GONE in self.answers:  # the answer applies to all of them
            to_ask, few = [*to_ask, *few], []
        plan.few_gone, plan.renamed = list(few), list(gone.renamed)
        plan.unproven_gone = list(gone.unproven)
        if to_ask:
            to_ask.sort(key=lambda match_: match_.row)
            self._answer_gone(to_ask, len(stored_animals) + len(open_matches))

    def _answer_gone(self, matches: Sequence[Match], of: int) -> None:
        self._note_case(By.GONE, matches, of)
        animals = {match_.animal for match_ in matches if match_.animal is not None}
        if self.answers.get(By.GONE, self.default) == CREATE:
            self.plan.created_again |= animals
        else:
            self.plan.gone |= animals

    def _choose_rows(self) -> None:
        """Select one row of each key that several rows have."""
        groups = defaultdict[str, list[Row]](list)
        for row in self.inputs.rows:
            if row.key is not None and row.by is not By.USER:
                groups[row.key].append(row)
        repeated = [
            rows
            for rows in groups.values()
            if len(rows) > 1
            and not all(row.has_earlier_animal and row.by is not By.FIX for row in rows)
        ]
        keep = self.inputs.keep
        may_rename = keep is not None and self.answers.get(By.REUSED_KEY) == SKIP
        chosen = choose_rows(repeated, keep, self.inputs.order_by, may_rename=may_rename)
        self.plan.same_as |= chosen.same_as
        self.plan.problems |= chosen.problems
        for number, problem in self.inputs.date_problems.items():
            self.plan.problems.setdefault(number, problem)

    def _match_keys(self) -> None:
        """Match rows with the animals of their keys, and of similar keys."""
        inputs = self.inputs
        rows = [
            row
            for row in inputs.rows
            if row.key is not None and row.is_free and not self.plan.is_decided(row)
        ]
        self._assign_excluded([row for row in rows if row.is_excluded])
        rows = [row for row in rows if not row.is_excluded]
        matches = match_existing_keys(rows, inputs.animals_of_key, inputs.earlier_contents)
        self.plan.problems |= {row.number: _not_a_key(row) for row in matches.not_keys}
        of = inputs.settled_keys + sum(map(len, matches[:3]))
        may_be_others = {row.number for row in rows if self._is_sent_under_similar_key(row)}
        reused = list(matches.reused)
        same = [match_ for match_ in matches.same if match_.row not in may_be_others]
        if is_many(len(matches.renamed), of):
            reused = sorted([*reused, *matches.renamed], key=lambda match_: match_.row)
        else:
            same += matches.renamed
        for match_ in same:
            self._assign(match_, By.KEY)
        similar = self._similar_keys(rows, may_be_others)
        self.open_rows = inputs.to_send - self._count_settled()
        self._ask(By.REUSED_KEY, reused, of)
        self._ask(By.SIMILAR_KEY, similar, max(self.open_rows, len(similar)))

    def _assign_excluded(self, rows: Sequence[Row]) -> None:
        """Assign the sent animals of their keys to excluded rows: the store still has them."""
        for row in rows:
            animals = self.inputs.animals_of_key.get(row.key or "", ())
            sent = [animal for animal in animals if animal.is_sent]
            if sent:
                self._assign(Match(row.number, animal_of_key(row, sent).id), By.KEY)

    def _is_sent_under_similar_key(self, row: Row) -> bool:
        """Return whether the animal of a similar key was sent, but none with this key."""
        inputs = self.inputs
        animals = inputs.animals_of_key.get(row.key or "", ())
        if not animals or any(animal.is_sent or animal.id == row.animal for animal in animals):
            return False
        return any(animal.is_sent for animal in inputs.animals_of_core.get(row.core or "", ()))

    def _similar_keys(self, rows: Sequence[Row], may_be_others: set[int]) -> list[Match]:
        """Match rows without an animal of their key with the animals of similar keys."""
        inputs = self.inputs
        new_rows = [
            row
            for row in rows
            if not self.plan.is_decided(row)
            and (row.key not in inputs.animals_of_key or row.number in may_be_others)
            and not row.has_key_problem
        ]
        animals_of_content = defaultdict[str, list[Animal]](list)
        for animal in inputs.keyed_animals:
            if animal.content is not None:
                animals_of_content[animal.content].append(animal)
        matches = match_similar_keys(
            new_rows,
            inputs.animals_of_core,
            animals_of_content,
            inputs.long_numbers,
            inputs.keys_of_file,
        )
        matched_rows = {match_.row for match_ in matches}
        unmatched = [row for row in new_rows if row.number not in matched_rows]
        matches += match_renamed_columns(unmatched, inputs.animals_of_other_columns)
        return sorted(matches, key=lambda match_: match_.row)

    def _count_settled(self) -> int:
        """Return how many rows will not be sent, because of the rules so far."""
        plan = self.plan
        return sum(
            row.is_to_send
            for row in self.inputs.rows
            if row.number in plan.same_as
            or row.number in plan.problems
            or (row.number in plan.animals and row.number not in plan.moved)
        )

    def _match_ids(self) -> None:
        """Match rows with pets by the ids in the file."""
        inputs = self.inputs
        matches = match_ids(
            self._free_rows(),
            inputs.pet_ids,
            {pet.id: pet for pet in inputs.pets},
            is_export=inputs.is_export,
            of=self.open_rows,
            is_marked=inputs.is_marked,
        )
        if matches.certain and inputs.creates_marked:
            self._create(By.IN_STORE, matches.certain)
        else:
            for match_ in matches.certain:
                self._assign(match_, By.IN_STORE)
            self.open_rows -= len(matches.certain)
        self._ask_about_pets(matches)

    def _match_contents(self) -> None:
        """Match rows by content, if neither the row nor the animal was matched by its key."""
        inputs = self.inputs
        animals = [animal for animal in inputs.sent_animals if animal.id not in self.used_animals]
        matches = match_equal_animals(self._free_rows(), animals)
        asks_about_any = not inputs.has_keys and not inputs.has_created_same
        of = max(self.open_rows, len(matches))
        if asks_about_any or self.asks_about_few or is_many(len(matches), of):
            self._ask(By.SAME_CONTENT, matches, of)
        else:
            self._list_few(By.SAME_CONTENT, matches)

    def _move_unsent(self) -> None:
        """Assign unsent animals of earlier files to rows with equal content."""
        plan = self.plan
        unsent = [
            animal for animal in self.inputs.unsent_animals if animal.id not in self.used_animals
        ]
        created_rows = [
            self.rows[number] for number, case in plan.created.items() if case is By.SAME_CONTENT
        ]
        rows = [row for row in (*self._free_rows(), *created_rows) if not row.has_earlier_animal]
        for match_ in match_equal_animals(rows, unsent):
            plan.created.pop(match_.row, None)
            self._assign(match_, By.MOVED)

    def _match_pets(self) -> None:
        """Match rows that will be sent with pets that were not matched with another row."""
        plan = self.plan
        few = {match_.row for matches in plan.few.values() for match_ in matches}
        rows = [
            row for row in self.inputs.rows if row.number not in few and self._is_still_sent(row)
        ]
        gone = plan.gone | plan.created_again
        matched_ids = {pet.id for pet in plan.pets.values()}
        pets = [
            pet._replace(animal=None) if pet.animal in gone else pet
            for pet in self.inputs.pets
            if pet.id not in matched_ids
            and (pet.animal is None or pet.animal in gone or pet.animal not in self.used_animals)
        ]
        of = max(self.open_rows, len(rows))
        matches = match_equal_pets(rows, pets, of, is_first=self.inputs.is_first)
        self._ask_about_pets(matches)

    def _is_still_sent(self, row: Row) -> bool:
        plan = self.plan
        if row.animal in plan.created_again:
            return True
        if not row.is_to_send or row.by is By.USER:
            return False
        return row.number in plan.moved or (row.is_free and not plan.is_decided(row))

    def _ask_about_pets(self, matches: StoreMatches) -> None:
        if matches.to_ask or (matches.few and self.asks_about_few):
            self._ask(By.IN_STORE, [*matches.to_ask, *matches.few], self.open_rows)
        else:
            self._list_few(By.IN_STORE, matches.few)

    def _list_few(self, case: By, matches: Sequence[Match]) -> None:
        if matches:
            self.plan.few.setdefault(case, []).extend(matches)
            self.matched_rows |= {match_.row for match_ in matches}

    def _ask(self, case: By, matches: Sequence[Match], of: int) -> None:
        """Add matches to a case, and apply its answer."""
        if not matches:
            return
        self._note_case(case, matches, of)
        self.matched_rows |= {match_.row for match_ in matches}
        self.plan.has_store_matches |= case is By.IN_STORE
        if self.answers.get(case, self.default) == CREATE:
            self._create(case, matches)
        else:
            for match_ in matches:
                self._assign(match_, case)

    def _note_case(self, case: By, matches: Sequence[Match], of: int) -> None:
        if case in self.answers:
            return
        cases = self.plan.cases
        earlier = [match_ for open_ in cases if open_.name is case for match_ in open_.matches]
        others = [open_ for open_ in cases if open_.name is not case]
        self.plan.cases = [*others, OpenCase(case, [*earlier, *matches], of)]

    def _create(self, case: By, matches: Sequence[Match]) -> None:
        """Make rows new animals, as the user answered."""
        self.plan.created |= {match_.row: case for match_ in matches}
        if case is By.IN_STORE:
            self.plan.creates_in_store = True
            # With another life, a new animal gets another idempotency key than an equal one.
            equal = Counter(pet.content for pet in self.inputs.pets)
            self.plan.lives |= {
                match_.row: equal[match_.pet.content] for match_ in matches if match_.pet
            }

    def _assign(self, match_: Match, by: By) -> None:
        plan = self.plan
        if match_.same_as is not None:
            plan.same_as[match_.row] = match_.same_as
            plan.similar.add(match_.row)
        elif match_.pet is not None:
            plan.pets[match_.row] = match_.pet
        elif match_.animal is not None:
            plan.animals[match_.row] = (match_.animal, by)
            self.used_animals.add(match_.animal)
            animal = self.animals.get(match_.animal)
            if animal is not None and not animal.is_sent:
                plan.moved.append(match_.row)


def _not_a_key(row: Row) -> RowProblem:
    text = " ".join(key_texts(row.key))
    message = f"{text!r} is the key of several animals, so it is not a key"
    return RowProblem(KEY_MISSING, message, value=text, hint=NOT_A_KEY_HINT)
