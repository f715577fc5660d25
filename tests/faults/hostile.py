"""A store on a raw socket that answers exactly what a test wrote, byte for byte.

An answer is a function from the request's head to bytes, whole or in pieces. The store shares no
code with the package.
"""

from __future__ import annotations

import re
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import petstore_frame as pf
from clocks import timed_client

KEY = "a-key-that-must-not-travel"
Answer = Callable[[str], bytes | Iterable[bytes] | None]


class RawServer(AbstractContextManager[Any]):
    """Serves each connection in a thread of its own until closed."""

    def listen(self) -> None:
        """Begin to serve."""
        self.connections = 0
        self.wires: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                wire, _ = self._listener.accept()
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections += 1
                self.wires.add(wire)
                self._threads.append(
                    threading.Thread(target=self._serve, args=(wire,), daemon=True)
                )
                self._threads[-1].start()

    def _serve(self, wire: socket.socket) -> None:
        with suppress(OSError), wire:
            self._talk(wire)
        self.wires.discard(wire)

    def _talk(self, wire: socket.socket) -> None:
        """Answer the requests of a connection; it ends where this does."""
        raise NotImplementedError

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for wire in list(self.wires):
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def __exit__(self, *_: object) -> None:
        self.close()


class HostileStore(RawServer):
    """Answers a request's head with the bytes, or pieces, that it is told; None drops it."""

    def __init__(self, answer: Answer) -> None:
        self.heads: list[str] = []
        self._answer = answer
        self.listen()

    def _talk(self, wire: socket.socket) -> None:
        received = b""
        while chunk := wire.recv(65536):
            received += chunk
            while b"\r\n\r\n" in received:
                head, _, received = received.partition(b"\r\n\r\n")
                self.heads.append(head.decode("latin-1"))
                answer = self._answer(self.heads[-1])
                if answer is None:
                    return
                for piece in [answer] if isinstance(answer, bytes) else answer:
                    wire.sendall(piece)


@contextmanager
def opened(answer: Answer, **options: Any) -> Iterator[tuple[HostileStore, pf.Client]]:
    """Yield such a store and a client of it, which waits no time before it asks again."""
    with HostileStore(answer) as store, timed_client(store.base_url, KEY, **options) as client:
        yield store, client


def http(
    status: str, body: bytes | str = b"[]", *headers: str, kind: str = "application/json"
) -> bytes:
    """Return an HTTP answer with a correct length."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}"]
    if kind:
        lines.append(f"Content-Type: {kind}")
    return "\r\n".join([*lines, *headers, "", ""]).encode() + content


def pets_body(*ids: int) -> str:
    """Return a listing of pets with these ids."""
    pets = ",".join(f'{{"id":{n},"name":"Pet {n}","categoryId":1}}' for n in ids)
    return f"[{pets}]"


def page_number(head: str) -> int:
    """Return the page that a request asks for."""
    match = re.search(r"[?&]page=(\d+)", head)
    return int(match[1]) if match else 1


def pages(count: int, instead: Mapping[int, list[Answer]]) -> Answer:
    """Pages of two pets joined by next links; other answers to a page come before it does."""

    def answer(head: str) -> bytes | Iterable[bytes] | None:
        number = page_number(head)
        if instead.get(number):
            return instead[number].pop(0)(head)
        link = [f'Link: <?limit=100&page={number + 1}>; rel="next"'] if number < count else []
        return http("200 OK", pets_body(2 * number, 2 * number + 1), *link)

    return answer


def press_ctrl_c(_: str) -> Iterator[bytes]:
    """Press Ctrl-C, and answer without an end."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    yield b"HTTP/1.1 200 OK\r\nX-A: "
    while not threading.Event().wait(0.1):
        yield b"a"
