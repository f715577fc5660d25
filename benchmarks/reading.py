"""Reading a file of animals beside other ways to read it: time and memory.

Run: python benchmarks/reading.py [ROWS ...]     (default: 10000 1000000)

Each way runs in a process of its own over the same made-up file, three times in turn, so that a
busy machine slows all alike. The table has the median of the CPU seconds, without the imports of
petstore_frame, the ratio to what Python's csv module takes merely to read the file, and the peak
of memory.
"""

from __future__ import annotations

import csv
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from compiled_code import compiled_once

ROUNDS = 3


def merely_read(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        deque(csv.reader(file, strict=True), maxlen=0)


def read_into_pandas(path: Path) -> None:
    import pandas as pd

    pd.read_csv(path, dtype=str, keep_default_na=False)


def check_with_models(path: Path) -> None:
    """What a plain script does: one model per row."""
    from petstore_frame.schema import NewPet

    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            NewPet(
                name=row["name"], category_id=int(row["categoryId"]), status=row["status"] or None
            ).to_json()


def read_and_check(path: Path) -> None:
    from petstore_frame.loader.source import Recipe, open_source

    deque(open_source(path, Recipe()), maxlen=0)


def stage(path: Path, key: str | None = None) -> None:
    """Read, check and put every record into a new journal: a rehearsal, nothing sent."""
    import petstore_frame as pf

    with (
        tempfile.TemporaryDirectory() as folder,
        pf.Client("http://127.0.0.1:9/v1", "a-key-of-twenty-signs") as client,
    ):
        pf.load(
            path,
            client,
            key=key,
            dry_run=True,
            check_store=False,
            journal=folder,
            progress=False,
        )


def stage_with_key(path: Path) -> None:
    stage(path, "animal_id")


WAYS: dict[str, Callable[[Path], None]] = {
    "csv module, rows dropped": merely_read,
    "pandas, all as text": read_into_pandas,
    "csv and one model per row": check_with_models,
    "open_source: read and check": read_and_check,
    "read, check and stage": stage,
    "read, check and stage, with a key": stage_with_key,
}


def measure(way: str, path: Path) -> tuple[float, float]:
    """Return CPU seconds and peak MB of a way, in a process of its own."""
    words = [sys.executable, __file__, "--way", way, str(path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def run_one(way: str, path: Path) -> None:
    import petstore_frame as pf

    pf.Client, pf.load  # noqa: B018 # imported on first use
    began = time.process_time()
    WAYS[way](path)
    seconds = time.process_time() - began
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def main(sizes: list[int]) -> None:
    from petstore_frame.sample_data import write_sample_csv

    print("| rows | way | CPU s | times csv | rows per CPU s | peak MB |")
    print("|---:|---|---:|---:|---:|---:|")
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = write_sample_csv(Path(folder) / "pets.csv", rows=rows, dirty=False)
            with compiled_once():
                rounds = [{way: measure(way, path) for way in WAYS} for _ in range(ROUNDS)]
        taken = {way: statistics.median(each[way][0] for each in rounds) for way in WAYS}
        for way in WAYS:
            ratio = taken[way] / taken["csv module, rows dropped"]
            peak = max(each[way][1] for each in rounds)
            rate = rows / taken[way]
            print(
                f"| {rows:,} | {way} | {taken[way]:.2f} | {ratio:.1f} | {rate:,.0f} | {peak:.0f} |"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--way"]:
        run_one(sys.argv[2], Path(sys.argv[3]))
    else:
        main([int(word) for word in sys.argv[1:]] or [10_000, 1_000_000])
