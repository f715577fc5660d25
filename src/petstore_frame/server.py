"""Runs the bundled pet store in a process of its own, for a notebook, a test or a shell.

``python -m`` looks in the working directory first; an ``h11.py`` beside a notebook would then run
in a process that has the API key. So ``-P`` keeps that directory off the path. The service shares
no code with the package: settings and keys reach it by stdin, and no process list shows them.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from importlib.util import find_spec
from os import PathLike
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError, MissingExtraError, ServiceStartError
from petstore_frame.fault_proxy import FaultyProxy, read_faults
from petstore_frame.transport import IdempotencyKey, checked_key

if TYPE_CHECKING:
    import pandas as pd

_PROGRAM = "petstore_frame.service.service_run"
_END_S = 10.0
# The bundled service remembers an idempotency key as long as its pet; this is long enough.
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
        proxy: FaultyProxy | None = None,
    ) -> None:
        self._process = process
        self._idempotency = idempotency
        self._proxy = proxy
        self.base_url = base_url if proxy is None else proxy.base_url
        self.api_key = api_key

    @property
    def pid(self) -> int:
        """Process id of the service."""
        return self._process.pid

    def client(self, *, timeout: float = 30.0) -> Client:
        """Return a Client of this store, which knows whether it honours idempotency keys.

        For other settings, make your own: ``pf.Client(server.base_url, server.api_key, …)``.
        """
        return Client(self.base_url, self.api_key, timeout=timeout, idempotency=self._idempotency)

    def truth(self) -> pd.DataFrame:
        """Return what the store made of each body that was posted, by no client's account.

        Only of ``serve(faults=...)``. Pets that were there before are not in it.

        Returns:
            A row for each different body: ``name`` str, ``category_id`` Int64, ``status`` str;
            how often it was ``sent``, ``applied`` and ``answered`` with success, int64; and
            ``ids`` of its pets, lists.

        Raises:
            ArgumentError: The server was started without ``faults``.
        """
        if self._proxy is None:
            raise ArgumentError(
                "the truth is kept where faults are: pf.serve(faults='lost-reply=0.05')"
            )
        return self._proxy.truth()

    def close(self) -> None:
        """End the service: it answers what is in flight first."""
        if self._proxy is not None:
            self._proxy.close()
        _end(self._process)

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
    spec_only: bool = False,
    faults: str | Mapping[str, float] | None = None,
) -> Server:
    """Start the bundled service on loopback and return once it answers.

    It ends with this process, however that ends, and the key is in no process list.

    Args:
        sample: Number of made-up pets to put into an empty store.
        seed: Seed of those pets and of the faults; the same seed gives the same ones.
        database: Path of a SQLite file or a SQLAlchemy URL; None is a fresh store that is gone
            with the server.
        port: Port on loopback; 0 picks a free one.
        api_key: Key to accept; None makes one.
        spec_only: Leave out every extension of the interface.
        faults: How often the store misbehaves, to try a loader: ``"lost-reply=0.05,cap=20"`` or a
            dict. ``lost-reply`` cuts answers, ``refused`` requests, ``late`` holds answers until
            the client gives up, ``error-after`` answers 500 after the fact, ``busy`` 429 and 503,
            ``repeat`` passes a request on twice, ``slow`` takes a second longer: rates from 0 to 1.
            ``cap`` is the largest page. ``server.truth()`` says what was applied.

    Raises:
        ArgumentError: A fault or its rate is not known; nothing was started.
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
    drawn = None if faults is None else read_faults(faults)
    settings = {
        "sample": sample,
        "seed": seed,
        "database": None if database is None else os.fspath(database),
        "port": port if drawn is None else 0,
        "spec_only": spec_only,
        "api_key": api_key.get_secret_value(),
    }
    process, base_url = _launch(settings)
    try:
        proxy = None if drawn is None else FaultyProxy(base_url, drawn, seed, port)
    except ServiceStartError:
        _end(process)
        raise
    honoured = None if spec_only else IdempotencyKey(_KEY_LIFETIME_S)
    return Server(process, base_url, api_key, honoured, proxy)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _launch(
    settings: Mapping[str, Any], *, is_shown: bool = False
) -> tuple[subprocess.Popen[str], str]:
    """Start the service's process, its log shown or not; return it with its address."""
    _require_libraries(settings["database"])
    environ = {name: text for name, text in os.environ.items() if name != "PETSTORE_API_KEY"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(  # noqa: S603 # our own command
            (sys.executable, "-P", "-m", _PROGRAM),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if is_shown else log,
            env=environ,
            text=True,
            encoding="utf-8",
            # Ctrl-C in a notebook or shell is for the caller; the service ends with its parent.
            start_new_session=True,
        )
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 # both piped
        try:
            with process.stdin as stdin:
                line = dict(settings) | {"parent_pid": os.getpid()}
                stdin.write(json.dumps(line, default=str) + "\n")
            return process, str(json.loads(process.stdout.readline())["base_url"])
        except BaseException as problem:
            with process:  # which waits for its end and closes its pipes
                process.kill()
            if not isinstance(problem, OSError | ValueError):
                raise
            log.seek(0)
            last = log.read()[-2000:].strip() or "none"
            raise ServiceStartError(
                f"the bundled service did not come up; its last output: {last}"
            ) from problem


def misbehave(
    settings: Mapping[str, Any], faults: str, upstream: str | None
) -> tuple[dict[str, Any], str]:
    """Run a store that misbehaves until SIGTERM or Ctrl-C; return what was applied, and say it."""
    drawn, process, place = read_faults(faults), None, upstream
    if place is None:
        process, place = _launch(dict(settings) | {"port": 0}, is_shown=True)
    try:
        proxy = FaultyProxy(place, drawn, settings["seed"], settings["port"])
        sys.stdout.write(json.dumps({"base_url": proxy.base_url, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        ended.wait()
        proxy.close()
    finally:
        if process is not None:
            _end(process)
    return proxy.summary(), str(proxy)


def run_service(settings: Mapping[str, Any]) -> None:
    """Run the service's program in this process until it ends; it reads its settings from stdin."""
    _require_libraries(settings["database"])
    sys.stdin = io.StringIO(json.dumps(settings, default=str))
    runpy.run_module(_PROGRAM, run_name="__main__")


def _require_libraries(database: str | None) -> None:
    """Refuse to go on where a library of the service or of its database is missing."""
    if not all(find_spec(library) for library in ("fastapi", "uvicorn", "sqlalchemy")):
        raise MissingExtraError("the bundled service", "service")
    if (database or "").startswith("postgresql") and not find_spec("psycopg"):
        raise MissingExtraError("the bundled service on PostgreSQL", "postgres")


def ask_keys(database: str, **words: str) -> dict[str, Any]:
    """Return what the key book of a store's database answers: with no words, what is in it.

    Raises:
        ServiceStartError: The database cannot be opened.
    """
    _require_libraries(database)
    done = subprocess.run(
        (sys.executable, "-P", "-m", "petstore_frame.service.api_keys"),
        input=json.dumps({"database": database, **words}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ServiceStartError(done.stderr.strip())
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
