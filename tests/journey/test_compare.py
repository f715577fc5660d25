"""A list that lived on since it was loaded, against the store that it was loaded into."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pytest
from markupsafe import escape
from typer.main import get_command
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.cli.options import HowRead
from petstore_frame.stocktake import Kind
from threaded import Server, serve

HEADER = ("animal_id", "name", "categoryId", "status")


class Loaded(NamedTuple):
    """A store that holds a list, and where both lie."""

    server: Server
    inventory: pf.Inventory
    folder: Path


def write_list(path: Path, rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def animals() -> list[tuple[str, ...]]:
    """Sixty animals of six names, so that nothing but the key tells them apart."""
    return [(f"A{at}", f"Pup {at % 6}", "1", "available") for at in range(60)]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    folder = tmp_path_factory.mktemp("stocktake")
    with serve() as server, server.client() as client:
        path = write_list(folder / "first.csv", animals())
        pf.load_csv(path, client, key="animal_id", journal=folder / "journal")
        yield Loaded(server, pf.fetch_inventory(client), folder)


@pytest.fixture(scope="module")
def later(loaded: Loaded) -> Path:
    """The list as it is now: five animals changed, three gone, two new, all in another order."""
    rows = [(key, name, category, "sold") for key, name, category, _ in animals()[:5]]
    rows += [*animals()[8:], ("N1", "Pup 1", "1", "available"), ("N2", "Pup 2", "1", "sold")]
    return write_list(loaded.folder / "later.csv", rows[::-1])


def test_by_key_exactly_what_happened_is_told(loaded: Loaded, later: Path) -> None:
    """Changed, new and missing animals are counted one by one, among many that are alike."""
    journal = loaded.folder / "journal"
    found = pf.compare(later, loaded.inventory, key="animal_id", journal=journal)
    counts = found.summary["records"] + found.summary["pets"]
    assert counts.to_dict() == {
        Kind.SAME: 104,
        Kind.CHANGED: 10,
        Kind.ONLY_IN_LIST: 2,
        Kind.ONLY_IN_STORE: 3,
        Kind.IN_DOUBT: 0,
        Kind.INVALID: 0,
    }
    assert set(found.of("changed")["key"]) == {"A0", "A1", "A2", "A3", "A4"}


def test_absence_from_a_part_of_the_store_is_not_seen(loaded: Loaded, later: Path) -> None:
    """Where the listing is not complete, nothing is said to be only in the list."""
    with loaded.server.client() as client:
        part = pf.fetch_inventory(client, max_pets=20)
    found = pf.compare(later, part, key="animal_id", journal=loaded.folder / "journal")
    assert Kind.ONLY_IN_LIST not in found.summary.index
    assert found.summary.loc["not seen", "records"] >= 37


def test_which_pet_a_record_is_must_be_stated(loaded: Loaded, later: Path) -> None:
    """Neither a key nor fields, and a key that no import has kept, are refused."""
    with pytest.raises(pf.ArgumentError, match="key="):
        pf.compare(later, loaded.inventory)
    with pytest.raises(pf.ArgumentError, match="no key"):
        pf.compare(later, loaded.inventory, key="animal_id", journal=loaded.folder / "other")


def test_the_listing_of_one_status_is_no_store(loaded: Loaded, later: Path) -> None:
    """What was asked for one status says nothing of animals with another."""
    with loaded.server.client() as client:
        sold = pf.fetch_inventory(client, status="sold")
    with pytest.raises(pf.ArgumentError, match="sold"):
        pf.compare(later, sold, on="name")


def test_the_command_writes_a_sheet_per_kind(
    loaded: Loaded, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell tells the same counts, and the workbook has the rows of each kind."""
    monkeypatch.setenv("PETSTORE_BASE_URL", loaded.server.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", loaded.server.api_key.get_secret_value())
    output = loaded.folder / "differences.xlsx"
    words = ["compare", str(later), "--key", "animal_id", "--json", "--output", str(output)]
    shown = CliRunner().invoke(app, [*words, "--journal", str(loaded.folder / "journal")])
    book = openpyxl.load_workbook(output)
    assert shown.exit_code == 1
    assert json.loads(shown.stdout)["kinds"]["changed"] == {"records": 5, "pets": 5}
    assert book.sheetnames == ["Summary", "Changed", "Only in list", "Only in store", "Same"]
    assert book["Changed"].max_row == 6


def test_a_list_is_read_with_every_option_of_the_loader() -> None:
    """In Python and in a shell, comparing takes what loading a text file or a workbook takes."""
    reading = {each.name for each in fields(pf.Recipe)} - {"duplicates"}
    assert reading <= set(signature(pf.compare).parameters)
    assert reading <= {*signature(pf.load_csv).parameters, *signature(pf.load_excel).parameters}
    commands = get_command(app).commands  # type: ignore[attr-defined]
    load, compare = ({p.name for p in commands[name].params} for name in ("load", "compare"))
    assert {each.name for each in fields(HowRead)} <= load & compare


def test_options_and_warnings_are_those_of_a_load(loaded: Loaded) -> None:
    """A list without a header and with odd cells is read alike, and what was odd is told."""
    path = loaded.folder / "odd.txt"
    path.write_text("A0; Pup 0;1;Available\n", encoding="utf-8")
    options = {"columns": HEADER, "quoting": "none", "sep": ";"}
    found = pf.compare(path, loaded.inventory, on="name", **options)  # type: ignore[arg-type]
    result = pf.load_csv(path, pf.Client("http://[::1]:9/v1", "a" * 20), dry_run=True,
                         journal=loaded.folder / "rehearsed", **options)  # type: ignore[arg-type]  # fmt: skip
    told = [str(note) for note in result.notes]
    assert len(told) == 2
    assert found.warnings == tuple(told)
    assert all(str(escape(warning)) in found._repr_html_() for warning in found.warnings)
    found.write(loaded.folder / "odd.xlsx")
    summary = openpyxl.load_workbook(loaded.folder / "odd.xlsx")["Summary"]
    cells = {cell.value for row in summary.iter_rows() for cell in row}
    assert cells >= {*found.warnings, *found.next_steps()}
