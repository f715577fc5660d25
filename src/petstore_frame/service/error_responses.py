"""Answers every refusal with an Error in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Response
from starlette.exceptions import HTTPException

from petstore_frame.service.wire_models import LIFECYCLE, Error

# One word per cause, with the status that it is answered by.
_STATUSES = {
    "invalid_request": 400,
    "invalid_json": 400,
    "invalid_parameter": 400,
    "unauthorized": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "other_store": 412,
    "payload_too_large": 413,
    "idempotency_conflict": 422,
    "internal_error": 500,
    "unavailable": 503,
}
# What FastAPI and the router refuse by a status alone.
_BY_STATUS = {
    400: ("invalid_json", "the body is not UTF-8, nested too deeply, or holds a huge number"),
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this method is not supported at this address"),
}


class Refusal(HTTPException):
    """A request that is refused with an Error body; the code decides the status.

    Interface: Errors.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        text = message if field is None else f"{field}: {message}"
        super().__init__(_STATUSES[code], text, headers)
        self.code = code
        self.field = field

    @classmethod
    def of_status(cls, status: int) -> Refusal:
        """Return the refusal of FastAPI or the router, which state no cause."""
        return cls(*_BY_STATUS[status])

    @classmethod
    def of_problem(cls, problem: Mapping[str, Any]) -> Refusal:
        """Return the refusal of what pydantic found wrong: 400, or 404 for a petId."""
        part, *place = problem["loc"]
        if part == "path":
            return cls("not_found", "there is no pet with this id", headers=LIFECYCLE)
        if problem["type"] == "json_invalid":
            return cls("invalid_json", f"{problem['ctx']['error']} at character {place[0]}")
        if not place:
            return cls("invalid_json", "the body is not a JSON object of type application/json")
        code = "invalid_parameter" if part in ("query", "header") else "invalid_request"
        return cls(code, problem["msg"].removeprefix("Value error, "), field=str(place[0])[:40])

    def response(self) -> Response:
        """Return the answer: an Error body that no cache keeps."""
        status = self.status_code
        error = Error(code=self.code, message=self.detail, status=status, field=self.field)
        headers = {"cache-control": "no-store", **(self.headers or {})}
        if self.code == "unavailable":  # nothing was stored: the same request may be sent again
            headers["retry-after"] = "1"
        body = error.model_dump_json(exclude_none=True)
        return Response(body, status, headers, "application/json")
