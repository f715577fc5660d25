"""The workbook in a real office program: opened, recalculated, printed."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

import petstore_frame as pf
from office import NEEDED, save_as
from petstore_frame.inventory import Verdict
from unit.conftest import make_inventory, pets

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


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")
def test_a_list_prints_sixty_pets_to_a_portrait_page(write, office_profile, tmp_path) -> None:
    """Each page of the list is portrait, begins with the headings, and has 55 to 65 pets."""
    path = write([(at, f"Pet {at}", at % 3, "sold") for at in range(1, 301)])
    pdf = save_as(path, "pdf", tmp_path / "out", office_profile)
    command = ["pdftotext", "-layout", str(pdf), "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lists = [page for page in text.split("\f") if page.lstrip().startswith("Inventory")]
    pets_of_pages = [page.count("sold") for page in lists]
    assert sum(pets_of_pages) == 300 and all(55 <= count <= 65 for count in pets_of_pages[:-1])
    assert all("Category ID" in page for page in lists)
    sizes = subprocess.run(["pdfinfo", str(pdf)], check=True, capture_output=True, text=True).stdout
    width, height = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", sizes).groups()
    assert float(width) < float(height)


def test_libreoffice_adds_up_numbers_and_knows_dates(tmp_path: Path, office_profile: Path) -> None:
    """In an office program decimals and NumPy integers add up, and dates are dates."""
    frame = make_inventory(pets(3)).frame.assign(
        fee=[Decimal("12.50"), Decimal("7.25"), Decimal("0.25")],
        arrow_fee=pd.array(["1.5", "2.5", None], dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
        weight=pd.Series([np.int64(4), np.int32(5), np.int8(6)], dtype="object"),
        born=[date(2024, 2, 29), date(1900, 3, 1), date(1900, 2, 28)],
        seen=pd.to_datetime(["2026-11-02 06:30:15"] * 3),
        chip=[10**15, 10**15 - 1, 7],
    )
    path = pf.write_report(frame, tmp_path / "stock.xlsx")
    book = openpyxl.load_workbook(path)
    for col, letter in enumerate("EFG", 5):
        book["Inventory"].cell(5, col, f"=SUM({letter}2:{letter}4)")
    book.save(path)
    saved = save_as(path, "xlsx", tmp_path / "out", office_profile)
    rows = list(openpyxl.load_workbook(saved, data_only=True)["Inventory"].values)
    assert rows[4][4:7] == (20, 4, 15)
    assert [row[7] for row in rows[1:4]] == [
        datetime(2024, 2, 29), datetime(1900, 3, 1), "1900-02-28",
    ]  # fmt: skip
    assert rows[1][8] == datetime(2026, 11, 2, 6, 30, 15)
    assert [row[9] for row in rows[1:4]] == [str(10**15), 10**15 - 1, 7]
