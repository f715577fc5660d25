"""Connections to one store, each lent to one request at a time: the one door to httpcore.

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
from importlib.util import find_spec
from time import monotonic
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import httpcore

from petstore_frame.errors import ConfigurationError
from petstore_frame.http.links import shown_origin
from petstore_frame.http.settings import is_loopback

# uvicorn and others close idle connections after 5 s; leaving first avoids the race for them.
KEEPALIVE_S = 2.0
_PROXY_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_HEAD_END, _CHUNKS_END = b"\r\n\r\n", b"0\r\n\r\n"


class Wire(Protocol):
    """What carries one request at a time."""

    def handle_request(self, request: httpcore.Request) -> httpcore.Response: ...
    def abandon(self) -> None: ...
    def close(self) -> None: ...


class GivenTransport(Protocol):
    """What may stand in place of sockets: an ``httpx.BaseTransport``, or anything like it."""

    def handle_request(self, request: Any) -> Any: ...
    def close(self) -> None: ...


class Wires:
    """Wires to one store, each lent to one request at a time, the last one back first.

    One pool of httpcore for all of them would look at every idle one twice per request.
    """

    def __init__(self, new: Callable[[], Wire]) -> None:
        self._new = new
        self._all: list[Wire] = []
        self._idle: list[Wire] = []
        self._is_closed = False

    def borrow(self) -> Wire:
        """Return a wire that no other request has."""
        try:
            return self._idle.pop()
        except IndexError:
            wire = self._new()
            self._all.append(wire)
            return wire

    def give_back(self, wire: Wire) -> None:
        """Take a wire back for the next request."""
        self._idle.append(wire)
        if self._is_closed:  # by another thread, while this one had the wire
            wire.close()

    def close(self) -> None:
        """Close all wires; one that is lent out later is closed when it comes back."""
        self._is_closed = True
        for wire in dict.fromkeys(self._all):
            wire.close()


class SocketWire:
    """One connection, with a limit for a whole answer.

    The limit is ``timeout["total"]`` among a request's extensions, in seconds; ``read`` limits
    only the silence between two pieces of an answer.
    """

    def __init__(self, context: ssl.SSLContext | None, proxy: httpcore.Proxy | None) -> None:
        self._exchange = _Exchange()
        # Makes connections and holds none: a pool looks at its own four times per request.
        self._maker = httpcore.ConnectionPool(
            ssl_context=context,
            proxy=proxy,
            keepalive_expiry=KEEPALIVE_S,
            network_backend=_Sockets(self._exchange),
        )
        self._connection: httpcore.ConnectionInterface | None = None

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        self._exchange.begin(request.extensions["timeout"]["total"])
        connection = self._connection
        if connection is None or not self._is_fit(connection):
            self.close()
            self._connection = connection = self._maker.create_connection(request.url.origin)
        response = connection.handle_request(request)
        self._exchange.note_head(response)
        return response

    def _is_fit(self, connection: httpcore.ConnectionInterface) -> bool:
        return (
            self._exchange.has_ended_cleanly
            and connection.is_available()
            and not connection.has_expired()  # which bytes that wait on the socket are, too
        )

    def abandon(self) -> None:
        """Leave a request where it is: an interrupt may have torn a lock of the connection's."""
        self.close()

    def close(self) -> None:
        """Close the connection; a forked process closes its copy, and the parent's stays open."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class _Exchange:
    """One request and its answer, as the bytes of their connection tell."""

    def __init__(self) -> None:
        self._give_up_at = 0.0
        self._process = os.getpid()
        self._is_refusal = False
        self._length: int | None = None
        self.forget()

    def begin(self, total_s: float) -> None:
        """Note that a request is about to go out, whose answer may take so long."""
        self._give_up_at = monotonic() + total_s

    def forget(self) -> None:
        """Note that bytes of a request go out: what comes from now on is its answer."""
        self._received, self._head, self._tail = 0, b"", b""

    @property
    def left_s(self) -> float:
        """Seconds that are left for the whole answer."""
        return self._give_up_at - monotonic()

    def take(self, data: bytes) -> None:
        """Note bytes that were received."""
        self._received += len(data)
        if not self._head.endswith(_HEAD_END):
            head, end, _ = (self._head + data).partition(_HEAD_END)
            self._head = head + end
        self._tail = self._tail[-4:] + data

    def note_head(self, response: httpcore.Response) -> None:
        """Note what the answer says of its kind and length."""
        self._process = os.getpid()
        self._is_refusal = not 200 <= response.status < 300
        lengths = [value for name, value in response.headers if name.lower() == b"content-length"]
        self._length = int(lengths[0]) if lengths and lengths[0].isdigit() else None

    @property
    def has_ended_cleanly(self) -> bool:
        """Whether the connection may carry another request: see the top of this module."""
        if self._is_refusal or self._process != os.getpid():
            return False
        if self._length is not None:
            return self._received == len(self._head) + self._length
        # Bytes behind the end can only have come with the last piece.
        return self._tail.find(_CHUNKS_END) == len(self._tail) - len(_CHUNKS_END) >= 0


class _Sockets(httpcore.SyncBackend):
    """Opens sockets for one exchange at a time."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = super().connect_tcp(host, port, timeout, local_address, socket_options)
        return _Stream(stream, self._exchange)


