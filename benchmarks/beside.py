"""Load one file with several tools into a store that misbehaves, and count the pets afterward.

    python -m pip install pandas requests tenacity dlt drt-core duckdb
    python benchmarks/beside.py --rows 100 --seeds 10

The program of each tool is in ``benchmarks/beside/`` and has at most 40 lines, with the settings
that its documentation recommends against lost and duplicated rows. For each run, a store is started
with the same faults, which depend on the seed. The pets are counted in the store, never by a
client. Each seed is run twice: once to the end, and once killed with SIGKILL when half of the rows
are in the store, and then run again until it ends.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import petstore_frame as pf

HERE = Path(__file__).parent / "beside"
FAULTS = "lost-reply=0.05,refused=0.02,late=0.02,error-after=0.02,busy=0.05"
AGAIN = 50
# What a row of the table is called, its program with further words, and whose versions to name.
TOOLS = {
    "pandas loop, requests": ("pandas_loop", (), ("pandas", "requests")),
    "requests, urllib3 Retry with its defaults": ("requests_retry", (), ("requests", "urllib3")),
    "requests, urllib3 Retry with POST": ("requests_retry", ("post",), ("requests", "urllib3")),
    "httpx, tenacity": ("httpx_tenacity", (), ("httpx", "tenacity")),
    "dlt, custom destination": ("dlt_destination", (), ("dlt",)),
    "drt, REST destination": ("drt_rest", (), ("drt-core",)),
    "petstore_frame": ("ours", (), ("petstore-frame",)),
}


def main() -> None:
    """Run all tools on all seeds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=4, help="runs at the same time")
    parser.add_argument("--only", help="a part of the name of the tools to run")
    parser.add_argument("--python", default=sys.executable, help="runs the tools")
    given = parser.parse_args()
    chosen = [name for name in TOOLS if given.only is None or given.only in name]
    whole, killed = defaultdict(Counter), defaultdict(Counter)
    with ThreadPoolExecutor(given.at_once) as pool:
        jobs = {
            pool.submit(run, name, seed, given.rows, given.python, is_killed=is_killed): name
            for seed in range(1, given.seeds + 1)
            for name in chosen
            for is_killed in (False, True)
        }
        for done in as_completed(jobs):
            found = done.result()
            (killed if found.pop("is_killed") else whole)[jobs[done]].update(found)
            print(jobs[done], dict(found), file=sys.stderr, flush=True)
    print(f"{given.seeds} seeds of {given.rows} rows, faults {FAULTS}\n")
    print(
        "| tool | created twice | silently lost | reported as failed, but created "
        "| reported as unconfirmed | killed and run again: created twice / lost "
        "| seconds per run |\n|---|--:|--:|--:|--:|--:|--:|"
    )
    for name in chosen:
        one, other = whole[name], killed[name]
        versions = ", ".join(f"{each} {version_of(each)}" for each in TOOLS[name][2])
        print(
            f"| {name} ({versions}) | {one['doubled']} | {one['lost']} | {one['false']} "
            f"| {one['doubt']} | {other['doubled']} / {other['lost']} "
            f"| {one['seconds'] / given.seeds:.0f} |"
        )


def run(name: str, seed: int, rows: int, python: str, *, is_killed: bool) -> Counter[str]:
    """Let one tool load the file, and count what became of its rows."""
    program, words, _ = TOOLS[name]
    with (
        tempfile.TemporaryDirectory() as folder,
        pf.serve(faults=FAULTS, seed=seed) as server,
    ):
        file = write_rows(Path(folder, "pets.csv"), rows)
        key = {"PETSTORE_API_KEY": server.api_key.get_secret_value()}
        kept = Path(folder, "kept")
        kept.mkdir()
        command = [
            python,
            str(HERE / f"{program}.py"),
            str(file),
            server.base_url,
            str(kept),
            *words,
        ]
        start = time.perf_counter()
        if is_killed:
            with subprocess.Popen(
                command,
                env=os.environ | key,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            ) as first:
                while first.poll() is None and (server.truth()["applied"] > 0).sum() < rows // 2:
                    time.sleep(0.05)
                with suppress(ProcessLookupError):  # with what it started
                    os.killpg(first.pid, signal.SIGKILL)
        for _ in range(AGAIN):  # a tool that says that it stopped is run again, as its user would
            ended = subprocess.run(
                command, env=os.environ | key, capture_output=True, text=True, check=False
            )
            if ended.returncode:
                raise RuntimeError(f"{name}: {ended.stderr[-2000:]}")
            said = json.loads(ended.stdout.splitlines()[-1])
            if not said.get("stopped"):
                break
        seconds = time.perf_counter() - start
        applied = server.truth().set_index("name")["applied"]
    failed, doubt = set(said["failed"]), set(said.get("unknown", ()))
    count = Counter(seconds=seconds, is_killed=is_killed)
    for at in range(rows):
        pet = pet_name(at)
        times = int(applied.get(pet, 0))
        count["doubled"] += max(times - 1, 0)
        count["lost"] += times == 0 and pet not in failed | doubt
        count["false"] += times > 0 and pet in failed
        count["doubt"] += pet in doubt
    return count


def write_rows(path: Path, rows: int) -> Path:
    """Write a file in which each name is there once, so that each pet can be told apart."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "category_id", "status"])
        writer.writerows([pet_name(at), at % 5 + 1, "available"] for at in range(rows))
    return path


def pet_name(at: int) -> str:
    """Return the name of the pet of a row."""
    return f"Pet {at:05}"


def version_of(package: str) -> str:
    """Return the version of a package that runs here."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
