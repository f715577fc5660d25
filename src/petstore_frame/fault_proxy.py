"""Runs a proxy in front of a store, which injects random faults and counts what was applied.

It is a proxy instead of middleware in the bundled service, because it also works in front of other
stores and cuts connections in the middle of a response, and because ``truth()`` reads its counts in
the process of the caller.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partialmethod
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from petstore_frame.errors import ArgumentError, ServiceStartError
from petstore_frame.validation import checked_choice

if TYPE_CHECKING:
    import pandas as pd

_EXCLUSIVE_FAULTS = ("lost-reply", "refused", "late", "error-after", "busy", "repeat")
FAULTS = (*_EXCLUSIVE_FAULTS, "slow", "cap")
_SLOW_S = 1.0
_LATE_S = 120.0  # a client that waits longer than this is cut off
_HOP_HEADERS = ("connection", "keep-alive", "transfer-encoding", "content-length")
_NOT_FORWARDED = (*_HOP_HEADERS, "host", "accept-encoding", "expect")
_COUNTS = ("sent", "applied", "answered")
_DTYPES = {
    "name": "object",
    "category_id": "Int64",
    "status": "object",
    **dict.fromkeys(_COUNTS, "int64"),
    "ids": "object",
}
Reply = tuple[int, list[tuple[str, str]], bytes]


def read_faults(text_or_rates: str | Mapping[str, float]) -> dict[str, float]:
    """Return the rates in a text such as ``"lost-reply=0.05,cap=20"`` or in a dict.

    Raises:
        ArgumentError: There is no such fault, or a rate is not from 0 to 1.

    Example:
        >>> read_faults("lost-reply=0.05,cap=20")
        {'lost-reply': 0.05, 'cap': 20.0}
    """
    rates: Mapping[str, Any] = {}
    if isinstance(text_or_rates, str):
        parts = (part.partition("=") for part in text_or_rates.split(",") if part.strip())
        rates = {name: value for name, _, value in parts}
    else:
        rates = text_or_rates
    faults: dict[str, float] = {}
    for text, value in rates.items():
        name = checked_choice("a fault", text.strip().replace("_", "-"), FAULTS)
        faults[name] = _read_rate(name, value)
    if sum(faults.get(name, 0) for name in _EXCLUSIVE_FAULTS) > 1:
        raise ArgumentError(
            "faults: the rates add up to more than 1, but a request can have one fault only"
        )
    return faults


def _read_rate(name: str, value: Any) -> float:
    try:
        rate = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"faults: {name} must be a number, got {value!r}") from None
    if name == "cap" and rate not in range(1, 101):
        raise ArgumentError(f"faults: cap must be a page size from 1 to 100, got {value!r}")
    if name != "cap" and not 0 <= rate <= 1:
        raise ArgumentError(
            f"faults: {name} must be a rate from 0 to 1, such as 0.05, got {value!r}"
        )
    return rate


@dataclass
class _PostedBody:
    """A request body: how often it was posted, and the pets that the store created from it."""

    body: Any
    sent: int = 0
    applied: int = 0
    answered: int = 0
    ids: list[int] = field(default_factory=list)

    def count_reply(self, reply: Reply) -> None:
        """Count a success response, unless it has a pet that was counted before."""
        status, _, content = reply
        pet = _parse_json(content)
        pet_id = pet.get("id") if isinstance(pet, dict) else None
        if not 200 <= status < 300 or pet_id in self.ids:
            return
        self.applied += 1
        if pet_id is not None:
            self.ids.append(pet_id)


class FaultyProxy(ThreadingHTTPServer):
    """A proxy on loopback, which runs in its own threads.

    The fault of a request depends on the seed, the request and the number of times it was sent, but
    not on other requests in flight, so the same seed gives the same faults.
    """

    request_queue_size = 1024

    def __init__(self, upstream: str, faults: Mapping[str, float], seed: int, port: int) -> None:
        self._upstream, self._faults, self._seed = _split_address(upstream), faults, seed
        try:
            super().__init__(("127.0.0.1", port), _Exchange)
        except OSError as problem:
            text = f"cannot listen on port {port}: {problem.strerror}; port 0 picks a free one"
            raise ServiceStartError(text) from problem
        own = f"http://127.0.0.1:{self.server_port}"
        self.base_url = own + self._upstream.path.rstrip("/")
        self._rewritten = (f"{self._upstream.scheme}://{self._upstream.netloc}", own)
        self._requests: Counter[tuple[str, str, bytes]] = Counter()
        self._posted: dict[str, _PostedBody] = {}
        self._injected: Counter[str] = Counter()
        self.counting = threading.Lock()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """End the proxy."""
        self.shutdown()
        self.server_close()

    def truth(self) -> pd.DataFrame:
        """Return a row per posted body, with the counts of requests, created pets and successes."""
        import pandas as pd  # imported here to start a server a second earlier

        rows = [
            [posted.body.get(name) for name in ("name", "categoryId", "status")]
            + [posted.sent, posted.applied, posted.answered, posted.ids]
            for posted in self._posted.values()
            if isinstance(posted.body, dict)
        ]
        return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)

    def summary(self) -> dict[str, Any]:
        """Return the totals of the truth, and how often each fault was injected."""
        bodies = self._posted.values()
        return {
            **{name: sum(getattr(posted, name) for posted in bodies) for name in _COUNTS},
            "applied_twice": sum(posted.applied > 1 for posted in bodies),
            "never_applied": sum(posted.applied == 0 for posted in bodies),
            "faults": dict(sorted(self._injected.items())),
        }

    def __str__(self) -> str:
        totals = self.summary()
        faults = ", ".join(f"{count:,} {name}" for name, count in totals["faults"].items())
        applied, twice = totals["applied"], totals["applied_twice"]
        return (
            f"{applied:,} POST{'' if applied == 1 else 's'} applied, "
            f"{totals['answered']:,} answered; "
            f"{'1 body' if twice == 1 else f'{twice:,} bodies'} applied twice, "
            f"{totals['never_applied']:,} never; faults: {faults or 'none'}"
        )

    def choose_fault(
        self, method: str, target: str, body: bytes
    ) -> tuple[str, bool, random.Random]:
        """Return the fault of a request or "", whether it is slow, and its random generator."""
        request = (method, target, hashlib.sha256(body).digest())
        with self.counting:
            chance = random.Random(f"{self._seed} {request} {self._requests[request]}")
            self._requests[request] += 1
            rates = [self._faults.get(name, 0) for name in _EXCLUSIVE_FAULTS]
            (fault,) = chance.choices((*_EXCLUSIVE_FAULTS, ""), (*rates, max(1 - sum(rates), 0)))
            is_slow = chance.random() < self._faults.get("slow", 0)
            self._injected.update(name for name in (fault, "slow" if is_slow else "") if name)
        return fault, is_slow, chance

    def count_post(self, body: bytes) -> _PostedBody:
        """Count a posted body, and return its record."""
        parsed = _parse_json(body)
        key = repr(body) if parsed is None else json.dumps(parsed, sort_keys=True)
        with self.counting:
            posted = self._posted.setdefault(key, _PostedBody(parsed))
            posted.sent += 1
        return posted

    def forward(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Return the response of the store, with links through this proxy."""
        forwarded = {n: text for n, text in headers.items() if n.lower() not in _NOT_FORWARDED}
        is_https = self._upstream.scheme == "https"
        connection_type = HTTPSConnection if is_https else HTTPConnection
        connection = connection_type(self._upstream.netloc, timeout=_LATE_S)
        try:
            connection.request(method, self._with_page_cap(method, target), body or None, forwarded)
            response = connection.getresponse()
            content = response.read()
        except (OSError, HTTPException):
            return 502, [("Content-Type", "text/plain")], b"the store does not answer"
        finally:
            connection.close()
        returned = [
            (name, text.replace(*self._rewritten) if name.lower() in ("link", "location") else text)
            for name, text in response.getheaders()
            if name.lower() not in _HOP_HEADERS
        ]
        return response.status, returned, content

    def _with_page_cap(self, method: str, target: str) -> str:
        """Return the address of a page of at most ``cap`` pets."""
        cap, parts = self._faults.get("cap"), urlsplit(target)
        if cap is None or method != "GET" or not parts.path.endswith("/pets"):
            return target
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        limit = query.get("limit", "20")
        if limit.isdecimal() and int(limit) > cap:
            query["limit"] = f"{cap:.0f}"
        return f"{parts.path}?{urlencode(query)}"


