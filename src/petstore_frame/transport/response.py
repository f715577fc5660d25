"""Reads one response within limits of time and size, and removes the API key from it."""

from __future__ import annotations

import math
import re
import zlib
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from html import unescape
from typing import NamedTuple, cast
from urllib.parse import unquote_to_bytes

import httpx
from pydantic import SecretStr

# The header that identifies a store in its responses and in a POST; an extension.
STORE_ID = "X-Store-Id"
MAX_BODY_BYTES = 64 * 2**20
# The largest window with a gzip or zlib header, and without any header.
_WITH_HEADER, _RAW = 32 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})
# A store compresses once, and a proxy may compress again.
_MAX_LAYERS = 2
_STARS = b"***"
# A text that may be an encoded key; without quotes and brackets, it ends where a value ends.
_ENCODED_TEXT = rb"[A-Za-z0-9+/=_%&#;\\-]"
_RUNS = bytes(97 if re.match(_ENCODED_TEXT, bytes([code])) else 32 for code in range(256))
_BASE64, _URL_SAFE = re.compile(rb"[A-Za-z0-9+/_-]{4,}"), bytes.maketrans(b"-_", b"+/")
_JSON_ESCAPE = re.compile(rb"\\(?:u00([0-9a-fA-F]{2})|(.))", re.DOTALL)
_SHORTEST_RUN, _MAX_DECODINGS = 4, 3
# An echo is short, and decoding a large body in every way would take minutes.
_MAX_DECODED_BYTES = 2**20
_ESCAPE_SIGNS = (b"\\", b"%", b"&")  # of JSON, of an address and of HTML
_ENTITIES = {'"': "quot", "&": "amp", "'": "apos", "/": "sol", "<": "lt", "=": "equals", ">": "gt",
             "+": "plus", "\\": "bsol", "_": "lowbar"}  # fmt: skip


class BodyProblem(StrEnum):
    """Why the body of a response is missing."""

    CUT = "broke off"
    LATE = "did not end within the time allowed"
    LARGE = "is larger than 64 MiB"
    PACKED = "is compressed wrongly"


class Response(NamedTuple):
    """The response to one request to ``url``; ``operation`` is its method and path.

    Names in ``headers`` are case-insensitive. ``body`` is empty if there is a ``body_problem``.
    ``elapsed_s`` runs from the first byte sent to the last byte received.
    """

    operation: str
    status_code: int
    headers: Mapping[str, str]
    body: bytes
    body_problem: BodyProblem | None
    elapsed_s: float
    url: str = ""

    @property
    def retry_after_s(self) -> float | None:
        """The seconds that the store asks to wait, or None; a date is relative to its ``Date``."""
        text = self.headers.get("Retry-After", "").strip()
        if re.fullmatch("[0-9]{1,10}", text):
            return float(text)
        until = _parse_date(text)
        if until is None:
            return None
        now = _parse_date(self.headers.get("Date", "")) or datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())


def _parse_date(text: str) -> datetime | None:
    """Return the time of an HTTP date, or None if the text is not a date."""
    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed


@dataclass(frozen=True)
class SecondsLeft:
    """A read timeout that shrinks toward the deadline of the whole response.

    httpcore passes the read timeout to ``socket.settimeout`` before each read, and a socket accepts
    any object that is a whole number. With a constant, a response that sends one byte now and then
    would never time out.

    Attributes:
        timeout_s: Seconds to wait for a single read, rounded up to a whole number.
        deadline: When the response must be complete, on the same clock.
        clock: Returns the time now.
    """

    timeout_s: float
    deadline: float
    clock: Callable[[], float]

    def __index__(self) -> int:
        remaining_s = self.deadline - self.clock()
        if remaining_s <= 0:
            raise TimeoutError("the response did not end within the time allowed")
        return math.ceil(min(self.timeout_s, remaining_s))


def read_body(
    response: httpx.Response, deadline: float, clock: Callable[[], float]
) -> tuple[bytes, BodyProblem | None]:
    """Return the decompressed body, or an empty body and its problem; never raises."""
    if response.is_stream_consumed:  # a custom transport has read it already
        return response.content, None
    # Cheaper than iter_raw, which prepares for what does not happen here, such as a second reading.
    stream = cast("Iterable[bytes]", response.stream)
    chunks: list[bytes] = []
    size = 0
    try:
        for chunk in stream:
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                return b"", BodyProblem.LARGE
            if clock() > deadline:
                return b"", BodyProblem.LATE
    except httpx.TimeoutException:
        return b"", BodyProblem.LATE
    except (httpx.HTTPError, httpx.StreamError):
        return b"", BodyProblem.CUT
    finally:
        response.close()
    body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
    encoding = response.headers.get("Content-Encoding")
    return _decompress(body, encoding) if encoding else (body, None)


