"""results.xlsx on screen and on paper."""

from __future__ import annotations

from pathlib import Path

import openpyxl
from openpyxl.utils import get_column_letter

from unit.test_results import make_result


def written(folder: Path, *text: str) -> openpyxl.Workbook:
    make_result(folder, *text).write(folder / "out")
    return openpyxl.load_workbook(folder / "out" / "results.xlsx")


def test_each_sheet_is_one_page_wide(tmp_path: Path) -> None:
    """Landscape, the header on each page, and all rows; of the columns those that help."""
    book = written(tmp_path)
    for sheet in book:
        setup = sheet.page_setup
        assert (setup.orientation, setup.fitToHeight) == ("landscape", 0)
        assert setup.fitToWidth in (None, 1)  # left out, it is 1
        assert sheet.print_title_rows == ("$1:$1" if sheet.title != "Summary" else None)
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
    first, last = book["Fix"].print_area.replace("'Fix'!", "").replace("$", "").split(":")
    cells = book["Fix"][f"{first}:{last}"]
    heads = ["What is wrong", "How to fix it", "In column", "Line"]
    assert [cell.value for cell in cells[0]][-4:] == heads
    assert len(cells) == book["Fix"].max_row == 5


def test_moments_fit_into_their_columns(tmp_path: Path) -> None:
    """A moment is shown, never a row of hashes."""
    sheet = written(tmp_path)["Unknown"]
    (at,) = [cell.column for cell in sheet[1] if str(cell.value).endswith("(UTC)")]
    assert sheet.column_dimensions[get_column_letter(at)].width >= 20


def test_sheets_without_records_are_left_out(tmp_path: Path) -> None:
    """A clean import has no sheet to fix and none in doubt; a file without records has All."""
    assert written(tmp_path, "name,categoryId\nRex,3\n").sheetnames == ["Summary", "All"]


def test_the_next_step_names_the_file_beside_it(tmp_path: Path) -> None:
    """Whoever reads the workbook has fix.csv already, so no call that writes it is named."""
    texts = [str(cell.value) for row in written(tmp_path)["Summary"] for cell in row]
    assert any("correct the sheet Fix" in text for text in texts)
    assert not any("result.write" in text for text in texts)


def test_a_long_title_is_wrapped(tmp_path: Path) -> None:
    """The headline stays on its page: it has the width of the columns, and lines enough."""
    summary = written(tmp_path)["Summary"]
    assert [str(cells) for cells in summary.merged_cells] == ["A1:B1"]
    assert summary["A1"].alignment.wrap_text
    assert "In doubt: arrivals.csv" in summary["A1"].value


def test_a_long_hint_gets_the_lines_that_it_needs(tmp_path: Path) -> None:
    """Not every program counts the lines of a cell, so the rows say how high they are."""
    fix = written(tmp_path, "name,categoryId\nRex,no category of this name is known\n,3\n")["Fix"]
    assert [fix.row_dimensions[row].height for row in (2, 3)] == [31.5, 15.75]


def test_a_colleague_meets_no_codes(tmp_path: Path) -> None:
    """Headings and states are plain words, and what did not occur is not listed."""
    book = written(tmp_path)
    texts = {str(cell.value) for sheet in book for row in sheet for cell in row if cell.value}
    assert not {text for text in texts if text.startswith("_pf_") and "extra" not in text}
    assert not texts & {"missing_name", "extra_cell", "created", "unknown", "in_flight", "pending"}
    assert {"not sent: to fix", "in the store", "in doubt: may be in the store"} <= texts
    assert "not sent: blank" in texts
    assert 0 not in {cell.value for row in book["Summary"] for cell in row}


def test_warnings_are_sentences(tmp_path: Path) -> None:
    """What was noted on a record stands there in words."""
    cells = written(tmp_path, "name,categoryId\n=1,3\n")["All"][2]
    assert "a spreadsheet would run the name as a formula" in {cell.value for cell in cells}
