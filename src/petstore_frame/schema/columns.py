"""Stores many pets as columns, of a page or of a reading, and builds their frame.

Text has the dtype ``str``. In pandas 2 this is ``object``, with the same values.
"""

from __future__ import annotations

import operator
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from itertools import count, islice
from operator import attrgetter, itemgetter
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, get_type_hints, overload

import msgspec
from pydantic import TypeAdapter, ValidationError

from petstore_frame.errors import ArgumentError
from petstore_frame.schema.models import FIELDS, Pet, contract_error
from petstore_frame.schema.text import replace_surrogates, replace_surrogates_in_json

if TYPE_CHECKING:
    import pandas as pd


class AnyFrame(Protocol):
    """A table of pandas, polars, pyarrow, DuckDB, Dask or PySpark."""

    @property
    def columns(self) -> Any:
        """The columns, or their names."""


def _page_decoder(*, has_usual_values: bool) -> msgspec.json.Decoder[list[msgspec.Struct]]:
    """Return a decoder of pages, as strict as Pet and four times as fast.

    Args:
        has_usual_values: Whether to accept only the statuses of the interface. These are then the
            same objects for all pets, which saves memory and half of the time.
    """
    hints = get_type_hints(Pet, include_extras=True)
    fields: list[tuple[Any, ...]] = []
    for field in FIELDS:
        hint = hints[field.name]
        if field.values and has_usual_values:
            hint = Literal[field.values] | None
        fields.append((field.name, hint) if field.is_required else (field.name, hint, None))
    wire_names = {field.name: field.wire_name for field in FIELDS}
    row = msgspec.defstruct("Row", fields, rename=wire_names, gc=False)
    return msgspec.json.Decoder(GenericAlias(list, row))


_USUAL_PAGE = _page_decoder(has_usual_values=True)
_PAGE = _page_decoder(has_usual_values=False)
# It accepts everything that JSON Schema allows, such as 1.0 for 1, and describes invalid pages.
_EXACT_PAGE = TypeAdapter(list[Pet])
# Functions that return the value of a field, in the order of the fields.
_VALUE_OF = [attrgetter(name) for name in FIELDS.names]
_ID, _STATUS = FIELDS.names.index("id"), FIELDS.names.index("status")
# Eight bytes per number instead of an object, because a million pets may be in memory.
_IS_COMPACT = [field.dtype == "int64" and field.is_required for field in FIELDS]


class PetColumns(tuple[Sequence[Any], ...]):
    """The pets of one or more pages as columns of equal length, in the order received.

    A tuple of one sequence per field: id, name, category_id, status. The last ones may be left out
    if they are fields that a pet need not have; no pet then has one.

    Example:
        >>> pets = PetColumns([[1, 2], ["Luna", "Max"], [3, 3], [None, "sold"]])
        >>> pets.id, pets.status
        ([1, 2], [None, 'sold'])
    """

    def __new__(cls, columns: Iterable[Sequence[Any]]) -> Self:
        sequences = [*columns]
        for field in [*FIELDS][len(sequences) :]:
            if field.is_required:
                raise ArgumentError(f"PetColumns: no column for {field.name}")
            sequences.append([None] * len(sequences[0]))
        return super().__new__(cls, sequences)

    @classmethod
    def from_json(cls, body: bytes, *, operation: str, page: int | None = None) -> Self:
        """Parse the body of a listing; U+FFFD replaces a lone surrogate.

        Raises:
            ContractError: The body is not an array of Pets; names page, position and field.

        Interface: Endpoints, List all animals.
        """
        try:
            pets = _USUAL_PAGE.decode(body)
        except (ValueError, RecursionError):
            return cls(_unusual_columns(body, operation, page))
        return cls.of_rows(map(msgspec.structs.astuple, pets))

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]]) -> Self:
        """Return the columns of rows whose values are in the order of the fields."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        return cls(columns or [[] for _ in FIELDS])

    @classmethod
    def of_pets(cls, pets: Sequence[Any]) -> Self:
        """Return the columns of objects with the attributes of a Pet."""
        return cls(list(map(value_of, pets)) for value_of in _VALUE_OF)

    id = property(itemgetter(_ID), doc="The ids.")
    status = property(itemgetter(_STATUS), doc="The statuses; None for a pet without one.")

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the pets as rows, each in the order of the fields."""
        return zip(*self, strict=True)

    def pets(self) -> list[Pet]:
        """Return the pets as models; each call builds new ones."""
        return [Pet(**dict(zip(FIELDS.names, row, strict=True))) for row in self.rows()]

    def part(self, start: int = 0, stop: int | None = None) -> Self:
        """Return the rows from ``start`` up to, but not including, ``stop``."""
        return type(self)(column[start:stop] for column in self)

    def to_frame(self) -> pd.DataFrame:
        """Build the pets' table.

        Returns:
            One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category
            (available, pending, sold, then unknown values seen, sorted). A pet without a status
            has a missing value there, never "available".

        Example:
            >>> PetColumns([[1], ["Luna"], [3], ["sold"]]).to_frame().to_dict("list")
            {'id': [1], 'name': ['Luna'], 'category_id': [3], 'status': ['sold']}
        """
        import numpy as np
        import pandas as pd

        columns = dict[str, Any]()
        for field, values in zip(FIELDS, self, strict=True):
            if field.dtype == "int64":  # the buffer of a compact array is used without a copy
                columns[field.name] = np.asarray(values, dtype="int64")
            elif field.dtype == "category":
                categories = [*field.values, *sorted({*values} - {None, *field.values})]
                codes = {value: code for code, value in enumerate(categories)} | {None: -1}
                columns[field.name] = pd.Categorical.from_codes(
                    np.fromiter(map(codes.__getitem__, values), dtype="int32"),
                    categories=pd.Index(categories, dtype="str"),
                )
            else:
                columns[field.name] = pd.Series(values, dtype=field.dtype)
        return pd.DataFrame(columns)


