"""Gives each row of an import its animal, and collects what the user is asked.

A row has its animal in ``rows``: a known one, or the number that it gets if it is a new one. A rule
that is not sure makes a guess of a case, and the answer of the user says what the row is.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from petstore_frame.loader.duplicate_question import CASES, Case, Earlier, Example
from petstore_frame.loader.journal.rows import pack_problems
from petstore_frame.loader.journal.schema import ID_GIVEN_AGAIN
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.row_state import RecordProblem
from petstore_frame.schema import form_of

# The rows that would be sent as things stand: those of new animals, and those of animals that were
# not sent yet. The row that the store refused is not sent as it was; a corrected or later one is.
# Where the file is not at hand, only rows that speak for their animals already are.
TO_SEND = """
FROM rows LEFT JOIN animals AS own ON own.animal = rows.animal
WHERE rows.import = :mine AND rows.animal IS NOT NULL AND rows.payload IS NOT NULL
  AND rows.known_by IS NOT 'repeat' AND rows.problem IS NULL AND rows.reason IS NULL
  AND (own.state = 'pending' AND own.import = rows.import AND own.record = rows.record
    OR NOT :is_resumed AND (own.state IS NULL OR own.state = 'pending'
      OR own.state = 'rejected' AND (own.payload IS NOT rows.payload
        OR own.import IS NOT rows.import OR own.record IS NOT rows.record)))
"""
# The known animals that rows of this import are.
KNOWN_HERE = "SELECT animal FROM rows WHERE import = :mine AND animal <= :base"
_SPEAK = f"""
UPDATE animals SET import = :mine, record = new.record, payload = new.payload,
  likeness = new.likeness, state = 'pending', reason = NULL, answer = NULL, settled_at = NULL
FROM (SELECT rows.animal, rows.record, rows.payload, rows.likeness {TO_SEND}
  AND own.animal IS NOT NULL) AS new
WHERE animals.animal = new.animal
"""
_NEW = f"""
INSERT INTO animals (animal, import, record, payload, likeness, state)
SELECT rows.animal, rows.import, rows.record, rows.payload, rows.likeness, 'pending'
{TO_SEND} AND own.animal IS NULL
"""
# Of what was not sent: a row that is to fix now, or left out, speaks for its animal still, and one
# that is another animal now does not.
_WITHDRAW = """
UPDATE animals SET state = iif(own.state = 'pending', NULL, own.state),
  import = iif(own.is_here, import, NULL), record = iif(own.is_here, record, NULL)
FROM (SELECT one.animal, one.state, rows.animal IS one.animal AS is_here
  FROM animals AS one JOIN rows USING (import, record)
  WHERE one.import = :mine AND (one.state IS NULL OR one.state IN ('pending', 'rejected'))
    AND (rows.animal IS NOT one.animal OR one.state = 'pending'
      AND (rows.problem IS NOT NULL OR rows.reason IS NOT NULL))) AS own
WHERE animals.animal = own.animal
"""
_EXAMPLE = """
SELECT rows.line, CAST(rows.payload AS TEXT), rows.key, CAST(own.payload AS TEXT),
  coalesce((SELECT key FROM rows AS one WHERE one.import = :mine AND one.record = :stands),
    (SELECT key FROM keys WHERE columns = :columns AND keys.animal = :animal
      AND key <> rows.key)),
  imports.source, imports.staged_at, own.pet_id
