"""A report of a real store, from Python and from the shell."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.loader.call import FILE
from petstore_frame.loader.record import State
from petstore_frame.loader.results.next_steps import next_steps
from petstore_frame.loader.results.result_text import headline


def book_of(path: Path) -> openpyxl.Workbook:
    """A workbook as openpyxl sees it, which knows no bars of Excel 2010 and warns of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* extension is not supported", UserWarning)
        return openpyxl.load_workbook(path)


def cells(sheet) -> set:
    return {cell.value for row in sheet.iter_rows() for cell in row}


def run(*words: str, key: str | None = None):
    """The command line with the key in the environment, as it should be."""
    return CliRunner(env={"PETSTORE_API_KEY": key}).invoke(app, ["report", *words])


def test_the_shell_writes_the_workbook(sample_server, tmp_path) -> None:
    """One command reads the store, writes the file, and reports what it covers."""
    labels = tmp_path / "categories.csv"
    labels.write_text("category_id,label\n1,Dog\n")
    output = tmp_path / "stock.xlsx"
    key = sample_server.api_key.get_secret_value()
    ended = run("--base-url", sample_server.base_url, "--output", str(output),
               "--categories", str(labels), "--json", key=key)  # fmt: skip
    assert ended.exit_code == 0, ended.output
    told = json.loads(ended.stdout)["completeness"]["text"]
    assert told.startswith("complete: 250 pets")
    assert f"C{told[1:]}." in cells(book_of(output)["Summary"])


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [("stock.ods", 2, "LibreOffice"), ("nowhere/stock.xlsx", 2, "does not exist")],
)
def test_a_report_that_cannot_be_is_refused_before_reading(name, code, words, tmp_path) -> None:
    """A wrong file name is reported before the store is asked: there is no store here."""
    ended = run("--base-url", "http://127.0.0.1:9/v1", "--output", str(tmp_path / name), key="k")
    assert ended.exit_code == code
    assert words in ended.output


def test_a_store_that_is_not_there_has_its_own_code(tmp_path) -> None:
    """Exit code 5 means that the store was not reached; no file is written."""
    output = tmp_path / "stock.xlsx"
    ended = run("--base-url", "http://127.0.0.1:9/v1", "--output", str(output), key="k")
    assert ended.exit_code == 5
    assert list(tmp_path.iterdir()) == []


def test_csv_goes_back_into_a_store(server, tmp_path) -> None:
    """What the CSV report holds, load_csv reads back: the same names, categories and statuses."""
    names = ["=1+1", "-Max", "'=quoted", "Zoë 🐕", "@home", 'say "hi", Luna', "two\nlines"]
    with server.client() as client:
        for name in names:
            client.create_pet(name=name, category_id=7, status="sold")
        first = pf.fetch_inventory(client).frame
        path = pf.write_report(first, tmp_path / "stock.csv")
        options = {"journal": tmp_path / "journal", "progress": False, "duplicates": "send"}
        result = pf.load_csv(path, client, **options)
        both = pf.fetch_inventory(client).frame
    assert set(result.frame["state"]) == {"created"}
    again = both[~both["id"].isin(first["id"])]
    columns = ["name", "category_id", "status"]
    pd.testing.assert_frame_equal(
        again[columns].sort_values("name", ignore_index=True),
        first[columns].sort_values("name", ignore_index=True),
    )


def test_what_became_of_an_import_is_ended(server, tmp_path) -> None:
    """The sheet Import has the records by state and those to fix, with line, value and hint."""
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text("name,categoryId,status\nLuna,3,sold\n=Max,cat,sold\n,3,\n")
    with server.client() as client:
        result = pf.load_csv(arrivals, client, journal=tmp_path / "journal", progress=False)
        inventory = pf.fetch_inventory(client)
    book = book_of(pf.write_report(inventory, tmp_path / "stock.xlsx", results=result))
    assert {"created", "invalid", "Records to fix: 2", "cat"} <= cells(book["Import"])
    assert book.sheetnames[-2:] == ["Import", "About"]
    assert {cell.data_type for row in book["Import"].iter_rows() for cell in row} <= {"s", "n"}


def test_the_sheet_of_an_import_says_what_its_result_says(server, tmp_path) -> None:
    """What was skipped is in the headline, and what to do in the next steps, as in the result."""
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("name,category_id\nLuna,3\nMax,3\nRex,3\n")
    new.write_text("name,category_id\nLuna,3\nMax,3\nRex,3\nZoe,cat\n")
    with server.client() as client:
        pf.load_csv(old, client, journal=tmp_path / "journal", progress=False)
        result = pf.load_csv(
            new, client, journal=tmp_path / "journal", progress=False, duplicates="skip"
        )
        inventory = pf.fetch_inventory(client)
    book = book_of(pf.write_report(inventory, tmp_path / "stock.xlsx", results=result))
    shown, (word, sentence) = cells(book["Import"]), headline(result.facts)
    steps = next_steps(replace(result.facts, call=FILE))
    assert result.counts[State.SKIPPED] == 3 and steps
    told = {step.text[:1].upper() + step.text[1:] for step in steps}
    assert {f"{word}: {sentence}", *told} <= shown


def test_what_changed_is_ended(server, tmp_path) -> None:
    """The sheet Changes has the moves between the last two snapshots, and the pets."""
    history = pf.History(tmp_path / "history")
    with server.client() as client:
        client.create_pet(name="Luna", category_id=3)
        first = pf.fetch_inventory(client)
        client.create_pet(name="=Max", category_id=3, status="sold")
        inventory = pf.fetch_inventory(client)
    history.add(
        replace(first, origin=replace(first.origin, fetched_at=datetime(2030, 1, 1, tzinfo=UTC)))
    )
    path = tmp_path / "stock.xlsx"
    alone = cells(book_of(pf.write_report(inventory, path, history=history))["Changes"])
    history.add(
        replace(
            inventory, origin=replace(inventory.origin, fetched_at=datetime(2030, 1, 8, tzinfo=UTC))
        )
    )
    changes = cells(book_of(pf.write_report(inventory, path, history=history))["Changes"])
    assert any(str(text).startswith("Nothing to compare: ") for text in alone)
    assert "2030-01-01 to 2030-01-08: 1 new" in changes
    assert {"=Max", "new", "sold"} <= changes
    assert any("The last snapshot is of 2030-01-08. What" in str(text) for text in changes)
    book = book_of(pf.write_report(history.read("2030-01-08"), path, history=history))
    assert not any("is not here" in str(text) for text in cells(book["Changes"]))
    assert book["Changes"].print_title_rows
