"""One run of the service: from options to a listening process, and to its end.

In: ``Options``. Out: a process that answers, announced by one JSON line, until SIGTERM or until its
parent is gone. Beside ``protocol`` it is the only file that knows uvicorn.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TextIO

import uvicorn
from sqlalchemy import Engine

from petstore_frame.service.addresses import Addresses
from petstore_frame.service.app import build_app
from petstore_frame.service.keys import KeyBook, KeyRing, hash_key
from petstore_frame.service.logs import set_log_level, write_log
from petstore_frame.service.options import Options, StartError
from petstore_frame.service.protocol import PatientProtocol
from petstore_frame.service.rules import DRAIN_S, KEEP_ALIVE_S, MAX_HEAD_BYTES
from petstore_frame.service.samples import sample_pets
from petstore_frame.service.store import Store
from petstore_frame.service.tables import open_store

_SAMPLE_BATCH = 10_000


def run(
    options: Options,
    *,
    announce: TextIO = sys.stdout,
    on_start: Callable[[Callable[[], None]], None] | None = None,
) -> None:
    """Serve in this process until SIGTERM, SIGINT or the end that ``on_start`` was given.

    Args:
        options: What to serve.
        announce: Where the line ``{"base_url": ..., "pid": ...}`` goes once requests are answered.
        on_start: Receives, before requests are answered, a function that ends the run.

    Raises:
        StartError: The database or the port cannot be opened.
    """
    set_log_level(options.log_level)
    with ExitStack() as resources:
        # The port first: where it is taken, nothing is written to a database, least of all a key.
        listener = resources.enter_context(closing(listen(options)))
        engine = resources.enter_context(_open(options))
        store = resources.enter_context(closing(Store(engine)))
        ring = prepare(engine, options)
        base_url = own_address(listener)
        app = build_app(store, ring, options, Addresses(base_url, options.public_url))
        config = uvicorn.Config(
            app,
            http=partial(PatientProtocol, patience_s=options.patience_s),  # type: ignore[arg-type] # called only
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=DRAIN_S,
        )
        server = _Server(config, lambda: announce_ready(announce, base_url))
        if on_start is not None:
            on_start(server.end)
        server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """A uvicorn server that reports when it is ready and ends with exit code 0 on SIGTERM."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # else each full collection scans everything imported, 40 ms in a request
        self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.end()

    def end(self) -> None:
        self.should_exit = True


def prepare(engine: Engine, options: Options) -> KeyRing:
    """Fill an empty store with the sample asked for, and make a key where there is none."""
    with closing(Store(engine)) as store:
        if options.sample and not store.is_empty():
            place = engine.url.render_as_string(hide_password=True)
            sys.stderr.write(f"{place} holds pets already; a sample is for an empty store\n")
        elif options.sample:
            pets = sample_pets(options.sample, options.seed)
            while batch := list(islice(pets, _SAMPLE_BATCH)):
                store.fill(batch)
    book = KeyBook(engine)
    ring = KeyRing(book, [hash_key(options.api_key)] if options.api_key else [])
    if ring.is_empty():
        key = book.new("made by serve")
        sys.stderr.write(f"no key yet, so one was made; it is shown this once: {key}\n")
        ring = KeyRing(book)
    return ring


def listen(options: Options) -> socket.socket:
    """Return the listening socket: the inherited one, or a new one."""
    if options.listen_fd is not None:
        return socket.socket(fileno=options.listen_fd)
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio switches Nagle's delay off only on a socket that states its protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as problem:
        listener.close()
        advice = "; port 0 picks a free one" if problem.errno == errno.EADDRINUSE else ""
        raise StartError(
            f"cannot listen on {options.host} port {options.port}: {problem.strerror}{advice}"
        ) from problem
    listener.listen(1024)
    return listener


def own_address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def announce_ready(stream: TextIO, base_url: str) -> None:
    """Write the line that a script waits for."""
    stream.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
    stream.flush()
    write_log("info", "serving", base_url=base_url)


@contextmanager
def _open(options: Options) -> Iterator[Engine]:
    """Open the database asked for, or a fresh one that is removed afterwards."""
    with ExitStack() as resources:
        database = options.database
        if not database:
            folder = tempfile.TemporaryDirectory(prefix="petstore-frame-")
            database = str(Path(resources.enter_context(folder), "store.sqlite3"))
        engine = open_store(database)
        resources.callback(engine.dispose)
        yield engine
