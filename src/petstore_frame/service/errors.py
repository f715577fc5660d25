"""Every refusal as an Error body in plain words: the operations', FastAPI's and the router's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from petstore_frame.service.log import log_failure
from petstore_frame.service.models import LIFECYCLE, Error

# One word per cause; where a status has several causes, the raiser names the code.
_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    412: "other_store",
    413: "payload_too_large",
    415: "unsupported_media_type",
    422: "idempotency_conflict",
    500: "internal_error",
    503: "unavailable",
}
# What FastAPI and the router refuse by a status alone.
_MESSAGES = {
    400: ("invalid_json", "the body is not UTF-8, nested too deeply, or holds a huge number"),
    404: (None, "there is nothing at this address"),
    405: (None, "this method is not supported at this address"),
}
# What pydantic finds, as one says it after the name of the field.
_WORDS = {
    "missing": "is missing",
    "string_type": "is not text",
    "string_unicode": "is not text that can be stored",
    "string_too_short": "is blank",
    "string_too_long": "is longer than {max_length} characters",
    "string_pattern_mismatch": "holds more than printable ASCII characters",
    "int_type": "is not a whole number",
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "greater_than_equal": "is less than {ge}",
    "less_than_equal": "is more than {le}",
    "enum": "is not one of {expected}",
    "value_error": "{error}",
}


class Refusal(HTTPException):
    """A request that is refused with an Error body; the status decides the code if none is given.

    Interface: Errors.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, headers)
        self.code = code or _CODES.get(status, "invalid_request")
        self.field = field

    def response(self) -> Response:
        """Return the answer: an Error body that no cache keeps."""
        error = Error(
            code=self.code, message=self.detail, status=self.status_code, field=self.field
        )
        headers = {"cache-control": "no-store", **(self.headers or {})}
        body = error.model_dump_json(exclude_none=True)
        return Response(body, self.status_code, headers, "application/json")


def unavailable(message: str) -> Refusal:
    """Refuse for the moment: nothing was stored, and the same request may be sent again."""
    return Refusal(503, message, headers={"retry-after": "1"})


def invalid_parameter(name: str, message: str) -> Refusal:
    return Refusal(400, f"{name} {message}", code="invalid_parameter", field=name)


def add_handlers(app: FastAPI, require_key: Any) -> None:
    """Let the application answer each refusal with an Error body, and a stranger's with 401.

    FastAPI finds no route, and reads a body, before it asks for the key: a stranger must learn
    nothing from either.
    """

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(request: Request, error: RequestValidationError) -> Response:
        return await refuse(request, _refusal_of(error.errors()[0]))

    @app.exception_handler(HTTPException)
    async def refuse(request: Request, error: HTTPException) -> Response:
        try:
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
        if error.status_code == 500:
            log_failure(error, request.scope["request_id"])
        if app.state.options.spec_only:
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
    facts = problem.get("ctx", {})
    if part == "path":
        return Refusal(404, "there is no pet with this id", headers=LIFECYCLE)
    if problem["type"] == "json_invalid":
        text = f"{facts['error']} at character {place[0]}"
        return Refusal(400, text, code="invalid_json")
    if not place:
        return Refusal(400, "the body is not a JSON object", code="invalid_json")
    message = _WORDS.get(problem["type"], "has an invalid value").format(**facts)
    field = str(place[0])[:40]
    if part in ("query", "header"):
        return invalid_parameter(field, message)
    return Refusal(400, f"{field} {message}", field=field)
