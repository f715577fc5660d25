"""Transports to one store, each lent to one request at a time."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import httpx

from petstore_frame.errors import ConfigurationError
from petstore_frame.http.links import shown_origin, split_link
from petstore_frame.http.settings import is_loopback
from petstore_frame.http.trace import Watch

# One connection each, or each request would look at every idle one twice. uvicorn and others close
# idle connections after 5 s; we close ours earlier, so that no request meets a closing one.
_LIMITS = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=2.0)


class GivenTransport(Protocol):
    """An ``httpx.BaseTransport``, or anything that works like one."""

    def handle_request(self, request: Any) -> Any: ...
    def close(self) -> None: ...


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
    host = parts.hostname or ""
    # A proxy of the environment would answer for a store on this machine.
    proxy = None if is_loopback(host) else _proxy_for(parts.scheme, host)
    # Reading the trusted certificates takes longer than a hundred plain requests.
    is_plain = parts.scheme == "http" and not (proxy or "").startswith("https:")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else _trusted()
    through = None if proxy is None else _checked_proxy(proxy, context)

    def new() -> Wire:
        return Wire(httpx.HTTPTransport(verify=context, limits=_LIMITS, proxy=through), Watch())

    return Wires(new)


def _proxy_for(scheme: str, host: str) -> str | None:
    from urllib.request import getproxies, proxy_bypass  # large, and a store near by needs neither

    proxies = {} if proxy_bypass(host) else getproxies()
    return proxies.get(scheme) or proxies.get("all")


def _trusted() -> ssl.SSLContext:
    """Return the trusted authorities: SSL_CERT_FILE and SSL_CERT_DIR, else the usual ones."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file or folder:
        return ssl.create_default_context(cafile=file, capath=folder)
    return httpx.create_ssl_context(trust_env=False)


def _checked_proxy(address: str, context: ssl.SSLContext) -> httpx.Proxy:
    """Read a proxy's address; no byte is sent.

    Raises:
        ConfigurationError: It is not a proxy's address, or its kind needs a library.
    """
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


# -- a transport that a function answers, in memory


class Asked(NamedTuple):
    """A request as it arrives: its path with that of the base address, and its header lines."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Answered(NamedTuple):
    """What is sent back for it."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


def in_memory(answer: Callable[[Asked], Answered]) -> GivenTransport:
    """Return a transport for ``Client(transport=)`` that opens no socket."""

    def handle(request: httpx.Request) -> httpx.Response:
        url, headers = request.url, request.headers
        got = answer(Asked(request.method, url.path, dict(url.params), headers, request.content))
        lines = {"Content-Type": "application/json", **got.headers}
        return httpx.Response(got.status, headers=lines, content=got.body)

    return httpx.MockTransport(handle)
