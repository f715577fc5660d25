"""Compares the journal with a reading of the store before each load.

A pet of the store may be no animal of this journal: a colleague made it, or a journal was lost. An
animal that a complete reading lacks is gone: the store was restored or emptied, or somebody removed
the pet.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from petstore_frame.loader.journal.candidates import ListedPets
from petstore_frame.loader.journal.schema import IS_ANIMAL, IS_UNCONFIRMED
from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.matching.pairing import pair_equal
from petstore_frame.loader.matching.values import Pet

# A new pet may still be missing from a replica of the store that lags behind.
LAG_S = 3600.0
# Animals with their pets; an animal without an id may still be under its last one.
_ANIMALS_WITH_PETS = f"""
SELECT animal, coalesce(pet_id, last_pet_id), pet_id IS NOT NULL, content, gone_at IS NOT NULL,
  shown_at IS NOT NULL, shown_at IS NOT NULL OR settled_at < :settled_before
FROM animals WHERE {IS_ANIMAL} AND coalesce(pet_id, last_pet_id) IS NOT NULL
ORDER BY pet_id IS NULL
"""


class StorePets(NamedTuple):
    """The pets in a reading of the store."""

    pets: dict[int, Pet]
    is_complete: bool = False  # it was read to its end, as far as we can tell
    is_whole: bool = False  # it is proven complete: a pet that it lacks is not in the store
    requests: int = 0
    store_id: str | None = None  # the id that the store gives itself


def is_another_animal(content: str | None, pet: Pet) -> bool:
    """Return whether a pet differs from the animal with its id in name and category."""
    if content is None:
        return False
    has_other_name = name_in(content) != name_in(pet.content)
    return has_other_name and category_in(content) != category_in(pet.content)


def compare_animals(sql: sqlite3.Connection, store: StorePets, now: float) -> None:
    """Store which animals a reading shows, and which are gone from the store.

    An animal is gone if a reading that is proven complete lacks its pet, or if its id is that of a
    pet with another name and category. Any reading that shows the pet ends this, unless the store
    gave its id to an animal that was loaded since.
    """
    shown: list[tuple[int]] = []
    gone: list[tuple[float, int]] = []
    restored: list[tuple[int, int]] = []
    owned: set[int] = set()  # ids of pets that an animal has
    for animal, pet_id, has_id, content, is_gone, was_shown, should_be_listed in sql.execute(
        _ANIMALS_WITH_PETS, {"settled_before": now - LAG_S}
    ):
        pet = store.pets.get(pet_id)
        if has_id:
            is_shown = pet is not None and not is_another_animal(content, pet)
        else:
            is_shown = pet is not None and pet.content == content and pet_id not in owned
        is_lost = should_be_listed and (pet is not None or store.is_whole)
        if is_shown:
            if not has_id:
                restored.append((pet_id, animal))
            if is_gone or not was_shown:
                shown.append((animal,))
        elif is_lost and not is_gone:
            gone.append((now, animal))
        if is_shown or not (is_lost or is_gone):
            owned.add(pet_id)
    sql.executemany("UPDATE animals SET gone_at = ? WHERE animal = ?", gone)
    sql.executemany(
        f"UPDATE animals SET gone_at = NULL, shown_at = coalesce(shown_at, {now}) WHERE animal = ?",
        shown,
    )
    for pet_id, animal in restored:
        # The owner of the id shows another pet now, so it is gone, and the earlier animal is back.
        sql.execute(
            "UPDATE animals SET pet_id = NULL, last_pet_id = pet_id WHERE pet_id = ?"
            " AND gone_at IS NOT NULL",
            [pet_id],
        )
        sql.execute(
            "UPDATE animals SET pet_id = last_pet_id, last_pet_id = NULL WHERE animal = ?",
            [animal],
        )


def list_pets(sql: sqlite3.Connection, store: StorePets) -> ListedPets:
    """Return the pets of a reading: those of animals, and those that are no animal.

    A pet that may belong to an unconfirmed animal is not offered to rows.
    """
    animals: dict[int, int] = {}
    query = "SELECT pet_id, animal, content FROM animals WHERE pet_id IS NOT NULL"
    for pet_id, animal, content in sql.execute(query):
        pet = store.pets.get(pet_id)
        if pet is not None and not is_another_animal(content, pet):
            animals[pet_id] = animal
    others = {pet_id: pet for pet_id, pet in store.pets.items() if pet_id not in animals}
    unconfirmed = sql.execute(
        f"SELECT content, animal FROM animals WHERE {IS_UNCONFIRMED} ORDER BY animal"
    )
    newest_first = sorted(others.items(), reverse=True)
    pairs = pair_equal(((pet_id, pet.content) for pet_id, pet in newest_first), unconfirmed)
    return ListedPets(
        {pet_id: pet for pet_id, pet in others.items() if pet_id not in pairs}, animals | pairs
    )


def note_reading(
    sql: sqlite3.Connection, number: int, store: StorePets, pets: Mapping[int, Pet], now: float
) -> None:
    """Store that a load read the store, and which pets without an animal it saw.

    Args:
        sql: A connection with an open transaction.
        number: The import.
        store: The reading of the store.
        pets: Its pets without an animal.
        now: The time of the reading, in seconds since 1970.
    """
    sql.executemany(
        "INSERT INTO other_pets VALUES (?, ?, ?) ON CONFLICT (pet_id) DO UPDATE"
        " SET content = excluded.content, seen_at = excluded.seen_at"
        " WHERE content <> excluded.content",
        [(pet.id, pet.content, now) for pet in pets.values()],
    )
    detail = json.dumps({"pets": len(store.pets), "is_complete": store.is_complete})
    sql.execute(
        "INSERT INTO events (import, at, kind, detail) VALUES (?, ?, 'read', ?)",
        [number, now, detail],
    )
