"""Imports under faults and kills: what each design loses and doubles, on one harness.

    PYTHONPATH=tests python tests/campaigns/faults_and_kills.py --rows 1000 --seeds 3 --kills 10
    PYTHONPATH=tests python tests/campaigns/faults_and_kills.py --ours --faults 10000 \
        --all-kills 1000 --minutes 40 --at-once 6 --log campaign.jsonl

A store on raw sockets fails a share of the POSTs, in every way and before or after it acts, adds
pets of other people, and kills the importing process with SIGKILL at random requests, at a random
stage of them; the importer is started again until it ends. Afterward the pets are counted. The
usual designs are models of what known importers do, one request at a time; the products
themselves were not run. SIGKILL is not a power loss.

The second form goes on, one seed after another over all our modes, until so many faults and kills
were met, the time is over, or it is stopped (by Ctrl-C or SIGTERM); it prints its table in any
case. Each seed is a line of the log, so that the same command goes on after an interruption; a line
of the table is the sum of its seeds.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from faults import load_child
from faults.flaky_store import CUT_201, DOUBTFUL, KEY, FlakyStore
from faults.load_harness import result_in
from forked import Child
from petstore_frame.client import Client
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import State

HERE = Path(__file__).parent
FAULTS = (*DOUBTFUL, *CUT_201, "429")
STAGES = ("headers", "body", "applied", "answered")
STATUSES = ("available", "pending", "sold", "")
USUAL = {
    "5 retries, no checkpoint": {"retries": 5, "save_every": 0},
    "5 retries, position every 50 rows": {"retries": 5, "save_every": 50},
    "5 retries, position every row": {"retries": 5, "save_every": 1},
    "no retry, position every row": {"retries": 0, "save_every": 1},
}
OURS = {
    "ours": {},
    "ours, then reconciled": {"reconcile": True},
    "the same, absent sent again": {"reconcile": True, "resend": True},
    "ours, the store honors idempotency keys": {"keys": True},
    "ours, each animal has a key": {"column": True},
    "the same, then sorted anew with other statuses": {"column": True, "resorted": True},
}


@dataclass
class Tally:
    """What one design came to, over all seeds."""

    posts: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    loads: int = 0
    questions: int = 0
    unnecessary: int = 0
    duplicates: int = 0
    not_created: int = 0
    listed: int = 0
    lost: int = 0
    wrong_ids: int = 0
    false_failures: int = 0
    unconfirmed: int = 0
    settled: int = 0
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Executioner:
    """Kills the importer at some requests, at some stage of them."""

    def __init__(self, draw: random.Random, kills: int, count: int) -> None:
        self.pid: int | None = None
        self.done = 0
        places = draw.sample(range(2, max(count, kills + 3)), kills)
        self._when = {place: draw.choice(STAGES) for place in places}

    def __call__(self, number: int, stage: str) -> None:
        pid = self.pid
        if pid is not None and self._when.get(number) == stage:
            self.pid = None
            self.done += 1
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)


def write_pets(path: Path, draw: random.Random, count: int) -> Counter[tuple]:
    """Write a file in which about half of the rows have an equal twin; each has a tag."""
    wanted: Counter[tuple] = Counter()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["tag", "name", "categoryId", "status"])
        for number in range(count):
            kind = draw.randrange(count)
            pet = (f"Pet {kind}", kind % 5 + 1, STATUSES[kind % 4])
            writer.writerow([f"T{number}", *pet])
            wanted[pet[0], pet[1], pet[2] or None] += 1
    return wanted


def wait_briefly(wait_s: float) -> None:
    """Wait a second at most: the store acts late by 0.2 s."""
    time.sleep(min(wait_s, 1.0))


def run(design: str, seed: int, count: int, kills: int, share: float = 0.04) -> Tally:
    """Run one design to its end and count."""
    draw = random.Random(f"{design} {seed}")
    fate = random.Random(seed)
    plan = {n: fate.choice(FAULTS) for n in range(1, 40 * count) if fate.random() < share}
    options = OURS.get(design, {})
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = write_pets(folder / "pets.csv", random.Random(seed), count)
        store = FlakyStore(
            plan.get,
            honors_keys="keys" in options,
            has_links="reconcile" in options,  # only a whole listing shows that a pet is not there
            stall_s=0.6,
        )
        executioner = Executioner(draw, kills, count)

        others = 0.0 if "alone" in options else 0.1

        def on_post(number: int, stage: str) -> None:
            if stage == "headers" and draw.random() < others:
                store.add({"name": f"Foreign {number}", "categoryId": 1})
            executioner(number, stage)

        store.on_post = on_post
        with store:
            if design in OURS:
                tally = run_ours(store, executioner, folder, options)
            else:
                tally = run_usual(store, executioner, folder, USUAL[design], wanted)
            pets = pets_of(store)
            tally.duplicates = (pets - wanted).total()
            tally.not_created = (wanted - pets).total()
            # What is neither in the store nor on a list of the importer's is lost in silence.
            tally.lost = max(0, tally.not_created - tally.listed)
            tally.posts, tally.faults, tally.kills = store.posts, store.faults, executioner.done
            del tally.faults["none"]
            # Each was answered as if it had not been asked.
            tally.unnecessary = max(0, tally.questions - tally.duplicates)
    tally.seconds = time.perf_counter() - start
    return tally


def pets_of(store: FlakyStore) -> Counter[tuple]:
    """Count the pets that are not other people's."""
    return Counter({k: n for k, n in store.pet_counts().items() if not k[0].startswith("Foreign")})


