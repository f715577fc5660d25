"""What a cell can hold, and that nothing is lost in silence."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils.escape import unescape

import petstore_frame as pf
from petstore_frame.errors import ReportError
from petstore_frame.files.book import open_book
from petstore_frame.files.cells import CELL_LIMIT, fit, fits
from petstore_frame.report.content import gather, split
from petstore_frame.report.workbook import write_workbook

HOSTILE = [
    "=1+1", "+49 170", "@SUM(A1)", "-2", "https://store.example", "007", "1/1/20", "TRUE", "#REF!",
    " both ends ", "", "<b>&amp;</b>", "a\tb\nc", "שלום 小雪 🐕", "\x01\x1f",
    "x" * 32_767,
]  # fmt: skip


def names_of(sheet) -> list[str]:
    """Names as openpyxl reads them, which leaves control characters as _x0001_ and "" as None."""
    column = [row[1] for row in sheet.iter_rows(min_row=2, values_only=True)]
    return [unescape(name or "") for name in column]


def test_hostile_names_come_back_as_they_were(inventory_of, read_back, tmp_path) -> None:
    """Formulas, links, numbers, control characters and 32,767 letters stay the text they are."""
    pets = [(at, name, 1, "sold") for at, name in enumerate(HOSTILE)]
    book = read_back(pf.write_report(inventory_of(pets), tmp_path / "stock.xlsx"))
    assert names_of(book["Inventory"]) == HOSTILE
    assert len(book["Inventory"]._hyperlinks) == 0


@given(st.text())
def test_what_fits_is_left_alone(text: str) -> None:
    """A text is changed only for what no workbook can hold, and then it is said."""
    fitted, done = fit(text)
    assert (fitted == text) == (done is None)
    assert fits([fitted])


@pytest.mark.parametrize("letter", ["x", "🐕"], ids=["plain", "two units"])
def test_a_text_too_long_is_cut_and_says_so(letter: str) -> None:
    """The limit counts as Excel does, in UTF-16 units, and the end of the text tells the length."""
    fitted, done = fit(letter * 40_000)
    assert len(fitted.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert fitted.endswith("[cut: 40,000 characters]")
    assert done == "cut to the 32,767 characters that a cell can hold"


def test_changed_names_are_listed(inventory_of, read_back, tmp_path) -> None:
    """A name that did not fit is told on the first sheet, and its id on the last."""
    pets = [(17, "x" * 40_000, 1, "sold"), (18, "\ufffe", 1, "sold"), (19, "Luna", 1, "sold")]
    book = read_back(pf.write_report(inventory_of(pets), tmp_path / "stock.xlsx"))
    summary = {cell.value for row in book["Summary"] for cell in row}
    about = {cell.value for row in book["About"] for cell in row}
    assert "2 names were changed to fit a cell; About has the ids." in summary
    assert {"ID 17", "ID 18"} <= about
    assert "ID 19" not in about


def test_half_a_character_does_not_stop_the_report(inventory_of, read_back, tmp_path) -> None:
    """A lone surrogate, which a frame of objects can hold, is replaced in every kind of report."""
    frame = inventory_of([(1, "Luna", 1, "sold")]).frame.astype({"name": "object"})
    frame["name"] = pd.Series(["\ud800"], dtype="object")
    book = read_back(pf.write_report(frame, tmp_path / "stock.xlsx"))
    csv = pf.write_report(frame, tmp_path / "stock.csv").read_text("utf-8-sig")
    parquet = pd.read_parquet(pf.write_report(frame, tmp_path / "stock.parquet"))
    assert names_of(book["Inventory"]) == ["\N{REPLACEMENT CHARACTER}"]
    assert "1,\N{REPLACEMENT CHARACTER},1,sold" in csv
    assert parquet["name"].tolist() == ["\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(("rows", "sheets"), [(0, 1), (4, 1), (5, 2), (9, 3)])
def test_pets_are_split_over_sheets(rows, sheets, inventory_of, read_back, tmp_path) -> None:
    """No sheet has more than its rows, no pet is lost between two, and the sheets are named."""
    pets = inventory_of([(at, f"Pet {at}", 1, "sold") for at in range(rows)])
    write_workbook(gather(pets, sheet_rows=4), tmp_path / "stock.xlsx")
    book = read_back(tmp_path / "stock.xlsx")
    names = [name for name in book.sheetnames if name.startswith("Inventory")]
    ids = [row[0] for name in names for row in book[name].iter_rows(min_row=2, values_only=True)]
    assert len(names) == sheets
    assert [one for one in ids if one is not None] == list(range(rows))
    named = {cell.value for row in book["Summary"] for cell in row}
    assert (f"The pets are on {sheets} sheets, {names[0]} to {names[-1]}." in named) == (sheets > 1)


@given(st.integers(0, 60), st.integers(1, 20))
@settings(max_examples=50)
def test_the_parts_are_the_whole(rows: int, sheet_rows: int) -> None:
    """The sheets hold every row once, in order."""
    parts = split(rows, sheet_rows)
    held = [row for part in parts for row in range(part.start, part.stop)]
    assert held == list(range(rows))
    assert all(part.stop - part.start <= sheet_rows for part in parts)


def test_a_large_inventory_has_a_plain_filter(inventory_of, read_back, tmp_path) -> None:
    """Above the limit memory stays constant, which allows no table, and the cells are the same."""
    write_workbook(gather(inventory_of(), table_rows=2), tmp_path / "large.xlsx")
    write_workbook(gather(inventory_of()), tmp_path / "small.xlsx")
    large, small = read_back(tmp_path / "large.xlsx"), read_back(tmp_path / "small.xlsx")
    assert (len(large["Inventory"].tables), large["Inventory"].auto_filter.ref) == (0, "A1:D6")
    for sheet in small:
        values = [[cell.value for cell in row] for row in sheet]
        assert [[cell.value for cell in row] for row in large[sheet.title]] == values


def test_a_write_that_is_not_accepted_is_an_error(tmp_path: Path) -> None:
    """A return code other than 0 ends the report; pandas would drop such a row in silence."""
    with pytest.raises(ReportError, match="row 1048577: the workbook did not accept a cell"):
        with open_book(tmp_path / "stock.xlsx", is_constant_memory=False) as book:
            sheet = book.sheet("Inventory")
            sheet.text(1_048_576, 0, "one row too many")
            sheet.finish()


def test_a_disk_that_refuses_is_an_error_of_the_system(tmp_path: Path) -> None:
    """What the system says of a file that cannot be written is not hidden by the library."""
    with pytest.raises(FileNotFoundError):
        with open_book(tmp_path / "gone" / "stock.xlsx", is_constant_memory=False) as book:
            book.sheet("Inventory").finish()


def test_no_green_triangles(inventory_of, tmp_path) -> None:
    """Numbers kept as text are declared to Excel as meant."""
    import zipfile

    path = pf.write_report(inventory_of(), tmp_path / "stock.xlsx")
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet4.xml").decode()
    assert '<ignoredError sqref="A1:C6" numberStoredAsText="1"' in sheet
    assert 'sqref="A1:C6"' in sheet


def test_an_interrupted_large_report_leaves_no_file(inventory_of, tmp_path, monkeypatch) -> None:
    """The rows that constant memory had put aside on disk go with the report."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupt(pets: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        content = gather(inventory_of(), advance=interrupt, table_rows=1)
        write_workbook(content, tmp_path / "s.xlsx")
    assert list(tmp_path.iterdir()) == []
