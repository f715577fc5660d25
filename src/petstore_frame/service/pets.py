"""The operations on pets, as the interface states them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from pydantic import BeforeValidator, WithJsonSchema

from petstore_frame.service.errors import Refusal
from petstore_frame.service.models import (
    EXTENSION,
    INT64_SCHEMA,
    LIFECYCLE,
    Error,
    Int64,
    NewPet,
    Pet,
    PetStatus,
)
from petstore_frame.service.requests import (
    StoreOf,
    StrictRoute,
    base_of,
    plain_digits,
    require_key,
)

_NOT_SENT: Any = None  # untyped: null is no value of a parameter, so the document has none
_Plain = BeforeValidator(plain_digits)
Limit = Annotated[
    int, Query(ge=1, le=100, description="Maximum number of animals to return"), _Plain
]
Status = Annotated[PetStatus, Query(description="Filter by availability status")]
Cursor = Annotated[
    Int64,
    Query(description="Extension: the id that the page follows, as a next link gives it"),
    _Plain,
    WithJsonSchema({**INT64_SCHEMA, **EXTENSION}),
]
PetId = Annotated[Int64, Path(alias="petId", description="The identifier of the animal"), _Plain]
IdempotencyKey = Annotated[
    str,
    Header(
        min_length=1,
        max_length=255,
        pattern="^[ -~]+$",
        description="Extension: for 7 days, sending it again gives the same pet",
        json_schema_extra=EXTENSION,
    ),
]
StoreId = Annotated[
    str,
    Header(description="Extension: the store that the pet is for", json_schema_extra=EXTENSION),
]


def _header(description: str) -> dict[str, Any]:
    return {"description": f"Extension: {description}", "schema": {"type": "string"}, **EXTENSION}


def _refused(description: str) -> dict[str, Any]:
    return {"model": Error, "description": description}


# One "default" answer stands for what HTTP asks for (405, 413, 415) and what may always happen
# (500, 503); FastAPI would otherwise describe a 422 that this service never sends.
router = APIRouter(
    prefix="/v1",
    tags=["pets"],
    route_class=StrictRoute,
    dependencies=[Depends(require_key)],
    strict_content_type=False,  # a body without a media type is read as JSON
    responses={
        401: _refused("Credential missing or invalid"),
        "default": {**_refused("Any other refusal"), **EXTENSION},
    },
)


@router.get(
    "/pets",
    operation_id="listPets",
    summary="List all animals",
    response_model=list[Pet],
    response_model_exclude_none=True,
    response_description="The list of animals",
    responses={
        200: {"headers": {"Link": _header('The next page, as rel="next"; none on the last one')}},
        400: {**_refused("A parameter has an invalid value"), **EXTENSION},
    },
)
async def list_pets(
    store: StoreOf,
    request: Request,
    response: Response,
    limit: Limit = 20,
    status: Status = _NOT_SENT,
    cursor: Cursor = 0,
) -> Any:
    """Return a paginated list of animals in the store, by ascending id."""
    # One pet more than asked for shows whether there is a next page.
    found = await store.page(limit + 1, cursor, status)
    response.headers["cache-control"] = "no-store"
    if len(found) > limit:
        found.pop()
        query = f"limit={limit}" if status is None else f"limit={limit}&status={status}"
        address = f"{base_of(request)}/pets?{query}&cursor={found[-1]['id']}"
        response.headers["link"] = f'<{address}>; rel="next"'
    return found


@router.post(
    "/pets",
    operation_id="createPet",
    summary="Add an animal",
    status_code=201,
    response_model=Pet,
    response_model_exclude_none=True,
    response_description="Animal added; the body carries the assigned id",
    responses={
        201: {
            "headers": {
                "Location": _header("the address of the new animal"),
                "Idempotency-Replayed": _header("whether an earlier request had added it"),
            }
        },
        400: _refused("Body lacks required fields or contains invalid values"),
        412: {**_refused("The pet is for another store"), **EXTENSION},
        422: {**_refused("The Idempotency-Key was used with another body"), **EXTENSION},
    },
)
async def create_pet(
    store: StoreOf,
    request: Request,
    response: Response,
    pet: NewPet,
    idempotency_key: IdempotencyKey = _NOT_SENT,
    x_store_id: StoreId = _NOT_SENT,
) -> Any:
    """Add an animal; it is on disk when the answer is sent."""
    if x_store_id not in (None, store.store_id):
        message = "the pet is for another store than the one at this address; nothing was stored"
        raise Refusal(412, message)
    added = await store.add(pet, idempotency_key)
    if added.conflict:
        message = "this Idempotency-Key was used before with another body; nothing was stored"
        raise Refusal(422, message)
    response.headers["location"] = f"{base_of(request)}/pets/{added.pet['id']}"
    if idempotency_key is not None:
        response.headers["idempotency-replayed"] = "true" if added.replayed else "false"
    return added.pet


@router.get(
    "/pets/{petId}",
    operation_id="getPet",
    summary="Get an animal",
    deprecated=True,
    response_model=Pet,
    response_model_exclude_none=True,
    response_description="The requested animal",
    responses={
        200: {
            "headers": {
                "Deprecation": _header("since when the operation is deprecated (RFC 9745)"),
                "Sunset": _header("when it is scheduled for removal (RFC 8594)"),
            }
        },
        404: _refused("No animal with that identifier"),
    },
)
async def get_pet(store: StoreOf, response: Response, pet_id: PetId) -> Any:
    """Get one animal by its id. To be removed on 5 December 2030: list by `status` instead."""
    pet = await store.pet(pet_id)
    if pet is None:
        raise Refusal(404, "there is no pet with this id", headers=LIFECYCLE)
    response.headers.update(LIFECYCLE)
    return pet
