"""Which pets of a store are those of the records in doubt.

In: records, and the pets and evidence that readback.py found. Out: one Match per record. Records
are compared as a multiset: equal records are interchangeable, and where a pet may be an older twin
or someone else's (more are free than records are in doubt, ids do not show its age, or somebody
else added pets at that time) none is claimed. It writes nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from petstore_frame.loader.journal.journal import JournalRow
from petstore_frame.loader.record import State
from petstore_frame.loader.settling.readback import Evidence, Found, wanted
from petstore_frame.loader.settling.windows import Windows
from petstore_frame.schema.text import likeness

_ASSUMED = (
    "what was found has the name, category, status and age of its record, and nobody else was seen "
    "to add pets at that time; that nobody added an equal one is assumed"
)


class Match(NamedTuple):
    """What reading back shows of one record.

    Attributes:
        row: The record.
        pet_id: The pet that it became, or None.
        is_absent: Its pet would have been seen, and was not.
    """

    row: JournalRow
    pet_id: int | None
    is_absent: bool


def match(
    rows: Sequence[JournalRow],
    owned: set[int],
    evidence: Evidence,
    elsewhere: Sequence[JournalRow] = (),
) -> Iterator[Match]:
    """Yield what became of each record; what cannot be decided is noted in the evidence.

    Args:
        rows: The records in doubt, and those created whose ids are not known.
        owned: Ids of pets that are other records'.
        evidence: What was read.
        elsewhere: Records in doubt of other imports, which may have become pets too.
    """
    free = [pet for pet in evidence.pets.values() if pet.pet_id not in owned]
    pairs: dict[int, int] = {}
    undecided: set[int] = set()
    for group, pets in _groups(rows, free):
        found = _pair(group, pets, evidence.windows)
        if found is None:
            evidence.notes.append(_why_undecided(group, pets))
            undecided |= {row.number for row in group}
        else:
            pairs |= found
    undecided |= _withdraw(rows, free, pairs, evidence, elsewhere)
    alike = _Likenesses(_unpaired(free, pairs), evidence.windows)
    for row in rows:
        if row.number in pairs or row.number in undecided:
            yield Match(row, pairs.get(row.number), is_absent=False)
            continue
        pet = alike.find(row)
        if pet is not None and row.state is not State.CREATED:
            evidence.notes.append(_why_not_absent(row, pet))
        is_gone = evidence.is_exhaustive(row) or row.state is State.ABSENT
        yield Match(row, None, is_absent=is_gone and pet is None)


def _withdraw(
    rows: Sequence[JournalRow],
    free: Sequence[Found],
    pairs: dict[int, int],
    evidence: Evidence,
    elsewhere: Sequence[JournalRow],
) -> set[int]:
    """Take back each pair where somebody else is seen to have added pets at that time.

    Returns:
        The records of these pairs.
    """
    open_rows = [row for row in rows if row.number not in pairs]
    strangers = _strangers(_unpaired(free, pairs), [*open_rows, *elsewhere])
    withdrawn: set[int] = set()
    for row in rows:
        low, high = evidence.windows.span(row)
        next_up = bisect_right(strangers, low)
        if row.number in pairs and next_up < len(strangers) and strangers[next_up] < high:
            pet_id = pairs.pop(row.number)
            withdrawn.add(row.number)
            evidence.notes.append(_why_withdrawn(row, pet_id, strangers[next_up]))
    if any(row.number in pairs and row.state is not State.CREATED for row in rows):
        evidence.notes.append(_ASSUMED)
    return withdrawn


def _strangers(free: Iterable[Found], rows: Iterable[JournalRow]) -> list[int]:
    """Return the ids, rising, of pets that no record in doubt explains, one for each record."""
    ids: dict[tuple[str, int], list[int]] = defaultdict(list)
    for pet in sorted(free, key=lambda pet: pet.pet_id):
        ids[likeness(pet.name), pet.category_id].append(pet.pet_id)
    for row in rows:
        name, category_id, _ = wanted(row)
        del ids[likeness(name), category_id][-1:]
    return sorted(pet_id for group in ids.values() for pet_id in group)


def _unpaired(free: Iterable[Found], pairs: dict[int, int]) -> list[Found]:
    taken = set(pairs.values())
    return [pet for pet in free if pet.pet_id not in taken]


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


def _pair(
    group: Sequence[JournalRow], pets: Sequence[Found], windows: Windows
) -> dict[int, int] | None:
    """Give each pet to a record that it can be of, those surely created first.

    Returns:
        Pet id by record; None where a pet may be someone else's, so that none is claimed.
    """
    newer = [pet for pet in pets if not windows.is_older(pet.pet_id, group)]
    pairs: dict[int, int] = {}
    for are_created in (True, False):
        rows = [row for row in group if (row.state is State.CREATED) is are_created]
        for pet in newer:
            row = None if pet.pet_id in pairs.values() else _choose(pet, rows, pairs, windows)
            if row is not None:
                pairs[row.number] = pet.pet_id
    return pairs if len(pairs) == len(newer) else None


def _choose(
    pet: Found, rows: Sequence[JournalRow], pairs: dict[int, int], windows: Windows
) -> JournalRow | None:
    """Return the record whose ids end first, so that a later pet finds one too."""
    fitting = [row for row in rows if row.number not in pairs and windows.may_hold(row, pet.pet_id)]
    return min(fitting, key=lambda row: windows.of[row.number][1] or math.inf, default=None)


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


def _why_not_absent(row: JournalRow, pet: Found) -> str:
    return (
        f"pet {pet.pet_id} differs from record {row.number} only in the spelling of its name or in "
        "its status, so the record is not absent; look at it, then resolve the record: it is "
        "that pet, or was not created"
    )


def _why_withdrawn(row: JournalRow, pet_id: int, stranger: int) -> str:
    return (
        f"pet {pet_id} equals record {row.number}, but somebody else added pets at the same time, "
        f"such as pet {stranger}, so it may be theirs; look at it, then resolve the record: it is "
        "that pet, or was not created"
    )


def _why_undecided(group: Sequence[JournalRow], pets: Sequence[Found]) -> str:
    first = f"record {group[0].number}"
    if len(group) > 1:
        first = f"{len(group)} records (the first is {first})"
    if len(pets) > len(group):
        return f"{len(pets)} pets equal {first}: some are someone else's, so none is claimed"
    ids = ", ".join(str(pet.pet_id) for pet in pets[:5])
    return (
        f"pet {ids} equals {first} but may be an older twin or a later one of someone else's, "
        "so none is claimed; look at it, then resolve the record: it is that pet, or was not "
        "created"
    )
