"""Which pet of the store a row may be: by the id that it carries, or by its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.by_content import pair_equal
from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import Match, Pet, Row
from petstore_frame.schema import fold, name_in

# From so many rows with different contents on, nine in ten that equal any pets are no coincidence.
_LEAST_CONTENTS, _NEARLY_ALL = 5, 0.9


class StoreMatches(NamedTuple):
    """Rows to ask about, few that are only listed, and rows that surely are these pets."""

    to_ask: list[Match]
    few: list[Match]
    certain: Sequence[Match] = ()


def match_ids(
    rows: Sequence[Row],
    pet_ids: Mapping[int, int],
    pets: Mapping[int, Pet],
    *,
    is_export: bool,
    of: int,
    is_marked: bool = False,
) -> StoreMatches:
    """Match rows with the pets whose ids they carry.

    A file that was exported from this store says so (``is_marked``): a row with the id and the
    name of a pet is that pet, and many with another name are asked about. A file with the columns
    of an export (``is_export``) that does not say from which store it is asks about any pet with
    the name of its row. A column of any other list that is called ``id`` may hold numbers of its
    own, so the names of many must agree.
    """
    matches: dict[int, Match] = {}
    agreeing: list[Match] = []
    for row in rows:
        pet_id = pet_ids.get(row.number)
        if pet_id is None or pet_id not in pets or pet_id in matches:
            continue
        if pets[pet_id].is_decided:
            continue
        pet = pets[pet_id]
        match = pet_match(row.number, pet)
        matches[pet_id] = match
        if row.content is not None and name_in(row.content) == fold(pet.name):
            agreeing.append(match)
    found = list(matches.values())
    if is_marked:
        others = [match for match in found if match not in agreeing]
        if is_many(len(others), of):
            return StoreMatches(others, [], agreeing)
        return StoreMatches([], others, agreeing)
    if is_export:
        others = [match for match in found if match not in agreeing]
        if is_many(len(others), of):
            return StoreMatches(found, [])
        return StoreMatches(agreeing, others)
    if is_many(len(agreeing), len(found)) and is_many(len(found), of):
        return StoreMatches(found, [])
    return StoreMatches([], [])


def match_equal_pets(
    rows: Sequence[Row], pets: Sequence[Pet], of: int, *, is_first: bool = False
) -> StoreMatches:
    """Match rows with pets of equal content, each once, new pets of others first.

    Before the ``is_first`` load any match is asked about, once.
    ``of`` is the number of rows that would be sent. Rows whose name is from ``defaults`` equal
    many pets by chance.
    """
    rows = [row for row in rows if not row.has_default_name]
    new = [pet for pet in pets if pet.is_new and pet.animal is None]
    old = [pet for pet in pets if not (pet.is_new and pet.animal is None)]
    pairs = pair_equal(
        ((row.number, row.content) for row in rows),
        ((pet.content, pet) for pet in (*new, *old)),
    )
    contents = {row.number: row.content for row in rows}
    is_nearly_all = (
        len({contents[number] for number in pairs}) >= _LEAST_CONTENTS
        and len(pairs) >= _NEARLY_ALL * of
    )
    if is_nearly_all:
        return StoreMatches([pet_match(row, pet) for row, pet in pairs.items()], [])
    found = [pet_match(row, pet) for row, pet in pairs.items() if pet.is_new and pet.animal is None]
    if is_many(len(found), of) or (is_first and found):
        return StoreMatches(found, [])
    return StoreMatches([], found)


def pet_match(row: int, pet: Pet) -> Match:
    """Return the match of a row with a pet: with the animal that it is, if we know one."""
    if pet.animal is not None:
        return Match(row, animal=pet.animal, pet=None)
    return Match(row, pet=pet)
