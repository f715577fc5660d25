"""How one request goes out and comes back, and what is proven when it does not.

In: method, address, body. Out: an Answer, or an APIConnectionError that says whether the store
can have acted. This is the one door to httpx; none of its types leaves this file.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from petstore_frame.errors import APIConnectionError, APITimeoutError, CrossOriginError
from petstore_frame.headers import Headers
from petstore_frame.settings import DEFAULT_CONNECT_TIMEOUT_S, Settings, is_loopback

# uvicorn and others close idle connections after 5 s; leaving first avoids the race for them.
KEEPALIVE_S = 2.0
MAX_BODY_BYTES = 64 * 2**20
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.ProxyError,
)
_FIXED_LINES = [
    (b"Accept", b"application/json"),
    (b"Accept-Encoding", b"gzip, deflate"),
    (b"User-Agent", b"petstore-frame"),
]
# An old answer out of a cache on the way would mix two states of a store in one listing.
_FRESH = (b"Cache-Control", b"no-cache")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request.

    Attributes:
        operation: Method and path.
        status_code: HTTP status.
        headers: Header lines.
        body: The bytes received; empty when the body was cut.
        is_whole: False when the status line arrived and the body did not, or not whole.
        elapsed_s: Seconds from the first byte out to the last byte in.
        url: The whole address asked.
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    is_whole: bool
    elapsed_s: float
    url: str = ""


class _Body(httpx.ByteStream):
    """The bytes of a request, and work to do once they have left and the answer has not come."""

    then: Callable[[], None] | None = None

    def __iter__(self) -> Iterator[bytes]:
        yield from super().__iter__()
        self.has_left()

    def has_left(self) -> None:
        """Let the caller work; only the first call counts."""
        work, self.then = self.then, None
        if work is not None:
            work()


class _Trace:
    """Notes how far a request got, from the transport's own events."""

    def __init__(self) -> None:
        self.was_called = False
        self.has_started_headers = False
        self.has_failed_body = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self.was_called = True
        # The events bear the protocol's name in front: http11. or http2.
        if event.endswith(".send_request_headers.started"):
            self.has_started_headers = True
        elif event.endswith(".send_request_body.failed"):
            self.has_failed_body = True

    def proves_not_applied(self, problem: Exception) -> bool:
        """Tell whether the store cannot have acted on the request.

        Without events (a transport of the caller's own) only the class of the error speaks.
        """
        if isinstance(problem, _NEVER_SENT) or self.has_failed_body:
            return True
        return self.was_called and not self.has_started_headers


class _Wires:
    """Wires to one store, each lent to one request at a time, the last one back first.

    One pool of httpcore for all of them would look at every idle one twice a request.
    """

    def __init__(self, new: Callable[[], httpx.BaseTransport]) -> None:
        self._new = new
        self._all: list[httpx.BaseTransport] = []
        self._idle: list[httpx.BaseTransport] = []

    def borrow(self) -> httpx.BaseTransport:
        try:
            return self._idle.pop()
        except IndexError:
            wire = self._new()
            self._all.append(wire)
            return wire

    def give_back(self, wire: httpx.BaseTransport) -> None:
        self._idle.append(wire)

    def close(self) -> None:
        for wire in dict.fromkeys(self._all):
            wire.close()


