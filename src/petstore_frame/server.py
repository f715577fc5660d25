"""Runs the bundled store in a separate process, for a notebook, a test or a shell."""

from __future__ import annotations

import contextlib
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
from petstore_frame.transport import IdempotencyKey, checked_key, hide_key
from petstore_frame.validation import checked_integer

if TYPE_CHECKING:
    import pandas as pd

# The service shares no code with the rest of the package, so it is started by name.
_SERVICE_MODULE = "petstore_frame.service.process"
_API_KEYS_MODULE = "petstore_frame.service.api_keys"
_MAX_PORT = 65535
# Slightly longer than the service waits for requests in flight.
_SHUTDOWN_TIMEOUT_S = 10.0
# The bundled service remembers an idempotency key for the life of its pet; this is long enough.
_KEY_LIFETIME_S = 7 * 24 * 3600.0
# A server without references, as in ``client = pf.serve().client()``, must keep running.
_running: set[_ServiceProcess] = set()


class Server:
    """A running store; ``serve`` returns it. Use it as a context manager, or call ``close``.

    Attributes:
        base_url: Address of the store, ending in ``/v1``.
        api_key: The key that this store accepts, as a SecretStr.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     client.list_pets()
        <Page: 3 pets>
    """

    def __init__(
        self,
        process: _ServiceProcess,
        api_key: SecretStr,
        idempotency: IdempotencyKey | None,
        proxy: FaultyProxy | None = None,
    ) -> None:
        self._process = process
        self._idempotency = idempotency
        self._proxy = proxy
        self.base_url = process.base_url if proxy is None else proxy.base_url
        self.api_key = api_key

    @property
    def pid(self) -> int:
        """Process ID of the service."""
        return self._process.pid

    def client(self, *, timeout: float = 30.0) -> Client:
        """Return a Client of this store, which uses idempotency keys if the store honors them.

        For other settings, use ``pf.Client(server.base_url, server.api_key, …)``.
        """
        return Client(self.base_url, self.api_key, timeout=timeout, idempotency=self._idempotency)

    def truth(self) -> pd.DataFrame:
        """Return what the store did with each request body, whatever the client believes.

        This needs ``serve(faults=...)``. Pets that were in the store before are not included.

        Returns:
            One row per request body: ``name`` str, ``category_id`` Int64, ``status`` str; how often
            it was ``sent``, ``applied`` and ``answered`` with success (int64); and ``ids``, a list
            of the ids of its pets.

        Raises:
            ArgumentError: The server was started without ``faults``.
        """
        if self._proxy is None:
            raise ArgumentError(
                "truth() needs a server with faults, such as pf.serve(faults='lost-reply=0.05')"
            )
        return self._proxy.truth()

    def close(self) -> None:
        """Stop the service after it has finished the requests in flight."""
        if self._proxy is not None:
            self._proxy.close()
        self._process.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "running" if self._process.is_running() else "closed"
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
    """Start the bundled store on this machine, and return when it is ready.

    The store ends with this process, even if this process is killed. The key is never in the
    process list.

    Args:
        sample: Number of sample pets to add to an empty store.
        seed: Seed of the sample pets and of the faults; the same seed gives the same data.
        database: Path of a SQLite file or a SQLAlchemy URL; None is a temporary database.
        port: Port to listen on; 0 picks a free one.
        api_key: API key to accept; None creates one.
        spec_only: Turn off all extensions of the interface.
        faults: Faults to inject, to test a loader: ``"lost-reply=0.05,cap=20"`` or a dict of rates
            from 0 to 1. ``lost-reply`` drops responses, ``refused`` refuses requests, ``late``
            delays responses until the client gives up, ``error-after`` responds with a 500
            although the pet was created, ``busy`` responds with 429 or 503, ``repeat`` forwards a
            request twice, and ``slow`` takes a second longer. ``cap`` is the maximum number of
            pets per page. ``server.truth()`` returns what the store did.

    Raises:
        ArgumentError: A fault, a rate or the port is invalid. Nothing was started.
        MissingExtraError: FastAPI, uvicorn or SQLAlchemy is not installed.
        ServiceStartError: The service did not start; the message has its last output.

    Example:
        >>> with serve(sample=3) as server:
        ...     print(server.base_url.endswith("/v1"))
        True
    """
    # The key is wrapped, so that a traceback with values shows stars.
    if api_key is None:
        api_key = SecretStr("psk_" + secrets.token_urlsafe(32))
    else:
        api_key = hide_key(api_key)
        api_key = checked_key(api_key)
    fault_rates = None if faults is None else read_faults(faults)
    checked_integer("port", port, 0, _MAX_PORT)
    settings = {
        "sample": sample,
        "seed": seed,
        "database": None if database is None else os.fspath(database),
        "port": port if fault_rates is None else 0,  # with faults, the proxy listens on the port
        "spec_only": spec_only,
        "api_key": api_key,
    }
    process = _ServiceProcess(settings)
    proxy = None
    if fault_rates is not None:
        try:
            proxy = FaultyProxy(process.base_url, fault_rates, seed, port)
        except ServiceStartError:
            process.stop()
            raise
    idempotency = None if spec_only else IdempotencyKey(_KEY_LIFETIME_S)
    return Server(process, api_key, idempotency, proxy)


