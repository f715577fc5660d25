"""Rows, animals and pets made by hand, for one rule at a time."""

from __future__ import annotations

import json
from typing import Any

from petstore_frame.loader.matching.folding import content_of
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.matching.values import Animal, Pet, Row


def stored(*key: str) -> str:
    """Return a key as a journal stores it."""
    return json.dumps(list(key))


def row(
    number: int, name: str | None = None, category: int = 1, key: str | None = None, **facts: Any
) -> Row:
    """Return a row that would be sent as a new animal, or one that cannot be for no name."""
    can_be_sent = name is not None
    content = content_of(name, category) if name is not None else None
    status = facts.pop("status", "available")
    return Row(
        number=number,
        line=number + 1,
        content=content,
        payload=f'{{"name":"{name}","categoryId":{category},"status":"{status}"}}'.encode()
        if can_be_sent
        else None,
        key=None if key is None else stored(key),
        core=None if key is None else core_of_key([key]),
        animal=1000 + number,
    )._replace(**{"is_to_send": can_be_sent, "has_problem": not can_be_sent} | facts)


def animal(
    id: int, name: str, category: int = 1, *keys: str, status: str = "available", **facts: Any
) -> Animal:
    """Return an animal of an earlier file that was sent."""
    return Animal(
        id=id,
        content=content_of(name, category),
        payload=f'{{"name":"{name}","categoryId":{category},"status":"{status}"}}'.encode(),
        keys=tuple(stored(key) for key in keys),
        cores=tuple(core_of_key([key]) for key in keys),
    )._replace(**facts)


def pet(id: int, name: str, category: int = 1, **facts: Any) -> Pet:
    """Return a pet of somebody else that no load has seen yet."""
    payload = f'{{"name":"{name}","categoryId":{category}}}'.encode()
    return Pet(id, name, payload, content_of(name, category))._replace(**facts)
