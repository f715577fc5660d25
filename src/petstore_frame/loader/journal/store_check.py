"""Compares the journal with a reading of the store before each load and resume.

A row may be a pet that was not created with this journal: by a colleague, or with a journal that
was restored or lost. An animal that is no longer in the store may be gone, because the store was
restored or emptied. A pet that may belong to an unconfirmed row is not offered to other rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from petstore_frame.loader.journal.rows import (
    GONE,
    GONE_ANIMALS,
    GONE_ELSEWHERE,
    GONE_ELSEWHERE_ANIMALS,
)
from petstore_frame.loader.journal.schema import IS_UNCONFIRMED
from petstore_frame.loader.matching.by_content import pair_equal
from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.matching.gone import StoredAnimal
from petstore_frame.loader.matching.match import DECIDED
from petstore_frame.loader.matching.values import CREATE, SKIP, Match, Pet

MAX_NAMED = 20  # animals that are gone, with their names
# A new pet may still be missing from a replica of the store that lags behind.
LAG_S = 3600.0
# Instead of a header: pets without an animal that were in the store before the first load.
_FIRST = "first"
# Whether a reading has shown the pet of an animal, or should have shown it by now.
_SHOULD_BE_LISTED = "(animals.shown_at IS NOT NULL OR animals.settled_at < :settled_before)"
# The animals of the file that the store has shown, and those that are gone or were created again.
_ANIMALS_OF_FILE = f"""
SELECT min(rows.row), animals.animal, animals.pet_id, animals.content, animals.state, animals.reason
FROM rows JOIN animals USING (animal) WHERE rows.import = :mine
AND (rows.reason IS NULL OR animals.import = rows.import AND animals.row = rows.row)
AND (animals.state = 'gone' OR animals.state = 'pending' AND animals.last_pet_id IS NOT NULL
  OR animals.state IN ('created', 'matched') AND animals.pet_id IS NOT NULL AND {_SHOULD_BE_LISTED})
GROUP BY animals.animal
"""
# The animals of other files that the store has shown, or whose ids it gave to other pets.
_ANIMALS_OF_OTHER_FILES = f"""
SELECT coalesce(animals.pet_id, animals.last_pet_id), CAST(animals.payload AS TEXT), imports.source,
  animals.state = 'gone'
FROM animals JOIN imports USING (import)
WHERE (animals.state IN ('created', 'matched') AND animals.pet_id IS NOT NULL
    AND {_SHOULD_BE_LISTED} OR animals.state = 'gone' AND animals.reason = 'id_given_again')
  AND animals.animal NOT IN (SELECT animal FROM rows WHERE import = :mine AND animal IS NOT NULL)
"""
# The animals whose ids the store gave to other pets, with their lines in a file.
_IDS_GIVEN_AGAIN = """
SELECT animals.last_pet_id, CAST(animals.payload AS TEXT), imports.source,
  (SELECT min(line) FROM rows WHERE rows.import = :mine AND rows.animal = animals.animal)
FROM animals JOIN imports USING (import)
WHERE animals.state = 'gone' AND animals.reason = 'id_given_again' ORDER BY animals.animal
"""
# Restores an animal that was gone, if its id shows a pet with the same content again.
_SEEN_AGAIN = """
UPDATE animals SET state = 'created', pet_id = last_pet_id, reason = NULL, shown_at = :now
WHERE state = 'gone' AND last_pet_id = :pet AND content = :content
  AND NOT EXISTS (SELECT 1 FROM animals AS owner WHERE owner.pet_id = :pet)
"""
# Marks an animal as gone after the user confirmed it, and frees its pet id.
_MARK_GONE = """
UPDATE animals SET state = 'gone', reason = 'user', answer = NULL,
  last_pet_id = coalesce(pet_id, last_pet_id), pet_id = NULL WHERE animal = ?
"""
# Makes an animal that is gone pending again.
_CREATE_AGAIN = """
UPDATE animals SET state = 'pending', reason = 'recreated', life = life + 1, answer = NULL,
  shown_at = NULL, may_have_been_applied = 0 WHERE animal = ?
