"""Connections: an answer is its request's own, is not awaited for ever, and Ctrl-C is heard."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event
from types import FrameType
from typing import Any

import httpcore
import pytest

import petstore_frame as pf
from faults.hostile import endless_head, http, opened

REFUSED = http("400 Bad Request", '{"code":"invalid","message":"no","status":400}')


def created(pet_id: int) -> bytes:
    pet = {"id": pet_id, "name": "Luna", "categoryId": 1}
    return http("201 Created", json.dumps(pet))


def add_one(client: pf.Client) -> int:
    return client.create_pet("Luna", 1).id


def test_an_answer_given_again_while_nobody_asks_is_not_read() -> None:
    """A second 201 that waits on the socket is not taken for the next pet's."""
    has_come = Event()

    def again() -> Iterator[bytes]:
        yield created(1)
        yield created(1)
        has_come.set()

    answers = iter([again(), created(2)])
    with opened(lambda _: next(answers), max_retries=0) as (_, client):
        first = add_one(client)
        assert has_come.wait(10)
        assert (first, add_one(client)) == (1, 2)


def chunked(pet_id: int) -> bytes:
    """Return the answer of ``created`` in chunks, with no length in its head."""
    head, _, body = created(pet_id).partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-len")]
    head = b"\r\n".join([*lines, b"Transfer-Encoding: chunked"])
    return b"%b\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (head, len(body), body)


@pytest.mark.parametrize("made", [created, chunked])
@pytest.mark.parametrize("more", [chunked(1), created(1), b"H", b"0\r\n\r\n"])
def test_what_comes_behind_an_answer_is_not_read(made: Callable[[int], bytes], more: bytes) -> None:
    """However little comes behind a body or a last chunk is not taken for the next answer."""
    answers = iter([made(1) + more, made(2)])
    with opened(lambda _: next(answers), max_retries=0) as (store, client):
        assert [add_one(client), add_one(client)] == [1, 2]
    assert store.connections == 2


@pytest.mark.parametrize("made", [created, chunked])
def test_pets_that_are_added_share_a_connection(made: Callable[[int], bytes]) -> None:
    """Where each request has one answer, however it is cut, no connection is made anew."""
    whole = made(1)
    answers = iter([iter([whole[:-at], whole[-at:]]) for at in range(1, 8)])
    with opened(lambda _: next(answers), max_retries=0) as (store, client):
        assert [add_one(client) for _ in range(7)] == [1] * 7
    assert store.connections == 1


@pytest.mark.parametrize("ask", [pf.Client.list_pets, add_one])
def test_after_a_refusal_a_connection_is_not_used_again(ask: Callable[[pf.Client], Any]) -> None:
    """A refusal names no pet, so a second copy of it could not be told from the next pet's own."""
    answers = iter([REFUSED, created(1)])
    with opened(lambda _: next(answers), max_retries=0) as (store, client):
        with pytest.raises(pf.BadRequestError):
            ask(client)
        assert add_one(client) == 1
    assert store.connections == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_shares_no_connection() -> None:
    """A child of a fork opens a connection of its own, and its parent's stays as it was."""
    with opened(lambda _: http("200 OK", "[]"), max_retries=0) as (store, client):
        client.list_pets()
        child = os.fork()
        if not child:
            try:
                os._exit(len(client.list_pets()))
            finally:
                os._exit(99)
        assert os.waitpid(child, 0)[1] == 0
        assert store.connections == 2
        client.list_pets()
        assert store.connections == 2


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
        with pytest.raises(pf.errors.APITimeoutError, match="the time allowed"):
            client.list_pets()


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
    """What it may become has a limit, and only a list that broke off is asked for again."""
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


LIBRARY = httpcore.__path__[0]


@contextmanager
def interrupted(at: int) -> Iterator[None]:
    """Press Ctrl-C as the library has taken its lock for the time of that number, from 0."""
    taken = count()

    def returned(_: FrameType, event: str, __: Any) -> Any:
        if event == "return" and next(taken) == at:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return returned

    def called(frame: FrameType, _: str, __: Any) -> Any:
        code = frame.f_code
        is_lock = code.co_name == "__enter__" and code.co_filename.startswith(LIBRARY)
        return returned if is_lock and "self" in frame.f_locals else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def test_a_client_survives_an_interrupt_wherever_a_lock_is_taken(sample_server: pf.Server) -> None:
    """The next request neither waits for a lock that nobody holds nor meets a torn state."""
    interrupts = 0
    with sample_server.client() as client:
        client.list_pets(limit=1)
        for at in range(1_000):
            try:
                with interrupted(at):
                    client.list_pets(limit=1)
            except KeyboardInterrupt:
                interrupts += 1
            else:
                break
            assert client.list_pets(limit=1).store_id is not None
    assert interrupts > 5


def test_a_program_that_ignores_ctrl_c_goes_on() -> None:
    """A request takes no interrupt that its program does not want."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:

        def answer(_: str) -> bytes:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            return http("200 OK")

        with opened(answer) as (_, client):
            assert len(client.list_pets()) == 0
    finally:
        signal.signal(signal.SIGINT, before)
