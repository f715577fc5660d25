"""The application: the operations, their errors and what every request meets, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request
from sqlalchemy import Engine

from petstore_frame.service import pets
from petstore_frame.service.handlers import add_handlers
from petstore_frame.service.middleware import EveryRequest
from petstore_frame.service.options import Options
from petstore_frame.service.requests import Shop, base_of, require_key
from petstore_frame.service.store import Store

DESCRIPTION = """The service manages a store's inventory of animals over an HTTP interface with \
JSON bodies. What is marked `x-extension` goes beyond the published interface."""


def create_app(options: Options, engine: Engine) -> FastAPI:
    """Return the application of the store in a database, which the caller closes."""
    store = Store(engine)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await store.close()

    app = FastAPI(
        title="Animal Store Service",
        version="1.0.0",
        description=DESCRIPTION,
        openapi_url=None,  # served below: under /v1 nothing is told without a key
        redirect_slashes=False,  # a redirect drops the body of a POST
        routes=pets.router.routes,  # as they are: included, each would be matched twice
        telemetry={"tracing": False, "metrics": False, "logs": False},  # these may hold bodies
        lifespan=lifespan,
    )
    app.state.shop = Shop(options, store)
    add_handlers(app)
    if not options.spec_only:
        _add_extensions(app)
    app.add_middleware(EveryRequest, spec_only=options.spec_only, store_id=store.store_id)
    return app


def _add_extensions(app: FastAPI) -> None:
    @app.get("/healthz", include_in_schema=False)
    async def health() -> dict[str, str]:
        """Answer 200 while the database answers, else 503: for monitors, which have no key."""
        await app.state.shop.store.pet(0)
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
