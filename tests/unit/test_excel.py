"""Workbooks, judged by the type of each cell."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.record import State
from unit.opened import records_of

HEADER = ("name", "categoryId", "status")


def save(path: Path, *rows: tuple[Any, ...], sheets: tuple[str, ...] = ("Pets",)) -> Path:
    book = openpyxl.Workbook()
    book.active.title = sheets[0]
    for row in rows:
        book.active.append(row)
    for name in sheets[1:]:
        book.create_sheet(name)
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("value", "name", "note"),
    [
        ("Rex", "Rex", ()),
        ("007", "007", ()),
        (" Rex ", "Rex", ("trimmed",)),
        ("NA", "NA", ()),
        ("=1+1", None, "formula_without_value"),
        (7, "7", ("number→text",)),
        (7.5, "7.5", ("number→text",)),
        (date(2026, 3, 1), "2026-03-01", ("date→text",)),
        (datetime(2026, 3, 1, 4, 5), "2026-03-01T04:05:00", ("date→text",)),
        (time(4, 5), "04:05:00", ("date→text",)),
        (True, None, "boolean_value"),
        ("#REF!", None, "error_value"),
        (10**15, None, "inexact_number"),
    ],
)
def test_name_is_judged_by_its_type(
    tmp_path: Path, value: Any, name: str | None, note: Any
) -> None:
    """A date is ISO text with a note; a truth value, an error or an empty formula is no name."""
    (record,) = records_of(save(tmp_path / "pets.xlsx", HEADER, (value, 3, "sold")))
    if name is None:
        assert record.problem is not None
        assert (record.state, record.problem.code) == (State.INVALID, note)
    else:
        assert record.payload == f'{{"name":"{name}","categoryId":3,"status":"sold"}}'.encode()
        assert record.notes == note


@pytest.mark.parametrize(
    ("value", "category", "code"),
    [
        (3, 3, None),
        (3.0, 3, None),
        ("3", 3, None),
        (10**15 - 1, 10**15 - 1, None),
        (str(2**53 + 1), 2**53 + 1, None),
        (10**15, None, "inexact_number"),
        (3.5, None, "not_a_whole_number"),
        (date(2026, 3, 1), None, "not_a_whole_number"),
        (False, None, "boolean_value"),
        (None, None, "missing_category_id"),
    ],
)
def test_category_is_judged_by_its_type(
    tmp_path: Path, value: Any, category: int | None, code: str | None
) -> None:
    """A number is a number without a note, unless a workbook cannot hold it exactly."""
    (record,) = records_of(save(tmp_path / "pets.xlsx", HEADER, ("Rex", value, None)))
    if category is None:
        assert record.problem is not None
        assert record.problem.code == code
    else:
        assert record.payload == f'{{"name":"Rex","categoryId":{category}}}'.encode()
        assert record.notes == ()


def test_formula_gives_its_cached_value(tmp_path: Path) -> None:
    """A formula counts as what the spreadsheet program last calculated."""
    path = tmp_path / "pets.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, HEADER)
    sheet.write_formula(1, 0, '=UPPER("rex")', None, "REX")
    sheet.write_formula(1, 1, "=1+2", None, 3)
    book.close()
    (record,) = records_of(path)
    assert record.payload == b'{"name":"REX","categoryId":3}'
    assert record.line == 2


def test_several_sheets_need_a_name(tmp_path: Path) -> None:
    """Of several sheets the one meant is not guessed, and a wrong name lists the right ones."""
    path = save(tmp_path / "pets.xlsx", HEADER, ("Rex", 3, None), sheets=("Pets", "Notes"))
    with pytest.raises(InputError, match=r"'Pets', 'Notes'; choose one, such as sheet='Pets'"):
        records_of(path)
    with pytest.raises(InputError, match="no sheet is called 'pets'"):
        records_of(path, sheet="pets")
    assert len(records_of(path, sheet="Pets")) == 1


def test_blank_rows(tmp_path: Path) -> None:
    """Rows above the header are passed over, gaps are skipped records, blank ends are nothing."""
    path = save(
        tmp_path / "pets.xlsx",
        (), HEADER, ("Rex", 3), (), ("Bo", 4, "sold"), (" ",), (None,), (),
    )  # fmt: skip
    records = records_of(path)
    assert [(record.line, str(record.state)) for record in records] == [
        (3, "pending"), (4, "skipped"), (5, "pending"), (6, "skipped"),
    ]  # fmt: skip
    assert records[0].notes == ()


def test_lone_columns_of_a_sheet_without_header(tmp_path: Path) -> None:
    """A sheet without a header is read from its first row under the names given."""
    path = save(tmp_path / "pets.xlsx", ("Rex", 3, "sold"))
    (record,) = records_of(path, columns=["name", "category_id", "status"])
    assert (record.line, record.state) == (1, State.PENDING)


def test_bomb_is_refused_unopened(tmp_path: Path) -> None:
    """A part that would unpack to hundreds of times its size is refused in bounded memory."""
    path = save(tmp_path / "pets.xlsx", HEADER)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as parts:
        with parts.open("xl/sharedStrings.bin", "w") as part:
            for _ in range(64):
                part.write(bytes(1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="would unpack to 64 MiB"):
            records_of(path)
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()


SHEET, TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
FIRST_ROW = '<row><c t="str"><v>name</v></c><c t="str"><v>category</v></c></row>'


def sheet(rows: str, after: str = "") -> str:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{FIRST_ROW}{rows}</sheetData>{after}</worksheet>'


def with_parts(path: Path, parts: dict[str, str | bytes]) -> Path:
    """Save a workbook of one record, some of its parts replaced."""
    plain = path.with_suffix(".plain")
    book = xlsxwriter.Workbook(str(plain))
    book.add_worksheet("Pets").write_row(0, 0, ["name", "category"])
    book.close()
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name, old.read(name)))
    return path


# Made when asked for: every worker collects this file, and makes none.
BOMBS: dict[str, tuple[str, Callable[[], str | bytes], str]] = {
    "a row of countless cells": (
        SHEET,
        lambda: sheet(f"<row>{'<c/>' * 150_000}</row>"),
        r"larger than 16,384 columns",
    ),
    "few cells far to the right": (
        SHEET,
        lambda: sheet('<row><c r="XFD2"><v>1</v></c></row>' * 500),
        r"larger than .* 20,000 cells, empty ones included",
    ),
    "cells merged without end": (
        SHEET,
        lambda: sheet("", after='<mergeCells><mergeCell ref="A2:XFD1048576"/></mergeCells>'),
        "merges 17,179,852,800 cells",
    ),
    "countless texts": (TEXTS, lambda: "<x>" + "<si/>" * 2_000_000, "would unpack to 9 MiB"),
    "entities": (
        SHEET,
        lambda: (
            "<!DOCTYPE x [<!ENTITY e0 'pets'>"
            + "".join(f"<!ENTITY e{n + 1} '{f'&e{n};' * 99}'>" for n in range(9))
            + "]>"
            + sheet("<row><c><v>&e9;</v></c></row>")
        ),
        "the workbook cannot be read",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_cannot_fill_the_memory(tmp_path: Path, monkeypatch, kind: str) -> None:
    """What unpacks to more than a list of animals needs is refused while it is being unpacked."""
    part, content, words = BOMBS[kind]
    path = with_parts(tmp_path / "pets.xlsx", {part: content()})
    monkeypatch.setattr("petstore_frame.loader.reading.workbook.MAX_CELLS", 20_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=words) as refused:
            records_of(path)
        assert tracemalloc.get_traced_memory()[1] < 100 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert refused.value.path == str(path) and refused.value.hint


def test_a_chart_is_no_sheet_to_choose(tmp_path: Path) -> None:
    """A workbook with one sheet of cells and a chart beside it needs no sheet=."""
    book = xlsxwriter.Workbook(str(tmp_path / "pets.xlsx"))
    pets = book.add_worksheet("Pets")
    pets.write_row(0, 0, HEADER)
    pets.write_row(1, 0, ("Rex", 3, "sold"))
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Pets!$B$2:$B$2"})
    book.add_chartsheet("Chart").set_chart(chart)
    book.close()
    (record,) = records_of(tmp_path / "pets.xlsx")
    assert record.state is State.PENDING


def test_records_of_formulas_never_calculated_are_not_taken_for_blank(tmp_path: Path) -> None:
    """A row whose only content is formulas without a value is a record to fix."""
    path = save(tmp_path / "pets.xlsx", HEADER, ("=A1", "=B1", None), ("Rex", 3, "sold"))
    first, second = records_of(path)
    assert (first.state, second.state) == (State.INVALID, State.PENDING)


def test_a_formula_whose_value_is_empty_is_an_empty_cell(tmp_path: Path) -> None:
    """Rows that a template fills with empty formulas are blank, and an empty status is none."""
    formula = '<c t="str"><f>IF(1,"","")</f><v></v></c>'
    rex = f'<row><c t="str"><v>Rex</v></c><c><v>3</v></c>{formula}</row>'
    path = with_parts(tmp_path / "pets.xlsx", {SHEET: sheet(rex + f"<row>{formula}</row>" * 9)})
    first, *rest = records_of(path)
    assert first.state is State.PENDING and not rest


@pytest.mark.parametrize("load", [pf.load_csv, pf.load_excel])
def test_a_packed_csv_file_is_called_a_zip_file(tmp_path: Path, load) -> None:
    """Neither of the two functions sends the reader to the other one."""
    path = tmp_path / "a.csv.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.csv", "name,category_id\nLuna,3\n")
    with pytest.raises(InputError, match="a zip file, but not a workbook"):
        records_of(path)
    with pf.Client("http://127.0.0.1:9/v1", "a-key") as client:
        with pytest.raises(
            ArgumentError, match=r"is a zip file, but not an \.xlsx workbook; unpack"
        ):
            load(path, client, journal=tmp_path / "journal")


def test_the_one_sheet_that_a_person_sees_is_read(tmp_path: Path) -> None:
    """A hidden sheet is not offered as a choice, and is marked where sheets are listed."""
    book = openpyxl.load_workbook(save(tmp_path / "a.xlsx", HEADER, ("Rex", 3, None)))
    book.create_sheet("Lists").sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    with open_source(tmp_path / "a.xlsx") as source:
        assert [record.state for record in source] == ["pending"]
        assert source.name == "a.xlsx (sheet Pets)"
    book.create_sheet("More")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match=r"the sheets 'Pets', 'Lists' \(hidden\), 'More'"):
        open_source(tmp_path / "a.xlsx")


def test_folders_in_the_zip_are_passed_over(tmp_path: Path) -> None:
    """Some programs write entries of the folders, too."""
    path = save(tmp_path / "pets.xlsx", HEADER, ("Rex", 3, "sold"))
    with zipfile.ZipFile(path, "a") as book:
        for folder in ("xl/", "xl/worksheets/", "docProps/"):
            book.writestr(folder, "")
    (record,) = records_of(path)
    assert record.state is State.PENDING
