"""The application: the operations, their errors and what every request meets, put together."""

from __future__ import annotations

import asyncio
import random
import re
import time
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import Depends, FastAPI, Request
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service import pets
from petstore_frame.service.database import Database
from petstore_frame.service.errors import Refusal, add_handlers
from petstore_frame.service.log import log, log_failure
from petstore_frame.service.options import Options
from petstore_frame.service.requests import StoreOf, base_of, require_key
from petstore_frame.service.store import Store

DESCRIPTION = """The service manages a store's inventory of animals over an HTTP interface with \
JSON bodies. What is marked `x-extension` goes beyond the published interface."""

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_CLIENT_GONE = 499  # in the log only: nobody was left to answer
# What the interface states or HTTP itself asks for; the rest are extensions.
_STATED_HEADERS = frozenset(
    b"content-type content-length www-authenticate allow retry-after cache-control "
    b"connection".split()
)


def create_app(options: Options, database: Database) -> FastAPI:
    """Return the application of the store in a database, which the caller closes."""
    app = FastAPI(
        title="Animal Store Service",
        version="1.0.0",
        description=DESCRIPTION,
        openapi_url=None,  # served below: under /v1 nothing is answered without a key
        redirect_slashes=False,  # a redirect drops the body of a POST
        routes=pets.router.routes,  # as they are: included, each would be matched twice
        telemetry={"tracing": False, "metrics": False, "logs": False},  # these may hold bodies
    )
    app.state.options, app.state.store = options, Store(database)
    add_handlers(app, require_key)
    if not options.spec_only:
        _add_extensions(app)
    store_id = app.state.store.store_id
    app.add_middleware(EveryRequest, spec_only=options.spec_only, store_id=store_id)
    return app


def _add_extensions(app: FastAPI) -> None:
    @app.get("/healthz", include_in_schema=False)
    async def health(store: StoreOf) -> dict[str, str]:
        """Answer 200 while the database answers, else 503: for monitors, which have no key."""
        await store.pet(0)
        return {"status": "ok"}

    @app.get("/v1/openapi.json", include_in_schema=False, dependencies=[Depends(require_key)])
    async def describe(request: Request) -> dict[str, Any]:
        """Return the OpenAPI document, with the address under which it was asked for."""
        return describe_app(app, base_of(request))


def describe_app(app: FastAPI, base: str) -> dict[str, Any]:
    """Return the OpenAPI document, with paths relative to the base address as in the interface."""
    document = app.openapi()
    paths = {path.removeprefix("/v1"): item for path, item in document["paths"].items()}
    return {**document, "servers": [{"url": base}], "paths": paths}


class EveryRequest:
    """Name and log a request, take extensions off if asked, and answer where all else failed."""

    def __init__(self, app: ASGIApp, *, spec_only: bool, store_id: str) -> None:
        self._app = app
        self._spec_only = spec_only
        self._store_header = (b"x-store-id", store_id.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0
        given = _REQUEST_ID.fullmatch(dict(scope["headers"]).get(b"x-request-id", b""))
        request_id = given[0] if given else b"%016x" % random.getrandbits(64)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, told = message["status"], message["headers"]
                if self._spec_only:
                    told[:] = [entry for entry in told if entry[0] in _STATED_HEADERS]
                else:
                    told += ((b"x-request-id", request_id), self._store_header)
            await send(message)

        try:
            await self._app(self._asked(scope, request_id), receive, answer)
        except ClientDisconnect:
            status = _CLIENT_GONE
        except (Exception, asyncio.CancelledError) as failure:  # noqa: BLE001 # each gets an Error body
            log_failure(failure, request_id.decode())
            if not status:
                message = "the service failed; quote the X-Request-Id to its operator"
                await Refusal(500, message).response()(scope, receive, answer)
        finally:
            took_ms = round((time.monotonic() - started) * 1000, 1)
            asked = {"method": scope["method"], "path": scope["path"]}
            log("request", request_id=request_id.decode(), **asked, status=status, ms=took_ms)

    def _asked(self, scope: Scope, request_id: bytes) -> Scope:
        """Return a request as the operations shall see it."""
        asked = {**scope, "request_id": request_id.decode()}
        if scope["method"] == "HEAD":  # the server leaves the body out
            asked["method"] = "GET"
        if self._spec_only:
            extensions = (b"idempotency-key", b"x-store-id")
            asked["headers"] = [entry for entry in scope["headers"] if entry[0] not in extensions]
            parts = scope["query_string"].split(b"&")
            kept = [part for part in parts if unquote_to_bytes(part.split(b"=")[0]) != b"cursor"]
            asked["query_string"] = b"&".join(kept)
        return asked
