"""Rows, animals and pets made by hand, for one rule at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from petstore_frame.loader.matching.folding import content_of, name_in
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.matching.key_texts import key_texts
from petstore_frame.loader.matching.values import Animal, Candidates, Pet, Row


def stored(*key: str) -> str:
    """Return a key as a journal stores it."""
    return json.dumps(list(key))


def row(
    number: int, name: str | None = None, category: int = 1, key: str | None = None, **facts: Any
) -> Row:
    """Return a row that would be sent as a new animal, or one that cannot be for no name."""
    status = facts.pop("status", "available")
    return Row(
        number=number,
        line=number + 1,
        content=content_of(name, category) if name is not None else None,
        payload=_payload(name, category, status) if name is not None else None,
        key=None if key is None else stored(key),
        core=None if key is None else core_of_key([key]),
    )._replace(**facts)


def animal(
    id: int, name: str, category: int = 1, *keys: str, status: str = "available", **facts: Any
) -> Animal:
    """Return an animal of an earlier file that was sent."""
    return Animal(
        id=id,
        content=content_of(name, category),
        payload=_payload(name, category, status),
        keys=tuple(stored(key) for key in keys),
    )._replace(**facts)


def pet(id: int, name: str, category: int = 1) -> Pet:
    """Return a pet of the store that is no animal of the journal."""
    return Pet(id, name, _payload(name, category, "available"), content_of(name, category))


def candidates(
    rows: Iterable[Row], animals: Sequence[Animal] = (), pets: Iterable[Pet] = (), **facts: Any
) -> Candidates:
    """Return rows with all animals and pets that they may be, as a journal would find them."""
    rows = tuple(rows)
    keys, own = {row.key for row in rows}, {row.own for row in rows}
    by_key, by_core = defaultdict[str, list](list), defaultdict[str, list](list)
    by_content, by_name = defaultdict[str, list](list), defaultdict[str, list](list)
    for animal in animals:
        for key in animal.keys:
            by_key[key].append(animal)
            if key not in keys:
                by_core[core_of_key(key_texts(key)) or ""].append(animal)
        if animal.id not in own and keys.isdisjoint(animal.keys):
            by_content[animal.content or ""].append(animal)
            by_name[name_in(animal.content or "")].append(animal)
    return Candidates(
        rows=rows,
        by_key=by_key,
        by_core=by_core,
        by_content=by_content,
        by_name=by_name,
        open_rows=sum(row.can_be_sent and row.own is None for row in rows),
        pets={pet.id: pet for pet in pets},
        **{"has_key": any(row.key is not None for row in rows)} | facts,
    )


def _payload(name: str, category: int, status: str) -> bytes:
    return f'{{"name":"{name}","categoryId":{category},"status":"{status}"}}'.encode()
