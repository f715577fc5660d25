"""The application: the operations, their errors and what every request meets, put together."""

from __future__ import annotations

import asyncio
import random
import re
import time
from typing import Any
from urllib.parse import unquote_to_bytes

import sqlalchemy as sa
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service import pets
from petstore_frame.service.errors import Refusal, log
from petstore_frame.service.options import Options
from petstore_frame.service.requests import StoreOf, base_of, options_of, require_key
from petstore_frame.service.store import Store

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_CLIENT_GONE = 499  # in the log only: nobody was left to answer
# What the interface states or HTTP itself asks for; the rest are extensions.
_STATED_HEADERS = frozenset(
    b"content-type content-length www-authenticate allow retry-after cache-control "
    b"connection".split()
)


def create_app(options: Options, engine: sa.Engine) -> FastAPI:
    """Return the application of the store in a database, which the caller closes."""
    app = FastAPI(
        title="Animal Store Service",
        version="1.0.0",
        description="The service manages a store's inventory of animals over an HTTP interface "
        "with JSON bodies. What is called an extension goes beyond the published interface.",
        openapi_url=None,  # served below: under /v1 nothing is answered without a key
        redirect_slashes=False,  # a redirect drops the body of a POST
        routes=pets.router.routes,  # as they are: included, each would be matched twice
        exception_handlers={HTTPException: refuse, RequestValidationError: refuse_invalid},
        telemetry={"tracing": False, "metrics": False, "logs": False},  # these may hold bodies
    )
    store = Store(engine)
    app.state.options, app.state.store = options, store
    app.add_middleware(EveryRequest, spec_only=options.spec_only, store_id=store.store_id)
    if options.spec_only:
        return app

    @app.get("/healthz", include_in_schema=False)
    async def health(store: StoreOf) -> dict[str, str]:
        """Answer 200 while the database answers, else 503: for monitors, which have no key."""
        await store.pet(0)
        return {"status": "ok"}

    @app.get("/v1/openapi.json", include_in_schema=False, dependencies=[Depends(require_key)])
    async def describe(request: Request) -> dict[str, Any]:
        """Return the OpenAPI document, with the address under which it was asked for."""
        return describe_app(app, base_of(request))

    return app


def describe_app(app: FastAPI, base: str) -> dict[str, Any]:
    """Return the OpenAPI document, with paths relative to the base address as in the interface."""
    document = app.openapi()
    paths = {path.removeprefix("/v1"): item for path, item in document["paths"].items()}
    return {**document, "servers": [{"url": base}], "paths": paths}


async def refuse(request: Request, error: Any) -> Response:
    """Answer a refusal with an Error body, and a stranger's with 401.

    FastAPI finds no route, and reads a body, before it asks for the key: a stranger must learn
    nothing from either.
    """
    refusal = error if isinstance(error, Refusal) else Refusal.of_status(error.status_code)
    try:
        if refusal.status_code < 500 and not getattr(request.state, "is_known", False):
            await require_key(request)
    except Refusal as stranger:
        refusal = stranger
    if refusal.status_code == 405:
        refusal.headers = {"allow": ", ".join(sorted(_methods_at(request)))}
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=refusal.headers)
    if refusal.status_code == 500:
        log("request failed", refusal, request_id=request.scope["request_id"])
    if options_of(request).spec_only:
        refusal.field = None
    return refusal.response()


async def refuse_invalid(request: Request, error: Any) -> Response:
    """Answer the first thing that pydantic found wrong."""
    return await refuse(request, Refusal.of_problem(error.errors()[0]))


def _methods_at(request: Request) -> set[str]:
    """Return the methods at an address, which several routes may share."""
    methods = {"OPTIONS"}
    for route in request.app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods
    return methods | {"HEAD"} if "GET" in methods else methods


class EveryRequest:
    """Name and log a request, take extensions off if asked, and answer where all else failed."""

    def __init__(self, app: ASGIApp, *, spec_only: bool, store_id: str) -> None:
        self._app = app
        self._spec_only = spec_only
        self._store_header = (b"x-store-id", store_id.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.monotonic(), 0
        given = _REQUEST_ID.fullmatch(dict(scope["headers"]).get(b"x-request-id", b""))
        request_id = given[0] if given else b"%016x" % random.getrandbits(64)
        facts: dict[str, Any] = {"request_id": request_id.decode()}

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, headers = message["status"], message["headers"]
                if self._spec_only:
                    headers[:] = [entry for entry in headers if entry[0] in _STATED_HEADERS]
                else:
                    headers += ((b"x-request-id", request_id), self._store_header)
            await send(message)

        try:
            await self._app({**self._asked(scope), **facts}, receive, answer)
        except ClientDisconnect:
            status = _CLIENT_GONE
        except (Exception, asyncio.CancelledError) as failure:  # noqa: BLE001 # each gets an Error body
            log("request failed", failure, **facts)
            if not status:
                message = "the service failed; quote the X-Request-Id to its operator"
                await Refusal("internal_error", message).response()(scope, receive, answer)
        finally:
            facts |= {"method": scope["method"], "path": scope["path"]}
            took_ms = round((time.monotonic() - started) * 1000, 1)
            log("request", **facts, status=status, ms=took_ms)

    def _asked(self, scope: Scope) -> Scope:
        """Return a request as the operations shall see it."""
        asked = dict(scope)
        if scope["method"] == "HEAD":  # the server leaves the body out
            asked["method"] = "GET"
        if self._spec_only:
            extensions = (b"idempotency-key", b"x-store-id")
            asked["headers"] = [entry for entry in scope["headers"] if entry[0] not in extensions]
            parts = scope["query_string"].split(b"&")
            kept = [part for part in parts if unquote_to_bytes(part.split(b"=")[0]) != b"cursor"]
            asked["query_string"] = b"&".join(kept)
        return asked
