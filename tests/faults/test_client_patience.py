"""However a store spends its time, an answer is waited for twice the timeout and no longer."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable, Iterator
from threading import Event

import pytest

import petstore_frame as pf
from clocks import timed_client
from faults.hostile import HostileStore, http

TIMEOUT_S = 0.3
PIECES = 150


def dripped(pieces: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """Give a piece now and then, each in time for a timeout that looks at silence alone."""
    clock = Event()
    for piece in pieces():
        clock.wait(TIMEOUT_S / 3)
        yield piece


def slow_head() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX-A: "
    yield from [b"a"] * PIECES
    yield http("200 OK").partition(b"\r\n")[2]


def early_hints() -> Iterator[bytes]:
    yield from [b"HTTP/1.1 102 Processing\r\n\r\n"] * PIECES
    yield http("200 OK")


def slow_body() -> Iterator[bytes]:
    yield http("200 OK", b" " * PIECES)[:-PIECES]
    yield from [b" "] * PIECES


@pytest.mark.parametrize("pieces", [slow_head, early_hints, slow_body])
def test_a_dripped_answer_is_given_up(pieces: Callable[[], Iterator[bytes]]) -> None:
    """A head, an answer in front of the answer, or a body that never ends takes no longer."""
    with HostileStore(lambda _: dripped(pieces)) as store:
        with pf.Client(store.base_url, "k", timeout_s=TIMEOUT_S, max_retries=0) as client:
            start = time.monotonic()
            with pytest.raises(pf.errors.APITimeoutError, match="the time allowed"):
                client.list_pets()
    assert time.monotonic() - start < PIECES * TIMEOUT_S / 6


def test_the_next_request_has_all_of_its_time() -> None:
    """What one answer took is not taken off the next, on the same connection."""
    slow = [b"", *(bytes([byte]) for byte in http("200 OK")[:3]), http("200 OK")[3:]]
    with HostileStore(lambda _: dripped(lambda: iter(slow))) as store:
        with pf.Client(store.base_url, "k", timeout_s=4 * TIMEOUT_S, max_retries=0) as client:
            assert [len(client.list_pets()) for _ in range(6)] == [0] * 6
    assert store.connections == 1


UNUSABLE = {
    "compressed twice": ("gzip, gzip", lambda: gzip.compress(gzip.compress(b"[]"))),
    "or wrongly": ("gzip", lambda: b"[]"),
    "larger than 64 MiB": ("gzip", lambda: gzip.compress(bytes(2**26 + 1))),
}


@pytest.mark.parametrize("words", UNUSABLE)
def test_an_answer_that_would_fill_the_memory_is_refused(words: str) -> None:
    """What a few kilobytes may become has a limit, and no second request makes it smaller."""
    coding, pack = UNUSABLE[words]
    answer = http("200 OK", pack(), f"Content-Encoding: {coding}")
    with HostileStore(lambda _: answer) as store:
        with timed_client(store.base_url, "k") as client:
            with pytest.raises(pf.APIConnectionError, match=words):
                client.list_pets()
    assert len(store.heads) == 1


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


PETS = b'[{"id":1,"name":"a","categoryId":1}]'
PACKED = {
    "gzip": (gzip.compress(PETS), "gzip"),
    "deflate": (zlib.compress(PETS), "deflate"),
    "raw deflate": (raw_deflate(PETS), "deflate"),
    "not packed": (PETS, "utf-8"),
}


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_answer_is_unpacked(kind: str) -> None:
    """One coding is undone, and a header that is wrong, as of some proxies, hides nothing."""
    body, coding = PACKED[kind]
    answer = http("200 OK", body, f"Content-Encoding: {coding}")
    with HostileStore(lambda _: answer) as store, pf.Client(store.base_url, "k") as client:
        assert client.list_pets().columns.id == [1]


def test_a_packed_answer_that_was_cut_is_not_whole() -> None:
    """A list that stops in the middle broke off, also where all packed bytes came."""
    answer = http("200 OK", gzip.compress(PETS)[:-20], "Content-Encoding: gzip")
    with HostileStore(lambda _: answer) as store:
        with pf.Client(store.base_url, "k", max_retries=0) as client:
            with pytest.raises(pf.APIConnectionError, match="broke off"):
                client.list_pets()
