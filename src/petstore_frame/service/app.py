"""Builds the application: its operations, its error handlers and its middleware."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import unquote_to_bytes

import sqlalchemy as sa
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service import pets
from petstore_frame.service.api_keys import bearer, get_store, require_key
from petstore_frame.service.database import CommitError, Store
from petstore_frame.service.error_responses import Refusal

_logger = logging.getLogger("petstore_frame.service")
_MAX_BODY_BYTES = 64 * 1024
# The headers in the interface or required by HTTP; all others are extensions.
_STATED_HEADERS = frozenset(
    b"content-type content-length www-authenticate allow retry-after cache-control "
    b"connection".split()
)


def create_app(
    engine: sa.Engine, api_key: SecretStr | None = None, *, spec_only: bool = False
) -> FastAPI:
    """Return the application of the store in a database, which the caller closes.

    Args:
        engine: The database, which may have keys.
        api_key: A key to accept in addition to those in the database.
        spec_only: Whether to turn off all extensions of the interface.
    """
    app = FastAPI(
        title="Animal Store Service",
        version="1.0.0",
        description="The service manages a store's inventory of animals over an HTTP interface "
        "with JSON bodies. Anything called an extension goes beyond the published interface.",
        openapi_url=None,  # served below: nothing under /v1 is served without a key
        redirect_slashes=False,  # a redirect drops the body of a POST
        exception_handlers={
            HTTPException: refuse,
            RequestValidationError: refuse_invalid,
            SQLAlchemyError: fail,
            CommitError: fail,
            Exception: fail,
        },
        telemetry={"tracing": False, "metrics": False, "logs": False},  # these may hold bodies
    )
    store = Store(engine)
    app.state.store, app.state.api_key, app.state.spec_only = store, api_key, spec_only
    app.include_router(pets.router)
    app.add_middleware(EveryRequest, spec_only=spec_only, store_id=store.store_id)
    if not spec_only:

        @app.get("/v1/openapi.json", include_in_schema=False, dependencies=[Depends(require_key)])
        def describe(request: Request) -> dict[str, Any]:
            """Return the OpenAPI document for the requested address."""
            return describe_app(app, str(request.url).removesuffix("/openapi.json"))

    return app


def describe_app(app: FastAPI, base: str) -> dict[str, Any]:
    """Return the OpenAPI document, whose paths are relative to the base address."""
    document = app.openapi()
    paths = {path.removeprefix("/v1"): item for path, item in document["paths"].items()}
    return {**document, "servers": [{"url": base}], "paths": paths}


async def refuse(request: Request, error: Any) -> Response:
    """Respond with an Error body, and with 401 to a request without a valid key.

    FastAPI resolves the route and reads the body before it checks the key, but a request without a
    key must not learn anything from either.
    """
    refusal = error if isinstance(error, Refusal) else Refusal.of_status(error.status_code)
    if refusal.status_code < 500 and not getattr(request.state, "has_valid_key", False):
        try:
            await require_key(request, await get_store(request), await bearer(request))
        except Refusal as unauthorized:
            refusal = unauthorized
    if refusal.status_code == 405:
        allowed = "GET, HEAD, POST" if request.url.path == "/v1/pets" else "GET, HEAD"
        refusal.headers = {"allow": allowed}
    if request.app.state.spec_only:
        refusal.field = None
    return refusal.response()


async def refuse_invalid(request: Request, error: Any) -> Response:
    """Respond to the first problem that pydantic reports."""
    return await refuse(request, Refusal.of_problem(error.errors()[0]))


async def fail(request: Request, error: Any) -> Response:
    """Respond to a failure of the service; a database may fail before or during a commit."""
    code, message = "internal_error", "the service failed"
    if isinstance(error, CommitError):
        message = "the database failed during the commit; the pet may have been stored"
    elif isinstance(error, SQLAlchemyError):
        code = "unavailable"
        message = "the database cannot be used at the moment; nothing was stored"
    cause = error.__cause__ or error
    _logger.error("%s: %a", type(cause).__name__, str(getattr(cause, "orig", "")))
    return await refuse(request, Refusal(code, message))


class EveryRequest:
    """Logs a request, limits its body, names the store, and can remove the extensions."""

    def __init__(self, app: ASGIApp, *, spec_only: bool, store_id: str) -> None:
        self._app = app
        self._spec_only = spec_only
        self._store_header = (b"x-store-id", store_id.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = 0

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > _MAX_BODY_BYTES:
                too_large = f"the body is larger than {_MAX_BODY_BYTES} bytes"
                raise Refusal("payload_too_large", too_large)
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                if self._spec_only:
                    headers[:] = [entry for entry in headers if entry[0] in _STATED_HEADERS]
                else:
                    headers.append(self._store_header)
                # The query is never logged, because it may have a key.
                _logger.info("%s %a %d", scope["method"], scope["path"], message["status"])
            await send(message)

        request = dict(scope)
        if scope["method"] == "HEAD":  # uvicorn omits the body
            request["method"] = "GET"
        if self._spec_only:
            request = dict(_without_extensions(request))
        await self._app(request, receive_limited, send_with_headers)


def _without_extensions(scope: Scope) -> Scope:
    extensions = (b"idempotency-key", b"x-store-id")
    headers = [entry for entry in scope["headers"] if entry[0] not in extensions]
    parts = scope["query_string"].split(b"&")
    parts = [part for part in parts if unquote_to_bytes(part.split(b"=")[0]) != b"cursor"]
    return {**scope, "headers": headers, "query_string": b"&".join(parts)}
