"""Many pets: as columns, which is how they are read and kept, and as a frame.

Text is the dtype ``str``: pandas 3 has one, pandas 2 makes objects of it, with the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from petstore_frame.errors import HERE, answering, nearest
from petstore_frame.schema.models import (
    FIELDS,
    PET_COLUMNS,
    PET_STATUSES,
    SENT_FIELDS,
    Pet,
    PetField,
)
from petstore_frame.schema.text import holds_lone, kind_text, whole_text

if TYPE_CHECKING:
    import pandas as pd

# The dtypes of what is sent of a pet, where values may be missing.
NULLABLE: dict[str, Any] = {
    field.name: {"int64": "Int64", "category": "str"}.get(field.dtype, field.dtype)
    for field in SENT_FIELDS
}


class AnyFrame(Protocol):
    """A table of whatever library: pandas, polars, pyarrow, DuckDB, Dask or PySpark."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


class PetColumns(tuple[Sequence[Any], ...]):
    """The pets of one or more pages as columns of equal length, in the order received.

    A tuple of one sequence per field of ``PET_COLUMNS``: id, name, category_id, status.

    Args:
        columns: In that order; the last ones may be left out, where no pet has a value.

    Example:
        >>> pets = PetColumns([1, 2], ["Luna", "Max"], [3, 3])
        >>> pets.id, pets.status
        ([1, 2], [None, None])
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
        return self[PET_COLUMNS.index("id")]

    @property
    def status(self) -> Sequence[str | None]:
        return self[PET_COLUMNS.index("status")]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the pets as rows, each in the order of ``PET_COLUMNS``."""
        return zip(*self, strict=True)

    def pets(self) -> list[Pet]:
        """Return the pets as models, built anew at each call."""
        return [Pet(**dict(zip(PET_COLUMNS, row, strict=True))) for row in self.rows()]

    def part(self, start: int = 0, stop: int | None = None) -> Self:
        """Return the rows from ``start`` up to ``stop``, without it."""
        return type(self)(*(column[start:stop] for column in self))


def to_frame(columns: PetColumns) -> pd.DataFrame:
    """Build the pets' table.

    Returns:
        One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category
        (available, pending, sold, then unknown values seen, sorted). A pet without a status has
        a missing value there, never "available".

    Example:
        >>> to_frame(PetColumns([1], ["Luna"], [3], ["sold"])).to_dict("list")
        {'id': [1], 'name': ['Luna'], 'category_id': [3], 'status': ['sold']}
    """
    import pandas as pd

    return pd.DataFrame(
        {field.name: _column(field, values) for field, values in zip(FIELDS, columns, strict=True)}
    )


def _column(field: PetField, values: Sequence[Any]) -> Any:
    import numpy as np
    import pandas as pd

    if field.dtype == "int64":  # a compact array is taken over through its buffer
        return np.asarray(values, dtype="int64")
    if field.dtype == "category":
        categories = status_categories(values, field.values)
        codes = {value: code for code, value in enumerate(categories)} | {None: -1}
        return pd.Categorical.from_codes(
            np.fromiter(map(codes.__getitem__, values), dtype="int32"),
            categories=pd.Index(categories, dtype="str"),
        )
    return pd.Series(values, dtype=field.dtype)


def text_series(texts: Sequence[Any]) -> pd.Series[str]:
    """Build a column of any text; U+FFFD takes the place of a lone surrogate."""
    import pandas as pd

    try:
        series = pd.Series(texts, dtype="str")
        if series.dtype != "object" or not any(
            holds_lone(text) for text in texts if isinstance(text, str)
        ):
            return series
    except UnicodeEncodeError:
        pass
    return pd.Series([text and whole_text(text) for text in texts], dtype="str")


def as_text(values: pd.Series[Any]) -> pd.Series[str]:
    """Return values as texts, and a missing one as missing; pandas 2 alone would write ``None``."""
    return values.astype("str").where(values.notna())


def as_dtype(values: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    """Return values in a dtype, a missing text as missing, on either pandas."""
    return as_text(values) if dtype == "str" else values.astype(dtype)


def as_dtypes(frame: pd.DataFrame, dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table whose columns have these dtypes, as ``as_dtype`` gives them."""
    return frame.assign(**{name: as_dtype(frame[name], dtypes[name]) for name in dtypes})


def status_categories(seen: Iterable[str | None], known: Sequence[str] = PET_STATUSES) -> list[str]:
    """Return the three statuses of the interface, then any other text seen, sorted."""
    return [*known, *sorted(str(value) for value in {*seen} - {None, *known})]


class HasFrame:
    """A result whose table is a DataFrame, ``frame``; it answers a name that it does not have."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        answering(cls)

    if not TYPE_CHECKING:  # type checkers find these mistakes by themselves

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property failed: it says why
            where = "" if name.startswith("_") else self._where(name)
            raise AttributeError(f"{kind_text(self)} has no {name!r}{where}")

        def __getitem__(self, key: object) -> Any:
            column = f": .frame[{key!r}]" if isinstance(key, str) else ""
            raise TypeError(f"{kind_text(self)} has no columns; its table is .frame{column}")

    def _where(self, name: str) -> str:
        import pandas as pd

        if name in PET_COLUMNS or (hasattr(pd.DataFrame, name) and name not in HERE):
            return f"; its table is .frame: .frame.{name}"
        return nearest(name, [each for each in dir(self) if not each.startswith("_")])
