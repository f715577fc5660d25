"""A store on raw sockets that fails on purpose, by an interface that it spells itself."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from faults.hostile import RawServer, http

KEY = "a-key-of-the-tests"
# Faults that leave the client without a usable answer although the request went out whole.
DOUBTFUL = (
    "fin_before", "fin_after", "reset_before", "reset_after", "stall_before", "stall_after",
    "500_before", "500_after", "502_before", "503_after", "504_after", "late_apply",
)  # fmt: skip
CUT_201 = ("201_cut", "201_reset", "201_stalled", "201_no_json")
HARMLESS = ("429", "408", "425")


def _ignore(*_: object) -> None: ...


@dataclass(eq=False)
class FlakyStore(RawServer):
    """Serves until closed, each connection in a thread of its own."""

    # Gives the fault for the n-th POST (1 for the first), an answer in its place, or None.
    fault_of: Callable[[int], str | bytes | None] = _ignore
    honors_keys: bool = False  # deduplicate on Idempotency-Key
    has_links: bool = False  # show the way to the next page; else a list is cut at its limit
    page_cap: int = 100  # the most pets on a page, whatever the limit asked for
    stall_s: float = 30.0  # how long a stalled answer hangs before its connection is dropped
    late_s: float = 0.2  # how long after the disconnection a late_apply is applied
    latency_s: float = 0.0  # of each POST
    retry_after_s: int = 0  # of a 429 or a 503
    store_id: str | None = None  # told in each answer; what is meant for another is 412

    is_up = True
    on_post: Callable[[int, str], None] = _ignore
    on_get: Callable[[], None] = _ignore
    pets: dict[int, dict] = field(default_factory=dict)
    keys_seen: Counter[str] = field(default_factory=Counter)
    faults: Counter[str | bytes] = field(default_factory=Counter)
    posts = gets = _last_id = 0

    def __post_init__(self) -> None:
        self._by_key: dict[str, tuple[bytes, int]] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._late: list[threading.Timer] = []
        self.listen()

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

    def restore(self, count: int, *, ids_again: bool) -> set[int]:
        """Go back to the first pets, with their counter of ids or not; return the ids lost."""
        self.settle()
        with self._lock:
            lost = set(list(self.pets)[count:])
            for pet_id in lost:
                del self.pets[pet_id]
            self._by_key = {key: made for key, made in self._by_key.items() if made[1] not in lost}
            if ids_again:
                self._last_id = max(self.pets, default=0)
        return lost

    def wait_until_alone(self) -> None:
        """Wait for the requests of clients that were killed."""
        while self.wires:
            self._closing.wait(0.01)
        self.settle()

    def add(self, pet: dict) -> int:
        """Add a pet of someone else's."""
        with self._lock:
            return self._add(pet)

    def close(self) -> None:
        self._closing.set()
        self.settle()
        super().close()

    def _talk(self, wire: socket.socket) -> None:
        if not self.is_up:
            return
        with wire.makefile("rb") as stream:
            while first := stream.readline().decode("latin-1"):
                method, target, _ = first.split(" ")
                headers = {}
                while ":" in (line := stream.readline().decode("latin-1")):
                    name, _, value = line.partition(":")
                    headers[name.lower()] = value.strip()
                if method == "POST":
                    with self._lock:
                        number = self.posts = self.posts + 1
                    self.on_post(number, "headers")
                length = int(headers.get("content-length", 0))
                body = stream.read(length)
                if len(body) < length:
                    return  # the client is gone
                if headers.get("authorization") != f"Bearer {KEY}":
                    wire.sendall(error_answer(401, "unauthorized"))
                elif method == "POST":
                    if not self._post(wire, number, headers, body):
                        return
                else:
                    self.gets += 1
                    self.on_get()
                    wire.sendall(self._named(self._get(target)))

    def _post(self, connection: socket.socket, number: int, headers: dict, body: bytes) -> bool:
        """Answer a POST as its fault wants; False ends the connection."""
        self.on_post(number, "body")
        fault = self.fault_of(number) or ""
        self.faults[fault or "none"] += 1
        self._closing.wait(self.latency_s)
        if headers.get("x-store-id", self.store_id) != self.store_id:
            fault = self._named(error_answer(412, "other_store"))
        if isinstance(fault, bytes):
            connection.sendall(fault)
            return True
        key = headers.get("idempotency-key")
        if key:
            self.keys_seen[key] += 1
        if fault == "late_apply":
            timer = threading.Timer(self.late_s, self._apply, (body, key))
            self._late.append(timer)
            timer.start()
            return False
        is_applied = not fault.endswith("_before") and not fault.startswith(_REFUSALS)
        answer = self._apply(body, key) if is_applied else error_answer(500, "no_answer")
        if is_applied:
            self.on_post(number, "applied")
        if fault in ("201_cut", "201_reset", "201_stalled"):
            connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\n{")
        if "reset" in fault:
            self._closing.wait(0.02 if is_applied else 0.0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if "stall" in fault:
            self._closing.wait(self.stall_s)
        if any(end in fault for end in ("fin", "cut", "reset", "stall")):
            return False
        if fault[:3].isdigit() and fault[:3] != "201":
            is_asking = fault[:3] in ("429", "503")
            more = [f"Retry-After: {self.retry_after_s}"] if is_asking else []
            connection.sendall(error_answer(int(fault[:3]), "from_frame", *more))
            return True
        connection.sendall(_PLAIN.get(fault, self._named(answer)))
        if fault not in _PLAIN:
            self.on_post(number, "answered")
        return True

    def _named(self, answer: bytes) -> bytes:
        """Add the id of the store to an answer, if it has one."""
        name = b"" if self.store_id is None else b"X-Store-Id: %b\r\n" % self.store_id.encode()
        return answer.replace(b"\r\n", b"\r\n" + name, 1)

    def _apply(self, body: bytes, key: str | None) -> bytes:
        with self._lock:
            if key and self.honors_keys and key in self._by_key:
                stored, pet_id = self._by_key[key]
                if stored != body:
                    return error_answer(422, "idempotency_conflict")
                return http("201 Created", json.dumps(self.pets[pet_id]))
            pet = json.loads(body)
            if not isinstance(pet.get("name"), str) or not isinstance(pet.get("categoryId"), int):
                return error_answer(400, "invalid_request")
            if pet["name"].startswith("refuse me"):
                return error_answer(400, "unwanted_name")
            pet_id = self._add(pet)
            if key and self.honors_keys:
                self._by_key[key] = (body, pet_id)
            return http("201 Created", json.dumps(self.pets[pet_id]))

    def _add(self, pet: dict) -> int:
        self._last_id += 1
        self.pets[self._last_id] = {"id": self._last_id, **pet}
        return self._last_id

    def _get(self, target: str) -> bytes:
        if not self.is_up:
            return error_answer(503, "down")
        parts = urlsplit(target)
        with self._lock:
            pets = list(self.pets.values())
        query: dict[str, Any] = dict(parse_qsl(parts.query))
        if "status" in query:
            pets = [pet for pet in pets if pet.get("status") == query["status"]]
        limit = min(int(query.get("limit", 20)), self.page_cap)
        start = int(query.get("start", 0)) if self.has_links else 0
        more = []
        if self.has_links and len(pets) > start + limit:
            link = "/v1/pets?" + urlencode(query | {"limit": limit, "start": start + limit})
            more = [f'Link: <{link}>; rel="next"']
        return http("200 OK", json.dumps(pets[start : start + limit]), *more)


def error_answer(status: int, code: str, *headers: str) -> bytes:
    """An Error of the interface."""
    error = {"code": code, "message": f"made up {status}", "status": status}
    return http(f"{status} X", json.dumps(error), *headers)


# What is answered without a pet: refusals, a wish to be asked again, another place, another page.
_REFUSALS = ("40", "41", "42", "redirect", "html")
_PLAIN = {
    "201_no_json": http("201 Created", "<html>created</html>"),
    "redirect": http("307 Temporary Redirect", "", "Location: /v1/elsewhere"),
    "html_404": http("404 Not Found", "<html>proxy</html>"),
}