def _split_address(upstream: str) -> SplitResult:
    """Return the parts of the address of a store.

    Raises:
        ArgumentError: It is not an http or https address. The message omits the address, because it
            may have a password.
    """
    try:
        parts = urlsplit(upstream)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is out of range or not a number
        is_valid = False
    if not is_valid or "@" in parts.netloc:
        raise ArgumentError("upstream must be the address of a store, such as https://host/v1")
    return parts


class _Exchange(BaseHTTPRequestHandler):
    """A connection: forwards requests and responses, and applies the chosen faults."""

    server: FaultyProxy
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(OSError):  # the client disconnected
            super().handle()

    def _exchange(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault, is_slow, chance = self.server.choose_fault(method, self.path, body)
        posted = self.server.count_post(body) if method == "POST" else _PostedBody(None)
        if fault in ("refused", "late", "lost-reply"):
            self.close_connection = True
        if is_slow:
            time.sleep(_SLOW_S)
        if fault == "refused":
            return
        if fault == "busy":
            reply = _busy_reply(chance)
        else:
            reply = self._forward(method, body, posted, 2 if fault == "repeat" else 1)
        if fault == "late":
            self._wait_for_client_to_leave()
            return
        if fault == "error-after":
            reply = (500, [("Content-Type", "text/plain")], b"the store failed")
        self._send(reply, posted, chance if fault == "lost-reply" else None)

    def _forward(self, method: str, body: bytes, posted: _PostedBody, times: int) -> Reply:
        """Forward a request once or twice, and return the last response."""
        for _ in range(times):
            reply = self.server.forward(method, self.path, dict(self.headers), body)
            with self.server.counting:
                posted.count_reply(reply)
        return reply

    def _wait_for_client_to_leave(self) -> None:
        self.connection.settimeout(_LATE_S)
        self.connection.recv(1)

    def _send(self, reply: Reply, posted: _PostedBody, cut: random.Random | None) -> None:
        """Send a response, or with ``cut`` only its first part."""
        status, headers, content = reply
        lines = [f"{name}: {text}\r\n" for name, text in headers]
        head = f"HTTP/1.1 {status} \r\n{''.join(lines)}Content-Length: {len(content)}\r\n\r\n"
        to_send = head.encode("latin-1") + content
        if cut is not None:
            to_send = to_send[: int(len(to_send) * cut.random())]
        elif 200 <= status < 300:
            posted.answered += 1  # before the client receives it
        self.wfile.write(to_send)

    do_GET = partialmethod(_exchange, "GET")  # noqa: N815 # the base class defines these names
    do_POST = partialmethod(_exchange, "POST")  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, because a query may have a key."""


def _busy_reply(chance: random.Random) -> Reply:
    status = chance.choice((429, 503))
    retry_after = chance.choice(([], [("Retry-After", "1")]))
    return status, [*retry_after, ("Content-Type", "text/plain")], b"busy"


def _parse_json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
