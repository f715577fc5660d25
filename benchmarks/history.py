"""Bytes, seconds and memory of a history by size, compared with plain DuckDB SQL.

    python benchmarks/history.py --pets 10000 --snapshots 365
    python benchmarks/history.py --pets 1000000 --snapshots 30

Each cell of the table runs in a process of its own that has imported its libraries before the
clock starts. Seconds are CPU seconds of the process and all its children, medians of ``--runs``; on
a shared machine trust the ratios. Peak is the resident memory of the same processes. ``sql`` is the
same question in hand-written SQL, which DuckDB runs on the files themselves, without checksums,
gaps or bounds; ``moves`` and ``ageing`` have none. Only ``--folder`` keeps the snapshots.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil

FIRST_DAY = datetime(2026, 9, 1, 12, tzinfo=UTC)


def make_inventory(pets: int, day: int) -> Any:
    """Make one day of a store: names repeat, 1 % of the pets come and go, 3 % move on."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from petstore_frame.inventory import Inventory

    ids = np.arange(1, pets + 1, dtype="int64") + day * (pets // 100)
    mixed = (ids.astype("uint64") * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)
    # A few names are very common and most are rare, as in a shelter.
    rank = (20_000 ** ((mixed % 100_003) / 100_003.0)).astype("int32") - 1
    names = pa.DictionaryArray.from_arrays(rank, [f"Pet {n:05d}" for n in range(20_000)])
    phase = (mixed + np.uint64(day)) % 60
    status = np.select([mixed % 33 == 0, phase < 40, phase < 42], [-1, 0, 1], 2).astype("int8")
    frame = pd.DataFrame(
        {
            "id": ids,
            "name": pd.Series(names.cast(pa.large_string()).to_pandas(), dtype="str"),
            "category_id": (mixed % 40).astype("int64"),
            "status": pd.Categorical.from_codes(status, ["available", "pending", "sold"]),
        }
    )
    return Inventory.from_frame(frame, fetched_at=FIRST_DAY + timedelta(days=day))


def start(contender: str) -> Any:
    """Open the connection of plain SQL; ours opens its own for each question."""
    if contender != "sql":
        return None
    import duckdb

    config = {"temp_directory": tempfile.mkdtemp(), "preserve_insertion_order": "false"}
    return duckdb.connect(config=config)


def summarize(folder: str, contender: str, session: Any) -> int:
    if contender == "sql":
        latest = max(Path(folder).glob("date=*/pets.parquet"))
        return len(
            session.sql(
                "SELECT category_id, coalesce(status, 'no status') AS status, count(*) AS pets "
                f"FROM read_parquet('{latest}') GROUP BY ALL ORDER BY ALL"
            ).df()
        )
    import petstore_frame as pf

    return len(pf.summarize(pf.History(folder).read()).frame)


def diff(folder: str, contender: str, session: Any) -> int:
    if contender == "sql":
        old, new = sorted(Path(folder).glob("date=*/pets.parquet"))[-2:]
        return len(
            session.sql(
                f"""
                WITH was AS (SELECT * REPLACE (coalesce(status, 'no status') AS status)
                             FROM read_parquet('{old}', hive_partitioning = false)),
                     now AS (SELECT * REPLACE (coalesce(status, 'no status') AS status)
                             FROM read_parquet('{new}', hive_partitioning = false))
                SELECT id, coalesce(now.name, was.name) AS name,
                       coalesce(now.category_id, was.category_id) AS category_id,
                       CASE WHEN was.status IS NULL THEN 'new'
                            WHEN now.status IS NULL THEN 'gone' ELSE 'changed' END AS kind,
                       was.status AS was, now.status AS now
                FROM was FULL JOIN now USING (id)
                WHERE was.status IS DISTINCT FROM now.status ORDER BY id
                """
            ).df()
        )
    import petstore_frame as pf

    return len(pf.History(folder).diff().frame)


def trend(folder: str, contender: str, session: Any) -> int:
    if contender == "sql":
        return len(
            session.sql(
                "SELECT date, coalesce(status, 'no status') AS status, count(*) AS pets FROM "
                f"read_parquet('{folder}/date=*/pets.parquet', hive_partitioning = true) "
                "GROUP BY ALL ORDER BY ALL"
            ).df()
        )
    import petstore_frame as pf

    return len(pf.History(folder).trend())


def moves(folder: str, contender: str, session: Any) -> int:
    import petstore_frame as pf

    return len(pf.History(folder).flow().moves)


def ageing(folder: str, contender: str, session: Any) -> int:
    import petstore_frame as pf

    return len(pf.History(folder).flow().ageing)


QUESTIONS: dict[str, Callable[[str, str, Any], int]] = {
    "summarize": summarize,
    "diff": diff,
    "trend": trend,
    "moves": moves,
    "ageing": ageing,
}


def run_child(question: str, contender: str, folder: str, pets: int, runs: int) -> None:
    """Answer one question ``runs`` times, telling the parent when each run begins and ends."""
    if question == "add":
        answer: Callable[[], Any] = _adding(folder, pets)
    else:
        import pandas as pd

        import petstore_frame as pf

        _ = (pd.DataFrame, pf.History, pf.summarize)
        session = start(contender)
        answer = lambda: QUESTIONS[question](folder, contender, session)  # noqa: E731
    for _run in range(runs):
        print("begin", flush=True)
        sys.stdin.readline()
        rows = answer()
        print(f"end {rows}", flush=True)
        sys.stdin.readline()
    os._exit(0)  # a session's slow goodbye is not what is measured


def _adding(folder: str, pets: int) -> Callable[[], Any]:
    import petstore_frame as pf

    history = pf.History(folder)
    inventory = make_inventory(pets, len(history))
    return lambda: history.add(inventory, replace=True).size


def measure(question: str, contender: str, folder: str, pets: int, runs: int) -> dict[str, float]:
    """Run a child and return the median CPU seconds, the peak and the rows of its answers."""
    words = [question, contender, folder, str(pets), str(runs)]
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, "--child", json.dumps(words)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
    ) as child:  # fmt: skip
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        said: list[str] = []
        listener = threading.Thread(target=lambda: said.append(child.stderr.read()))  # type: ignore[union-attr]
        listener.start()
        seconds, peaks, rows = [], [], 0
        for _ in range(runs):
            if child.stdout.readline().strip() != "begin":
                listener.join()
                raise RuntimeError(f"{question} by {contender} failed: {said[0][-800:]}")
            watch = Watch(child.pid)
            child.stdin.write("go\n")
            line = child.stdout.readline()
            seconds.append(watch.stop())
            if not line.startswith("end"):
                listener.join()
                raise RuntimeError(f"{question} by {contender} failed: {said[0][-800:]}")
            peaks.append(watch.peak)
            rows = int(line.split()[1])
            child.stdin.write("on\n")
        listener.join()
    return {"cpu": statistics.median(seconds), "peak": max(peaks) / 2**20, "rows": rows}


