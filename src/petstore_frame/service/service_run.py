"""Runs the service once, from its options to the end of its process.

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
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from petstore_frame.service import StartError
from petstore_frame.service.api_keys import key_from_file, list_keys, new_key
from petstore_frame.service.app import create_app
from petstore_frame.service.sample_pets import sample_pets
from petstore_frame.service.store import fill, open_database

_WATCH_S = 1.0


class Options(BaseModel):
    """Settings of one service run; each is refused where it is out of its bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = "127.0.0.1"
    port: int = Field(0, ge=0, le=65535)  # 0 picks a free one
    database: str | None = None  # SQLAlchemy URL, or path of a SQLite file; None is a fresh store
    api_key: SecretStr | None = None  # beside those in the database
    api_key_file: Path | None = None  # has that key; made when missing
    sample: int = Field(0, ge=0)  # made-up pets for an empty store
    seed: int = 0
    spec_only: bool = False  # leave out every extension of the interface
    parent_pid: int | None = None  # with which this run ends


def run(options: Options) -> None:
    """Serve until SIGTERM or SIGINT, or until the parent is gone if the options name one.

    From the line ``{"base_url": ..., "pid": ...}`` on stdout on, every connection is answered.

    Raises:
        StartError: The database or the port cannot be opened.
    """
    line = "%(asctime)s %(levelname)s %(message)s"
    # Each request on a run of its own; for a parent only what went wrong.
    level = logging.INFO if options.parent_pid is None else logging.WARNING
    logging.basicConfig(stream=sys.stderr, format=line, level=level)
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
        app = create_app(engine, options.api_key, spec_only=options.spec_only)
        server = uvicorn.Server(make_config(app))
        host, port = listener.getsockname()[:2]
        base_url = f"http://{host}:{port}/v1"
        sys.stdout.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
        logging.getLogger(__name__).info("serving %s", base_url)
        server.run(sockets=[listener])


def prepare(engine: sa.Engine, options: Options) -> None:
    """Fill an empty store with the sample asked for, and make a key where there is none."""
    if options.sample and not fill(engine, sample_pets(options.sample, options.seed)):
        sys.stderr.write(f"{engine.url!r} holds pets already; a sample is for an empty store\n")
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
    try:
        bound = socket.create_server((options.host, options.port), backlog=1024)
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


if __name__ == "__main__":
    try:
        run(Options.model_validate_json(sys.stdin.readline()))
    except (ValidationError, StartError) as problem:
        text = str(problem)
        if isinstance(problem, ValidationError):  # whose own text has many lines
            text = "; ".join(f"{part['loc'][0]}: {part['msg']}" for part in problem.errors())
        sys.stderr.write(f"error: {text}\n")
        sys.exit(2)
