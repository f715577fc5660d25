"""How the bytes of a connection are checked before they are a request.

In: bytes of a socket. Out: requests for the application; an Error body and a closed connection
where the bytes are not HTTP, too many or too slow. It knows nothing of pets or keys.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from petstore_frame.service.problems import Problem

# How long a client may take for each part of a request, as a multiple of the time for its head.
_SHARES = {"head": 1.0, "body": 2.0, "unread body": 0.2, "reading": 2.0}


class PatientProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with deadlines and with Error bodies for what is not a request.

    Args:
        patience_s: Seconds that a request's head may take.
        options: What uvicorn passes.
    """

    def __init__(self, *, patience_s: float, **options: Any) -> None:
        super().__init__(**options)
        self._patience_s = patience_s
        self._waiting_for: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._write_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._wait_for("head")

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_for(None)
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._watch(answered=True)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline = self._later("reading", self.transport.abort)

    def resume_writing(self) -> None:
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None
            super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._close()

    def send_400_response(self, msg: str) -> None:
        # uvicorn calls this while handling h11's error, which shows if the head was too long.
        hint = getattr(sys.exception(), "error_status_hint", 400)
        if hint == 431:
            self._refuse(Problem(431, "head_too_large", "the request's head is too large"))
        else:
            self._refuse(Problem(400, "invalid_request", "this is not a valid HTTP request"))

    def _watch(self, *, answered: bool = False) -> None:
        """Set the deadline that fits what the client has still to send."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            has_answer = self.cycle is not None and self.cycle.response_complete
            self._wait_for("unread body" if has_answer else "body")
        elif state is h11.IDLE and not (answered and not self.conn.trailing_data[0]):
            self._wait_for("head")
        else:
            self._wait_for(None)

    def _wait_for(self, what: str | None) -> None:
        if what == self._waiting_for:
            return
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._waiting_for = what
        if what is not None:
            self._deadline = self._later(what, self._too_slow)

    def _too_slow(self) -> None:
        if self.transport.is_closing():
            return
        self._refuse(Problem(408, "request_timeout", "the request took too long to arrive"))

    def _refuse(self, problem: Problem) -> None:
        """Answer outside any request and close; only close where an answer has begun."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = problem.body()
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ]
            response = h11.Response(
                status_code=problem.status,
                headers=headers,
                reason=HTTPStatus(problem.status).phrase,
            )
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._close()

    def _close(self) -> None:
        # A peer that does not read would keep a closing transport, and its buffer, for ever.
        self.transport.close()
        self._later("reading", self.transport.abort)

    def _later(self, what: str, act: Callable[[], None]) -> asyncio.TimerHandle:
        return self.loop.call_later(_SHARES[what] * self._patience_s, act)
