"""Defines the fields of a pet, with the properties that the rest of the package needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import Signature, signature
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from petstore_frame.errors import ArgumentError, ContractError
from petstore_frame.schema.text import folded_name, has_lone_surrogate, replace_surrogates_in_json
from petstore_frame.validation import INT64

PetStatus: TypeAlias = Literal["available", "pending", "sold"]
PET_STATUSES: tuple[PetStatus, ...] = ("available", "pending", "sold")

Int64 = Annotated[int, Field(ge=INT64[0], le=INT64[-1]), msgspec.Meta(ge=INT64[0], le=INT64[-1])]
Dtype: TypeAlias = Literal["int64", "Int64", "Float64", "boolean", "str", "category"]


@dataclass(frozen=True)
class PetField:
    """A field of a pet; ``FIELDS`` adds the last four from the models.

    Attributes:
        label: Its heading in tables, workbooks and the dashboard.
        dtype: Its pandas dtype; a field that may be missing needs one with missing values.
        headers: Names of its column in users' files, in lower case without spaces and underscores;
            the first one in a file is used. The name of the field always matches.
        likely: Terms in a header that suggest the field, which a person must then confirm.
        values: The values in the interface, in order; a store may send other values.
        name: Its name in Python and in frames: ``category_id``.
        wire_name: Its name in JSON: ``categoryId``.
        is_required: Whether every pet has it.
        is_sent: Whether a caller sets it for a new pet; the store assigns the others.
    """

    label: str
    dtype: Dtype
    headers: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    name: str = ""
    wire_name: str = ""
    is_required: bool = True
    is_sent: bool = False

    @property
    def nullable(self) -> str:
        """The dtype for a column with missing values."""
        return {"int64": "Int64", "category": "str"}.get(self.dtype, self.dtype)


class PetFields(BaseModel):
    """The fields that a caller sets and the store returns. Add a new field here."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    name: Annotated[str, PetField("Name", "str", likely=("name", "animal"))]
    category_id: Annotated[
        Int64,
        Field(alias="categoryId"),
        PetField("Category ID", "int64", ("category",), ("category", "kind", "type", "species")),
    ]
    status: Annotated[
        str | None,
        PetField("Status", "category", (), ("status", "state", "availability"), PET_STATUSES),
    ] = None

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Make help() show the Python names instead of the JSON names."""
        parameters = zip(cls.model_fields.items(), signature(cls).parameters.values(), strict=False)
        cls.__signature__ = Signature(
            [
                parameter.replace(name=name, annotation=info.annotation)
                for (name, info), parameter in parameters
            ]
        )


class StoredFields(BaseModel):
    """The fields that the store assigns."""

    id: Annotated[Int64, PetField("ID", "int64")]


class NewPet(PetFields):
    """A pet to add, as ``create_pet`` sends it.

    Args:
        name: Any text; the interface sets no bounds.
        category_id: The category's id, an int64.
        status: available, pending or sold; None sends none.

    Raises:
        ArgumentError: A field is missing or invalid; the message names all of them.

    Example:
        >>> NewPet(name="Luna", category_id=3).to_json()
        b'{"name":"Luna","categoryId":3}'

    Interface: Resources, NewPet.
    """

    model_config = ConfigDict(extra="forbid")

    status: PetStatus | None = None

    @field_validator("*", mode="before")
    @classmethod
    def _accept_numpy(cls, value: Any) -> Any:
        """Convert numpy integers to int, and reject text that JSON cannot encode."""
        if isinstance(value, str) and has_lone_surrogate(value):
            raise ValueError("contains a lone surrogate, which JSON cannot encode")
        is_integral = isinstance(value, Integral) and not isinstance(value, bool)
        return int(value) if is_integral else value

    if not TYPE_CHECKING:  # type checkers use the fields as arguments

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as problem:
                faults = "; ".join(map(_fault, problem.errors(include_url=False)))
                raise ArgumentError(f"not a valid pet: {faults}; nothing was sent") from None

    def to_json(self) -> bytes:
        """Return the request body; a field that is None is omitted, never sent as null."""
        return self.model_dump_json(by_alias=True, exclude_none=True).encode()

    def differences(self, pet: Pet) -> dict[str, tuple[Any, Any]]:
        """Return the sent and the returned value of each field in which a pet differs.

        A store may change case, spaces and letter forms of a text, and fill in missing fields;
        these are no differences.
        """
        differences = {}
        for field, sent in self:
            returned = getattr(pet, field)
            are_texts = isinstance(sent, str) and isinstance(returned, str)
            is_same = folded_name(sent) == folded_name(returned) if are_texts else sent == returned
            if sent is not None and not is_same:
                differences[field] = (sent, returned)
        return differences


class Pet(PetFields, StoredFields):
    """A pet as the store returns it.

    ``get_pet`` and ``create_pet`` keep further fields in ``model_extra``. A Page and a frame have
    only the fields in the interface.

    Attributes:
        id: The id that the store assigned, an int64.
        name: The pet's name.
        category_id: The category's id, an int64.
        status: The text received, even if the interface does not have it; None if there is none.

    Interface: Resources, Pet.
    """

    model_config = ConfigDict(extra="allow")

    @classmethod
    def from_json(cls, body: bytes, *, operation: str) -> Self:
        """Parse the body of a single Pet; U+FFFD replaces a lone surrogate.

        Raises:
            ContractError: The body is not a Pet.
        """
        try:
            return cls.model_validate_json(replace_surrogates_in_json(body), by_name=False)
        except ValidationError as problem:
            raise contract_error(problem, body, operation) from None

    @field_validator("*", mode="before")
    @classmethod
    def _accept_integral_float(cls, value: Any) -> Any:
        """Convert ``1.0``, which JSON Schema treats as an integer, to 1."""
        is_integral = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        return int(value) if is_integral else value


def _fault(problem: ErrorDetails) -> str:
    """Describe the problem of one field of a NewPet, by its Python name."""
    wire_name = str(problem["loc"][0])
    names = {field.wire_name: field.name for field in FIELDS}
    return f"{names.get(wire_name, wire_name)}: {problem['msg']}"


def _field(name: str) -> PetField:
    info = Pet.model_fields[name]
    column = next(item for item in info.metadata if isinstance(item, PetField))
    own = name.replace("_", "")
    return replace(
        column,
        headers=(own, *(header for header in column.headers if header != own)),
        name=name,
        wire_name=info.alias or name,
        is_required=info.is_required(),
        is_sent=name in NewPet.model_fields,
    )


class Fields(tuple[PetField, ...]):
    """Fields of a pet, in the order of the columns."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self)

    @property
    def sent(self) -> Fields:
        """The fields that a caller sets for a new pet."""
        return Fields(field for field in self if field.is_sent)

    def named(self, name: str) -> PetField:
        return self[self.names.index(name)]


FIELDS = Fields(map(_field, Pet.model_fields))
PET_COLUMNS = FIELDS.names


def contract_error(
    problem: ValidationError, body: bytes, operation: str, page: int | None = None
) -> ContractError:
    """Return the error for a body that is not a Pet or an array of Pets, with the position."""
    first = problem.errors(include_input=False, include_url=False)[0]
    position = next((part + 1 for part in first["loc"] if isinstance(part, int)), None)
    field = next((part for part in first["loc"] if isinstance(part, str)), None)
    parts = (f"page {page}" if page else "", f"pet {position}" if position else "", field)
    location = ", ".join(part for part in parts if part)
    detail = f"{location}: {first['msg']}" if location else first["msg"]
    beginning = "" if position else f" (it begins {body[:320].decode('utf-8', 'replace')[:80]!r})"
    return ContractError(
        f"the response to {operation} does not match the interface: {detail}{beginning}; "
        "check that base_url is a pet store of interface 1.0.0",
        operation=operation,
        page=page,
        position=position,
        field=field,
    )
