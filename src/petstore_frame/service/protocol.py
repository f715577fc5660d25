"""HTTP/1.1 as uvicorn and h11 speak it, with deadlines, and Error bodies for what is no request.

What makes a request, and where it ends, is theirs to decide. Added is what they have no option
for: a client that takes too long, and an answer that is no plain text.
"""

from __future__ import annotations

import asyncio
import sys
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from petstore_frame.service.errors import Refusal


class PatientProtocol(H11Protocol):
    """uvicorn's protocol for clients that may be slow, but not for ever.

    Args:
        patience_s: Seconds for a request to arrive, and for its answer to be read.
        options: What uvicorn passes.
    """

    def __init__(self, *, patience_s: float, **options: Any) -> None:
        super().__init__(**options)
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
        # uvicorn calls this while handling h11's error, which states 431 for a head too large.
        if getattr(sys.exception(), "error_status_hint", 400) == 431:
            self._refuse(Refusal(431, "the head is too large"))
        else:
            self._refuse(Refusal(400, "this is not a valid HTTP request"))

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
