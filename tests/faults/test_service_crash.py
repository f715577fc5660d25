"""The service is killed, ended, orphaned and starved of disk; what it acknowledged is there."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx
import psutil
import pytest

import petstore_frame as pf
from plain_http import connects, exchange, names_of, talk_to, wait_until

LUNA = {"name": "Luna", "categoryId": 3}


@dataclass
class Ledger:
    """The acknowledged names with their ids, and those of which perhaps nobody knows."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)
    ends: threading.Event = field(default_factory=threading.Event)

    def add_pets(self, server: pf.Server, number: int) -> None:
        """Add pets; odd clients repeat under an idempotency key, even ones do not."""
        names = (f"{number}-{at}" for at in count())
        name = next(names)
        with talk_to(server) as client:
            while not self.ends.is_set():
                again = {"Idempotency-Key": name} if number % 2 else {}
                try:
                    answer = client.post("/pets", json={**LUNA, "name": name}, headers=again)
                    self.acknowledged[name] = answer.raise_for_status().json()["id"]
                    name = next(names)
                except httpx.ConnectError:
                    self.ends.wait(0.05)
                except httpx.TransportError:
                    self.unclear.add(name)
                    name = name if again else next(names)


def test_no_acknowledged_pet_is_lost_through_kills(
    tmp_path: Path, draw: random.Random, times: int
) -> None:
    """32 connections, unique names, SIGKILLs: each 201 is in the list once, with its id."""
    ledger, database = Ledger(), tmp_path / "store.sqlite3"
    server = pf.serve(database=database)
    assert database.stat().st_mode & 0o777 == 0o600
    port, key = httpx.URL(server.base_url).port, server.api_key.get_secret_value()
    with ThreadPoolExecutor(32) as pool:
        work = [pool.submit(ledger.add_pets, server, number) for number in range(32)]
        try:
            for _ in range(2 * times):
                ledger.ends.wait(draw.uniform(0.2, 0.8))
                os.kill(server.pid, signal.SIGKILL)
                server.close()
                server = pf.serve(database=database, port=port, api_key=key)
            ledger.ends.wait(0.3)
        finally:
            ledger.ends.set()
    assert [done.result() for done in work] == [None] * 32
    with server, talk_to(server) as client:
        stored = names_of(client)
    acknowledged = {name: [pet_id] for name, pet_id in ledger.acknowledged.items()}
    assert acknowledged and {name: stored.get(name) for name in acknowledged} == acknowledged
    assert set(stored) <= set(acknowledged) | ledger.unclear
    assert {len(pets) for pets in stored.values()} == {1}
    assert len({pet_id for pets in stored.values() for pet_id in pets}) == len(stored)


