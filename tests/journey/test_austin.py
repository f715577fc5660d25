"""The main job on real records, typed as a user types it: load, fetch, report."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from journey.shell import typed
from unit.conftest import read_book

PLACES = [folder / "shared" / "data" for folder in Path(__file__).parents]
DATA = next((folder for folder in PLACES if folder.exists()), PLACES[0])
RECORDS, CATEGORIES = DATA / "pets_austin.csv", DATA / "categories_austin.csv"
EVERY = 15  # of so many records one is taken, unless --campaign is 2 or more


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not RECORDS.exists(), reason="the real shelter records are not here")
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("server_here")
def test_each_record_is_a_pet_or_has_a_reason(campaign: int) -> None:
    """Each record is in the store under its name without outer spaces, or invalid without one."""
    header, *lines = RECORDS.read_text(encoding="utf-8").splitlines(keepends=True)
    text = header + "".join(lines[:: EVERY if campaign == 1 else 1])
    Path("pets.csv").write_text(text, encoding="utf-8")
    load = typed("petstore-frame load pets.csv --output results --json")
    fetch = typed("petstore-frame fetch --output fetched.csv --json")
    report = typed(f"petstore-frame report --output stock.xlsx --categories '{CATEGORIES}'")
    codes = [each.exit_code for each in (load, fetch, report)]
    assert codes == [1, 0, 0], load.stderr + fetch.stderr + report.stderr

    sent, summary = rows_of("pets.csv"), json.loads(load.stdout)
    named = [row for row in sent if row["name"].strip(" ")]
    states = Counter(row["_pf_state"] for row in rows_of("results/results.csv"))
    assert states == {"created": len(named), "invalid": len(sent) - len(named)}
    assert campaign == 1 or states == {"created": 14_001, "invalid": 8_809}
    fix = [(row["_pf_column"], row["_pf_hint"] != "") for row in rows_of("results/fix.csv")]
    assert fix == [("name", True)] * states["invalid"]
    trimmed = [row for row in named if row["name"] != row["name"].strip()]
    assert 0 < summary["notes"]["trimmed"] == len(trimmed)

    pets = rows_of("fetched.csv")
    assert Counter((row["name"], row["category_id"], row["status"]) for row in pets) == Counter(
        (row["name"].strip(" "), row["categoryId"], row["status"]) for row in named
    )
    assert json.loads(fetch.stdout)["completeness"]["verdict"] == "complete"
    book = read_book(Path("stock.xlsx"), data_only=True)
    texts = {cell for sheet in book.worksheets for row in sheet.values for cell in row}
    assert {"Dog", "Guinea Pig", "Bird (wildlife)", len(named)} <= texts
