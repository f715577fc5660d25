"""Weekly files of a real shelter, with a key that does not change."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from shop import Shop

RECORDS = Path(__file__).parents[3] / "shared" / "data" / "raw_austin.csv"
WEEK_ROWS = 400

pytestmark = [
    pytest.mark.skipif(not RECORDS.exists(), reason="the real shelter records are not here"),
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def weeks() -> list[list[str]]:
    """Rows of id, name and kind by the week of their outcome; each animal in its last state."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    kinds: dict[str, int] = {}
    with RECORDS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kind = kinds.setdefault(row["Type"], len(kinds) + 1)
            name = row["Name"].strip().replace(",", " ").replace('"', "")
            if name:
                week = row["Outcome Date"][:7]
                found[week][row["Animal ID"]] = f"{row['Animal ID']},{name},{kind}"
    return [list(found[week].values())[:WEEK_ROWS] for week in sorted(found)][:6]


def test_weekly_files_with_a_key_lose_and_double_nothing(shop: Shop, weeks: list) -> None:
    """A growing export of real animals: none lost, none doubled, nothing asked."""
    export: dict[str, str] = {}
    for rows in weeks:
        export = {row.partition(",")[0]: row for row in rows} | export
        shop.load("export.csv", "Animal ID,name,categoryId", *export.values(),
                  key="Animal ID", workers=8, accept=["low_category_id"])  # fmt: skip
        assert len(shop.pets) == len(export) == len(shop.ids)