class Watch:
    """CPU seconds and peak memory of a process and its children, from now until ``stop``."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        self._root = psutil.Process(pid)
        self._done = threading.Event()
        self._seen: dict[int, float] = {}
        self._look()
        self._before = sum(self._seen.values())
        self._thread = threading.Thread(target=self._keep_looking)
        self._thread.start()

    def stop(self) -> float:
        self._done.set()
        self._thread.join()
        return sum(self._seen.values()) - self._before

    def _keep_looking(self) -> None:
        while not self._done.is_set():
            self._look()
            self._done.wait(0.02)
        self._look()

    def _look(self) -> None:
        resident = 0
        try:
            family = [self._root, *self._root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        for process in family:
            try:
                times = process.cpu_times()
                resident += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
            self._seen[process.pid] = times.user + times.system
        self.peak = max(self.peak, resident)


def build(folder: str, pets: int, snapshots: int) -> dict[str, float]:
    """Add the snapshots one by one; return what the last one took."""
    taken: dict[str, float] = {}
    for _ in range(len(list(Path(folder).glob("date=*"))), snapshots):
        taken = measure("add", "-", folder, pets, 1)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pets", type=int, default=1_000_000, help="pets in each snapshot")
    parser.add_argument("--snapshots", type=int, default=30)
    parser.add_argument("--questions", nargs="+", default=list(QUESTIONS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", help="keep the snapshots here and use them again")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or scratch
        began = time.monotonic()
        added = build(folder, asked.pets, asked.snapshots)
        sizes = [path.stat().st_size for path in Path(folder).glob("date=*/pets.parquet")]
        print(f"{asked.pets:,} pets a snapshot, {len(sizes)} snapshots: ", end="")
        print(f"{sum(sizes) / len(sizes) / asked.pets:.2f} bytes a pet", end="")
        if added:
            print(f"; add: {added['cpu']:.2f} s CPU, peak {added['peak']:,.0f} MiB", end="")
        print("\n\n| question | by | CPU s | x | peak MiB | rows |\n|---|---|---:|---:|---:|---:|")
        for question in asked.questions:
            first = None
            for contender in ("ours",) if question in ("moves", "ageing") else ("sql", "ours"):
                try:
                    found = measure(question, contender, folder, asked.pets, asked.runs)
                except RuntimeError as problem:
                    print(
                        f"| {question} | {contender} | {str(problem)[-200:]!r} | | | |", flush=True
                    )
                    continue
                first = first or found["cpu"]
                print(
                    f"| {question} | {contender} | {found['cpu']:.2f} | {found['cpu'] / first:.1f} "
                    f"| {found['peak']:,.0f} | {found['rows']:,.0f} |",
                    flush=True,
                )
        print(f"\n{time.monotonic() - began:.0f} s in all")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        question, contender, folder, pets, runs = json.loads(sys.argv[2])
        run_child(question, contender, folder, int(pets), int(runs))
    else:
        main()
