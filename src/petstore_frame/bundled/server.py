"""The bundled pet store in its own process, for a notebook, a test or a demo."""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
import tempfile
import threading
from os import PathLike
from typing import IO, Any, Literal, get_args

from pydantic import SecretStr

from petstore_frame._internal.arguments import (
    one_of,
    positive_number,
    refuse,
    true_or_false,
    whole_number,
)
from petstore_frame.bundled.children import child_environ, module_command, require_service
from petstore_frame.client import Client
from petstore_frame.errors import ClosedError, ServiceStartError
from petstore_frame.http import GivenTransport
from petstore_frame.http.settings import IdempotencyKey, checked_key
from petstore_frame.schema.models import INT64_MAX, INT64_MIN

LogLevel = Literal["debug", "info", "warning", "error", "off"]

_END_S = 10.0
# How long the bundled service remembers an idempotency key; a test compares the two.
_KEY_LIFETIME_S = 7 * 24 * 3600.0


class Server:
    """A running service, made by ``serve``; a context manager that ends it.

    Attributes:
        base_url: Address of the store, ending in ``/v1``.
        api_key: The key that this store accepts, wrapped so that nothing shows it by accident.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     client.list_pets()
        <Page: 3 pets>
    """

    def __init__(
        self,
        process: subprocess.Popen[str],
        base_url: str,
        api_key: SecretStr,
        idempotency: IdempotencyKey | None,
    ) -> None:
        self._process = process
        self._idempotency = idempotency
        self.base_url = base_url
        self.api_key = api_key

    @property
    def pid(self) -> int:
        """Process id of the service."""
        return self._process.pid

    def client(
        self,
        *,
        timeout_s: float | None = None,
        max_retries: int | None = None,
        transport: GivenTransport | None = None,
    ) -> Client:
        """Return a Client of this store, which knows whether it honours idempotency keys.

        The arguments are those of ``Client``.

        Raises:
            ClosedError: The server was closed, or its process has ended.
        """
        if self._process.poll() is not None:
            raise ClosedError(
                f"this Server is closed and {self.base_url} answers no more; "
                "start a new one with pf.serve()"
            )
        return Client(
            self.base_url,
            self.api_key,
            timeout_s=timeout_s,
            max_retries=max_retries,
            idempotency=self._idempotency,
            transport=transport,
        )

    def close(self) -> None:
        """End the service: it answers what is in flight first."""
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "running" if self._process.poll() is None else "closed"
        return f"Server({self.base_url!r}, pid={self.pid}, {state})"


def serve(
    *,
    sample: int = 0,
    seed: int = 0,
    database: str | PathLike[str] | None = None,
    port: int = 0,
    api_key: str | SecretStr | None = None,
    start_timeout_s: float = 30.0,
    spec_only: bool = False,
    strict: bool = False,
    public_url: str | None = None,
    workers: int = 1,
    log_level: LogLevel = "warning",
) -> Server:
    """Start the bundled service on loopback and return once it answers.

    It ends with this process, however that ends, and the key is in no process list.

    Args:
        sample: Number of made-up pets to put into an empty store.
        seed: Seed of those pets; the same seed gives the same pets.
        database: Path of a SQLite file or a SQLAlchemy URL; None is a fresh store that is gone
            with the server.
        port: Port on loopback; 0 picks a free one.
        api_key: Key to accept; None makes one.
        start_timeout_s: Seconds to wait until the service answers.
        spec_only: Leave out every extension of the interface.
        strict: Refuse unknown body fields and query parameters.
        public_url: Address under which clients reach ``/v1``, where it is another one.
        workers: Number of processes; more than one needs PostgreSQL.
        log_level: Least severe log line: ``debug``, ``info``, ``warning``, ``error`` or ``off``.

    Returns:
        The running server.

    Raises:
        ArgumentError: An argument has a wrong type or value; nothing was started.
        MissingExtraError: FastAPI, uvicorn or SQLAlchemy is not installed.
        ServiceStartError: The service did not come up; the text has its last output.

    Example:
        >>> with serve(sample=3) as server:
        ...     print(server.base_url.endswith("/v1"))
        True
    """
    # The wrapped key replaces the text, so that a verbose traceback shows stars.
    made = SecretStr("psk_" + secrets.token_urlsafe(32))
    api_key = made if api_key is None else checked_key(api_key)
    timeout_s = positive_number("start_timeout_s", start_timeout_s)
    place = None if database is None else _path_or_url(database)
    if not isinstance(public_url, str | None):
        refuse(f"public_url is text, got {public_url!r}")
    settings: dict[str, Any] = {
        "sample": whole_number("sample", sample, 0),
        "seed": whole_number("seed", seed, INT64_MIN, INT64_MAX),
        "database": place,
        "port": whole_number("port", port, 0, 65535),
        "spec_only": true_or_false("spec_only", spec_only),
        "strict": true_or_false("strict", strict),
        "public_url": public_url,
        "workers": whole_number("workers", workers, 1),
        "log_level": one_of("log_level", log_level, get_args(LogLevel)),
    }
    if workers > 1 and not (place or "").startswith("postgresql"):
        refuse(
            f"workers={workers} needs PostgreSQL, as in "
            'database="postgresql+psycopg://user@host/store"; otherwise workers is 1'
        )
    require_service(place)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = _launch(log)
        try:
            base_url = _greet(process, settings, api_key, timeout_s)
        except BaseException as problem:
            with process:  # which waits for its end and closes its pipes
                process.kill()
            if not isinstance(problem, OSError | ValueError | KeyError | queue.Empty):
                raise
            log.seek(0)
            last = log.read()[-2000:].strip() or "none"
            raise ServiceStartError(
                f"the bundled service did not come up; its last output: {last}"
            ) from problem
    honoured = None if spec_only else IdempotencyKey(_KEY_LIFETIME_S)
    return Server(process, base_url, api_key, honoured)


def _path_or_url(database: Any) -> str:
    try:
        return os.fsdecode(database)
    except TypeError:
        refuse(f"database is a path or a SQLAlchemy URL, got {database!r}")


def _launch(log: IO[str]) -> subprocess.Popen[str]:
    """Start the service's process, which waits for its settings and writes its log to a file."""
    return subprocess.Popen(  # noqa: S603 # our own command
        module_command("petstore_frame.service"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={name: value for name, value in child_environ().items() if name != "PETSTORE_API_KEY"},
        text=True,
        encoding="utf-8",
        # Ctrl-C in a notebook or shell is for the caller; the service ends with its parent.
        start_new_session=True,
    )


def _greet(
    process: subprocess.Popen[str], settings: dict[str, Any], api_key: SecretStr, timeout_s: float
) -> str:
    """Send the service its settings and the key, and return the address that it reports."""
    assert process.stdin is not None and process.stdout is not None  # noqa: S101 # both piped
    stdout, lines = process.stdout, queue.SimpleQueue[str]()
    with process.stdin as stdin:
        secret = {"api_key": api_key.get_secret_value(), "parent_pid": os.getpid()}
        stdin.write(json.dumps(settings | secret) + "\n")
    threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
    return str(json.loads(lines.get(timeout=timeout_s))["base_url"])
