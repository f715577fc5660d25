"""Transports to one store, each lent to one request at a time, and what their events tell."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import httpx

from petstore_frame.errors import ConfigurationError
from petstore_frame.transport.answer import Headers
from petstore_frame.transport.interrupts import Deferred
from petstore_frame.transport.links import shown_origin, split_link
from petstore_frame.transport.settings import is_loopback

# One connection each, or each request would look at every idle one twice. uvicorn and others close
# idle connections after 5 s; we close ours earlier, so that no request meets a closing one.
_LIMITS = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=2.0)
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.ProxyError,
)
_CONNECTS = ("connect_tcp", "start_tls")
# Where Ctrl-C may end a request: elsewhere it could leave one of the transport's locks taken.
_WAITS = (*_CONNECTS, "receive_response_headers", "receive_response_body")
_HEAD_END, _CHUNKS_END = b"\r\n\r\n", b"0\r\n\r\n"


class GivenTransport(Protocol):
    """An ``httpx.BaseTransport``, or anything that works like one."""

    def handle_request(self, request: Any) -> Any: ...
    def close(self) -> None: ...


class Watch:
    """Notes what one connection reads for a request, and ends the reading when time is up.

    HTTP/1.1 pairs requests and answers by their order alone. Where a store or a proxy answers
    twice, the second answer would be taken for the next request's. So a connection is used again
    only if no byte has come behind its last answer, if that answer was a success (a second refusal
    names no pet that gives it away), and if this process made it (a fork shares its parent's).

    A second copy of a success can still arrive after the next request has gone out. It names
    another pet than the one sent, or an id that was given already: a loader must check both.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._give_up_at = 0.0
        self._pieces: list[bytes] = []

    def begin(self, total_s: float) -> None:
        """Note that a request is about to go out, whose answer may take so long."""
        self._give_up_at = monotonic() + total_s

    def forget(self) -> None:
        """Note that a request goes out: bytes that come from now on are its answer."""
        self._pieces.clear()

    def follow(self, stream: Any) -> None:
        """Note what a new connection reads, and let no read wait longer than is left in all.

        httpx limits only the silence between two pieces, and tells nobody how many bytes came.
        """
        read = stream.read

        def noted(max_bytes: int, timeout: float | None = None) -> bytes:
            left_s = self._give_up_at - monotonic()
            if left_s <= 0:
                raise httpx.ReadTimeout("the whole answer took too long")
            piece: bytes = read(max_bytes, left_s if timeout is None else min(timeout, left_s))
            self._pieces.append(piece)
            return piece

        stream.read = noted

    @property
    def is_ours(self) -> bool:
        """Whether this process made the connection."""
        return self._process == os.getpid()

    def has_ended_cleanly(self, status: int, headers: Headers) -> bool:
        """Return True if the connection may carry another request after this answer."""
        if not 200 <= status < 300:
            return False
        _, end, body = b"".join(self._pieces).partition(_HEAD_END)
        length = headers.get("Content-Length")
        if length is not None:
            return bool(end) and length == str(len(body))
        # Data that looks like the last chunk costs a connection, and nothing else.
        return body.find(_CHUNKS_END) == len(body) - len(_CHUNKS_END) >= 0


class Trace:
    """Follows one request: an exception alone does not tell whether all of it was sent.

    httpx reports each step to the ``trace`` among a request's extensions, as ``PART.STEP.started``,
    ``.complete`` or ``.failed``. Ctrl-C is delivered by ``interrupts`` while the store is awaited.
    """

    def __init__(self, watch: Watch | None, interrupts: Deferred) -> None:
        self._watch = watch
        self._interrupts = interrupts
        self._has_events = self._was_sent_whole = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self._has_events = True
        part_and_step, _, end = event.rpartition(".")
        step = part_and_step.partition(".")[2]
        if end == "complete":
            if step == "send_request_body":
                self._was_sent_whole = True
            elif step in _CONNECTS and self._watch is not None:
                self._watch.follow(info["return_value"])
        elif step == "send_request_headers" and self._watch is not None:
            self._watch.forget()
        self._interrupts.is_allowed = end == "started" and step in _WAITS
        if self._interrupts.is_allowed:
            self._interrupts.deliver()

    def proves_not_applied(self, problem: Exception) -> bool:
        """Return True where the store cannot have acted on the request.

        Without events (a transport of the caller's own) only the error's class is evidence.
        """
        if isinstance(problem, _NEVER_SENT):
            return True
        return self._has_events and not self._was_sent_whole


class Wire(NamedTuple):
    """A transport, and what watches its connection; None for one that a caller gave."""

    transport: GivenTransport
    watch: Watch | None = None


class Wires:
    """Wires to one store, each lent to one request at a time, the last one back first."""

    def __init__(self, new: Callable[[], Wire]) -> None:
        self._new = new
        self._idle: list[Wire] = []
        self._is_closed = False

    def borrow(self) -> Wire:
        """Return a wire that no other request has."""
        while True:
            try:
                wire = self._idle.pop()
            except IndexError:
                return self._new()
            if wire.watch is None or wire.watch.is_ours:
                return wire
            wire.transport.close()  # the copy of a forked process; its parent's stays open

    def give_back(self, wire: Wire, *, is_fit: bool) -> None:
        """Take a wire back for the next request; close one that cannot be used again."""
        if wire.watch is not None and not is_fit:
            wire.transport.close()
            return
        self._idle.append(wire)
        if self._is_closed:  # by another thread, while this one had the wire
            self.close()

    def close(self) -> None:
        """Close all wires; one that is lent out is closed when it comes back."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        for transport in {id(wire.transport): wire.transport for wire in idle}.values():
            transport.close()


def given_wires(transport: GivenTransport) -> Wires:
    """Return wires over a transport of the caller's own, which all requests share."""
    wire = Wire(transport)
    wires = Wires(lambda: wire)
    wires.give_back(wire, is_fit=True)
    return wires


def new_wires(base_url: str) -> Wires:
    """Return wires of real sockets to a store.

    Raises:
        ConfigurationError: The environment names a proxy that cannot be used.
    """
    parts = urlsplit(base_url)
    host, proxy = parts.hostname or "", None
    if not is_loopback(host):  # a proxy would answer for a store on this machine
        from urllib.request import getproxies, proxy_bypass  # large

        proxies = {} if proxy_bypass(host) else getproxies()
        proxy = proxies.get(parts.scheme) or proxies.get("all")
    # Reading the trusted certificates takes longer than a hundred plain requests.
    is_plain = parts.scheme == "http" and not (proxy or "").startswith("https:")
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if is_plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    elif file or folder:
        context = ssl.create_default_context(cafile=file, capath=folder)
    else:
        context = httpx.create_ssl_context(trust_env=False)
    through = None if proxy is None else _checked_proxy(proxy, context)

    def new() -> Wire:
        return Wire(httpx.HTTPTransport(verify=context, limits=_LIMITS, proxy=through), Watch())

    return Wires(new)


def _checked_proxy(address: str, context: ssl.SSLContext) -> httpx.Proxy:
    reason = "not a proxy's address"
    try:
        is_tls = address.startswith("https:")
        proxy = httpx.Proxy(address, ssl_context=context if is_tls else None)
        httpx.HTTPTransport(verify=context, proxy=proxy).close()
        if proxy.url.host and split_link(address) is not None:
            return proxy
    except (ValueError, httpx.InvalidURL):
        pass
    except ImportError:
        reason = "SOCKS needs `pip install httpx[socks]`"
    raise ConfigurationError(
        f"the environment's proxy, {shown_origin(address)}, cannot be used: {reason}; correct or "
        "unset HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or name the store's host in NO_PROXY"
    )


# From method, path (with that of the base address), query, header lines and body to a status, a
# body and further header lines.
Answering = Callable[
    [str, str, Mapping[str, str], Mapping[str, str], bytes], tuple[int, bytes, Mapping[str, str]]
]


def in_memory(answer: Answering) -> GivenTransport:
    """Return a transport for ``Client(transport=)`` that opens no socket."""

    def handle(request: httpx.Request) -> httpx.Response:
        url = request.url
        status, body, lines = answer(
            request.method, url.path, dict(url.params), request.headers, request.content
        )
        headers = {"Content-Type": "application/json", **lines}
        return httpx.Response(status, headers=headers, content=body)

    return httpx.MockTransport(handle)
