"""``petstore-frame snapshot`` and ``trend``: fit for cron, with an exit code for each end."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.files.whole import held
from petstore_frame.inventory import Verdict

ADA = [(1, "Ada", 3, "available")]


def run(*words: str, **environ: str) -> Result:
    return CliRunner().invoke(app, list(words), env=environ)


@pytest.fixture
def snapshot(sample_server, tmp_path):
    """Takes a snapshot of the store into the folder of the test."""
    key = sample_server.api_key.get_secret_value()
    words = ("snapshot", "--history", str(tmp_path), "--base-url", sample_server.base_url)
    return lambda *more: run(*words, *more, PETSTORE_API_KEY=key)


def test_snapshot_keeps_and_compares(snapshot, tmp_path, make_inventory) -> None:
    """One line of JSON says what was kept, what it covers, and what changed since the last."""
    earlier = make_inventory("2026-01-01", ADA, base_url="http://[::1]/v1")
    pf.History(tmp_path).add(earlier)
    done = snapshot("--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 1)
    assert told["completeness"]["verdict"] == "complete"
    assert (told["rows"], told["compared_with"]) == (250, "2026-01-01")
    assert told["changes"]["new"] >= 249
    assert Path(told["output"]).is_file()


def test_snapshot_again_says_the_same(snapshot, sample_server, tmp_path) -> None:
    """A second run on a day keeps one file, and the first of all has nothing to compare with.

    A day on which nothing changed is compared all the same.
    """
    assert "the only day so far" in snapshot().stdout
    assert snapshot().exit_code == 0
    assert len(list(tmp_path.glob("date=*/*"))) == 1
    with sample_server.client() as client:
        today = pf.fetch_inventory(client)
    day_before = replace(today.origin, fetched_at=today.fetched_at - timedelta(days=1))
    pf.History(tmp_path).add(pf.Inventory(today.frame, day_before))
    assert snapshot().stdout.splitlines()[1].endswith(": no change")
    assert json.loads(snapshot("--json").stdout)["changes"]["new"] == 0


def test_exit_codes_of_snapshot(snapshot, sample_server, tmp_path, make_inventory) -> None:
    """A wrong key, no store, a lock and another store each have their own number."""
    wrong_key = run("snapshot", "--base-url", sample_server.base_url, PETSTORE_API_KEY="wrong")
    nowhere = {"PETSTORE_API_KEY": "k", "PETSTORE_MAX_RETRIES": "0"}
    no_store = run("snapshot", "--base-url", "http://127.0.0.1:9/v1", **nowhere)
    with held(tmp_path / ".lock"):
        locked = snapshot()
    pf.History(tmp_path).add(make_inventory("2026-01-01", []))
    other_store = snapshot()
    codes = [result.exit_code for result in (wrong_key, no_store, locked, other_store)]
    assert codes == [5, 5, 7, 2]
    assert "use another folder for another store" in other_store.stderr


def test_trend_as_table_and_json(tmp_path, make_inventory) -> None:
    """Minimums are marked, gaps show a dash, and the JSON holds the same numbers.

    A damaged day is named on stderr, the rest is shown, and the exit code tells a script.
    """
    history, words = pf.History(tmp_path), ("trend", "--history", str(tmp_path))
    history.add(make_inventory("2026-11-01", ADA))
    last = history.add(make_inventory("2026-11-03", [], verdict=Verdict.UNKNOWN))
    told = json.loads(run(*words, "--json").stdout)
    assert [line.split()[1:3] for line in run(*words).stdout.splitlines()] == [
        ["pending", "sold"], ["1", "0"], ["-", "-"], ["≥", "0"],
    ]  # fmt: skip
    missing = {"date": "2026-11-02", "status": "sold", "pets": None, "count_is": "no snapshot"}
    assert missing in told["trend"]
    last.path.write_bytes(b"PAR1")
    shown = run(*words, "--by", "category_id", "--by", "status")
    assert (shown.exit_code, run("trend", "--history", str(tmp_path / "none")).exit_code) == (1, 2)
    assert "date=2026-11-03/pets.parquet: damaged" in shown.stderr
    assert "2026-11-01" in shown.stdout
