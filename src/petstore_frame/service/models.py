"""What crosses the wire, named as the interface names it."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    WithJsonSchema,
    field_validator,
)
from pydantic.json_schema import SkipJsonSchema

EXTENSION: dict[str, JsonValue] = {"x-extension": True}
_LUNA: dict[str, JsonValue] = {"name": "Luna", "categoryId": 3}


def _whole(value: Any) -> Any:
    """Take ``1.0`` as 1, as JSON Schema does, and exactly; leave everything else as it is."""
    if isinstance(value, Decimal) and abs(value) <= 2**63 and value == value.to_integral_value():
        return int(value)
    return value


class PetStatus(StrEnum):
    """Availability of a pet.

    Interface: Resources, PetStatus.
    """

    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


# The format says what the bounds are; as numbers of the document they would be rounded to floats.
INT64_SCHEMA: dict[str, JsonValue] = {"type": "integer", "format": "int64"}
Int64 = Annotated[int, Field(ge=-(2**63), le=2**63 - 1), WithJsonSchema(INT64_SCHEMA)]
_CategoryId = Annotated[
    Int64,
    Field(
        alias="categoryId",
        strict=True,
        description="Identifier of the category the animal belongs to",
    ),
    BeforeValidator(_whole),
]
# As str.isspace has them, spelt out: each language knows other ones by \s.
_BLANKS = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Made by a function, as the document would else have null as a default.
_ABSENT = Field(default_factory=lambda: None)
_Status = Annotated[PetStatus | SkipJsonSchema[None], Field(description="Availability status")]


class NewPet(BaseModel):
    """The body of createPet.

    Interface: Resources, NewPet.
    """

    model_config = ConfigDict(
        validate_by_name=True,
        validate_by_alias=True,
        use_enum_values=True,
        json_schema_extra={"examples": [_LUNA]},
    )

    name: str = Field(
        strict=True,
        min_length=1,
        max_length=1000,
        pattern=rf"^[^\x00]*[^\x00{_BLANKS}][^\x00]*$",
        description="The animal's name: any text that is not blank, without U+0000",
    )
    category_id: _CategoryId
    status: _Status = _ABSENT

    @field_validator("status", mode="before")
    @classmethod
    def _no_null(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("null is not a status; leave the field out")
        return value


class Pet(BaseModel):
    """A pet as the store keeps it.

    Interface: Resources, Pet.
    """

    model_config = ConfigDict(
        use_enum_values=True, json_schema_extra={"examples": [{"id": 1, **_LUNA}]}
    )

    id: Int64 = Field(description="Unique identifier assigned by the service on creation")
    name: str = Field(description="The animal's name")
    category_id: _CategoryId
    status: _Status = _ABSENT


class Error(BaseModel):
    """The body of every answer that is not a success.

    Interface: Errors.
    """

    code: str = Field(description="Machine-readable error code; the set is open")
    message: str = Field(description="Human-readable description")
    status: int = Field(description="The HTTP status code")
    field: str | SkipJsonSchema[None] = Field(
        None,
        description="The field or parameter at fault",
        json_schema_extra=lambda schema: schema.update(EXTENSION),
    )
