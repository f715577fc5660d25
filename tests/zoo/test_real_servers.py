"""Servers that nobody here wrote: json-server and Prism, where npm has put them.

They are used when ``npm install json-server@0.17 @stoplight/prism-cli`` was run in the
repository's root, or when they are on the PATH; ``tests/faults`` holds copies of their errors.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import petstore_frame as pf
from ports import free_port
from threaded import Server

ROOT = Path(__file__).parents[2]
STATUSES = ("available", "pending", "sold")


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
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert time.monotonic() < deadline and process.poll() is None, f"{name} did not start"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


@pytest.fixture
def json_server(tmp_path: Path) -> Iterator[pf.Client]:
    pets = [
        {"id": n, "name": f"Pet {n}", "categoryId": 1, "status": STATUSES[n % 3]}
        for n in range(1, 251)
    ]
    (tmp_path / "pets.json").write_text(json.dumps({"pets": pets}))
    (tmp_path / "routes.json").write_text(json.dumps({"/v1/*": "/$1"}))
    options = ["--routes", str(tmp_path / "routes.json"), str(tmp_path / "pets.json")]
    with running("json-server", "--host", "127.0.0.1", "--port", "PORT", *options) as origin:
        with pf.Client(f"{origin}/v1", "a-key", max_retries=0) as client:
            yield client


@pytest.fixture
def prism(sample_server: Server, tmp_path: Path) -> Iterator[pf.Client]:
    """A mock of the description that the bundled service gives of itself."""
    key = sample_server.api_key.get_secret_value()
    headers = {"Authorization": f"Bearer {key}"}
    document = tmp_path / "openapi.json"
    document.write_text(httpx.get(f"{sample_server.base_url}/openapi.json", headers=headers).text)
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


@pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")
def test_json_server_has_errors_without_words(json_server: pf.Client) -> None:
    """Its 404 is ``{}``: the error shows the status, the content type and these characters."""
    with pytest.raises(pf.NotFoundError, match=r"404 .* application/json.*'\{\}'") as caught:
        json_server.get_pet(9999)
    assert caught.value.code is None


def test_prism_answers_by_the_document(prism: pf.Client) -> None:
    """A mock of our own document is read without an error."""
    assert len(prism.list_pets()) == 1
    assert prism.create_pet("Luna", 3).id


def test_prism_speaks_of_problems(prism: pf.Client) -> None:
    """Its problem+json is shown by its content type and first characters."""
    with pf.Client(f"{prism.base_url}/nowhere", "a-key", max_retries=0) as elsewhere:
        with pytest.raises(pf.NotFoundError, match=r"application/problem\+json") as caught:
            elsewhere.list_pets()
    assert "stoplight" in str(caught.value)
