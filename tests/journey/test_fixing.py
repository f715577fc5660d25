"""From a dirty file to a clean store: load, fix what is listed, load that."""

from __future__ import annotations

import csv
from pathlib import Path

import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.bundled.samples import write_sample_csv
from threaded import serve

ROWS = 300


def fix(row: dict[str, str]) -> dict[str, str]:
    """Do what a person would do with the hint before them."""
    name = row["name"].strip() or "Nameless"
    number = (
        row["categoryId"] if row["categoryId"].isdigit() and len(row["categoryId"]) < 19 else "1"
    )
    known = row["status"].strip().lower() in (*pf.PET_STATUSES, "")
    return row | {"name": name, "categoryId": number, "status": row["status"] if known else "sold"}


def fix_csv(source: Path, target: Path) -> Path:
    with source.open(encoding="utf-8-sig", newline="") as file:
        rows = [fix(row) for row in csv.DictReader(file)]
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return target


def fix_workbook(source: Path, target: Path) -> Path:
    book = openpyxl.load_workbook(source)
    header = [cell.value for cell in book["Fix"][1]]
    for cells in book["Fix"].iter_rows(min_row=2):
        row = fix({key: cell.value or "" for key, cell in zip(header, cells, strict=True)})
        for key, cell in zip(header, cells, strict=True):
            cell.value = row[key]
    book.save(target)
    return target


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_fixed_records_complete_the_store(tmp_path: Path, kind: str) -> None:
    """After fixing, in the file or on the sheet Fix, every record of the file is one pet, and
    loading all again sends nothing."""
    arrivals = write_sample_csv(tmp_path / "arrivals.csv", rows=ROWS, seed=3)
    journal = tmp_path / "journal"
    with serve() as server, server.client() as client:
        first = pf.load_csv(arrivals, client, journal=journal)
        first.write(tmp_path / "out")
        assert 0 < len(first.fix) == ROWS - len(first.created)
        unedited = pf.load_csv(tmp_path / "out" / "fix.csv", client, journal=journal)
        assert len(unedited.created) == 0
        if kind == "csv":
            fixed = fix_csv(tmp_path / "out" / "fix.csv", tmp_path / "fixed.csv")
            second = pf.load_csv(fixed, client, journal=journal)
        else:
            fixed = fix_workbook(tmp_path / "out" / "results.xlsx", tmp_path / "fixed.xlsx")
            second = pf.load_excel(fixed, client, journal=journal)
        assert list(second.frame["state"].unique()) == ["created"]
        assert len(second.frame) == len(first.fix)
        again = pf.load_csv(arrivals, client, journal=journal)
        assert (again.exit_code, len(again.fix)) == (0, 0)
        (found,) = again.skipped
        assert (found.by, found.source.split(" ")[0]) == ("record", fixed.name)
        assert len(pf.fetch_inventory(client).frame) == ROWS


def test_frame_is_loaded_like_a_file(tmp_path: Path) -> None:
    """A frame read as text is loaded, and loaded again sends nothing."""
    import pandas as pd

    arrivals = write_sample_csv(tmp_path / "arrivals.csv", rows=50, dirty=False)
    frame = pd.read_csv(arrivals, dtype=str, keep_default_na=False)
    with serve() as server, server.client() as client:
        first = pf.load_frame(frame, client, journal=tmp_path / "a")
        again = pf.load_frame(frame.copy(), client, journal=tmp_path / "a")
        names = pf.fetch_inventory(client).frame["name"]
    assert len(first.created) == len(again.created) == len(names) == 50
    assert sorted(names) == sorted(frame["name"].str.strip())


def test_an_index_identifies_animals(tmp_path: Path) -> None:
    """The name of an index is a column for ``key=``, and the pet ids fit beside the frame."""
    import pandas as pd

    tags = pd.Index(["T1", "T2", "T3"], name="tag")
    frame = pd.DataFrame({"name": ["Ada", "", "Bo"], "category_id": [1, 2, 3]}, index=tags)
    with serve() as server, server.client() as client:
        result = pf.load_frame(frame, client, key="tag", journal=tmp_path)
        pf.load_frame(result.fix.assign(name="Cy"), client, journal=tmp_path)
        again = pf.load_frame(frame.iloc[::-1], client, key="tag", journal=tmp_path)
    assert result.pet_ids.index.equals(tags) and result.pet_ids.dropna().tolist() == [1, 2]
    assert again.pet_ids.to_dict() == {"T3": 2, "T2": 3, "T1": 1}


def test_the_same_command_loads_the_fix_file(tmp_path: Path) -> None:
    """All options of a colleague's file may stay; left out, the file is the same import still."""
    file = tmp_path / "anna.csv"
    file.write_bytes("Tiere\n\nTier;Art\nZoë;x\nMax;3\n".encode("cp1252"))
    options = {
        "mapping": {"name": "Tier", "category_id": "Art"},
        "encoding": "cp1252",
        "delimiter": ";",
        "header_row": 3,
        "journal": tmp_path / "journal",
    }
    with serve() as server, server.client() as client:
        pf.load_csv(file, client, **options).write(tmp_path / "out", excel=False)
        fix = tmp_path / "out" / "fix.csv"
        fix.write_text(fix.read_text("utf-8-sig").replace("Zoë,x", "Zoë,4"), "utf-8-sig")
        first = pf.load_csv(fix, client, **options)
        again = pf.load_csv(fix, client, journal=tmp_path / "journal")
        assert sorted(pf.fetch_inventory(client).frame["name"]) == ["Max", "Zoë"]
    assert first.created["sent_name"].tolist() == ["Zoë"]
    assert (again.sent_now, again.exit_code) == (False, 0)
