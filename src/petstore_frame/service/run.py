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
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from sqlalchemy import Engine
from uvicorn.supervisors import Multiprocess

from petstore_frame.service.app import create_app
from petstore_frame.service.database import open_database
from petstore_frame.service.errors import StartError
from petstore_frame.service.keys import KeyBook
from petstore_frame.service.middleware import log, set_up_logging
from petstore_frame.service.options import Options
from petstore_frame.service.protocol import PatientProtocol
from petstore_frame.service.samples import sample_pets
from petstore_frame.service.store import fill

KEEP_ALIVE_S = 75
DRAIN_S = 8
_START_S = 30
_WATCH_S = 1.0


def run(options: Options) -> None:
    """Serve until SIGTERM or SIGINT, or until the parent is gone if the options name one.

    Once requests are answered, the line ``{"base_url": ..., "pid": ...}`` goes to stdout.

    Raises:
        StartError: The database or the port cannot be opened.
    """
    set_up_logging(options.log_level)
    _end_with_parent(options.parent_pid)
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn handles them, and raises them again at its end: the exit code is 0 all the same.
        signal.signal(number, lambda *_: None)
    with ExitStack() as resources:
        # The port first: where it is taken, nothing is written to a database, least of all a key.
        listener = resources.enter_context(closing(_listen(options)))
        if options.database is None:
            folder = tempfile.TemporaryDirectory(prefix="petstore-frame-")
            place = str(Path(resources.enter_context(folder), "store.sqlite3"))
            options = options.model_copy(update={"database": place})
        engine = open_database(options.database or "")
        resources.callback(engine.dispose)
        _prepare(engine, options)
        ready = partial(_announce, listener)
        if options.workers > 1:
            engine.dispose()
            child = options.model_copy(update={"parent_pid": os.getpid()})
            config = _config(partial(_worker, child), options, factory=True)
            _Workers(config, listener, ready).run()
        else:
            _Server(_config(create_app(options, engine), options), ready).run(sockets=[listener])


def _prepare(engine: Engine, options: Options) -> None:
    """Fill an empty store with the sample asked for, and make a key where there is none."""
    if options.sample and not fill(engine, sample_pets(options.sample, options.seed)):
        place = engine.url.render_as_string(hide_password=True)
        sys.stderr.write(f"{place} holds pets already; a sample is for an empty store\n")
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


def _worker(options: Options) -> Any:
    """Return the application of one worker process, which ends when its supervisor does."""
    set_up_logging(options.log_level)
    _end_with_parent(options.parent_pid)
    return create_app(options, open_database(options.database or ""))


def _end_with_parent(parent_pid: int | None) -> None:
    """End this process when its parent is another one: however it ended, that is noticed."""

    def watch() -> None:
        never = threading.Event()
        while os.getppid() == parent_pid:
            never.wait(_WATCH_S)
        os.kill(os.getpid(), signal.SIGTERM)

    if parent_pid is not None:
        threading.Thread(target=watch, daemon=True).start()


def _config(app: Any, options: Options, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=partial(PatientProtocol, patience_s=options.patience_s),  # type: ignore[arg-type] # called only
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # --public-url is what tells of a proxy
        server_header=False,
        workers=options.workers,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=DRAIN_S,
        timeout_worker_healthcheck=_START_S,
        **more,
    )


def _listen(options: Options) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        bound = socket.create_server((options.host, options.port), family=family, backlog=1024)
    except OSError as problem:
        cause = os.strerror(problem.errno or 0)
        advice = "; port 0 picks a free one" if problem.errno == errno.EADDRINUSE else ""
        raise StartError(
            f"cannot listen on {options.host} port {options.port}: {cause}{advice}"
        ) from problem
    # asyncio switches Nagle's delay off only on a socket that states its protocol.
    return socket.socket(fileno=bound.detach())


def _announce(listener: socket.socket) -> None:
    """Write the line that a script waits for."""
    host, port = listener.getsockname()[:2]
    base_url = f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"
    sys.stdout.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()
    log("serving", base_url=base_url)
