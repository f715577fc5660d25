"""An answer belongs to the request that it was given for, and to no later one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

import petstore_frame as pf
from faults.hostile import http, opened

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
    """A second answer in the segment of the first, or however little of one, is not taken for the
    next pet's: behind a body of a stated length, and behind the last chunk of one without."""
    answers = iter([made(1) + more, made(2)])
    with opened(lambda _: next(answers), max_retries=0) as (store, client):
        assert [add_one(client), add_one(client)] == [1, 2]
    assert store.connections == 2


@pytest.mark.parametrize("made", [created, chunked])
def test_pets_that_are_added_share_a_connection(made: Callable[[int], bytes]) -> None:
    """Where each request has its one answer, however its end is cut into pieces, no connection is
    made anew."""
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
