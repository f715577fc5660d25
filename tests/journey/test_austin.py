"""The main job on real records, typed as a user types it: serve, load, fetch, report."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner, Result

from petstore_frame.cli import app

PLACES = [folder / "shared" / "data" for folder in Path(__file__).parents]
DATA = next((folder for folder in PLACES if folder.exists()), PLACES[0])
RECORDS, CATEGORIES = DATA / "pets_austin.csv", DATA / "categories_austin.csv"
EVERY = 12  # of so many records one is taken, unless --campaign is 2 or more

pytestmark = [
    pytest.mark.skipif(not RECORDS.exists(), reason="the real shelter records are not here"),
    pytest.mark.xdist_group("austin"),
    pytest.mark.timeout(300),
]


class Journey(NamedTuple):
    """What the four commands left behind."""

    folder: Path
    sent: list[dict[str, str]]
    load: dict
    fetch: dict


def petstore_frame(*words: str, env: dict[str, str]) -> Result:
    return CliRunner().invoke(app, words, env=env)


@pytest.fixture(scope="module")
def journey(tmp_path_factory: pytest.TempPathFactory, campaign: int) -> Iterator[Journey]:
    folder = tmp_path_factory.mktemp("austin")
    header, *records = RECORDS.read_text(encoding="utf-8").splitlines(keepends=True)
    records = records[:: EVERY if campaign == 1 else 1]
    file = folder / "pets.csv"
    file.write_text(header + "".join(records), encoding="utf-8")
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
        env = {"PETSTORE_API_KEY": (folder / "key").read_text().strip()}
        where = ("--base-url", base_url)
        load = petstore_frame(
            "load", str(file), *where, "--journal", f"{folder}/journal",
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
    assert load.exit_code == 1, load.stderr  # done, some records invalid
    assert (fetch.exit_code, report.exit_code) == (0, 0), fetch.stderr + report.stderr
    yield Journey(folder, rows_of(file), json.loads(load.stdout), json.loads(fetch.stdout))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def named(journey: Journey) -> list[dict[str, str]]:
    return [row for row in journey.sent if row["name"].strip(" ")]


def test_every_record_ends_in_one_state(journey: Journey, campaign: int) -> None:
    """Each record is in exactly one state: created, or invalid for want of a name."""
    states = Counter(row["_pf_state"] for row in rows_of(journey.folder / "results/results.csv"))
    created = len(named(journey))
    assert states == {"created": created, "invalid": len(journey.sent) - created}
    assert campaign == 1 or states == {"created": 14_001, "invalid": 8_809}
    assert {k: v for k, v in journey.load["states"].items() if v} == dict(states)


def test_every_invalid_record_has_a_reason(journey: Journey) -> None:
    """A record that was not sent says which column, and how to fix it."""
    fix = rows_of(journey.folder / "results/fix.csv")
    assert len(fix) == len(journey.sent) - len(named(journey))
    assert all(row["_pf_column"] == "name" and row["_pf_hint"] for row in fix)


def test_fetch_returns_exactly_the_created_pets(journey: Journey) -> None:
    """What the store holds is what was created: names byte for byte, outer spaces trimmed."""
    sent = Counter(
        (row["name"].strip(" "), row["categoryId"], row["status"]) for row in named(journey)
    )
    held = Counter(
        (row["name"], row["category_id"], row["status"])
        for row in rows_of(journey.folder / "fetched.csv")
    )
    assert held == sent
    assert journey.fetch["completeness"]["verdict"] == "complete"


def test_trimmed_names_carry_a_warning(journey: Journey) -> None:
    """That names lost an outer space is said in the summary, of exactly those that did."""
    trimmed = [row for row in named(journey) if row["name"] != row["name"].strip()]
    notes = json.loads((journey.folder / "results/summary.json").read_text())["notes"]
    assert 0 < notes["trimmed"] == len(trimmed)


# openpyxl tells what it would lose on saving; this only reads.
@pytest.mark.filterwarnings("ignore:.*extension is not supported:UserWarning")
def test_workbook_shows_labels(journey: Journey) -> None:
    """The workbook names the categories of the file and counts every pet."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(journey.folder / "stock.xlsx", read_only=True, data_only=True)
    texts = {cell for sheet in book for row in sheet.values for cell in row if cell is not None}
    book.close()
    assert {"Dog", "Guinea Pig", "Bird (wildlife)"} <= texts
    assert len(named(journey)) in texts