class _ServiceProcess:
    """A process of the bundled service, which ends when the pipe to its stdin closes.

    The system closes the pipe when this process ends, even if it is killed. Process ids are not
    reliable for this: in a virtual environment on Windows, ``sys.executable`` is a launcher, which
    is then the parent of the service instead of this process.

    Attributes:
        base_url: Address of the store itself, not of a proxy with faults.
        pid: Process id of the service, not that of a launcher.
    """

    def __init__(self, settings: Mapping[str, Any], *, shows_log: bool = False) -> None:
        """Start a service and wait for its address; ``shows_log`` passes its log to stderr."""
        _require_libraries(settings["database"])
        with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
            self._process = subprocess.Popen(  # noqa: S603 # our own command
                _python_command(_SERVICE_MODULE),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if shows_log else log,
                env=_environment_without_key(),
                text=True,
                encoding="utf-8",
                **_ignoring_ctrl_c(),
            )
            try:
                self._send_settings(settings)
                self._read_address()
                _running.add(self)
            except BaseException as problem:
                self._kill()
                if not isinstance(problem, OSError | ValueError):
                    raise
                log.seek(0)
                last_output = log.read()[-2000:].strip() or "none"
                raise ServiceStartError(
                    f"the bundled service did not start; its last output: {last_output}"
                ) from problem

    def _send_settings(self, settings: Mapping[str, Any]) -> None:
        """Write the settings to stdin, so that no process list shows the key."""
        assert self._process.stdin is not None  # noqa: S101 # it is a pipe
        to_send = {**settings, "ends_with_stdin": True}
        self._process.stdin.write(json.dumps(to_send, default=_as_json) + "\n")
        self._process.stdin.flush()

    def _read_address(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 # it is a pipe
        ready = json.loads(self._process.stdout.readline())
        self.base_url = str(ready["base_url"])
        self.pid = int(ready["pid"])

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Stop the service after its requests in flight, or kill it after ten seconds."""
        # On Windows, terminate() is TerminateProcess: it ends a process in the middle of a
        # request, and ends only the launcher, not its child. Closing the pipe reaches the service
        # itself on every system, and lets it finish.
        _running.discard(self)
        self.close_pipe()
        try:
            self._process.wait(_SHUTDOWN_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._kill()
        self._close_output()

    def _kill(self) -> None:
        self.close_pipe()  # this ends the child of a killed launcher
        self._process.kill()
        self._process.wait()
        self._close_output()

    def close_pipe(self) -> None:
        """Close the pipe to the service, which then ends unless another process holds the pipe."""
        assert self._process.stdin is not None  # noqa: S101 # it is a pipe
        with contextlib.suppress(OSError):  # the service never read its settings
            self._process.stdin.close()

    def _close_output(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 # it is a pipe
        self._process.stdout.close()


def _close_pipes_after_fork() -> None:
    """Close the pipes in a forked child, such as a multiprocessing worker."""
    for process in _running:
        process.close_pipe()
    _running.clear()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_close_pipes_after_fork)


def _python_command(module: str) -> tuple[str, ...]:
    """Return the command that runs a module of this package.

    ``python -m`` searches the working directory first, so an ``h11.py`` next to a notebook would
    run in a process that has the API key. ``-P`` removes that directory from the path.
    """
    return (sys.executable, "-P", "-m", module)


def _environment_without_key() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name != "PETSTORE_API_KEY"}


def _ignoring_ctrl_c() -> dict[str, Any]:
    """Return Popen options that protect the service from Ctrl-C in a notebook or shell."""
    if sys.platform == "win32":
        new_group = subprocess.CREATE_NEW_PROCESS_GROUP  # a new group ignores Ctrl-C on Windows
        no_window = subprocess.CREATE_NO_WINDOW  # a kernel without a console would open one
        return {"creationflags": new_group | no_window}
    return {"start_new_session": True}  # the terminal sends SIGINT to its own session only


def _as_json(value: Any) -> str:
    """Convert a setting without a JSON type: a key to its text, a path to its name."""
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def run_with_faults(
    settings: Mapping[str, Any], faults: str, upstream: str | None
) -> tuple[dict[str, Any], str]:
    """Run a store with faults until SIGTERM or Ctrl-C.

    Args:
        settings: Options of the bundled service.
        faults: Rates, such as ``"lost-reply=0.05"``.
        upstream: Address of another store to inject faults in front of; None starts the bundled
            store.

    Returns:
        What was applied, as numbers for a script and as one line for a person.
    """
    rates = read_faults(faults)
    process = None
    if upstream is None:
        process = _ServiceProcess({**settings, "port": 0}, shows_log=True)
    try:
        address = upstream if process is None else process.base_url
        proxy = FaultyProxy(str(address), rates, settings["seed"], settings["port"])
        sys.stdout.write(json.dumps({"base_url": proxy.base_url, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
        _wait_for_end()
        proxy.close()
    finally:
        if process is not None:
            process.stop()
    return proxy.summary(), str(proxy)


def _wait_for_end() -> None:
    """Wait for SIGTERM or Ctrl-C."""
    ended = threading.Event()
    signals = [signal.SIGTERM, signal.SIGINT]
    if sys.platform == "win32":
        signals.append(signal.SIGBREAK)  # Ctrl-Break, for process groups on Windows
    for number in signals:
        signal.signal(number, lambda *_: ended.set())
    # On Windows, a wait without a timeout prevents Python from handling Ctrl-C.
    while not ended.wait(0.5):
        pass


def run_service(settings: Mapping[str, Any]) -> None:
    """Run the service in this process until it ends; it reads its settings from stdin."""
    _require_libraries(settings["database"])
    sys.stdin = io.StringIO(json.dumps(settings, default=_as_json))
    runpy.run_module(_SERVICE_MODULE, run_name="__main__")


def _require_libraries(database: str | None) -> None:
    """Check for the libraries of the service and of its database before a process starts.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    if not all(find_spec(library) for library in ("fastapi", "uvicorn", "sqlalchemy")):
        raise MissingExtraError("the bundled service", "service")
    if (database or "").startswith("postgresql") and not find_spec("psycopg"):
        raise MissingExtraError("the bundled service on PostgreSQL", "postgres")


def manage_api_keys(database: str, **request: str) -> dict[str, Any]:
    """Create, revoke or list the API keys in the database of a store.

    Args:
        database: Path of a SQLite file or a SQLAlchemy URL.
        **request: ``label`` for a new key, or ``revoke`` with the key or its listed prefix; without
            them, the keys are listed.

    Raises:
        ServiceStartError: The database cannot be opened.
    """
    _require_libraries(database)
    done = subprocess.run(  # noqa: S603 # our own command
        _python_command(_API_KEYS_MODULE),
        input=json.dumps({"database": database, **request}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ServiceStartError(done.stderr.strip())
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply
