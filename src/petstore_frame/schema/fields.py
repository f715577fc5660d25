"""The fields of a pet as a table, read from the model: for all that treats fields alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from petstore_frame.schema.models import Dtype, NewPet, Pet, column_of

ArrowType: TypeAlias = Literal["int64", "float64", "bool", "string"]

_ARROW_TYPES: dict[Dtype, ArrowType] = {
    "int64": "int64",
    "Int64": "int64",
    "Float64": "float64",
    "boolean": "bool",
    "str": "string",
    "category": "string",
}


@dataclass(frozen=True)
class Field:
    """A field of a pet, in the order of the columns.

    Attributes:
        name: Its name in Python and in frames: ``category_id``.
        wire_name: Its name in JSON: ``categoryId``.
        dtype: Its pandas dtype.
        label: Its heading in tables, workbooks and the dashboard.
        is_required: Whether every pet has it.
        is_sent: Whether a caller gives it for a new pet; the store assigns the others.
        headers: What its column is called in users' files, lower case, without spaces and
            underscores, the preferred one first.
        likely: Words in a header that make it worth proposing.
        values: The values that are known beforehand, in their order.
    """

    name: str
    wire_name: str
    dtype: Dtype
    label: str
    is_required: bool
    is_sent: bool
    headers: tuple[str, ...]
    likely: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def arrow_type(self) -> ArrowType:
        """The name of pyarrow's type for it, as in ``getattr(pyarrow, field.arrow_type)()``."""
        return _ARROW_TYPES[self.dtype]


def _field(name: str) -> Field:
    info, column = Pet.model_fields[name], column_of(name)
    own = name.replace("_", "")
    return Field(
        name=name,
        wire_name=info.alias or name,
        dtype=column.dtype,
        label=column.label,
        is_required=info.is_required(),
        is_sent=name in NewPet.model_fields,
        headers=(own, *(header for header in column.headers if header != own)),
        likely=column.likely,
        values=column.values,
    )


FIELDS: tuple[Field, ...] = tuple(map(_field, Pet.model_fields))
FIELD_BY_NAME: dict[str, Field] = {field.name: field for field in FIELDS}
SENT_FIELDS: tuple[Field, ...] = tuple(field for field in FIELDS if field.is_sent)
PET_COLUMNS: tuple[str, ...] = tuple(FIELD_BY_NAME)
