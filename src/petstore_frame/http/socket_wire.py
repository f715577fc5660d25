"""One wire to a store: a socket whose next answer belongs to the request that it carries.

In: one request of httpx at a time. Out: its response. It knows no pets, no keys and no proofs.

HTTP/1.1 pairs requests and answers by their order alone. Where a store or a proxy answers twice,
the second answer would be taken for the next request's. So a connection is used again only if no
byte has come behind its last answer, if that answer was no refusal (its second copy would name no
pet that gives it away), and if this process made it: a fork shares it with its parent.

What remains is a second copy of a success that arrives after the next request has gone out. It
names another pet than the one sent, or an id that was given already: a loader must check both.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

import httpcore
import httpx

# uvicorn and others close idle connections after 5 s; leaving first avoids the race for them.
KEEPALIVE_S = 2.0


class SocketWire(httpx.HTTPTransport):
    """httpx's transport with one connection, and a limit for a whole answer.

    The limit is ``timeout["total"]`` among a request's extensions, in seconds; ``read`` limits
    only the silence between two pieces of an answer.

    Args:
        context: What is trusted.
        proxy: Address of a proxy, or None.
    """

    def __init__(self, context: ssl.SSLContext, proxy: str | None) -> None:
        super().__init__(verify=context, proxy=proxy)
        # A pool would look at its connections four times per request, a sixth of the CPU.
        self._pool: Any = _Line(self._pool)


class _Line:
    """Makes a connection when none is fit for the next request; stands where a pool was."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._sockets = pool._network_backend = _Sockets()
        pool._keepalive_expiry = KEEPALIVE_S
        self._new: Callable[[httpcore.Origin], httpcore.ConnectionInterface]
        self._new = pool.create_connection
        self._connection: httpcore.ConnectionInterface | None = None
        self._process = os.getpid()
        self._has_refused = False

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        self._sockets.give_up_at = monotonic() + request.extensions["timeout"]["total"]
        connection = self._connection
        if connection is None or not self._is_fit(connection):
            self.close()
            self._connection = connection = self._new(request.url.origin)
            self._process = os.getpid()
        response = connection.handle_request(request)
        self._has_refused = not 200 <= response.status < 300
        return response

    def _is_fit(self, connection: httpcore.ConnectionInterface) -> bool:
        return (
            self._process == os.getpid()
            and not self._has_refused
            and connection.is_available()
            and not connection.has_expired()  # which bytes that wait on the socket are, too
            and not _received_more(connection)
        )

    def close(self) -> None:
        """Close the connection; a forked process closes its copy, and the parent's stays open."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _received_more(connection: Any) -> bool:
    """Tell whether bytes came together with the last answer, behind its end."""
    while (inner := getattr(connection, "_connection", None)) is not None:
        connection = inner
    return bool(connection._h11_state.trailing_data[0])


class _Sockets(httpcore.SyncBackend):
    """Opens sockets that all give up at one moment, set anew for each request."""

    give_up_at = 0.0

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = super().connect_tcp(host, port, timeout, local_address, socket_options)
        return _Stream(stream, self)


class _Stream(httpcore.NetworkStream):
    """A socket's bytes; a read waits no longer than is left for the whole answer."""

    def __init__(self, stream: httpcore.NetworkStream, sockets: _Sockets) -> None:
        self._stream = stream
        self._sockets = sockets

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left_s = self._sockets.give_up_at - monotonic()
        if left_s <= 0:
            raise httpcore.ReadTimeout("the whole answer took too long")
        return self._stream.read(max_bytes, left_s if timeout is None else min(timeout, left_s))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _Stream(stream, self._sockets)
