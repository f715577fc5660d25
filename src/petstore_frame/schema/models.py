"""What is a pet, on the wire and in Python.

In: JSON bytes of the interface, or values of a caller. Out: checked models and column lists.
The wire names (``categoryId``) stop here. It knows nothing of how bytes travel.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypeAlias, get_type_hints

import msgspec
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict, Unpack

from petstore_frame.errors import ArgumentError, ContractError
from petstore_frame.schema.numeric import as_whole
from petstore_frame.schema.surrogates import holds_lone, may_hold_lone, whole_body, whole_text

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
PetStatus: TypeAlias = Literal["available", "pending", "sold"]
PET_STATUSES: tuple[PetStatus, ...] = ("available", "pending", "sold")
NO_STATUS = "no status"

Int64 = Annotated[int, Field(ge=INT64_MIN, le=INT64_MAX), msgspec.Meta(ge=INT64_MIN, le=INT64_MAX)]


class _NewPetValues(TypedDict):
    name: str
    category_id: int
    status: NotRequired[PetStatus | None]


class NewPet(BaseModel):
    """An animal to add, as ``create_pet`` sends it.

    Args:
        name: Any text; the interface sets no bounds.
        category_id: The category's id, an int64.
        status: available, pending or sold; None sends none.

    Raises:
        ArgumentError: A field is missing or impossible; the text names all of them.

    Example:
        >>> NewPet(name="Luna", category_id=3).to_json()
        b'{"name":"Luna","categoryId":3}'

    Interface: Resources, NewPet.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str
    category_id: int = Field(
        ge=INT64_MIN,
        le=INT64_MAX,
        validation_alias=AliasChoices("category_id", "categoryId"),
        serialization_alias="categoryId",
    )
    status: PetStatus | None = None

    @field_validator("category_id", mode="before")
    @classmethod
    def _take_numpy(cls, number: Any) -> Any:
        """Turn numpy's whole numbers into Python's; the check of the field sees all others."""
        whole = as_whole(number)
        return number if whole is None else whole

    def __init__(self, **values: Unpack[_NewPetValues]) -> None:
        try:
            super().__init__(**values)
            self.to_json()  # Python allows a lone surrogate in a str; JSON cannot encode it
        except ValidationError as problem:
            faults = "; ".join(map(_fault, problem.errors(include_url=False)))
            raise ArgumentError(f"not a valid pet: {faults}; nothing was sent") from None
        except ValueError:
            fault = "name holds a lone surrogate, which JSON cannot encode"
            raise ArgumentError(f"not a valid pet: {fault}; nothing was sent") from None

    def to_json(self) -> bytes:
        """Return the request body; a status that is None is left out, never sent as null."""
        return self.model_dump_json(by_alias=True, exclude_none=True).encode()


def _fault(problem: ErrorDetails) -> str:
    """Return what one field of a NewPet should be, and what it is."""
    field = str(problem["loc"][0]).replace("categoryId", "category_id")
    if problem["type"] == "missing":
        return f"{field} is missing"
    if problem["type"] == "extra_forbidden":
        return f"{field} is not a field of a new pet (name, category_id, status)"
    kinds = {
        "name": "text",
        "category_id": "a whole number of 64 bits",
        "status": f"one of {', '.join(PET_STATUSES)}, or None",
    }
    got = repr(problem["input"])
    return f"{field} is {kinds[field]}, got {got if len(got) <= 60 else got[:59] + '…'}"


class Pet(BaseModel):
    """An animal as the store returns it.

    Fields beyond the interface are kept by ``get_pet`` and ``create_pet`` (in ``model_extra``); a
    Page and a frame hold the four fields of the interface.

    Attributes:
        id: The id that the store assigned, an int64.
        name: The animal's name.
        category_id: The category's id, an int64.
        status: The text received, known to the interface or not; None for none.

    Interface: Resources, Pet.
    """

    model_config = ConfigDict(
        strict=True, frozen=True, populate_by_name=True, extra="allow", hide_input_in_errors=True
    )

    id: Int64
    name: str
    category_id: Int64 = Field(alias="categoryId")
    status: str | None = None


class ErrorBody(BaseModel):
    """The Error object of the interface (section Errors), with the extension ``field``.

    A ``field`` that is not text is an extension of someone else's and is left out.
    """

    model_config = ConfigDict(strict=True, extra="allow", hide_input_in_errors=True)

    code: str
    message: str
    status: int
    field: str | None = None

    @field_validator("status", mode="before")
    @classmethod
    def _take_whole_float(cls, number: Any) -> Any:
        return int(number) if isinstance(number, float) and number.is_integer() else number

    @field_validator("field", mode="before")
    @classmethod
    def _leave_out_other_kinds(cls, field: Any) -> Any:
        return field if isinstance(field, str) else None


class PetColumns(NamedTuple):
    """The pets of one or more pages as four columns of equal length, in the order received."""

    id: Sequence[int]
    name: Sequence[str]
    category_id: Sequence[int]
    status: Sequence[str | None]

    def part(self, start: int = 0, stop: int | None = None) -> PetColumns:
        """Return the rows from ``start`` up to ``stop``, without it."""
        rows = slice(start, stop)
        return PetColumns(self.id[rows], self.name[rows], self.category_id[rows], self.status[rows])


