"""Which animals that the store has shown are not there any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import Match
from petstore_frame.schema import category_in, name_in


class StoredAnimal(NamedTuple):
    """An animal in the store, of a row of the file, that a reading has shown or should by now."""

    row: int
    animal: int
    pet_id: int
    content: str


class GoneAnimals(NamedTuple):
    """Animals to ask about, few that are only listed, and pets with another name."""

    to_ask: list[Match]
    few: list[Match]
    renamed: list[Match]


NONE_GONE = GoneAnimals([], [], [])


def find_gone(
    shown: Sequence[StoredAnimal],
    contents: Mapping[int, str],
    *,
    is_proof: bool,
) -> GoneAnimals:
    """Find the animals whose pets are not in a listing; ``contents`` has its pets by their ids.

    A pet with another name and category has the id of an animal that is gone; so have many with
    another name. ``is_proof`` says that what the listing lacks is not in the store.
    """
    absent: list[Match] = []
    replaced: list[Match] = []
    renamed: list[Match] = []
    for animal in shown:
        content = contents.get(animal.pet_id)
        match = Match(animal.row, animal.animal)
        if content is None:
            if is_proof:
                absent.append(match)
        elif name_in(content) != name_in(animal.content):
            is_other = category_in(content) != category_in(animal.content)
            (replaced if is_other else renamed).append(match)
    absent += replaced
    are_replaced = is_many(len(renamed), len(shown))
    candidates = [*absent, *renamed] if are_replaced else absent
    if is_many(len(candidates), len(shown)):
        asked = sorted(candidates, key=lambda match: match.row)
        return GoneAnimals(asked, [], [] if are_replaced else renamed)
    return GoneAnimals([], absent, renamed)
