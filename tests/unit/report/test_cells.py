"""What a cell can hold, and that nothing is lost in silence."""

from __future__ import annotations

import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape

from petstore_frame.errors import ReportError
from petstore_frame.storage import excel_styles as styles
from petstore_frame.storage.cell_values import CELL_LIMIT, fit, fits
from petstore_frame.storage.excel_cells import Sheet, open_book
from petstore_frame.storage.excel_tables import TableColumn, write_table

HOSTILE = [
    "=1+1", "+49 170", "@SUM(A1)", "-2", "https://store.example", "007", "1/1/20", "TRUE", "#REF!",
    " both ends ", "", "<b>&amp;</b>", "a\tb\nc", "שלום 小雪 🐕", "\x01\x1f",
    "x" * 32_767,
]  # fmt: skip


def names_of(sheet) -> list[str]:
    """Names as openpyxl reads them, which leaves control characters as _x0001_ and "" as None."""
    column = [row[1] for row in sheet.iter_rows(min_row=2, values_only=True)]
    return [unescape(name or "") for name in column]


def said_in(sheet) -> set[object]:
    return {cell.value for row in sheet for cell in row}


def test_hostile_names_come_back_as_they_were(write, book_of) -> None:
    """Formulas, links, numbers, control characters and 32,767 letters stay the text they are."""
    book = book_of([(at, name, 1, "sold") for at, name in enumerate(HOSTILE)])
    assert names_of(book["Inventory"]) == HOSTILE
    assert len(book["Inventory"]._hyperlinks) == 0
    # Numbers kept as text are declared to Excel as intended, so that it marks none in green.
    with zipfile.ZipFile(write()) as archive:
        sheet = archive.read("xl/worksheets/sheet3.xml").decode()
    assert '<ignoredError sqref="A1:D6" numberStoredAsText="1"' in sheet


@given(st.text())
def test_what_fits_is_left_alone(text: str) -> None:
    """A text is changed only for what no workbook can hold."""
    assert (fit(text) == text) == fits([text])
    assert fits([fit(text)])


@pytest.mark.parametrize("letter", ["x", "🐕"], ids=["plain", "two units"])
def test_a_text_too_long_is_cut_and_says_so(letter: str, book_of) -> None:
    """The limit is Excel's, in UTF-16 units; the text itself tells the cut."""
    fitted = fit(letter * 40_000)
    assert len(fitted.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert fitted.endswith("[cut: 40,000 characters]")
    book = book_of([(17, letter * 40_000, 1, "sold"), (18, "\ufffe", 1, "sold")])
    assert names_of(book["Inventory"]) == [fitted, "\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(("rows", "sheets"), [(0, 1), (4, 1), (5, 2), (9, 3)])
def test_pets_are_split_over_sheets(rows, sheets, book_of, monkeypatch) -> None:
    """No sheet has more than its rows, no pet is lost between two, and the sheets are named."""
    monkeypatch.setattr(styles, "SHEET_ROWS", 4)
    book = book_of([(at, f"Pet {at}", 1, "sold") for at in range(rows)])
    names = [name for name in book.sheetnames if name.startswith("Inventory")]
    ids = [row[0] for name in names for row in book[name].iter_rows(min_row=2, values_only=True)]
    assert len(names) == sheets and names[0] == "Inventory"
    assert [one for one in ids if one is not None] == list(range(rows))
    words = "The pets are on several sheets, because one sheet cannot hold all."
    assert (words in said_in(book["Summary"])) == (sheets > 1)


def test_a_write_that_is_not_accepted_is_an_error(tmp_path) -> None:
    """A return code other than 0 ends the report; pandas would drop such a row in silence."""
    with pytest.raises(ReportError, match="row 1048577: the workbook did not accept a cell"):
        with open_book(tmp_path / "stock.xlsx") as book:
            sheet = book.sheet("Inventory")
            sheet.cell(1_048_576, 0, "one row too many")
            sheet.finish()


def test_a_full_sheet_is_continued_on_another_one(tmp_path) -> None:
    """Each sheet has the headings, none has more than its rows, and no row is lost."""

    def write(sheet: Sheet, row: int, col: int, value: int) -> None:
        sheet.put(row, col, value)

    with open_book(tmp_path / "all.xlsx") as book:
        columns = [TableColumn("Number", 10, write)]
        rows = [[number] for number in range(7)]
        write_table(book, "All", columns, rows, finish_sheet=lambda _: None, max_rows=3)
    sheets = load_workbook(tmp_path / "all.xlsx")
    written = [[cell.value for cell in sheets[name]["A"]] for name in ("All", "All 2", "All 3")]
    assert written == [["Number", 0, 1, 2], ["Number", 3, 4, 5], ["Number", 6]]
