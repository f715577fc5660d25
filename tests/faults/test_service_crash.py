"""The service is killed, ended, orphaned and starved of disk; what it acknowledged is there."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import pytest

import petstore_frame as pf
from plain_http import names_of, talk_to, wait_until

LUNA = {"name": "Luna", "categoryId": 3}


@dataclass
class Ledger:
    """What each client knows of the pets that it added."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)
    replayed: Counter[str] = field(default_factory=Counter)


def add_pets(base_url: str, key: str, number: int, ends: threading.Event, ledger: Ledger) -> None:
    """Add pets with unique names; odd clients repeat under an idempotency key, even ones do not."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=base_url, headers=headers, timeout=10) as client:
        for count in range(10**6):
            if ends.is_set():
                return
            name = f"{number}-{count}"
            again = {"Idempotency-Key": name} if number % 2 else {}
            while not ends.is_set():
                try:
                    answer = client.post("/pets", json={**LUNA, "name": name}, headers=again)
                except httpx.ConnectError:
                    time.sleep(0.05)
                    continue
                except httpx.TransportError:
                    if again:
                        continue
                    ledger.unclear.add(name)
                    break
                assert answer.status_code == 201, answer.text
                ledger.acknowledged[name] = answer.json()["id"]
                ledger.replayed[answer.headers.get("idempotency-replayed", "")] += 1
                break
            else:
                ledger.unclear.add(name)


def test_no_acknowledged_pet_is_lost_through_kills(tmp_path, campaign) -> None:
    """64 connections, unique names, SIGKILLs: each 201 is in the list once, with its id."""
    chance = random.Random(1)
    database = tmp_path / "store.sqlite3"
    server = pf.serve(database=database)
    port, key, ends = (
        httpx.URL(server.base_url).port,
        server.api_key.get_secret_value(),
        threading.Event(),
    )
    with ThreadPoolExecutor(64) as pool:
        books = [Ledger() for _ in range(64)]
        work = [
            pool.submit(add_pets, server.base_url, key, number, ends, book)
            for number, book in enumerate(books)
        ]
        try:
            for _ in range(2 * campaign):
                ends.wait(chance.uniform(0.2, 0.8))
                os.kill(server.pid, signal.SIGKILL)
                server.close()
                server = pf.serve(database=database, port=port, api_key=key)
            ends.wait(0.3)
        finally:
            ends.set()
        for done in work:
            done.result()
    ledger = {name: pet_id for book in books for name, pet_id in book.acknowledged.items()}
    unclear = set().union(*(book.unclear for book in books))
    with server, talk_to(server) as client:
        stored = names_of(client)
    ids = [pet_id for pets in stored.values() for pet_id in pets]
    assert len(ledger) > 100
    assert {name: pets for name, pets in stored.items() if len(pets) > 1} == {}
    assert {name: pet_id for name, pet_id in ledger.items() if stored.get(name) != [pet_id]} == {}
    assert set(stored) <= set(ledger) | unclear
    assert len(ids) == len(set(ids))
    print(f"{len(ledger)} acknowledged, {len(unclear)} unclear, {len(stored)} stored")


def test_a_key_survives_a_kill(tmp_path) -> None:
    """The idempotency key is on disk with its pet."""
    database, key = tmp_path / "store.sqlite3", {"Idempotency-Key": "k"}
    server = pf.serve(database=database)
    with talk_to(server) as client:
        first = client.post("/pets", json=LUNA, headers=key).json()
    os.kill(server.pid, signal.SIGKILL)
    server.close()
    with pf.serve(database=database) as server, talk_to(server) as client:
        again = client.post("/pets", json=LUNA, headers=key)
        other = client.post("/pets", json={**LUNA, "name": "Otis"}, headers=key)
    assert again.json() == first
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 422


def test_sigterm_answers_what_is_in_flight(process_server) -> None:
    """It takes no new connection, ends what has begun, and exits with 0 within 10 seconds."""
    url = httpx.URL(process_server.base_url)
    body = json.dumps(LUNA).encode()
    key = process_server.api_key.get_secret_value()
    head = (
        f"POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    process = psutil.Process(process_server.pid)
    with socket.create_connection((url.host, url.port)) as wire:
        wire.sendall(head.encode() + body[:5])
        with talk_to(process_server) as client:
            client.get("/pets").raise_for_status()
        started = time.monotonic()
        os.kill(process_server.pid, signal.SIGTERM)
        assert wait_until(lambda: not can_connect(url.host, url.port))
        wire.sendall(body[5:])
        assert wire.recv(65536).startswith(b"HTTP/1.1 201 ")
    assert process.wait(10) in (0, None)
    assert time.monotonic() - started < 10


def can_connect(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


ORPHAN = """
import os, signal, petstore_frame as pf
server = pf.serve()
print(server.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_service_ends_with_its_parent() -> None:
    """Even when the parent is killed with SIGKILL."""
    parent = subprocess.run([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, check=False)
    assert parent.returncode == -signal.SIGKILL
    assert wait_until(lambda: not psutil.pid_exists(int(parent.stdout)))


def test_a_locked_database_is_no_trap(server, tmp_path) -> None:
    """While another program holds the lock: 503, and other requests go on; then 201 again."""
    path = tmp_path / "store.sqlite3"
    with talk_to(server) as client, contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(1) as pool:
            refused = pool.submit(client.post, "/pets", json=LUNA)
            assert client.get("/pets").status_code == 200
            assert refused.result().status_code == 503
        other.rollback()
        assert client.get("/pets").json() == []
        assert client.post("/pets", json=LUNA).status_code == 201


@pytest.mark.skipif(not hasattr(psutil, "RLIMIT_FSIZE"), reason="no limits of processes here")
def test_a_full_disk_is_no_trap(process_server, tmp_path) -> None:
    """No room: 500 or 503 and nothing half-written; room again: 201, without a restart."""
    process = psutil.Process(process_server.pid)
    sizes = [path.stat().st_size for path in tmp_path.glob("store.sqlite3*")]
    before = process.rlimit(psutil.RLIMIT_FSIZE)
    acknowledged, refused = [], []
    with talk_to(process_server) as client:
        process.rlimit(psutil.RLIMIT_FSIZE, (max(sizes) + 50_000, before[1]))
        for number in range(60):
            pet = {"name": f"{number}-" + "x" * 900, "categoryId": 1}
            answer = client.post("/pets", json=pet)
            (acknowledged if answer.status_code == 201 else refused).append((answer, pet["name"]))
        process.rlimit(psutil.RLIMIT_FSIZE, before)
        assert acknowledged and refused
        assert {answer.status_code for answer, _ in refused} <= {500, 503}
        assert client.post("/pets", json=LUNA).status_code == 201
        stored = names_of(client)
    assert set(stored) == {"Luna", *(name for _, name in acknowledged)}
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite3")) as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def replace(path: Path) -> None:
    other = path.with_suffix(".other")
    with pf.serve(database=other, sample=3):
        pass
    other.replace(path)


@pytest.mark.parametrize(
    "change", [Path.unlink, lambda path: path.rename(path.with_suffix(".moved")), replace]
)
def test_a_database_that_is_gone_is_said(tmp_path, change) -> None:
    """Its file is unlinked, moved or replaced: 503 everywhere, and never a 201 that is lost."""
    path = tmp_path / "store.sqlite3"
    with pf.serve(database=path, sample=5) as server, talk_to(server) as client:
        assert client.post("/pets", json=LUNA).status_code == 201
        change(path)
        answers = [client.post("/pets", json=LUNA) for _ in range(3)]
        answers += [client.get("/pets"), client.get("/pets/1")]
        health = client.get(server.base_url.replace("/v1", "/healthz"))
        assert [answer.status_code for answer in (*answers, health)] == [503] * 6
        assert answers[0].json()["code"] == "unavailable"
        assert path.exists() == (change is replace)


def run_serve(folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start ``petstore-frame serve`` as a script does."""
    command = [sys.executable, "-m", "petstore_frame", "serve", "--port", "0"]
    command += ["--api-key-file", str(folder / "key"), *options]
    with (folder / "log").open("w") as log:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)


def test_the_log_tells_and_keeps_quiet(tmp_path) -> None:
    """JSON lines with the request's id; never a key, a body or a raw control character."""
    process = run_serve(tmp_path, "--sample", "3")
    ready = json.loads(process.stdout.readline())
    key = (tmp_path / "key").read_text().strip()
    headers = {"Authorization": f"Bearer {key}", "X-Request-Id": "look-for-me"}
    pet = {"name": "secret \x1b[31m\u202e", "categoryId": 1}
    httpx.post(f"{ready['base_url']}/pets", headers=headers, json=pet).raise_for_status()
    httpx.get(f"{ready['base_url']}/%1b%5b31m%0aforged", headers=headers)
    httpx.get(f"{ready['base_url']}/pets", headers={"Authorization": f"Bearer {key}x"})
    with socket.create_connection(("127.0.0.1", httpx.URL(ready["base_url"]).port)) as wire:
        wire.sendall(b"\x1b[31m\r\n\r\n")
        wire.recv(1000)
    assert ready["pid"] == process.pid
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()
    log = (tmp_path / "log").read_bytes()
    lines = [json.loads(line) for line in log.splitlines()]
    assert key.encode() not in log and b"secret" not in log
    assert not [byte for byte in log if byte > 126 or (byte < 32 and byte != 10)]
    assert [line["status"] for line in lines if line.get("request_id") == "look-for-me"] == [
        201,
        404,
    ]
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_the_key_is_in_no_process_list(process_server) -> None:
    """It reaches the service by a pipe."""
    process = psutil.Process(process_server.pid)
    assert process_server.api_key.get_secret_value() not in " ".join(process.cmdline())
    assert process_server.api_key.get_secret_value() not in " ".join(process.environ().values())
    assert process_server.api_key.get_secret_value() not in repr(process_server)
