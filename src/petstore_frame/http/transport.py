"""How one request goes out and its answer comes back; no type of the engine leaves here."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpcore
from pydantic import SecretStr

from petstore_frame.errors import ConfigurationError
from petstore_frame.http.answer import (
    MAX_BODY_BYTES,
    Answer,
    Flaw,
    FlawError,
    Headers,
    RawLines,
    stops_early,
    unpacked,
)
from petstore_frame.http.connections import GivenTransport, Wire, Wires, new_sockets
from petstore_frame.http.links import path_below, unreadable_link, whole_address
from petstore_frame.http.outcome import ENGINE_ERRORS, Trace, connection_error
from petstore_frame.http.secrecy import KEY_FILTER, without_key
from petstore_frame.http.settings import DEFAULT_CONNECT_TIMEOUT_S, Settings

_FIXED_LINES = [
    (b"Accept", b"application/json"),
    (b"Accept-Encoding", b"gzip, deflate"),
    (b"User-Agent", b"petstore-frame"),
]
# An old answer out of a cache on the way would mix two states of a store in one listing.
_FRESH = (b"Cache-Control", b"no-cache")
_AFTER_ORIGIN = re.compile("[/?#]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# What an address may hold unencoded; a percent sign is part of what was encoded before.
_AS_THEY_ARE = "".join(map(chr, range(0x21, 0x7F))).translate({ord(c): None for c in '"<>`{}'})


class Transport:
    """Connections to one store. Safe to share between threads.

    It keeps no cookies and follows no redirects: each request stands for itself. A ``transport``
    stands in place of real sockets.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        transport: GivenTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._total_s = 2 * settings.timeout_s
        connect_s = min(settings.timeout_s, DEFAULT_CONNECT_TIMEOUT_S)
        others = dict.fromkeys(("read", "write", "pool"), settings.timeout_s)
        self._timeout = {"connect": connect_s, "total": self._total_s, **others}
        self._wires = Wires(
            new_sockets(settings.base_url) if transport is None else _given(transport)
        )
        try:
            host = target_of(settings.base_url)
        except ValueError as problem:
            raise ConfigurationError(f"base_url is not an address: {problem}") from None
        self._fixed_lines = [(b"Host", _host_line(host)), *_FIXED_LINES]

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
            CrossOriginError: The address belongs to another origin or cannot be read; nothing was
                sent.
            ConfigurationError: The key could not be had; nothing was sent.
        """
        url = whole_address(self._settings.base_url, path) + (
            f"?{urlencode(params)}" if params else ""
        )
        try:
            target = target_of(url)
        except ValueError as problem:  # which only a link of the store's can be
            raise unreadable_link(url, str(problem).rstrip(".")) from None
        operation = f"{method} {path_below(self._settings.base_url, url)}"
        key = self._key()
        trace = Trace()
        wire = self._wires.borrow()
        start = self._clock()
        KEY_FILTER.hide(key)
        try:
            request = self._request(method, target, body or b"", headers, trace, key)
            response = wire.handle_request(request)
            lines: RawLines = response.headers
            content, flaw = self._read(response, start)
        except ENGINE_ERRORS as problem:
            raise connection_error(problem, operation, trace, self._settings.base_url) from None
        except BaseException as problem:  # noqa: BLE001 # raised again, without its frames:
            # those below hold the request's header lines, and a verbose traceback shows them.
            wire.abandon()
            raise problem.with_traceback(None) from None
        finally:
            self._wires.give_back(wire)
            KEY_FILTER.hide(None)
        took = self._clock() - start
        status = response.status
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
        target: httpcore.URL,
        body: bytes,
        headers: Mapping[str, str] | None,
        trace: Trace,
        key: SecretStr,
    ) -> httpcore.Request:
        """Make the request; the key goes on it here, and nothing else ever holds it in the open."""
        lines, extensions = [*self._fixed_lines], dict[str, Any](timeout=self._timeout)
        if method == "GET":  # which can be repeated, however far it got
            lines.append(_FRESH)
        else:
            lines += [
                (b"Content-Type", b"application/json"),
                (b"Content-Length", b"%d" % len(body)),
            ]
            extensions["trace"] = trace
        lines += ((name.encode(), value.encode()) for name, value in (headers or {}).items())
        secret = b"Bearer " + key.get_secret_value().encode()
        return httpcore.Request(
            method,
            target,
            headers=[*lines, (b"Authorization", secret)],
            content=(body,) if body else (),  # an empty piece would be an event of its own
            extensions=extensions,
        )

    def _read(self, response: httpcore.Response, start: float) -> tuple[bytes, Flaw | None]:
        """Read the body within limits of time and size; what is wrong with it is not raised."""
        chunks, size = list[bytes](), 0
        try:
            for chunk in unpacked(response.iter_stream(), response.headers):
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    return b"", Flaw.LARGE
                if self._clock() - start > self._total_s:
                    return b"", Flaw.LATE
        except httpcore.TimeoutException:
            return b"", Flaw.LATE
        except FlawError as problem:
            return b"", problem.flaw
        except ENGINE_ERRORS:
            return b"", Flaw.CUT
        finally:
            response.close()
        content = b"".join(chunks)
        if response.status == 200 and stops_early(content, response.headers):
            return b"", Flaw.CUT
        return content, None

    def close(self) -> None:
        """Close the connections."""
        self._wires.close()


def _given(transport: GivenTransport) -> Callable[[], Wire]:
    # Loads httpx, which sockets do without.
    from petstore_frame.http.given import GivenWire

    wire = GivenWire(transport)
    return lambda: wire


def target_of(url: str) -> httpcore.URL:
    """Return a whole address as the engine takes it.

    Raises:
        ValueError: It cannot be read.

    Example:
        >>> target_of("http://[::1]:8000/v1/pets?name=Žofie")
        URL(scheme=b'http', host=b'::1', port=8000, target=b'/v1/pets?name=%C5%BDofie')
    """
    if _CONTROL.search(url):
        raise ValueError("a control character is in it")
    end = _AFTER_ORIGIN.search(url, url.find("://") + 3)
    at = len(url) if end is None else end.start()
    scheme, host, port = _origin_of(url[:at])
    path = quote(url[at:].partition("#")[0] or "/", safe=_AS_THEY_ARE)
    return httpcore.URL(scheme=scheme, host=host, port=port, target=path)


@lru_cache(maxsize=8)  # all pages of a listing have one
def _origin_of(url: str) -> tuple[bytes, bytes, int | None]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme.encode(), host.encode("ascii" if host.isascii() else "idna"), parts.port


def _host_line(target: httpcore.URL) -> bytes:
    host = b"[%b]" % target.host if b":" in target.host else target.host
    return host if target.port is None else b"%b:%d" % (host, target.port)
