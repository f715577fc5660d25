"""How the JSON of the interface becomes pets, or an error that names what is wrong with it."""

from __future__ import annotations

import json
from functools import cache
from operator import attrgetter
from types import GenericAlias
from typing import Any, get_type_hints

import msgspec
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, field_validator

from petstore_frame.errors import ContractError
from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.fields import FIELDS, PET_COLUMNS
from petstore_frame.schema.models import PET_STATUSES, Pet
from petstore_frame.schema.text import holds_lone, may_hold_lone, whole_body, whole_text


class ErrorBody(BaseModel):
    """The Error object of the interface (section Errors), with the extension ``field``.

    A ``field`` that is not text is an extension of someone else's and is left out.
    """

    model_config = ConfigDict(
        strict=True, extra="allow", hide_input_in_errors=True, defer_build=True
    )

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


def _quick_decoder() -> msgspec.json.Decoder[list[msgspec.Struct]]:
    """Return a decoder of pages by the fields of Pet, as strict and in a quarter of the time."""
    hints = get_type_hints(Pet, include_extras=True)
    fields = [
        (field.name, hints[field.name], *(() if field.is_required else (None,))) for field in FIELDS
    ]
    wire_names = {field.name: field.wire_name for field in FIELDS}
    row = msgspec.defstruct("Row", fields, rename=wire_names, gc=False)
    return msgspec.json.Decoder(GenericAlias(list, row))


_QUICK_PAGE = _quick_decoder()
_GETTERS = {field.name: attrgetter(field.name) for field in FIELDS}
_WHOLE_NUMBERS = [field.wire_name for field in FIELDS if field.dtype in ("int64", "Int64")]
_REQUIRED = sum(field.is_required for field in FIELDS)
_OPTIONAL = [field.name for field in FIELDS if not field.is_required]
# One object per known status, not one per pet.
_KNOWN: dict[str | None, str | None] = {status: status for status in (*PET_STATUSES, None)}


@cache
def explaining_reader() -> TypeAdapter[list[Pet]]:
    """Return the reader that says what is wrong with a page, built on first need."""
    return TypeAdapter(list[Pet])


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
        ContractError: The body is not an array of Pets, or an object in it names a field twice;
            names page, position and field.

    Interface: Endpoints, List all animals.
    """
    pets: list[Any]
    try:
        pets, is_suspect = _QUICK_PAGE.decode(body), may_hold_lone(body)
    except (ValueError, RecursionError):
        pets, is_suspect = _second_look(body, operation, page), True
    values = {name: list(map(get, pets)) for name, get in _GETTERS.items()}
    values["status"] = [_KNOWN.get(status, status) for status in values["status"]]
    columns = PetColumns(*values.values())
    if body.count(b":") != _fewest_members(columns):  # else no object can name a field twice
        _refuse_repeated_names(body, operation, page)
    return _whole_texts(columns) if is_suspect else (columns, ())


def _fewest_members(columns: PetColumns) -> int:
    """Return how many members the objects must have had, each of which has a colon."""
    count = len(columns.id)
    given = (count - columns.column(name).count(None) for name in _OPTIONAL)
    return count * _REQUIRED + sum(given)


def _refuse_repeated_names(body: bytes, operation: str, page: int | None = None) -> None:
    """Raise where an object names a field twice: which of the two is true cannot be told.

    Raises:
        ContractError: One does.
    """
    try:
        json.loads(body, object_pairs_hook=_no_repeats)
    except _RepeatedNameError as problem:
        field = problem.args[0]
        raise ContractError(
            f"the answer to {operation} is not what the interface states: "
            f"{f'page {page}: ' if page else ''}an object has the field {field[:60]!r} twice; "
            "ask the store's operator which of the two values is meant",
            operation=operation,
            page=page,
            field=field,
        ) from None
    except (ValueError, RecursionError):  # then it has been read by a reader that takes more
        return


class _RepeatedNameError(Exception):
    """A JSON object names a field twice; has the name."""


def _no_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(members)
    if len(named) < len(members):
        names = [name for name, _ in members]
        raise _RepeatedNameError(next(name for name in names if names.count(name) > 1))
    return named


def _whole_texts(columns: PetColumns) -> tuple[PetColumns, tuple[int, ...]]:
    """Replace lone surrogates, and return the ids of their pets as well."""
    texts = [field.name for field in FIELDS if field.dtype in ("str", "category")]
    held = zip(columns.id, *map(columns.column, texts), strict=True)
    damaged = tuple(row[0] for row in held if any(holds_lone(text or "") for text in row[1:]))
    if not damaged:
        return columns, ()
    values = dict(zip(PET_COLUMNS, columns, strict=True))
    for name in texts:
        values[name] = [None if text is None else whole_text(text) for text in values[name]]
    return PetColumns(*values.values()), damaged


def _second_look(body: bytes, operation: str, page: int | None) -> list[Pet]:
    """Accept what JSON Schema allows, such as ``1.0`` for 1, or raise what is wrong."""
    try:
        return explaining_reader().validate_json(body, by_name=False)
    except ValidationError as problem:
        first = problem
    try:
        return explaining_reader().validate_python(
            _whole_floats_to_int(json.loads(body)), by_name=False
        )
    except ValidationError as still:
        raise contract_error(still, body, operation, page) from None
    except (ValueError, RecursionError):  # the latter: lists nested a thousand deep
        raise contract_error(first, body, operation, page) from None


def read_pet(body: bytes, *, operation: str) -> Pet:
    """Check the body of a single Pet; U+FFFD takes the place of a lone surrogate in a text.

    Raises:
        ContractError: The body is not a Pet, or an object in it names a field twice.
    """
    _refuse_repeated_names(body, operation)
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
            for field in _WHOLE_NUMBERS:
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