def test_sigterm_answers_what_is_in_flight(process_server) -> None:
    """It ends what has begun, exits with 0 within 10 s; its key is in no list of processes."""
    url = httpx.URL(process_server.base_url)
    body, key = json.dumps(LUNA).encode(), process_server.api_key.get_secret_value()
    head = (
        f"POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    process = psutil.Process(process_server.pid)
    assert key not in f"{process.cmdline()} {process.environ()} {process_server!r}"
    with socket.create_connection((url.host, url.port)) as wire:
        wire.sendall(head.encode() + body[:5])
        with talk_to(process_server) as client:
            client.get("/pets").raise_for_status()
        os.kill(process_server.pid, signal.SIGTERM)
        assert wait_until(lambda: not connects(url.port))
        wire.sendall(body[5:])
        assert wire.recv(65536).startswith(b"HTTP/1.1 201 ")
    assert process.wait(10) in (0, None)


@pytest.fixture
def launcher(tmp_path) -> Path:
    """A program that starts Python as its child, as python.exe in a Windows venv does."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\n"{sys.executable}" "$@"\nexit $?\n')
    program.chmod(0o755)
    return program


def test_a_launcher_may_stand_between_caller_and_service(launcher, monkeypatch) -> None:
    """The service runs although its parent is another process, and close() ends it."""
    monkeypatch.setattr(sys, "executable", str(launcher))
    with pf.serve(sample=3) as server, server.client() as client:
        service = psutil.Process(server.pid)
        assert service.ppid() != os.getpid()
        assert len(client.list_pets().pets) == 3
    assert wait_until(lambda: not service.is_running())


ORPHAN = """
import os, signal, sys, time
import petstore_frame as pf
executable = sys.argv[1]
sys.executable = executable
server = pf.serve()
if "fork" in sys.argv and os.fork() == 0:
    time.sleep(600)  # a worker that outlives its parent
print(server.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("kind", ["direct", "launcher", "fork"])
def test_the_service_ends_with_its_parent(kind, launcher) -> None:
    """Even if the parent is killed, started a launcher, or left a forked worker behind."""
    executable = str(launcher) if kind == "launcher" else sys.executable
    command = [sys.executable, "-c", ORPHAN, executable, kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as parent:
        service_pid = int(parent.stdout.readline())
        assert parent.wait() == -signal.SIGKILL
        try:
            assert wait_until(lambda: not psutil.pid_exists(service_pid))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)  # the forked worker


INTERRUPTED = """
import os, signal
import petstore_frame as pf
signal.signal(signal.SIGINT, lambda *_: None)
with pf.serve(sample=3) as server, server.client() as client:
    os.killpg(0, signal.SIGINT)
    print(len(client.list_pets().pets), os.getpgid(server.pid) == os.getpgid(0))
"""


def test_ctrl_c_of_the_caller_leaves_the_service_running() -> None:
    """A terminal sends Ctrl-C to every process of its group; the service is not one of them."""
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    assert (done.returncode, done.stdout) == (0, "3 False\n"), done.stderr


@pytest.mark.skipif(not hasattr(psutil, "RLIMIT_FSIZE"), reason="no limits of processes here")
def test_a_full_disk_is_no_trap(process_server, tmp_path) -> None:
    """No room: 500 or 503 and nothing half-written; room again: 201, without a restart."""
    process = psutil.Process(process_server.pid)
    sizes = [path.stat().st_size for path in tmp_path.glob("store.sqlite3*")]
    before, statuses = process.rlimit(psutil.RLIMIT_FSIZE), dict[str, int]()
    with talk_to(process_server) as client:
        process.rlimit(psutil.RLIMIT_FSIZE, (max(sizes) + 50_000, before[1]))
        for number in range(60):
            name = f"{number}-" + "x" * 900
            statuses[name] = client.post("/pets", json={**LUNA, "name": name}).status_code
        process.rlimit(psutil.RLIMIT_FSIZE, before)
        assert 201 in statuses.values() and set(statuses.values()) & {500, 503}
        assert client.post("/pets", json=LUNA).status_code == 201
        stored = names_of(client)
    assert set(statuses.values()) <= {201, 500, 503}
    assert set(stored) == {"Luna", *(name for name in statuses if statuses[name] == 201)}
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite3")) as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_endless_bodies_are_not_kept(process_server) -> None:
    """A stated gigabyte and endless chunks are 413 or a closed connection; memory stays flat."""
    process, port = psutil.Process(process_server.pid), httpx.URL(process_server.base_url).port
    key = process_server.api_key.get_secret_value()
    head = f"POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n".encode()
    stated = head + b"Content-Length: 1073741824\r\n\r\n" + b" " * 100_000
    assert exchange(port, stated).startswith(b"HTTP/1.1 413 ")
    before = process.memory_info().rss
    stranger = b"POST /v1/x HTTP/1.1\r\nHost: x\r\n"
    for first in [head] * 3 + [stranger] * 3:
        wire = socket.create_connection(("127.0.0.1", port), timeout=2)
        with contextlib.suppress(OSError), wire:
            wire.sendall(first + b"Transfer-Encoding: chunked\r\n\r\n")
            wire.sendall((b"4000\r\n" + b" " * 0x4000 + b"\r\n") * 2000)
    assert process.memory_info().rss - before < 10 * 2**20


def test_the_log_tells_and_keeps_quiet(tmp_path) -> None:
    """A line a request; never a key, a body, a query or a raw control character."""
    command = [sys.executable, "-m", "petstore_frame", "serve", "--port", "0"]
    command += ["--api-key-file", "key", "--sample", "3"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=tmp_path
        )
    ready = json.loads(process.stdout.readline())
    key = (tmp_path / "key").read_text().strip()
    headers = {"Authorization": f"Bearer {key}"}
    pet = {"name": "secret \x1b[31m\u202e", "categoryId": 1}
    httpx.post(f"{ready['base_url']}/pets", headers=headers, json=pet).raise_for_status()
    httpx.get(f"{ready['base_url']}/%1b%5b31m%0aforged", headers=headers)
    httpx.get(f"{ready['base_url']}/pets?api_key={key}")
    with socket.create_connection(("127.0.0.1", httpx.URL(ready["base_url"]).port)) as wire:
        wire.sendall(b"\x1b[31m\r\n\r\n")
        wire.recv(1000)
    process.terminate()
    assert (ready["pid"], process.wait(60)) == (process.pid, 0)
    process.stdout.close()
    log_text = (tmp_path / "log").read_bytes()
    assert key.encode() not in log_text and b"secret" not in log_text
    assert not [byte for byte in log_text if byte > 126 or (byte < 32 and byte != 10)]
    assert re.findall(rb" (?:GET|POST) \S+ (\d+)$", log_text, re.M) == [b"201", b"404", b"401"]
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
