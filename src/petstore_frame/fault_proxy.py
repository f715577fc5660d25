"""Puts a proxy before a store, which draws faults from a seed and counts what was applied."""

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
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pandas as pd

from petstore_frame.errors import ArgumentError, ServiceStartError
from petstore_frame.validation import one_of

_ONE_OF = ("lost-reply", "refused", "late", "error-after", "busy", "repeat")
KNOWN = (*_ONE_OF, "slow", "cap")
_SLOW_S = 1.0
_LATE_S = 120.0  # a client that waits longer than this is cut off
_OWN_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length")
_NOT_PASSED_ON = (*_OWN_HOP, "host", "accept-encoding", "expect")
_COUNTS = ("sent", "applied", "answered")
_DTYPES = {
    "name": "object",
    "category_id": "Int64",
    "status": "object",
    **dict.fromkeys(_COUNTS, "int64"),
    "ids": "object",
}
Reply = tuple[int, list[tuple[str, str]], bytes]


def read_faults(given: str | Mapping[str, float]) -> dict[str, float]:
    """Return faults that are given as ``"lost-reply=0.05,cap=20"`` or as a dict.

    Raises:
        ArgumentError: A fault is not known, or a rate is not from 0 to 1.

    Example:
        >>> read_faults("lost-reply=0.05,cap=20")
        {'lost-reply': 0.05, 'cap': 20.0}
    """
    if isinstance(given, str):
        parts = (part.partition("=") for part in given.split(",") if part.strip())
        given = {name: value for name, _, value in parts}  # type: ignore[misc] # read below
    faults: dict[str, float] = {}
    for word, value in given.items():
        name = one_of("a fault", word.strip().replace("_", "-"), KNOWN)
        try:
            faults[name] = float(value)
        except ValueError:
            raise ArgumentError(f"faults: {name} is a number, got {value!r}") from None
        if name == "cap" and faults[name] not in range(1, 101):
            raise ArgumentError(f"faults: cap is the pets of a page, from 1 to 100, got {value!r}")
        if name != "cap" and not 0 <= faults[name] <= 1:
            raise ArgumentError(
                f"faults: {name} is a rate from 0 to 1, such as 0.05, got {value!r}"
            )
    if sum(faults.get(name, 0) for name in _ONE_OF) > 1:
        raise ArgumentError(
            "faults: the rates add up to more than 1, and a request meets at most one fault"
        )
    return faults


@dataclass
class _Posted:
    """What became of one body: how often it came, and which pets the store made of it."""

    body: Any
    sent: int = 0
    applied: int = 0
    answered: int = 0
    ids: list[int] = field(default_factory=list)

    def note(self, reply: Reply) -> None:
        """Count a success of the store, unless its pet is one that this body made before."""
        status, _, content = reply
        answer = _json(content)
        pet_id = answer.get("id") if isinstance(answer, dict) else None
        if 200 <= status < 300 and (pet_id is None or pet_id not in self.ids):
            self.applied += 1
            self.ids += [] if pet_id is None else [pet_id]


