"""A store on a raw socket that answers exactly what a test wrote, byte for byte.

An answer is a function from the request's head to bytes, whole or in pieces. It shares no code
with the package.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

Answer = Callable[[str], bytes | Iterable[bytes] | None]


class HostileStore:
    """Serves one connection in a thread each until closed.

    Args:
        answer: Gives the bytes for a request's head, or pieces; None drops the connection.
    """

    def __init__(self, answer: Answer) -> None:
        self.heads: list[str] = []
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        return self._listener.getsockname()[1]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        """How many connections were made, ever."""
        return len(self._open)

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                wire, _ = self._listener.accept()
                self._open.append(wire)
                thread = threading.Thread(target=self._talk, args=(wire,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _talk(self, wire: socket.socket) -> None:
        with suppress(OSError), wire:
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

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for wire in self._open:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def __enter__(self) -> HostileStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
