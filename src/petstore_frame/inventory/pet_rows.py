"""Keeps the pets of a reading by id, in columns."""

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


class PetRows:
    """Pets by id; where one comes twice, the later row counts.

    Attributes:
        disputed: Statuses between which a pet that came twice differed.
        ambiguous_id: An id that came with two names or categories, or None.
    """

    def __init__(self) -> None:
        self._columns: list[MutableSequence[Any]] = [
            array("q") if is_compact else [] for is_compact in _IS_COMPACT
        ]
        self._ids: MutableSequence[int] = self._columns[_ID]
        # While the ids rise, the common order, they are their own index.
        self._places: dict[int, int] | None = None
        self.ambiguous_id: int | None = None
        self.disputed: set[str | None] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, pet_id: int) -> bool:
        return self._position(pet_id) is not None

    def add(self, columns: PetColumns, *, is_earlier: bool = False) -> int:
        """Add a page and return how many pets were new; an earlier page changes no pet."""
        before = len(self._ids)
        if not is_earlier and self._are_new(columns.id):
            self._append(columns)
            return len(columns.id)
        for row in columns.rows():
            position = self._position(row[_ID])
            if position is None:
                self.add(PetColumns.of_rows([row]))
                continue
            for index in self._differences(row, position):
                if not is_earlier:
                    self._columns[index][position] = row[index]
        return len(self._ids) - before

    def columns(self) -> PetColumns:
        """Return the pets as columns, in the order first met."""
        return PetColumns(*self._columns)

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Return whether no id is known or comes twice; once they do not rise, make an index."""
        if self._places is None:
            starts_above = not self._ids or not ids or ids[0] > self._ids[-1]
            if starts_above and all(map(operator.lt, ids, islice(ids, 1, None))):
                return True
            self._places = {pet_id: position for position, pet_id in enumerate(self._ids)}
        return self._places.keys().isdisjoint(ids) and len({*ids}) == len(ids)

    def _position(self, pet_id: int) -> int | None:
        if self._places is not None:
            return self._places.get(pet_id)
        position = bisect_left(self._ids, pet_id)
        return position if position < len(self._ids) and self._ids[position] == pet_id else None

    def _append(self, columns: PetColumns) -> None:
        try:
            if self._places is not None:
                self._places.update(zip(columns.id, count(len(self._ids)), strict=False))
            for column, values in zip(self._columns, columns, strict=True):
                column.extend(values)
        except BaseException:  # Ctrl-C
            self._drop_incomplete_rows()
            raise

    def _drop_incomplete_rows(self) -> None:
        complete_rows = min(map(len, self._columns))
        for column in self._columns:
            del column[complete_rows:]
        if self._places is not None:
            self._places = {pet_id: position for position, pet_id in enumerate(self._ids)}

    def _differences(self, row: Sequence[Any], position: int) -> set[int]:
        """Return the columns in which a row differs from the row of the same id, and note them."""
        before = [column[position] for column in self._columns]
        differences = {index for index, value in enumerate(row) if value != before[index]}
        if _STATUS in differences:
            self.disputed |= {before[_STATUS], row[_STATUS]}
        if differences - {_STATUS}:
            self.ambiguous_id = row[_ID]
        return differences
