"""One run of the service: from options to listening processes, and to their end."""

from __future__ import annotations

import errno
import gc
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import uvicorn
from sqlalchemy import Engine
from uvicorn.supervisors import Multiprocess

from petstore_frame.service.app import create_app
from petstore_frame.service.database import open_database
from petstore_frame.service.errors import StartError
from petstore_frame.service.keys import KeyBook
from petstore_frame.service.lifeline import end_with_parent
from petstore_frame.service.logs import log, set_up_logging
from petstore_frame.service.middleware import MAX_HEAD_BYTES
from petstore_frame.service.options import Options
from petstore_frame.service.protocol import PatientProtocol
from petstore_frame.service.samples import sample_pets
from petstore_frame.service.store import Store

KEEP_ALIVE_S = 75
DRAIN_S = 8
_START_S = 30
_SAMPLE_BATCH = 10_000
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_OPEN_TO_ALL = ("0.0.0.0", "[::]")  # noqa: S104 # compared with, not listened on


def run(options: Options, *, announce: TextIO = sys.stdout, lifeline: TextIO | None = None) -> None:
    """Serve until SIGTERM or SIGINT, or until the other end of ``lifeline`` is gone.

    Args:
        options: What to serve.
        announce: Where the line ``{"base_url": ..., "pid": ...}`` goes once requests are answered.
        lifeline: A stream whose other end only the parent holds.

    Raises:
        StartError: The database or the port cannot be opened.
    """
    set_up_logging(options.log_level)
    if lifeline is not None:
        end_with_parent(partial(os.kill, os.getpid(), signal.SIGTERM), lifeline)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _was_meant)  # uvicorn handles them, and raises them again at its end
    with ExitStack() as resources:
        # The port first: where it is taken, nothing is written to a database, least of all a key.
        listener = resources.enter_context(closing(_listen(options)))
        if options.database is None:
            folder = tempfile.TemporaryDirectory(prefix="petstore-frame-")
            place = str(Path(resources.enter_context(folder), "store.sqlite3"))
            options = options.model_copy(update={"database": place})
        engine = open_database(options.database or "")
        resources.callback(engine.dispose)
        prepare(engine, options)
        ready = partial(_announce, announce, _own_address(listener))
        if options.workers > 1:
            engine.dispose()
            app = partial(_worker, options, _own_hosts(listener))
            config = _config(app, options, factory=True, workers=options.workers)
            _Workers(config, listener, ready).run()
        else:
            config = _config(create_app(options, engine, _own_hosts(listener)), options)
            _Server(config, ready).run(sockets=[listener])


def prepare(engine: Engine, options: Options) -> None:
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
    if options.api_key is None and all(record.revoked_at for record in book.records()):
        key = book.new("made by serve")
        sys.stderr.write(f"no key yet, so one was made; it is shown this once: {key}\n")


class _Server(uvicorn.Server):
    """A uvicorn server that reports when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # else each full collection scans everything imported, 40 ms in a request
        self._ready()


class _Workers(Multiprocess):
    """uvicorn's supervisor, which reports when each of its processes answers."""

    def __init__(
        self, config: uvicorn.Config, listener: socket.socket, ready: Callable[[], None]
    ) -> None:
        super().__init__(config, [listener])
        self._ready = ready

    def init_processes(self) -> None:
        super().init_processes()
        if all(process.wait_until_ready(_START_S) for process in self.processes):
            self._ready()
        else:
            self.should_exit.set()


def _worker(options: Options, own_hosts: set[str]) -> Any:
    """Return the application of one worker process, which ends when its supervisor does."""
    set_up_logging(options.log_level)
    end_with_parent(partial(os.kill, os.getpid(), signal.SIGTERM))
    return create_app(options, open_database(options.database or ""), own_hosts)


def _was_meant(_number: int, _frame: object) -> None:
    """Let the process end with exit code 0 after it was asked to end."""


def _config(app: Any, options: Options, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(
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
        timeout_worker_healthcheck=_START_S,
        **more,
    )


def _listen(options: Options) -> socket.socket:
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


def _host_and_port(listener: socket.socket) -> tuple[str, int]:
    host, port = listener.getsockname()[:2]
    return f"[{host}]" if ":" in host else host, port


def _own_address(listener: socket.socket) -> str:
    host, port = _host_and_port(listener)
    return f"http://{host}:{port}/v1"


def _own_hosts(listener: socket.socket) -> set[str]:
    host, port = _host_and_port(listener)
    names = _LOOPBACK if host in (*_LOOPBACK, *_OPEN_TO_ALL) else (host,)
    return {f"{name}:{port}" for name in names}


def _announce(stream: TextIO, base_url: str) -> None:
    """Write the line that a script waits for."""
    stream.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
    stream.flush()
    log("serving", base_url=base_url)
