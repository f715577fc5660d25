"""The workbook in a real office program: opened, recalculated, printed."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.inventory import Verdict
from petstore_frame.report.content import gather
from petstore_frame.report.workbook import write_workbook

SOFFICE = shutil.which("soffice")
pytestmark = [
    pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed"),
    # One LibreOffice at a time: each start takes a core for seconds.
    pytest.mark.xdist_group("libreoffice"),
]

NAMES = [
    "=1+1", "+49 170", "@SUM(A1)", "https://store.example", "007", "1/1/20", "TRUE", "_x0041_",
    " both ends ", 'say "hi", and go', "שלום 小雪 🐕", "x" * 32_767,
]  # fmt: skip


def convert(path: Path, kind: str, folder: Path, profile: Path) -> None:
    """Open a workbook as a person would, recalculate it, and save it as something else."""
    command = [str(SOFFICE), f"-env:UserInstallation=file://{profile}", "--headless"]
    command += ["--convert-to", kind, "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def sheets_as_csv(path: Path, folder: Path, profile: Path) -> dict[str, list[list[str]]]:
    """Every sheet as the program shows it, cell by cell."""
    # Comma, quote, UTF-8, from line 1, every text quoted, cells as shown, all sheets.
    convert(path, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false,false,false,-1",
            folder, profile)  # fmt: skip
    return {
        each.stem.removeprefix(f"{path.stem}-"): list(
            csv.reader(each.read_text(encoding="utf-8").splitlines())
        )
        for each in folder.glob("*.csv")
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("table_rows", [100_000, 2], ids=["table", "constant memory"])
def test_cells_equal_the_frame(table_rows, inventory_of, tmp_path, office_profile) -> None:
    """In both modes every id, name and status is shown as it was read, nothing calculated."""
    rows = [(2**63 - 1 - at, name, 2**53 + 1, "sold") for at, name in enumerate(NAMES)]
    path = tmp_path / "stock.xlsx"
    write_workbook(gather(inventory_of(rows), table_rows=table_rows), path)
    shown = sheets_as_csv(path, tmp_path / "out", office_profile)["Inventory"]
    assert shown[0] == ["ID", "Name", "Category ID", "Status"]
    expected = [[str(one), name, str(category), status] for one, name, category, status in rows]
    assert [[cell.strip("\u200e") for cell in row] for row in shown[1:]] == expected


def test_recalculated_totals_equal_the_stored_ones(
    inventory_of, read_back, tmp_path, office_profile
) -> None:
    """LibreOffice calculates every formula anew, and comes to the values that we stored."""
    pets = [(at, f"Pet {at}", at % 30, ("sold", "available", None)[at % 3]) for at in range(200)]
    path = pf.write_report(inventory_of(pets), tmp_path / "stock.xlsx")
    convert(path, "xlsx:Calc MS Excel 2007 XML", tmp_path / "again", office_profile)
    stored = read_back(path, data_only=True)
    anew = read_back(tmp_path / "again" / path.name, data_only=True)
    formulas = read_back(path)
    compared = 0
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    place = cell.coordinate
                    values = [book[sheet.title][place].value for book in (stored, anew)]
                    assert values[0] == pytest.approx(values[1]), f"{sheet.title} {place}"
                    compared += 1
    assert compared > 90


def test_the_summary_prints_on_one_page(inventory_of, tmp_path, office_profile) -> None:
    """Page one is the summary with its verdict, and the next page is another sheet."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    pets = [(at, f"Pet {at}", at % 300, "sold") for at in range(600)]
    path = pf.write_report(inventory_of(pets, Verdict.UNKNOWN), tmp_path / "stock.xlsx")
    convert(path, "pdf", tmp_path, office_profile)
    pages = [
        subprocess.run(
            ["pdftotext", "-f", number, "-l", number, str(tmp_path / "stock.pdf"), "-"],
            check=True, capture_output=True, text=True,
        ).stdout
        for number in ("1", "2")
    ]  # fmt: skip
    assert "Store inventory" in pages[0]
    assert "Unknown: at least 600 pets" in pages[0]
    assert all("Not known to be complete: 600 pets read" in page for page in pages)
    assert pages[1].startswith("By category")
