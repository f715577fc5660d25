"""Every refusal as an Error body: what the operations, FastAPI or the router refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from petstore_frame.service import pets
from petstore_frame.service.errors import Refusal
from petstore_frame.service.requests import invalid_parameter, require_key

_MESSAGES = {
    400: ("invalid_json", "the body is not UTF-8, nested too deeply, or holds a huge number"),
    404: (None, "there is nothing at this address"),
    405: (None, "this method is not supported at this address"),
}


def add_handlers(app: FastAPI) -> None:
    """Let the application answer each refusal with an Error body."""

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(request: Request, error: RequestValidationError) -> Response:
        return await refuse(request, _refusal_of(error.errors()[0]))

    @app.exception_handler(HTTPException)
    async def refuse(request: Request, error: HTTPException) -> Response:
        try:
            # FastAPI finds no route, and reads a body, before it asks for the key: a stranger must
            # learn nothing from either.
            if error.status_code < 500 and not getattr(request.state, "is_known", False):
                await require_key(request)
        except Refusal as stranger:
            error = stranger
        if error.status_code == 405:
            allow = {"allow": ", ".join(sorted(_methods_at(request)))}
            if request.method == "OPTIONS":
                return Response(status_code=204, headers=allow)
            error.headers = allow
        if not isinstance(error, Refusal):
            code, message = _MESSAGES.get(error.status_code, (None, error.detail))
            error = Refusal(error.status_code, message, code=code, headers=error.headers)
        if app.state.shop.options.spec_only:
            error.field = None
        return error.response()


def _methods_at(request: Request) -> set[str]:
    """Return the methods at an address, which several routes may share."""
    methods = {"OPTIONS"}
    for route in request.app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods
    return methods | {"HEAD"} if "GET" in methods else methods


def _refusal_of(problem: Mapping[str, Any]) -> Refusal:
    """Return the refusal of the first thing that pydantic found wrong: 400, or 404 for a petId."""
    part, *place = problem["loc"]
    message = problem["msg"].removeprefix("Value error, ")
    if part == "path":
        return Refusal(404, "there is no pet with this id", headers=pets.LIFECYCLE)
    if part in ("query", "header"):
        return invalid_parameter(str(place[0]), message)
    if problem["type"] == "json_invalid":
        text = f"{problem['ctx']['error']} at character {place[0]}"
        return Refusal(400, text, code="invalid_json")
    if not place:
        return Refusal(400, "the body is a JSON object", code="invalid_json")
    field = str(place[0])[:40]
    return Refusal(400, f"{field}: {message}", field=field)
