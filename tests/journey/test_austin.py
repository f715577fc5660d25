"""The main job on real records, typed as a user types it: serve, load, fetch, report."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data"
RECORDS, CATEGORIES = DATA / "pets_austin.csv", DATA / "categories_austin.csv"

pytestmark = [
    pytest.mark.skipif(not RECORDS.exists(), reason="the real shelter records are not here"),
    pytest.mark.xdist_group("austin"),
    pytest.mark.timeout(300),
]


class Journey(NamedTuple):
    """What the four commands left behind."""

    folder: Path
    load: dict
    fetch: dict
    report: str


def petstore_frame(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "petstore_frame", *words],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def journey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journey]:
    folder = tmp_path_factory.mktemp("austin")
    server = subprocess.Popen(
        [
            sys.executable, "-m", "petstore_frame", "serve", "--port", "0",
            "--database", f"sqlite:///{folder}/store.db", "--api-key-file", f"{folder}/key",
        ],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with server:
        assert server.stdout is not None
        base_url = json.loads(server.stdout.readline())["base_url"]
        env = {**os.environ, "PETSTORE_API_KEY": (folder / "key").read_text().strip()}
        where = ("--base-url", base_url)
        load = petstore_frame(
            "load", str(RECORDS), *where, "--journal", f"{folder}/journal",
            "--output", f"{folder}/results", "--json", env=env,
        )  # fmt: skip
        fetch = petstore_frame(
            "fetch", *where, "--output", f"{folder}/fetched.csv", "--json", env=env
        )
        report = petstore_frame(
            "report", *where, "--output", f"{folder}/stock.xlsx",
            "--categories", str(CATEGORIES), env=env,
        )  # fmt: skip
        server.terminate()
    assert load.returncode == 1, load.stderr  # done, some records invalid
    assert (fetch.returncode, report.returncode) == (0, 0), fetch.stderr + report.stderr
    yield Journey(folder, json.loads(load.stdout), json.loads(fetch.stdout), report.stdout)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_every_record_ends_in_one_state(journey: Journey) -> None:
    """All 22,810 records are in exactly one state: 14,001 created, 8,809 without a name invalid."""
    states = Counter(row["_pf_state"] for row in rows_of(journey.folder / "results/results.csv"))
    assert states == {"created": 14_001, "invalid": 8_809}
    summary = json.loads((journey.folder / "results/summary.json").read_text())
    assert {k: v for k, v in summary["states"].items() if v} == dict(states)


def test_every_invalid_record_has_a_reason(journey: Journey) -> None:
    """A record that was not sent says which column, and how to fix it."""
    fix = rows_of(journey.folder / "results/fix.csv")
    assert len(fix) == 8_809
    assert all(row["_pf_column"] == "name" and row["_pf_hint"] for row in fix)


def test_fetch_returns_exactly_the_created_pets(journey: Journey) -> None:
    """What the store holds is what was created: names byte for byte, outer spaces trimmed."""
    sent = Counter(
        (row["name"].strip(" "), row["categoryId"], row["status"])
        for row in rows_of(RECORDS)
        if row["name"].strip(" ")
    )
    held = Counter(
        (row["name"], row["category_id"], row["status"])
        for row in rows_of(journey.folder / "fetched.csv")
    )
    assert held == sent
    assert journey.fetch["completeness"]["verdict"] == "complete"


def test_trimmed_names_carry_a_warning(journey: Journey) -> None:
    """A record whose name lost an outer space says so in its result."""
    rows = rows_of(journey.folder / "results/results.csv")
    trimmed = [row for row in rows if row["name"].strip(" ") and row["name"] != row["name"].strip()]
    assert trimmed
    assert all("trimmed" in row["_pf_warnings"] for row in trimmed)


# openpyxl tells what it would lose on saving; this only reads.
@pytest.mark.filterwarnings("ignore:.*extension is not supported:UserWarning")
def test_workbook_shows_labels(journey: Journey) -> None:
    """The workbook names the categories of the file and counts every pet."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(journey.folder / "stock.xlsx", read_only=True, data_only=True)
    texts = {cell for sheet in book for row in sheet.values for cell in row if cell is not None}
    book.close()
    assert {"Dog", "Guinea Pig", "Bird (wildlife)"} <= texts
    assert 14_001 in texts
