"""The distinct pets of a listing so far, each once, in the order first met."""

from __future__ import annotations

import operator
from array import array
from bisect import bisect_left
from collections.abc import MutableSequence, Sequence
from itertools import islice
from typing import Any

from petstore_frame.schema.frame import PetColumns
from petstore_frame.schema.models import FIELDS, PET_COLUMNS

_ID, _STATUS = PET_COLUMNS.index("id"), PET_COLUMNS.index("status")


class Rows:
    """Pets by id, in compact columns; where one comes twice, the later row counts.

    Attributes:
        received: Rows that arrived, and ``repeated``: those whose pet was known already.
        changed_ids: Pets that came back with other values.
        disputed: Statuses between which a pet that came twice differed.
    """

    def __init__(self) -> None:
        # Eight bytes per number instead of an object: a million pets may be in memory at a time.
        self._columns: list[MutableSequence[Any]] = [
            array("q") if field.dtype == "int64" and field.is_required else [] for field in FIELDS
        ]
        self._ids: MutableSequence[int] = self._columns[_ID]
        # Rising ids, the common order, are compared with the last one; a set is made only on need.
        self._seen: set[int] | None = None
        self._places: dict[int, int] = {}
        self.received = 0
        self.repeated = 0
        self.changed_ids: set[int] = set()
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
        self.received += len(ids)
        if self._are_new(ids):
            for held, more in zip(self._columns, columns, strict=True):
                # An array takes another one at once, and a list number by number.
                held.extend(array("q", more) if isinstance(held, array) else more)
        else:
            for row in columns.rows():
                self._put(row)
        new = len(self._ids) - before
        self.repeated += len(ids) - new
        return new

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Tell whether no id is known or comes twice, and remember the ids."""
        if self._seen is None:
            rises = all(map(operator.lt, ids, islice(ids, 1, None)))
            if not ids or (rises and (not self._ids or ids[0] > self._ids[-1])):
                return True
            self._seen = set(self._ids)
        before = len(self._seen)
        are_new = self._seen.isdisjoint(ids)
        self._seen.update(ids)
        return are_new and len(self._seen) - before == len(ids)

    def _put(self, row: Sequence[Any]) -> None:
        if len(self._places) < len(self._ids):
            self._places = {held: place for place, held in enumerate(self._ids)}
        place = self._places.get(row[_ID])
        if place is None:
            self._places[row[_ID]] = len(self._ids)
            for held, value in zip(self._columns, row, strict=True):
                held.append(value)
            return
        if tuple(held[place] for held in self._columns) != tuple(row):
            self._note_change(row[_ID], self._columns[_STATUS][place], row[_STATUS])
            for held, value in zip(self._columns, row, strict=True):
                held[place] = value

    def _note_change(self, pet_id: int, before: str | None, after: str | None) -> None:
        self.changed_ids.add(pet_id)
        if before != after:
            self.disputed |= {before, after}

    def update(self, columns: PetColumns) -> int:
        """Take rows that are no part of the listing's order; return how many pets were new."""
        fresh = []
        for row in columns.rows():
            if row[_ID] in self:
                self._put(row)
            else:
                fresh.append(row)
        return self.add(PetColumns.of_rows(fresh)) if fresh else 0

    def add_all(self, other: Rows) -> None:
        """Take the pets of a later collection."""
        self.disputed |= other.disputed
        self.changed_ids |= other.changed_ids
        self.update(other.columns())

    def compare(self, columns: PetColumns) -> None:
        """Note the pets whose status was another one on an earlier page."""
        earlier = dict(zip(columns.id, columns.status, strict=True))
        if self._seen is None:  # the ids rise
            places = [bisect_left(self._ids, pet_id) for pet_id in earlier if pet_id in self]
        else:
            places = [place for place, pet_id in enumerate(self._ids) if pet_id in earlier]
        for place in places:
            pet_id, status = self._ids[place], self._columns[_STATUS][place]
            if status != earlier[pet_id]:
                self._note_change(pet_id, earlier[pet_id], status)

    def columns(self) -> PetColumns:
        """Return the pets as columns, in the order first met."""
        return PetColumns(*self._columns)
