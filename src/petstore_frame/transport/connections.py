"""The connections to one store, what a request's own events prove, and stores in memory."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx

from petstore_frame.errors import ConfigurationError
from petstore_frame.transport.links import shown_origin, split_link
from petstore_frame.transport.settings import is_loopback

# uvicorn and others close idle connections after 5 s; we close ours earlier, so that no request
# meets a closing one. How many there are is up to the caller's threads.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=2.0)
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.ProxyError,
)


class GivenTransport(Protocol):
    """An ``httpx.BaseTransport``, or anything that works like one."""

    def handle_request(self, request: Any) -> Any: ...
    def close(self) -> None: ...


class Trace:
    """Follows one request: an exception alone does not tell whether all of it was sent.

    httpx reports each step to the ``trace`` among a request's extensions, as ``PART.STEP.started``,
    ``.complete`` or ``.failed``; a request through a proxy begins with one to the proxy.
    """

    def __init__(self) -> None:
        self._has_events = self._was_sent_whole = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self._has_events = True
        if event.endswith(".send_request_headers.started"):
            self._was_sent_whole = False
        elif event.endswith(".send_request_body.complete"):
            self._was_sent_whole = True

    def proves_not_applied(self, problem: Exception) -> bool:
        """Return True where the store cannot have acted on the request.

        Without events (a transport of the caller's own) only the error's class is evidence.
        """
        is_cut = self._has_events and not self._was_sent_whole
        return is_cut or isinstance(problem, _NEVER_SENT)


def proxy_for(base_url: str) -> str | None:
    """Return the address of the environment's proxy for a store, or None."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if is_loopback(host):  # a proxy would answer for a store on this machine
        return None
    from urllib.request import getproxies, proxy_bypass  # large

    proxies = {} if proxy_bypass(host) else getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def new_transport(base_url: str, proxy: str | None) -> httpx.HTTPTransport:
    """Return the pool of real sockets to a store, which all threads share.

    Raises:
        ConfigurationError: The environment names a proxy that cannot be used.
    """
    is_plain = base_url.startswith("http:") and not (proxy or "").startswith("https:")
    # Reading the trusted certificates takes longer than a hundred plain requests.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else httpx.create_ssl_context()
    if proxy is None:
        return httpx.HTTPTransport(verify=context, limits=_LIMITS)
    reason = "not a proxy's address"
    try:
        through = httpx.Proxy(proxy, ssl_context=context if proxy.startswith("https:") else None)
        if through.url.host and split_link(proxy) is not None:
            return httpx.HTTPTransport(verify=context, limits=_LIMITS, proxy=through)
    except (ValueError, httpx.InvalidURL):
        pass
    except ImportError:
        reason = "SOCKS needs `pip install httpx[socks]`"
    raise ConfigurationError(
        f"the environment's proxy, {shown_origin(proxy)}, cannot be used: {reason}; correct or "
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
