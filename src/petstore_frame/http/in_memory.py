"""A transport that a function answers, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import httpx

from petstore_frame.http.connections import GivenTransport


class Asked(NamedTuple):
    """A request as it arrives: its path with that of the base address, and its header lines."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Answered(NamedTuple):
    """What is sent back for it."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


def in_memory(answer: Callable[[Asked], Answered]) -> GivenTransport:
    """Return a transport for ``Client(transport=)`` that opens no socket."""

    def handle(request: httpx.Request) -> httpx.Response:
        url, headers = request.url, request.headers
        got = answer(Asked(request.method, url.path, dict(url.params), headers, request.content))
        lines = {"Content-Type": "application/json", **got.headers}
        return httpx.Response(got.status, headers=lines, content=got.body)

    return httpx.MockTransport(handle)
