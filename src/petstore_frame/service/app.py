"""The operations of the interface, as routes of a FastAPI application behind the guard.

In: HTTP requests that passed the guard. Out: JSON answers.
``payload`` and ``listing`` check bodies and queries; ``store`` reads and writes the database.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.utils import format_datetime
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from petstore_frame.service.addresses import Addresses
from petstore_frame.service.answers import cacheable_answer, json_answer, problem_answer, with_tag
from petstore_frame.service.guard import HEALTH_PATH, Guard, Throttle
from petstore_frame.service.keys import KeyRing
from petstore_frame.service.listing import next_query, read_listing, refuse_query
from petstore_frame.service.openapi import document_json
from petstore_frame.service.options import Options
from petstore_frame.service.pages import Page, PageCache
from petstore_frame.service.payload import pet_json, pets_json, read_new_pet
from petstore_frame.service.problems import Problem, internal_error, not_found, not_now
from petstore_frame.service.requests import read_body, read_idempotency_key
from petstore_frame.service.rules import DEPRECATED_AT, INT64_MAX, SUNSET_AT
from petstore_frame.service.store import Addition, NotStored, Store
from petstore_frame.service.tables import is_sqlite
from petstore_frame.service.writer import Writer

_PET_ID = re.compile(r"-?[1-9][0-9]{0,18}|0", re.ASCII)
_LIFECYCLE = {
    "deprecation": f"@{int(DEPRECATED_AT.timestamp())}",
    "sunset": format_datetime(SUNSET_AT, usegmt=True),
}
_Answer = TypeVar("_Answer")


class PetRoutes:
    """The operations on one store."""

    def __init__(self, store: Store, ring: KeyRing, options: Options, addresses: Addresses) -> None:
        self._store = store
        self._ring = ring
        self._options = options
        self._extended = not options.spec_only
        self.store_id = store.store_id()
        self._addresses = addresses
        self._pages = PageCache(store.version)
        self._writer: Writer | None = None

    @asynccontextmanager
    async def lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        self._writer = Writer(self._store)
        refresh = asyncio.create_task(self._ring.keep_fresh())
        try:
            yield
        finally:
            refresh.cancel()
            await asyncio.wait([refresh])
            await self._writer.close()

    async def list_pets(self, request: Request) -> Response:
        query = request.scope["query_string"]
        base = self._addresses.base_for(request.scope["headers"])
        page = self._pages.find((query, base))
        if page is None:
            page = await self._read_page(query, base)
            self._pages.keep((query, base), page)
        if not self._extended:
            return json_answer(page.body)
        return cacheable_answer(request.scope, page.body, page.headers)

    async def _read_page(self, query: bytes, base: str) -> Page:
        listing = read_listing(
            query,
            cursors=self._extended,
            strict=self._options.strict,
            limit_policy=self._options.limit_policy,
        )
        # One pet more than asked for shows whether there is a next page.
        pets = await self._read(self._store.page, listing.limit + 1, listing.after, listing.status)
        shown = pets[: listing.limit]
        body = pets_json(shown)
        headers = {}
        if len(pets) > len(shown):
            following = next_query(listing, shown[-1].id)
            headers["link"] = f'<{base}/pets?{following}>; rel="next"'
        return Page(body, with_tag(body, headers))

    async def create_pet(self, request: Request) -> Response:
        self._check_query(request)
        self._check_store(request)
        body = await read_body(request)
        key = read_idempotency_key(request) if self._extended else None
        pet = read_new_pet(body, strict=self._options.strict)
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
            base = self._addresses.base_for(request.scope["headers"])
            headers["location"] = f"{base}/pets/{added.pet.id}"
        if key is not None:
            headers["idempotency-replayed"] = "true" if added.replayed else "false"
        return json_answer(pet_json(added.pet).encode(), status=201, headers=headers)

    async def get_pet(self, request: Request) -> Response:
        lifecycle = _LIFECYCLE if self._extended else {}
        if self._options.after_sunset == "gone":
            raise Problem(410, "gone", "getPet was removed; use GET /pets", headers=lifecycle)
        self._check_query(request)
        text = request.path_params["pet_id"]
        pet = None
        if _PET_ID.fullmatch(text) and abs(int(text)) <= INT64_MAX:
            pet = await self._read(self._store.pet, int(text))
        if pet is None:
            raise not_found("there is no pet with this id", headers=lifecycle)
        body = pet_json(pet).encode()
        if not self._extended:
            return json_answer(body)
        return cacheable_answer(request.scope, body, with_tag(body, lifecycle))

    async def health(self, _request: Request) -> Response:
        await self._read(self._store.is_empty)
        return json_answer(b'{"status":"ok"}', headers={"cache-control": "no-store"})

    async def describe(self, request: Request) -> Response:
        base = self._addresses.base_for(request.scope["headers"])
        body = document_json(base)
        return cacheable_answer(request.scope, body, with_tag(body, {}))

    def _check_store(self, request: Request) -> None:
        """Refuse a pet that was meant for another store, which had this address before."""
        meant = request.headers.get("x-store-id") if self._extended else None
        if meant not in (None, self.store_id):
            raise Problem(
                412,
                "other_store",
                "this address belongs to another store than the one that this pet was meant for; "
                "nothing was stored",
            )

    def _check_query(self, request: Request) -> None:
        if self._options.strict:
            refuse_query(request.scope["query_string"])

    async def _read(self, read: Callable[..., _Answer], *values: Any) -> _Answer:
        # A SQLite read never waits for a writer (WAL) and costs less than a change of thread.
        try:
            if is_sqlite(self._store.engine):
                return read(*values)
            return await asyncio.to_thread(read, *values)
        except OperationalError as problem:
            raise not_now("the database does not answer at the moment") from problem


def build_app(store: Store, ring: KeyRing, options: Options, addresses: Addresses) -> Guard:
    """Put routes, errors and guard together."""
    routes = PetRoutes(store, ring, options, addresses)
    # FastAPI is the frame: routing, start and end, and one place for errors. What it would generate
    # is switched off: the document is written by hand (see ``openapi``), and its pages load
    # scripts from other hosts.
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=routes.lifespan,
    )

    # Plain routes: an endpoint checks its bytes itself (duplicate keys, depth, int64), which a
    # generated model does not, and FastAPI's own routes would add half the time of an answer.
    app.add_route("/v1/pets", routes.list_pets, ["GET"], "listPets")
    app.add_route("/v1/pets", routes.create_pet, ["POST"], "createPet")
    app.add_route("/v1/pets/{pet_id}", routes.get_pet, ["GET"], "getPet")
    extended = not options.spec_only
    if extended:
        app.add_route("/v1/openapi.json", routes.describe, ["GET"], "getDescription")
        app.add_route(HEALTH_PATH, routes.health, ["GET"], "getHealth")

    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, Problem):
            return problem_answer(error, extended=extended)
        if isinstance(error, HTTPException):
            return _unrouted_answer(app, request, extended)
        return problem_answer(internal_error(), extended=extended)

    app.add_exception_handler(Problem, refuse)
    app.add_exception_handler(HTTPException, refuse)
    app.add_exception_handler(Exception, refuse)
    throttle = Throttle(options.rate) if options.rate is not None else None
    return Guard(app, ring, store_id=routes.store_id if extended else None, throttle=throttle)


def _unrouted_answer(app: FastAPI, request: Request, extended: bool) -> Response:
    """Answer what no route took: OPTIONS, another method (405), or an unknown address (404)."""
    methods: set[str] = set()
    for route in app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", set())
    if not methods:
        problem = not_found("there is nothing at this address")
        return problem_answer(problem, extended=extended)
    allow = {"allow": ", ".join(sorted({*methods, "OPTIONS"}))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=allow)
    problem = Problem(
        405, "method_not_allowed", "this method is not supported at this address", headers=allow
    )
    return problem_answer(problem, extended=extended)
