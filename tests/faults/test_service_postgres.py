"""Several service processes on one PostgreSQL, and a PostgreSQL that goes away."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

import petstore_frame as pf
from plain_http import talk_to
from threaded import serve

pytestmark = pytest.mark.postgres
LUNA = {"name": "Luna", "categoryId": 3}


def post(api: httpx.Client, **headers: str) -> httpx.Response:
    return api.post("/pets", json=LUNA, headers=headers)


def test_processes_share_ids_and_keys(new_postgres_database) -> None:
    """Ids rise in the order of commits, so a walk by id misses no pet, and a key makes one pet."""
    database = new_postgres_database()
    with ExitStack() as stack:
        servers = [stack.enter_context(pf.serve(database=database)) for _ in range(3)]
        apis = [stack.enter_context(talk_to(server)) for server in servers]
        pool = stack.enter_context(ThreadPoolExecutor(8))
        adding = [pool.submit(post, apis[number % 3]) for number in range(250)]
        seen: list[int] = []
        address = "/pets?limit=100"
        while not all(work.done() for work in adding) or len(seen) < 250:
            answer = apis[0].get(address)
            seen += [pet["id"] for pet in answer.json() if not seen or pet["id"] > seen[-1]]
            address = answer.links["next"]["url"] if "next" in answer.links else address
        assert sorted(seen) == sorted(work.result().json()["id"] for work in adding)
        in_turn = [post(apis[number % 3]).json()["id"] for number in range(9)]
        assert in_turn == sorted(set(in_turn)) and in_turn[0] > max(seen)
        same = {"Idempotency-Key": "k"}
        repeated = list(pool.map(lambda n: post(apis[n % 3], **same), range(60)))
    assert len({answer.json()["id"] for answer in repeated}) == 1
    replayed = [answer.headers["idempotency-replayed"] for answer in repeated]
    assert replayed.count("false") == 1


def test_a_lock_and_a_database_that_goes_away_are_no_trap(
    postgres_cluster, new_postgres_database
) -> None:
    """The writers' lock is held, then connections are cut: 5xx Errors; then 201, in one run."""
    import psycopg

    database = new_postgres_database()
    name = database.rpartition("/")[2]
    cluster = postgres_cluster.replace("postgresql+psycopg", "postgresql")
    with serve(database=database) as server, talk_to(server) as api:
        with psycopg.connect(f"{cluster}/{name}") as other:
            other.execute("SELECT pg_advisory_xact_lock(7385020071)")
            refused = post(api)
        assert refused.status_code == 503 and refused.headers["retry-after"]
        assert post(api).status_code == 201
        with psycopg.connect(f"{cluster}/postgres", autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            refused = post(api)
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert refused.status_code in (500, 503) and refused.json()["status"] >= 500
        assert post(api).status_code == 201
