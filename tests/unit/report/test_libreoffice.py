"""The workbook in a real office program: opened, recalculated, printed."""

from __future__ import annotations

import csv
import shutil
import subprocess

import pytest

from office import NEEDED, save_as
from petstore_frame.inventory import Verdict

pytestmark = NEEDED

NAMES = [
    "=1+1", "+49 170", "@SUM(A1)", "https://store.example", "007", "1/1/20", "TRUE", "_x0041_",
    " both ends ", 'say "hi", and go', "שלום 小雪 🐕", "x" * 32_767,
]  # fmt: skip
# Comma, quote, UTF-8, from line 1, every text quoted, cells as shown, all sheets.
CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false,false,false,-1"


def test_cells_equal_the_frame(write, office_profile, tmp_path) -> None:
    """Every id, name and status is shown as it was read, nothing calculated."""
    rows = [(2**63 - 1 - at, name, 2**53 + 1, "sold") for at, name in enumerate(NAMES)]
    save_as(write(rows), CSV, tmp_path / "out", office_profile)
    lines = (tmp_path / "out" / "stock-Inventory.csv").read_text(encoding="utf-8").splitlines()
    shown = [[cell.strip("\u200e") for cell in row] for row in csv.reader(lines)]
    assert shown[0] == ["ID", "Name", "Category ID", "Status"]
    assert shown[1:] == [[*map(str, row)] for row in rows]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")
def test_the_summary_prints_on_one_page(write, office_profile, tmp_path) -> None:
    """Page one is the summary alone, and each page says what is not known."""
    pets = [(at, f"Pet {at}", at % 300, "sold") for at in range(600)]
    pdf = save_as(write(pets, Verdict.UNKNOWN), "pdf", tmp_path / "out", office_profile)
    text = subprocess.run(["pdftotext", str(pdf), "-"], check=True, capture_output=True, text=True)
    pages = text.stdout.split("\f")
    assert "Store inventory" in pages[0]
    assert "Unknown: at least 600 pets" in pages[0]
    assert all("Not known to be complete: 600 pets read" in page for page in pages[:2])
    assert pages[1].startswith("By category")
