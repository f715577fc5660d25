"""A request that Ctrl-C breaks off in the midst of the HTTP library leaves a client that works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType
from typing import Any

import httpcore

import petstore_frame as pf

LIBRARY = httpcore.__path__[0]


@contextmanager
def interrupted(at: int) -> Iterator[None]:
    """Interrupt the library as it has taken its lock for the time of that number, from 0."""
    taken = count()

    def returned(_: FrameType, event: str, __: Any) -> Any:
        if event == "return" and next(taken) == at:
            sys.settrace(None)
            raise KeyboardInterrupt
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
    assert interrupts
