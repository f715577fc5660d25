"""``petstore-frame snapshot`` and ``trend``: fit for cron, with an exit code for each end."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

import petstore_frame as pf
from end_to_end.shell import typed
from petstore_frame.inventory import Verdict
from unit.history.conftest import listing

SNAPSHOT, TREND = (f"petstore-frame {verb} --history ." for verb in ("snapshot", "trend"))


def test_snapshot_again_says_the_same(sample_here, tmp_path) -> None:
    """A second run on a day keeps one file, and a day without a change is compared all the same."""
    assert "the only day so far" in typed(SNAPSHOT).stdout
    assert typed(SNAPSHOT).exit_code == 0
    assert len(list(tmp_path.glob("date=*/*"))) == 1
    with sample_here.client() as client:
        today = pf.fetch_inventory(client)
    day_before = replace(today.provenance, fetched_at=today.fetched_at - timedelta(days=1))
    pf.History(tmp_path).add(pf.Inventory(today.frame, day_before))
    assert typed(SNAPSHOT).stdout.splitlines()[1].endswith(": no change")
    facts = json.loads(typed(SNAPSHOT, "--json").stdout)
    assert facts["compared_with"] == f"{day_before.fetched_at:%Y-%m-%d}" and facts["rows"] == 250
    assert facts["changes"]["new"] == 0


@pytest.mark.filterwarnings("default")
def test_trend_as_table_and_json(tmp_path, monkeypatch) -> None:
    """Minimums are marked, gaps show a dash, the JSON agrees, and a damaged day is named."""
    monkeypatch.chdir(tmp_path)
    history = pf.History(tmp_path)
    history.add(listing("2026-11-01", [(1, "Ada", 3, "available")]))
    last = history.add(listing("2026-11-03", [], verdict=Verdict.UNKNOWN))
    facts = json.loads(typed(TREND, "--json").stdout)
    assert [line.split()[1:3] for line in typed(TREND).stdout.splitlines()] == [
        ["pending", "sold"],
        ["1", "0"],
        ["-", "-"],
        ["≥", "0"],
    ]
    missing = {"date": "2026-11-02", "status": "sold", "pets": None, "bound": "no_snapshot"}
    assert missing in facts["trend"]
    last.path.write_bytes(b"PAR1")
    shown = typed(TREND, "--by", "category_id", "--by", "status")
    assert (shown.exit_code, typed(f"{TREND}/none").exit_code) == (1, 2)
    assert "date=2026-11-03/pets.parquet: damaged" in shown.stderr
    assert "2026-11-01" in shown.stdout
