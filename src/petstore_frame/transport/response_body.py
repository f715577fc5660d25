"""Reads the body of a response within one limit of time and one of size."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable

import httpx

from petstore_frame.transport.response import MAX_BODY_BYTES, BodyProblem

# The largest window with a gzip or zlib header, and without any header.
_WITH_HEADER, _RAW = 32 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})
# A store compresses once, and a proxy perhaps again.
_MAX_LAYERS = 2


class SecondsLeft:
    """A read timeout that shrinks to the end of the time allowed for the whole response.

    httpcore passes the read timeout to ``socket.settimeout`` before each read, and a socket accepts
    any object that is a whole number. A constant would allow a response that sends one byte now and
    then to last for ever.

    Args:
        timeout_s: Seconds to wait for a single read, rounded up to a whole number.
        deadline: When the response must be over, on the same clock.
        clock: Returns the time now.
    """

    def __init__(self, timeout_s: float, deadline: float, clock: Callable[[], float]) -> None:
        self._timeout_s, self._deadline, self._clock = timeout_s, deadline, clock

    def __index__(self) -> int:
        left_s = self._deadline - self._clock()
        if left_s <= 0:
            raise TimeoutError("the response was not over in the time allowed")
        return math.ceil(min(self._timeout_s, left_s))


def read_body(
    response: httpx.Response, is_late: Callable[[], bool]
) -> tuple[bytes, BodyProblem | None]:
    """Return the unpacked body, or empty and what is wrong with it; nothing is raised."""
    if response.is_stream_consumed:  # a transport of the caller's own has read it already
        return response.content, None
    try:
        packed = _read_packed(response, is_late)
        if isinstance(packed, BodyProblem):
            return b"", packed
        unpacked = _unpack(packed, response.headers.get("Content-Encoding", ""))
    except httpx.TimeoutException:
        return b"", BodyProblem.LATE
    except (httpx.HTTPError, httpx.StreamError):
        return b"", BodyProblem.CUT
    finally:
        response.close()
    if isinstance(unpacked, BodyProblem):
        return b"", unpacked
    return unpacked, None


def _read_packed(response: httpx.Response, is_late: Callable[[], bool]) -> bytes | BodyProblem:
    """Return the body as it was sent."""
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_raw():
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            return BodyProblem.LARGE
        if is_late():
            return BodyProblem.LATE
    return b"".join(chunks)


def _unpack(body: bytes, content_encoding: str) -> bytes | BodyProblem:
    """Undo each layer of compression; the limit of size holds for each of them."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    # Some proxies name a character set here: what is no compression is left as it is.
    layers = [name for name in names if name in _ENCODINGS]
    if len(layers) > _MAX_LAYERS:
        return BodyProblem.PACKED
    for name in reversed(layers):
        unpacked = _inflate(body, _WITH_HEADER)
        if unpacked is BodyProblem.PACKED and name == "deflate":
            unpacked = _inflate(body, _RAW)
        if isinstance(unpacked, BodyProblem):
            return unpacked
        body = unpacked
    return body


def _inflate(body: bytes, window_bits: int) -> bytes | BodyProblem:
    inflater = zlib.decompressobj(window_bits)
    try:
        unpacked = inflater.decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error:
        return BodyProblem.PACKED
    if len(unpacked) > MAX_BODY_BYTES:
        return BodyProblem.LARGE
    return unpacked if inflater.eof else BodyProblem.PACKED
