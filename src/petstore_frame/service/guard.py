"""What every request meets first: an id, the credential, the size of the address, the log line.

In: any ASGI request. Out: the same request passed on, or refused with an Error body before anything
else has looked at it. It knows nothing of pets.
"""

from __future__ import annotations

import re
import secrets
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service.keys import KeyRing
from petstore_frame.service.logs import write_log
from petstore_frame.service.problems import Problem, internal_error
from petstore_frame.service.rules import MAX_TARGET_BYTES

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_BEARER = re.compile(rb"bearer +([!-~]+)", re.IGNORECASE)


class Guard:
    """ASGI middleware that lets only requests with a good credential through."""

    def __init__(self, app: ASGIApp, ring: KeyRing, *, extended: bool = True) -> None:
        self._app = app
        self._ring = ring
        self._extended = extended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        request_id = _request_id(scope["headers"])
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self._extended:
                    message["headers"] = [
                        *message["headers"],
                        (b"x-request-id", request_id.encode()),
                    ]
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, answer)
        except Problem as problem:
            await send_problem(problem, answer, scope, extended=self._extended)
        except Exception as problem:  # noqa: BLE001 # whatever it was, the client gets an Error body
            write_log("error", "request failed", request_id=request_id, reason=repr(problem))
            if not status:
                await send_problem(internal_error(), answer, scope, extended=self._extended)
        finally:
            write_log(
                "info",
                "request",
                request_id=request_id,
                method=scope["method"],
                path=scope["path"],
                status=status,
                ms=round((time.monotonic() - started) * 1000, 1),
            )

    def _check(self, scope: Scope) -> None:
        self._check_credential(scope["headers"])
        if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_TARGET_BYTES:
            raise Problem(
                414, "target_too_long", f"the address is longer than {MAX_TARGET_BYTES} bytes"
            )
        if b"%2f" in scope["raw_path"].lower():
            raise Problem(404, "not_found", "there is nothing at this address")

    def _check_credential(self, headers: list[tuple[bytes, bytes]]) -> None:
        sent = [value for name, value in headers if name == b"authorization"]
        if not sent:
            raise _unauthorized("send the API key as Authorization: Bearer <API_KEY>", "Bearer")
        form = _BEARER.fullmatch(sent[0])
        if len(sent) > 1 or form is None or not self._ring.accepts(form.group(1)):
            raise _unauthorized("the API key is not valid", 'Bearer error="invalid_token"')


async def send_problem(problem: Problem, send: Send, scope: Scope, *, extended: bool) -> None:
    """Send an Error body; none in answer to HEAD."""
    body = problem.body(extended=extended)
    headers: list[tuple[bytes, bytes]] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *((name.encode(), value.encode("latin-1")) for name, value in problem.headers.items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    sent: Any = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": sent})


def _unauthorized(message: str, challenge: str) -> Problem:
    return Problem(401, "unauthorized", message, headers={"www-authenticate": challenge})


def _request_id(headers: list[tuple[bytes, bytes]]) -> str:
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return value.decode()
    return secrets.token_hex(8)