FROM rows LEFT JOIN animals AS own ON own.animal = :animal
LEFT JOIN imports ON imports.import = own.import AND own.import <> :mine
WHERE rows.import = :mine AND rows.record = :record
"""
_SOURCES = """
SELECT imports.id, source, staged_at, count(*) FROM json_each(:animals) AS of
JOIN animals ON animals.animal = of.value JOIN imports USING (import)
WHERE import <> :mine GROUP BY import ORDER BY 4 DESC
"""
# A finished import that has something to send again must be resumed after a kill.
_UNFINISHED = """
UPDATE imports SET ending = NULL WHERE import = :mine AND ending = 'done'
AND EXISTS (SELECT 1 FROM animals WHERE import = :mine AND state = 'pending')
"""
_Other = TypeVar("_Other")


class StorePet(NamedTuple):
    """A pet of the store: its id, its name, the body that would make it, and its likeness."""

    pet_id: int
    name: str
    payload: bytes
    likeness: bytes


class Guess(NamedTuple):
    """A row that may be a known animal, a pet of the store, or the animal of another row."""

    record: int
    animal: int | None = None
    pet: StorePet | None = None
    stands: int | None = None


@dataclass
class Animals:
    """The rows of one import, with their animals as far as the rules have found them."""

    sql: sqlite3.Connection
    staged: Staged
    answers: Mapping[str, str]  # by case: ``skip`` (the same animals) or ``send`` (others)
    otherwise: str  # the answer to try where the user gave none
    pause: Callable[[], None]  # called now and then; what it raises ends the rules
    # The rows of each case, and of how many that were compared.
    guesses: dict[str, tuple[list[Guess], int]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # what else the user should know
    repeats: dict[int, int] = field(default_factory=dict)  # rows that another row stands for
    lives: dict[int, int] = field(default_factory=dict)  # rows that are others than so many pets
    matched: dict[int, StorePet] = field(default_factory=dict)
    # The record of each correction, and the import and record that it corrects.
    origins: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.run, self.has_keys = self.staged.run, bool(self.staged.key_columns)
        self._names = {
            "mine": self.run.number,
            "base": self.staged.base,
            "place": self.run.place,
            "columns": self.staged.key_columns,
            "is_resumed": self.staged.is_resumed,
        }
        self.sql.create_function("form_of", 1, form_of, deterministic=True)

    def do(self, statement: str, **more: Any) -> sqlite3.Cursor:
        """Run a statement that knows the import."""
        self.pause()
        return self.sql.execute(statement, self._names | more)

    def count(self, from_: str, **more: Any) -> int:
        """Count the rows of a selection."""
        ((found,),) = self.do(f"SELECT count(*) {from_}", **more).fetchall()
        return int(found)

    def has(self, from_: str) -> bool:
        """Return whether a selection has any row."""
        return self.do(f"SELECT 1 {from_} LIMIT 1").fetchone() is not None

    def each(self, update: str, rows: Iterable[Sequence[Any]]) -> None:
        """Change rows, or the animals that they speak for; each tuple ends in the row's record."""
        mine = f"WHERE import = {self.run.number} AND record = ?"
        self.sql.executemany(f"UPDATE {update} {mine}", rows)

    def become(self, rows: Iterable[tuple[int | None, str | None, int]]) -> None:
        """Give rows their animals: animal, by what it is known, and the record of the row."""
        self.each("rows SET animal = ?, known_by = ?", rows)

    def repeat(self, records: Mapping[int, int]) -> None:
        """Make rows the animal of another row of the file."""
        self.repeats |= records
        repeated = [(record,) for record in records]
        self.each("rows SET animal = NULL, known_by = 'repeat', problem = NULL", repeated)

    def spoil(self, records: Iterable[int], problem: RecordProblem) -> None:
        """Turn rows that could be sent into rows to fix."""
        spoilt = [(pack_problems([problem]), record) for record in records]
        of_sendable = "animal = iif(problem IS NULL, NULL, animal)"
        of_sendable += ", known_by = iif(problem IS NULL, NULL, known_by)"
        self.each(f"rows SET {of_sendable}, problem = coalesce(problem, ?)", spoilt)

    def ask(self, case: str, guesses: Sequence[Guess], of: int) -> str:
        """Note the guesses of a case; follow its answer, the user's or the one to try."""
        if not guesses:
            return ""
        self.guesses[case] = [*guesses], of
        answer = self.answers.get(case, self.otherwise)
        if answer == "create" and case == "in_store":  # of these nothing was sent yet
            self.each("rows SET known_by = 'user'", [(guess.record,) for guess in guesses])
        elif answer == "create":
            base = self.staged.base
            self.become((base + guess.record, "user", guess.record) for guess in guesses)
        else:
            by = case if case in ("same_content", "in_store") else "key"
            self.become((g.animal, by, g.record) for g in guesses if g.animal is not None)
            self.repeat({g.record: g.stands for g in guesses if g.stands is not None})
            self.matched |= {g.record: g.pet for g in guesses if g.pet is not None}
        return answer

    def warn(self, name: str, guesses: Iterable[Guess]) -> None:
        """Note the lines of rows that are shown to the user without a question."""
        records = json.dumps([guess.record for guess in guesses])
        these = "record IN (SELECT value FROM json_each(:records))"
        found = self.do(f"SELECT line FROM rows WHERE import = :mine AND {these}", records=records)
        if lines := [line for (line,) in found]:
            self.facts[name] = lines

    def speak(self, now: float) -> None:
        """Write what was found: give each animal the row that speaks for it, or withdraw it."""
        for statement in (_WITHDRAW, _SPEAK, _NEW):
            self.do(statement)
        lives = [(life, record) for record, life in self.lives.items()]
        self.each("animals SET life = life + ?", lives)
        self.sql.executemany(ID_GIVEN_AGAIN, [(pet.pet_id,) for pet in self.matched.values()])
        self.each(
            "animals SET state = 'matched', pet_id = ?, payload = ?, likeness = ?,"
            f" id_source = 'matched', settled_at = {now}, shown_at = {now}",
            [
                (pet.pet_id, pet.payload, pet.likeness, record)
                for record, pet in self.matched.items()
            ],
        )
        self.each("rows SET known_by = 'in_store'", [(record,) for record in self.matched])
        # Rows that repeat another one have its animal, or its reason to be left out.
        self.each(
            "rows SET (animal, reason) = (SELECT one.animal, one.reason FROM rows AS one"
            f" WHERE one.import = {self.run.number} AND one.record = ?)",
            [(self._standing(record), record) for record in self.repeats],
        )
        # The rows that were corrected are the animals of their corrections.
        self.sql.executemany(
            "UPDATE rows SET animal = fixed.animal, known_by = 'record'"
            f" FROM rows AS fixed WHERE fixed.import = {self.run.number} AND fixed.record = ?"
            " AND fixed.animal IS NOT NULL AND rows.import = ? AND rows.record = ?"
            " AND rows.animal IS NOT fixed.animal",
            self.origins,
        )
        self.do(_UNFINISHED)

    def _standing(self, record: int) -> int:
        while record in self.repeats:
            record = self.repeats[record]
        return record

    def cases(self) -> Iterator[Case]:
        """Yield the cases that the user has not answered, as values to be shown."""
        for name in CASES:
            if name in self.guesses and name not in self.answers:
                guesses, of = self.guesses[name]
                animals = [guess.animal for guess in guesses if guess.animal is not None]
                sources = self.do(_SOURCES, animals=json.dumps(animals)).fetchall()
                examples = tuple(self._example(name, guess) for guess in guesses[:2])
                earlier = tuple(Earlier(*source) for source in sources)
                yield Case(name, len(guesses), of, examples, earlier)

    def _example(self, case: str, guess: Guess) -> Example:
        line, ours, key, theirs, other_key, source, day, pet = self.do(
            _EXAMPLE, animal=guess.animal, record=guess.record, stands=guess.stands
        ).fetchone()
        if case == "similar_key":
            ours, theirs = key, other_key
        elif guess.pet is not None:
            theirs, pet = guess.pet.payload.decode(), guess.pet.pet_id
        return Example(guess.record, line, ours or "", theirs or "", source, day, pet)


def paired(
    rows: Iterable[tuple[int, Hashable]], others: Iterable[tuple[Hashable, _Other]]
) -> dict[int, _Other]:
    """Pair rows with what is equal to them, one to one, the first of either side first."""
    free: dict[Hashable, deque[_Other]] = defaultdict(deque)
    for what, other in others:
        free[what].append(other)
    return {record: free[what].popleft() for record, what in rows if free.get(what)}
