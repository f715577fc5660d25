"""A packed answer costs no more memory than what it holds."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest

from petstore_frame.http.answer import Flaw, FlawError, unpacked


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw_deflate])
def test_a_packed_answer_is_unpacked_in_small_steps(pack: Callable[[bytes], bytes]) -> None:
    """However well it was packed, 64 KiB are held at a time, and every byte arrives."""
    packed = pack(bytes(2**24))
    coding = b"gzip" if pack is gzip.compress else b"deflate"
    pieces = list(
        unpacked([packed[:1], packed[1:99], packed[99:]], [(b"Content-Encoding", coding)])
    )
    assert max(map(len, pieces)) <= 2**16
    assert sum(map(len, pieces)) == 2**24


def test_a_body_in_a_coding_of_no_use_is_left_as_it_is() -> None:
    """A header that is wrong, as of some error pages, hides no text."""
    assert list(unpacked([b"no"], [(b"content-encoding", b"utf-8")])) == [b"no"]
    assert list(unpacked([b"no"], [])) == [b"no"]


@pytest.mark.parametrize(
    "lines",
    [
        [(b"Content-Encoding", b"gzip, gzip")],
        [(b"content-encoding", b"gzip"), (b"Content-Encoding", b"deflate")],
    ],
)
def test_more_than_one_coding_is_refused(lines: list[tuple[bytes, bytes]]) -> None:
    """A few kilobytes that were packed twice could fill any memory."""
    with pytest.raises(FlawError) as caught:
        unpacked([b""], lines)
    assert caught.value.flaw is Flaw.PACKED
