"""Many pets as one column per field, which is how they are read, held and made a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from petstore_frame.schema.fields import FIELDS, PET_COLUMNS
from petstore_frame.schema.models import Pet


class PetColumns(tuple[Sequence[Any], ...]):
    """The pets of one or more pages as columns of equal length, in the order received.

    A tuple of one sequence per field of ``PET_COLUMNS``: id, name, category_id, status.

    Args:
        columns: In that order; the last ones may be left out, where no pet has a value.

    Example:
        >>> pets = PetColumns([1, 2], ["Luna", "Max"], [3, 3])
        >>> pets.name, pets.status
        (['Luna', 'Max'], [None, None])
    """

    def __new__(cls, *columns: Sequence[Any]) -> Self:
        absent = (
            [None] * len(columns[0]) if columns and not field.is_required else []
            for field in FIELDS[len(columns) :]
        )
        return super().__new__(cls, (*columns, *absent))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]]) -> Self:
        """Return the columns of pets given as rows, each in the order of ``PET_COLUMNS``."""
        return cls(*map(list, zip(*rows, strict=True)))

    @classmethod
    def of_pets(cls, pets: Iterable[Pet]) -> Self:
        """Return the columns of pets given as models."""
        return cls.of_rows([getattr(pet, name) for name in PET_COLUMNS] for pet in pets)

    @property
    def id(self) -> Sequence[int]:
        return self.column("id")

    @property
    def name(self) -> Sequence[str]:
        return self.column("name")

    @property
    def category_id(self) -> Sequence[int]:
        return self.column("category_id")

    @property
    def status(self) -> Sequence[str | None]:
        return self.column("status")

    def column(self, field: str) -> Sequence[Any]:
        """Return the column of a field."""
        return self[PET_COLUMNS.index(field)]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the pets as rows, each in the order of ``PET_COLUMNS``."""
        return zip(*self, strict=True)

    def pets(self) -> list[Pet]:
        """Return the pets as models, built anew at each call."""
        return [Pet(**dict(zip(PET_COLUMNS, row, strict=True))) for row in self.rows()]

    def part(self, start: int = 0, stop: int | None = None) -> Self:
        """Return the rows from ``start`` up to ``stop``, without it."""
        return type(self)(*(column[start:stop] for column in self))
