"""How one request goes out and its answer comes back; no type of httpx, and no key, leaves here."""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, cast
from urllib.parse import urlencode

import httpx
from pydantic import SecretStr
from pydantic_core import from_json

from petstore_frame.errors import APIConnectionError, APIStatusError, ConfigurationError
from petstore_frame.transport.answer import BodyProblem, Headers, StoreAnswer
from petstore_frame.transport.connections import GivenTransport, Trace, given_wires, new_wires
from petstore_frame.transport.interrupts import Deferred
from petstore_frame.transport.links import path_below, unreadable_link, whole_address
from petstore_frame.transport.outcome import TRANSPORT_ERRORS, connection_error, unusable_error
from petstore_frame.transport.settings import ClientSettings

log = logging.getLogger("petstore_frame.transport")
MAX_BODY_BYTES = 64 * 2**20
_CONNECT_TIMEOUT_S = 5.0
_FIXED_LINES = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",
    "User-Agent": "petstore-frame",
}
# An old answer from a cache would mix two states of the store in one listing.
_OF_A_GET = {"Cache-Control": "no-cache"}
_OF_A_POST = {"Content-Type": "application/json"}
# Header lines that state where a body ends.
_FRAMES = frozenset(("content-length", "transfer-encoding"))
# Waits before a repeat: the first at most, the longest, and when no more attempt is made.
_BASE_S, _LONGEST_S, _PATIENCE_S = 0.25, 30.0, 180.0
# A shorter key may be a word of the store's own data; it is starred only after its scheme.
_LEAST_UNUSUAL_KEY = 16
_LEAST_KEY_IN_LOGS = 4  # a log holds no data that could be spoilt
# The engine's own loggers, which print header lines at DEBUG, and ours.
_LOGGERS = (
    *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")),
    "petstore_frame.transport",
)


class Clocks(NamedTuple):
    """The clocks of a client, so that tests can replace them: one waits, one only rises."""

    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


