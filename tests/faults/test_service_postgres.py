"""Several service processes on one PostgreSQL, and a PostgreSQL that goes away."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import httpx
import psutil
import pytest

import petstore_frame as pf
from plain_http import wait_until
from threaded import Server, serve

pytestmark = pytest.mark.postgres
LUNA = {"name": "Luna", "categoryId": 3}


patient_client = partial(httpx.Client, timeout=60, limits=httpx.Limits(keepalive_expiry=None))


def post(server: Server, client: httpx.Client, **headers: str) -> httpx.Response:
    headers["Authorization"] = f"Bearer {server.api_key.get_secret_value()}"
    return client.post(f"{server.base_url}/pets", json=LUNA, headers=headers)


def test_processes_share_ids_and_keys(postgres_url) -> None:
    """Ids are unique and rise over three processes, and a key makes one pet among them."""
    with ExitStack() as stack:
        servers = [stack.enter_context(pf.serve(database=postgres_url)) for _ in range(3)]
        client = stack.enter_context(patient_client())
        pool = stack.enter_context(ThreadPoolExecutor(12))
        answers = list(pool.map(lambda number: post(servers[number % 3], client), range(300)))
        ids = [answer.json()["id"] for answer in answers]
        assert len(set(ids)) == 300
        in_turn = [post(servers[number % 3], client).json()["id"] for number in range(9)]
        assert in_turn == sorted(in_turn) and in_turn[0] > max(ids)

        def repeat(number: int) -> httpx.Response:
            return post(servers[number % 3], client, **{"Idempotency-Key": "k"})

        repeated = list(pool.map(repeat, range(60)))
    assert len({answer.json()["id"] for answer in repeated}) == 1
    replayed = [answer.headers["idempotency-replayed"] for answer in repeated]
    assert replayed.count("false") == 1


def test_a_walk_misses_no_pet_that_was_acknowledged(postgres_url) -> None:
    """Ids rise in the order of commits: behind the highest id seen, none appears later."""
    with ExitStack() as stack:
        servers = [stack.enter_context(pf.serve(database=postgres_url)) for _ in range(2)]
        client = stack.enter_context(patient_client())
        pool = stack.enter_context(ThreadPoolExecutor(8))
        adding = [pool.submit(post, servers[number % 2], client) for number in range(200)]
        seen: list[int] = []
        address = f"{servers[0].base_url}/pets?limit=100"
        headers = {"Authorization": f"Bearer {servers[0].api_key.get_secret_value()}"}
        while not all(work.done() for work in adding) or len(seen) < 200:
            answer = client.get(address, headers=headers)
            fresh = [pet["id"] for pet in answer.json() if not seen or pet["id"] > seen[-1]]
            seen += fresh
            address = answer.links["next"]["url"] if "next" in answer.links else address
    assert sorted(seen) == sorted(work.result().json()["id"] for work in adding)


def workers_of(pid: int) -> list[psutil.Process]:
    """Return the worker processes of a supervisor; Python's resource tracker is none."""
    found = []
    for child in psutil.Process(pid).children():
        with suppress(psutil.NoSuchProcess):  # it ended just now
            if child.status() != psutil.STATUS_ZOMBIE and "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def test_workers_are_kept_at_their_number(postgres_url, tmp_path) -> None:
    """--workers 2: two processes behind one address; a killed one is replaced; SIGTERM ends all."""
    command = [sys.executable, "-m", "petstore_frame", "serve", "--port", "0", "--workers", "2"]
    command += ["--database", postgres_url, "--api-key-file", "key", "--sample", "10"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=tmp_path
        )
    ready = json.loads(process.stdout.readline())
    headers = {"Authorization": f"Bearer {(tmp_path / 'key').read_text().strip()}"}
    assert wait_until(lambda: len(workers_of(process.pid)) == 2)
    killed = workers_of(process.pid)[0]
    killed.kill()
    assert wait_until(lambda: len(set(workers_of(process.pid)) - {killed}) == 2)
    alive = workers_of(process.pid)
    pets = httpx.get(f"{ready['base_url']}/pets", headers=headers, timeout=30).json()
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()
    _, still = psutil.wait_procs(alive, timeout=30)
    assert len(pets) == 10
    assert still == []


def test_a_lock_that_is_held_is_no_trap(postgres_url) -> None:
    """While another program holds the writers' lock: 503 after a while; then 201 again."""
    import psycopg

    address = postgres_url.replace("postgresql+psycopg", "postgresql")
    with serve(database=postgres_url) as server, httpx.Client(timeout=30) as client:
        with psycopg.connect(address) as other:
            other.execute("SELECT pg_advisory_xact_lock(7385020071)")
            refused = post(server, client)
        assert refused.status_code == 503 and refused.headers["retry-after"]
        assert post(server, client).status_code == 201


def test_a_database_that_goes_away_is_no_trap(postgres_cluster, postgres_url, tmp_path) -> None:
    """While its connections are cut: 5xx Errors; afterwards 201 again, without a restart."""
    import psycopg

    address = postgres_cluster.replace("postgresql+psycopg", "postgresql") + "/postgres"
    name = postgres_url.rpartition("/")[2]
    with serve(database=postgres_url) as server, httpx.Client(timeout=30) as client:
        assert post(server, client).status_code == 201
        with psycopg.connect(address, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            refused = post(server, client)
            health = client.get(server.base_url.replace("/v1", "/healthz"))
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert refused.status_code in (500, 503) and refused.json()["status"] >= 500
        assert health.status_code == 503
        assert post(server, client).status_code == 201
    assert not list(Path(tmp_path).iterdir())