def _unusual_columns(body: bytes, operation: str, page: int | None) -> list[Sequence[Any]]:
    """Parse a page with other statuses, with numbers such as 1.0, or with lone surrogates."""
    pets: list[Any]
    try:
        pets = _PAGE.decode(body)
    except (ValueError, RecursionError):
        try:
            pets = _EXACT_PAGE.validate_json(replace_surrogates_in_json(body), by_name=False)
        except ValidationError as problem:
            raise contract_error(problem, body, operation, page) from None
    columns: list[Sequence[Any]] = [*PetColumns.of_pets(pets)]
    # One object per status, not one per pet.
    statuses = {status: status for status in columns[_STATUS]}
    columns[_STATUS] = [statuses[status] for status in columns[_STATUS]]
    return columns


class PetRows:
    """The pets of a reading by id; if a pet is added again, its later row replaces the earlier one.

    Attributes:
        columns: The pets in the order in which they were first added; it grows with them.
        disputed: Statuses of pets that were added twice with different statuses.
        ambiguous_id: An id that was added with two names or categories, or None.
    """

    def __init__(self) -> None:
        self._values: list[MutableSequence[Any]] = [
            array("q") if is_compact else [] for is_compact in _IS_COMPACT
        ]
        self.columns = PetColumns(self._values)
        self._ids: MutableSequence[int] = self._values[_ID]
        # Ids usually ascend, so a binary search finds them; only other ids need an index.
        self._index: dict[int, int] | None = None
        self.ambiguous_id: int | None = None
        self.disputed: set[str | None] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, pet_id: int) -> bool:
        return self.position(pet_id) is not None

    def position(self, pet_id: int) -> int | None:
        """Return the position of a pet in the columns, or None."""
        if self._index is not None:
            return self._index.get(pet_id)
        position = bisect_left(self._ids, pet_id)
        is_match = position < len(self._ids) and self._ids[position] == pet_id
        return position if is_match else None

    def add(self, columns: PetColumns, *, is_earlier: bool = False) -> int:
        """Add a page, and return the number of new pets; an earlier page changes no pet."""
        count_before = len(self._ids)
        if not is_earlier and self._are_new(columns.id):
            self._append(columns)
            return len(columns.id)
        for row in zip(*columns, strict=True):
            position = self.position(row[_ID])
            if position is None:
                self.add(PetColumns.of_rows([row]))
                continue
            existing = tuple(values[position] for values in self._values)
            if row == existing:
                continue
            self._note_differences(row, existing)
            if not is_earlier:
                for values, value in zip(self._values, row, strict=True):
                    values[position] = value
        return len(self._ids) - count_before

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Return whether all ids are new and distinct; build the index if they do not ascend."""
        index = self._index
        if index is None:
            starts_above = not self._ids or not ids or ids[0] > self._ids[-1]
            if starts_above and all(map(operator.lt, ids, islice(ids, 1, None))):
                return True
            index = self._index = self._new_index()
        return index.keys().isdisjoint(ids) and len({*ids}) == len(ids)

    def _new_index(self) -> dict[int, int]:
        return {pet_id: position for position, pet_id in enumerate(self._ids)}

    def _append(self, columns: PetColumns) -> None:
        try:
            if self._index is not None:
                self._index.update(zip(columns.id, count(len(self._ids)), strict=False))
            for values, new_values in zip(self._values, columns, strict=True):
                if isinstance(values, array):
                    values.extend(array("q", new_values))  # faster than one number at a time
                else:
                    values.extend(new_values)
        except BaseException:  # Ctrl-C
            self._drop_incomplete_rows()
            raise

    def _drop_incomplete_rows(self) -> None:
        complete_rows = min(map(len, self._values))
        for values in self._values:
            del values[complete_rows:]
        if self._index is not None:
            self._index = self._new_index()

    def _note_differences(self, row: Sequence[Any], existing: Sequence[Any]) -> None:
        """Record the statuses, or the id, in which two rows of a pet differ."""
        for position, (value, existing_value) in enumerate(zip(row, existing, strict=True)):
            if value == existing_value:
                continue
            if position == _STATUS:
                self.disputed |= {existing_value, value}
            else:
                self.ambiguous_id = row[_ID]


@overload
def as_type(values: pd.DataFrame, dtype: Mapping[str, Any]) -> pd.DataFrame: ...
@overload
def as_type(values: pd.Series[Any] | Sequence[Any], dtype: Any) -> pd.Series[Any]: ...
def as_type(values: Any, dtype: Any) -> Any:
    """Return a frame, a Series or a list of texts in other dtypes, as ``astype`` would.

    A missing text stays missing, on pandas 2 too, and U+FFFD replaces a lone surrogate.
    The dtypes of a frame are a mapping by column.
    """
    import pandas as pd

    if isinstance(values, pd.DataFrame):
        return values.assign(**{name: as_type(values[name], dtype[name]) for name in dtype})
    series = values if isinstance(values, pd.Series) else pd.Series(values, dtype="object")
    if dtype != "str":
        return series.astype(dtype)
    try:
        texts = series.astype("str")
        has_only_text = texts.dtype != "object"  # pandas 3 accepts no lone surrogates
    except UnicodeEncodeError:
        has_only_text = False
    if not has_only_text:
        texts = series.map(replace_surrogates, na_action="ignore").astype("str")
    return texts.where(series.notna())