def _page_decoder() -> msgspec.json.Decoder[Any]:
    """Return a decoder of pages by the fields of Pet."""
    hints = get_type_hints(Pet, include_extras=True)
    fields = [
        (name, hints[name]) if field.is_required() else (name, hints[name], field.default)
        for name, field in Pet.model_fields.items()
    ]
    aliases = {name: field.alias for name, field in Pet.model_fields.items() if field.alias}
    row = msgspec.defstruct("Pet", fields, rename=aliases, gc=False)
    return msgspec.json.Decoder(list[row])  # type: ignore[valid-type] # made at run time


# Pet is the one schema: msgspec is as strict in a fraction of the time, pydantic explains a fault.
_QUICK_PAGE = _page_decoder()
_PAGE = TypeAdapter(list[Pet])
# One object per known status, not one per pet.
_KNOWN: dict[str | None, str | None] = {status: status for status in (*PET_STATUSES, None)}


def pets_text(count: int) -> str:
    """Return a number of pets as a sentence has it.

    Example:
        >>> pets_text(1), pets_text(2_500)
        ('1 pet', '2,500 pets')
    """
    return "1 pet" if count == 1 else f"{count:,} pets"


def read_page(
    body: bytes, *, operation: str = "GET /pets", page: int | None = None
) -> tuple[PetColumns, tuple[int, ...]]:
    """Check a listing's body and return its pets as columns.

    Args:
        body: The JSON bytes received.
        operation: Method and path, for the error message.
        page: Number of the page, for the error message.

    Returns:
        The columns, and the ids of the pets that had a lone surrogate in a text, which U+FFFD
        replaces.

    Raises:
        ContractError: The body is not an array of Pets; names page, position and field.

    Interface: Endpoints, List all animals.
    """
    try:
        pets, is_suspect = _QUICK_PAGE.decode(body), may_hold_lone(body)
    except (ValueError, RecursionError):
        pets, is_suspect = _second_look(body, operation, page), True
    columns = PetColumns(
        [pet.id for pet in pets],
        [pet.name for pet in pets],
        [pet.category_id for pet in pets],
        [_KNOWN.get(status := pet.status, status) for pet in pets],
    )
    return _whole_texts(columns) if is_suspect else (columns, ())


def _whole_texts(columns: PetColumns) -> tuple[PetColumns, tuple[int, ...]]:
    """Replace lone surrogates, and return the ids of their pets as well."""
    damaged = tuple(
        pet_id
        for pet_id, name, _, status in zip(*columns, strict=True)
        if holds_lone(name) or holds_lone(status or "")
    )
    if not damaged:
        return columns, ()
    names = [whole_text(name) for name in columns.name]
    statuses = [None if status is None else whole_text(status) for status in columns.status]
    return columns._replace(name=names, status=statuses), damaged


def _second_look(body: bytes, operation: str, page: int | None) -> list[Pet]:
    """Accept what JSON Schema allows, such as ``1.0`` for 1, or raise what is wrong."""
    try:
        return _PAGE.validate_json(body, by_name=False)
    except ValidationError as problem:
        first = problem
    try:
        return _PAGE.validate_python(_whole_floats_to_int(json.loads(body)), by_name=False)
    except ValidationError as still:
        raise contract_error(still, body, operation, page) from None
    except (ValueError, RecursionError):  # the latter: lists nested a thousand deep
        raise contract_error(first, body, operation, page) from None


def read_pet(body: bytes, *, operation: str) -> Pet:
    """Check the body of a single Pet; U+FFFD takes the place of a lone surrogate in a text.

    Raises:
        ContractError: The body is not a Pet.
    """
    body = whole_body(body)
    try:
        return Pet.model_validate_json(body, by_name=False)
    except ValidationError as problem:
        try:
            return Pet.model_validate(_whole_floats_to_int(json.loads(body)), by_name=False)
        except (ValidationError, ValueError, RecursionError):
            raise contract_error(problem, body, operation, None) from None


def read_error(body: bytes) -> ErrorBody | None:
    """Return the Error of the interface, or None when the body is something else."""
    try:
        return ErrorBody.model_validate_json(whole_body(body))
    except ValidationError:
        return None


def _whole_floats_to_int(value: Any) -> Any:
    """Turn ``1.0`` into 1 in the integer fields: JSON Schema calls both the same integer."""
    pets = value if isinstance(value, list) else [value]
    for pet in pets:
        if isinstance(pet, dict):
            for field in ("id", "categoryId"):
                number = pet.get(field)
                if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
                    pet[field] = int(number)
    return value


def contract_error(
    problem: ValidationError, body: bytes, operation: str, page: int | None
) -> ContractError:
    """Return the error that names where a body leaves the interface."""
    first = problem.errors(include_input=False, include_url=False)[0]
    position = next((part + 1 for part in first["loc"] if isinstance(part, int)), None)
    field = next((part for part in first["loc"] if isinstance(part, str)), None)
    place = ", ".join(
        part
        for part in (
            f"page {page}" if page else "",
            f"pet {position}" if position else "",
            field or "",
        )
        if part
    )
    start = excerpt(body) if not position else ""
    return ContractError(
        f"the answer to {operation} is not what the interface states: "
        f"{place + ': ' if place else ''}{first['msg']}{start}; "
        "check that base_url is a pet store of interface 1.0.0",
        operation=operation,
        page=page,
        position=position,
        field=field,
    )


def excerpt(body: bytes, length: int = 80) -> str:
    """Return the first characters of a body for a message, control characters escaped."""
    if not body:
        return " (empty body)"
    text = body[: length * 4].decode("utf-8", "replace")[:length]
    return f" (it begins {text!r})"
