"""Bytes that no honest client sends: each ends in a refusal or a closed connection."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import statistics
import time
from collections.abc import Iterator

import httpx
import psutil
import pytest

import petstore_frame as pf
from plain_http import names_of, talk_to, wait_until

BODY = b'{"name":"Luna","categoryId":1}'


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Iterator[pf.Server]:
    """A store of 120 pets, without a proxy before it."""
    database = tmp_path_factory.mktemp("wire") / "store.sqlite3"
    with pf.serve(database=database, sample=120) as running:
        yield running


@pytest.fixture
def health(shop) -> Iterator[None]:
    """Whatever a test sent, the service answers afterwards, and no pet called Evil is there."""
    yield
    with talk_to(shop) as client:
        assert "Evil" not in names_of(client)


def connect(shop: pf.Server) -> socket.socket:
    url = httpx.URL(shop.base_url)
    return socket.create_connection((url.host, url.port), timeout=15)


def exchange(shop: pf.Server, sent: bytes) -> bytes:
    """Send raw bytes and return all that comes until the service closes or falls silent."""
    with connect(shop) as wire:
        wire.settimeout(1.5)
        received = b""
        with contextlib.suppress(ConnectionError, TimeoutError):
            wire.sendall(sent)
        with contextlib.suppress(ConnectionError, TimeoutError):
            while part := wire.recv(65536):
                received += part
                wire.settimeout(0.4)
        return received


def post(shop: pf.Server, headers: bytes, body: bytes, ending: bytes = b"\r\n") -> bytes:
    head = [b"POST /v1/pets HTTP/1.1", b"Host: x", b"Authorization: Bearer KEY", headers]
    joined = ending.join(head) + ending + ending
    return joined.replace(b"KEY", shop.api_key.get_secret_value().encode()) + body


EVIL = (
    b"POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Length: 30\r\n\r\n"
    + BODY.replace(b"Luna", b"Evil")
)
CHUNKED = b"1e\r\n" + BODY + b"\r\n0\r\n\r\n"
AMBIGUOUS = {
    "two lengths": (b"Content-Length: 30\r\nContent-Length: 5", BODY),
    "signed length": (b"Content-Length: +30", BODY),
    "list of lengths": (b"Content-Length: 30, 31", BODY),
    "negative length": (b"Content-Length: -1", BODY),
    "length as hex": (b"Content-Length: 0x1e", BODY),
    "unknown coding": (b"Transfer-Encoding: xchunked", CHUNKED),
    "two codings": (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", CHUNKED),
    "identity": (b"Transfer-Encoding: identity, chunked", CHUNKED),
    "space before colon": (b"Content-Length : 30", BODY),
    "folded header": (b"X: a\r\n b: c\r\nContent-Length: 30\r\n Content-Length: 3", BODY),
    "bad chunk size": (b"Transfer-Encoding: chunked", b"zz\r\n" + BODY),
    "negative chunk size": (b"Transfer-Encoding: chunked", b"-1\r\n" + BODY),
    "chunk longer than told": (b"Transfer-Encoding: chunked", b"5\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "NUL in a header": (b"X: a\x00b\r\nContent-Length: 30", BODY),
    "bare CR in a header": (b"X: a\rb\r\nContent-Length: 30", BODY),
    "no colon": (b"nonsense\r\nContent-Length: 30", BODY),
}


@pytest.mark.usefixtures("health")
@pytest.mark.parametrize(("headers", "body"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_ambiguous_framing_is_one_refusal_at_most(shop, headers, body) -> None:
    """No second answer, no pet from bytes behind the first request, and the connection ends."""
    evil = EVIL.replace(b"KEY", shop.api_key.get_secret_value().encode())
    received = exchange(shop, post(shop, headers, body) + evil)
    assert received.count(b"HTTP/1.1 ") <= 1
    assert received.startswith(b"HTTP/1.1 400 ")


GIBBERISH = {
    "nothing": b"\r\n\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 50,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/0.9": b"GET /v1/pets\r\n\r\n",
    "no host": b"GET /v1/pets HTTP/1.1\r\n\r\n",
    "bad version": b"GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n",
    "space in the address": b"GET /v1/pets /x HTTP/1.1\r\nHost: x\r\n\r\n",
    "NUL in the address": b"GET /v1/\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    "CONNECT": b"CONNECT 10.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n",
    "star": b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    "dots": b"GET /v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "encoded dots": b"GET /v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "upgrade": b"GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 10_000 + b"\r\n",
    "1 MiB header": b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 2**20 + b"\r\n\r\n",
}


@pytest.mark.usefixtures("health")
@pytest.mark.parametrize("sent", GIBBERISH.values(), ids=GIBBERISH)
def test_what_is_no_request_is_refused(shop, sent) -> None:
    """4xx or a closed connection; nothing of a program shows."""
    received = exchange(shop, sent)
    assert not received or received.startswith(b"HTTP/1.1 4")
    assert b"Traceback" not in received


INJECTIONS = [
    "x\r\nX-Evil: 1",
    "%0d%0aX-Evil:%201",
    "x\nSet-Cookie: a=b",
    "x\x00y",
    "\u560d\u560aX-Evil: 1",
]


@pytest.mark.usefixtures("health")
@pytest.mark.parametrize("text", INJECTIONS, ids=range(len(INJECTIONS)))
def test_no_text_becomes_a_header(shop, text) -> None:
    """Neither name, cursor, status, id nor key can add a line to an answer's head."""
    with talk_to(shop) as client:
        answers = [
            client.post("/pets", json={"name": text, "categoryId": 1}),
            client.get("/pets", params={"cursor": text}),
            client.get("/pets", params={"status": text}),
            client.get(f"/pets?cursor=x{text.encode().hex()}"),
        ]
    for answer in answers:
        assert "x-evil" not in answer.headers and "set-cookie" not in answer.headers
        assert answer.status_code in (201, 400)


