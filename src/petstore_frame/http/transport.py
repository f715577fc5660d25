"""How one request goes out and its answer comes back.

In: method, address, body. Out: an Answer, or an error of ours; no exception of httpx leaves here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urlencode

import httpx
from pydantic import SecretStr

from petstore_frame.errors import ConfigurationError
from petstore_frame.http.addresses import path_below, unreadable_link, whole_address
from petstore_frame.http.answer import Answer, Flaw
from petstore_frame.http.content import (
    MAX_BODY_BYTES,
    RawLines,
    stops_early,
    unpacked,
    without_key,
)
from petstore_frame.http.failure import Trace, connection_error
from petstore_frame.http.headers import Headers
from petstore_frame.http.settings import DEFAULT_CONNECT_TIMEOUT_S, Settings
from petstore_frame.http.wires import Wire, Wires, new_sockets

_FIXED_LINES = [
    (b"Accept", b"application/json"),
    (b"Accept-Encoding", b"gzip, deflate"),
    (b"User-Agent", b"petstore-frame"),
]
# An old answer out of a cache on the way would mix two states of a store in one listing.
_FRESH = (b"Cache-Control", b"no-cache")


class _Body(httpx.ByteStream):
    """The bytes of a request, and work to do while its answer is awaited."""

    work: Callable[[], None] | None = None

    def __iter__(self) -> Iterator[bytes]:
        yield from filter(None, super().__iter__())  # an empty piece would cost as much as one
        self.start_work()

    def start_work(self) -> None:
        """Do the work; only the first call counts."""
        work, self.work = self.work, None
        if work is not None:
            work()


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
        transport: Wire | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._total_s = 2 * settings.timeout_s
        self._timeout = httpx.Timeout(
            settings.timeout_s, connect=min(settings.timeout_s, DEFAULT_CONNECT_TIMEOUT_S)
        ).as_dict() | {"total": self._total_s}
        # Half the CPU of httpx.Client, whose cookies, redirects and hooks are not wanted here.
        new_wire = new_sockets(settings.base_url) if transport is None else (lambda: transport)
        self._wires = Wires(new_wire)
        try:
            host = httpx.URL(settings.base_url).netloc
        except httpx.InvalidURL as problem:
            raise ConfigurationError(f"base_url is not an address: {problem}") from None
        self._fixed_lines = [(b"Host", host), *_FIXED_LINES]
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
            CrossOriginError: The address belongs to another origin or cannot be read; nothing was
                sent.
            ConfigurationError: The key could not be had; nothing was sent.
        """
        url = whole_address(self._settings.base_url, path) + (
            f"?{urlencode(params)}" if params else ""
        )
        try:
            target = self._url(url)
        except httpx.InvalidURL as problem:  # which only a link of the store's can be
            raise unreadable_link(url, str(problem).rstrip(".")) from None
        operation = f"{method} {path_below(self._settings.base_url, url)}"
        key = self._key()
        trace, stream = Trace(), _Body(body or b"")
        wire = self._wires.borrow()
        start = self._clock()
        try:
            request = self._request(method, target, stream, headers, trace, key)
            stream.work = while_waiting
            response = wire.handle_request(request)
            stream.start_work()
            lines: RawLines = response.headers.raw
            content, flaw = self._read(response, lines, start)
        except httpx.HTTPError as problem:
            raise connection_error(problem, operation, trace, self._settings.base_url) from None
        except BaseException as problem:  # noqa: BLE001 # raised again, without its frames:
            # those below hold the request's header lines, and a verbose traceback shows them.
            raise problem.with_traceback(None) from None
        finally:
            self._wires.give_back(wire)
        took = self._clock() - start
        status = response.status_code
        content, lines = without_key(content, lines, key, is_refusal=status >= 400)
        return Answer(operation, status, Headers(lines), content, flaw, took, url)

    def _key(self) -> SecretStr:
        """Ask for the key, once per request."""
        try:
            return self._settings.key()
        except ConfigurationError as problem:  # the frames below hold the key
            raise problem.with_traceback(None) from None
        except Exception as problem:
            raise ConfigurationError(
                f"the function given as api_key raised {type(problem).__name__}: {problem}; "
                "correct it and try again (nothing was sent)"
            ) from problem

    def _request(
        self,
        method: str,
        url: httpx.URL,
        stream: _Body,
        headers: Mapping[str, str] | None,
        trace: Trace,
        key: SecretStr,
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
        secret = b"Bearer " + key.get_secret_value().encode()
        request = httpx.Request(
            method,
            url,
            headers=[*lines, (b"Authorization", secret)],
            stream=stream,
            extensions=extensions,
        )
        request.read()  # a transport of the caller's own may ask for .content
        return request

    def _read(
        self, response: httpx.Response, lines: RawLines, start: float
    ) -> tuple[bytes, Flaw | None]:
        """Read the body within limits of time and size; what is wrong with it is not raised."""
        chunks, size = list[bytes](), 0
        packed = cast("httpx.SyncByteStream", response.stream)
        try:
            for chunk in unpacked(packed, lines):
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    return b"", Flaw.LARGE
                if self._clock() - start > self._total_s:
                    return b"", Flaw.LATE
        except httpx.TimeoutException:
            return b"", Flaw.LATE
        except httpx.DecodingError:
            return b"", Flaw.PACKED
        except (httpx.HTTPError, httpx.StreamError):
            return b"", Flaw.CUT
        finally:
            packed.close()
        content = b"".join(chunks)
        if response.status_code == 200 and stops_early(content, lines):
            return b"", Flaw.CUT
        return content, None

    def close(self) -> None:
        """Close the connections."""
        self._wires.close()
