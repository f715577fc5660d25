"""How one request goes out and its answer comes back; no type of httpx leaves here."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import cast
from urllib.parse import urlencode

import httpx
from pydantic import SecretStr

from petstore_frame._internal.interrupts import Deferred
from petstore_frame.errors import ConfigurationError
from petstore_frame.http.answer import (
    MAX_BODY_BYTES,
    BodyProblem,
    Headers,
    StoreAnswer,
    stops_early,
)
from petstore_frame.http.connections import GivenTransport, given_wires, new_wires
from petstore_frame.http.links import path_below, unreadable_link, whole_address
from petstore_frame.http.outcome import TRANSPORT_ERRORS, connection_error
from petstore_frame.http.secrecy import KEY_FILTER, without_key
from petstore_frame.http.settings import DEFAULT_CONNECT_TIMEOUT_S, ClientSettings
from petstore_frame.http.trace import Trace

log = logging.getLogger("petstore_frame.http")
_FIXED_LINES = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",
    "User-Agent": "petstore-frame",
}
# An old answer from a cache would mix two states of the store in one listing.
_OF_A_GET = {"Cache-Control": "no-cache"}
_OF_A_POST = {"Content-Type": "application/json"}


class Transport:
    """Connections to one store. Safe to share between threads.

    It keeps no cookies and follows no redirects: no request depends on another. A ``transport``
    replaces real sockets.
    """

    def __init__(
        self,
        settings: ClientSettings,
        *,
        transport: GivenTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._total_s = 2 * settings.timeout_s
        connect_s = min(settings.timeout_s, DEFAULT_CONNECT_TIMEOUT_S)
        others = dict.fromkeys(("read", "write", "pool"), settings.timeout_s)
        self._timeout = {"connect": connect_s, **others}
        try:
            host = httpx.URL(settings.base_url).netloc.decode()
        except httpx.InvalidURL as problem:
            raise ConfigurationError(f"base_url is not an address: {problem}") from None
        if transport is None:
            self._wires = new_wires(settings.base_url)
        else:
            self._wires = given_wires(transport)
        fixed = {"Host": host, **_FIXED_LINES}
        self._lines = {
            "GET": httpx.Headers(fixed | _OF_A_GET),
            "POST": httpx.Headers(fixed | _OF_A_POST),
        }

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> StoreAnswer:
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
            target = httpx.URL(url)
        except httpx.InvalidURL as problem:  # which only a link of the store's can be
            raise unreadable_link(url, str(problem).rstrip(".")) from None
        operation = f"{method} {path_below(self._settings.base_url, url)}"
        key = self._key()
        wire, is_fit = self._wires.borrow(), False
        KEY_FILTER.hide(key)
        try:
            with Deferred() as interrupts:
                interrupts.is_allowed = wire.watch is None
                trace = Trace(wire.watch, interrupts)
                start = self._clock()
                if wire.watch is not None:
                    wire.watch.begin(self._total_s)
                request = self._request(method, target, body or b"", headers, trace, key)
                response = wire.transport.handle_request(request)
                status, lines = response.status_code, response.headers.raw
                content, body_problem = self._read(response, start)
                is_fit = wire.watch is None or wire.watch.has_ended_cleanly(status, lines)
            interrupts.deliver()
            took_s = self._clock() - start
            log.debug("%s %s %.0f ms", operation, status, took_s * 1000)
        except TRANSPORT_ERRORS as problem:
            error = connection_error(problem, operation, trace, self._settings.base_url)
            log.debug("%s", error)
            raise error from None
        except BaseException as problem:  # noqa: BLE001 # raised again, without its frames:
            # those below hold the request's header lines, and a verbose traceback shows them.
            raise problem.with_traceback(None) from None
        finally:
            self._wires.give_back(wire, is_fit=is_fit)
            KEY_FILTER.hide(None)
        content, lines = without_key(content, lines, key, is_refusal=status >= 400)
        return StoreAnswer(operation, status, Headers(lines), content, body_problem, took_s, url)

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
        body: bytes,
        headers: Mapping[str, str] | None,
        trace: Trace,
        key: SecretStr,
    ) -> httpx.Request:
        """Make the request; the key goes on it here, and nothing else ever holds it in the open."""
        request = httpx.Request(
            method,
            url,
            headers=self._lines[method],
            stream=httpx.ByteStream(body),
            extensions={"timeout": self._timeout, "trace": trace},
        )
        request.read()  # for transports that ask for its content
        if method != "GET":
            request.headers["Content-Length"] = str(len(body))
        request.headers.update(headers)
        request.headers["Authorization"] = f"Bearer {key.get_secret_value()}"
        return request

    def _read(self, response: httpx.Response, start: float) -> tuple[bytes, BodyProblem | None]:
        """Read the body within limits of time and size; what is wrong with it is not raised."""
        chunks, size = list[bytes](), 0
        try:
            packing = response.headers.get("Content-Encoding")
            if packing and "," in packing:
                return b"", BodyProblem.PACKED  # a few kilobytes packed twice could fill any memory
            # httpx's decoders take 4 % of a page's time, so what is not packed goes past them.
            plain = cast("Iterable[bytes]", response.stream)
            for chunk in response.iter_bytes() if packing else plain:
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    return b"", BodyProblem.LARGE
                if self._clock() - start > self._total_s:
                    return b"", BodyProblem.LATE
        except httpx.TimeoutException:
            return b"", BodyProblem.LATE
        except httpx.DecodingError:
            return b"", BodyProblem.PACKED
        except TRANSPORT_ERRORS:
            return b"", BodyProblem.CUT
        finally:
            response.close()
        content = b"".join(chunks)
        if response.status_code == 200 and stops_early(content, response.headers.raw):
            return b"", BodyProblem.CUT
        return content, None

    def close(self) -> None:
        """Close the connections."""
        self._wires.close()
