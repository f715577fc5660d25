"""The operations on pets, as the interface states them.

In the OpenAPI document, the description of anything beyond the interface begins with "Extension".
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from pydantic import BeforeValidator
from starlette.datastructures import QueryParams

from petstore_frame.service.api_keys import StoreOf, require_key
from petstore_frame.service.error_responses import Refusal
from petstore_frame.service.exact_json import ExactRoute
from petstore_frame.service.wire_models import (
    LIFECYCLE,
    Error,
    Int64,
    NewPet,
    Pet,
    PetStatus,
    plain_integer,
)

_NOT_SENT: Any = None  # untyped, because null is not a valid value of any parameter
Limit = Annotated[int, Query(ge=1, le=100, description="Maximum number of animals to return")]
Status = Annotated[PetStatus, Query(description="Filter by availability status")]
Cursor = Annotated[
    Int64, Query(description="Extension: the id that the page follows, as in a next link")
]
PetId = Annotated[
    Int64,
    BeforeValidator(plain_integer),
    Path(alias="petId", description="The identifier of the animal"),
]
IdempotencyKey = Annotated[
    str,
    Header(
        min_length=1,
        max_length=255,
        pattern="^[ -~]+$",
        description="Extension: a request with the same key returns the same pet",
    ),
]
StoreId = Annotated[str, Header(description="Extension: the store that the pet is for")]


def _check_query(query: QueryParams) -> None:
    """Refuse a repeated parameter, and a limit such as 1.0, which pydantic accepts as 1."""
    for name in ("limit", "status", "cursor"):
        if len(query.getlist(name)) > 1:
            raise Refusal("invalid_parameter", "appears more than once", field=name)
    if not re.fullmatch("[0-9]+", query.get("limit", "20")):
        message = "must be a whole number from 1 to 100"
        raise Refusal("invalid_parameter", message, field="limit")


def _refused(description: str) -> dict[str, Any]:
    return {"model": Error, "description": description}


# A "default" response covers all errors that the interface does not list; otherwise FastAPI would
# document a 422, which this service never sends.
router = APIRouter(
    prefix="/v1",
    route_class=ExactRoute,
    tags=["pets"],
    dependencies=[Depends(require_key)],
    responses={
        401: _refused("Credential missing or invalid"),
        "default": _refused("Extension: any other refusal"),
    },
)


@router.get(
    "/pets",
    operation_id="listPets",
    summary="List all animals",
    response_model=list[Pet],
    response_description="The list of animals",
    response_model_exclude_none=True,
)
def list_pets(
    store: StoreOf,
    request: Request,
    response: Response,
    limit: Limit = 20,
    status: Status = _NOT_SENT,
    cursor: Cursor = 0,
) -> Any:
    """Return a paginated list of animals in the store, by ascending id."""
    _check_query(request.query_params)
    # One more pet than requested shows whether there is a next page.
    page = store.page(limit + 1, cursor, status)
    response.headers["cache-control"] = "no-store"
    if len(page) > limit:
        page.pop()
        address = request.url.include_query_params(limit=limit, cursor=page[-1]["id"])
        response.headers["link"] = f'<{address}>; rel="next"'
    return page


@router.post(
    "/pets",
    operation_id="createPet",
    summary="Add an animal",
    status_code=201,
    response_model=Pet,
    response_description="Animal added; the body carries the assigned id",
    responses={400: _refused("Body lacks required fields or contains invalid values")},
    response_model_exclude_none=True,
)
def create_pet(
    store: StoreOf,
    request: Request,
    response: Response,
    pet: NewPet,
    idempotency_key: IdempotencyKey = _NOT_SENT,
    x_store_id: StoreId = _NOT_SENT,
) -> Any:
    """Add an animal; it is on disk when the response is sent."""
    if x_store_id not in (None, store.store_id):
        message = "the pet is for another store than the one at this address; nothing was stored"
        raise Refusal("other_store", message)
    added = store.add(pet, idempotency_key)
    if added.conflict:
        message = "this Idempotency-Key was used before with another body; nothing was stored"
        raise Refusal("idempotency_conflict", message)
    response.headers["location"] = str(request.url_for("get_pet", petId=added.pet["id"]))
    if idempotency_key is not None:
        response.headers["idempotency-replayed"] = "true" if added.replayed else "false"
    return added.pet


@router.get(
    "/pets/{petId}",
    operation_id="getPet",
    summary="Get an animal",
    deprecated=True,
    response_model=Pet,
    response_description="The requested animal",
    responses={404: _refused("No animal with that identifier")},
    response_model_exclude_none=True,
)
def get_pet(store: StoreOf, response: Response, pet_id: PetId) -> Any:
    """Get one animal by its id. To be removed on 5 December 2030: list by `status` instead."""
    pet = store.pet(pet_id)
    if pet is None:
        raise Refusal("not_found", "there is no pet with this id", headers=LIFECYCLE)
    response.headers.update(LIFECYCLE)
    return pet
