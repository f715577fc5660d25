"""How the service refuses a request, and how it refuses to start."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import Response

from petstore_frame.service.models import Error

# One word per cause; where a status has several causes, the raiser names the code.
_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    410: "gone",
    412: "other_store",
    413: "payload_too_large",
    415: "unsupported_media_type",
    422: "idempotency_conflict",
    431: "head_too_large",
    500: "internal_error",
    503: "unavailable",
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


class StartError(Exception):
    """The service cannot start as it was asked to; the text gives the reason."""
