"""The service against the least that does the same: additions and pages a second, as ratios.

Run: python benchmarks/service.py [--requests 2000]

The least is a loop of one-row transactions in SQLite with the service's own durability, and a loop
that selects the rows of a page, both without HTTP. The service is asked by plain httpx, one request
after the other and by eight threads. Nothing is kept.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx

import petstore_frame as pf

PET = {"name": "Luna", "categoryId": 3, "status": "sold"}


def rate(ask: Callable[[int], object], times: int, threads: int = 1) -> float:
    """Return how often a second something is done."""
    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, range(times)))
    return times / (time.perf_counter() - started)


def least(folder: Path, times: int) -> tuple[float, float]:
    """Return the rates of bare SQLite: durable one-row transactions, and pages of 100."""
    place = folder / "least.sqlite3"
    with closing(sqlite3.connect(place, isolation_level=None, check_same_thread=False)) as store:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=FULL")
        store.execute("CREATE TABLE pets(id INTEGER PRIMARY KEY AUTOINCREMENT, name, category, s)")

        def add(number: int) -> None:
            store.execute("BEGIN IMMEDIATE")
            store.execute("INSERT INTO pets(name, category, s) VALUES (?, 3, 'sold')", [number])
            store.execute("COMMIT")

        added = rate(add, times)
        page = "SELECT * FROM pets WHERE id > ? ORDER BY id LIMIT 101"
        return added, rate(lambda at: store.execute(page, [at]).fetchall(), times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=2000, help="of each kind")
    times = parser.parse_args().requests
    with tempfile.TemporaryDirectory() as folder:
        floors = least(Path(folder), times)
        with pf.serve(database=Path(folder, "ours.sqlite3"), sample=5000) as server:
            headers = {"Authorization": f"Bearer {server.api_key.get_secret_value()}"}
            with httpx.Client(base_url=server.base_url, headers=headers, timeout=60) as client:
                kinds: dict[str, tuple[float, Callable[[int], object]]] = {
                    "POST": (floors[0], lambda _: client.post("/pets", json=PET)),
                    "GET 100": (floors[1], lambda at: client.get(f"/pets?limit=100&cursor={at}")),
                }
                print("| request | bare SQLite, /s | one after the other, /s | eight threads, /s |")
                print("|---|---|---|---|")
                for name, (floor, ask) in kinds.items():
                    rates = [rate(ask, times, threads) for threads in (1, 8)]
                    print(f"| {name} | {floor:.0f} | {rates[0]:.0f} | {rates[1]:.0f} |")


if __name__ == "__main__":
    main()