class _Stream(httpcore.NetworkStream):
    """A socket's bytes; a read waits no longer than is left for the whole answer."""

    def __init__(self, stream: httpcore.NetworkStream, exchange: _Exchange) -> None:
        self._stream = stream
        self._exchange = exchange

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left_s = self._exchange.left_s
        if left_s <= 0:
            raise httpcore.ReadTimeout("the whole answer took too long")
        limit_s = left_s if timeout is None else min(timeout, left_s)
        data = self._stream.read(max_bytes, limit_s)
        self._exchange.take(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._exchange.forget()
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
        return _Stream(stream, self._exchange)


def new_sockets(base_url: str) -> Callable[[], Wire]:
    """Return what makes a wire of real sockets to a store.

    Raises:
        ConfigurationError: The environment names a proxy that cannot be used.
    """
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    # A proxy of the environment would answer for a store on this machine.
    address = None if is_loopback(host) else _proxy_for(parts.scheme, host)
    proxy = None if address is None else _proxy(address)
    # Reading the trusted certificates takes longer than a hundred plain requests.
    is_plain = parts.scheme == "http" and (proxy is None or proxy.url.scheme != b"https")
    context = None if is_plain else _trusted()
    if proxy is not None and proxy.url.scheme == b"https":
        proxy.ssl_context = context
    return lambda: SocketWire(context, proxy)


def _proxy_for(scheme: str, host: str) -> str | None:
    from urllib.request import getproxies, proxy_bypass  # large, and a store near by needs neither

    proxies = {} if proxy_bypass(host) else getproxies()
    return proxies.get(scheme) or proxies.get("all")


def _trusted() -> ssl.SSLContext:
    """Return whom to trust: as SSL_CERT_FILE and SSL_CERT_DIR say, else the usual authorities."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file or folder:
        return ssl.create_default_context(cafile=file, capath=folder)
    return httpcore.default_ssl_context()


def _proxy(address: str) -> httpcore.Proxy:
    """Read a proxy's address; no byte is sent.

    Raises:
        ConfigurationError: No proxy can be meant by it, or its kind needs a library.
    """
    try:
        parts = urlsplit(address)
        port = parts.port or _PROXY_PORTS[parts.scheme]
        host = (parts.hostname or "").encode("idna")
    except (KeyError, ValueError):
        host, port = b"", 0
    if not host or parts.scheme not in _PROXY_PORTS:
        raise _unusable_proxy(address, "not a proxy's address")
    if parts.scheme.startswith("socks") and find_spec("socksio") is None:
        raise _unusable_proxy(address, "SOCKS needs `pip install httpx[socks]`")
    url = httpcore.URL(scheme=parts.scheme, host=host, port=port, target=b"/")
    if parts.username is None:
        return httpcore.Proxy(url)
    return httpcore.Proxy(url, auth=(unquote(parts.username), unquote(parts.password or "")))


def _unusable_proxy(address: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"the environment's proxy, {shown_origin(address)}, cannot be used: {reason}; correct or "
        "unset HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or name the store's host in NO_PROXY"
    )
