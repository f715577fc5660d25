"""However a store spends its time, an answer is waited for twice the timeout and no longer."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from threading import Event

import pytest

import petstore_frame as pf
from faults.hostile import endless_head, http, opened

TIMEOUT_S = 0.3
PIECES = 150


def dripped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Give a piece now and then, each in time for a timeout that looks at silence alone."""
    for piece in pieces:
        yield piece
        Event().wait(TIMEOUT_S / 3)


def early_hints() -> Iterator[bytes]:
    return dripped([b"HTTP/1.1 102 Processing\r\n\r\n"] * PIECES)


def slow_body() -> Iterator[bytes]:
    return dripped([http("200 OK", b" " * PIECES)[:-PIECES], *[b" "] * PIECES])


@pytest.mark.parametrize("pieces", [endless_head, early_hints, slow_body])
def test_a_dripped_answer_is_given_up(pieces: Callable[[], Iterator[bytes]]) -> None:
    """A head, an answer in front of the answer, or a body that never ends takes no longer."""
    with opened(lambda _: pieces(), timeout_s=TIMEOUT_S, max_retries=0) as (_, client):
        start = time.monotonic()
        with pytest.raises(pf.errors.APITimeoutError, match="the time allowed"):
            client.list_pets()
    assert time.monotonic() - start < PIECES * TIMEOUT_S / 6


def test_the_next_request_has_all_of_its_time() -> None:
    """What one answer took is not taken off the next, on the same connection."""
    slow = [b"", *(bytes([byte]) for byte in http("200 OK")[:3]), http("200 OK")[3:]]
    with opened(lambda _: dripped(slow), timeout_s=4 * TIMEOUT_S, max_retries=0) as (store, client):
        assert [len(client.list_pets()) for _ in range(6)] == [0] * 6
    assert store.connections == 1


PETS = b'[{"id":1,"name":"a","categoryId":1}]'
UNUSABLE = {
    "compressed twice": ("gzip, gzip", lambda: gzip.compress(gzip.compress(b"[]"))),
    "or wrongly": ("gzip", lambda: b"[]"),
    "larger than 64 MiB": ("gzip", lambda: gzip.compress(bytes(2**26 + 1))),
    "broke off": ("gzip", lambda: gzip.compress(PETS)[:-20]),
}


@pytest.mark.parametrize("words", UNUSABLE)
def test_a_packed_answer_that_cannot_be_used_is_refused(words: str) -> None:
    """What a few kilobytes may become has a limit, and no second request makes it smaller.

    A list that stops in the middle broke off, also where all packed bytes came.
    """
    coding, pack = UNUSABLE[words]
    answer = http("200 OK", pack(), f"Content-Encoding: {coding}")
    with opened(lambda _: answer, max_retries=1) as (store, client):
        with pytest.raises(pf.APIConnectionError, match=words):
            client.list_pets()
    assert len(store.heads) == 1 + (words == "broke off")


PACKED = {
    "gzip": (gzip.compress(PETS), "gzip"),
    "deflate": (zlib.compress(PETS), "deflate"),
    "raw deflate": (zlib.compress(PETS, wbits=-15), "deflate"),
    "not packed": (PETS, "utf-8"),
}


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_answer_is_unpacked(kind: str) -> None:
    """One coding is undone, and a header that is wrong, as of some proxies, hides nothing."""
    body, coding = PACKED[kind]
    answer = http("200 OK", body, f"Content-Encoding: {coding}")
    with opened(lambda _: answer) as (_, client):
        assert client.list_pets().columns.id == [1]
