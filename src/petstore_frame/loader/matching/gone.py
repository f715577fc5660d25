"""Finds animals that were in the store and are gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import Match


class StoredAnimal(NamedTuple):
    """The animal of a row, whose pet must be in a reading of the store unless it is gone."""

    row: int
    animal: int
    pet_id: int
    content: str


class GoneAnimals(NamedTuple):
    """Animals to ask about, animals to warn about, and animals with another name."""

    to_ask: list[Match]
    few: list[Match]
    renamed: list[Match]
    unproven: list[Match]  # gone only if the listing is complete, which rests on an assumption


def find_gone(
    stored_animals: Sequence[StoredAnimal],
    contents: Mapping[int, str],
    *,
    is_proof: bool,
    is_assumed_proof: bool = False,
) -> GoneAnimals:
    """Find the animals whose pets are missing from a listing.

    ``contents`` maps the ids of the listing to contents. If a pet has another name and another
    category than the animal with its id, the animal is gone. So are animals with only another name,
    if there are many. ``is_proof`` says that a pet that the listing lacks is not in the store, and
    ``is_assumed_proof`` that this is so if the store fills its pages.
    """
    absent: list[Match] = []
    unproven: list[Match] = []
    replaced: list[Match] = []
    renamed: list[Match] = []
    for animal in stored_animals:
        content = contents.get(animal.pet_id)
        match = Match(animal.row, animal.animal)
        if content is None:
            if is_proof:
                absent.append(match)
            elif is_assumed_proof:
                unproven.append(match)
        elif name_in(content) != name_in(animal.content):
            is_other = category_in(content) != category_in(animal.content)
            (replaced if is_other else renamed).append(match)
    absent += replaced
    are_replaced = is_many(len(renamed), len(stored_animals))
    candidates = [*absent, *renamed] if are_replaced else absent
    if is_many(len(candidates), len(stored_animals)):
        to_ask = sorted(candidates, key=lambda match: match.row)
        return GoneAnimals(to_ask, [], [] if are_replaced else renamed, unproven)
    return GoneAnimals([], absent, renamed, unproven)
