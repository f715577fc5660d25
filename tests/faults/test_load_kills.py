"""SIGKILL at each step of an import, and a power cut: what the same command makes of it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from campaigns.faults_and_kills import OURS, run
from faults import load_child
from faults.load_harness import check_promises, child_options, journal_in, result_in, start_child
from petstore_frame.loader.row_state import State
from petstore_frame.loader.sending.pace import MAX_ON_DISK
from plain_http import wait_until

COMPILER = shutil.which("cc") or shutil.which("gcc")


def test_killed_while_staging(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """A half-staged import is nothing: the same command begins anew and sends each record once."""
    store = stores()
    child = start_child(tmp_path, pets_csv(150_000), store)
    assert wait_until(lambda: any(log.stat().st_size > 2**20 for log in tmp_path.glob("*/*-wal")))
    child.kill()
    child.wait(10)
    assert store.posts == 0
    result = run_load(12, store)
    assert result.counts[State.CREATED] == store.posts == 12


def test_a_second_importer_is_refused_until_the_first_is_dead(
    tmp_path: Path, pets_csv, stores, run_child
) -> None:
    """Two processes cannot work on one import; the death of the first frees it at once."""
    store, is_dead = stores(), threading.Event()
    store.on_post = lambda *_: is_dead.wait(60)
    child = start_child(tmp_path, pets_csv(60), store, workers=1)
    assert wait_until(lambda: store.posts)
    assert run_child(60, store)[0] == 1
    child.kill()
    child.wait(10)
    is_dead.set()
    code, facts = run_child(60, store)
    assert (code, facts["ending"]) == (0, "done")
    check_promises(result_in(tmp_path), store)


def test_a_power_cut_never_forgets_a_request(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, pets_csv, stores
) -> None:
    """At the first bytes of each request its intent is in what a power cut would leave."""
    # A library in the importing process, which keeps a copy of the log as of each sync.
    keeper = tmp_path_factory.mktemp("keeper") / "keep_synced.so"
    source = Path(__file__).parent / "keep_synced.c"
    build = [COMPILER or "cc", "-shared", "-fPIC", "-O1", "-o", keeper, source, "-ldl"]
    # Without a compiler the log is looked at as it is, synced or not.
    has_keeper = COMPILER and not subprocess.run(build, capture_output=True).returncode
    store = stores()
    found: list[tuple[int, int]] = []

    def look(number: int, stage: str) -> None:
        if stage != "headers":
            return
        journal = journal_in(tmp_path)
        left = tmp_path / f"left{number}"
        left.mkdir()
        shutil.copy(journal, left / journal.name)
        log = journal.with_name(journal.name + "-wal")
        kept = log.with_name(log.name + ".synced") if has_keeper else log
        if kept.exists():
            shutil.copy(kept, left / log.name)
        with closing(sqlite3.connect(left / journal.name)) as sql:
            query = "SELECT state, count(*) FROM animals GROUP BY state"
            counts = Counter(dict(sql.execute(query).fetchall()))
        found.append((number, counts["in_flight"] + counts["created"]))

    store.on_post = look
    options = child_options(tmp_path, pets_csv(40), store)
    preload = {"LD_PRELOAD": str(keeper)} if has_keeper else {}
    program = [sys.executable, load_child.__file__, json.dumps(options)]
    subprocess.run(program, env=os.environ | preload, check=True)
    assert len(found) == 40
    assert all(known >= number for number, known in found), found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("design", list(OURS))
def test_nothing_is_doubled_or_lost(design: str, seed: int, times: int) -> None:
    """Under random faults and kills, whatever is not surely in the store once is listed."""
    tally = run(design, seed, 60 * times, 2 * times)
    assert (tally.duplicates, tally.lost, tally.wrong_ids) == (0, 0, 0)
    assert tally.unconfirmed <= sum(tally.faults.values()) + MAX_ON_DISK * tally.kills
    if "keys" in OURS[design]:  # elsewhere the pets of others leave a doubt
        assert tally.not_created == 0


def test_a_usual_design_fails_the_same_test(seed: int) -> None:
    """The harness is able to see duplicates: the usual design makes them."""
    assert run("5 retries, no checkpoint", seed, 100, 2).duplicates > 0
