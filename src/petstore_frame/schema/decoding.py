"""Reads pets and errors from the JSON of the store; an error names what is wrong with it.

Where an object names a field twice, the last value counts, as in every decoder used here.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from types import GenericAlias
from typing import Any, get_type_hints

import msgspec
from pydantic import TypeAdapter, ValidationError

from petstore_frame.errors import ContractError
from petstore_frame.schema.frame import PetColumns
from petstore_frame.schema.models import FIELDS, PET_STATUSES, Pet
from petstore_frame.schema.text import whole_body


class ErrorBody(msgspec.Struct):
    """The Error object of the interface (section Errors), with the extension ``field``."""

    code: str
    message: str
    status: float  # JSON has 400.0 for 400, too
    field: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.field, str):
            self.field = None  # another store's extension


def _quick_decoder() -> msgspec.json.Decoder[list[msgspec.Struct]]:
    """Return a decoder of pages, as strict as Pet and four times as fast."""
    hints = get_type_hints(Pet, include_extras=True)
    fields = [
        (field.name, hints[field.name], *(() if field.is_required else (None,))) for field in FIELDS
    ]
    wire_names = {field.name: field.wire_name for field in FIELDS}
    row = msgspec.defstruct("Row", fields, rename=wire_names, gc=False)
    return msgspec.json.Decoder(GenericAlias(list, row))


_QUICK_PAGE = _quick_decoder()
_GETTERS = {field.name: attrgetter(field.name) for field in FIELDS}
# One object per known status, not one per pet.
_KNOWN: dict[str | None, str | None] = {status: status for status in (*PET_STATUSES, None)}
_NO_JSON = (ValueError, RecursionError)


@cache
def explaining_reader(kind: Any = list[Pet]) -> TypeAdapter[Any]:
    """Return the reader that says what is wrong with a page or a pet, built on first need."""
    return TypeAdapter(kind)


def read_page(body: bytes, *, operation: str = "GET /pets", page: int | None = None) -> PetColumns:
    """Check a listing's body and return its pets; U+FFFD takes the place of a lone surrogate.

    Raises:
        ContractError: The body is not an array of Pets; names page, position and field.

    Interface: Endpoints, List all animals.
    """
    whole = whole_body(body)
    pets: list[Any]
    try:
        pets = _QUICK_PAGE.decode(whole)
    except _NO_JSON:
        pets = _read_slowly(list[Pet], whole, operation, page)
    values = {name: list(map(get, pets)) for name, get in _GETTERS.items()}
    values["status"] = list(map(_KNOWN.get, values["status"], values["status"]))
    return PetColumns(*values.values())


def read_pet(body: bytes, *, operation: str) -> Pet:
    """Check the body of a single Pet; U+FFFD takes the place of a lone surrogate in a text.

    Raises:
        ContractError: The body is not a Pet.
    """
    pet: Pet = _read_slowly(Pet, whole_body(body), operation)
    return pet


def read_error(body: bytes) -> ErrorBody | None:
    """Return the Error of the interface, or None when the body is something else."""
    try:
        return msgspec.json.decode(whole_body(body), type=ErrorBody)
    except _NO_JSON:
        return None


def excerpt(body: bytes) -> str:
    """Return the first characters of a body for a message, control characters escaped."""
    text = body[:320].decode("utf-8", "replace")[:80]
    return f" (it begins {text!r})" if body else " (empty body)"


def _read_slowly(kind: Any, body: bytes, operation: str, page: int | None = None) -> Any:
    """Read all that JSON Schema allows, such as ``1.0`` for 1.

    Raises:
        ContractError: The body is something else; names the place.
    """
    try:
        return explaining_reader(kind).validate_json(body, by_name=False)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
    position = next((part + 1 for part in first["loc"] if isinstance(part, int)), None)
    field = next((part for part in first["loc"] if isinstance(part, str)), None)
    parts = (f"page {page}" if page else "", f"pet {position}" if position else "", field)
    place = ", ".join(part for part in parts if part)
    what = f"{place}: {first['msg']}" if place else first["msg"]
    raise ContractError(
        f"the answer to {operation} is not what the interface states: {what}"
        f"{'' if position else excerpt(body)}; "
        "check that base_url is a pet store of interface 1.0.0",
        operation=operation,
        page=page,
        position=position,
        field=field,
    )
