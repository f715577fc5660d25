"""The distinct pets of a listing so far.

In: pages, perhaps overlapping. Out: each pet once, its latest row, in the order first met. It
asks nobody and claims nothing.
"""

from __future__ import annotations

import hashlib
import operator
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice

from petstore_frame.schema.columns import PetColumns


class Rows:
    """Pets by id, in compact columns.

    Attributes:
        received: Rows that arrived, repeats included.
        repeated: Rows whose pet was already held.
        changed_ids: Ids that came back with other values, in the order met.
        disputed: Statuses between which a pet that came twice differed.
    """

    def __init__(self) -> None:
        # Eight bytes per id instead of an object: a million pets may be held at a time.
        self._ids, self._category_ids = array("q"), array("q")
        self._names: list[str] = []
        self._statuses: list[str | None] = []
        # Rising ids, the common order, are compared with the last one; a set is made only on need.
        self._seen: set[int] | None = None
        self._places: dict[int, int] = {}
        self._order = hashlib.blake2b(digest_size=16)
        self.received = 0
        self.repeated = 0
        self.changed_ids: list[int] = []
        self.disputed: set[str | None] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, pet_id: int) -> bool:
        if self._seen is not None:
            return pet_id in self._seen
        place = bisect_left(self._ids, pet_id)
        return place < len(self._ids) and self._ids[place] == pet_id

    @property
    def last_id(self) -> int:
        """The id met last; there must be one."""
        return self._ids[-1]

    def add(self, columns: PetColumns) -> int:
        """Take the rows of a page and return how many pets were new."""
        ids, before = columns.id, len(self._ids)
        packed = array("q", ids)
        self.received += len(ids)
        self._order.update(packed)
        if self._are_new(ids):
            self._ids += packed
            self._category_ids.extend(columns.category_id)
            self._names.extend(columns.name)
            self._statuses.extend(columns.status)
        else:
            for row in zip(*columns, strict=True):
                self._put(*row)
        new = len(self._ids) - before
        self.repeated += len(ids) - new
        return new

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Tell whether no id is held or comes twice, and remember the ids."""
        if self._seen is None:
            rises = all(map(operator.lt, ids, islice(ids, 1, None)))
            if not ids or (rises and (not self._ids or ids[0] > self._ids[-1])):
                return True
            self._seen = set(self._ids)
        before = len(self._seen)
        are_new = self._seen.isdisjoint(ids)
        self._seen.update(ids)
        return are_new and len(self._seen) - before == len(ids)

    def _put(self, pet_id: int, name: str, category_id: int, status: str | None) -> None:
        if len(self._places) < len(self._ids):
            self._places = {held: place for place, held in enumerate(self._ids)}
        place = self._places.get(pet_id)
        if place is None:
            self._places[pet_id] = len(self._ids)
            self._ids.append(pet_id)
            self._category_ids.append(category_id)
            self._names.append(name)
            self._statuses.append(status)
            return
        held = (self._names[place], self._category_ids[place], self._statuses[place])
        if held != (name, category_id, status):
            self._note_change(pet_id, self._statuses[place], status)
            self._names[place], self._category_ids[place] = name, category_id
            self._statuses[place] = status

    def _note_change(self, pet_id: int, before: str | None, after: str | None) -> None:
        self.changed_ids.append(pet_id)
        if before != after:
            self.disputed |= {before, after}

    def add_all(self, other: Rows) -> None:
        """Take the pets of a later collection."""
        self.disputed |= other.disputed
        self.changed_ids += other.changed_ids
        self.update(other.columns())

    def update(self, columns: PetColumns) -> int:
        """Take rows that count as no part of a listing's order; return how many were new."""
        fresh = []
        for row in zip(*columns, strict=True):
            if row[0] in self:
                self._put(*row)
            else:
                fresh.append(row)
        return self.add(PetColumns(*zip(*fresh, strict=True))) if fresh else 0

    def compare(self, columns: PetColumns) -> int:
        """Compare earlier rows with those held, which stay; return how many are not held."""
        earlier = dict(zip(columns.id, columns.status, strict=True))
        held = {pet_id for pet_id in earlier if pet_id in self}
        for pet_id, place in self._places_of(held):
            if self._statuses[place] != earlier[pet_id]:
                self._note_change(pet_id, earlier[pet_id], self._statuses[place])
        return len(earlier) - len(held)

    def _places_of(self, held: set[int]) -> Iterable[tuple[int, int]]:
        if self._seen is None:
            return [(pet_id, bisect_left(self._ids, pet_id)) for pet_id in held]
        return [(pet_id, place) for place, pet_id in enumerate(self._ids) if pet_id in held]

    def order(self) -> str:
        """Return a digest of all ids received, in order, repeats included."""
        return self._order.hexdigest()

    def columns(self) -> PetColumns:
        """Return the pets as columns, in the order first met."""
        return PetColumns(self._ids, self._names, self._category_ids, self._statuses)
