"""What an answer holds, unpacked and without the key.

In: a response's bytes as they come. Out: a body and header lines that anyone may see. It refuses
what would fill the memory, and judges no status.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator

import httpx
from pydantic import SecretStr
from pydantic_core import from_json

MAX_BODY_BYTES = 64 * 2**20
_STEP_BYTES = 2**16
# A shorter key may be a word of the store's own data, and is starred behind its scheme alone.
_LEAST_UNUSUAL_KEY = 16
# Header lines that state where a body ends.
_FRAMES = frozenset((b"content-length", b"transfer-encoding"))
RawLines = list[tuple[bytes, bytes]]


def unpacked(content: Iterable[bytes], lines: RawLines) -> Iterable[bytes]:
    """Undo gzip or deflate, in small steps; bytes in any other coding are left as they are.

    Raises:
        httpx.DecodingError: More than one coding (a few kilobytes could become terabytes), or
            bytes of another one.
        httpx.ReadError: The compressed bytes were cut.
    """
    named = b",".join(value for name, value in lines if name.lower() == b"content-encoding")
    if not named:
        return content
    codings = [coding.strip().lower() for coding in named.split(b",")]
    if len(codings) > 1:
        raise httpx.DecodingError("more than one coding")
    if codings[0] in (b"gzip", b"x-gzip"):
        return _inflated(content, lambda _: 31)
    # Some stores send deflate without the two bytes in front by which zlib knows its format.
    return _inflated(content, _deflate_format) if codings[0] == b"deflate" else content


def _deflate_format(first: int) -> int:
    return 15 if first & 0x8F == 0x08 else -15


def _inflated(packed: Iterable[bytes], format_of: Callable[[int], int]) -> Iterator[bytes]:
    unpack = None
    try:
        for chunk in filter(None, packed):
            unpack = unpack or zlib.decompressobj(format_of(chunk[0]))
            yield unpack.decompress(chunk, _STEP_BYTES)
            while unpack.unconsumed_tail:
                yield unpack.decompress(unpack.unconsumed_tail, _STEP_BYTES)
        if unpack is not None:
            yield unpack.flush()
    except zlib.error as problem:
        raise httpx.DecodingError(str(problem)) from None
    if unpack is not None and not unpack.eof:
        raise httpx.ReadError("the compressed bytes have no end")


def stops_early(content: bytes, lines: RawLines) -> bool:
    """Tell whether a body is JSON that stops in the middle, where no header states its length.

    Such a body ends with its connection, whether the store had finished or not.
    """
    if any(name.lower() in _FRAMES for name, _ in lines):
        return False
    try:
        from_json(content)
    except ValueError as problem:
        return str(problem).startswith("EOF while parsing")
    return False


def without_key(
    content: bytes, lines: RawLines, key: SecretStr, *, is_refusal: bool
) -> tuple[bytes, RawLines]:
    """Star the key out of an answer that a store made of our own request.

    Args:
        content: The body.
        lines: The header lines.
        key: The key that was sent.
        is_refusal: The body is an error's text, in which a key of any length is starred.
    """
    for scheme, spelt in _spellings(key, is_refusal=is_refusal):
        secret, stars = scheme + spelt, scheme + b"***"
        if secret in content:
            content = content.replace(secret, stars)
        if any(secret in value for _, value in lines):
            lines = [(name, value.replace(secret, stars)) for name, value in lines]
    return content, lines


def _spellings(key: SecretStr, *, is_refusal: bool) -> set[tuple[bytes, bytes]]:
    """Return the scheme that must stand in front of the key, and the key, plain and as in JSON."""
    plain = key.get_secret_value().encode()
    scheme = b"" if is_refusal or len(plain) >= _LEAST_UNUSUAL_KEY else b"Bearer "
    quoted = plain.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return {(scheme, plain), (scheme, quoted), (scheme, quoted.replace(b"/", b"\\/"))}
