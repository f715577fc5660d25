"""One run of the service: from options to a listening process, and to its end.

In: ``Options``. Out: a process that answers, announced by one JSON line, until SIGTERM or until its
parent is gone. It is the only file that knows uvicorn.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TextIO

import uvicorn
from sqlalchemy import Engine

from petstore_frame.service.app import build_app
from petstore_frame.service.keys import KeyBook, KeyRing, hash_key
from petstore_frame.service.logs import set_log_level, write_log
from petstore_frame.service.options import Options, database_url
from petstore_frame.service.rules import MAX_HEAD_BYTES
from petstore_frame.service.samples import sample_pets
from petstore_frame.service.store import Addition, Store
from petstore_frame.service.tables import open_database

_SAMPLE_BATCH = 5_000
_DRAIN_S = 8


def run(
    options: Options,
    *,
    announce: TextIO = sys.stdout,
    on_start: Callable[[_Server], None] | None = None,
) -> None:
    """Serve until SIGTERM, SIGINT or ``should_exit``.

    Args:
        options: What to serve.
        announce: Where the line ``{"base_url": ..., "pid": ...}`` goes once requests are answered.
        on_start: Receives the server object before it serves, so that a caller may end it.
    """
    set_log_level(options.log_level)
    with ExitStack() as stack:
        engine = _open(options, stack)
        store = Store(engine)
        if options.sample and store.is_empty():
            _fill(store, options)
        listener = _listen(options)
        base_url = options.public_url or _base_url(options.host, listener)
        app = build_app(store, _key_ring(engine, options), options, base_url)
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            timeout_graceful_shutdown=_DRAIN_S,
        )
        server = _Server(config, lambda: _announce(announce, base_url))
        if on_start is not None:
            on_start(server)
        server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """A uvicorn server that says when it is ready and ends a SIGTERM with exit code 0."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.should_exit = True


def end_with_parent(server: _Server, lifeline: TextIO, *, poll_s: float = 1.0) -> None:
    """End the server when the other end of ``lifeline`` is gone, or the parent is.

    A forked sibling may hold the pipe open after the parent's death, so its number is watched too.
    """
    parent = os.getppid()

    def watch_pipe() -> None:
        while lifeline.read(1):
            pass
        server.should_exit = True

    def watch_parent() -> None:
        wait = threading.Event()
        while os.getppid() == parent:
            wait.wait(poll_s)
        server.should_exit = True

    for watch in (watch_pipe, watch_parent):
        threading.Thread(target=watch, daemon=True).start()


def _open(options: Options, stack: ExitStack) -> Engine:
    database = options.database
    if database is None:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="petstore-frame-"))
        database = str(Path(folder, "store.sqlite3"))
    engine = open_database(database_url(database))
    stack.callback(engine.dispose)
    return engine


def _fill(store: Store, options: Options) -> None:
    batch: list[Addition] = []
    for pet in sample_pets(options.sample, options.seed):
        batch.append(Addition(pet))
        if len(batch) == _SAMPLE_BATCH:
            store.add(batch)
            batch.clear()
    if batch:
        store.add(batch)


def _key_ring(engine: Engine, options: Options) -> KeyRing:
    book = KeyBook(engine)
    hashes = book.good_hashes()
    if options.api_key is not None:
        hashes.add(hash_key(options.api_key))
    if not hashes:
        key = book.new("made by serve")
        print(f"no key yet, so one was made; it is shown only now: {key}", file=sys.stderr)  # noqa: T201
        hashes.add(hash_key(key))
    return KeyRing(hashes)


def _listen(options: Options) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((options.host, options.port))
    listener.listen(1024)
    return listener


def _base_url(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def _announce(stream: TextIO, base_url: str) -> None:
    stream.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
    stream.flush()
    write_log("info", "serving", base_url=base_url)