def run_ours(store: FlakyStore, executioner: Executioner, folder: Path, options: dict) -> Tally:
    """Start our loader until it ends of itself."""
    settings = {
        "file": str(folder / "pets.csv"),
        "base_url": store.base_url,
        "api_key": KEY,
        "journal": str(folder / "journal"),
        "timeout": 0.3,
        "lifetime_s": 3600 if "keys" in options else None,
    }
    if "column" in options:
        settings["key"] = "tag"
    settings["questions"] = str(folder / "questions")
    loads = until_done(lambda: Child(load_and_create, settings), executioner)
    result = result_in(folder)
    tally = Tally(unconfirmed=sum(1 for _ in view_of(result).rows(State.UNCONFIRMED)))
    if "resorted" in options:
        sort_anew(folder / "pets.csv")
        loads += until_done(lambda: Child(load_and_create, settings), executioner)
    if "reconcile" in options:
        with Client(store.base_url, KEY, timeout=0.3) as client:
            for _ in range(5):
                done = view_of(result).reconcile(client, grace_s=1.0, sleep=wait_briefly)
                tally.settled += done.created + done.not_found
                if "resend" not in options:
                    break
                lines = [row.line for row in view_of(result).rows(State.NOT_FOUND)]
                again = settings | {"as_new": lines}
                loads += until_done(partial(Child, load_and_create, again), executioner)
                if not any(view_of(result).rows(State.UNCONFIRMED, State.NOT_FOUND)):
                    break
    for row in view_of(result).rows():
        tally.listed += row.state not in (State.CREATED, State.EXCLUDED)
        if row.pet_id is not None:
            sent, pet = json.loads(row.payload), store.pets[row.pet_id]
            tally.wrong_ids += any(pet.get(name) != value for name, value in sent.items())
    questions = folder / "questions"
    tally.loads = loads
    tally.questions = len(questions.read_text().splitlines()) if questions.exists() else 0
    return tally


def load_and_create(settings: dict[str, Any]) -> dict[str, Any]:
    """Load a file, create its possible duplicates, and note how many there were."""
    loaded = load_child.load(settings)
    possible = loaded["states"]["possible_duplicate"]
    if not possible:
        return loaded
    with Path(settings["questions"]).open("a", encoding="utf-8") as file:
        file.write(f"{possible}\n")
    return load_child.load(settings | {"duplicates": "create"})


