"""A bundled pet store for a notebook, a test or a demo, as its own process.

In: how many made-up pets, which seed, which database. Out: a ``Server`` that answers on loopback
until it is closed or this process is gone. It knows nothing of what the service does inside, and
stands above ``client``, as ``client()`` hands one out.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from pydantic import SecretStr

from petstore_frame.client import Client
from petstore_frame.errors import ClosedError, MissingExtraError, ServiceStartError
from petstore_frame.settings import IdempotencyKey

_START_S = 30.0
_END_S = 10.0
# How long the bundled service remembers an idempotency key; a test holds it to that.
_KEY_LIFETIME_S = 7 * 24 * 3600.0


class Server:
    """A running service, made by ``serve``; a context manager that ends it.

    Attributes:
        base_url: Address of the store, ending in ``/v1``.
        api_key: The key that this store accepts, wrapped so that nothing shows it by accident.
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

    def client(self, **options: Any) -> Client:
        """Return a Client of this store, which knows that it honours idempotency keys.

        Args:
            options: Further arguments of ``Client``.

        Raises:
            ClosedError: The server was closed, or its process has ended.
        """
        if self._process.poll() is not None:
            raise ClosedError(
                f"this Server is closed and {self.base_url} answers no more; "
                "start a new one with pf.serve()"
            )
        return Client(self.base_url, self.api_key, **{"idempotency": self._idempotency, **options})

    def close(self) -> None:
        """End the service: it answers what is in flight first."""
        if self._process.stdin is not None:
            self._process.stdin.close()
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
    database: str | Path | None = None,
    port: int = 0,
    api_key: str | SecretStr | None = None,
    start_timeout_s: float = _START_S,
    **options: Any,
) -> Server:
    """Start the bundled service on loopback and return once it answers.

    It ends with this process, however that ends, and the key is in no process list.

    Args:
        sample: Number of made-up pets to put into an empty store.
        seed: Seed of those pets.
        database: Path of a SQLite file or a SQLAlchemy URL; None is a fresh store that is gone
            with the server.
        port: Port on loopback; 0 picks a free one.
        api_key: Key to accept; None makes one.
        start_timeout_s: Seconds to wait for the first sign of life.
        options: Further settings of the service, such as ``spec_only=True``, ``strict=True``,
            ``limit_policy="clamp"`` or ``rate=50``.

    Returns:
        The running server.

    Raises:
        MissingExtraError: FastAPI, uvicorn or SQLAlchemy is not installed.
        ServiceStartError: The service did not come up; the text has its last words.

    Example:
        >>> with serve(sample=3) as server:
        ...     print(server.base_url.endswith("/v1"))
        True
    """
    # The parameter's own name is taken over, so that a verbose traceback shows stars.
    api_key = SecretStr(_plain(api_key) or "psk_" + secrets.token_urlsafe(32))
    settings = {
        "port": port,
        "database": str(database) if database is not None else None,
        "sample": sample,
        "seed": seed,
        "log_level": "warning",
        **options,
    }
    with tempfile.TemporaryFile("w+", encoding="utf-8") as words:
        process = _launch(words)
        try:
            base_url = _greet(process, settings, api_key, start_timeout_s)
        except BaseException as problem:
            process.kill()
            process.communicate()
            if not isinstance(problem, OSError | ValueError | KeyError | queue.Empty):
                raise
            raise _start_error(words) from problem
    honoured = None if options.get("spec_only") else IdempotencyKey(_KEY_LIFETIME_S)
    return Server(process, base_url, api_key, honoured)


def _plain(api_key: str | SecretStr | None) -> str | None:
    return api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key


def _launch(words: IO[str]) -> subprocess.Popen[str]:
    """Start the service's process; it waits for its settings and writes its words to a file."""
    return subprocess.Popen(
        [sys.executable, "-m", "petstore_frame.service"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=words,
        env={name: value for name, value in os.environ.items() if name != "PETSTORE_API_KEY"},
        text=True,
        encoding="utf-8",
        # Ctrl-C in a notebook or shell is for the caller; the service ends with its lifeline.
        start_new_session=True,
    )


def _greet(
    process: subprocess.Popen[str], settings: dict[str, Any], api_key: SecretStr, timeout_s: float
) -> str:
    """Tell the service its settings, the key among them, and return the address it answers with."""
    assert process.stdin is not None and process.stdout is not None  # noqa: S101 # both piped
    process.stdin.write(json.dumps(settings | {"api_key": api_key.get_secret_value()}) + "\n")
    process.stdin.flush()
    base_url: str = json.loads(_first_line(process.stdout, timeout_s))["base_url"]
    return base_url


def _first_line(stream: IO[str], timeout_s: float) -> str:
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=lambda: lines.put(stream.readline()), daemon=True).start()
    return lines.get(timeout=timeout_s)


def _start_error(words: IO[str]) -> Exception:
    words.seek(0)
    last = words.read()[-2000:].strip()
    for library in ("fastapi", "uvicorn", "sqlalchemy"):
        if f"No module named '{library}'" in last:
            return MissingExtraError("the bundled service", "service")
    if "No module named 'psycopg" in last:
        return MissingExtraError("the bundled service on PostgreSQL", "postgres")
    return ServiceStartError(
        f"the bundled service did not come up; its last words: {last or 'none'}"
    )
