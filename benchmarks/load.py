"""How fast a file is loaded, beside a plain loop and beside the same pool without a journal.

    PYTHONPATH=tests python benchmarks/load.py [--rows 6000] [--staged 1000000]

The store is a thread per connection on raw sockets in a process of its own, with a latency added
to each POST. Ratios are of one run on one machine; the absolute figures are not comparable.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import httpx

from faults.flaky_store import KEY, FlakyStore
from petstore_frame.client import Client
from petstore_frame.loader import view_of
from petstore_frame.loader.loading import load

HERE = Path(__file__).parent

WORKERS = 16


def serve(latency_s: float, pipe: multiprocessing.connection.Connection) -> None:
    """Be a store until the pipe closes."""
    with FlakyStore(latency_s=latency_s) as store:
        pipe.send(store.base_url)
        pipe.recv()


@contextmanager
def store_with(latency_s: float) -> Iterator[str]:
    """Run a store in a process of its own; gives its address."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(latency_s, there))
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join()


def write_pets(path: Path, count: int) -> None:
    """Write a file of pets."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "categoryId", "status"])
        writer.writerows([f"Animal {n}", n % 19 + 1, "available"] for n in range(count))


def read_pets(path: Path) -> list[dict]:
    """Read the file as the plain loop does."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{**row, "categoryId": int(row["categoryId"])} for row in csv.DictReader(file)]


def plain_loop(path: Path, url: str) -> float:
    """One request after the other."""
    pets = read_pets(path)
    start = time.perf_counter()
    with httpx.Client(headers={"Authorization": f"Bearer {KEY}"}) as client:
        for pet in pets:
            client.post(f"{url}/pets", json=pet).raise_for_status()
    return len(pets) / (time.perf_counter() - start)


def bare_pool(path: Path, url: str) -> float:
    """Our client and as many threads, and nothing written down."""
    jobs: SimpleQueue[bytes | None] = SimpleQueue()
    pets = read_pets(path)
    start = time.perf_counter()
    with Client(url, KEY) as client:

        def work() -> None:
            while (payload := jobs.get()) is not None:
                client.post_pet(payload)

        threads = [Thread(target=work) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        for pet in pets:
            jobs.put(json.dumps(pet).encode())
        for _ in threads:
            jobs.put(None)
        for thread in threads:
            thread.join()
    return len(pets) / (time.perf_counter() - start)


def ours(path: Path, url: str) -> float:
    """load, journal and all; the store has the same pets from the other two, so unasked."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, Client(url, KEY) as client:
        result = load(path, client, journal=folder, check_store=False, progress=False)
        took = time.perf_counter() - start
        assert view_of(result).summary["states"]["created"] == view_of(result).summary["rows"]
        return view_of(result).summary["rows"] / took


def sending(rows: int, rounds: int) -> None:
    """Print rows per second at some latencies; the best of some rounds."""
    print("| latency | plain loop, rows/s | pool without a journal | load | to loop | to pool |")
    print("|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for latency_ms in (0, 5, 20, 50):
            few, many = Path(folder, f"few{latency_ms}.csv"), Path(folder, f"many{latency_ms}.csv")
            write_pets(few, max(50, rows // 30))
            write_pets(many, rows)
            with store_with(latency_ms / 1000) as url:
                loop = max(plain_loop(few, url) for _ in range(rounds))
                pool = max(bare_pool(many, url) for _ in range(rounds))
                mine = max(ours(many, url) for _ in range(rounds))
            print(
                f"| {latency_ms} ms | {loop:,.0f} | {pool:,.0f} | {mine:,.0f} "
                f"| {mine / loop:.1f} | {mine / pool:.2f} |",
                flush=True,
            )


def stage(path: str) -> None:
    """Print seconds of CPU for reading with csv, and for staging; and the peak of memory."""
    start = time.process_time()
    with Path(path).open(newline="", encoding="utf-8") as file:
        for _ in csv.reader(file):
            pass
    reading = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder, Client("http://127.0.0.1:1/v1", KEY) as client:
        start = time.process_time()
        load(path, client, journal=folder, dry_run=True, check_store=False, progress=False)
        staging = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{reading} {staging} {peak}")


def main() -> None:
    """Print two Markdown tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--staged", type=int, default=1_000_000)
    options.add_argument("--stage", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.stage:
        stage(chosen.stage)
        return
    sending(chosen.rows, chosen.rounds)
    print("\n| rows staged | csv module, CPU s | staged, CPU s | ratio | peak memory, MB |")
    print("|---:|---:|---:|---:|---:|")
    for count in (10_000, chosen.staged):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "pets.csv")
            write_pets(path, count)
            command = [sys.executable, __file__, "--stage", str(path)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            reading, staging, peak = map(float, said.split())
            shares = f"{reading:.2f} | {staging:.2f} | {staging / reading:.1f}"
            print(f"| {count:,} | {shares} | {peak:.0f} |")


if __name__ == "__main__":
    main()
