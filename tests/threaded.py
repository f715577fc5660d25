"""The bundled service in a thread of the tests, for what does not ask about its process.

A process of its own imports for a second; on the wire there is no difference.
"""

from __future__ import annotations

import secrets
import threading
from contextlib import ExitStack
from os import PathLike
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from pydantic import SecretStr

import petstore_frame as pf
from petstore_frame.service import process
from petstore_frame.service.app import create_app
from petstore_frame.service.database import open_database
from petstore_frame.transport import IdempotencyKey
from plain_http import wait_until

WAIT_S = 30


class Server:
    """A running service with the attributes of ``pf.Server``, all but the process."""

    def __init__(self, options: process.Options) -> None:
        self._resources = ExitStack()
        listener = self._resources.enter_context(process.listen(options))
        engine = open_database(options.database or "")
        self._resources.callback(engine.dispose)
        process.prepare(engine, options)
        self.base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        self.api_key = options.api_key or SecretStr("")
        self._honored = None if options.spec_only else IdempotencyKey(3600.0)
        app = create_app(engine, options.api_key, spec_only=options.spec_only)
        self._server = uvicorn.Server(process.make_config(app))
        self._thread = threading.Thread(target=self._server.run, args=([listener],))
        self._thread.start()  # requests wait at the listener until it is up

    def client(self, **options: Any) -> pf.Client:
        return pf.Client(self.base_url, self.api_key, idempotency=self._honored, **options)

    def close(self) -> None:
        assert wait_until(lambda: self._server.started, WAIT_S)
        self._server.should_exit = True
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        self._resources.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(*, database: str | PathLike[str] | None = None, **options: Any) -> Server:
    """Start what ``pf.serve`` starts, by the same options, in a thread."""
    key = options.pop("api_key", None) or "psk_" + secrets.token_urlsafe(32)
    if database is not None:
        return Server(process.Options(database=str(database), api_key=key, **options))
    folder = TemporaryDirectory()
    place = f"{folder.name}/store.sqlite3"
    server = Server(process.Options(database=place, api_key=key, **options))
    server._resources.callback(folder.cleanup)
    return server
