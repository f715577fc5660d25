"""Random faults and kills, all at once; the long form is benchmarks/campaign.py."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest
from benchmarks.campaign import OURS, run, write_pets

from petstore_frame.loader.journal.database import SUFFIX, connect
from threaded import serve

# A new one each time; a failure names it, for `benchmarks/campaign.py --first-seed`.
SEED = random.SystemRandom().randrange(10**6)
ROWS = 300


@pytest.mark.sampled(4)
@pytest.mark.parametrize("design", list(OURS))
def test_nothing_is_doubled_or_lost(design: str, campaign: int) -> None:
    """Under random faults and kills, whatever is not surely in the store once is listed."""
    tally = run(design, SEED, 60 * campaign, 2 * campaign)
    assert (tally.duplicates, tally.lost, tally.wrong_ids) == (0, 0, 0), f"seed {SEED}"
    assert tally.unknown <= sum(tally.faults.values()) + 16 * tally.kills
    if OURS[design].keys() & {"keys", "alone"}:  # no other writer to leave a doubt
        assert tally.not_created == 0, f"seed {SEED}"


def test_a_usual_design_fails_the_same_test() -> None:
    """The harness is able to see duplicates: the usual design makes them."""
    assert run("5 retries, no checkpoint", SEED, 100, 2).duplicates > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("spec_only", [False, True], ids=["bundled", "spec_only"])
def test_killed_at_random_against_the_real_service(spec_only: bool, tmp_path: Path) -> None:
    """The command line, killed at random and started again, fills a store with each row once."""
    draw = random.Random(SEED)
    file = tmp_path / "pets.csv"
    wanted = write_pets(file, draw, ROWS)
    with serve(database=tmp_path / "store.sqlite3", spec_only=spec_only) as server:
        command = [sys.executable, "-m", "petstore_frame", "load", str(file)]
        command += ["--base-url", server.base_url, "--journal", str(tmp_path / "journal")]
        command += ["--output", str(tmp_path / "out"), "--json"]
        environment = os.environ | {"PETSTORE_API_KEY": server.api_key.get_secret_value()}
        kills, code = -1, -signal.SIGKILL
        while code == -signal.SIGKILL:
            kills += 1
            child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
            if kills < 2:
                _kill(child, tmp_path / "journal", draw)
            out, _ = child.communicate(timeout=60)
            code = child.returncode
        summary = json.loads(out)
        assert sum(summary["states"].values()) == ROWS, f"seed {SEED}"
        created = summary["states"]["created"]
        unknown = summary["states"]["unknown"]
        assert created + unknown == ROWS and unknown <= 16 * kills
        pets = _pets_of(tmp_path / "store.sqlite3")
    assert kills > 0 and not pets - wanted, f"doubled, seed {SEED}"
    assert created <= pets.total() <= created + unknown


def _kill(child: subprocess.Popen, journal: Path, draw: random.Random) -> None:
    """Kill a process some time after it has begun to send."""
    deadline = time.monotonic() + 30
    while child.poll() is None and time.monotonic() < deadline and not _has_begun(journal):
        time.sleep(0.02)
    time.sleep(draw.random() * 0.1)
    child.kill()


def _has_begun(journal: Path) -> bool:
    for database in journal.glob(f"*{SUFFIX}"):
        with suppress(sqlite3.Error), closing(connect(database)) as sql:
            return sql.execute("SELECT 1 FROM records WHERE attempts").fetchone() is not None
    return False


def _pets_of(database: Path) -> Counter[tuple]:
    with closing(sqlite3.connect(database)) as sql:
        return Counter(sql.execute("SELECT name, category_id, status FROM pets").fetchall())
