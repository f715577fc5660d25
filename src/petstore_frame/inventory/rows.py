"""The pets of a listing by id, in compact columns."""

from __future__ import annotations

import operator
from array import array
from bisect import bisect_left
from collections.abc import MutableSequence, Sequence
from itertools import count, islice
from typing import Any

from petstore_frame.schema import FIELDS, PetColumns

_ID, _STATUS = FIELDS.names.index("id"), FIELDS.names.index("status")
# Eight bytes per number instead of an object: a million pets may be in memory at a time.
_IS_COMPACT = [field.dtype == "int64" and field.is_required for field in FIELDS]


class Rows:
    """Pets by id; where one comes twice, the later row counts.

    Attributes:
        disputed: Statuses between which a pet that came twice differed.
        ambiguous_id: An id that came with two names or categories, or None.
    """

    def __init__(self) -> None:
        self._columns: list[MutableSequence[Any]] = [
            array("q") if is_so else [] for is_so in _IS_COMPACT
        ]
        self._ids: MutableSequence[int] = self._columns[_ID]
        # While the ids rise, the common order, they are their own index.
        self._places: dict[int, int] | None = None
        self.ambiguous_id: int | None = None
        self.disputed: set[str | None] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, pet_id: int) -> bool:
        return self._place(pet_id) is not None

    def add(self, columns: PetColumns) -> int:
        """Take the rows of a page and return how many pets were new."""
        before = len(self._ids)
        if self._are_new(columns.id):
            self._append(columns)
        else:
            for row in columns.rows():
                self._put(row)
        return len(self._ids) - before

    def add_earlier(self, columns: PetColumns) -> None:
        """Take the pets of an earlier page; those that are known stay as they are."""
        for row in columns.rows():
            place = self._place(row[_ID])
            if place is None:
                self.add(PetColumns.of_rows([row]))
            else:
                self._differences(row, place)

    def columns(self) -> PetColumns:
        """Return the pets as columns, in the order first met."""
        whole = min(map(len, self._columns))  # an interrupt may leave a row half added
        for column in self._columns:
            del column[whole:]
        return PetColumns(*self._columns)

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Return whether no id is known or comes twice; once they do not rise, make an index."""
        if self._places is None:
            is_behind = not self._ids or not ids or ids[0] > self._ids[-1]
            if is_behind and all(map(operator.lt, ids, islice(ids, 1, None))):
                return True
            self._places = {pet_id: place for place, pet_id in enumerate(self._ids)}
        return self._places.keys().isdisjoint(ids) and len({*ids}) == len(ids)

    def _place(self, pet_id: int) -> int | None:
        if self._places is not None:
            return self._places.get(pet_id)
        place = bisect_left(self._ids, pet_id)
        return place if place < len(self._ids) and self._ids[place] == pet_id else None

    def _append(self, columns: PetColumns) -> None:
        if self._places is not None:
            self._places.update(zip(columns.id, count(len(self._ids)), strict=False))
        for held, more in zip(self._columns, columns, strict=True):
            held.extend(more)

    def _put(self, row: Sequence[Any]) -> None:
        place = self._place(row[_ID])
        if place is None:
            self._append(PetColumns.of_rows([row]))
            return
        for at in self._differences(row, place):
            self._columns[at][place] = row[at]

    def _differences(self, row: Sequence[Any], place: int) -> set[int]:
        """Note in what a row differs from the one that is known of the same id."""
        before = [held[place] for held in self._columns]
        differs = {at for at, value in enumerate(row) if value != before[at]}
        if _STATUS in differs:
            self.disputed |= {before[_STATUS], row[_STATUS]}
        if differs - {_STATUS}:
            self.ambiguous_id = row[_ID]
        return differs
