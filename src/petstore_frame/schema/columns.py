"""Holds many pets as columns, and converts them to a frame.

Text has the dtype ``str``. In pandas 2 this is ``object``, with the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Protocol, Self, get_type_hints, overload

import msgspec
from pydantic import TypeAdapter, ValidationError

from petstore_frame.extras import import_extra
from petstore_frame.schema.models import FIELDS, PET_STATUSES, Pet, PetField, contract_error
from petstore_frame.schema.text import replace_surrogates, replace_surrogates_in_json

if TYPE_CHECKING:
    import pandas as pd


class AnyFrame(Protocol):
    """A table of pandas, polars, pyarrow, DuckDB, Dask or PySpark."""

    @property
    def columns(self) -> Any:
        """The columns, or their names."""


def _page_decoder() -> msgspec.json.Decoder[list[msgspec.Struct]]:
    """Return a decoder of pages, as strict as Pet and four times as fast."""
    hints = get_type_hints(Pet, include_extras=True)
    fields = [
        (field.name, hints[field.name], *(() if field.is_required else (None,))) for field in FIELDS
    ]
    wire_names = {field.name: field.wire_name for field in FIELDS}
    row = msgspec.defstruct("Row", fields, rename=wire_names, gc=False)
    return msgspec.json.Decoder(GenericAlias(list, row))


_PAGE = _page_decoder()
# It accepts all that JSON Schema allows, such as 1.0 for 1, and says what is wrong with a page.
_EXACT_PAGE = TypeAdapter(list[Pet])
_ID, _STATUS = FIELDS.names.index("id"), FIELDS.names.index("status")
# One object per known status, not one per pet.
_STATUSES: dict[str | None, str | None] = {status: status for status in (*PET_STATUSES, None)}


class PetColumns(tuple[Sequence[Any], ...]):
    """The pets of one or more pages as columns of equal length, in the order received.

    A tuple of one sequence per field: id, name, category_id, status.

    Args:
        columns: The columns in that order; the last may be omitted if no pet has a value.

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
    def from_json(cls, body: bytes, *, operation: str, page: int | None = None) -> Self:
        """Parse the body of a listing; U+FFFD replaces a lone surrogate.

        Raises:
            ContractError: The body is not an array of Pets; names page, position and field.

        Interface: Endpoints, List all animals.
        """
        valid_body = replace_surrogates_in_json(body)
        pets: list[Any]
        try:
            pets = _PAGE.decode(valid_body)
        except (ValueError, RecursionError):
            try:
                pets = _EXACT_PAGE.validate_json(valid_body, by_name=False)
            except ValidationError as problem:
                raise contract_error(problem, body, operation, page) from None
        values = {field.name: list(map(attrgetter(field.name), pets)) for field in FIELDS}
        values["status"] = list(map(_STATUSES.get, values["status"], values["status"]))
        return cls(*values.values())

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]]) -> Self:
        """Return the columns of rows, each of them in the order of the fields."""
        return cls(*map(list, zip(*rows, strict=True)))

    @classmethod
    def of_pets(cls, pets: Iterable[Pet]) -> Self:
        """Return the columns of models."""
        return cls.of_rows([getattr(pet, name) for name in FIELDS.names] for pet in pets)

    @property
    def id(self) -> Sequence[int]:
        return self[_ID]

    @property
    def status(self) -> Sequence[str | None]:
        return self[_STATUS]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the pets as rows, each in the order of the fields."""
        return zip(*self, strict=True)

    def pets(self) -> list[Pet]:
        """Return the pets as models; each call builds new ones."""
        return [Pet(**dict(zip(FIELDS.names, row, strict=True))) for row in self.rows()]

    def part(self, start: int = 0, stop: int | None = None) -> Self:
        """Return the rows from ``start`` up to ``stop``, without it."""
        return type(self)(*(column[start:stop] for column in self))

    def to_frame(self) -> pd.DataFrame:
        """Build the pets' table.

        Returns:
            One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category
            (available, pending, sold, then unknown values seen, sorted). A pet without a status
            has a missing value there, never "available".

        Example:
            >>> PetColumns([1], ["Luna"], [3], ["sold"]).to_frame().to_dict("list")
            {'id': [1], 'name': ['Luna'], 'category_id': [3], 'status': ['sold']}
        """
        import pandas as pd

        columns = zip(FIELDS, self, strict=True)
        return pd.DataFrame({field.name: _column(field, values) for field, values in columns})


def _column(field: PetField, values: Sequence[Any]) -> Any:
    import numpy as np
    import pandas as pd

    if field.dtype == "int64":  # a compact array is used through its buffer, without a copy
        return np.asarray(values, dtype="int64")
    if field.dtype == "category":
        other_values = sorted({*values} - {None, *field.values})
        codes = {value: code for code, value in enumerate([*field.values, *other_values])} | {
            None: -1
        }
        return pd.Categorical.from_codes(
            np.fromiter(map(codes.__getitem__, values), dtype="int32"),
            categories=pd.Index([*field.values, *other_values], dtype="str"),
        )
    return pd.Series(values, dtype=field.dtype)


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


def signed_dictionaries(table: Any) -> Any:
    """Return an Arrow table whose dictionaries have signed indices, as pandas reads no others.

    polars writes its categories with unsigned indices.
    """
    pyarrow = import_extra("pyarrow", "reading a frame of another library", "history")
    for position, column in enumerate(table.schema):
        index_type = getattr(column.type, "index_type", None)
        if index_type is None or not str(index_type).startswith("u"):
            continue
        chunks = [
            pyarrow.DictionaryArray.from_arrays(chunk.indices.cast("int64"), chunk.dictionary)
            for chunk in table.column(position).chunks
        ]
        signed_type = pyarrow.dictionary(pyarrow.int64(), column.type.value_type)
        signed = pyarrow.chunked_array(chunks, signed_type)
        table = table.set_column(position, column.name, signed)
    return table