class FaultyProxy(ThreadingHTTPServer):
    """A proxy on loopback, in threads of its own.

    A request's fault depends on the seed, on the request and on how often it came before, and so
    not on what else is in flight: the same seed gives the same faults.
    """

    request_queue_size = 1024

    def __init__(self, upstream: str, faults: Mapping[str, float], seed: int, port: int) -> None:
        self._upstream, self._faults, self._seed = urlsplit(upstream), faults, seed
        try:
            super().__init__(("127.0.0.1", port), _Exchange)
        except OSError as problem:
            text = f"cannot listen on port {port}: {problem.strerror}; port 0 picks a free one"
            raise ServiceStartError(text) from problem
        own = f"http://127.0.0.1:{self.server_port}"
        self.base_url = own + self._upstream.path.rstrip("/")
        self._rewritten = (f"{self._upstream.scheme}://{self._upstream.netloc}", own)
        self._times: Counter[tuple[str, str, bytes]] = Counter()
        self._posted: dict[str, _Posted] = {}
        self._drawn: Counter[str] = Counter()
        self.counting = threading.Lock()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """End the proxy."""
        self.shutdown()
        self.server_close()

    def truth(self) -> pd.DataFrame:
        """Return a row for each body that was posted: how often sent, applied and answered."""
        rows = [
            [each.body.get(name) for name in ("name", "categoryId", "status")]
            + [each.sent, each.applied, each.answered, each.ids]
            for each in self._posted.values()
            if isinstance(each.body, dict)
        ]
        return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the truth, and how often each fault was drawn."""
        posted = self._posted.values()
        return {
            **{name: sum(getattr(each, name) for each in posted) for name in _COUNTS},
            "applied_twice": sum(each.applied > 1 for each in posted),
            "never_applied": sum(each.applied == 0 for each in posted),
            "faults": dict(sorted(self._drawn.items())),
        }

    def __str__(self) -> str:
        told = self.summary()
        drawn = ", ".join(f"{times:,} {name}" for name, times in told["faults"].items())
        twice = told["applied_twice"]
        return (
            f"{told['applied']:,} POST{'' if told['applied'] == 1 else 's'} applied, "
            f"{told['answered']:,} answered; "
            f"{'1 body' if twice == 1 else f'{twice:,} bodies'} applied twice, "
            f"{told['never_applied']:,} never; faults: {drawn or 'none'}"
        )

    def draw(self, method: str, target: str, body: bytes) -> tuple[str, bool, random.Random]:
        """Return a request's fault, or "", whether it is slow, and the chance for details."""
        asked = (method, target, hashlib.sha256(body).digest())
        with self.counting:
            chance = random.Random(f"{self._seed} {asked} {self._times[asked]}")
            self._times[asked] += 1
            rates = [self._faults.get(name, 0) for name in _ONE_OF]
            (fault,) = chance.choices((*_ONE_OF, ""), (*rates, max(1 - sum(rates), 0)))
            is_slow = chance.random() < self._faults.get("slow", 0)
            self._drawn.update(name for name in (fault, "slow" if is_slow else "") if name)
        return fault, is_slow, chance

    def posted(self, body: bytes) -> _Posted:
        """Return what is known of a body, which came once more."""
        given = _json(body)
        key = repr(body) if given is None else json.dumps(given, sort_keys=True)
        with self.counting:
            posted = self._posted.setdefault(key, _Posted(given))
            posted.sent += 1
        return posted

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Return what the store answers, with links that lead through this proxy."""
        passed_on = {n: text for n, text in headers.items() if n.lower() not in _NOT_PASSED_ON}
        kind = HTTPSConnection if self._upstream.scheme == "https" else HTTPConnection
        wire = kind(self._upstream.netloc, timeout=_LATE_S)
        try:
            wire.request(method, self._capped(method, target), body or None, passed_on)
            answer = wire.getresponse()
            content = answer.read()
        except (OSError, HTTPException):
            return 502, [("Content-Type", "text/plain")], b"the store does not answer"
        finally:
            wire.close()
        answered = [
            (name, text.replace(*self._rewritten) if name.lower() in ("link", "location") else text)
            for name, text in answer.getheaders()
            if name.lower() not in _OWN_HOP
        ]
        return answer.status, answered, content

    def _capped(self, method: str, target: str) -> str:
        """Return the address of a page of at most ``cap`` pets."""
        cap, place = self._faults.get("cap"), urlsplit(target)
        if cap is None or method != "GET" or not place.path.endswith("/pets"):
            return target
        query = dict(parse_qsl(place.query, keep_blank_values=True))
        asked = query.get("limit", "20")
        if asked.isdecimal() and int(asked) > cap:
            query["limit"] = f"{cap:.0f}"
        return f"{place.path}?{urlencode(query)}"


class _Exchange(BaseHTTPRequestHandler):
    """One connection: each request is passed on, and its answer back, but for its fault."""

    server: FaultyProxy
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(OSError):  # the client went away
            super().handle()

    def _pass_on(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault, is_slow, chance = self.server.draw(method, self.path, body)
        posted = self.server.posted(body) if method == "POST" else _Posted(None)
        self.close_connection |= fault in ("refused", "late", "lost-reply")
        time.sleep(_SLOW_S if is_slow else 0)
        if fault == "refused":
            return
        reply: Reply
        if fault == "busy":
            status, wait = chance.choice((429, 503)), chance.choice(([], [("Retry-After", "1")]))
            reply = (status, [*wait, ("Content-Type", "text/plain")], b"busy")
        else:
            for _ in range(2 if fault == "repeat" else 1):
                reply = self.server.ask(method, self.path, dict(self.headers), body)
                with self.server.counting:
                    posted.note(reply)
        if fault == "error-after":
            reply = (500, [("Content-Type", "text/plain")], b"the store failed")
        if fault == "late":
            self.connection.settimeout(_LATE_S)
            self.connection.recv(1)  # until the client goes away
            return
        status, headers, content = reply
        lines = [f"{name}: {text}\r\n" for name, text in headers]
        head = f"HTTP/1.1 {status} \r\n{''.join(lines)}Content-Length: {len(content)}\r\n\r\n"
        sent = head.encode("latin-1") + content
        if fault == "lost-reply":
            sent = sent[: int(len(sent) * chance.random())]
        elif 200 <= status < 300:
            posted.answered += 1  # before a client can know it
        self.wfile.write(sent)

    do_GET = partialmethod(_pass_on, "GET")  # noqa: N815 # these names are the base's
    do_POST = partialmethod(_pass_on, "POST")  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: a query may hold a key."""


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
