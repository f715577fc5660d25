"""How the service refuses a request.

In: a status, a code and a sentence. Out: an exception that becomes the interface's Error body.
It knows nothing of sockets or storage.
"""

from __future__ import annotations

import json


class Problem(Exception):  # noqa: N818 # refusing a request is not a failure of the service
    """A request that is refused.

    Args:
        status: HTTP status of the answer.
        code: The machine-readable code; the set is open for clients.
        message: One sentence for a person, never with data of other requests.
        field: The body field or parameter at fault (an extension of the Error object).
        headers: Further response headers, names in lower case.

    Interface: Errors.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        field: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.headers = headers or {}

    def body(self, *, extended: bool = True) -> bytes:
        """Return the Error object as JSON; ``field`` only where extensions are on."""
        error: dict[str, object] = {
            "code": self.code,
            "message": self.message,
            "status": self.status,
        }
        if extended and self.field is not None:
            error["field"] = self.field
        return json.dumps(error, ensure_ascii=False, separators=(",", ":")).encode()


def invalid_json(message: str) -> Problem:
    return Problem(400, "invalid_json", message)


def invalid_field(field: str, message: str) -> Problem:
    return Problem(400, "invalid_request", f"{field}: {message}", field=field)


def invalid_parameter(name: str, message: str) -> Problem:
    return Problem(400, "invalid_parameter", f"{name}: {message}", field=name)


def not_found(message: str, headers: dict[str, str] | None = None) -> Problem:
    return Problem(404, "not_found", message, headers=headers)


def not_now(message: str, retry_after_s: int = 1) -> Problem:
    """Refuse for the moment: nothing was stored, and the same request may be sent again."""
    return Problem(503, "unavailable", message, headers={"retry-after": str(retry_after_s)})


def internal_error() -> Problem:
    return Problem(
        500, "internal_error", "the service failed; quote the X-Request-Id to its operator"
    )
