"""What every request meets first: an id, the credential, the size of the address, the log line.

In: any ASGI request. Out: the same request passed on, or refused with an Error body before
anything else has looked at it. It knows nothing of pets.
"""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import time
from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service.answers import problem_answer
from petstore_frame.service.keys import KeyRing
from petstore_frame.service.logs import write_log
from petstore_frame.service.problems import Problem, internal_error, not_found
from petstore_frame.service.rules import MAX_HEAD_BYTES, MAX_TARGET_BYTES

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_BEARER = re.compile(rb"bearer +([!-~]+)", re.IGNORECASE)
HEALTH_PATH = "/healthz"
CLIENT_GONE = 499  # in the log only: nobody was left to answer


class Guard:
    """ASGI middleware that lets only requests with a valid credential through.

    Args:
        app: What answers the requests that pass.
        ring: The keys that are valid.
        store_id: The id of the store; None where extensions of the interface are off.
        throttle: Limits the requests per key, or None.
    """

    def __init__(
        self,
        app: ASGIApp,
        ring: KeyRing,
        *,
        store_id: str | None = None,
        throttle: Throttle | None = None,
    ) -> None:
        self.app = app
        self._ring = ring
        self._extended = store_id is not None
        self._store_id = (store_id or "").encode()
        self._throttle = throttle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.monotonic()
        request_id = _request_id(scope["headers"])
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self._extended:
                    message["headers"] += (
                        (b"x-request-id", request_id),
                        (b"x-store-id", self._store_id),
                    )
            await send(message)

        async def refuse(problem: Problem) -> None:
            await problem_answer(problem, extended=self._extended)(scope, receive, answer)

        try:
            self._check(scope)
            await self.app(scope, receive, answer)
        except Problem as problem:
            await refuse(problem)
        except ClientDisconnect:
            status = CLIENT_GONE
        except asyncio.CancelledError as failure:
            # The time to drain is over; what became of a creation is not known.
            _log_failure(request_id, failure)
            if not status:
                await refuse(internal_error())
        except Exception as failure:  # noqa: BLE001 # whatever it was, the client gets an Error body
            _log_failure(request_id, failure)
            if not status:
                await refuse(internal_error())
        finally:
            _log_request(scope, request_id, status, time.monotonic() - started)

    def _check(self, scope: Scope) -> None:
        _check_framing(scope)
        if scope["path"] == HEALTH_PATH and self._extended:
            return
        key = self._check_credential(scope["headers"])
        if self._throttle is not None:
            self._throttle.take(key)
        if len(scope["raw_path"]) + len(scope["query_string"]) >= MAX_TARGET_BYTES:
            raise Problem(
                414, "target_too_long", f"the address is longer than {MAX_TARGET_BYTES} bytes"
            )
        if b"%2f" in scope["raw_path"].lower():
            raise not_found("there is nothing at this address")

    def _check_credential(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        sent = [value for name, value in headers if name == b"authorization"]
        if not sent:
            raise _unauthorized("send the API key as Authorization: Bearer <API_KEY>", "Bearer")
        form = _BEARER.fullmatch(sent[0])
        if len(sent) > 1 or form is None or not self._ring.accepts(form.group(1)):
            raise _unauthorized("the API key is not valid", 'Bearer error="invalid_token"')
        return form.group(1)


class Throttle:
    """A token bucket per key: ``rate`` requests per second, and as many at once."""

    def __init__(self, rate: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = max(1.0, rate)
        self._clock = clock
        self._buckets: dict[bytes, tuple[float, float]] = {}

    def take(self, key: bytes) -> None:
        """Let one request pass, or raise the 429 with the time to wait."""
        now = self._clock()
        tokens, since = self._buckets.get(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        if tokens < 1:
            wait_s = math.ceil((1 - tokens) / self._rate)
            self._buckets[key] = (tokens, now)
            raise Problem(
                429,
                "rate_limited",
                f"more than {self._rate:g} requests per second; wait {wait_s} s",
                headers={"retry-after": str(wait_s)},
            )
        self._buckets[key] = (tokens - 1, now)


def _check_framing(scope: Scope) -> None:
    headers = scope["headers"]
    if scope["http_version"] not in ("1.0", "1.1"):
        raise Problem(
            400,
            "invalid_request",
            "this service speaks HTTP/1.1",
            headers={"connection": "close"},
        )
    # The HTTP parser measures only heads that arrive in pieces.
    if sum(len(name) + len(value) for name, value in headers) > MAX_HEAD_BYTES:
        raise Problem(
            431,
            "head_too_large",
            f"the request's head is larger than {MAX_HEAD_BYTES} bytes",
            headers={"connection": "close"},
        )
    # Two statements of a body's length are how a second request is smuggled past a proxy.
    names = [name for name, _ in headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        raise Problem(
            400,
            "invalid_request",
            "Content-Length and Transfer-Encoding are both stated",
            headers={"connection": "close"},
        )


def _unauthorized(message: str, challenge: str) -> Problem:
    return Problem(401, "unauthorized", message, headers={"www-authenticate": challenge})


def _request_id(headers: list[tuple[bytes, bytes]]) -> bytes:
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return value
    return secrets.token_hex(8).encode()


def _log_failure(request_id: bytes, failure: BaseException) -> None:
    cause = failure.__cause__ or failure
    # The class and the place, never the text: a database's message may quote what was sent.
    trace, place = cause.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
        trace = trace.tb_next
    write_log(
        "error",
        "request failed",
        request_id=request_id.decode(),
        error=type(cause).__name__,
        place=place,
    )


def _log_request(scope: Scope, request_id: bytes, status: int, took_s: float) -> None:
    write_log(
        "info",
        "request",
        request_id=request_id.decode(),
        method=scope["method"],
        path=scope["path"],
        status=status,
        ms=round(took_s * 1000, 1),
    )
