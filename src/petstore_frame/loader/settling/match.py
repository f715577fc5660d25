"""Which pets of a store are those of the records in doubt.

Equal records are interchangeable. A pet is claimed only where the user states that nobody else adds
pets, and where exactly one way to match remains; otherwise the pets that a record may be are its
candidates, for a person to look at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from petstore_frame.loader.journal.rows import JournalRow
from petstore_frame.loader.record import State
from petstore_frame.loader.settling.readback import Evidence, Found, Windows, wanted
from petstore_frame.schema.text import likeness


class Match(NamedTuple):
    """What reading back shows of one record: its pet, that it has none, or which it may be."""

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
    windows = evidence.windows
    # A store, or someone after it, may have tidied a name or changed a status.
    near: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for pet in sorted(evidence.pets.values(), key=lambda pet: pet.pet_id):
        if pet.pet_id not in owned:
            near[likeness(pet.name), pet.category_id].append(pet)
    pairs: dict[int, int] = {}
    contested: dict[int, tuple[int, ...]] = {}
    for (name, category_id, status), group in _groups(rows):
        equal = [
            pet
            for pet in near[likeness(name), category_id]
            if pet.name == name
            and (status is None or pet.status == status)
            and not windows.is_older(pet.pet_id, group)
            and pet.pet_id not in pairs.values()
        ]
        others = sum(_may_share(rival, group[0]) for rival in rivals)
        is_free = not any(pet.pet_id in ids for pet in equal for ids in contested.values())
        found = _pair(group, equal, windows, others) if sole_writer and is_free else None
        if found is not None:
            pairs |= found
        elif equal:
            contested |= {row.record: tuple(pet.pet_id for pet in equal) for row in group}
    for row in rows:
        name, category_id, _ = wanted(row)
        candidates = contested.get(row.record) or tuple(
            pet.pet_id
            for pet in near[likeness(name), category_id]
            if pet.pet_id not in pairs.values() and not windows.is_older(pet.pet_id, [row])
        )
        if row.record in pairs:
            yield Match(row, pairs[row.record], is_absent=False)
        else:
            is_gone = evidence.is_exhaustive(row) or row.state is State.ABSENT
            yield Match(row, None, is_gone and not candidates, candidates)


def _groups(
    rows: Sequence[JournalRow],
) -> list[tuple[tuple[str, int, str | None], list[JournalRow]]]:
    """Return equal records together.

    One that left its status open may have become a pet of any, so those that state one come first.
    """
    members: dict[tuple[str, int, str | None], list[JournalRow]] = defaultdict(list)
    for row in rows:
        members[wanted(row)].append(row)
    return sorted(members.items(), key=lambda item: item[0][2] is None)


def _may_share(rival: JournalRow, row: JournalRow) -> bool:
    """Tell whether two records may have become the same pet."""
    (name, category_id, status), (its_name, its_category, its_status) = wanted(row), wanted(rival)
    is_equal = (name, category_id) == (its_name, its_category)
    return is_equal and (status == its_status or None in (status, its_status))


def _pair(
    group: Sequence[JournalRow], pets: Sequence[Found], windows: Windows, others: int
) -> dict[int, int] | None:
    """Give each pet to a record that it can be of, those surely created first.

    Returns:
        Pet id by record; None where there is more than one way, so that none is claimed.
    """
    # Of the others the one whose ids end first, so that a later pet finds one too.
    rows = sorted(group, key=lambda row: (row.state is not State.CREATED, windows.end_of(row)))
    pairs: dict[int, int] = {}
    for pet in pets:
        fitting = [row for row in rows if windows.may_hold(row, pet.pet_id)]
        row = next((row for row in fitting if row.record not in pairs), None)
        if row is not None:
            pairs[row.record] = pet.pet_id
    is_one_way = len(pairs) == (len(group) if others else len(pets))
    return pairs if is_one_way and len(pets) == len(pairs) + others else None
