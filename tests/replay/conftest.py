"""Recorded answers of the bundled service, replayed with the network blocked.

To record them anew after the service changed: ``PYTHONPATH=tests python -m replay.record``.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import NoReturn

import pytest


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing may leave: a request that no cassette has fails instead of being sent."""

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a replayed test tried to reach the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield
