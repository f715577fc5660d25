"""Holds the journal against a reading of the store, made before each load and resume.

A row may be a pet that this journal did not make: a colleague's, or of a journal that was restored
or lost. And an animal that the store showed and no longer shows may be gone, where the store was
restored or emptied. Pets that are left to unconfirmed rows are nobody else's.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from petstore_frame.loader.journal.schema import IS_UNCONFIRMED
from petstore_frame.loader.matching.by_content import pair_equal
from petstore_frame.loader.matching.gone import StoredAnimal
from petstore_frame.loader.matching.match import DECIDED
from petstore_frame.loader.matching.values import CREATE, SKIP, Match, Pet
from petstore_frame.schema import category_in, name_in

# A pet that no reading showed yet may be missing from a copy of the store that lags behind.
LAG_S = 3600.0
# In the place of a header: the pets of others that were there before the first load.
_FIRST = "first"
# Pets that a reading has shown, or should have by now.
_WAS_SHOWN = "(own.shown_at IS NOT NULL OR own.settled_at < :settled_before)"
_ANIMALS_HERE = f"""
SELECT min(rows.row), own.animal, own.pet_id, own.content, own.state, own.reason
FROM rows JOIN animals AS own USING (animal) WHERE rows.import = :mine
AND (rows.reason IS NULL OR own.import = rows.import AND own.row = rows.row)
AND (own.state = 'gone' OR own.state = 'pending' AND own.last_pet_id IS NOT NULL
  OR own.state IN ('created', 'matched') AND own.pet_id IS NOT NULL AND {_WAS_SHOWN})
GROUP BY own.animal
"""
_SHOWN_ELSEWHERE = f"""
SELECT own.pet_id, CAST(own.payload AS TEXT), imports.source FROM animals AS own
JOIN imports USING (import)
WHERE own.state IN ('created', 'matched') AND own.pet_id IS NOT NULL AND {_WAS_SHOWN}
  AND own.animal NOT IN (SELECT animal FROM rows WHERE import = :mine AND animal IS NOT NULL)
"""
# An id that an animal had, and that shows the same pet again.
_SEEN_AGAIN = """
UPDATE animals SET state = 'created', pet_id = last_pet_id, reason = NULL, shown_at = :now
WHERE state = 'gone' AND last_pet_id = :pet AND content = :content
  AND NOT EXISTS (SELECT 1 FROM animals AS owner WHERE owner.pet_id = :pet)
"""
_GONE = """
UPDATE animals SET state = 'gone', reason = 'user', answer = NULL,
  last_pet_id = coalesce(pet_id, last_pet_id), pet_id = NULL WHERE animal = ?
"""
_CREATE_AGAIN = """
UPDATE animals SET state = 'pending', reason = 'recreated', life = life + 1, answer = NULL,
  shown_at = NULL, may_have_been_applied = 0 WHERE animal = ?
