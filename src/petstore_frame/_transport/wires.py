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

from petstore_frame.settings import is_loopback

# uvicorn and others close idle connections after 5 s; leaving first avoids the race for them.
KEEPALIVE_S = 2.0


class Wire(Protocol):
    """What carries one request at a time: an ``httpx.BaseTransport``, or anything like it."""

    def handle_request(self, request: httpx.Request) -> httpx.Response: ...
    def close(self) -> None: ...


class Wires:
    """Wires to one store, each lent to one request at a time, the last one back first.

    One pool of httpcore for all of them would look at every idle one twice a request.
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


def new_sockets(base_url: str) -> Callable[[], httpx.HTTPTransport]:
    """Return what makes a wire of real sockets to a store."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    # A proxy of the environment would answer for a store on this machine.
    is_direct = is_loopback(host) or proxy_bypass(host)
    proxies = {} if is_direct else getproxies()
    # Reading the trusted certificates takes longer than a hundred plain requests.
    is_secret = parts.scheme == "https" or "https" in "".join(proxies.values())
    return partial(
        httpx.HTTPTransport,
        verify=httpx.create_ssl_context(verify=is_secret),
        limits=httpx.Limits(
            max_connections=32, max_keepalive_connections=32, keepalive_expiry=KEEPALIVE_S
        ),
        proxy=proxies.get(parts.scheme) or proxies.get("all"),
    )
