"""A request that Ctrl-C breaks off in the midst of the HTTP library leaves a client that works."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType
from typing import Any

import httpcore
import pytest

import petstore_frame as pf
from faults.hostile import http, opened, press_ctrl_c

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


def test_ctrl_c_ends_the_wait_for_an_answer() -> None:
    """The request is given up at once, and the next one goes over a connection of its own."""
    answers = iter([press_ctrl_c, lambda _: http("200 OK")])
    with opened(lambda head: next(answers)(head)) as (store, client):
        with pytest.raises(KeyboardInterrupt):
            client.list_pets()
        assert len(client.list_pets()) == 0
    assert store.connections == 2


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