def _decompress(body: bytes, content_encoding: str) -> tuple[bytes, BodyProblem | None]:
    """Undo each layer of compression; the size limit applies to each of them."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    # Some proxies name a character set here; only the names of compressions matter.
    layers = [name for name in names if name in _ENCODINGS]
    if len(layers) > _MAX_LAYERS:
        return b"", BodyProblem.PACKED
    for name in reversed(layers):
        content, problem = _inflate(body, _WITH_HEADER)
        if problem is BodyProblem.PACKED and name == "deflate":
            content, problem = _inflate(body, _RAW)
        if problem is not None:
            return b"", problem
        body = content
    return body, None


def _inflate(body: bytes, window_bits: int) -> tuple[bytes, BodyProblem | None]:
    inflater = zlib.decompressobj(window_bits)
    try:
        content = inflater.decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error:
        return b"", BodyProblem.PACKED
    if len(content) > MAX_BODY_BYTES:
        return b"", BodyProblem.LARGE
    return (content, None) if inflater.eof else (b"", BodyProblem.CUT)


class KeyRedactor:
    """Replaces a key with stars, also if it was escaped or encoded, once or several times.

    Escapes of JSON, of an address and of HTML are replaced exactly. A longer text is replaced as a
    whole if it becomes the key when it is decoded, as base64 does.
    """

    def __init__(self, key: SecretStr) -> None:
        self._key = key
        # No encoding makes a key shorter.
        length = max(_SHORTEST_RUN, len(key.get_secret_value()))
        self._run = b"a" * length
        self._find_runs = re.compile(_ENCODED_TEXT + b"{%d,}" % length).sub
        spellings = (_spellings(character) for character in key.get_secret_value())
        # A bound method: a traceback must not show the pattern, because it contains the key.
        self._replace = re.compile(b"".join(spellings)).sub

    def redact(self, content: bytes) -> bytes:
        """Return a text without the key."""
        content = content.replace(self._key.get_secret_value().encode(), _STARS)
        if any(sign in content for sign in _ESCAPE_SIGNS):
            content = self._replace(_STARS, content)
        # A list of pets is data of the store, and looking for runs would slow down each page.
        is_list = content[:1] == b"["
        if is_list or len(content) > _MAX_DECODED_BYTES:
            return content
        if self._run in content.translate(_RUNS):
            content = self._find_runs(self._redact_run, content)
        return content

    def _redact_run(self, run: re.Match[bytes]) -> bytes:
        key = self._key.get_secret_value().encode()
        return _STARS if _decodes_to(key, run[0], _MAX_DECODINGS) else run[0]

    def redact_headers(self, headers: httpx.Headers) -> httpx.Headers:
        """Return headers without the key."""
        values = b"\n".join(value for _, value in headers.raw)
        if self.redact(values) == values:
            return headers
        return httpx.Headers([(name, self.redact(value)) for name, value in headers.raw])


def _decodes_to(key: bytes, text: bytes, decodings: int) -> bool:
    """Return whether a text contains the key after at most so many decodings."""
    if key in text:
        return True
    return decodings > 0 and any(
        _decodes_to(key, decoded, decodings - 1) for decoded in _decoded(text)
    )


def _decoded(text: bytes) -> Iterator[bytes]:
    """Yield what a text may stand for: an address, a JSON string, HTML, or base64."""
    if b"%" in text:
        yield unquote_to_bytes(text)
    if b"\\" in text:
        yield _JSON_ESCAPE.sub(
            lambda escape: bytes([int(escape[1], 16)]) if escape[1] else escape[2], text
        )
    if b"&" in text:
        yield unescape(text.decode("latin-1")).encode("latin-1", "replace")
    for word in _BASE64.findall(text):
        letters = word.translate(_URL_SAFE)
        # Other text may stand directly before it, so its first letter is one of four.
        for start in range(4):
            part = letters[start:]
            part = part[:-1] if len(part) % 4 == 1 else part
            yield a2b_base64(part + b"=" * (-len(part) % 4))


def _spellings(character: str) -> bytes:
    """Return a pattern of a character and of its escapes in JSON, in an address and in HTML."""
    plain = re.escape(character.encode())
    code = _any_case(f"{ord(character):02x}")
    escapes = [
        plain,
        rb"\\u00" + code,
        b"%" + code,
        b"&#[xX]0*" + code + b";?",
        b"&#0*" + str(ord(character)).encode() + b";?",
    ]
    if character in '"\\/':
        escapes.append(rb"\\" + plain)
    if character in _ENTITIES:
        escapes.append(b"&" + _ENTITIES[character].encode() + b";")
    return b"(?:" + b"|".join(escapes) + b")"


def _any_case(digits: str) -> bytes:
    """Return a pattern of hexadecimal digits in lower or upper case."""
    pattern = (f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
    return "".join(pattern).encode()
