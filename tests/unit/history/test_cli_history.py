"""``petstore-frame snapshot`` and ``trend``: fit for cron, with an exit code for each end."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from typer.testing import CliRunner, Result

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.inventory import Verdict
from threaded import Server


def run(*words: str, **environ: str) -> Result:
    return CliRunner().invoke(app, list(words), env=environ)


def snapshot(server: Server, folder: Path, *words: str) -> Result:
    return run(
        "snapshot", "--history", str(folder), "--base-url", server.base_url, *words,
        PETSTORE_API_KEY=server.api_key.get_secret_value(),
    )  # fmt: skip


def test_snapshot_keeps_and_compares(sample_server, tmp_path, make_inventory) -> None:
    """One line of JSON says what was kept, what it covers, and what changed since the last."""
    earlier = make_inventory("2026-01-01", [(1, "Ada", 3, "available")], base_url="http://[::1]/v1")
    pf.History(tmp_path).add(earlier)
    done = snapshot(sample_server, tmp_path, "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 1)
    assert told["completeness"]["verdict"] == "complete"
    assert (told["rows"], told["compared_with"]) == (250, "2026-01-01")
    assert told["changes"]["new"] >= 249
    assert Path(told["output"]).is_file()


def test_snapshot_again_says_the_same(sample_server, tmp_path) -> None:
    """A second run on a day keeps one file, and the first of all has nothing to compare with."""
    assert "the only day so far" in snapshot(sample_server, tmp_path).stdout
    assert snapshot(sample_server, tmp_path).exit_code == 0
    assert len(list(tmp_path.glob("date=*/*"))) == 1


def test_snapshot_without_a_change_says_so(sample_server, tmp_path) -> None:
    """A day on which nothing changed is compared all the same."""
    with sample_server.client() as client:
        today = pf.fetch_inventory(client)
    day_before = today.fetched_at - timedelta(days=1)
    pf.History(tmp_path).add(
        pf.Inventory(today.frame, replace(today.origin, fetched_at=day_before))
    )
    told = snapshot(sample_server, tmp_path)
    assert told.stdout.splitlines()[1].endswith(": no change")
    assert json.loads(snapshot(sample_server, tmp_path, "--json").stdout)["changes"]["new"] == 0


def test_exit_codes_of_snapshot(sample_server, tmp_path, make_inventory) -> None:
    """A wrong key, no store, a lock and another store each have their own number."""
    from petstore_frame.files.lock import held

    wrong_key = run("snapshot", "--base-url", sample_server.base_url, PETSTORE_API_KEY="wrong")
    no_store = run(
        "snapshot", "--base-url", "http://127.0.0.1:9/v1", PETSTORE_API_KEY="k",
        PETSTORE_MAX_RETRIES="0",
    )  # fmt: skip
    with held(tmp_path / ".lock"):
        locked = snapshot(sample_server, tmp_path)
    pf.History(tmp_path).add(make_inventory("2026-01-01", []))
    other_store = snapshot(sample_server, tmp_path)
    codes = [result.exit_code for result in (wrong_key, no_store, locked, other_store)]
    assert codes == [5, 5, 7, 2]
    assert "use another folder for another store" in other_store.stderr


def test_trend_as_table_and_json(tmp_path, make_inventory) -> None:
    """Minimums are marked, gaps show a dash, and the JSON holds the same numbers."""
    history = pf.History(tmp_path)
    history.add(make_inventory("2026-11-01", [(1, "Ada", 3, "available")]))
    history.add(make_inventory("2026-11-03", [], verdict=Verdict.UNKNOWN))
    table = run("trend", "--history", str(tmp_path))
    told = json.loads(run("trend", "--history", str(tmp_path), "--json").stdout)
    assert [line.split()[1:3] for line in table.stdout.splitlines()] == [
        ["pending", "sold"], ["1", "0"], ["-", "-"], ["≥", "0"],
    ]  # fmt: skip
    assert {"date": "2026-11-02", "status": "sold", "pets": None, "count_is": "no snapshot"} in (
        told["trend"]
    )


def test_trend_names_what_it_left_out(tmp_path, make_inventory) -> None:
    """A damaged day is named on stderr, the rest is shown, and the exit code tells a script."""
    history = pf.History(tmp_path)
    for day in ("2026-11-01", "2026-11-02"):
        history.add(make_inventory(day, [(1, "Ada", 3, "available")]))
    (tmp_path / "date=2026-11-02" / "pets.parquet").write_bytes(b"PAR1")
    shown = run("trend", "--history", str(tmp_path), "--by", "category_id", "--by", "status")
    empty = run("trend", "--history", str(tmp_path / "none"))
    assert (shown.exit_code, empty.exit_code) == (1, 2)
    assert "date=2026-11-02/pets.parquet: damaged" in shown.stderr
    assert "2026-11-01" in shown.stdout