def test_chunks_that_are_true_are_one_body(shop) -> None:
    """Whatever a chunk holds, digits and line ends included, is no chunk size."""
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (BODY[:20], BODY[20:]))
    two = post(shop, b"Transfer-Encoding: chunked", chunks + b"0\r\n\r\n") * 2
    assert exchange(shop, two).count(b"HTTP/1.1 201 ") == 2
    digits = b'{"name":\r\n"Luna","categoryId":\r\n99999999999\r\n}'
    sent = post(
        shop, b"Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(digits), digits)
    )
    assert exchange(shop, sent).startswith(b"HTTP/1.1 201 ")


def test_slow_clients_do_not_slow_the_others(shop) -> None:
    """With 300 connections that send nothing more, others are answered."""
    slow = [connect(shop) for _ in range(300)]
    for wire in slow:
        wire.sendall(b"GET /v1/pets HTTP/1.1\r\nHost: x\r\n")
    took = []
    with talk_to(shop) as client:
        for _ in range(100):
            started = time.monotonic()
            assert client.get("/pets").status_code == 200
            took.append(time.monotonic() - started)
    for wire in slow:
        wire.close()
    assert statistics.median(took) < 0.5


@pytest.mark.usefixtures("health")
def test_endless_bodies_are_not_kept(shop) -> None:
    """A stated gigabyte and endless chunks are 413 or a closed connection; memory stays flat."""
    process = psutil.Process(shop.pid)
    answer = exchange(shop, post(shop, b"Content-Length: 1073741824", b" " * 100_000))
    assert answer.startswith(b"HTTP/1.1 413 ")
    before = process.memory_info().rss
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    for _ in range(3):
        with connect(shop) as wire, contextlib.suppress(ConnectionError):
            wire.settimeout(2)
            wire.sendall(post(shop, b"Transfer-Encoding: chunked", b""))
            for _ in range(2000):
                wire.sendall(chunk)
    for _ in range(3):  # and without a credential
        with connect(shop) as wire, contextlib.suppress(ConnectionError, TimeoutError):
            wire.settimeout(2)
            wire.sendall(b"POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in range(2000):
                wire.sendall(chunk)
    assert process.memory_info().rss - before < 10 * 2**20


def test_pipelined_requests_are_answered_in_order(shop) -> None:
    """100 requests at once on one connection, HTTP/1.0 included, are 100 answers."""
    ask = b"GET /v1/pets/%d HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n"
    sent = b"".join(ask % number for number in range(1, 101)).replace(
        b"KEY", shop.api_key.get_secret_value().encode()
    )
    received = exchange(shop, sent)
    ids = [int(number) for number in re.findall(rb'"id":(\d+)', received)]
    assert ids == list(range(1, 101))
    old = ask % 1
    answer = exchange(
        shop, old.replace(b"1.1", b"1.0").replace(b"KEY", shop.api_key.get_secret_value().encode())
    )
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.usefixtures("health")
def test_mutated_requests_do_no_harm(shop, campaign) -> None:
    """Random changes to a good request are answered 2xx or 4xx, or the connection is closed."""
    chance = random.Random(5)
    good = post(shop, b"Content-Type: application/json\r\nContent-Length: 30", BODY)
    for _ in range(150 * campaign):
        sent = bytearray(good)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(sent))
            action = chance.choice(("change", "cut", "insert"))
            if action == "change":
                sent[place] = chance.randrange(256)
            elif action == "cut":
                del sent[place : place + chance.randint(1, 9)]
            else:
                sent[place:place] = chance.randbytes(chance.randint(1, 9))
        with connect(shop) as wire, contextlib.suppress(ConnectionError):
            wire.sendall(bytes(sent))
            wire.shutdown(socket.SHUT_WR)
            received = wire.recv(65536)
            assert not received or received[9:10] in (b"2", b"4"), (bytes(sent), received)


@pytest.mark.skipif(not hasattr(psutil, "RLIMIT_NOFILE"), reason="no limits of processes here")
def test_idle_connections_do_not_use_it_up(shop) -> None:
    """The service outlives more connections than it has file descriptors for."""
    process = psutil.Process(shop.pid)
    before = process.rlimit(psutil.RLIMIT_NOFILE)
    process.rlimit(psutil.RLIMIT_NOFILE, (process.num_fds() + 20, before[1]))
    wires = [connect(shop) for _ in range(60)]
    for wire in wires:
        wire.close()
    process.rlimit(psutil.RLIMIT_NOFILE, before)

    def answers() -> bool:
        with contextlib.suppress(httpx.TransportError), talk_to(shop, timeout=10) as client:
            return client.get("/pets").status_code == 200
        return False

    assert wait_until(answers)
