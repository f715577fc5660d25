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
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import petstore_frame as pf
from plain_http import talk_to, wait_until
from ports import free_port
from threaded import Server
from zoo.answers import STATUSES, pets

ROOT = Path(__file__).parents[2]


def connects(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


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


@pytest.fixture
def json_server(tmp_path: Path) -> Iterator[pf.Client]:
    (tmp_path / "pets.json").write_text(json.dumps({"pets": pets(250)}))
    (tmp_path / "routes.json").write_text(json.dumps({"/v1/*": "/$1"}))
    options = ["--routes", str(tmp_path / "routes.json"), str(tmp_path / "pets.json")]
    with running("json-server", "--host", "127.0.0.1", "--port", "PORT", *options) as origin:
        with pf.Client(f"{origin}/v1", "a-key", max_retries=0) as client:
            yield client


@pytest.fixture
def prism(sample_server: Server, tmp_path: Path) -> Iterator[pf.Client]:
    """A mock of the description that the bundled service gives of itself."""
    document = tmp_path / "openapi.json"
    with talk_to(sample_server) as api:
        document.write_text(api.get("/openapi.json").text)
    with running("prism", "mock", "-h", "127.0.0.1", "-p", "PORT", str(document)) as origin:
        with pf.Client(origin, "a-key", max_retries=0) as client:
            yield client


def test_json_server_gives_all_at_once(json_server: pf.Client) -> None:
    """A server that passes over ``limit`` gives every pet, and is not called whole for it."""
    inventory = pf.fetch_inventory(json_server)
    assert len(inventory) == 250
    known = inventory.completeness
    assert not known.is_complete
    assert all(known.count(status).is_exact for status in STATUSES)


def test_prism_answers_by_the_document(prism: pf.Client) -> None:
    """A mock of our own document is read without an error."""
    assert len(prism.list_pets()) == 1
    assert prism.create_pet("Luna", 3).id
