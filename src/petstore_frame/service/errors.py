"""What went wrong: every refusal as an Error body in plain words, and the log for the operator."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fastapi import Response
from starlette.exceptions import HTTPException

from petstore_frame.service.models import LIFECYCLE, Error

_logger = logging.getLogger("petstore_frame.service")
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
    "unsupported_media_type": 415,
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
    """A request that is refused with an Error body; the code decides the status.

    The message begins with the field at fault, where there is one.

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
        text = message if field is None else f"{field} {message}"
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
        facts = problem.get("ctx", {})
        if part == "path":
            return cls("not_found", "there is no pet with this id", headers=LIFECYCLE)
        if problem["type"] == "json_invalid":
            return cls("invalid_json", f"{facts['error']} at character {place[0]}")
        if not place:
            return cls("invalid_json", "the body is not a JSON object")
        message = _WORDS.get(problem["type"], "has an invalid value").format(**facts)
        code = "invalid_parameter" if part in ("query", "header") else "invalid_request"
        return cls(code, message, field=str(place[0])[:40])

    def response(self) -> Response:
        """Return the answer: an Error body that no cache keeps."""
        status = self.status_code
        error = Error(code=self.code, message=self.detail, status=status, field=self.field)
        headers = {"cache-control": "no-store", **(self.headers or {})}
        if self.code == "unavailable":  # nothing was stored: the same request may be sent again
            headers["retry-after"] = "1"
        body = error.model_dump_json(exclude_none=True)
        return Response(body, status, headers, "application/json")


def set_up_logging(level: str) -> None:
    """Choose the least severe level, or off; the libraries' warnings take the same way."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.CRITICAL + 1)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLine())
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)
    _logger.setLevel(number)


def log(event: str, failure: BaseException | None = None, **facts: object) -> None:
    """Write one line of facts; keys and bodies are never among them."""
    level = logging.ERROR if failure else logging.INFO
    _logger.log(level, event, exc_info=failure, extra={"facts": facts})


class _JsonLine(logging.Formatter):
    """JSON escapes control and non-ASCII characters, so that no name can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
            "logger": record.name,
        }
        if record.exc_info and (failure := record.exc_info[1]) is not None:
            # Its class and place, never its text: a database's may quote what was sent.
            cause = failure.__cause__ or failure
            place = traceback.extract_tb(cause.__traceback__)[-1:]
            line["error"] = type(cause).__name__
            line["place"] = "".join(f"{frame.name}:{frame.lineno}" for frame in place)
        return json.dumps(line | getattr(record, "facts", {}))
