"""Workbooks, judged by the type of each cell."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
import xlsxwriter

import petstore_frame as pf
from petstore_frame.errors import InputError
from petstore_frame.limits import UNPACKED_BYTES
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source import Recipe, open_source
from unit.loader.opened import memory_below, rows_of, with_parts, workbook_of

HEADER = ("name", "categoryId", "status")


@pytest.mark.parametrize(
    ("cells", "pet", "note"),
    [
        (("Rex", 3), ("Rex", 3), ()),
        (("007", 3.0), ("007", 3), ()),
        ((" Rex ", "3"), ("Rex", 3), ("trimmed",)),
        (("NA", 10**15 - 1), ("NA", 10**15 - 1), ()),
        ((7, 3), ("7", 3), ("number→text",)),
        ((datetime(2026, 3, 1, 4, 5), 3), ("2026-03-01T04:05:00", 3), ("date→text",)),
        ((time(4, 5), 3), ("04:05:00", 3), ("date→text",)),
        ((10**15, 3), None, "inexact_number"),
        (("Rex", 3.5), None, "not_a_whole_number"),
        (("Rex", date(2026, 3, 1)), None, "not_a_whole_number"),
        (("Rex", None), None, "missing_category_id"),
    ],
)
def test_a_cell_is_judged_by_its_type(tmp_path: Path, cells: tuple[Any, Any], pet, note) -> None:
    """As a name a date is ISO text with a note; no truth value, error or rounded number is sent."""
    workbook_of(tmp_path, HEADER, (*cells, "sold"))
    (record,) = rows_of(tmp_path / "pets.xlsx")
    if pet is None:
        assert (record.state, record.problems[0].code) == (State.INVALID, note)
    else:
        sent = pf.NewPet(name=pet[0], category_id=pet[1], status="sold").to_json()
        assert (record.payload, record.notes) == (sent, note)


def test_a_formula_gives_its_cached_value(tmp_path: Path) -> None:
    """It counts as what was last calculated; a chart is no sheet to choose."""
    book = xlsxwriter.Workbook(str(tmp_path / "pets.xlsx"))
    pets = book.add_worksheet("Pets")
    pets.write_row(0, 0, HEADER)
    pets.write_formula(1, 0, '=UPPER("rex")', None, "REX")
    pets.write_formula(1, 1, "=1+2", None, 3)
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Pets!$B$2:$B$2"})
    book.add_chartsheet("Chart").set_chart(chart)
    book.close()
    (record,) = rows_of(tmp_path / "pets.xlsx")
    assert (record.line, record.payload) == (2, b'{"name":"REX","categoryId":3}')


def test_the_sheet_is_named_or_the_only_one_that_a_person_sees(tmp_path: Path) -> None:
    """Of several none is guessed; a hidden one is no choice."""
    path, book = tmp_path / "pets.xlsx", workbook_of(tmp_path, HEADER, ("Rex", 3, None))
    book.create_sheet("Lists").sheet_state = "hidden"
    book.save(path)
    source = open_source(path, Recipe())
    assert [record.state for record in source] == ["pending"]
    assert source.name == "pets.xlsx (sheet Pets)"
    more = book.create_sheet("More")
    book.save(path)
    assert open_source(path, Recipe()).name == "pets.xlsx (sheet Pets)"  # More is empty
    more.append(HEADER)
    more.append(("Bo", 4, None))
    book.save(path)
    with pytest.raises(InputError, match=r"'Pets', 'More'; .*'name'.* / 'Bo', '4'") as asked:
        open_source(path, Recipe())
    assert (asked.value.add, asked.value.questions[0].likely) == (("sheet", "?"), "Pets")
    with pytest.raises(InputError, match="no sheet is called 'pets'"):
        rows_of(path, sheet="pets")
    assert len(rows_of(path, sheet="Pets")) == 1


SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def book(calculation: str = "") -> dict[str, str]:
    """The part of a workbook that names its sheet, and says how it was calculated."""
    sheets = '<sheets><sheet name="Pets" sheetId="1" r:id="rId1"/></sheets>'
    text = f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">{sheets}{calculation}</workbook>'
    return {"xl/workbook.xml": text}


CALCULATED, UNCALCULATED = book(), book('<calcPr fullCalcOnLoad="1"/>')
INTERRUPTED, FORCED = book('<calcPr calcCompleted="0"/>'), book('<calcPr forceFullCalc="1"/>')
FIRST_ROW = '<row><c t="str"><v>name</v></c><c t="str"><v>category</v></c></row>'


def sheet(rows: str, after: str = "") -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{FIRST_ROW}{rows}</sheetData>{after}</worksheet>'


# Made when asked for: every worker collects this file, and makes none. With the most MiB needed.
BOMBS: dict[str, tuple[str, Callable[[], str | bytes], str, int]] = {
    "a part of zeros": (
        "xl/more.bin", lambda: bytes(2**26), "has 67,.* bytes; the limit is 33,554,432", 8,
    ),
    "few cells far to the right": (
        SHEET, lambda: sheet('<row><c r="XFD2"><v>1</v></c></row>' * 500),
        "up to the cell XFD8, the table has 114,681 empty cells", 100,
    ),
    "cells merged without end": (
        SHEET,
        lambda: sheet("", after='<mergeCells><mergeCell ref="A2:XFD1048576"/></mergeCells>'),
        "the file has 17,179,852,800 merged cells; the limit is 1,000,000", 100,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_cannot_fill_the_memory(tmp_path: Path, monkeypatch, kind: str) -> None:
    """What unpacks to more than a list of animals needs is refused while it is being unpacked."""
    part, content, words, most = BOMBS[kind]
    path = with_parts(tmp_path, {part: content()})
    limit = UNPACKED_BYTES._replace(most=2**25)
    monkeypatch.setattr("petstore_frame.tables.workbook_xml.UNPACKED_BYTES", limit)
    with memory_below(most), pytest.raises(InputError, match=words) as refused:
        rows_of(path)
    assert refused.value.path == str(path) and refused.value.hint


def test_a_formula_that_gives_no_text_is_an_empty_cell(tmp_path: Path) -> None:
    """Rows that hold nothing else, as of a table drawn ahead, are nothing."""
    formula = '<c t="str"><f>IF(1,"","")</f><v></v></c>'
    rex = f'<row><c t="str"><v>Rex</v></c><c><v>3</v></c>{formula}</row>'
    path = with_parts(tmp_path, {SHEET: sheet(rex + f"<row>{formula}</row>" * 9), **CALCULATED})
    assert [record.state for record in rows_of(path)] == [State.PENDING]


def test_a_packed_csv_file_is_called_a_zip_file(tmp_path: Path) -> None:
    """A zip file without the parts of a workbook is none; ``load`` asks first whether it is one."""
    path = tmp_path / "a.csv.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.csv", "name,category_id\nLuna,3\n")
    with pytest.raises(InputError, match="a zip file, not a workbook"):
        rows_of(path)


@pytest.mark.parametrize(
    ("cell", "calculation", "is_read"),
    [
        ('<c t="str"><f>A1</f><v>Rex</v></c>', UNCALCULATED, True),
        ("<c><f>A1</f><v>7</v></c>", UNCALCULATED, True),
        ("<c><f>A1</f><v>0</v></c>", UNCALCULATED, False),
        ("<c><f>A1</f><v>0</v></c>", INTERRUPTED, False),
        ("<c><f>A1</f><v>0</v></c>", FORCED, False),
        ("<c><f>A1</f></c>", CALCULATED, False),
        ("<c><f>A1</f><v/></c>", CALCULATED, False),
        ("<c><f>A1</f><v></v></c>", CALCULATED, False),
        ('<c t="str"><f>A1</f><v></v></c>', UNCALCULATED, False),
    ],
)
def test_a_formula_without_a_value_is_named(tmp_path: Path, cell, calculation, is_read) -> None:
    """However its writer stored it; a workbook that was calculated is trusted."""
    cell = cell.replace("<c", '<c r="A2"', 1)
    row = f'<row r="2">{cell}<c r="B2"><v>3</v></c></row>'
    path = with_parts(tmp_path, {SHEET: sheet(row), **calculation})
    if is_read:
        assert [record.state for record in rows_of(path)] == [State.PENDING]
    else:
        with pytest.raises(InputError, match="the formula in A2 of the sheet 'Pets'"):
            rows_of(path)


def test_one_colored_cell_at_the_end_costs_nothing(tmp_path: Path) -> None:
    """Cells that exist are visited, not the rectangle that they span."""
    last = '<row r="200000"><c r="O200000" s="0"/></row>'
    rex = '<row r="2"><c r="A2" t="str"><v>Rex</v></c><c r="B2"><v>3</v></c></row>'
    path = with_parts(tmp_path, {SHEET: sheet(rex + last)})
    with memory_below(50):
        assert [record.cells for record in rows_of(path)] == [("Rex", "3")]


def test_a_cell_far_below_the_list_is_named(tmp_path: Path) -> None:
    """The rows between are not made, and the cell is not read as part of the list."""
    book = workbook_of(tmp_path, HEADER, ("Rex", 3, None), ("Bo", 4, None))
    book.active["B1048576"] = "Total: 2"
    book.save(tmp_path / "pets.xlsx")
    message = r"the cell B1048576 is 1,048,573 rows below the list; delete it"
    with memory_below(20), pytest.raises(InputError, match=message) as refused:
        rows_of(tmp_path / "pets.xlsx")
    assert refused.value.line == 1_048_576


def test_a_far_cell_of_spaces_is_no_row(tmp_path: Path) -> None:
    """Spaces far below the list are no text; the list ends with its last animal."""
    book = workbook_of(tmp_path, HEADER, ("Rex", 3, None), ("Bo", 4, None))
    book.active["XFD1048576"] = " "
    book.save(tmp_path / "pets.xlsx")
    with memory_below(20):
        assert [record.line for record in rows_of(tmp_path / "pets.xlsx")] == [2, 3]


def test_blank_rows_within_a_list_keep_their_lines(tmp_path: Path) -> None:
    """A gap that a person may leave is rows without text."""
    book = workbook_of(tmp_path, HEADER, ("Rex", 3, None))
    book.active["A5000"], book.active["B5000"] = "Bo", 4
    book.save(tmp_path / "pets.xlsx")
    records = rows_of(tmp_path / "pets.xlsx")
    assert (records[-1].line, len(records), records[1].notes) == (5000, 4999, ("blank",))


@pytest.mark.timeout(20)
def test_a_sheet_is_scanned_in_the_time_of_its_size(tmp_path: Path) -> None:
    """Tags without end, and cells by the million, are rejected before any cell is created."""
    broken = with_parts(tmp_path, {SHEET: sheet("<c " * 100_000)})
    with pytest.raises(InputError, match="the workbook is damaged"):
        rows_of(broken)
    many = with_parts(tmp_path, {SHEET: sheet("<row>" + "<c/>" * 5_000_000 + "</row>")})
    with memory_below(120), pytest.raises(InputError, match=r"XML tags|unpack|bytes"):
        rows_of(many)


def test_our_own_report_is_known_by_its_mark(tmp_path: Path) -> None:
    """Its list is read without a question; a sheet of that name in another workbook is not."""
    path = tmp_path / "stock.xlsx"
    pf.write_report(pd.DataFrame({"id": [1], "name": ["Rex"], "category_id": [3],
                                  "status": ["sold"]}), path)  # fmt: skip
    assert open_source(path, Recipe()).name == "stock.xlsx (sheet Inventory)"
    workbook = workbook_of(tmp_path, HEADER, ("Rex", 3, None))
    for name in ("Inventory", "About"):
        more = workbook.create_sheet(name)
        more.append(HEADER)
        more.append(("Bo", 4, None))
    workbook.save(tmp_path / "pets.xlsx")
    with pytest.raises(InputError, match="several sheets"):
        open_source(tmp_path / "pets.xlsx", Recipe())


def test_a_name_or_key_that_is_a_formula_with_the_value_0_needs_fixing(tmp_path: Path) -> None:
    """LibreOffice saves formulas of XlsxWriter like this; the row has its sheet and cell."""
    cell = '<c r="{}2" t="n"><f>A9</f><v>0</v></c>'
    cells = "".join(map(cell.format, "AB"))
    path = with_parts(tmp_path, {SHEET: sheet(f'<row r="2">{cells}</row>'), **CALCULATED})
    (record,) = rows_of(path)
    (problem,) = record.problems
    assert (problem.code, problem.column, problem.value) == ("zero_formula", "name", "0")
    assert "the cell 'Pets'!A2 is a formula with the value 0" in problem.message
    assert record.notes == ("zero_formula",)  # category 0 may be right, so it is a warning
    (record,) = rows_of(path, key="category", mapping={"category_id": "name", "name": "category"})
    assert [problem.code for problem in record.problems] == ["key_missing", "zero_formula"]


def test_a_sheet_of_our_own_report_is_named(tmp_path: Path) -> None:
    """Its summary is no list below a title; a sheet that somebody added is read."""
    path = tmp_path / "stock.xlsx"
    pf.write_report(pd.DataFrame({"id": [1], "name": ["Rex"], "category_id": [3],
                                  "status": ["sold"]}), path)  # fmt: skip
    with pytest.raises(InputError, match="a report that petstore-frame wrote") as refused:
        rows_of(path, sheet="Summary")
    assert refused.value.add == ("sheet", "Inventory")
    workbook = openpyxl.load_workbook(path)
    workbook.create_sheet("Arrivals").append(HEADER)
    workbook["Arrivals"].append(("Bo", 4, None))
    workbook.save(path)
    assert len(rows_of(path, sheet="Arrivals")) == 1


def test_sheets_that_are_not_listed_are_counted(tmp_path: Path) -> None:
    """No error is longer than a screen, and none hides that there is more."""
    book = workbook_of(tmp_path, HEADER, ("Rex", 3, None))
    for week in range(29):
        book.create_sheet(f"Week {week}").append(HEADER)
        book[f"Week {week}"].append(("Bo", 4, None))
    book.save(tmp_path / "pets.xlsx")
    for options, more in (({}, "and 18 more; 'Pets' begins"), ({"sheet": "X"}, "and 18 more$")):
        with pytest.raises(InputError, match=more):
            rows_of(tmp_path / "pets.xlsx", **options)


def test_rows_are_read_by_their_numbers(tmp_path: Path) -> None:
    """A workbook may store row 3 before row 2, and B2 before A2; no row and no cell is lost."""
    row = '<row r="{0}"><c r="B{0}"><v>{0}</v></c><c r="A{0}" t="str"><v>Pet {0}</v></c></row>'
    path = with_parts(tmp_path, {SHEET: sheet("".join(map(row.format, (4, 3, 2))))})
    assert [record.cells for record in rows_of(path)] == [
        ("Pet 2", "2"), ("Pet 3", "3"), ("Pet 4", "4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ('<row r="2"><c r="A2"><v>1</v></c></row>' * 2, "the row 2 twice"),
        ('<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>', "the cell A2 twice"),
    ],
)
def test_a_row_or_cell_that_is_stored_twice_is_named(tmp_path: Path, rows: str, words) -> None:
    """Which of the two is right cannot be known, so neither is dropped."""
    with pytest.raises(InputError, match=words):
        rows_of(with_parts(tmp_path, {SHEET: sheet(rows)}))
