"""Applies the rules to the rows of a file in their order, as a pure function of values.

1. Rows of one key in the file are one animal, or need fixing (``repeated_keys``).
2. A known key is its animal, and a key written like one may be (``by_key``).
3. Without a key, equal content may be the same animal (``by_content``).
4. Animals that an earlier file did not send move to the row that is theirs.
5. Pets of the store may be rows, and animals that it lost may be gone (``by_store``, ``gone``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from petstore_frame.loader.matching.by_content import match_equal_animals
from petstore_frame.loader.matching.by_key import (
    match_known_keys,
    match_similar_keys,
)
from petstore_frame.loader.matching.by_store import StoreMatches, match_equal_pets, match_ids
from petstore_frame.loader.matching.gone import GoneAnimals
from petstore_frame.loader.matching.repeated_keys import (
    KEY_MISSING,
    choose_rows,
    fill_in_hint,
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
from petstore_frame.loader.row_state import RecordProblem, State


@dataclass(frozen=True)
class Situation:
    """All that the rules look at.

    ``rows`` are those that SQL has not settled: their keys, cores or contents are known, or are
    in the file more than once.
    """

    rows: Sequence[Row] = ()
    to_send: int = 0  # rows of the file that are not settled, with those that no rule looks at
    keep: str | None = None
    has_keys: bool = False
    is_compared: bool = True  # not if the file stands for other animals as a whole
    settled_keys: int = 0  # rows with known keys and unchanged content
    animals_of_key: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    animals_of_core: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    keyed_animals: Sequence[Animal] = ()  # with the contents of rows, and keys in these columns
    long_numbers: Mapping[str, Sequence[Animal]] = field(default_factory=dict)
    keys_of_file: frozenset[str] = frozenset()
    date_problems: Mapping[int, RecordProblem] = field(default_factory=dict)
    sent_animals: Sequence[Animal] = ()  # to be compared by content
    unsent_animals: Sequence[Animal] = ()
    earlier_contents: frozenset[tuple[int, str]] = frozenset()
    has_created_same: bool = False  # ``create`` answered same_content for this header
    pets: Sequence[Pet] = ()
    pet_ids: Mapping[int, int] = field(default_factory=dict)  # in a column of the file, by row
    is_marked: bool = False  # these ids are of this store, by our own mark
    gone: GoneAnimals = GoneAnimals([], [], [])
    gone_of: int = 0


def match(situation: Situation, answers: Answers, default: str = SKIP) -> Plan:
    """Return what becomes of the rows; ``default`` answers the cases that have no answer.

    Few matches are sent with a warning, but not if those of all cases together are at least half
    of what is left to send.
    """
    plan = _Matching(situation, answers, default).run()
    if not plan.plan.few:
        return plan.plan
    if not is_half(plan.matched_rows, plan.open_rows):
        return plan.plan
    return _Matching(situation, answers, default, asks_about_few=True).run().plan


class _Matching:
    """One pass through the rules."""

    def __init__(
        self, situation: Situation, answers: Answers, default: str, *, asks_about_few: bool = False
    ) -> None:
        self.situation, self.answers, self.default = situation, answers, default
        self.asks_about_few = asks_about_few
        self.plan = Plan()
        self.rows = {row.number: row for row in situation.rows}
        self.taken: set[int] = set()  # animals that rows of the file are
        self.matched_rows = 0
        self.open_rows = 0

    def run(self) -> _Matching:
        situation = self.situation
        self._ask(By.GONE, situation.gone.asked, situation.gone_of, is_row_case=False)
        if situation.is_compared:
            if situation.has_keys:
                self._choose_rows()
                self._match_keys()
            else:
                self.open_rows = situation.to_send
            self._match_ids()
            self._match_contents()
            self._move_unsent()
            self._match_pets()
        return self

    def _free_rows(self) -> list[Row]:
        """Return the rows that would be sent as animals of their own."""
        return [
            row
            for row in self.situation.rows
            if row.is_to_send and row.is_free and not self.plan.is_decided(row)
        ]

    def _choose_rows(self) -> None:
        groups = defaultdict[str, list[Row]](list)
        for row in self.situation.rows:
            if row.key is not None and row.by is not By.USER:
                groups[row.key].append(row)
        repeated = [rows for rows in groups.values() if len(rows) > 1]
        may_rename = (
            self.situation.keep is not None and self.answers.get(By.REUSED_KEY) == SKIP
        )
        chosen = choose_rows(repeated, self.situation.keep, may_rename=may_rename)
        self.plan.same_as |= chosen.same_as
        self.plan.problems |= chosen.problems
        for number, problem in self.situation.date_problems.items():
            self.plan.problems.setdefault(number, problem)

    def _match_keys(self) -> None:
        situation, plan = self.situation, self.plan
        rows = [
            row
            for row in situation.rows
            if row.key is not None
            and row.is_free
            and not row.is_excluded
            and not plan.is_decided(row)
        ]
        known = match_known_keys(rows, situation.animals_of_key, situation.earlier_contents)
        for row in known.not_keys:
            words = key_texts(row.key)
            message = f"{' '.join(words)!r} is the key of several animals, so it is no key"
            plan.problems[row.number] = RecordProblem(
                KEY_MISSING, message, value=" ".join(words), hint=fill_in_hint(words)
            )
        known_rows = len(known.same) + len(known.renamed) + len(known.reused)
        of = situation.settled_keys + known_rows
        reused, same = list(known.reused), list(known.same)
        if is_many(len(known.renamed), of):
            reused = sorted([*reused, *known.renamed], key=lambda match: match.row)
        else:
            same += known.renamed
        for match_ in same:
            self._assign(match_, By.KEY)
        new = [
            row
            for row in rows
            if not plan.is_decided(row)
            and row.key not in situation.animals_of_key
            and not row.has_key_problem
        ]
        animals_of_content = defaultdict[str, list[Animal]](list)
        for animal in situation.keyed_animals:
            if animal.content is not None:
                animals_of_content[animal.content].append(animal)
        similar = match_similar_keys(
            new,
            situation.animals_of_core,
            animals_of_content,
            situation.long_numbers,
            situation.keys_of_file,
        )
        sent_as_known = sum(self.rows[match_.row].is_to_send for match_ in same)
        not_sent = len(plan.same_as) + len(plan.problems) + sent_as_known
        self.open_rows = max(0, situation.to_send - not_sent)
        self._ask(By.REUSED_KEY, reused, of)
        self._ask(By.SIMILAR_KEY, similar, max(self.open_rows, len(similar)))

    def _match_ids(self) -> None:
        situation = self.situation
        pets = {pet.id: pet for pet in situation.pets}
        found = match_ids(
            self._free_rows(),
            situation.pet_ids,
            pets,
            is_marked=situation.is_marked,
            of=self.open_rows,
        )
        for match_ in found.certain:
            self._assign(match_, By.IN_STORE)
            self.plan.matched_few.append(match_.row)
        self._ask_about_pets(found)

    def _match_contents(self) -> None:
        situation = self.situation
        animals = [animal for animal in situation.sent_animals if animal.id not in self.taken]
        matches = match_equal_animals(self._free_rows(), animals)
        asks_about_any = not situation.has_keys and not situation.has_created_same
        of = max(self.open_rows, len(matches))
        if asks_about_any or self.asks_about_few or is_many(len(matches), of):
            self._ask(By.SAME_CONTENT, matches, of)
        elif matches:
            self._list_few(By.SAME_CONTENT, matches)

    def _move_unsent(self) -> None:
        """Let rows take over the animals of equal content that earlier files did not send."""
        unsent = [a for a in self.situation.unsent_animals if a.id not in self.taken]
        if not unsent:
            return
        free = [row for row in self._free_rows() if row.state is None]
        created = [
            self.rows[number]
            for number, case in self.plan.created.items()
            if case is By.SAME_CONTENT and self.rows[number].state is None
        ]
        for match_ in match_equal_animals([*free, *created], unsent):
            self.plan.created.pop(match_.row, None)
            self._assign(match_, By.MOVED)

    def _match_pets(self) -> None:
        moved = {row for row, (_, by) in self.plan.animals.items() if by is By.MOVED}
        few = {match_.row for match_ in self.plan.few.get(By.SAME_CONTENT, ())}
        rows = [
            row
            for row in self.situation.rows
            if row.is_to_send
            and row.by is not By.USER
            and row.number not in few
            and (row.number in moved or (row.is_free and not self.plan.is_decided(row)))
        ]
        pets = [pet for pet in self.situation.pets if pet.animal not in self.taken or not pet.animal]
        if By.IN_STORE not in {case.name for case in self.plan.cases} and not self._is_answered:
            self._ask_about_pets(match_equal_pets(rows, pets, max(self.open_rows, len(rows))))

    _is_answered = False

    def _ask_about_pets(self, found: StoreMatches) -> None:
        if found.asked or (found.few and self.asks_about_few):
            self._ask(By.IN_STORE, [*found.asked, *found.few], self.open_rows)
            self._is_answered = True
        elif found.few:
            self._list_few(By.IN_STORE, found.few)

    def _list_few(self, case: By, matches: Sequence[Match]) -> None:
        self.plan.few.setdefault(case, []).extend(matches)
        self.matched_rows += len(matches)

    def _ask(
        self, case: By, matches: Sequence[Match], of: int, *, is_row_case: bool = True
    ) -> None:
        """Note the matches of a case, and follow its answer."""
        if not matches:
            return
        if case not in self.answers:
            self.plan.cases.append(OpenCase(case, matches, of))
        if not is_row_case:
            return
        self.matched_rows += len(matches)
        answer = self.answers.get(case, self.default)
        self.plan.has_store_matches |= case is By.IN_STORE
        if answer == CREATE:
            self._create(case, matches)
        else:
            for match_ in matches:
                self._assign(match_, case)

    def _create(self, case: By, matches: Sequence[Match]) -> None:
        """Make rows animals of their own."""
        self.plan.created |= {match_.row: case for match_ in matches}
        if case is By.IN_STORE:
            self.plan.creates_in_store = True
            # The idempotency key is another one for each animal that is equal to others.
            equal = Counter(pet.content for pet in self.situation.pets)
            self.plan.lives |= {
                match_.row: equal[match_.pet.content] for match_ in matches if match_.pet
            }

    def _assign(self, match_: Match, by: By) -> None:
        if match_.same_as is not None:
            self.plan.same_as[match_.row] = match_.same_as
        elif match_.pet is not None:
            self.plan.pets[match_.row] = match_.pet
        elif match_.animal is not None:
            self.plan.animals[match_.row] = (match_.animal, by)
            self.taken.add(match_.animal)


__all__ = ["Situation", "State", "match"]
