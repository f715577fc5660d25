"""What every request meets before and after its operation."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service.errors import Refusal, internal_error
from petstore_frame.service.logs import log, log_failure
from petstore_frame.service.models import LIMIT_MAX, LIMIT_MIN

MAX_HEAD_BYTES = 16 * 1024
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ORIGIN = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)
_CLIENT_GONE = 499  # in the log only: nobody was left to answer


class EveryRequest:
    """Check a request's head, name and log the request, and answer where all else failed.

    Args:
        app: What answers.
        store_id: The id of the store; None where extensions of the interface are off.
    """

    def __init__(self, app: ASGIApp, *, store_id: str | None) -> None:
        self.app = app
        self._store_id = store_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.monotonic(), 0
        asked = Headers(scope=scope).get("x-request-id", "")
        request_id = asked if _REQUEST_ID.fullmatch(asked) else secrets.token_hex(8)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self._store_id is not None:
                    names = ((b"x-request-id", request_id), (b"x-store-id", self._store_id))
                    for name, value in names:
                        message["headers"].append((name, value.encode()))
            await send(message)

        try:
            _check_head(scope)
            await self.app(_plain(scope), receive, answer)
        except Refusal as refusal:
            await refusal.response()(scope, receive, answer)
        except ClientDisconnect:
            status = _CLIENT_GONE
        except (Exception, asyncio.CancelledError) as failure:  # noqa: BLE001 # each gets an Error body
            log_failure(failure, request_id)
            if not status:
                await internal_error().response()(scope, receive, answer)
        finally:
            took_ms = round((time.monotonic() - started) * 1000, 1)
            facts = {"request_id": request_id, "method": scope["method"], "path": scope["path"]}
            log("request", **facts, status=status, ms=took_ms)


def _check_head(scope: Scope) -> None:
    """Refuse what the HTTP parser lets through: the rest of a request's framing is its part."""
    headers, close = scope["headers"], {"connection": "close"}
    if scope["http_version"] not in ("1.0", "1.1"):
        raise Refusal(400, "this service speaks HTTP/1.1", headers=close)
    # The parser measures only heads that arrive in pieces.
    size = len(scope["raw_path"]) + len(scope["query_string"])
    if size + sum(len(name) + len(value) for name, value in headers) > MAX_HEAD_BYTES:
        message = f"the request's head is larger than {MAX_HEAD_BYTES} bytes"
        raise Refusal(431, message, headers=close)
    # Two statements of a body's length are how a second request is smuggled past a proxy.
    if {b"transfer-encoding", b"content-length"} <= {name for name, _ in headers}:
        message = "Content-Length and Transfer-Encoding are both stated"
        raise Refusal(400, message, headers=close)


def _plain(scope: Scope) -> Scope:
    """Return a GET where HEAD was asked for, and a path where an absolute address was."""
    changed: dict[str, Any] = {}
    if scope["method"] == "HEAD":  # the server leaves the body out
        changed["method"] = "GET"
    if origin := _ORIGIN.match(scope["raw_path"]):
        changed["raw_path"] = scope["raw_path"][origin.end() :] or b"/"
        changed["path"] = unquote(changed["raw_path"].decode("ascii"))
    return {**scope, **changed} if changed else scope


class SpecOnly:
    """Take every extension of the interface off, from what is asked and from what is answered."""

    _ASKED = frozenset((b"idempotency-key", b"x-store-id"))
    _ANSWERED = frozenset(
        b"content-type content-length www-authenticate allow retry-after cache-control "
        b"connection".split()
    )

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [entry for entry in scope["headers"] if entry[0] not in self._ASKED]
            query = [(name, value) for name, value in _query(scope) if name != "cursor"]
            scope = {**scope, "headers": headers, "query_string": _encoded(query)}

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [entry for entry in message["headers"] if entry[0] in self._ANSWERED]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, answer)


class ClampLimit:
    """Cut the limit that is asked for to 1 to 100, as some stores do without a word."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            query = [
                (name, _clamped(value) if name == "limit" else value)
                for name, value in _query(scope)
            ]
            scope = {**scope, "query_string": _encoded(query)}
        await self.app(scope, receive, send)


def _clamped(limit: str) -> str:
    is_number = re.fullmatch(r"-?[0-9]{1,20}", limit, re.ASCII)
    return str(min(max(int(limit), LIMIT_MIN), LIMIT_MAX)) if is_number else limit


def _query(scope: Scope) -> list[tuple[str, str]]:
    text = scope["query_string"].decode("latin-1")
    return parse_qsl(text, keep_blank_values=True, encoding="latin-1")


def _encoded(query: list[tuple[str, str]]) -> bytes:
    return urlencode(query, encoding="latin-1").encode()
