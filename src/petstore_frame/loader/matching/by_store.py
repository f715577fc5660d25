"""Matches rows with pets of the store, by an id in the file or by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.loader.matching.by_content import pair_equal
from petstore_frame.loader.matching.folding import fold_name, name_in
from petstore_frame.loader.matching.thresholds import LEAST, is_many
from petstore_frame.loader.matching.values import Match, Pet, Row

# If at least five different contents and 90% of the rows equal pets, this is no coincidence.
_MIN_CONTENTS, _NEARLY_ALL = 5, 0.9


class StoreMatches(NamedTuple):
    """Matches to ask about, few matches to warn about, and certain matches."""

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
    """Match rows with pets by the ids in the file.

    - A file that is marked as an export of this store (``is_marked``): a row with the id and the
      name of a pet is that pet. The user is asked about rows with other names if they are many.
    - A file with the columns of an export and no mark (``is_export``): the user is asked about
      rows with the names of their pets, and also about rows with other names if they are many.
    - Any other file: its ids may be unrelated numbers, so the user is only asked if many rows have
      ids of pets, and many of these have the same names.

    ``of`` is the number of rows that would be sent.
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
        if row.content is not None and name_in(row.content) == fold_name(pet.name):
            agreeing.append(match)
    all_matches = list(matches.values())
    if is_marked:
        others = [match for match in all_matches if match not in agreeing]
        if is_many(len(others), of):
            return StoreMatches(others, [], agreeing)
        return StoreMatches([], others, agreeing)
    if is_export:
        others = [match for match in all_matches if match not in agreeing]
        if is_many(len(others), of):
            return StoreMatches(all_matches, [])
        return StoreMatches(agreeing, others)
    if is_many(len(agreeing), len(all_matches)) and is_many(len(all_matches), of):
        return StoreMatches(all_matches, [])
    return StoreMatches([], [])


def match_equal_pets(
    rows: Sequence[Row], pets: Sequence[Pet], of: int, *, is_first: bool = False
) -> StoreMatches:
    """Match rows with pets of equal content one to one, preferring new pets of others.

    ``of`` is the number of rows that would be sent. In the first load of a journal
    (``is_first``), every pet of others is new, and no more rows can be pets than there are such
    pets, so a quarter of these is enough to ask: they may come from a lost journal. Rows with a
    name from ``defaults`` are not matched, because they equal many pets by chance.
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
        len({contents[number] for number in pairs}) >= _MIN_CONTENTS
        and len(pairs) >= _NEARLY_ALL * of
    )
    if is_nearly_all:
        return StoreMatches([pet_match(row, pet) for row, pet in pairs.items()], [])
    matches = [
        pet_match(row, pet) for row, pet in pairs.items() if pet.is_new and pet.animal is None
    ]
    if is_first:
        of = min(of, max(len(new), LEAST))
    if is_many(len(matches), of):
        return StoreMatches(matches, [])
    return StoreMatches([], matches)


def pet_match(row: int, pet: Pet) -> Match:
    """Return the match of a row with a pet, or with the animal of the pet if it has one."""
    if pet.animal is not None:
        return Match(row, animal=pet.animal, pet=None)
    return Match(row, pet=pet)
