"""Bytes that no honest client sends: each ends in a refusal or a closed connection.

How HTTP is read is h11's business, and its tests'; here is what the service is answerable for.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import httpx
import psutil
import pytest

import petstore_frame as pf
from plain_http import exchange, names_of, talk_to

BODY = b'{"name":"Luna","categoryId":1}'


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Iterator[pf.Server]:
    """A store without a proxy before it; whatever the tests sent, no pet called Evil is there."""
    database = tmp_path_factory.mktemp("wire") / "store.sqlite3"
    with pf.serve(database=database, sample=120) as running:
        yield running
        with talk_to(running) as client:
            assert "Evil" not in names_of(client)


def port_of(shop: pf.Server) -> int:
    return httpx.URL(shop.base_url).port or 0


def post(shop: pf.Server, headers: bytes, body: bytes) -> bytes:
    key = shop.api_key.get_secret_value().encode()
    head = [b"POST /v1/pets HTTP/1.1", b"Host: x", b"Authorization: Bearer " + key]
    head += [b"Content-Type: application/json", headers]
    return b"\r\n".join(head) + b"\r\n\r\n" + body


CHUNKED = b"1e\r\n" + BODY + b"\r\n0\r\n\r\n"
AMBIGUOUS = {
    "two lengths": (b"Content-Length: 30\r\nContent-Length: 5", BODY),
    "unknown coding": (b"Transfer-Encoding: xchunked", CHUNKED),
    "chunk longer than told": (b"Transfer-Encoding: chunked", b"5\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "NUL in a header": (b"X: a\x00b\r\nContent-Length: 30", BODY),
}


@pytest.mark.parametrize(("headers", "body"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_ambiguous_framing_is_one_refusal(shop, headers, body) -> None:
    """No second answer, no pet from bytes behind the first request, and the connection ends."""
    evil = post(shop, b"Content-Length: 30", BODY.replace(b"Luna", b"Evil"))
    received = exchange(port_of(shop), post(shop, headers, body) + evil)
    assert received.startswith(b"HTTP/1.1 400 ") and received.count(b"HTTP/1.1 ") == 1


def test_endless_bodies_are_not_kept(shop) -> None:
    """A stated gigabyte and endless chunks are 413 or a closed connection; memory stays flat."""
    process = psutil.Process(shop.pid)
    stated = post(shop, b"Content-Length: 1073741824", b" " * 100_000)
    answer = exchange(port_of(shop), stated)
    assert answer.startswith(b"HTTP/1.1 413 ")
    before = process.memory_info().rss
    stranger = b"POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    for head in [post(shop, b"Transfer-Encoding: chunked", b"")] * 3 + [stranger] * 3:
        wire = socket.create_connection(("127.0.0.1", port_of(shop)), timeout=2)
        with contextlib.suppress(OSError), wire:
            wire.sendall(head + (b"4000\r\n" + b" " * 0x4000 + b"\r\n") * 2000)
    assert process.memory_info().rss - before < 10 * 2**20