"""


def settled_before(now: float) -> float:
    """Return the moment before which an animal was settled that each reading should show."""
    return now - LAG_S


class StorePet(NamedTuple):
    """A pet of the store: its id, its name, the body that would make it, and its content."""

    pet_id: int
    name: str
    payload: bytes
    content: str


class StorePets(NamedTuple):
    """What a reading of the store showed."""

    pets: dict[int, StorePet]
    is_complete: bool = False  # it was read to its end, as far as it shows
    is_whole: bool = False  # surely, so that what is not there is not in the store
    requests: int = 0
    store_id: str | None = None  # what the store calls itself


ReadStore = Callable[[int], StorePets]


def restore_seen_again(sql: sqlite3.Connection, store: StorePets, now: float) -> None:
    """Give animals that were gone their pets back, where a reading shows these again."""
    gone = sql.execute(
        "SELECT last_pet_id FROM animals WHERE state = 'gone' AND last_pet_id IS NOT NULL"
    ).fetchall()
    for (pet_id,) in gone:
        pet = store.pets.get(pet_id)
        if pet is not None:
            named = {"now": now, "pet": pet_id, "content": pet.content}
            sql.execute(_SEEN_AGAIN, named)


def animals_in_store(
    sql: sqlite3.Connection, number: int, named_answers: Mapping[str, str], now: float
) -> tuple[list[StoredAnimal], list[Match]]:
    """Return the animals of a file that the store has shown, and those that are gone, or were.

    ``named_answers`` reverse what was answered about animals that are gone.
    """
    named = {"mine": number, "settled_before": settled_before(now)}
    shown: list[StoredAnimal] = []
    open_matches: list[Match] = []
    for row, animal, pet_id, content, state, reason in sql.execute(_ANIMALS_HERE, named):
        match = Match(row, animal)
        if state == "pending":
            if named_answers.get("gone") == SKIP:
                open_matches.append(match)
        elif state == "gone":
            if reason != DECIDED or named_answers.get("gone") == CREATE:
                open_matches.append(match)
        else:
            shown.append(StoredAnimal(row, animal, pet_id, content))
    return shown, open_matches


def answer_gone(sql: sqlite3.Connection, animals: Collection[int], answer: str) -> None:
    """Let animals be gone, or send them again under a new life; their ids are free."""
    values = [(animal,) for animal in animals]
    sql.executemany(_GONE, values)
    if answer == CREATE:
        sql.executemany(_CREATE_AGAIN, values)


def pets_of_listing(sql: sqlite3.Connection, store: StorePets, header: str | None) -> list[Pet]:
    """Return the pets of a reading with what the journal knows of each.

    A pet with another name and category than the animal that had its id is somebody else's.
    ``header`` is that of the file; None forgets what was answered for its files.
    """
    owners: dict[int, int] = {}
    for pet_id, animal, content in _owners(sql, store.pets):
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
    left_to = pair_equal(((pet.id, pet.content) for pet in others), unconfirmed)
    others = [pet._replace(animal=left_to.get(pet.id)) for pet in others]
    return [*others, *(pet for pet in pets if pet.animal is not None)]


def _seen_contents(sql: sqlite3.Connection, header: str) -> dict[int, str]:
    """Return the contents of pets when a load saw them that got past its questions."""
    found = sql.execute("SELECT pet_id, content FROM other_pets WHERE header = ?", [header])
    return dict(found.fetchall())


def _owners(sql: sqlite3.Connection, pets: Collection[int]) -> list[tuple[int, int, str]]:
    query = (
        "SELECT pet_id, animal, content FROM json_each(?) AS of JOIN animals ON pet_id = of.value"
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
    """Remember what a load that got past its questions has seen.

    With a ``header``, the pets of others are decided for its files alone; None remembers none,
    as rows of the next file may be some of them. Those that the ``is_first`` load leaves to others
    were not added since.
    """
    shown = [(now, pet.id) for pet in pets if pet.animal is not None]
    sql.executemany("UPDATE animals SET shown_at = ? WHERE pet_id = ? AND shown_at IS NULL", shown)
    if header is not None:
        if header:  # all pets of the reading are decided for its files
            new = [pet for pet in pets if not pet.is_decided]
        else:
            new = [pet for pet in pets if pet.animal is None and pet.is_new]
        _note_pets(sql, new, header, now)
    if is_first:
        _note_pets(sql, [pet for pet in pets if pet.animal is None], _FIRST, now)
    if store.is_complete:
        known = {pet_id for (pet_id,) in sql.execute("SELECT pet_id FROM other_pets")}
        lost = [(pet_id,) for pet_id in known - store.pets.keys()]
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
    """Return how many pets equal ours and were added by somebody else since the first load."""
    decided = {*sql.execute("SELECT pet_id, content FROM other_pets WHERE header <> ''")}
    others = Counter(
        pet.content for pet in pets if pet.animal is None and (pet.id, pet.content) not in decided
    )
    if not others:
        return 0
    ours = sql.execute(
        "SELECT content, count(*) FROM json_each(?) AS of JOIN animals ON content = of.value"
        " WHERE state IN ('created', 'matched') GROUP BY content",
        [json.dumps(list(others))],
    )
    return sum(min(others[content], count) for content, count in ours)


def gone_elsewhere(
    sql: sqlite3.Connection, number: int, store: StorePets, now: float
) -> list[dict[str, Any]]:
    """Return the animals of other files that a whole listing lacks: names, files and ids."""
    if not store.is_whole:
        return []
    named = {"mine": number, "settled_before": settled_before(now)}
    return [
        {"pet_id": pet_id, "name": json.loads(body)["name"], "source": source}
        for pet_id, body, source in sql.execute(_SHOWN_ELSEWHERE, named)
        if pet_id not in store.pets
    ]
