"""Connections to one store, each lent to one request at a time.

In: an address. Out: wires to it, through the proxies and certificates of the environment. It
knows no request and no key.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from petstore_frame.errors import ConfigurationError
from petstore_frame.http.addresses import shown_origin
from petstore_frame.http.settings import is_loopback


class Wire(Protocol):
    """What carries one request at a time: an ``httpx.BaseTransport``, or anything like it."""

    def handle_request(self, request: httpx.Request) -> httpx.Response: ...
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


def new_sockets(base_url: str) -> Callable[[], Wire]:
    """Return what makes a wire of real sockets to a store.

    Raises:
        ConfigurationError: The environment names a proxy that cannot be used.
    """
    # Loads httpx's engine, which a transport of the caller's own does without.
    from petstore_frame.http.socket_wire import SocketWire

    parts = urlsplit(base_url)
    host = parts.hostname or ""
    # A proxy of the environment would answer for a store on this machine.
    is_direct = is_loopback(host) or proxy_bypass(host)
    proxies = {} if is_direct else getproxies()
    # Reading the trusted certificates takes longer than a hundred plain requests.
    is_secret = parts.scheme == "https" or "https" in "".join(proxies.values())
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    new = partial(SocketWire, httpx.create_ssl_context(verify=is_secret), proxy)
    if proxy is not None:
        _check_proxy(proxy, new)
    return new


def _check_proxy(proxy: str, new: Callable[[], Wire]) -> None:
    """Make a wire to see whether it can be made; no byte is sent."""
    try:
        _ = urlsplit(proxy).port
        new().close()
    except (ImportError, ValueError, httpx.InvalidURL) as problem:
        is_socks = isinstance(problem, ImportError)
        reason = "SOCKS needs `pip install httpx[socks]`" if is_socks else "not a proxy's address"
        raise ConfigurationError(
            f"the environment's proxy, {shown_origin(proxy)}, cannot be used: {reason}; correct or "
            "unset HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or name the store's host in NO_PROXY"
        ) from None
