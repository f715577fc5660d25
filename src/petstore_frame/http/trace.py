"""What the events of a request tell: whether all of it was sent, and what its connection brought.

An exception alone does not tell: a body that could not be sent ends in the same class of error as
an answer that never came. httpx reports each step of a request to the ``trace`` among its
extensions, as ``PART.STEP.started``, ``.complete`` or ``.failed``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Any

import httpx

from petstore_frame._internal.interrupts import Deferred

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.ProxyError,
)
_CONNECTS = ("connect_tcp", "start_tls")
# Where Ctrl-C may end a request: elsewhere it could leave one of the transport's locks taken.
_WAITS = (*_CONNECTS, "receive_response_headers", "receive_response_body")
_HEAD_END, _CHUNKS_END = b"\r\n\r\n", b"0\r\n\r\n"


class Trace:
    """Follows one request through a transport.

    Args:
        watch: What notes the bytes of its connection; None for a transport of the caller's own.
        interrupts: Delivers Ctrl-C where this request waits for the store.
    """

    def __init__(self, watch: Watch | None, interrupts: Deferred) -> None:
        self._watch = watch
        self._interrupts = interrupts
        self._has_events = False
        self._was_sent_whole = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self._has_events = True
        part_and_step, _, end = event.rpartition(".")
        step = part_and_step.partition(".")[2]
        if end == "complete":
            if step == "send_request_body":
                self._was_sent_whole = True
            elif step in _CONNECTS and self._watch is not None:
                self._watch.follow(info["return_value"])
        elif step == "send_request_headers" and self._watch is not None:
            self._watch.forget()
        self._interrupts.is_allowed = end == "started" and step in _WAITS
        if self._interrupts.is_allowed:
            self._interrupts.deliver()

    def proves_not_applied(self, problem: Exception) -> bool:
        """Return True where the store cannot have acted on the request.

        Without events (a transport of the caller's own) only the error's class is evidence.
        """
        if isinstance(problem, _NEVER_SENT):
            return True
        return self._has_events and not self._was_sent_whole


class Watch:
    """Notes what one connection reads for a request, and ends the reading when time is up.

    HTTP/1.1 pairs requests and answers by their order alone. Where a store or a proxy answers
    twice, the second answer would be taken for the next request's. So a connection is used again
    only if no byte has come behind its last answer, if that answer was a success (a second refusal
    names no pet that gives it away), and if this process made it (a fork shares its parent's).

    A second copy of a success can still arrive after the next request has gone out. It names
    another pet than the one sent, or an id that was given already: a loader must check both.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._give_up_at = 0.0
        self._pieces: list[bytes] = []

    def begin(self, total_s: float) -> None:
        """Note that a request is about to go out, whose answer may take so long."""
        self._give_up_at = monotonic() + total_s

    def forget(self) -> None:
        """Note that a request goes out: bytes that come from now on are its answer."""
        self._pieces.clear()

    def follow(self, stream: Any) -> None:
        """Note what a new connection reads, and let no read wait longer than is left in all.

        httpx limits only the silence between two pieces, and tells nobody how many bytes came.
        """
        read = stream.read

        def noted(max_bytes: int, timeout: float | None = None) -> bytes:
            left_s = self._give_up_at - monotonic()
            if left_s <= 0:
                raise httpx.ReadTimeout("the whole answer took too long")
            piece: bytes = read(max_bytes, left_s if timeout is None else min(timeout, left_s))
            self._pieces.append(piece)
            return piece

        stream.read = noted

    @property
    def is_ours(self) -> bool:
        """Whether this process made the connection."""
        return self._process == os.getpid()

    def has_ended_cleanly(self, status: int, lines: Iterable[tuple[bytes, bytes]]) -> bool:
        """Return True if the connection may carry another request after this answer."""
        if not 200 <= status < 300:
            return False
        _, end, body = b"".join(self._pieces).partition(_HEAD_END)
        lengths = [value for name, value in lines if name.lower() == b"content-length"]
        if lengths:
            return bool(end) and lengths[0] == b"%d" % len(body)
        # Data that looks like the last chunk costs a connection, and nothing else.
        return body.find(_CHUNKS_END) == len(body) - len(_CHUNKS_END) >= 0
