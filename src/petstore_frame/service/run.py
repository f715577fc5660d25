"""One run of the service: from options to listening processes, and to their end.

As a program it takes one JSON object with the names of ``Options`` by stdin, so that a key appears
in no process list, and gives one JSON line by stdout. What cannot be done ends with exit code 2 and
a line on stderr.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import uvicorn
from pydantic import SecretStr, ValidationError

from petstore_frame.service import StartError
from petstore_frame.service.app import create_app
from petstore_frame.service.keys import key_from_file, list_keys, new_key
from petstore_frame.service.options import Options, explain
from petstore_frame.service.samples import sample_pets
from petstore_frame.service.store import fill, open_database

_WATCH_S = 1.0


def run(options: Options) -> None:
    """Serve until SIGTERM or SIGINT, or until the parent is gone if the options name one.

    From the line ``{"base_url": ..., "pid": ...}`` on stdout on, every connection is answered.

    Raises:
        StartError: The database or the port cannot be opened.
    """
    line = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(stream=sys.stderr, format=line, level=options.log_level.upper())
    _end_with_parent(options.parent_pid)
    if options.api_key_file is not None:
        key = SecretStr(key_from_file(options.api_key_file))
        options = options.model_copy(update={"api_key": key})
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn handles them, and raises them again at its end: the exit code is 0 all the same.
        signal.signal(number, lambda *_: sys.exit(0))
    with ExitStack() as resources:
        # The port first: where it is taken, nothing is written to a database, least of all a key.
        listener = resources.enter_context(closing(listen(options)))
        place = options.database
        if place is None:
            folder = tempfile.TemporaryDirectory(prefix="petstore-frame-")
            place = str(Path(resources.enter_context(folder), "store.sqlite3"))
        engine = open_database(place)
        resources.callback(engine.dispose)
        prepare(engine, options)
        server = uvicorn.Server(make_config(create_app(options, engine)))
        _announce(listener)
        server.run(sockets=[listener])


def prepare(engine: sa.Engine, options: Options) -> None:
    """Fill an empty store with the sample asked for, and make a key where there is none."""
    if options.sample and not fill(engine, sample_pets(options.sample, options.seed)):
        place = engine.url.render_as_string(hide_password=True)
        sys.stderr.write(f"{place} holds pets already; a sample is for an empty store\n")
    if options.api_key is None and all(record["revoked_at"] for record in list_keys(engine)):
        key = new_key(engine, "made by serve")
        sys.stderr.write(f"no key yet, so one was made; it is shown this once: {key}\n")


def make_config(app: Any) -> uvicorn.Config:
    """Return what uvicorn is asked to be."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # it would show the query, which may hold a key
        server_header=False,
        timeout_keep_alive=75,  # else a client's next POST may meet a connection that just closed
        timeout_graceful_shutdown=8,
    )


def listen(options: Options) -> socket.socket:
    """Return a socket that takes connections, which wait there until the server is up.

    Raises:
        StartError: The port is taken, or the address is not one of this machine.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        bound = socket.create_server((options.host, options.port), family=family, backlog=1024)
    except OSError as problem:
        cause = os.strerror(problem.errno or 0)
        advice = "; port 0 picks a free one" if problem.errno == errno.EADDRINUSE else ""
        message = f"cannot listen on {options.host} port {options.port}: {cause}{advice}"
        raise StartError(message) from problem
    # asyncio switches Nagle's delay off only on a socket that states its protocol.
    return socket.socket(fileno=bound.detach())


def _end_with_parent(parent_pid: int | None) -> None:
    """End this process when its parent is another one: however it ended, that is noticed."""

    def watch() -> None:
        never = threading.Event()
        while os.getppid() == parent_pid:
            never.wait(_WATCH_S)
        os.kill(os.getpid(), signal.SIGTERM)

    if parent_pid is not None:
        threading.Thread(target=watch, daemon=True).start()


def _announce(listener: socket.socket) -> None:
    """Write the line that a script waits for."""
    host, port = listener.getsockname()[:2]
    base_url = f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"
    sys.stdout.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()
    logging.getLogger(__name__).info("serving %s", base_url)


if __name__ == "__main__":
    try:
        run(Options.model_validate_json(sys.stdin.readline()))
    except (ValidationError, StartError) as problem:
        reason = explain(problem) if isinstance(problem, ValidationError) else problem
        sys.stderr.write(f"error: {reason}\n")
        sys.exit(2)
