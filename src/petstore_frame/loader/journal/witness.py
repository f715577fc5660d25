"""Rule 5 of identity: the store is a witness, read before each load and resume.

A row may be a pet that this journal did not make: a colleague's, or of a journal that was restored
or lost. And an animal that the store showed and no longer shows may be gone, where the store was
restored or emptied. Pets that are left to rows in doubt are nobody else's.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from petstore_frame.errors import PetstoreError
from petstore_frame.loader.journal.animals import TO_SEND, Animals, Guess
from petstore_frame.loader.journal.keyed import name_of
from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.tables import IS_DOUBTFUL
from petstore_frame.loader.question import is_many, is_quarter
from petstore_frame.schema.models import PET_COLUMNS
from petstore_frame.schema.text import folded_name

# From such a share of the rows on, pets are compared that were there before, too: those of others
# from a few rows on, our own where there are more.
NEARLY_ALL, LEAST_OF_OTHERS, LEAST_OF_OURS = 0.9, 3, 20
# A pet that no reading showed yet may be missing from a copy of the store that lags behind.
LAG_S = 3600.0
_LONGEST_ID = 18
# Rows that may be pets of the store: not those of which the user said that they are others, nor
# those whose name is from ``defaults``.
_COMPARED = "rows.known_by IS NOT 'user' AND NOT coalesce(rows.is_unnamed, 0)"
_IN_STORE = """
own.state IN ('created', 'adopted') AND own.pet_id IS NOT NULL
AND (own.shown_at IS NOT NULL OR own.settled_at < :settled_before)
"""


class StorePet(NamedTuple):
    """A pet of the store: its id, its name, the body that would make it, and its likeness."""

    pet_id: int
    name: str
    payload: bytes
    likeness: bytes


class StorePets(NamedTuple):
    """What a reading of the store showed.

    Attributes:
        pets: The pets.
        is_complete: The store was read to its end, as far as it shows.
        is_whole: It was surely read to its end, so what is not there is not in the store.
        problem: Why it was not read at all.
    """

    pets: list[StorePet]
    is_complete: bool = False
    is_whole: bool = False
    problem: PetstoreError | None = None


ReadStore = Callable[[int], StorePets]


class Witness:
    """Holds the rows of one import against a reading of the store.

    Attributes:
        adopted: Pet, payload and likeness of the rows that are pets of the store, by record.
        now: The moment of the reading.
    """

    def __init__(self, animals: Animals, read: ReadStore | None) -> None:
        self._animals, self.now = animals, time.time()
        self.adopted: dict[int, tuple[int, bytes, bytes]] = {}
        self._store = None if read is None else read(animals.count_to_send())
        if self._store is None:
            return
        if self._store.problem:
            # Nothing was sent; whoever cannot wait may leave the store alone.
            self._store.problem.add = ("check_store", False)
            raise self._store.problem
        if not self._store.is_complete:
            animals.facts["store_cut"] = len(self._store.pets)
        self._pets = {pet.pet_id: pet for pet in self._store.pets}
        self._ours: dict[int, int] = {}  # the animal of each pet
        for pet_id in self._pets:
            found = animals.sql.execute("SELECT animal FROM animals WHERE pet_id = ?", [pet_id])
            if (ours := found.fetchone()) is not None:
                self._ours[pet_id] = ours[0]
        self._strangers = {pet for (pet,) in animals.do("SELECT pet_id FROM strangers")}
        self._is_first = not animals.has("SELECT 1 FROM animals")
        self._doubted: dict[int, int] = {}  # the animal in doubt to which a pet is left
        self._others = self._left_by_doubt()

    def _left_by_doubt(self) -> list[StorePet]:
        """Return the pets of others, the new ones first, less those left to rows in doubt."""
        doubt: dict[bytes, deque[int]] = defaultdict(deque)
        for animal, likeness in self._animals.do(
            f"SELECT animal, likeness FROM animals WHERE {IS_DOUBTFUL} ORDER BY animal"
        ):
            doubt[likeness].append(animal)
        others = []
        pets = (pet for pet in self._pets.values() if pet.pet_id not in self._ours)
        for pet in sorted(pets, key=lambda pet: (pet.pet_id in self._strangers, pet.pet_id)):
            if left := doubt.get(pet.likeness):
                self._doubted[pet.pet_id] = left.popleft()
            else:
                others.append(pet)
        return others

    def _is_asked(self) -> bool:
        return self._store is not None and not self._animals.run.copy

    # Which rows are pets of the store

    def find_ids(self) -> None:
        """Ask about rows that carry the ids of pets of this store.

        Those of a fetched frame or an export are these pets whatever their names are now. In
        another list a column ``id`` may hold numbers of its own, so some names must agree.
        """
        animals, header = self._animals, self._animals.run.header
        at = _id_column(header)
        if not self._is_asked() or at is None:
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
        is_ours = {*PET_COLUMNS} <= {*header} or is_many(agreeing, len(found))
        if is_ours and is_many(len(found), len(rows)):
            self._ask([*found.values()], len(rows))

    def find_pets(self) -> None:
        """Ask about rows that equal pets of the store which no row of the file is."""
        animals = self._animals
        if not self._is_asked() or "store" in animals.guesses:
            return
        rows = animals.do(
            f"SELECT rows.record, rows.likeness {TO_SEND} AND {_COMPARED} ORDER BY rows.record"
        ).fetchall()
        if not rows:
            return
        pairs = self._pairs(rows)
        new, theirs = [], []
        for guess in pairs:
            if guess.pet is not None:
                theirs.append(guess)
                if guess.pet not in self._strangers:
                    new.append(guess)
        new_pets = sum(pet.pet_id not in self._strangers for pet in self._others)
        if self._is_nearly_all(pairs, rows, LEAST_OF_OURS):
            self._ask(pairs, len(rows))
        elif self._is_nearly_all(theirs, rows, LEAST_OF_OTHERS) or (theirs and self._is_first):
            self._ask(theirs, len(rows))
        elif is_quarter(len(new), len(rows)) or is_quarter(len(new), new_pets):
            self._ask(new, len(rows))
        else:
            animals.warn("store_few", (guess.record for guess in new))

    def _pairs(self, rows: list[tuple[int, bytes]]) -> list[Guess]:
        """Pair rows with equal pets one to one: first new ones of others, our own last."""
        wanted = {likeness for _, likeness in rows}
        taken = {
            animal
            for (animal,) in self._animals.do(
                "SELECT animal FROM rows WHERE import = :mine AND animal <= :base"
            )
        }
        ours = (pet for pet in self._pets.values() if self._ours.get(pet.pet_id, 0) not in taken)
        free: dict[bytes, deque[StorePet]] = defaultdict(deque)
        for pet in [*self._others, *(pet for pet in ours if pet.pet_id in self._ours)]:
            if pet.likeness in wanted:
                free[pet.likeness].append(pet)
        return [
            self._guess(record, free[likeness].popleft())
            for record, likeness in rows
            if free.get(likeness)
        ]

    def _is_nearly_all(self, pairs: list[Guess], rows: list[tuple[int, bytes]], least: int) -> bool:
        return len(rows) >= least and len(pairs) >= NEARLY_ALL * len(rows)

    def _guess(self, record: int, pet: StorePet) -> Guess:
        animal = self._ours.get(pet.pet_id, self._doubted.get(pet.pet_id))
        return Guess(record, animal, None if animal is not None else pet.pet_id)

    def _ask(self, guesses: list[Guess], of: int) -> None:
        animals = self._animals
        theirs = {guess.record: self._pets[guess.pet] for guess in guesses if guess.pet is not None}
        animals.bodies |= {pet.pet_id: pet.payload for pet in theirs.values()}
        answer = animals.ask("store", guesses, of, "store")
        if answer == "skip":
            self.adopted |= {
                record: (pet.pet_id, pet.payload, pet.likeness) for record, pet in theirs.items()
            }
        elif answer == "send":
            # The key of a request is another one for each animal that is equal to others.
            there = Counter(pet.likeness for pet in self._pets.values())
            animals.lives |= {record: there[pet.likeness] for record, pet in theirs.items()}
            self._note_strangers([pet.pet_id for pet in theirs.values()])

    # Which animals are gone

    def find_gone(self) -> None:
        """Ask about animals of the file that the store showed, and does not show any more."""
        animals, store = self._animals, self._store
        if store is None:
            return
        known = animals.do(
            "SELECT min(rows.record), own.animal, own.pet_id, own.payload FROM rows"
            f" JOIN animals AS own USING (animal) WHERE rows.import = :mine AND {_IN_STORE}"
            " GROUP BY own.animal",
            settled_before=self.now - LAG_S,
        ).fetchall()
        unanswered = animals.do(
            "SELECT min(rows.record), own.animal FROM rows JOIN animals AS own USING (animal)"
            " WHERE rows.import = :mine AND own.state = 'gone' AND own.reason IS NOT 'user'"
            " GROUP BY own.animal"
        ).fetchall()
        missing, renamed = [], []
        for record, animal, pet_id, payload in known:
            pet = self._pets.get(pet_id)
            if pet is None:
                missing.append(Guess(record, animal))
            elif folded_name(pet.name) != name_of(payload):
                renamed.append(Guess(record, animal))
        is_sure = store.is_whole or (store.is_complete and "gone" in animals.answers)
        gone = [Guess(record, animal) for record, animal in unanswered]
        is_lost = is_sure and is_many(len(missing), len(known))
        is_reused = is_quarter(len(renamed), len(known))
        if is_lost or is_reused or gone:
            gone += missing if is_sure else []
            gone += renamed if is_reused else []
        elif is_sure:
            animals.warn("gone_few", (guess.record for guess in missing))
        if gone:
            animals.guesses["gone"] = sorted(gone), len(known) + len(unanswered)
            self._answer_gone(gone, animals.answers.get("gone", animals.otherwise))
        self._count_hidden(gone)

    def _answer_gone(self, gone: list[Guess], answer: str) -> None:
        """Let animals be gone, or send them again under a new life; their old ids are free."""
        numbers = [(guess.animal,) for guess in gone]
        self._animals.sql.executemany(
            "UPDATE animals SET state = 'gone', pet_id = NULL, reason = 'user' WHERE animal = ?",
            numbers,
        )
        if answer == "send":
            self._animals.sql.executemany(
                "UPDATE animals SET state = 'pending', reason = NULL, life = life + 1,"
                " answer = NULL, shown_at = NULL, is_in_doubt = 0 WHERE animal = ?",
                numbers,
            )

    def _count_hidden(self, gone: list[Guess]) -> None:
        """Tell how many pets of this journal the store no longer shows, in whatever file."""
        if self._store is None or not self._store.is_whole:
            return
        shown = self._animals.do(
            f"SELECT own.pet_id FROM animals AS own WHERE {_IN_STORE}",
            settled_before=self.now - LAG_S,
        )
        hidden = sum(pet_id not in self._pets for (pet_id,) in shown)
        if hidden and not gone:
            self._animals.facts["not_shown"] = hidden

    def send_absent(self) -> None:
        """Send absent animals again if the user says so, but none that a pet may be."""
        animals = self._animals
        if self._store is None or animals.answers.get("absent") != "send":
            return
        there = {pet.likeness for pet in self._pets.values() if pet.pet_id not in self._ours}
        absent = animals.do(
            "SELECT animal, likeness FROM animals WHERE import = :mine AND state = 'absent'"
        ).fetchall()
        animals.sql.executemany(
            "UPDATE animals SET state = 'pending', reason = 'user', is_in_doubt = 0"
            " WHERE animal = ?",
            [(animal,) for animal, likeness in absent if likeness not in there],
        )

    # What is remembered of the reading

    def note(self) -> None:
        """Remember the pets of others, which are not compared again, and that the store was read.

        If rows may be such pets, the others are compared with the next file, too.
        """
        animals, store = self._animals, self._store
        if store is None:
            return
        ours = [(self.now, pet_id) for pet_id in self._ours]
        animals.sql.executemany(
            "UPDATE animals SET shown_at = ? WHERE pet_id = ? AND shown_at IS NULL", ours
        )
        if "store" not in animals.guesses:
            adopted = {pet_id for pet_id, *_ in self.adopted.values()}
            new = [pet for pet in self._others if pet.pet_id not in self._strangers | adopted]
            self._tell_twins(new)
            self._note_strangers([pet.pet_id for pet in new])
        if store.is_complete:
            lost = self._strangers - self._pets.keys()
            animals.sql.executemany(
                "DELETE FROM strangers WHERE pet_id = ?", [(pet_id,) for pet_id in lost]
            )
        animals.do(
            "INSERT INTO events (import, at, kind, detail) VALUES (:mine, :now, 'read', :detail)",
            now=self.now,
            detail=json.dumps({"pets": len(self._pets), "is_complete": store.is_complete}),
        )

    def _note_strangers(self, pet_ids: list[int]) -> None:
        self._animals.sql.executemany(
            "INSERT OR IGNORE INTO strangers VALUES (?, ?)",
            [(pet_id, self.now) for pet_id in pet_ids],
        )

    def _tell_twins(self, new: list[StorePet]) -> None:
        """Tell how many new pets of others equal animals of ours that are in the store."""
        if not new or self._is_first:
            return
        animals, twins = self._animals, 0
        animals.do("CREATE INDEX IF NOT EXISTS likenesses ON animals(likeness)")
        for likeness, theirs in Counter(pet.likeness for pet in new).items():
            ((ours,),) = animals.do(
                "SELECT count(*) FROM animals WHERE likeness = :likeness"
                " AND state IN ('created', 'adopted')",
                likeness=likeness,
            ).fetchall()
            twins += min(theirs, ours)
        if twins:
            animals.facts["twins"] = twins


def _id_column(header: tuple[str, ...]) -> int | None:
    """Return the column of a source that may hold the store's ids, if it has one."""
    names = [folded_name(name).replace("_", "").replace(" ", "") for name in header]
    return next((at for at, name in enumerate(names) if name in ("id", "petid")), None)
