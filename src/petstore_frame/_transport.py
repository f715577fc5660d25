"""How one request goes out and comes back, and what is proven when it does not.

In: method, address, body. Out: an Answer, or an APIConnectionError that says whether the store
can have acted. This is the one door to httpx; none of its types leaves this file.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from petstore_frame.errors import APIConnectionError, APITimeoutError, CrossOriginError
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


class Headers:
    """The header lines of an answer, in order; names match in any case."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        self._lines = tuple((name.lower(), value) for name, value in lines)

    def get(self, name: str) -> str | None:
        """Return the value of the first line with this name, or None."""
        return next(iter(self.get_all(name)), None)

    def get_all(self, name: str) -> list[str]:
        """Return the values of all lines with this name, in order."""
        wanted = name.lower()
        return [value for key, value in self._lines if key == wanted]


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
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    is_whole: bool
    elapsed_s: float


class _BearerAuth(httpx.Auth):
    """Puts the key on a request at the last moment; nothing else ever holds it in the open."""

    def __init__(self, key: Callable[[], SecretStr]) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._key().get_secret_value()}"
        yield request


class _Trace:
    """Notes how far a request got, from httpcore's own events."""

    def __init__(self) -> None:
        self.was_called = False
        self.has_started_headers = False
        self.has_failed_body = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self.was_called = True
        if event.endswith("send_request_headers.started"):
            self.has_started_headers = True
        elif event.endswith("send_request_body.failed"):
            self.has_failed_body = True

    def proves_not_applied(self, problem: Exception) -> bool:
        """Tell whether the store cannot have acted on the request.

        Without events (a transport of the caller's own) only the class of the error speaks.
        """
        if isinstance(problem, _NEVER_SENT) or self.has_failed_body:
            return True
        return self.was_called and not self.has_started_headers


class Transport:
    """A pool of connections to one store. Safe to share between threads.

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
        self._http = httpx.Client(
            auth=_BearerAuth(settings.key),
            timeout=httpx.Timeout(
                settings.timeout_s, connect=min(settings.timeout_s, DEFAULT_CONNECT_TIMEOUT_S)
            ),
            limits=httpx.Limits(
                max_connections=32, max_keepalive_connections=32, keepalive_expiry=KEEPALIVE_S
            ),
            follow_redirects=False,
            # A proxy of the environment would answer for a store on this machine.
            trust_env=not is_loopback(urlsplit(settings.base_url).hostname or ""),
            transport=transport,
            headers={"Accept": "application/json", "User-Agent": "petstore-frame"},
        )

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request, once.

        Args:
            method: HTTP method.
            path: Path below the base address, or a whole address of the same origin.
            params: Query parameters; None keeps a query that the address has.
            body: JSON bytes.
            headers: More header lines.

        Raises:
            APITimeoutError: No answer in time.
            APIConnectionError: No answer; ``may_have_been_applied`` is False only on proof.
            CrossOriginError: The address belongs to another origin; nothing was sent.
        """
        url = self._address(path)
        operation = f"{method} {urlsplit(url).path.removeprefix(self._base_path())}"
        trace = _Trace()
        request = self._http.build_request(
            method,
            url,
            params=params,
            content=body,
            headers={**({"Content-Type": "application/json"} if body else {}), **(headers or {})},
            extensions={"trace": trace},
        )
        start = self._clock()
        try:
            response = self._http.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            raise _connection_error(problem, operation, trace, self._settings) from None
        except KeyboardInterrupt:
            # The frames below hold the request's header lines; a verbose traceback shows them.
            raise KeyboardInterrupt from None
        content, is_whole = self._read(response, start)
        return Answer(
            operation,
            response.status_code,
            Headers(response.headers.multi_items()),
            content,
            is_whole,
            self._clock() - start,
        )

    def _read(self, response: httpx.Response, start: float) -> tuple[bytes, bool]:
        """Read the body under a total deadline; a cut body is reported, not raised."""
        chunks: list[bytes] = []
        size = 0
        try:
            for chunk in response.iter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES or self._clock() - start > 2 * self._settings.timeout_s:
                    return b"", False
        except (httpx.HTTPError, httpx.StreamError):
            return b"", False
        except KeyboardInterrupt:
            raise KeyboardInterrupt from None
        finally:
            response.close()
        return b"".join(chunks), True

    def _base_path(self) -> str:
        return urlsplit(self._settings.base_url).path

    def _address(self, path: str) -> str:
        if path.startswith("/"):
            return self._settings.base_url + path
        if _origin(path) != _origin(self._settings.base_url):
            raise CrossOriginError(
                f"the store pointed to {_shown(path)}, which is not {self._settings.base_url}; "
                "not followed, so that the key stays with the store"
            )
        return path

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


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
