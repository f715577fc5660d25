"""Measures how fast a file is loaded, next to pools of threads that keep no journal.

    PYTHONPATH=tests python benchmarks/load.py [--rows 6000] [--rounds 5] [--staged 1000000]

The store is a thread per connection on raw sockets in a process of its own, with a latency added
to each POST. In each round, all ways take their turn, so that a busy machine slows all alike; the
table has the medians of the ratios of a round. Without the package ``requests``, its column is
empty.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

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


def read_bodies(path: Path) -> list[bytes]:
    """Return the request bodies of a file, as a script without a loader makes them."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [json.dumps({**row, "categoryId": int(row["categoryId"])}).encode() for row in rows]


def run_pool(bodies: list[bytes], make_post: Callable[[], Callable[[bytes], object]]) -> None:
    """Send all bodies in 16 threads; ``make_post`` is called once in each."""
    jobs: SimpleQueue[bytes | None] = SimpleQueue()

    def work() -> None:
        post = make_post()
        while (body := jobs.get()) is not None:
            post(body)

    threads = [Thread(target=work) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for body in [*bodies, *[None] * WORKERS]:
        jobs.put(body)
    for thread in threads:
        thread.join()


def send_in_our_pool(path: Path, url: str) -> None:
    """Send with our client, and write nothing down."""
    with Client(url, KEY) as client:
        run_pool(read_bodies(path), lambda: client.post_pet)


def send_in_requests_pool(path: Path, url: str) -> None:
    """Send with a session of requests in each thread."""
    import requests

    def make_post() -> Callable[[bytes], object]:
        session = requests.Session()
        session.headers.update(
            {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        )
        return lambda body: session.post(f"{url}/pets", data=body, timeout=30).json()

    run_pool(read_bodies(path), make_post)


def send_with_load(path: Path, url: str) -> None:
    """Load the file, with a journal; the store has equal pets of the other ways, so unasked."""
    with tempfile.TemporaryDirectory() as folder, Client(url, KEY) as client:
        result = load(path, client, journal=folder, check_store=False, progress=False, key="")
        summary = view_of(result).summary
        assert summary["states"]["created"] == summary["rows"]


WAYS = {"load": send_with_load, "pool": send_in_our_pool, "requests": send_in_requests_pool}


def seconds_of(way: Callable[[Path, str], None], path: Path, url: str) -> float:
    """Return the wall time of a way."""
    start = time.perf_counter()
    way(path, url)
    return time.perf_counter() - start


def compare_sending(rows: int, rounds: int, latencies_ms: Sequence[int]) -> None:
    """Print the rate of a load, and its ratio to that of each pool, at some latencies."""
    ways = dict(WAYS)
    if find_spec("requests") is None:
        del ways["requests"]
    print("| latency | load, rows/s | to a pool of our client | to a pool of requests |")
    print("|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pets.csv")
        write_pets(path, rows)
        for latency_ms in latencies_ms:
            with store_with(latency_ms / 1000) as url:
                for way in ways.values():  # imports, and the threads of the store
                    seconds_of(way, path, url)
                seconds = [
                    {name: seconds_of(way, path, url) for name, way in ways.items()}
                    for _ in range(rounds)
                ]
            rate = rows / statistics.median(times["load"] for times in seconds)
            ratios = [
                f"{statistics.median(times[name] / times['load'] for times in seconds):.2f}"
                for name in ways
                if name != "load"
            ]
            print(f"| {latency_ms} ms | {rate:,.0f} | {' | '.join(ratios)} |", flush=True)


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
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--latencies", type=int, nargs="*", default=[0, 5, 20, 50])
    options.add_argument("--staged", type=int, default=1_000_000)
    options.add_argument("--stage", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.stage:
        stage(chosen.stage)
        return
    compare_sending(chosen.rows, chosen.rounds, chosen.latencies)
    if not chosen.staged:
        return
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
