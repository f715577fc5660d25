"""Rule 5 of identity: the store is a witness, read before each load and resume.

A row may be a pet that this journal did not make: a colleague's, or of a journal that was restored
or lost. And an animal that the store showed and no longer shows may be gone, where the store was
restored or emptied. Pets that are left to unconfirmed rows are nobody else's.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from petstore_frame.loader.duplicate_question import is_many, is_quarter
from petstore_frame.loader.journal.animals import (
    KNOWN_HERE,
    TO_SEND,
    Animals,
    Guess,
    StorePet,
    paired,
)
from petstore_frame.loader.journal.repeated_keys import name_of
from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.schema import IS_UNCONFIRMED
from petstore_frame.schema import FIELDS, folded_name

# From such a share of the rows on, pets are compared that were there before, too: those of others
# from a few rows on, our own where there are more.
NEARLY_ALL, LEAST_OF_OTHERS, LEAST_OF_OURS = 0.9, 3, 20
# A pet that no reading showed yet may be missing from a copy of the store that lags behind.
LAG_S = 3600.0
_LONGEST_ID = 18
# Not the rows of which the user said that they are others, nor those whose name is from
# ``defaults``.
_COMPARED = f"""
SELECT rows.record, rows.likeness {TO_SEND}
AND rows.known_by IS NOT 'user' AND NOT coalesce(rows.is_unnamed, 0) ORDER BY rows.record
"""
# Pets that a reading has shown, or should have by now.
_WAS_SHOWN = "(own.shown_at IS NOT NULL OR own.settled_at < :settled_before)"
_ANIMALS_HERE = f"""
SELECT min(rows.record), own.animal, own.pet_id, own.payload, own.state = 'gone'
FROM rows JOIN animals AS own USING (animal) WHERE rows.import = :mine
AND (own.state = 'gone' AND own.reason IS NOT 'user'
  OR :was_read AND own.state IN ('created', 'matched') AND own.pet_id IS NOT NULL AND {_WAS_SHOWN})
