"""What of a creation request is read before its JSON: media type, size, idempotency key.

In: a request. Out: its body and its key, or the Problem with either.
"""

from __future__ import annotations

import re

from starlette.requests import Request

from petstore_frame.service.problems import Problem
from petstore_frame.service.rules import MAX_BODY_BYTES, MAX_IDEMPOTENCY_KEY_LENGTH

_IDEMPOTENCY_KEY = re.compile(rf"[ -~]{{1,{MAX_IDEMPOTENCY_KEY_LENGTH}}}")


async def read_body(request: Request) -> bytes:
    """Return the body of a JSON request, never reading much more than is allowed.

    Raises:
        Problem: 415 for another media type or a compressed body, 413 for too much.
    """
    stated = request.headers.get("content-type")
    if stated is not None and stated.split(";")[0].strip().lower() != "application/json":
        raise Problem(415, "unsupported_media_type", "the body is application/json")
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Problem(415, "unsupported_media_type", "the body is sent without Content-Encoding")
    length = request.headers.get("content-length", "0")
    if len(length) > 15 or int(length) > MAX_BODY_BYTES:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise _too_large()
    return bytes(body)


def read_idempotency_key(request: Request) -> str | None:
    """Return the Idempotency-Key, or None when none was sent.

    Raises:
        Problem: 400 for two of them, or one that is empty, too long or not printable ASCII.
    """
    sent = request.headers.getlist("idempotency-key")
    if not sent:
        return None
    if len(sent) > 1 or not _IDEMPOTENCY_KEY.fullmatch(sent[0]):
        raise Problem(
            400,
            "invalid_request",
            f"Idempotency-Key: is one value of 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} printable "
            "ASCII characters",
            field="Idempotency-Key",
        )
    return sent[0]


def _too_large() -> Problem:
    return Problem(
        413,
        "payload_too_large",
        f"the body is larger than {MAX_BODY_BYTES} bytes",
        headers={"connection": "close"},
    )
