"""Sends one request and reads its response; types of httpx and the key stay in this module."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from math import inf
from numbers import Real
from threading import Thread
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import urlencode, urlsplit

import httpx
from pydantic import SecretStr

from petstore_frame.errors import (
    APIConnectionError,
    ConfigurationError,
    CrossOriginError,
    PetstoreError,
)
from petstore_frame.transport.connection_settings import (
    certificate_problem,
    checked_address,
    checked_key,
    is_loopback,
)
from petstore_frame.transport.post_outcome import (
    TRANSPORT_ERRORS,
    PostOutcome,
    Trace,
    connection_error,
    judge_failure,
    judge_response,
    unusable_error,
)
from petstore_frame.transport.response import (
    BodyProblem,
    KeyRedactor,
    Response,
    SecondsLeft,
    read_body,
)
from petstore_frame.transport.retry import Retries, is_transient

Content = TypeVar("Content")

log = logging.getLogger("petstore_frame.transport")
_CONNECT_TIMEOUT_S = 5.0
# uvicorn and others close idle connections after 5 s; we close ours earlier, so that no request
# meets a closing one. How many there are is up to the caller's threads.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=2.0)
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",
    # A cached response would mix two states of the store in one listing.
    "Cache-Control": "no-cache",
    "User-Agent": "petstore-frame",
}
# A store that splits a listing into pages may call each of them partial (206).
_USABLE = frozenset({200, 206})
# A shorter key may occur in the store's data, so it is redacted in error responses only.
_SHORTEST_UNUSUAL_KEY = 16


class Clocks(NamedTuple):
    """How a client waits and reads the time, so that tests can replace both."""

    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


REAL_TIME = Clocks()


class TransportLike(Protocol):
    """An ``httpx.BaseTransport``, or anything that works like one."""

    def handle_request(self, request: Any) -> Any: ...
    def close(self) -> None: ...


class Target(NamedTuple):
    """The target of a request: the full address as text and for httpx, and method with path."""

    address: str
    url: httpx.URL
    operation: str


class Transport:
    """Connections to one store, or a custom ``transport``. Safe to share between threads.

    It keeps no cookies and follows no redirects, so requests are independent of each other.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | SecretStr | None,
        *,
        timeout: float,
        retry_timeout: float,
        transport: TransportLike | None = None,
        clocks: Clocks = REAL_TIME,
    ) -> None:
        self.base_url, self._key = checked_address(base_url), checked_key(api_key)
        self._redactor = KeyRedactor(self._key)
        seconds = _checked_seconds("timeout", timeout)
        if seconds == 0:
            raise ConfigurationError("timeout must be a number of seconds above 0, got 0")
        self._retry_timeout_s = _checked_seconds("retry_timeout", retry_timeout)
        # Whether the store has sent a usable response, which shows that the address is right.
        self._has_responded = False
        self._custom_transport, self._clocks, self._total_s = transport, clocks, 2 * seconds
        limits = dict.fromkeys(("read", "write", "pool"), seconds)
        self._timeout = {"connect": min(seconds, _CONNECT_TIMEOUT_S), **limits}
        base = httpx.URL(self.base_url)
        self._origin = (base.scheme, base.netloc)
        self._listing_path = base.raw_path.decode("ascii").rstrip("/") + "/pets"
        # The headers of every request, in the form of httpx, which converts them only once.
        self._headers = httpx.Headers(
            {
                "Host": base.netloc.decode(),
                **_HEADERS,
                "Authorization": f"Bearer {self._key.get_secret_value()}",
            }
        )
        self._proxy = None if transport is not None else proxy_for(self.base_url)
        self._open()

    def _open(self) -> None:
        """Start with new connections."""
        self._process = os.getpid()
        self._transport: TransportLike = self._custom_transport or new_transport(
            self.base_url, self._proxy
        )

    def get(
        self,
        address: str,
        params: Mapping[str, str] | None,
        parse: Callable[[Response], Content],
        *,
        is_guess: bool = False,
        max_wait_s: float | None = None,
        on_wait: Callable[[float, bool], None] | None = None,
    ) -> Content:
        """Send a GET with retries, and return the result of ``parse`` for the response.

        Args:
            address: A path below the base address, or an address of its origin.
            params: The query, or None to use the query of the address.
            parse: Parses a response with status 200 or 206; may raise a ContractError.
            is_guess: Whether the store may not understand this request at all.
            max_wait_s: Longest wait before a single retry, for a request that the caller can do
                without; None for the usual retries.
            on_wait: Called before each retry with the seconds to wait, and whether the store asked
                for them.
        """
        retries = Retries(
            self._retry_timeout_s,
            self._clocks.clock(),
            has_responded=self._has_responded,
            is_guess=is_guess,
            max_wait_s=max_wait_s,
        )
        while True:
            was_parsed = False
            try:
                response = self.send("GET", address, params=params)
                if response.status_code not in _USABLE or response.body_problem is not None:
                    raise unusable_error(response)
                was_parsed = True
                content = parse(response)
            except PetstoreError as problem:
                if not is_transient(problem, was_parsed=was_parsed):
                    raise
                wait = retries.next_wait(problem, self._clocks.clock())
                if wait is None:
                    raise
            else:
                self._has_responded = True
                return content
            if on_wait is not None:
                on_wait(wait.seconds, wait.is_requested)
            self._clocks.sleep(wait.seconds)

    def post(self, body: bytes, headers: Mapping[str, str], *, has_key: bool) -> PostOutcome:
        """Send one POST, and return its outcome; never raises for a failed request."""
        try:
            response = self.send("POST", "/pets", body=body, headers=headers)
        except APIConnectionError as problem:
            return judge_failure(problem)
        if 200 <= response.status_code < 300:
            self._has_responded = True
        return judge_response(response, has_key=has_key)

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send one request, once, to a path below the base address or an address of its origin."""
        target = self._target(method, path, params)
        # A GET changes nothing in the store, so it does not matter how much of it was sent.
        trace = Trace() if method == "POST" else None
        started_at = self._clocks.clock()
        try:
            response, content, body_problem = self._exchange(
                method, target.url, body, headers or {}, trace, started_at
            )
        except TRANSPORT_ERRORS as problem:
            proxy = None if self._proxy is None else _without_user(self._proxy)
            error = connection_error(problem, target.operation, trace, self.base_url, proxy)
            log.debug("%s", error)
            raise error from None
        except BaseException as problem:  # noqa: BLE001 # raised again, without its frames
            if isinstance(problem, KeyboardInterrupt):
                self._replace_connections()
            # The frames contain the headers, which a verbose traceback would show.
            raise problem.with_traceback(None) from None
        elapsed_s = self._clocks.clock() - started_at
        log.debug("%s %s %.0f ms", target.operation, response.status_code, elapsed_s * 1000)
        response_headers = response.headers
        # Some programs echo the request, so the key is removed here, and nowhere else.
        if response.status_code >= 400 or len(self._key) >= _SHORTEST_UNUSUAL_KEY:
            content = self._redactor.redact(content)
            response_headers = self._redactor.redact_headers(response_headers)
        return Response(
            target.operation,
            response.status_code,
            response_headers,
            content,
            body_problem,
            elapsed_s,
            target.address,
        )

    def listing_address(self, link: str) -> str:
        """Return the address of the listing with the query of a link.

        A proxy may have removed a prefix of the path, so any path that ends in ``/pets`` is the
        listing. Every request carries the key, so a link to another path is not followed.

        Raises:
            CrossOriginError: The link leads to another origin or path.
        """
        url = self._target("GET", link, None).url
        path, _, query = url.raw_path.decode("ascii").partition("?")
        if path == self._listing_path:
            return link
        if path.rstrip("/").endswith("/pets"):
            return f"/pets?{query}"
        raise CrossOriginError(
            f"the store pointed to {path[:100]}, which is not its listing; it was not followed, "
            "because any path may change the store"
        )

    def _target(self, method: str, path: str, params: Mapping[str, str] | None) -> Target:
        """Return the target of a request; raise if it is not on the origin of the store."""
        address = self.base_url + path if path.startswith("/") else path
        if params:
            address = f"{address}?{urlencode(params)}"
        try:
            url = httpx.URL(address)
        except httpx.InvalidURL:
            raise CrossOriginError("the store's link cannot be read and was not followed") from None
        if (url.scheme, url.netloc) != self._origin:
            raise CrossOriginError(
                f"the store pointed to {_without_user(address)}, which is not {self.base_url}; "
                "it was not followed, so that the key stays with the store"
            )
        path_only = address.partition("?")[0].removeprefix(self.base_url)
        operation = f"{method} {path_only if path_only.startswith('/') else url.path}"
        return Target(address, url, operation)

    def _exchange(
        self,
        method: str,
        url: httpx.URL,
        body: bytes,
        headers: Mapping[str, str],
        trace: Trace | None,
        started_at: float,
    ) -> tuple[httpx.Response, bytes, BodyProblem | None]:
        """Send a request, and read its response within the total timeout."""
        if (
            self._process != os.getpid()
        ):  # a forked process must not share the connections of its parent
            self._open()
        clock = self._clocks.clock
        deadline = started_at + self._total_s
        timeout: dict[str, Any] = dict(self._timeout)
        if isinstance(self._transport, httpx.HTTPTransport):
            timeout["read"] = SecondsLeft(timeout["read"], deadline, clock)
        extensions: dict[str, Any] = {"timeout": timeout}
        if trace is not None:
            extensions["trace"] = trace
        # With a stream, httpx does not guess or add headers, which would be slow.
        request = httpx.Request(
            method,
            url,
            headers=self._headers,
            stream=httpx.ByteStream(body),
            extensions=extensions,
        )
        if method == "POST":
            request.headers.update(
                {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
            )
        request.read()  # a custom transport may need the content
        response = self._transport.handle_request(request)
        content, problem = read_body(response, deadline, clock)
        return response, content, problem

    def _replace_connections(self) -> None:
        """Replace the connections after Ctrl-C.

        Ctrl-C may leave a lock of the pool locked forever.
        """
        if self._custom_transport is None:
            Thread(target=self._transport.close, daemon=True).start()
            self._open()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


def _checked_seconds(name: str, value: Any) -> float:
    """Return a finite number of seconds, 0 or more."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) < inf:
        # Raised here, so that the traceback has no frame with the key.
        raise ConfigurationError(f"{name} must be a number of seconds, got {value!r}")
    return float(value)


