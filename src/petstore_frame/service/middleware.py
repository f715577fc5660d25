"""What every request meets: a name, a line in the log, and an answer where all else failed."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import sys
import time
import traceback
from collections.abc import Container
from datetime import UTC, datetime
from urllib.parse import unquote, unquote_to_bytes

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petstore_frame.service.errors import Refusal
from petstore_frame.service.options import LogLevel

_logger = logging.getLogger("petstore_frame.service")
_OFF = logging.CRITICAL + 1
_ORIGIN = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_CLIENT_GONE = 499  # in the log only: nobody was left to answer
# What the interface states or HTTP itself asks for; the rest are extensions.
_STATED_HEADERS = frozenset(
    b"content-type content-length www-authenticate allow retry-after cache-control "
    b"connection".split()
)


class EveryRequest:
    """Name and log a request, take extensions off if asked, and answer where all else failed."""

    def __init__(self, app: ASGIApp, *, spec_only: bool, store_id: str) -> None:
        self._app = app
        self._spec_only = spec_only
        self._store_header = (b"x-store-id", store_id.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0
        headers = dict(scope["headers"])
        given = _REQUEST_ID.fullmatch(headers.get(b"x-request-id", b""))
        request_id = given[0] if given else b"%016x" % random.getrandbits(64)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, told = message["status"], message["headers"]
                if self._spec_only:
                    told[:] = [entry for entry in told if entry[0] in _STATED_HEADERS]
                else:
                    told += ((b"x-request-id", request_id), self._store_header)
            await send(message)

        try:
            await self._app(_asked(scope, headers, spec_only=self._spec_only), receive, answer)
        except Refusal as refusal:
            await refusal.response()(scope, receive, answer)
        except ClientDisconnect:
            status = _CLIENT_GONE
        except (Exception, asyncio.CancelledError) as failure:  # noqa: BLE001 # each gets an Error body
            log_failure(failure, request_id.decode())
            if not status:
                message = "the service failed; quote the X-Request-Id to its operator"
                await Refusal(500, message).response()(scope, receive, answer)
        finally:
            took_ms = round((time.monotonic() - started) * 1000, 1)
            asked = {"method": scope["method"], "path": scope["path"]}
            log("request", request_id=request_id.decode(), **asked, status=status, ms=took_ms)


def _asked(scope: Scope, stated: Container[bytes], *, spec_only: bool) -> Scope:
    """Return a request as the operations shall see it.

    Raises:
        Refusal: 400 for two statements of a body's length, which is how a second request is
            smuggled past a proxy. The rest of the framing is the HTTP parser's part.
    """
    if b"transfer-encoding" in stated and b"content-length" in stated:
        message = "Content-Length and Transfer-Encoding are both stated"
        raise Refusal(400, message, headers={"connection": "close"})
    if scope["method"] == "HEAD":  # the server leaves the body out
        scope = {**scope, "method": "GET"}
    if origin := _ORIGIN.match(scope["raw_path"]):  # an absolute target, as proxies send it
        path = scope["raw_path"][origin.end() :] or b"/"
        scope = {**scope, "raw_path": path, "path": unquote(path.decode("ascii"))}
    if spec_only:
        extensions = (b"idempotency-key", b"x-store-id")
        headers = [entry for entry in scope["headers"] if entry[0] not in extensions]
        asked = scope["query_string"].split(b"&")
        kept = [part for part in asked if unquote_to_bytes(part.partition(b"=")[0]) != b"cursor"]
        scope = {**scope, "headers": headers, "query_string": b"&".join(kept)}
    return scope


def set_up_logging(level: LogLevel) -> None:
    """Choose the least severe level; the libraries' warnings take the same way."""
    number = _OFF if level == "off" else logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLine())
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)
    _logger.setLevel(number)


def log(event: str, **facts: object) -> None:
    """Write one line of facts; keys and bodies are never among them."""
    _logger.info(event, extra={"facts": facts})


def log_failure(failure: BaseException, request_id: str) -> None:
    """Report an unexpected failure by its class and place."""
    _logger.error("request failed", exc_info=failure, extra={"facts": {"request_id": request_id}})


class _JsonLine(logging.Formatter):
    """JSON escapes control and non-ASCII characters, so that no name can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
        }
        if record.name != _logger.name:
            line["logger"] = record.name
        if record.exc_info and (failure := record.exc_info[1]) is not None:
            # Never its text: a database's message may quote what was sent.
            cause = failure.__cause__ or failure
            place = traceback.extract_tb(cause.__traceback__)[-1:]
            line["error"] = type(cause).__name__
            line["place"] = "".join(f"{frame.name}:{frame.lineno}" for frame in place)
        return json.dumps(line | getattr(record, "facts", {}))
