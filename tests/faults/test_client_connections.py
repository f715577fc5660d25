"""Connections: they are shared and kept, no answer is awaited for ever, and Ctrl-C is heard."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from threading import Event

import pytest

import petstore_frame as pf
from faults.hostile import http, opened, press_ctrl_c


def test_pets_that_are_added_share_a_connection() -> None:
    """Where each request has one answer, however it is cut, no connection is made anew."""
    whole = http("201 Created", '{"id": 1, "name": "Luna", "categoryId": 1}')
    answers = iter([iter([whole[:-at], whole[-at:]]) for at in range(1, 8)])
    with opened(lambda _: next(answers), retry_timeout=0) as (store, client):
        assert [client.create_pet("Luna", 1).id for _ in range(7)] == [1] * 7
    assert store.connections == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_shares_no_connection() -> None:
    """A child of a fork opens a connection of its own, and its parent's stays as it was."""
    with opened(lambda _: http("200 OK", "[]"), retry_timeout=0) as (store, client):
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


def slow_body() -> Iterator[bytes]:
    """Give a piece now and then, each in time for a timeout that looks at silence alone."""
    for piece in [http("200 OK", b" " * PIECES)[:-PIECES], *[b" "] * PIECES]:
        yield piece
        Event().wait(TIMEOUT_S / 3)


def test_a_dripped_body_is_given_up() -> None:
    """A body that never ends takes no longer than twice the time that a silence may take."""
    with opened(lambda _: slow_body(), timeout=TIMEOUT_S, retry_timeout=0) as (_, client):
        with pytest.raises(pf.errors.APITimeoutError, match="the time allowed"):
            client.list_pets()


PETS = b'[{"id":1,"name":"a","categoryId":1}]'


@pytest.mark.parametrize(
    ("words", "body"),
    [("compressed wrongly", b"[]"), ("larger than 64 MiB", gzip.compress(bytes(2**26 + 1)))],
    ids=["wrong", "large"],
)
def test_a_packed_answer_that_cannot_be_used_is_refused(words: str, body: bytes) -> None:
    """What it may become has a limit, and it is not asked for again."""
    with opened(lambda _: http("200 OK", body, "Content-Encoding: gzip")) as (store, client):
        with pytest.raises(pf.APIConnectionError, match=words):
            client.list_pets()
    assert len(store.heads) == 1


@pytest.mark.parametrize(
    ("body", "coding"), [(gzip.compress(PETS), "gzip"), (PETS, "utf-8")], ids=["gzip", "utf-8"]
)
def test_a_packed_answer_is_unpacked(body: bytes, coding: str) -> None:
    """A coding is undone, and a header that is wrong, as of some proxies, hides nothing."""
    answer = http("200 OK", body, f"Content-Encoding: {coding}")
    with opened(lambda _: answer) as (_, client):
        assert client.list_pets().columns.id == [1]


def test_a_client_survives_an_interrupt() -> None:
    """Ctrl-C ends the wait for an answer, and the next request has a connection of its own."""
    answers = iter([http("200 OK"), press_ctrl_c(""), http("200 OK")])
    with opened(lambda _: next(answers), retry_timeout=0) as (store, client):
        client.list_pets()
        with pytest.raises(KeyboardInterrupt):
            client.list_pets()
        assert len(client.list_pets()) == 0
    assert store.connections == 2