def sort_anew(path: Path) -> None:
    """Turn a file round, and give each animal another status."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *pets = csv.reader(file)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *([*pet[:3], "sold"] for pet in reversed(pets))])


def run_usual(
    store: FlakyStore, executioner: Executioner, folder: Path, options: dict, wanted: Counter[tuple]
) -> Tally:
    """Start a usual loader until it ends of itself."""
    state = folder / "state"
    settings = {"file": str(folder / "pets.csv"), "base_url": store.base_url}
    settings |= {"state": str(state), **options}
    command = [sys.executable, str(HERE / "usual_loader.py"), json.dumps(settings)]
    environment = os.environ | {"PETSTORE_API_KEY": KEY}
    until_done(lambda: subprocess.Popen(command, env=environment), executioner)
    failures = state.with_suffix(".failed")
    lines = failures.read_text().splitlines() if failures.exists() else []
    failed = Counter(tuple(json.loads(line)) for line in lines)
    pets = pets_of(store)
    return Tally(
        listed=failed.total(),
        false_failures=sum(max(0, n - max(0, wanted[k] - pets[k])) for k, n in failed.items()),
    )


def until_done(
    start: Callable[[], Child | subprocess.Popen[bytes]], executioner: Executioner
) -> int:
    """Start a process again and again until it is not killed; return how often it was started."""
    for number in count(1):
        child = start()
        executioner.pid = child.pid
        try:
            code = child.wait()
        except BaseException:
            child.kill()
            raise
        executioner.pid = None
        if code != -signal.SIGKILL:
            if code:
                raise SystemExit(f"a load ended with {code}")
            return number
    raise AssertionError("the processes are counted without an end")


COLUMNS = {
    "POSTs": "posts",
    "kills": "kills",
    "loads": "loads",
    "questions": "questions",
    "of these unnecessary": "unnecessary",
    "duplicated": "duplicates",
    "not created": "not_created",
    "silently lost": "lost",
    "wrong ids": "wrong_ids",
    "called failed, yet created": "false_failures",
    "unconfirmed": "unconfirmed",
    "settled by reading back": "settled",
}


def run_long(chosen: argparse.Namespace) -> None:
    """Go through all our modes, seed after seed, until enough was met; the log is gone on with."""
    end = time.monotonic() + 60 * chosen.minutes
    totals = {name: Tally() for name in OURS}
    done: set[tuple[str, int]] = set()
    lines = chosen.log.read_text().splitlines() if chosen.log.exists() else []
    for design, seed, facts in map(json.loads, lines):
        done.add((design, seed))
        totals[design].add(Tally(**facts | {"faults": Counter(facts["faults"])}))
    left = (
        (name, seed)
        for seed in count(chosen.first_seed)
        for name in OURS
        if (name, seed) not in done
    )
    # The seeds' processes are ended without a word; only this one stops by an exception.
    quiet = (signal.SIGTERM, signal.SIG_DFL)
    pool = ProcessPoolExecutor(chosen.at_once, initializer=signal.signal, initargs=quiet)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    at_work: dict[Future[Tally], tuple[str, int]] = {}
    try:
        while time.monotonic() < end and not _is_enough(totals, chosen):
            while len(at_work) < chosen.at_once:
                name, seed = next(left)
                started = pool.submit(run, name, seed, chosen.rows, chosen.kills, 0.08)
                at_work[started] = (name, seed)
            for ended in wait(at_work, 5.0, FIRST_COMPLETED).done:
                name, seed = at_work.pop(ended)
                totals[name].add(ended.result())
                with chosen.log.open("a") as log:
                    log.write(json.dumps([name, seed, vars(ended.result())]) + "\n")
    except KeyboardInterrupt:
        pass
    print_table(totals)
    sys.stdout.flush()
    print(f"{len(at_work)} seeds were under way and are not counted", file=sys.stderr)
    for process in multiprocessing.active_children():
        process.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _is_enough(totals: dict[str, Tally], chosen: argparse.Namespace) -> bool:
    faults = sum(tally.faults.total() for tally in totals.values())
    kills = sum(tally.kills for tally in totals.values())
    return faults >= chosen.faults and kills >= chosen.all_kills


def print_table(totals: dict[str, Tally]) -> None:
    """Print one line for each mode, and the sum."""
    every = Tally()
    for tally in totals.values():
        every.add(tally)
    print(f"| mode | faults | {' | '.join(COLUMNS)} | seconds |")
    print(f"|---|---:|{'---:|' * len(COLUMNS)}---:|")
    for name, tally in [*totals.items(), ("all", every)]:
        counts = " | ".join(f"{getattr(tally, field):,}" for field in COLUMNS.values())
        print(f"| {name} | {tally.faults.total():,} | {counts} | {tally.seconds:.0f} |")
    faults = sorted(every.faults.items())
    print("\nfaults:", ", ".join(f"{name} {n}" for name, n in faults))


def main() -> None:
    """Print one Markdown table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1500)
    options.add_argument("--seeds", type=int, default=4)
    options.add_argument("--first-seed", type=int, default=0)
    options.add_argument("--kills", type=int, default=10)
    options.add_argument("--design", choices=[*USUAL, *OURS])
    options.add_argument("--ours", action="store_true", help="run until --faults, or --minutes")
    options.add_argument("--at-once", type=int, default=1, help="seeds side by side, with --ours")
    options.add_argument("--faults", type=int, default=10_000)
    options.add_argument("--all-kills", type=int, default=1_000)
    options.add_argument("--minutes", type=float, default=40.0)
    options.add_argument("--log", type=Path, default=Path(tempfile.gettempdir(), "campaign.jsonl"))
    chosen = options.parse_args()
    if chosen.ours:
        run_long(chosen)
        return
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.seeds)
    print(f"seeds {seeds[0]} to {seeds[-1]}, {chosen.rows} rows each\n")
    print(f"| design | faults | {' | '.join(COLUMNS)} | seconds |")
    print(f"|---|---:|{'---:|' * len(COLUMNS)}---:|")
    all_faults: Counter[str] = Counter()
    for name in [chosen.design] if chosen.design else [*USUAL, *OURS]:
        total = Tally()
        for seed in seeds:
            total.add(run(name, seed, chosen.rows, chosen.kills))
        all_faults += total.faults
        counts = " | ".join(f"{getattr(total, field):,}" for field in COLUMNS.values())
        faults = f"{total.faults.total():,}"
        print(f"| {name} | {faults} | {counts} | {total.seconds:.0f} |", flush=True)
    print("\nfaults:", ", ".join(f"{name} {n}" for name, n in sorted(all_faults.items())))


if __name__ == "__main__":
    main()