def proxy_for(base_url: str) -> str | None:
    """Return the address of the environment's proxy for a store, or None."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if is_loopback(host):  # a proxy cannot reach a store on this machine
        return None
    from urllib.request import getproxies, proxy_bypass  # large

    proxies = {} if proxy_bypass(host) else getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def new_transport(base_url: str, proxy: str | None) -> httpx.HTTPTransport:
    """Return a connection pool to a store, which all threads share."""
    # Reading the certificates takes longer than a hundred plain requests.
    is_secure = not base_url.startswith("http:")
    try:
        return httpx.HTTPTransport(verify=is_secure, limits=_LIMITS, proxy=proxy)
    except OSError as problem:  # also an ssl.SSLError, for a file without certificates
        raise ConfigurationError(certificate_problem(problem)) from problem
    except (ValueError, ImportError, httpx.InvalidURL) as problem:
        raise ConfigurationError(
            f"the environment's proxy cannot be used: {problem}; correct or unset HTTP_PROXY, "
            "HTTPS_PROXY or ALL_PROXY, or name the store's host in NO_PROXY"
        ) from None


def _without_user(address: str) -> str:
    """Return the scheme, host and port of an address: no user, path or query."""
    url = httpx.URL(address)
    return f"{url.scheme}://{url.netloc.decode()}"


def in_memory(answer: Callable[..., tuple[int, bytes, Mapping[str, str]]]) -> TransportLike:
    """Return a transport for ``Client(transport=)`` that opens no socket.

    ``answer`` gets the method, the full path, the query, the headers and the body of a request, and
    returns a status, a body and further headers.
    """

    def handle(request: httpx.Request) -> httpx.Response:
        url = request.url
        status, body, lines = answer(
            request.method, url.path, dict(url.params), request.headers, request.content
        )
        headers = {"Content-Type": "application/json", **lines}
        return httpx.Response(status, headers=headers, content=body)

    return httpx.MockTransport(handle)
