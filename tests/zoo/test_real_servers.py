"""Servers that nobody here wrote: json-server and Prism, where npm has put them.

They are used when ``npm install json-server@0.17 @stoplight/prism-cli`` was run in the
repository's root, or when they are on the PATH; ``tests/faults`` holds copies of their errors,
which a client has to show by content type and first characters.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import petstore_frame as pf
from plain_http import connects, talk_to, wait_until
from ports import free_port
from threaded import Server
from zoo.answers import exact_counts, pets
from zoo.habits import STATUSES

ROOT = Path(__file__).parents[2]


@contextlib.contextmanager
def running(name: str, *arguments: str) -> Iterator[str]:
    """Start a program of npm's on a free port and yield its origin."""
    places = f"{ROOT / 'node_modules' / '.bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    program = shutil.which(name, path=places)
    if program is None:
        pytest.skip(f"{name} is not installed (npm install json-server@0.17 @stoplight/prism-cli)")
    port = free_port()
    command = [program, *(part.replace("PORT", str(port)) for part in arguments)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    try:
        assert wait_until(lambda: process.poll() is not None or connects(port))
        assert process.poll() is None, f"{name} did not start"
        yield f"http://127.0.0.1:{port}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def test_json_server_gives_all_at_once(tmp_path: Path) -> None:
    """A server that passes over ``limit`` is whole by its shorter pages of the statuses."""
    rows, routes = tmp_path / "pets.json", tmp_path / "routes.json"
    rows.write_text(json.dumps({"pets": pets(250)}))
    routes.write_text(json.dumps({"/v1/*": "/$1"}))
    options = ["--host", "127.0.0.1", "--port", "PORT", "--routes", str(routes), str(rows)]
    with running("json-server", *options) as origin, pf.Client(f"{origin}/v1", "a-key") as client:
        known = pf.fetch_inventory(client).completeness
    assert (known.is_complete, known.rows) == (True, 250)
    assert exact_counts(known) >= {*STATUSES}


def test_prism_answers_by_the_document(sample_server: Server, tmp_path: Path) -> None:
    """A mock of the description that the bundled service gives of itself is read without error."""
    document = tmp_path / "openapi.json"
    with talk_to(sample_server) as api:
        document.write_text(api.get("/openapi.json").text)
    options = ["mock", "-h", "127.0.0.1", "-p", "PORT", str(document)]
    with running("prism", *options) as origin, pf.Client(origin, "a-key") as client:
        assert len(client.list_pets()) == 1
        assert client.create_pet("Luna", 3).id
