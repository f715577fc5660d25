"""Measures how fast a file is loaded, next to pools of threads that keep no journal.

    PYTHONPATH=tests python benchmarks/load.py [--rows 6000] [--rounds 5] [--imports 1 100 1000]

The store is a thread per connection on raw sockets in a process of its own, with a latency added
to each POST. In each round, all ways take their turn, so that a busy machine slows all alike; the
table has the medians of the ratios of a round. Without the package ``requests``, its column is
empty. A second table has the time of a load after many imports into the same journal.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import statistics
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


def load_after_imports(counts: Sequence[int]) -> None:
    """Print the CPU time of one load of 200 animals after some imports of as many."""
    print("\n| earlier imports of 200 animals | one load, CPU ms | ratio |")
    print("|---:|---:|---:|")
    first_ms = None
    imports = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        store_with(0) as url,
        Client(url, KEY) as client,
    ):

        def load_next() -> float:
            """Load 200 new animals; return the CPU time in milliseconds."""
            path = Path(folder, f"week{imports}.csv")
            animals = range(200 * imports, 200 * (imports + 1))
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(["tag", "name", "categoryId"])
                writer.writerows([f"T{n}", f"Animal {n}", n % 19 + 1] for n in animals)
            start = time.process_time()
            load(path, client, journal=folder, check_store=False, progress=False, key="tag")
            return 1000 * (time.process_time() - start)

        for count in counts:
            while imports < count:
                load_next()
                imports += 1
            times_ms = []
            for _ in range(5):
                times_ms.append(load_next())
                imports += 1
            median_ms = statistics.median(times_ms)
            first_ms = first_ms or median_ms
            print(f"| {count:,} | {median_ms:.0f} | {median_ms / first_ms:.2f} |", flush=True)


def main() -> None:
    """Print two Markdown tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--latencies", type=int, nargs="*", default=[0, 5, 20, 50])
    options.add_argument("--imports", type=int, nargs="*", default=[1, 100, 1000])
    chosen = options.parse_args()
    compare_sending(chosen.rows, chosen.rounds, chosen.latencies)
    load_after_imports(chosen.imports)


if __name__ == "__main__":
    main()
