"""A store that misbehaves: a proxy that draws faults from a seed, and counts what was applied."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import socket
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import h11
import pandas as pd

from petstore_frame.bundled.rates import RATES
from petstore_frame.errors import ServiceStartError
from petstore_frame.schema.text import count_text

_SLOW_S = 1.0
_LATE_S = 120.0  # a client that waits longer than this is cut off
_OWN_HOP = (b"connection", b"keep-alive", b"transfer-encoding", b"content-length")
_NOT_PASSED_ON = (*_OWN_HOP, b"host", b"accept-encoding", b"expect")
_COLUMNS = {"name": "name", "categoryId": "category_id", "status": "status"}
_COUNTS = ("sent", "applied", "answered")
Reply = tuple[int, list[tuple[bytes, bytes]], bytes]


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


class FaultyProxy:
    """A proxy on loopback, in a thread of its own.

    A request's fault depends on the seed, on the request and on how often it came before, and so
    not on what else is in flight: the same seed gives the same faults.
    """

    def __init__(self, upstream: str, faults: Mapping[str, float], seed: int, port: int) -> None:
        self._upstream, self._faults, self._seed = urlsplit(upstream), faults, seed
        try:
            listener = socket.create_server(("127.0.0.1", port), backlog=1024)
        except OSError as problem:
            text = f"cannot listen on port {port}: {problem.strerror}; port 0 picks a free one"
            raise ServiceStartError(text) from problem
        own = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.base_url = own + self._upstream.path.rstrip("/")
        theirs = f"{self._upstream.scheme}://{self._upstream.netloc}"
        self._rewritten = (theirs.encode(), own.encode())
        self._times: Counter[tuple[bytes, bytes, bytes]] = Counter()
        self._posted: dict[str, _Posted] = {}
        self._drawn: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._ends = asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(listener,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the proxy, with the connections that are open."""
        self._loop.call_soon_threadsafe(self._ends.set)
        self._thread.join(10)

    def truth(self) -> pd.DataFrame:
        """Return a row for each body that was posted: how often sent, applied and answered."""
        posted = [each for each in list(self._posted.values()) if isinstance(each.body, dict)]
        bodies = pd.DataFrame([each.body for each in posted], columns=list(_COLUMNS))
        bodies = bodies.rename(columns=_COLUMNS).astype(
            {"category_id": "Int64", "status": "object"}
        )
        counts = {
            name: pd.Series([getattr(each, name) for each in posted], dtype="int64")
            for name in _COUNTS
        }
        ids = pd.Series([each.ids for each in posted], dtype="object")
        return bodies.assign(**counts, ids=ids)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the truth, and how often each fault was drawn."""
        posted = list(self._posted.values())
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
            f"{count_text(told['applied'], 'POST')} applied, {told['answered']:,} answered; "
            f"{'1 body' if twice == 1 else f'{twice:,} bodies'} applied twice, "
            f"{told['never_applied']:,} never; faults: {drawn or 'none'}"
        )

    def _run(self, listener: socket.socket) -> None:
        asyncio.set_event_loop(self._loop)
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener))

    async def _serve(self, listener: socket.socket) -> None:
        server = await asyncio.start_server(self._talk, sock=listener)
        await self._ends.wait()
        server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it ends or a fault cuts it."""
        wire = h11.Connection(h11.SERVER)
        try:
            while (came := await _receive(wire, reader)) is not None:
                request, body = came
                if not await self._exchange(wire, request, body, reader, writer):
                    break
                wire.start_next_cycle()
        except (h11.ProtocolError, OSError, asyncio.CancelledError):
            pass  # the client went away, or the proxy ends
        finally:
            writer.close()

    async def _exchange(
        self,
        wire: h11.Connection,
        request: h11.Request,
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Pass on a request and its answer; return False where the connection is cut."""
        fault, chance = self._draw(request, body)
        posted = self._post(body) if request.method == b"POST" else _Posted(None)
        posted.sent += 1
        if chance.random() < self._faults.get("slow", 0):
            self._drawn["slow"] += 1
            await asyncio.sleep(_SLOW_S)
        if fault == "refused":
            return False
        if fault == "busy":
            status, wait = chance.choice((429, 503)), chance.choice(([], [(b"retry-after", b"1")]))
            reply: Reply = (status, [*wait, (b"content-type", b"text/plain")], b"busy")
        else:
            for _ in range(2 if fault == "repeat" else 1):
                reply = await self._ask(request, body)
                posted.note(reply)
        if fault == "error-after":
            reply = (500, [(b"content-type", b"text/plain")], b"the store failed")
        if fault == "late":
            await asyncio.wait([asyncio.ensure_future(reader.read(1))], timeout=_LATE_S)
            return False
        status, headers, content = reply
        headers = [*headers, (b"content-length", b"%d" % len(content))]
        sent = _bytes(wire, h11.Response(status_code=status, headers=headers), content)
        is_cut = fault == "lost-reply"
        posted.answered += 200 <= status < 300 and not is_cut  # before a client can know it
        writer.write(sent[: int(len(sent) * chance.random())] if is_cut else sent)
        await writer.drain()
        return not is_cut and wire.our_state is h11.DONE

    def _draw(self, request: h11.Request, body: bytes) -> tuple[str, random.Random]:
        """Return the fault of a request, or "", and the chance that its details are drawn from."""
        asked = (request.method, request.target, hashlib.sha256(body).digest())
        chance = random.Random(f"{self._seed} {asked} {self._times[asked]}")
        self._times[asked] += 1
        at = chance.random()
        for name in RATES:
            at -= self._faults.get(name, 0) if name != "slow" else 0
            if at < 0:
                self._drawn[name] += 1
                return name, chance
        return "", chance

    def _post(self, body: bytes) -> _Posted:
        given = _json(body)
        key = repr(body) if given is None else json.dumps(given, sort_keys=True)
        return self._posted.setdefault(key, _Posted(given))

    async def _ask(self, request: h11.Request, body: bytes) -> Reply:
        """Return what the store answers, with links that lead through this proxy."""
        host, scheme = self._upstream.hostname or "", self._upstream.scheme
        port = self._upstream.port or (443 if scheme == "https" else 80)
        wire = h11.Connection(h11.CLIENT)
        headers = [each for each in request.headers if each[0] not in _NOT_PASSED_ON]
        headers += [(b"host", self._upstream.netloc.encode()), (b"connection", b"close")]
        headers += [(b"content-length", b"%d" % len(body))] if body else []
        target = self._capped(request.target) if request.method == b"GET" else request.target
        asked = h11.Request(method=request.method, target=target, headers=headers)
        try:
            reader, writer = await asyncio.open_connection(
                host, port, ssl=scheme == "https" or None
            )
            try:
                writer.write(_bytes(wire, asked, body))
                came = await _receive(wire, reader)
            finally:
                writer.close()
        except (OSError, h11.ProtocolError):
            came = None
        if came is None:
            return 502, [(b"content-type", b"text/plain")], b"the store does not answer"
        head, content = came
        answered = [
            (name, value.replace(*self._rewritten) if name in (b"link", b"location") else value)
            for name, value in head.headers
            if name not in _OWN_HOP
        ]
        return head.status_code, answered, content

    def _capped(self, target: bytes) -> bytes:
        """Return the address of a page of at most ``cap`` pets."""
        cap, place = self._faults.get("cap"), urlsplit(target.decode("ascii"))
        if cap is None or not place.path.endswith("/pets"):
            return target
        query = dict(parse_qsl(place.query, keep_blank_values=True))
        asked = query.get("limit", "20")
        if asked.isdecimal() and int(asked) > cap:
            query["limit"] = f"{cap:.0f}"
        return f"{place.path}?{urlencode(query)}".encode()


async def _receive(wire: h11.Connection, reader: asyncio.StreamReader) -> Any:
    """Return a message's head and its body; None where the other side ends the connection."""
    head, body = None, b""
    while True:
        event = wire.next_event()
        if event is h11.NEED_DATA:
            wire.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request | h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return head, body
        elif not isinstance(event, h11.InformationalResponse):
            return None


def _bytes(wire: h11.Connection, head: h11.Request | h11.Response, body: bytes) -> bytes:
    events = (head, h11.Data(body), h11.EndOfMessage())
    return b"".join(wire.send(event) or b"" for event in events)


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
