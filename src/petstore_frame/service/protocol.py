"""HTTP/1.1 as uvicorn and h11 speak it, with deadlines, and Error bodies for what is no request.

What makes a request, and where it ends, is theirs to decide. Added is what they have no option
for: a client that takes too long, a chunk that is announced larger than any body may be, and an
answer that is no plain text.
"""

from __future__ import annotations

import asyncio
import re
import sys
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from petstore_frame.service.errors import Refusal
from petstore_frame.service.requests import MAX_BODY_BYTES

MAX_HEAD_BYTES = 16 * 1024
_CHUNK_SIZE = re.compile(rb"\r?\n?(?P<size>[0-9a-f]+)[^\n]*(?P<end>\n?)", re.IGNORECASE)


class PatientProtocol(H11Protocol):
    """uvicorn's protocol, with a deadline for a request to arrive and for its answer to be read."""

    def __init__(self, *, patience_s: float, **options: Any) -> None:
        super().__init__(**options)
        self.conn = _Connection(h11.SERVER, MAX_HEAD_BYTES)
        self._patience_s = patience_s
        self._arriving: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._arriving = self._later(self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._arriving, self._reading):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        state = self.conn.their_state
        is_arriving = state is h11.SEND_BODY or (
            state is h11.IDLE and bool(self.conn.trailing_data[0])
        )
        if is_arriving and self._arriving is None:
            self._arriving = self._later(self._too_slow)
        elif not is_arriving and self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self._later(self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def send_400_response(self, msg: str) -> None:
        # uvicorn calls this while handling h11's error, which has a status of its own for some.
        known = {413: "the chunk is larger than a body may be", 431: "the head is too large"}
        status = getattr(sys.exception(), "error_status_hint", 400)
        message = known.get(status, "this is not a valid HTTP request")
        self._refuse(Refusal(status if status in known else 400, message))

    def _too_slow(self) -> None:
        self._refuse(Refusal(408, "the request took too long to arrive"))

    def _refuse(self, refusal: Refusal) -> None:
        """Answer outside any request and close; only close where an answer has begun."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            answer = refusal.response()
            answer.headers["connection"] = "close"
            status = HTTPStatus(refusal.status_code)
            head = h11.Response(
                status_code=status, headers=answer.headers.raw, reason=status.phrase
            )
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None:  # an operation that waits for the rest of the request
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        # A peer that does not read would keep a closing transport, and its buffer, for ever.
        self._later(self.transport.abort)

    def _later(self, act: Any) -> asyncio.TimerHandle:
        return self.loop.call_later(self._patience_s, act)


class _Connection(h11.Connection):
    """An h11 connection that sends an answer whole, and waits for no chunk that cannot be true."""

    _head = b""  # of an answer, until there is more of it
    _is_at_size = False  # the size of a chunk comes next

    def send(self, event: Any) -> bytes | None:  # type: ignore[override] # one for all events
        """Give the head of an answer together with its body: one packet, and one system call."""
        sent: bytes | None = super().send(event)
        if type(event) is h11.Response:
            self._head = sent or b""
            return b""
        if self._head:
            sent, self._head = self._head + (sent or b""), b""
        return sent

    def next_event(self) -> Any:
        if self._is_at_size and (line := _CHUNK_SIZE.match(self.trailing_data[0])):
            if int(line["size"], 16) > MAX_BODY_BYTES:
                raise h11.RemoteProtocolError("chunk too large", error_status_hint=413)
            self._is_at_size = not line["end"]
        event = super().next_event()
        if type(event) is h11.Request:
            self._is_at_size = any(name == b"transfer-encoding" for name, _ in event.headers)
        elif type(event) is h11.Data:
            self._is_at_size = event.chunk_end
        return event