GROUP BY own.animal
"""
_OWNER = "SELECT animal, payload FROM animals WHERE pet_id = ?"


class StorePets(NamedTuple):
    """What a reading of the store showed."""

    pets: dict[int, StorePet]
    is_complete: bool = False  # it was read to its end, as far as it shows
    is_whole: bool = False  # surely, so that what is not there is not in the store
    requests: int = 0
    note: str = ""  # how far it was read, and what says so


ReadStore = Callable[[int], StorePets]


class Witness:
    """Holds the rows of one import against a reading of the store, made ``now``."""

    def __init__(self, animals: Animals, read: ReadStore | None) -> None:
        self._animals, self.now, self._was_read = animals, time.time(), read is not None
        self._store = StorePets({}) if read is None else read(animals.count(TO_SEND))
        self._pets = self._store.pets
        if self._was_read and not self._store.is_complete:
            animals.facts["store_cut"] = len(self._pets)
        self._strangers = dict(animals.do("SELECT pet_id, likeness FROM strangers").fetchall())
        self._is_first = not animals.has("FROM animals")
        self._find_owners()

    def _find_owners(self) -> None:
        """Find the animals that the pets are, or that they are left to, and the pets of others."""
        self._ours: dict[int, int] = {}
        self._renamed: dict[int, StorePet] = {}  # or of others, if the store gives ids again
        for pet_id, pet in self._pets.items():
            found = self._animals.sql.execute(_OWNER, [pet_id]).fetchone()
            if found is not None:
                self._ours[pet_id] = found[0]
                if name_of(found[1]) != folded_name(pet.name):
                    self._renamed[pet_id] = pet
        # Those that were there at an earlier reading come last.
        others = [pet for pet in self._pets.values() if pet.pet_id not in self._ours]
        others.sort(key=lambda pet: (not self._is_new(pet), pet.pet_id))
        doubt = self._animals.do(
            f"SELECT likeness, animal FROM animals WHERE {IS_UNCONFIRMED} ORDER BY animal"
        )
        self._doubted = paired(((pet.pet_id, pet.likeness) for pet in others), doubt)
        self._others = [pet for pet in others if pet.pet_id not in self._doubted]

    def _is_new(self, pet: StorePet) -> bool:
        """Return whether it is no known stranger; an id that was given again is another pet's."""
        return self._strangers.get(pet.pet_id) != pet.likeness

    def find_ids(self) -> None:
        """Ask about rows that carry the ids of pets of this store.

        Those of a fetched frame or an export are these pets whatever their names are now. In
        another list a column ``id`` may hold numbers of its own, so some names must agree.
        """
        animals, header = self._animals, self._animals.run.header
        names = [folded_name(name).replace("_", "").replace(" ", "") for name in header]
        at = next((at for at, name in enumerate(names) if name in ("id", "petid")), None)
        if animals.run.copy or at is None or not self._pets:
            return
        found: dict[int, Guess] = {}
        agreeing = 0
        rows = animals.do(
            f"SELECT rows.record, rows.cells, rows.payload {TO_SEND} AND rows.known_by IS NULL"
        ).fetchall()
        for record, packed, payload in rows:
            text = "".join(read_cells(packed)[at : at + 1]).strip().removesuffix(".0")
            pet_id = int(text) if text.isdecimal() and len(text) <= _LONGEST_ID else None
            if pet_id in self._pets and pet_id not in found:
                agreeing += folded_name(self._pets[pet_id].name) == name_of(payload)
                found[pet_id] = self._guess(record, self._pets[pet_id])
        is_ours = {*FIELDS.names} <= {*header} or is_many(agreeing, len(found))
        if is_ours and is_many(len(found), len(rows)):
            self._ask([*found.values()], len(rows))

    def find_pets(self) -> None:
        """Ask about rows that equal pets of the store which no row of the file is."""
        animals = self._animals
        if animals.run.copy or "in_store" in animals.guesses or not self._pets:
            return
        rows = animals.do(_COMPARED).fetchall()
        # First new pets of others, then those that were there, our own last.
        taken = {animal for (animal,) in animals.do(KNOWN_HERE)}
        ours = (self._pets[pet] for pet, animal in self._ours.items() if animal not in taken)
        free = dict.fromkeys([*self._others, *self._renamed.values(), *ours])
        pairs = paired(rows, ((pet.likeness, pet) for pet in free))
        guesses = [
            Guess(record, pet=pet) if pet.pet_id in self._renamed else self._guess(record, pet)
            for record, pet in pairs.items()
        ]
        theirs = [guess for guess in guesses if guess.pet is not None]
        new = [guess for guess in theirs if self._is_new(pairs[guess.record])]
        new_pets = sum(map(self._is_new, self._others))

        def are_nearly_all(found: list[Guess], least: int) -> bool:
            return len(rows) >= least and len(found) >= NEARLY_ALL * len(rows)

        if are_nearly_all(guesses, LEAST_OF_OURS):
            self._ask(guesses, len(rows))
        elif are_nearly_all(theirs, LEAST_OF_OTHERS) or (theirs and self._is_first):
            self._ask(theirs, len(rows))
        elif is_quarter(len(new), len(rows)) or is_quarter(len(new), new_pets):
            self._ask(new, len(rows))
        else:
            animals.warn("store_few", new)

    def _guess(self, record: int, pet: StorePet) -> Guess:
        animal = self._ours.get(pet.pet_id, self._doubted.get(pet.pet_id))
        return Guess(record, animal, pet if animal is None else None)

    def _ask(self, guesses: list[Guess], of: int) -> None:
        if self._animals.ask("in_store", guesses, of) == "create":
            theirs = {guess.record: guess.pet for guess in guesses if guess.pet is not None}
            # The key of a request is another one for each animal that is equal to others.
            there = Counter(pet.likeness for pet in self._pets.values())
            self._animals.lives |= {record: there[pet.likeness] for record, pet in theirs.items()}
            self._note_strangers([*theirs.values()])

    def find_gone(self) -> None:
        """Ask about animals of the file that the store showed, and does not show any more."""
        animals, store, before = self._animals, self._store, self.now - LAG_S
        missing, renamed, gone, known = list[Guess](), list[Guess](), list[Guess](), 0
        here = animals.do(_ANIMALS_HERE, was_read=self._was_read, settled_before=before)
        for record, animal, pet_id, payload, is_gone in here:
            pet, guess = self._pets.get(pet_id), Guess(record, animal)
            known += not is_gone
            if is_gone:
                gone.append(guess)
            elif pet is None and store.is_complete:
                missing.append(guess)
            elif pet is not None and folded_name(pet.name) != name_of(payload):
                renamed.append(guess)
        unanswered = len(gone)
        is_sure = store.is_whole or (store.is_complete and "gone" in animals.answers)
        is_reused = is_quarter(len(renamed), known)
        if (is_sure and is_many(len(missing), known)) or is_reused or gone:
            gone += missing if is_sure else []
            gone += renamed if is_reused else []
            animals.guesses["gone"] = sorted(gone), known + unanswered
            self._answer_gone([(guess.animal,) for guess in gone])
            self._find_owners()
        elif is_sure:
            animals.warn("gone_few", missing)
        if store.is_whole and not gone:
            # In whatever file: the pets of this journal that the store no longer shows.
            shown = animals.do(
                "SELECT pet_id FROM animals AS own WHERE state IN ('created', 'matched')"
                f" AND pet_id IS NOT NULL AND {_WAS_SHOWN}",
                settled_before=before,
            )
            if hidden := sum(pet_id not in self._pets for (pet_id,) in shown):
                animals.facts["not_shown"] = hidden

    def _answer_gone(self, numbers: list[tuple[int | None]]) -> None:
        """Let animals be gone, or send them again under a new life; their old ids are free."""
        animals = self._animals
        animals.sql.executemany(
            "UPDATE animals SET state = 'gone', pet_id = NULL, reason = 'user' WHERE animal = ?",
            numbers,
        )
        if animals.answers.get("gone", animals.otherwise) == "create":
            animals.sql.executemany(
                "UPDATE animals SET state = 'pending', reason = NULL, life = life + 1,"
                " answer = NULL, shown_at = NULL, may_have_been_applied = 0 WHERE animal = ?",
                numbers,
            )

    def create_not_found(self) -> None:
        """Send absent animals again if the user says so, but none that a pet may be."""
        animals = self._animals
        if not self._was_read or animals.answers.get("not_found") != "create":
            return
        there = {pet.likeness for pet in self._pets.values() if pet.pet_id not in self._ours}
        animals.do(
            "UPDATE animals SET state = 'pending', reason = 'user', may_have_been_applied = 0"
            " WHERE import = :mine AND state = 'not_found'"
            " AND hex(likeness) NOT IN (SELECT value FROM json_each(:there))",
            there=json.dumps([likeness.hex().upper() for likeness in there]),
        )

    def note(self) -> None:
        """Remember the pets of others, unless rows may be some of them, and that they were read."""
        animals, store = self._animals, self._store
        if not self._was_read:
            return
        animals.sql.executemany(
            "UPDATE animals SET shown_at = ? WHERE pet_id = ? AND shown_at IS NULL",
            [(self.now, pet_id) for pet_id in self._ours],
        )
        if "in_store" not in animals.guesses:
            new = [pet for pet in self._others if self._is_new(pet)]
            self._tell_twins(new)
            self._note_strangers(new)
        if store.is_complete:
            lost = [(pet_id,) for pet_id in self._strangers.keys() - self._pets.keys()]
            animals.sql.executemany("DELETE FROM strangers WHERE pet_id = ?", lost)
        animals.do(
            "INSERT INTO events (import, at, kind, detail) VALUES (:mine, :now, 'read', :detail)",
            now=self.now,
            detail=json.dumps({"pets": len(self._pets), "is_complete": store.is_complete}),
        )

    def _note_strangers(self, pets: list[StorePet]) -> None:
        self._animals.sql.executemany(
            "INSERT OR REPLACE INTO strangers VALUES (?, ?, ?)",
            [(pet.pet_id, pet.likeness, self.now) for pet in pets],
        )

    def _tell_twins(self, new: list[StorePet]) -> None:
        """Tell how many new pets of others equal animals of ours that are in the store."""
        if not new or self._is_first:
            return
        animals, twins = self._animals, 0
        animals.do("CREATE INDEX IF NOT EXISTS likenesses ON animals(likeness)")
        for likeness, theirs in Counter(pet.likeness for pet in new).items():
            which = "likeness = :likeness AND state IN ('created', 'matched')"
            twins += min(theirs, animals.count(f"FROM animals WHERE {which}", likeness=likeness))
        if twins:
            animals.facts["twins"] = twins
