"""Builds the Error responses, each with a code and a plain message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Response
from starlette.exceptions import HTTPException

from petstore_frame.service.wire_models import LIFECYCLE, Error

# The status of each error code.
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
# The errors that FastAPI and the router raise with only a status.
_BY_STATUS = {
    400: ("invalid_json", "the body is not UTF-8, nested too deeply, or holds a huge number"),
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this method is not supported at this address"),
}

NOT_JSON = "the body is not a JSON object of type application/json"


class Refusal(HTTPException):
    """An error that is sent as an Error body; the code decides the status.

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
        """Return the refusal for a status from FastAPI or the router, which give no reason."""
        return cls(*_BY_STATUS[status])

    @classmethod
    def of_problem(cls, problem: Mapping[str, Any]) -> Refusal:
        """Return the refusal for a problem that pydantic reports: 400, or 404 for a petId."""
        part, *location = problem["loc"]
        if part == "path":
            return cls("not_found", "there is no pet with this id", headers=LIFECYCLE)
        if problem["type"] == "json_invalid":
            return cls("invalid_json", f"{problem['ctx']['error']} at character {location[0]}")
        if not location:
            return cls("invalid_json", NOT_JSON)
        code = "invalid_parameter" if part in ("query", "header") else "invalid_request"
        return cls(code, problem["msg"].removeprefix("Value error, "), field=str(location[0])[:40])

    def response(self) -> Response:
        """Return the response: an Error body that no cache stores."""
        status = self.status_code
        error = Error(code=self.code, message=self.detail, status=status, field=self.field)
        headers = {"cache-control": "no-store", **(self.headers or {})}
        if self.code == "unavailable":  # nothing was stored, so the request can be sent again
            headers["retry-after"] = "1"
        body = error.model_dump_json(exclude_none=True)
        return Response(body, status, headers, "application/json")
