"""``petstore-frame fetch``: the store's own values in a file, and what they cover."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.report.write import write_data
from petstore_frame.schema.frame import PetColumns, to_frame
from threaded import Server, serve

NAMES = ["NA", "=1+1", "007", 'a "b", c', "two\nlines", "carriage\rreturn", "Žofie 🐱", "-"]


@pytest.fixture(scope="module")
def store() -> Iterator[Server]:
    """A store of the names, which no test changes."""
    with serve() as running, running.client() as client:
        for name in NAMES:
            client.create_pet(name, 3)
        yield running


@pytest.fixture
def filled(store: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The store, with its key where the command line looks for it."""
    monkeypatch.setenv("PETSTORE_API_KEY", store.api_key.get_secret_value())
    return store


def run(server: Server, *arguments: str):
    return CliRunner().invoke(app, ["fetch", "--base-url", server.base_url, *arguments])


def test_a_csv_holds_names_byte_for_byte(filled: Server, tmp_path: Path) -> None:
    """Names of every kind come back from the file exactly as the store has them."""
    path = tmp_path / "pets.csv"
    result = run(filled, "--output", str(path))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert result.exit_code == 0, result.output
    assert [row["name"] for row in rows] == NAMES
    assert list(rows[0]) == ["id", "name", "category_id", "status"]


def test_json_tells_what_the_file_covers(filled: Server, tmp_path: Path) -> None:
    """One JSON object holds the number of rows, what they cover and when they were read."""
    path = tmp_path / "pets.parquet"
    told = json.loads(run(filled, "--output", str(path), "--json").stdout)
    assert (told["rows"], told["completeness"]["verdict"]) == (len(NAMES), "complete")
    assert pf.read_inventory(path).completeness.covers_all


def test_a_workbook_is_raw_data_too(filled: Server, tmp_path: Path) -> None:
    """The first sheet of an .xlsx is the frame itself, and what it covers on the second."""
    path = tmp_path / "pets.xlsx"
    assert run(filled, "--output", str(path)).exit_code == 0
    sheets = pd.read_excel(path, sheet_name=None, keep_default_na=False)
    assert list(sheets) == ["Inventory", "About"]
    pets = sheets["Inventory"]
    assert list(pets) == ["id", "name", "category_id", "status"]
    assert [name.replace("_x000D_", "\r") for name in pets["name"]] == NAMES
    assert pets["id"].dtype == "int64" and set(pets["status"]) == {""}
    assert "complete: 8 pets" in sheets["About"].to_string()


def test_a_workbook_comes_back(filled: Server, tmp_path: Path) -> None:
    """What fetch and report write as .xlsx is read, and known as the pets of this store."""
    with filled.client() as client:
        inventory = pf.fetch_inventory(client)
        for write in (write_data, pf.write_report):
            path = write(inventory, tmp_path / "pets.xlsx")
            result = pf.load_excel(path, client, dry_run=True, journal=tmp_path / "journal")
            assert list(result.frame["sent_name"]) == NAMES
            assert "pets.xlsx (sheet Inventory): 8 records read" in str(result)
            assert [case.name for case in result.question.cases] == ["own_pets"]


def test_large_ids_and_missing_statuses_keep_their_kind(tmp_path: Path) -> None:
    """Ids that a workbook would round are text, a missing status is an empty cell."""
    columns = PetColumns([10**15 - 1, 10**15], ["=1+1", "Bo"], [3, 2**60], ["sold", None])
    path = write_data(pf.Inventory.made_up(to_frame(columns)), tmp_path / "pets.xlsx")
    rows = list(openpyxl.load_workbook(path)["Inventory"].values)
    assert rows[1:] == [(10**15 - 1, "=1+1", 3, "sold"), (str(10**15), "Bo", str(2**60), None)]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("pets.txt", [], "nothing was sent"),
        ("pets.csv", ["--status", "lost"], "'lost' is not one of 'available', 'pending'"),
        ("pets.xlsx", ["--delimiter", ";"], "delimiter"),
        ("pets.csv", ["--delimiter", "x"], "delimiter"),
    ],
)
def test_a_wrong_request_is_refused(
    filled: Server, name: str, options: list[str], words: str, tmp_path: Path
) -> None:
    """An impossible file, status or delimiter is refused before anything is sent, plainly."""
    result = run(filled, "--output", str(tmp_path / name), *options)
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
    assert "Value error" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_status_is_known_in_any_case(filled: Server, tmp_path: Path) -> None:
    """SOLD is sold, and what was not asked for has no count."""
    told = run(filled, "--output", str(tmp_path / "pets.csv"), "--status", "SOLD")
    assert told.exit_code == 0 and "sold" in told.stdout and "at least 0" not in told.stdout


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--max-pets", "3"], 1)])
def test_only_a_complete_listing_ends_with_0(
    filled: Server, tmp_path: Path, words: list[str], code: int
) -> None:
    """The exit code, ``is_complete`` and the headline of the JSON agree, and so does the text."""
    told = run(filled, "--output", str(tmp_path / "a.csv"), "--json", *words)
    known = json.loads(told.stdout)["completeness"]
    assert (told.exit_code, known["is_complete"]) == (code, code == 0)
    assert known["text"].startswith("complete: ") is (code == 0)
    shown = run(filled, "--output", str(tmp_path / "b.csv"), "--evidence", *words)
    assert (shown.exit_code, known["basis"] in shown.stdout) == (code, True)


def test_a_csv_for_a_spreadsheet_with_decimal_commas(filled: Server, tmp_path: Path) -> None:
    """A delimiter of choice comes with a byte order mark, and the values are those of the store."""
    path = tmp_path / "pets.csv"
    assert run(filled, "--output", str(path), "--delimiter", ";").exit_code == 0
    with path.open(encoding="utf-8", newline="") as file:
        assert file.read(4) == '\ufeff"id'
        file.seek(0)
        rows = list(csv.DictReader(file, delimiter=";"))
    assert [row["name"] for row in rows] == NAMES
