"""Which pets of a store are those of the records in doubt.

Records are compared as a multiset: equal records are interchangeable. A pet is claimed only where
the user states that nobody else adds pets, and where exactly one way to match remains; otherwise
the pets that a record may be are its candidates, for a person to look at.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from petstore_frame.loader.journal.rows import JournalRow
from petstore_frame.loader.record import State
from petstore_frame.loader.settling.readback import Evidence, Found, wanted
from petstore_frame.loader.settling.windows import Windows
from petstore_frame.schema.text import likeness


class Match(NamedTuple):
    """What reading back shows of one record.

    Attributes:
        row: The record.
        pet_id: The pet that it became, or None.
        is_absent: Its pet would have been seen, and was not.
        candidates: Pets that it may be, where none is claimed.
    """

    row: JournalRow
    pet_id: int | None
    is_absent: bool
    candidates: tuple[int, ...] = ()


def match(
    rows: Sequence[JournalRow],
    owned: set[int],
    evidence: Evidence,
    *,
    sole_writer: bool,
    rivals: Sequence[JournalRow] = (),
) -> Iterator[Match]:
    """Yield what became of each record.

    Args:
        rows: The records in doubt, and those created whose ids are not known.
        owned: Ids of pets that are other records'.
        evidence: What was read.
        sole_writer: The user states that nobody else adds pets to the store.
        rivals: Records in doubt of other imports, whose pets may be among those that were read.
    """
    free = [pet for pet in evidence.pets.values() if pet.pet_id not in owned]
    pairs: dict[int, int] = {}
    candidates: dict[int, tuple[int, ...]] = {}
    for group, pets in _groups(rows, free):
        others = sum(_may_share(rival, group[0]) for rival in rivals)
        found = _pair(group, pets, evidence.windows, others) if sole_writer else None
        if found is not None:
            pairs |= found
            continue
        newer = [pet for pet in pets if not evidence.windows.is_older(pet.pet_id, group)]
        if newer:
            candidates |= {row.record: tuple(pet.pet_id for pet in newer) for row in group}
    taken = set(pairs.values())
    alike = _Likenesses([pet for pet in free if pet.pet_id not in taken], evidence.windows)
    for row in rows:
        if row.record in pairs or row.record in candidates:
            found_for = candidates.get(row.record, ())
            yield Match(row, pairs.get(row.record), is_absent=False, candidates=found_for)
            continue
        pet = alike.find(row)
        is_gone = evidence.is_exhaustive(row) or row.state is State.ABSENT
        near = () if pet is None else (pet.pet_id,)
        yield Match(row, None, is_absent=is_gone and pet is None, candidates=near)


def _groups(
    rows: Sequence[JournalRow], free: Sequence[Found]
) -> Iterator[tuple[list[JournalRow], list[Found]]]:
    """Yield equal records with the pets that could be theirs, each pet once.

    A record that left its status open may have become a pet of any status, so records that
    state one choose first.
    """
    members: dict[tuple[str, int, str | None], list[JournalRow]] = defaultdict(list)
    for row in rows:
        members[wanted(row)].append(row)
    pets: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for pet in sorted(free, key=lambda pet: pet.pet_id):
        pets[pet.name, pet.category_id].append(pet)
    for (name, category_id, status), group in sorted(
        members.items(), key=lambda item: item[0][2] is None
    ):
        mine = [p for p in pets[name, category_id] if status is None or p.status == status]
        if len(mine) <= len(group):
            pets[name, category_id] = [p for p in pets[name, category_id] if p not in mine]
        yield group, mine


def _may_share(rival: JournalRow, row: JournalRow) -> bool:
    """Tell whether two records may have become the same pet."""
    (name, category_id, status), (its_name, its_category, its_status) = wanted(row), wanted(rival)
    is_equal = (name, category_id) == (its_name, its_category)
    return is_equal and (status == its_status or None in (status, its_status))


def _pair(
    group: Sequence[JournalRow], pets: Sequence[Found], windows: Windows, others: int
) -> dict[int, int] | None:
    """Give each pet to a record that it can be of, those surely created first.

    Args:
        group: Equal records.
        pets: The pets that equal them.
        windows: Between which ids their pets must be.
        others: How many records of other imports may have become such a pet.

    Returns:
        Pet id by record; None where there is more than one way, so that none is claimed.
    """
    newer = [pet for pet in pets if not windows.is_older(pet.pet_id, group)]
    pairs: dict[int, int] = {}
    for are_created in (True, False):
        rows = [row for row in group if (row.state is State.CREATED) is are_created]
        for pet in newer:
            row = None if pet.pet_id in pairs.values() else _choose(pet, rows, pairs, windows)
            if row is not None:
                pairs[row.record] = pet.pet_id
    is_one_way = len(pairs) == (len(group) if others else len(newer))
    return pairs if is_one_way and len(newer) == len(pairs) + others else None


def _choose(
    pet: Found, rows: Sequence[JournalRow], pairs: dict[int, int], windows: Windows
) -> JournalRow | None:
    """Return the record whose ids end first, so that a later pet finds one too."""
    fitting = [row for row in rows if row.record not in pairs and windows.may_hold(row, pet.pet_id)]
    return min(fitting, key=lambda row: windows.of[row.record][1] or math.inf, default=None)


class _Likenesses:
    """Pets that are a record's but for what a store, or someone after it, may have changed."""

    def __init__(self, free: Sequence[Found], windows: Windows) -> None:
        self._windows = windows
        self._pets: dict[tuple[str, int], list[Found]] = defaultdict(list)
        for pet in free:
            self._pets[likeness(pet.name), pet.category_id].append(pet)

    def find(self, row: JournalRow) -> Found | None:
        """Return a pet that may be the record's, with a tidied name or another status."""
        name, category_id, _ = wanted(row)
        near = self._pets[likeness(name), category_id]
        return next((pet for pet in near if not self._windows.is_older(pet.pet_id, [row])), None)
