"""Defines the JSON of requests and responses, with the names of the interface."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import format_datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema
from pydantic import field_validator as validator
from pydantic.json_schema import SkipJsonSchema


# The format implies the bounds; as numbers in the document, they would be rounded to floats.
def plain_integer(value: object) -> object:
    """Reject a whole number that is not written as JSON writes it: +1, 01, 1.0 or 1_0."""
    if isinstance(value, str) and not re.fullmatch("-?[1-9][0-9]*|0", value):
        raise ValueError("must be a whole number")
    return value


Int64 = Annotated[
    int,
    Field(ge=-(2**63), le=2**63 - 1),
    WithJsonSchema({"type": "integer", "format": "int64"}),
]
# The headers of getPet, which is deprecated (RFC 9745, RFC 8594).
LIFECYCLE = {
    "deprecation": f"@{int(datetime(2026, 11, 21, tzinfo=UTC).timestamp())}",
    "sunset": format_datetime(datetime(2030, 12, 5, tzinfo=UTC), usegmt=True),
}
_MAX_DIGITS = 19  # digits of an int64 before the decimal point
_LUNA: dict[str, JsonValue] = {"name": "Luna", "categoryId": 3}
# The rule of ``_is_text``, for the OpenAPI document.
_TEXT_PATTERN = r"^[^\x00]*[^\x00\s][^\x00]*$"


class PetStatus(StrEnum):
    """Availability of a pet.

    Interface: Resources, PetStatus.
    """

    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


class NewPet(BaseModel):
    """The body of createPet, in the order of the columns of ``store.pets``.

    Interface: Resources, NewPet.
    """

    model_config = ConfigDict(
        hide_input_in_errors=True,
        json_schema_extra={"examples": [_LUNA]},
    )

    name: str = Field(
        strict=True,
        min_length=1,
        max_length=1000,
        description="The animal's name: any text that is not blank, without U+0000",
        json_schema_extra={"pattern": _TEXT_PATTERN},
    )
    category_id: Int64 = Field(
        alias="categoryId",
        strict=True,
        description="Identifier of the category the animal belongs to",
    )
    # A factory returns None; otherwise the document would show null as the default.
    status: PetStatus | SkipJsonSchema[None] = Field(
        default_factory=lambda: None, description="Availability status"
    )

    @validator("category_id", mode="before")
    @classmethod
    def _accept_integral_float(cls, number: Any) -> Any:
        """Accept ``1.0`` as 1, as JSON Schema does."""
        return _as_integer(number)

    @validator("name")
    @classmethod
    def _is_text(cls, name: str) -> str:
        if "\x00" in name:
            raise ValueError("contains the character U+0000")
        if name.isspace():
            raise ValueError("is blank")
        return name

    @validator("status", mode="before")
    @classmethod
    def _is_not_null(cls, status: Any) -> Any:
        if status is None:
            raise ValueError("is null; leave the field out")
        return status


class Pet(NewPet):
    """A pet as the store returns it.

    Interface: Resources, Pet.
    """

    model_config = ConfigDict(
        validate_by_name=True,  # the database uses the Python names
        validate_by_alias=True,
        json_schema_extra={"examples": [{"id": 1, **_LUNA}]},
    )

    id: Int64 = Field(description="Unique identifier assigned by the service on creation")


class Error(BaseModel):
    """The body of every response that is not a success.

    Interface: Errors.
    """

    code: str = Field(description="Machine-readable error code; the set is open")
    message: str = Field(description="Human-readable description")
    status: int = Field(description="The HTTP status code")
    field: str | SkipJsonSchema[None] = Field(
        None, description="Extension: the field or parameter at fault"
    )


def _as_integer(number: Any) -> Any:
    """Return an integer for a Decimal without a fraction, as in JSON Schema; else the value."""
    if not isinstance(number, Decimal) or not number.is_finite():
        return number
    # Digits are counted first: int(Decimal("1e999999")) would take a second.
    if number.adjusted() >= _MAX_DIGITS or number != number.to_integral_value():
        return number
    return int(number)
