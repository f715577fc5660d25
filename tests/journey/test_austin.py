"""The main job on real records, typed as a user types it: serve, load, fetch, report."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from journey.shell import started, typed
from unit.conftest import read_book

PLACES = [folder / "shared" / "data" for folder in Path(__file__).parents]
DATA = next((folder for folder in PLACES if folder.exists()), PLACES[0])
RECORDS, CATEGORIES = DATA / "pets_austin.csv", DATA / "categories_austin.csv"
EVERY = 15  # of so many records one is taken, unless --campaign is 2 or more


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not RECORDS.exists(), reason="the real shelter records are not here")
@pytest.mark.timeout(300)
def test_each_record_is_a_pet_or_has_a_reason(tmp_path: Path, campaign: int) -> None:
    """What the store holds is what was created: names byte for byte, outer spaces trimmed.

    Each record is created, or invalid for want of a name, which is said with how to fix it. That
    names lost a space is said of exactly those that did. The workbook counts every pet, by label.
    """
    header, *lines = RECORDS.read_text(encoding="utf-8").splitlines(keepends=True)
    file = tmp_path / "pets.csv"
    file.write_text(header + "".join(lines[:: EVERY if campaign == 1 else 1]), encoding="utf-8")
    serve = f"petstore-frame serve --port 0 --database sqlite:///{tmp_path}/store.db"
    with started(f"{serve} --api-key-file {tmp_path}/key") as (_, told):
        env = {"PETSTORE_API_KEY": (tmp_path / "key").read_text().strip()}
        env |= {"PETSTORE_BASE_URL": json.loads(told)["base_url"]}
        load, fetch, report = [
            typed(f"petstore-frame {line}", **env)
            for line in (
                f"load {file} --journal {tmp_path}/journal --output {tmp_path}/results --json",
                f"fetch --output {tmp_path}/fetched.csv --json",
                f"report --output {tmp_path}/stock.xlsx --categories '{CATEGORIES}'",
            )
        ]
    codes = [each.exit_code for each in (load, fetch, report)]
    assert codes == [1, 0, 0], load.stderr + fetch.stderr + report.stderr

    sent, summary = rows_of(file), json.loads(load.stdout)
    named = [row for row in sent if row["name"].strip(" ")]
    states = Counter(row["_pf_state"] for row in rows_of(tmp_path / "results/results.csv"))
    assert states == {"created": len(named), "invalid": len(sent) - len(named)}
    assert campaign == 1 or states == {"created": 14_001, "invalid": 8_809}
    assert {state: count for state, count in summary["states"].items() if count} == states
    fix = rows_of(tmp_path / "results/fix.csv")
    assert len(fix) == states["invalid"]
    assert all(row["_pf_column"] == "name" and row["_pf_hint"] for row in fix)
    trimmed = [row for row in named if row["name"] != row["name"].strip()]
    assert 0 < summary["notes"]["trimmed"] == len(trimmed)

    pets = rows_of(tmp_path / "fetched.csv")
    assert Counter((row["name"], row["category_id"], row["status"]) for row in pets) == Counter(
        (row["name"].strip(" "), row["categoryId"], row["status"]) for row in named
    )
    assert json.loads(fetch.stdout)["completeness"]["verdict"] == "complete"
    book = read_book(tmp_path / "stock.xlsx", data_only=True)
    texts = {cell for sheet in book.worksheets for row in sheet.values for cell in row}
    assert {"Dog", "Guinea Pig", "Bird (wildlife)", len(named)} <= texts
