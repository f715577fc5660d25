"""The application: the routers, their errors and what every request meets, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse
from sqlalchemy import Engine

from petstore_frame.service import health, pets
from petstore_frame.service.dependencies import Shop, Throttle, base_of, require_key
from petstore_frame.service.handlers import add_handlers
from petstore_frame.service.middleware import ClampLimit, EveryRequest, SpecOnly
from petstore_frame.service.options import Options
from petstore_frame.service.store import Store
from petstore_frame.service.writer import Writer

DESCRIPTION = """The service manages a store's inventory of animals over an HTTP interface with \
JSON bodies. What is marked `x-extension` goes beyond the published interface."""


def create_app(options: Options, engine: Engine, own_hosts: Iterable[str] = ()) -> FastAPI:
    """Return the application of one store.

    Args:
        options: What is asked of this run.
        engine: The store's database, which the caller closes.
        own_hosts: The values of a Host header that name this service.
    """
    throttle = Throttle(options.rate) if options.rate is not None else None
    shop = Shop(options, Store(engine), frozenset(own_hosts), throttle)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        shop.writer = Writer(shop.store)
        try:
            yield
        finally:
            await shop.writer.close()
            shop.store.close()

    app = FastAPI(
        title="Animal Store Service",
        version="1.0.0",
        description=DESCRIPTION,
        openapi_url=None,  # served below: under /v1 nothing is told without a key
        redirect_slashes=False,  # a redirect drops the body of a POST
        strict_content_type=False,  # a body without a media type is read as JSON
        lifespan=lifespan,
    )
    app.state.shop = shop
    app.include_router(pets.router)
    add_handlers(app)
    if options.limit_policy == "clamp":
        app.add_middleware(ClampLimit)
    if options.spec_only:
        app.add_middleware(SpecOnly)
    else:
        app.include_router(health.router)
        _serve_description(app)
    app.add_middleware(EveryRequest, store_id=None if options.spec_only else shop.store.store_id)
    return app


def _serve_description(app: FastAPI) -> None:
    @app.get("/v1/openapi.json", include_in_schema=False, dependencies=[Depends(require_key)])
    async def describe(request: Request) -> JSONResponse:
        """Return the OpenAPI document, with the address under which it was asked for."""
        return JSONResponse(describe_app(app, base_of(request)))


def describe_app(app: FastAPI, base: str) -> dict[str, Any]:
    """Return the OpenAPI document, with paths relative to the base address as in the interface."""
    document = app.openapi()
    paths = {path.removeprefix("/v1"): item for path, item in document["paths"].items()}
    return {**document, "servers": [{"url": base}], "paths": paths}
