"""Runs the service once, from its options to the end of its process.

As a program, it reads a JSON object with the fields of ``Options`` from stdin, so that no process
list shows a key, and writes one JSON line to stdout. If it cannot start, it exits with code 2 and
prints a line on stderr.
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
from petstore_frame.service.database import fill, open_database
from petstore_frame.service.sample_pets import sample_pets


class Options(BaseModel):
    """Settings of a service run, with their bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = "127.0.0.1"
    port: int = Field(0, ge=0, le=65535)  # 0 picks a free one
    database: str | None = None  # SQLAlchemy URL, or path of a SQLite file; None is a new store
    api_key: SecretStr | None = None  # in addition to those in the database
    api_key_file: Path | None = None  # has such a key; created if missing
    sample: int = Field(0, ge=0)  # number of sample pets for an empty store
    seed: int = 0
    spec_only: bool = False  # turn off all extensions of the interface
    ends_with_stdin: bool = False  # end when stdin closes, as it does when the parent process ends


def run(options: Options) -> None:
    """Serve until SIGTERM or Ctrl-C, or until stdin closes if the options say so.

    After the line ``{"base_url": ..., "pid": ...}`` on stdout, the service accepts connections.

    Raises:
        StartError: The key file, the port or the database cannot be used.
    """
    _start_log(options)
    if options.api_key_file is not None:
        key = SecretStr(key_from_file(options.api_key_file))
        options = options.model_copy(update={"api_key": key})
    _exit_with_zero_on_signals()
    with ExitStack() as resources:
        # The port comes first: if it is in use, nothing is written to the database.
        listener = resources.enter_context(closing(listen(options)))
        database = options.database
        if database is None:
            folder = tempfile.TemporaryDirectory(prefix="petstore-frame-")
            database = str(Path(resources.enter_context(folder), "store.sqlite3"))
        engine = open_database(database)
        resources.callback(engine.dispose)
        prepare(engine, options)
        app = create_app(engine, options.api_key, spec_only=options.spec_only)
        server = uvicorn.Server(make_config(app))
        if options.ends_with_stdin:
            _end_with_stdin(server)
        host, port = listener.getsockname()[:2]
        base_url = f"http://{host}:{port}/v1"
        sys.stdout.write(json.dumps({"base_url": base_url, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
        logging.getLogger(__name__).info("serving %s", base_url)
        server.run(sockets=[listener])


def _start_log(options: Options) -> None:
    """Log to stderr: every request, or only problems if another program started the service."""
    level = logging.WARNING if options.ends_with_stdin else logging.INFO
    line = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(stream=sys.stderr, format=line, level=level)


def _exit_with_zero_on_signals() -> None:
    """Exit with code 0 after SIGTERM or Ctrl-C.

    uvicorn handles these signals while it serves, and raises them again after it has stopped.
    """
    signals = [signal.SIGTERM, signal.SIGINT]
    if sys.platform == "win32":
        signals.append(signal.SIGBREAK)  # Ctrl-Break, for process groups on Windows
    for number in signals:
        signal.signal(number, lambda *_: sys.exit(0))


def _end_with_stdin(server: uvicorn.Server) -> None:
    """Shut down the server when the parent closes its end of the pipe, or ends."""

    def watch() -> None:
        # os.read rather than sys.stdin.read: Python cannot end while a thread reads from
        # sys.stdin. No signal either: on Windows, os.kill ends a process without a shutdown.
        while os.read(stdin, 1024):
            pass
        server.should_exit = True

    stdin = sys.stdin.fileno()
    threading.Thread(target=watch, daemon=True).start()


def prepare(engine: sa.Engine, options: Options) -> None:
    """Fill an empty store with the requested sample, and create a key if there is none."""
    if options.sample and not fill(engine, sample_pets(options.sample, options.seed)):
        sys.stderr.write(
            f"{engine.url!r} already has pets; sample pets can be added only to an empty store\n"
        )
    if options.api_key is None and all(record["revoked_at"] for record in list_keys(engine)):
        key = new_key(engine, "made by serve")
        sys.stderr.write(
            f"the store had no key, so a key was created; it is shown only once: {key}\n"
        )


def make_config(app: Any) -> uvicorn.Config:
    """Return the settings of uvicorn."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # it would log the query, which may have a key
        server_header=False,
        timeout_keep_alive=75,  # otherwise a client may send a POST on a closed connection
        timeout_graceful_shutdown=8,
    )


def listen(options: Options) -> socket.socket:
    """Return a listening socket; connections wait in its queue until the server is up.

    Raises:
        StartError: The port is in use, or the address does not belong to this machine.
    """
    try:
        bound = socket.create_server((options.host, options.port), backlog=1024)
    except (OSError, UnicodeError) as problem:  # UnicodeError: a label of a host name is too long
        code = getattr(problem, "errno", None)
        reason = os.strerror(code) if code and code > 0 else str(problem)
        advice = "name an address of this machine, such as 127.0.0.1, and a free port"
        if code == errno.EADDRINUSE:
            advice = "port 0 picks a free one"
        raise StartError(
            f"cannot listen on {options.host} port {options.port}: {reason}; {advice}"
        ) from problem
    # asyncio sets TCP_NODELAY only for a socket with an explicit protocol.
    return socket.socket(fileno=bound.detach())


def _describe(problem: ValidationError) -> str:
    """Return the invalid options in one line; the text of pydantic has several lines."""
    return "; ".join(f"{part['loc'][0]}: {part['msg']}" for part in problem.errors())


if __name__ == "__main__":
    try:
        run(Options.model_validate_json(sys.stdin.readline()))
    except (ValidationError, StartError) as problem:
        text = _describe(problem) if isinstance(problem, ValidationError) else str(problem)
        sys.stderr.write(f"error: {text}\n")
        sys.exit(2)
