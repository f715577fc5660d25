"""How an answer's body is unpacked, without filling the memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator

from pydantic_core import from_json

from petstore_frame.http.answer import Flaw

MAX_BODY_BYTES = 64 * 2**20
_STEP_BYTES = 2**16
# Header lines that state where a body ends.
_FRAMES = frozenset((b"content-length", b"transfer-encoding"))
RawLines = list[tuple[bytes, bytes]]


class FlawError(Exception):
    """A body cannot be had; has the Flaw."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw)
        self.flaw = flaw


def unpacked(content: Iterable[bytes], lines: RawLines) -> Iterable[bytes]:
    """Undo gzip or deflate, in small steps; bytes in any other coding are left as they are.

    Raises:
        FlawError: More than one coding (a few kilobytes could become terabytes), bytes of another
            one, or compressed bytes that were cut.
    """
    named = b",".join(value for name, value in lines if name.lower() == b"content-encoding")
    if not named:
        return content
    codings = [coding.strip().lower() for coding in named.split(b",")]
    if len(codings) > 1:
        raise FlawError(Flaw.PACKED)
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
    except zlib.error:
        raise FlawError(Flaw.PACKED) from None
    if unpack is not None and not unpack.eof:
        raise FlawError(Flaw.CUT)


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