class Transport:
    """Connections to one store. Safe to share between threads.

    It keeps no cookies and follows no redirects: each request stands for itself.

    Args:
        settings: Address, key and patience.
        transport: An ``httpx.BaseTransport`` in place of real sockets, for tests and proxies.
        clock: Gives seconds that only rise.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        transport: Any = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._timeout = httpx.Timeout(
            settings.timeout_s, connect=min(settings.timeout_s, DEFAULT_CONNECT_TIMEOUT_S)
        ).as_dict()
        # Half the CPU of httpx.Client, whose cookies, redirects and hooks are not wanted here.
        self._wires = _Wires((lambda: transport) if transport else _sockets(settings.base_url))
        self._fixed_lines = [(b"Host", httpx.URL(settings.base_url).netloc), *_FIXED_LINES]
        self._url = lru_cache(maxsize=8)(httpx.URL)  # an import asks one address all the time

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> Answer:
        """Send one request, once.

        Args:
            method: HTTP method.
            path: Path below the base address, or a whole address of the same origin.
            params: Query parameters; None keeps a query that the address has.
            body: JSON bytes.
            headers: More header lines.
            while_waiting: Work to do once the request has left; it must not raise.

        Raises:
            APITimeoutError: No answer in time.
            APIConnectionError: No answer; ``may_have_been_applied`` is False only on proof.
            CrossOriginError: The address belongs to another origin; nothing was sent.
        """
        url = self._address(path) + (f"?{urlencode(params)}" if params else "")
        operation = f"{method} {self._path(url)}"
        trace, stream = _Trace(), _Body(body or b"")
        wire = self._wires.borrow()
        start = self._clock()
        try:
            request = self._request(method, url, stream, headers, trace)
            stream.then = while_waiting
            response = wire.handle_request(request)
            stream.has_left()
            lines = Headers(response.headers.raw)
            content, is_whole = self._read(response, lines, start)
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            raise _connection_error(problem, operation, trace, self._settings) from None
        except BaseException as problem:  # noqa: BLE001 # raised again, without its frames:
            # those below hold the request's header lines, and a verbose traceback shows them.
            raise problem.with_traceback(None) from None
        finally:
            self._wires.give_back(wire)
        if response.status_code >= 400:
            content = self._without_key(content)
        took = self._clock() - start
        return Answer(operation, response.status_code, lines, content, is_whole, took, url)

    def _request(
        self,
        method: str,
        url: str,
        stream: _Body,
        headers: Mapping[str, str] | None,
        trace: _Trace,
    ) -> httpx.Request:
        """Make the request; the key goes on it here, and nothing else ever holds it in the open.

        Given its lines and its bytes as they are, httpx adds and copies none: a tenth of the CPU.
        """
        lines, extensions = [*self._fixed_lines], dict[str, Any](timeout=self._timeout)
        if method == "GET":  # which can be repeated, however far it got
            lines.append(_FRESH)
        else:
            length = b"%d" % len(b"".join(stream))
            lines += [(b"Content-Type", b"application/json"), (b"Content-Length", length)]
            extensions["trace"] = trace
        lines += ((name.encode(), value.encode()) for name, value in (headers or {}).items())
        key = self._settings.key().get_secret_value().encode()
        request = httpx.Request(
            method,
            self._url(url),
            headers=[*lines, (b"Authorization", b"Bearer " + key)],
            stream=stream,
            extensions=extensions,
        )
        request.read()  # a transport of the caller's own may ask for .content
        return request

    def _read(self, response: httpx.Response, lines: Headers, start: float) -> tuple[bytes, bool]:
        """Read the body under a total deadline; a cut body is reported, not raised."""
        chunks, size = list[bytes](), 0
        try:
            for chunk in _bytes_of(response, lines):
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES or self._clock() - start > 2 * self._settings.timeout_s:
                    return b"", False
        except (httpx.HTTPError, httpx.StreamError):
            return b"", False
        finally:
            response.close()
        return b"".join(chunks), True

    def _without_key(self, content: bytes) -> bytes:
        """Take the key out of an error that a store made of our own request."""
        return content.replace(self._settings.key().get_secret_value().encode(), b"***")

    def _address(self, path: str) -> str:
        if path.startswith("/"):
            return self._settings.base_url + path
        if path.startswith(self._settings.base_url + "/"):
            return path.partition("#")[0]
        if _origin(path) != _origin(self._settings.base_url):
            raise CrossOriginError(
                f"the store pointed to {_shown(path)}, which is not {self._settings.base_url}; "
                "not followed, so that the key stays with the store"
            )
        parts = urlsplit(path)
        # A user or password in an address of the store's making is not ours to send.
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))

    def _path(self, url: str) -> str:
        """Return the path below the base address, for a message."""
        whole = url.partition("?")[0]
        below = whole.removeprefix(self._settings.base_url)
        return below if below != whole else urlsplit(whole).path

    def close(self) -> None:
        """Close the connections."""
        self._wires.close()


def _bytes_of(response: httpx.Response, lines: Headers) -> Iterable[bytes]:
    """Return a body's bytes, decoded where they are compressed, as they come where they are not."""
    is_plain = lines.get("Content-Encoding") is None
    if is_plain and isinstance(response.stream, httpx.SyncByteStream):
        return response.stream
    return response.iter_bytes()


def _sockets(base_url: str) -> Callable[[], httpx.HTTPTransport]:
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


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme.lower())
    except ValueError:
        return ("", url, None)
    return (parts.scheme.lower(), (parts.hostname or "").lower(), port)


def _shown(url: str) -> str:
    """Return the origin of an address for a message, without user, path and query."""
    scheme, host, port = _origin(url)
    return f"{scheme}://{host}:{port}" if scheme else "an address that cannot be read"


def _connection_error(
    problem: Exception, operation: str, trace: _Trace, settings: Settings
) -> APIConnectionError:
    is_unsent = trace.proves_not_applied(problem)
    reason = _reason(problem)
    doubt = "" if is_unsent or operation.startswith("GET") else "; it may have been applied"
    kind = APITimeoutError if isinstance(problem, httpx.TimeoutException) else APIConnectionError
    return kind(
        f"{operation}: no answer from {settings.base_url} ({_WORDS.get(reason, reason)}){doubt}; "
        "check the address and that the store is up",
        operation=operation,
        reason=reason,
        may_have_been_applied=not is_unsent,
        retryable=reason not in ("dns", "tls", "invalid_request"),
    )


_WORDS = {
    "connect_timeout": "no connection within the time allowed",
    "pool_timeout": "no free connection within the time allowed",
    "write_timeout": "the request could not be written within the time allowed",
    "read_timeout": "connected, but silent for longer than the time allowed",
    "dns": "the host name is not known",
    "tls": "no trusted TLS connection",
    "refused": "connection refused",
    "reset": "connection reset",
    "closed": "connection closed without an answer",
}


def _reason(problem: Exception) -> str:
    """Return one word for the cause, for a results column and for tests."""
    for kind, word in (
        (httpx.ConnectTimeout, "connect_timeout"),
        (httpx.PoolTimeout, "pool_timeout"),
        (httpx.WriteTimeout, "write_timeout"),
        (httpx.ReadTimeout, "read_timeout"),
        (httpx.ReadError, "reset"),
        (httpx.WriteError, "reset"),
        (httpx.RemoteProtocolError, "closed"),
        (httpx.ProxyError, "proxy"),
        (httpx.LocalProtocolError, "invalid_request"),
        (httpx.UnsupportedProtocol, "invalid_request"),
        (httpx.InvalidURL, "invalid_request"),
    ):
        if isinstance(problem, kind):
            return word
    causes = list(_chain(problem))
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return "tls"
    if any("Name or service not known" in str(c) or "getaddrinfo" in str(c) for c in causes):
        return "dns"
    return "refused" if isinstance(problem, httpx.ConnectError) else "connection"


def _chain(problem: BaseException | None) -> Generator[BaseException, None, None]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