REAL_TIME = Clocks()


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
        clocks: Clocks = REAL_TIME,
    ) -> None:
        self._settings = settings
        self._clocks = clocks
        self._total_s = 2 * settings.timeout_s
        connect_s = min(settings.timeout_s, _CONNECT_TIMEOUT_S)
        others = dict.fromkeys(("read", "write", "pool"), settings.timeout_s)
        self._timeout = {"connect": connect_s, **others}
        try:
            host = httpx.URL(settings.base_url).netloc.decode()
        except httpx.InvalidURL as problem:
            raise ConfigurationError(f"base_url is not an address: {problem}") from None
        given = None if transport is None else given_wires(transport)
        self._wires = given or new_wires(settings.base_url)
        fixed = {"Host": host, **_FIXED_LINES}
        self._lines = {
            "GET": httpx.Headers(fixed | _OF_A_GET),
            "POST": httpx.Headers(fixed | _OF_A_POST),
        }

    def get(self, address: str, params: Mapping[str, str] | None = None) -> StoreAnswer:
        """Return the first usable answer to a GET, which is repeated after a passing failure.

        Raises:
            APIStatusError: The store refused.
            ContractError: The store answered with a status that the interface does not state.
            PetstoreError: As of ``send``, after the repeats.
        """
        start, repeats = self._clocks.clock(), 0
        while True:
            try:
                answer = self.send("GET", address, params=params)
                if answer.status_code == 200 and answer.body_problem is None:
                    return answer
                raise unusable_error(answer)
            except (APIConnectionError, APIStatusError) as problem:
                elapsed_s = self._clocks.clock() - start
                wait_s = repeat_wait_s(repeats, problem.retry_after_s, elapsed_s)
                has_repeats = repeats < self._settings.max_retries
                if wait_s is None or not (problem.retryable and has_repeats):
                    raise
            repeats += 1
            self._clocks.sleep(wait_s)

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes = b"",
        more: Mapping[str, str] | None = None,
    ) -> StoreAnswer:
        """Send one request, once.

        Args:
            method: HTTP method.
            path: Path below the base address, or a whole address of the same origin.
            params: Query parameters; None keeps a query that the address has.
            body: JSON bytes.
            more: More header lines.

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
        _UNDER_WAY.key = key
        try:
            with Deferred() as interrupts:
                interrupts.is_allowed = wire.watch is None
                trace = Trace(wire.watch, interrupts)
                start = self._clocks.clock()
                if wire.watch is not None:
                    wire.watch.begin(self._total_s)
                request = self._request(method, target, body, more, trace, key)
                response = wire.transport.handle_request(request)
                status, headers = response.status_code, Headers(response.headers.raw)
                content, body_problem = self._read(response, headers, start)
                is_fit = wire.watch is None or wire.watch.has_ended_cleanly(status, headers)
            interrupts.deliver()
            took_s = self._clocks.clock() - start
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
            _UNDER_WAY.key = None
        # The body of a refusal is an error's text, in which a key of any length is starred.
        for secret, stars in _spellings(key, 0 if status >= 400 else _LEAST_UNUSUAL_KEY):
            content = content.replace(secret.encode(), stars.encode())
            headers.star(secret, stars)
        return StoreAnswer(operation, status, headers, content, body_problem, took_s, url)

    def _key(self) -> SecretStr:
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
        more: Mapping[str, str] | None,
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
        request.headers.update(more)
        request.headers["Authorization"] = f"Bearer {key.get_secret_value()}"
        return request

    def _read(
        self, response: httpx.Response, headers: Headers, start: float
    ) -> tuple[bytes, BodyProblem | None]:
        """Read the body within limits of time and size; what is wrong with it is not raised."""
        chunks, size = list[bytes](), 0
        try:
            packing = ", ".join(headers.get_all("Content-Encoding"))
            if "," in packing:
                return b"", BodyProblem.PACKED  # a few kilobytes packed twice could fill any memory
            # httpx's decoders take 4 % of a page's time, so what is not packed goes past them.
            plain = cast("Iterable[bytes]", response.stream)
            for chunk in response.iter_bytes() if packing else plain:
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    return b"", BodyProblem.LARGE
                if self._clocks.clock() - start > self._total_s:
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
        if response.status_code == 200 and _stops_early(content, headers):
            return b"", BodyProblem.CUT
        return content, None

    def close(self) -> None:
        """Close the connections."""
        self._wires.close()


def _stops_early(content: bytes, headers: Headers) -> bool:
    """Tell whether a body is JSON that stops in the middle, where its end is not certain.

    A body of no stated length ends with its connection, and a packed one with its last byte,
    whether the store had finished or not.
    """
    if not _FRAMES.isdisjoint(headers.names) and "content-encoding" not in headers.names:
        return False
    try:
        from_json(content)
    except ValueError as problem:
        return str(problem).startswith("EOF while parsing")
    return False


def repeat_wait_s(
    repeats: int,
    retry_after_s: float | None,
    elapsed_s: float = 0.0,
    draw: Callable[[], float] = random.random,
) -> float | None:
    """Return the seconds to wait before the next attempt, or None to give up.

    Full jitter under a ceiling that doubles with each repeat, and never less than the store's
    Retry-After. ``draw`` gives a number from 0 to 1.

    Example:
        >>> [repeat_wait_s(repeats, None, draw=lambda: 1.0) for repeats in range(3)]
        [0.25, 0.5, 1.0]
        >>> [repeat_wait_s(0, 3.0), repeat_wait_s(0, 3600.0), repeat_wait_s(0, 1.0, 179.9)]
        [3.0, None, None]
    """
    if retry_after_s is not None and retry_after_s > _LONGEST_S:
        return None
    wait_s = max(draw() * min(_LONGEST_S, _BASE_S * 2.0**repeats), retry_after_s or 0.0)
    return wait_s if elapsed_s + wait_s < _PATIENCE_S else None


def _spellings(key: SecretStr, least: int) -> list[tuple[str, str]]:
    """Return the key plain, in JSON and as Python prints it, and the stars in its place.

    A key shorter than ``least`` counts as one only after its scheme.
    """
    plain = key.get_secret_value()
    scheme, quoted = "" if len(plain) >= least else "Bearer ", json.dumps(plain)[1:-1]
    escaped = quoted.replace("/", "\\/")
    spelt = {plain, quoted, escaped, repr(plain)[1:-1], repr(plain.encode())[2:-1]}
    return [(scheme + secret, scheme + "***") for secret in spelt]


# The key of the request that a thread has under way; None between two of them.
_UNDER_WAY = threading.local()


def _star_key(record: logging.LogRecord) -> bool:
    """Star the key of the request under way out of what its thread logs."""
    key: SecretStr | None = getattr(_UNDER_WAY, "key", None)
    if key is not None:
        text = record.getMessage()
        for secret, stars in _spellings(key, _LEAST_KEY_IN_LOGS):
            text = text.replace(secret, stars)
        if text != record.getMessage():
            record.msg, record.args = text, ()
    return True


for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_star_key)
