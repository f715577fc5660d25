"""Why no answer came, and whether the store can have acted: httpcore's errors as ours."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import httpcore

from petstore_frame.errors import APIConnectionError, APITimeoutError

# All that httpcore raises on purpose; its classes have no base of their own.
ENGINE_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
_NEVER_SENT = (
    httpcore.ConnectError,
    httpcore.ConnectTimeout,
    httpcore.PoolTimeout,
    httpcore.UnsupportedProtocol,
    httpcore.LocalProtocolError,
    httpcore.ProxyError,
)


class Trace:
    """Notes how far a request got, from the engine's own events."""

    def __init__(self) -> None:
        self.was_called = False
        self.has_started_headers = False
        self.has_failed_body = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self.was_called = True
        # The events start with the protocol's name: http11. or http2.
        if event.endswith(".send_request_headers.started"):
            self.has_started_headers = True
        elif event.endswith(".send_request_body.failed"):
            self.has_failed_body = True

    def proves_not_applied(self, problem: Exception) -> bool:
        """Tell whether the store cannot have acted on the request.

        Without events (a transport of the caller's own) only the error's class is evidence.
        """
        if isinstance(problem, _NEVER_SENT) or self.has_failed_body:
            return True
        return self.was_called and not self.has_started_headers


def connection_error(
    problem: Exception, operation: str, trace: Trace, base_url: str
) -> APIConnectionError:
    """Return our error for one of httpcore's."""
    is_unsent = trace.proves_not_applied(problem)
    reason, text = _reason(problem)
    doubt = "" if is_unsent or operation.startswith("GET") else "; it may have been applied"
    kind = APITimeoutError if isinstance(problem, httpcore.TimeoutException) else APIConnectionError
    return kind(
        f"{operation}: no answer from {base_url} ({text}){doubt}; "
        "check the address and that the store is up",
        operation=operation,
        reason=reason,
        may_have_been_applied=not is_unsent,
        retryable=reason not in ("dns", "tls", "invalid_request"),
    )


# The first class that fits counts: a word for results and tests, and what it says in a sentence.
_REASONS: tuple[tuple[type[Exception], str, str], ...] = (
    (httpcore.ConnectTimeout, "connect_timeout", "no connection within the time allowed"),
    (httpcore.PoolTimeout, "pool_timeout", "no free connection within the time allowed"),
    (httpcore.WriteTimeout, "write_timeout", "not written within the time allowed"),
    (httpcore.ReadTimeout, "read_timeout", "connected, but no answer within the time allowed"),
    (httpcore.ReadError, "reset", "connection reset"),
    (httpcore.WriteError, "reset", "connection reset"),
    (httpcore.RemoteProtocolError, "closed", "connection closed without an answer"),
    (httpcore.ProxyError, "proxy", "the proxy gave no connection"),
    (httpcore.LocalProtocolError, "invalid_request", "it could not be sent as it is"),
    (httpcore.UnsupportedProtocol, "invalid_request", "it could not be sent as it is"),
)


def _reason(problem: Exception) -> tuple[str, str]:
    """Return one word for the cause, and what to say of it."""
    for kind, word, text in _REASONS:
        if isinstance(problem, kind):
            return word, text
    causes = list(_chain(problem))
    if any(isinstance(each, ssl.SSLError) for each in causes):
        return "tls", "no trusted TLS connection"
    if any(isinstance(each, socket.gaierror) for each in causes):
        return "dns", "the host name is not known"
    if isinstance(problem, httpcore.ConnectError):
        return "refused", "connection refused"
    return "connection", "connection"


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