"""
# The earlier ids of animals that were created again.
_EARLIER_IDS = """
SELECT last_pet_id, animal, content FROM animals
WHERE last_pet_id IS NOT NULL AND state IN ('created', 'matched')
"""


def settled_before(now: float) -> float:
    """Return the time before which settled animals must be in every reading of the store."""
    return now - LAG_S


class StorePet(NamedTuple):
    """A pet of the store, with the request body that would create it, and its content."""

    pet_id: int
    name: str
    payload: bytes
    content: str


class StorePets(NamedTuple):
    """The pets in a reading of the store."""

    pets: dict[int, StorePet]
    is_complete: bool = False  # it was read to its end, as far as we can tell
    is_whole: bool = False  # it is proven complete: a pet that it lacks is not in the store
    requests: int = 0
    store_id: str | None = None  # the id that the store gives itself
    doubt: str | None = None  # why a complete reading is not whole


ReadStore = Callable[[int], StorePets]


def restore_seen_again(sql: sqlite3.Connection, store: StorePets, now: float) -> None:
    """Restore animals that were gone if a reading shows their pets again."""
    gone = sql.execute(
        "SELECT last_pet_id FROM animals WHERE state = 'gone' AND last_pet_id IS NOT NULL"
    ).fetchall()
    for (pet_id,) in gone:
        pet = store.pets.get(pet_id)
        if pet is not None:
            named_values = {"now": now, "pet": pet_id, "content": pet.content}
            sql.execute(_SEEN_AGAIN, named_values)


def animals_in_store(
    sql: sqlite3.Connection, number: int, named_answers: Mapping[str, str], now: float
) -> tuple[list[StoredAnimal], list[Match]]:
    """Return the animals of a file that the store has shown, and those to ask about as gone.

    ``named_answers`` are the answers that the user gave for a named case. They revert earlier
    answers about animals that are gone.
    """
    parameters = {"mine": number, "settled_before": settled_before(now)}
    stored_animals: list[StoredAnimal] = []
    open_matches: list[Match] = []
    for row, animal, pet_id, content, state, reason in sql.execute(_ANIMALS_OF_FILE, parameters):
        match = Match(row, animal)
        if state == "pending":
            if named_answers.get("gone") == SKIP:
                open_matches.append(match)
        elif state == "gone":
            if reason != DECIDED or named_answers.get("gone") == CREATE:
                open_matches.append(match)
        else:
            stored_animals.append(StoredAnimal(row, animal, pet_id, content))
    return stored_animals, open_matches


def answer_gone(sql: sqlite3.Connection, animals: Collection[int], answer: str) -> None:
    """Mark animals as gone and free their pet ids; with ``create``, make them pending again."""
    values = [(animal,) for animal in animals]
    sql.executemany(_MARK_GONE, values)
    if answer == CREATE:
        sql.executemany(_CREATE_AGAIN, values)


def pets_of_listing(sql: sqlite3.Connection, store: StorePets, header: str | None) -> list[Pet]:
    """Return the pets of a reading, with the animal and the earlier answers of each.

    A pet whose name and category both differ from the animal with its id is not that animal.
    A pet with an id that an animal had before it was created again is still that animal.
    ``header`` is the header of the file; None ignores the answers for files with this header.
    """
    owners: dict[int, int] = {
        pet_id: animal
        for pet_id, animal, content in sql.execute(_EARLIER_IDS)
        if pet_id in store.pets and store.pets[pet_id].content == content
    }
    for pet_id, animal, content in _owners(sql, store.pets):
        owners.pop(pet_id, None)
        pet = store.pets[pet_id]
        is_other = name_in(content) != name_in(pet.content) and (
            category_in(content) != category_in(pet.content)
        )
        if not is_other:
            owners[pet_id] = animal
    seen_contents = _seen_contents(sql, "")
    decided_contents = {} if header is None else _seen_contents(sql, header)
    pets = []
    for pet in store.pets.values():
        is_decided = decided_contents.get(pet.pet_id) == pet.content
        is_new = not is_decided and seen_contents.get(pet.pet_id) != pet.content
        owner = owners.get(pet.pet_id)
        pets.append(Pet(pet.pet_id, pet.name, pet.payload, pet.content, owner, is_new, is_decided))
    others = [pet for pet in pets if pet.animal is None]
    others.sort(key=lambda pet: (not pet.is_new, pet.id))
    unconfirmed = sql.execute(
        f"SELECT content, animal FROM animals WHERE {IS_UNCONFIRMED} ORDER BY animal"
    )
    unconfirmed_animals = pair_equal(((pet.id, pet.content) for pet in others), unconfirmed)
    others = [pet._replace(animal=unconfirmed_animals.get(pet.id)) for pet in others]
    return [*others, *(pet for pet in pets if pet.animal is not None)]


def _seen_contents(sql: sqlite3.Connection, header: str) -> dict[int, str]:
    """Return the contents in ``other_pets`` for a header, by pet id."""
    records = sql.execute("SELECT pet_id, content FROM other_pets WHERE header = ?", [header])
    return dict(records.fetchall())


def _owners(sql: sqlite3.Connection, pets: Collection[int]) -> list[tuple[int, int, str]]:
    """Return the pet id, animal and content of animals that have some pets."""
    query = (
        "SELECT pet_id, animal, content"
        " FROM json_each(?) AS wanted JOIN animals ON pet_id = wanted.value"
    )
    return sql.execute(query, [json.dumps(list(pets))]).fetchall()


def note_reading(
    sql: sqlite3.Connection,
    number: int,
    store: StorePets,
    pets: Sequence[Pet],
    header: str | None,
    now: float,
    *,
    is_first: bool,
) -> None:
    """Store which pets a load saw, once all its questions are answered.

    Args:
        sql: A connection with an open transaction.
        number: The import.
        store: The reading of the store.
        pets: Its pets, with the animal of each.
        header: The header of the file if the user said that its rows are other animals than these
            pets; empty to store pets without an animal as seen; None to store none, because rows of
            the next file may be these pets.
        now: The time of the reading, in seconds since 1970.
        is_first: Whether this is the first load of the journal: pets that it leaves without an
            animal were not added since.
    """
    listed_pets = [(now, pet.id) for pet in pets if pet.animal is not None]
    sql.executemany(
        "UPDATE animals SET shown_at = ? WHERE pet_id = ? AND shown_at IS NULL", listed_pets
    )
    if header is not None:
        if header:  # the answer applies to all pets of the reading
            new = [pet for pet in pets if not pet.is_decided]
        else:
            new = [pet for pet in pets if pet.animal is None and pet.is_new]
        _note_pets(sql, new, header, now)
    if is_first:
        _note_pets(sql, [pet for pet in pets if pet.animal is None], _FIRST, now)
    if store.is_complete:
        stored_ids = {pet_id for (pet_id,) in sql.execute("SELECT pet_id FROM other_pets")}
        lost = [(pet_id,) for pet_id in stored_ids - store.pets.keys()]
        sql.executemany("DELETE FROM other_pets WHERE pet_id = ?", lost)
    detail = json.dumps({"pets": len(store.pets), "is_complete": store.is_complete})
    sql.execute(
        "INSERT INTO events (import, at, kind, detail) VALUES (?, ?, 'read', ?)",
        [number, now, detail],
    )


def _note_pets(sql: sqlite3.Connection, pets: Sequence[Pet], header: str, now: float) -> None:
    sql.executemany(
        "INSERT OR REPLACE INTO other_pets VALUES (?, ?, ?, ?)",
        [(pet.id, header, pet.content, now) for pet in pets],
    )


def count_added_elsewhere(sql: sqlite3.Connection, pets: Sequence[Pet]) -> int:
    """Return how many pets that others added since the first load equal loaded animals."""
    decided = {*sql.execute("SELECT pet_id, content FROM other_pets WHERE header <> ''")}
    others = Counter(
        pet.content for pet in pets if pet.animal is None and (pet.id, pet.content) not in decided
    )
    if not others:
        return 0
    loaded = sql.execute(
        "SELECT content, count(*)"
        " FROM json_each(?) AS wanted JOIN animals ON content = wanted.value"
        " WHERE state IN ('created', 'matched') GROUP BY content",
        [json.dumps(list(others))],
    )
    return sum(min(others[content], count) for content, count in loaded)


def gone_elsewhere(
    sql: sqlite3.Connection, number: int, store: StorePets, now: float
) -> list[dict[str, Any]]:
    """Return the animals of other files that are missing from a complete listing.

    If its completeness rests on an assumption, so does their absence.
    """
    if not store.is_complete:
        return []
    parameters = {"mine": number, "settled_before": settled_before(now)}
    return [
        {"pet_id": pet_id, "name": json.loads(body)["name"], "source": source}
        for pet_id, body, source, is_gone in sql.execute(_ANIMALS_OF_OTHER_FILES, parameters)
        if is_gone or pet_id not in store.pets
    ]


def note_ids_given_again(sql: sqlite3.Connection, number: int) -> None:
    """List the animals whose ids the store gave to other pets among those that are gone.

    The facts of the import have the animals of its rows, and those of other files.
    """
    ((stored_facts,),) = sql.execute("SELECT warnings FROM imports WHERE import = ?", [number])
    facts = json.loads(stored_facts or "{}")
    lines = facts.setdefault(GONE, [])
    animals = facts.setdefault(GONE_ANIMALS[GONE], [])
    elsewhere = facts.setdefault(GONE_ELSEWHERE_ANIMALS, [])
    listed_ids = {animal["pet_id"] for animal in elsewhere}
    for pet_id, body, source, line in sql.execute(_IDS_GIVEN_AGAIN, {"mine": number}):
        animal = {"name": json.loads(body)["name"], "source": source}
        if line is None and pet_id not in listed_ids:
            facts[GONE_ELSEWHERE] = facts.get(GONE_ELSEWHERE, 0) + 1
            elsewhere.append({"pet_id": pet_id, **animal})
        elif line is not None and line not in lines:
            lines.append(line)
            animals.append(animal)
    for name in (GONE_ANIMALS[GONE], GONE_ELSEWHERE_ANIMALS):
        facts[name] = facts[name][:MAX_NAMED]
    found = {name: value for name, value in facts.items() if value}
    sql.execute("UPDATE imports SET warnings = ? WHERE import = ?", [json.dumps(found), number])
