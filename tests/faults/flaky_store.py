"""A store on raw sockets that fails on purpose, at a known point before or after it acts.

It spells the interface itself and shares no code with the package. Tests ask it afterwards which
pets exist, how many POSTs came, and what was done to them.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

KEY = "a-key-of-the-tests"
# Faults that leave the client without a usable answer although the request went out whole.
DOUBTFUL = (
    "fin_before",
    "fin_after",
    "reset_before",
    "reset_after",
    "stall_before",
    "stall_after",
    "500_before",
    "500_after",
    "502_before",
    "503_after",
    "504_after",
    "late_apply",
)
CUT_201 = ("201_cut", "201_reset", "201_stalled", "201_no_json")
HARMLESS = ("429", "408", "425")


class FlakyStore:
    """Serves until closed, each connection in a thread of its own.

    Args:
        fault_of: Gives the fault for the n-th POST (1 for the first), or None for none.
        honours_keys: Deduplicate on Idempotency-Key.
        has_links: Show the way to the next page; otherwise a list is cut at its limit.
        link_form: How the link to the next page is spelt.
        page_cap: The most pets on a page, whatever the limit asked for.
        has_get_pet: Serve ``GET /pets/{id}``; otherwise 410, as after its removal.
        next_id: Gives the id after the last one.
        stall_s: How long a stalled answer hangs before its connection is dropped.
        late_s: How long after the disconnection a ``late_apply`` is applied.
        latency_s: How long each POST takes.
        retry_after_s: How long a 429 or a 503 asks to wait; None is 0 in a 429, nothing in a 503.
        host: Where it listens.
        port: Where it listens; 0 for any that is free.
    """

    def __init__(
        self,
        fault_of: Callable[[int], str | None] = lambda n: None,
        *,
        honours_keys: bool = False,
        has_links: bool = False,
        link_form: str = '<{}>; rel="next"',
        page_cap: int = 100,
        has_get_pet: bool = True,
        next_id: Callable[[int], int] = lambda last: last + 1,
        stall_s: float = 30.0,
        late_s: float = 0.2,
        latency_s: float = 0.0,
        retry_after_s: int | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.fault_of = fault_of
        self.honours_keys = honours_keys
        self.has_links = has_links
        self.link_form = link_form
        self.page_cap = page_cap
        self.has_get_pet = has_get_pet
        self.is_up = True
        self.on_post: Callable[[int, str], None] = lambda number, stage: None
        self.on_get: Callable[[], None] = lambda: None
        self.pets: dict[int, dict] = {}
        self.posts = 0
        self.gets = 0
        self.keys_seen: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.most_at_once = 0
        self._at_once = 0
        self._by_key: dict[str, tuple[bytes, int]] = {}
        self._next_id = next_id
        self._last_id = 0
        self._stall_s = stall_s
        self._late_s = late_s
        self._latency_s = latency_s
        self._retry_after_s = retry_after_s
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._late: list[threading.Timer] = []
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server((host, port), backlog=256)
        self.port = self._listener.getsockname()[1]
        self.base_url = f"http://{host}:{self.port}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    # -- what tests ask -------------------------------------------------------------------------

    def pet_counts(self) -> Counter[tuple]:
        """How many pets there are of each (name, categoryId, status)."""
        self.settle()
        with self._lock:
            return Counter(
                (pet["name"], pet["categoryId"], pet.get("status")) for pet in self.pets.values()
            )

    def settle(self) -> None:
        """Wait for what is applied late."""
        for timer in list(self._late):
            timer.join()

    def wait_until_alone(self) -> None:
        """Wait for the requests of clients that were killed."""
        while self._open:
            self._closing.wait(0.01)
        self.settle()

    def add(self, pet: dict) -> int:
        """Add a pet of someone else's."""
        with self._lock:
            return self._add(pet)

    def close(self) -> None:
        self._closing.set()
        self.settle()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> FlakyStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the wire -------------------------------------------------------------------------------

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not self.is_up:
                connection.close()
                continue
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        buffer = b""
        try:
            while True:
                while b"\r\n\r\n" not in buffer:
                    chunk = connection.recv(65536)
                    if not chunk:
                        return
                    buffer += chunk
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {
                    name.lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in lines)
                }
                method, target, _ = first.split(" ")
                if method == "POST":
                    number = self._count_post()
                    self.on_post(number, "headers")
                length = int(headers.get("content-length", 0))
                while len(buffer) < length:
                    chunk = connection.recv(65536)
                    if not chunk:
                        return
                    buffer += chunk
                body, buffer = buffer[:length], buffer[length:]
                if headers.get("authorization") != f"Bearer {KEY}":
                    connection.sendall(error_answer(401, "unauthorized"))
                elif method == "POST":
                    if not self._post(connection, number, headers, body):
                        return
                else:
                    self.gets += 1
                    self.on_get()
                    connection.sendall(self._get(target))
        except OSError:
            return
        finally:
            self._open.discard(connection)
            connection.close()

    def _count_post(self) -> int:
        with self._lock:
            self.posts += 1
            return self.posts

    def _post(self, connection: socket.socket, number: int, headers: dict, body: bytes) -> bool:
        """Answer a POST as its fault wants; False ends the connection."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            self.on_post(number, "body")
            fault = self.fault_of(number)
            self.faults[fault or "none"] += 1
            self._closing.wait(self._latency_s)
            return self._misbehave(connection, number, fault or "", headers, body)
        finally:
            with self._lock:
                self._at_once -= 1

    def _misbehave(
        self, connection: socket.socket, number: int, fault: str, headers: dict, body: bytes
    ) -> bool:
        key = headers.get("idempotency-key")
        if key:
            self.keys_seen[key] += 1
        if fault == "late_apply":
            timer = threading.Timer(self._late_s, self._apply, (body, key))
            self._late.append(timer)
            timer.start()
            return False
        if fault.endswith("_before") or fault in HARMLESS or fault[:3] in _REFUSALS:
            answer = None
        else:
            answer = self._apply(body, key)
            self.on_post(number, "applied")
        if fault.startswith("fin"):
            return False
        if fault.startswith("reset") or fault == "201_reset":
            if fault == "201_reset":
                connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\n{")
                self._closing.wait(0.02)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if fault.startswith("stall"):
            self._closing.wait(self._stall_s)
            return False
        if fault == "201_cut":
            connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\n{")
            return False
        if fault == "201_stalled":
            connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\n{")
            self._closing.wait(self._stall_s)
            return False
        if fault == "201_no_json":
            connection.sendall(answer_of(201, b"<html>created</html>"))
            return True
        if fault == "redirect":
            connection.sendall(answer_of(307, b"", "Location: /v1/elsewhere\r\n"))
            return True
        if fault == "html_404":
            connection.sendall(answer_of(404, b"<html>proxy</html>"))
            return True
        if fault[:3].isdigit() and fault[:3] != "201":
            status = int(fault[:3])
            asked_s = 0 if status == 429 and self._retry_after_s is None else self._retry_after_s
            is_asking = status in (429, 503) and asked_s is not None
            more = f"Retry-After: {asked_s}\r\n" if is_asking else ""
            connection.sendall(error_answer(status, "made_up", more))
            return True
        connection.sendall(answer or error_answer(500, "no_answer"))
        self.on_post(number, "answered")
        return True

    def _apply(self, body: bytes, key: str | None) -> bytes:
        with self._lock:
            if key and self.honours_keys and key in self._by_key:
                stored, pet_id = self._by_key[key]
                if stored != body:
                    return error_answer(422, "idempotency_conflict")
                return answer_of(201, json.dumps(self.pets[pet_id]).encode())
            pet = json.loads(body)
            if not isinstance(pet.get("name"), str) or not isinstance(pet.get("categoryId"), int):
                return error_answer(400, "invalid_request")
            if pet["name"].startswith("refuse me"):
                return error_answer(400, "unwanted_name")
            pet_id = self._add(pet)
            if key and self.honours_keys:
                self._by_key[key] = (body, pet_id)
            return answer_of(201, json.dumps(self.pets[pet_id]).encode())

    def _add(self, pet: dict) -> int:
        self._last_id = self._next_id(self._last_id)
        self.pets[self._last_id] = {"id": self._last_id, **pet}
        return self._last_id

    def _get(self, target: str) -> bytes:
        if not self.is_up:
            return error_answer(503, "down")
        parts = urlsplit(target)
        path = parts.path.removeprefix("/v1/pets")
        with self._lock:
            pets = list(self.pets.values())
        if path.startswith("/"):
            if not self.has_get_pet:
                return error_answer(410, "gone")
            pet = self.pets.get(int(path[1:]))
            if pet is None:
                return error_answer(404, "not_found")
            return answer_of(200, json.dumps(pet).encode())
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if "status" in query:
            pets = [pet for pet in pets if pet.get("status") == query["status"]]
        limit = min(int(query.get("limit", 20)), self.page_cap)
        start = int(query.get("start", 0)) if self.has_links else 0
        more = ""
        if self.has_links and len(pets) > start + limit:
            status = f"&status={query['status']}" if "status" in query else ""
            link = f"/v1/pets?limit={limit}&start={start + limit}{status}"
            more = f"Link: {self.link_form.format(link)}\r\n"
        return answer_of(200, json.dumps(pets[start : start + limit]).encode(), more)


_REFUSALS = ("400", "401", "403", "404", "405", "409", "410", "413", "415", "422", "red", "htm")


def answer_of(status: int, body: bytes, more: str = "") -> bytes:
    """One answer of the wire."""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def error_answer(status: int, code: str, more: str = "") -> bytes:
    """An Error of the interface."""
    error = {"code": code, "message": f"made up {status}", "status": status}
    return answer_of(status, json.dumps(error).encode(), more)
