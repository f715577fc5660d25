"""The three operations of the interface, as FastAPI routes.

In: HTTP requests that passed the guard. Out: JSON answers.
What a body or a query must be is asked of ``payload`` and ``listing``; what lies in the database of
``store``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from petstore_frame.service.guard import Guard, send_problem
from petstore_frame.service.keys import KeyRing
from petstore_frame.service.listing import next_query, read_listing
from petstore_frame.service.options import Options
from petstore_frame.service.payload import pet_json, pets_json, read_new_pet
from petstore_frame.service.problems import Problem, not_found, not_now
from petstore_frame.service.rules import INT64_MAX, MAX_BODY_BYTES, MAX_IDEMPOTENCY_KEY_LENGTH
from petstore_frame.service.store import Addition, NotStored, Store
from petstore_frame.service.tables import is_sqlite
from petstore_frame.service.writer import Writer

_PET_ID = re.compile(r"-?[1-9][0-9]{0,18}|0", re.ASCII)
_Answer = TypeVar("_Answer")


class PetRoutes:
    """The operations on one store."""

    def __init__(self, store: Store, options: Options, base_url: str) -> None:
        self._store = store
        self._options = options
        self._extended = not options.spec_only
        self._base_url = base_url
        self._writer: Writer | None = None

    @asynccontextmanager
    async def lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        self._writer = Writer(self._store)
        try:
            yield
        finally:
            await self._writer.close()

    async def list_pets(self, request: Request) -> Response:
        listing = read_listing(
            request.scope["query_string"],
            cursors=self._extended,
            strict=self._options.strict,
            limit_policy=self._options.limit_policy,
        )
        pets = await self._read(self._store.page, listing.limit + 1, listing.after, listing.status)
        shown = pets[: listing.limit]
        headers = {}
        if self._extended and len(pets) > len(shown):
            query = next_query(listing, shown[-1].id)
            headers["link"] = f'<{self._base_url}/pets?{query}>; rel="next"'
        return _json(pets_json(shown), headers=headers)

    async def create_pet(self, request: Request) -> Response:
        _check_media_type(request)
        pet = read_new_pet(await _read_body(request), strict=self._options.strict)
        key = self._idempotency_key(request)
        assert self._writer is not None  # noqa: S101 # the lifespan has begun
        try:
            added = await self._writer.add(Addition(pet, key))
        except NotStored as problem:
            raise not_now("the store cannot write at the moment; nothing was stored") from problem
        if added.conflict:
            raise Problem(
                422,
                "idempotency_conflict",
                "this Idempotency-Key was used before with another body; nothing was stored",
            )
        headers = {}
        if self._extended:
            headers["location"] = f"{self._base_url}/pets/{added.pet.id}"
        if key is not None:
            headers["idempotency-replayed"] = "true" if added.replayed else "false"
        return _json(pet_json(added.pet).encode(), status=201, headers=headers)

    async def get_pet(self, request: Request) -> Response:
        text = request.path_params["pet_id"]
        pet = None
        if _PET_ID.fullmatch(text) and abs(int(text)) <= INT64_MAX:
            pet = await self._read(self._store.pet, int(text))
        if pet is None:
            raise not_found("there is no pet with this id")
        return _json(pet_json(pet).encode())

    def _idempotency_key(self, request: Request) -> str | None:
        sent = request.headers.getlist("idempotency-key") if self._extended else []
        if not sent:
            return None
        if len(sent) > 1 or not 1 <= len(sent[0]) <= MAX_IDEMPOTENCY_KEY_LENGTH:
            raise Problem(
                400,
                "invalid_request",
                f"Idempotency-Key: is one value of 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} characters",
                field="Idempotency-Key",
            )
        return sent[0]

    async def _read(self, read: Callable[..., _Answer], *values: Any) -> _Answer:
        # A SQLite read never waits for a writer (WAL) and costs less than a change of thread.
        if is_sqlite(self._store.engine):
            return read(*values)
        return await asyncio.to_thread(read, *values)


def build_app(store: Store, ring: KeyRing, options: Options, base_url: str) -> Guard:
    """Put routes, errors and guard together."""
    routes = PetRoutes(store, options, base_url)
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=routes.lifespan,
    )
    app.add_api_route("/v1/pets", routes.list_pets, methods=["GET", "HEAD"], response_model=None)
    app.add_api_route("/v1/pets", routes.create_pet, methods=["POST"], response_model=None)
    app.add_api_route(
        "/v1/pets/{pet_id}", routes.get_pet, methods=["GET", "HEAD"], response_model=None
    )
    extended = not options.spec_only

    async def refuse(request: Request, error: Exception) -> Response:
        problem = error if isinstance(error, Problem) else _routing_problem(app, request, error)
        return _ProblemResponse(problem, extended)

    app.add_exception_handler(Problem, refuse)
    app.add_exception_handler(HTTPException, refuse)
    return Guard(app, ring, extended=extended)


class _ProblemResponse(Response):
    def __init__(self, problem: Problem, extended: bool) -> None:
        super().__init__()
        self._problem = problem
        self._extended = extended

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        await send_problem(self._problem, send, scope, extended=self._extended)


def _routing_problem(app: FastAPI, request: Request, error: Exception) -> Problem:
    if isinstance(error, HTTPException) and error.status_code == 405:
        allowed = {"OPTIONS"}
        for route in app.routes:
            if route.matches(request.scope)[0] is not Match.NONE:
                allowed |= getattr(route, "methods", set())
        return Problem(
            405,
            "method_not_allowed",
            "this address does not know the method",
            headers={"allow": ", ".join(sorted(allowed))},
        )
    return not_found("there is nothing at this address")


def _check_media_type(request: Request) -> None:
    stated = request.headers.get("content-type")
    if stated is not None and stated.split(";")[0].strip().lower() != "application/json":
        raise Problem(415, "unsupported_media_type", "the body is application/json")


async def _read_body(request: Request) -> bytes:
    too_large = Problem(
        413,
        "payload_too_large",
        f"the body is larger than {MAX_BODY_BYTES} bytes",
        headers={"connection": "close"},
    )
    length = request.headers.get("content-length", "0")
    if len(length) > 15 or int(length) > MAX_BODY_BYTES:
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise too_large
    return bytes(body)


def _json(body: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, headers, media_type="application/json")
