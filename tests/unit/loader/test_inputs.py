"""Nasty inputs, each with its one right outcome, here and on the page that lists them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl.styles
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
import xlsxwriter

from petstore_frame.errors import InputError
from petstore_frame.loader.read_list import read_list
from petstore_frame.loader.row_state import SourceRow, State
from petstore_frame.loader.source import FilePreview, Recipe
from petstore_frame.schema.text import short_text
from unit.loader.opened import (
    INPUTS,
    NASTY,
    rows_of,
    workbook_of,
    written,
    written_out,
)
from unit.loader.staged import result_of

PAGE = (Path(__file__).parents[3] / "docs" / "inputs.md").read_text("utf-8")
CELLS = [
    [cell.strip("` ") for cell in line.split("|")[1:]]
    for line in PAGE.replace("\\|", "¦").splitlines()
    if line.startswith("| ")
]
ON_PAGE = {cells[0]: {*cells[-3].split(", ")} for cells in CELLS}
REX = '{"name":"Rex","categoryId":3,"status":"sold"}'
BO = '{"name":"Bo","categoryId":4}'
WORDS = ["NA", "null", "None", "nan", "N/A", "TRUE", "1e5", "inf", "1-2", "NULL", "#N/A", "-"]
MISSING_WORDS = ("null", "None", "nan", "N/A", "NULL", "#N/A")
NOTES_OF_WORDS = {"-": " | formula"} | dict.fromkeys(MISSING_WORDS, " | missing_word")
NOT_WHOLE_ID = "invalid not_a_whole_number category_id"
NOT_WHOLE = "invalid not_a_whole_number categoryId"


def on_page(record: SourceRow) -> str:
    """What becomes of a record, in the words of the page."""
    if record.state is State.EXCLUDED:
        return "excluded"
    if record.problems:
        return "to confirm" if record.problems[0].allow else "to fix"
    return "sent with a warning" if record.notes else "sent"


WRAPPED = [f"{line}: invalid wrapped_names name" for line in (2, 3)]
GOLDEN: dict[str, list[str]] = {
    "40_quoted_names.csv": WRAPPED,
    "40_some_quoted_names.csv": [
        "2: invalid extra_cell -", WRAPPED[1], '4: {"name":"Bo","categoryId":3}',
    ],
    "40_formula_names.csv": [f"{line} | formula" for line in WRAPPED],
    "40_space_and_quotes.csv": [f"{line} | trimmed" for line in WRAPPED],
    "40_entities.csv": [WRAPPED[0], '3: {"name":"Max","categoryId":4}'],
    "54_single_quotes.csv": [
        "2: invalid extra_cell -", WRAPPED[1], '4: {"name":"Bo","categoryId":3}',
    ],
    "54_single_quotes_in_all_cells.csv": [
        f"{line}, unknown_status status" for line in WRAPPED
    ],
    "60_formulas_in_all_columns.csv": [
        f'{line} | formula | ="{at}"→{at}' for at, line in enumerate(WRAPPED, 3)
    ],
    "01_utf8_bom.csv": [f"2: {REX}"],
    "02_utf16_bom.csv": ['2: {"name":"Łatka","categoryId":3,"status":"sold"}'],
    "04_mojibake.csv": [
        '2: {"name":"ZoÃ«","categoryId":3} | mojibake', '3: {"name":"Zoë","categoryId":3}',
        '4: {"name":"Chuyâ€™s","categoryId":3} | mojibake', '5: {"name":"Ã","categoryId":3}',
    ],
    "05_packed.csv.gz": [f"2: {REX}"],
    "05_semicolon.csv": ['2: {"name":"Rex, the dog","categoryId":3,"status":"sold"}'],
    "05_tab.tsv": ['2: {"name":"Rex, the dog","categoryId":3,"status":"sold"}'],
    "05_pipe.csv": ['2: {"name":"Rex; the dog","categoryId":3,"status":"sold"}'],
    "06_sep_line.csv": [f"3: {REX}"],
    "07_cr_only.csv": [f"2: {REX}", f"3: {BO}"],
    "07_mixed_ends.csv": [f"2: {REX}", f"3: {BO}", '4: {"name":"Max","categoryId":5}'],
    "08_quoted_newline.csv": [
        '2: {"name":"Rex\\nthe brave","categoryId":3,"status":"sold"} | line_break', f"4: {BO}",
    ],
    "11_short_rows.csv": [
        "2: invalid missing_category_id categoryId | short_row",
        '3: {"name":"Bo","categoryId":3} | short_row',
        '4: {"name":"Max","categoryId":4,"status":"sold"}',
    ],
    "12_long_rows.csv": [
        "2: invalid extra_cell -", f"3: {REX}", "4: invalid extra_cell -",
    ],
    "13_trailing_commas.csv": [f"2: {REX}", f"3: {BO}"],
    "14_blank_lines.csv": [
        "2: excluded | blank", f"3: {REX}", "4: excluded | blank", "5: excluded | blank",
        f"6: {BO}", "7: excluded | blank",
    ],
    "17_odd_headers.csv": [f"2: {REX}"],
    "18_header_only.csv": [],
    "19_nul.csv": [
        *(f"{line}: invalid control_character name" for line in (2, 3)),
        '4: {"name":"Max","categoryId":5}',
    ],
    "22_decimals.csv": [
        '2: {"name":"Rex","categoryId":3} | 3.0→3', f"3: {NOT_WHOLE}", f"4: {NOT_WHOLE}",
        '5: {"name":"Luna","categoryId":9007199254740993} | 9007199254740993.0→9007199254740993',
    ],
    "23_int64.csv": [
        "2: invalid int64_overflow categoryId",
        '3: {"name":"Bo","categoryId":9223372036854775807}',
        '4: {"name":"Max","categoryId":0}', '5: {"name":"Luna","categoryId":-4}',
    ],
    "24_leading_zeros.csv": [
        '2: {"name":"Rex","categoryId":7} | 007→7', '3: {"name":"007","categoryId":7}',
        f"4: {NOT_WHOLE}",
    ],
    "25_statuses.csv": [
        '2: {"name":"A","categoryId":3,"status":"available"} | trimmed',
        '3: {"name":"B","categoryId":3,"status":"available"} | trimmed',
        '4: {"name":"C","categoryId":3,"status":"available"} | status_case',
        "5: invalid unknown_status status", '6: {"name":"E","categoryId":3}',
        "7: invalid unknown_status status",
    ],
    "26_words.csv": [
        f'{line}: {{"name":"{word}","categoryId":3}}' + NOTES_OF_WORDS.get(word, "")
        for line, word in enumerate(WORDS, start=2)
    ],
    "27_formulas.csv": [
        f'{line}: {{"name":"{name}","categoryId":3}} | formula'
        for line, name in enumerate(
            ("=cmd()", "+1", "@x", "-2", r'=HYPERLINK(\"x\",\"y\")'), start=2
        )
    ],
    "28_unicode.csv": [
        '2: {"name":"\U0001f415\u200d\U0001f9ba","categoryId":3}',
        '3: {"name":"e\u0301","categoryId":3}', '4: {"name":"\u00e9","categoryId":3}',
        '5: {"name":"한","categoryId":3}', "6: invalid control_character name",
    ],
    "29_directions.csv": [
        '2: {"name":"כלב","categoryId":3}',
        '3: {"name":"Rex\u202e","categoryId":3} | invisible_characters',
        '4: {"name":"Bo\u200b","categoryId":3} | invisible_characters',
    ],
    "30_total_row.csv": [
        f"2: {REX}", "3: invalid total_row name", f"4: {BO}", "5: invalid total_row name",
        "6: excluded | blank",
    ],
    "31_swallowed_rows.csv": ["2: invalid swallowed_rows - | line_break", f"5: {BO}"],
    "31_swallowed_note.csv": ["2: invalid swallowed_rows -", f"5: {BO}"],
    "21_grouped_digits.csv": [f"{line}: {NOT_WHOLE}" for line in (2, 3, 4)],
    "32_labels.csv": [f"{line}: invalid not_a_whole_number category" for line in (2, 3, 4, 5)],
    "33_statuses_of_ones_own.csv": [
        *(f"{line}: invalid unknown_status status" for line in (2, 3, 4)),
        '5: {"name":"Luna","categoryId":5,"status":"sold"}',
    ],
    "41_faults_as_names.csv": [
        *(f"{line}: invalid spreadsheet_fault name" for line in (2, 3, 4)),
        *(
            f'{line}: {{"name":"{word}","categoryId":3}} | missing_word'
            for line, word in enumerate(("nan", "<NA>", "(null)", "[null]", r"\\N"), start=5)
        ),
        *(f"{line}: invalid spreadsheet_fault name" for line in (10, 11, 12)),
    ],
    "44_totals_as_names.csv": [
        '2: {"name":"Count Dracula","categoryId":1}',
        *(f"{line}: invalid total_row name" for line in range(3, 22)),
        '22: {"name":"101 Dalmatians","categoryId":1}',
    ],
    "44_total_in_any_cell.csv": [
        '2: {"name":"Rex","categoryId":3}', "3: invalid total_row name",
        "4: invalid total_row -",
    ],
    "45_invisible.csv": [
        '2: {"name":"Rex","categoryId":2,"status":"available"} | invisible_category_id'
        " | invisible_status",
    ],
    "47_comma_in_header.csv": ['2: {"name":"Rex","categoryId":3}', f"3: {BO}"],
    "53_some_rows_in_quotes.csv": [
        '2: {"name":"Rex","categoryId":3}', "3: invalid wrapped_row -",
        '4: {"name":"Max, the dog","categoryId":5}',
    ],
    "55_digits_with_spaces.csv": [f"{line}: {NOT_WHOLE_ID}" for line in (2, 3, 4, 5)],
    "56_footers.csv": [
        '2: {"name":"Rex","categoryId":3,"status":"sold"}',
        "3: invalid total_row name", "4: excluded | blank",
        *(f"{line}: invalid total_row -" for line in (5, 6)),
    ],
    "57_repeated_header.csv": [
        '2: {"name":"Rex","categoryId":3,"status":"sold"}', "3: invalid repeated_header -",
        '4: {"name":"Bo","categoryId":4}',
    ],
    "58_errors_in_all_columns.csv": [
        "2: invalid spreadsheet_fault category_id", "3: invalid spreadsheet_fault status",
        "4: invalid missing_category_id category_id",
    ],
    "59_decimal_commas.csv": [
        '2: {"name":"Rex","categoryId":3} | 3,0→3', '3: {"name":"Bo","categoryId":4} | 4,00→4',
        f"4: {NOT_WHOLE_ID}", f"5: {NOT_WHOLE_ID}",
    ],
    "60_formula_categories.csv": ['2: {"name":"Rex","categoryId":3} | ="3"→3'],
    "61_markdown.md": [
        "2: invalid not_a_whole_number  category_id  | formula",
        '3: {"name":"Rex","categoryId":3} | trimmed | trimmed',
    ],
    "49_list.jsonl": [
        f"1: {REX}", '2: {"name":"Bo","categoryId":9007199254740993}',
        "3: invalid boolean_value name",
    ],
    "49_list.parquet": [f"1: {REX}", "2: invalid missing_name name"],
    "65_dogs_named_count.csv": [
        '2: {"name":"Rex","categoryId":3,"status":"available"}',
        *(f"{line}: invalid total_row name" for line in (3, 4, 5)),
        "6: invalid total_row name",
    ],
    "66_lines_of_other_programs.csv": [
        f"2: {REX}",
        "3: invalid missing_name name, missing_category_id category_id",
        "4: invalid missing_name name",
        *(
            f"{line}: invalid missing_name name, missing_category_id category_id"
            for line in (5, 6, 7)
        ),
    ],
    "39_web_names.csv": [
        '2: {"name":"https://example.org/rex","categoryId":3}',
        '3: {"name":"www.rex.example","categoryId":4}',
        r'4: {"name":"Re\tx","categoryId":5} | line_break',
    ],
}  # fmt: skip

STOPPED: dict[str, tuple[int | None, str]] = {
    "02_utf16_no_bom.csv": (
        None,
        r"utf-16-le reads 'name,\w+,status' and 'Rex,3,sold'; utf-16-be reads '.+add encoding='\?'",
    ),
    "02_utf16_be_no_bom.csv": (
        None,
        r"utf-16-be reads 'name,categoryId' and 'Łatka,3'; utf-16-le reads '.+add encoding='\?'",
    ),
    "03_cp1252.csv": (3, r"byte 37 \(0xeb\) is not UTF-8 text.*cp1252 reads 'Zoë,3,sold'"),
    "09_unclosed_quote.csv": (3, "opens a quote that is never closed"),
    "09_quote_closed_later.csv": (3, "cannot be read"),
    "10_stray_quote.csv": (3, "quoting 'none'"),
    "15_twin_header.csv": (None, "has the column 'name' twice"),
    "15_two_columns_one_field.csv": (None, "both look like category_id"),
    "16_no_header.csv": (None, r"among 'Rex', '3', 'sold'.*needs the option columns"),
    "18_empty.csv": (None, "the file is empty"),
    "34_title.csv": (None, "row 3 looks like the header; add header_row=3"),
    "35_two_row_header.csv": (None, "row 2 looks like the header; add header_row=2"),
    "36_fullwidth_comma.csv": (None, "delimiter="),
    "36_colon.csv": (None, "delimiter="),
    "37_german.csv": (None, "'name': 'Tiername', 'category_id': 'Kategorie', 'status': 'Statut'"),
    "37_spanish.csv": (None, "mapping={'name': 'Nombre', 'category_id': 'Categoría'}"),
    "37_spanish_statuses.csv": (
        None,
        r"the status may be 'Estado', with 'disponible', 'vendido'; \"\" leaves it out; add "
        r"mapping=\{'name': 'Nombre', 'category_id': 'Categoría', 'status': '\?'\}",
    ),
    "37_statuses_without_a_name.csv": (
        None,
        r"'Observação' looks like the status, but would not be sent.*mapping=\{'status': '\?'\}",
    ),
    "37_state.csv": (None, r"would not be sent.*add mapping=\{'status': 'State'\}"),
    "42_shift_jis.csv": (2, "cp932 reads 'さくら,3'.*add encoding='\\?'"),
    "42_gbk.csv": (2, "gbk reads '小白,3'.*add encoding='\\?'"),
    "42_cp1251.csv": (2, "cp1251 reads 'Барсик,3'.*add encoding='\\?'"),
    "42_cp1250.csv": (2, "cp1250 reads 'Łatka,3'.*add encoding='\\?'"),
    "42_mac_roman.csv": (2, "mac_roman reads 'Zoë,3'.*add encoding='\\?'"),
    "43_escaped_quotes.csv": (2, "quoting 'none' reads .* unchanged; add quoting='\\?'"),
    "46_rows_in_quotes.csv": (1, "quoting 'unwrap' reads it as 'name', 'category_id', 'status'"),
    "53_rows_in_quotes_below_header.csv": (None, "no column for category_id among 'id', 'name'"),
    "54_single_quotes_in_header.csv": (
        1,
        r"quoting 'single' reads it as 'name', 'category_id'; add quoting='\?'",
    ),
    "61_script.sql": (None, "an SQL script; export the table"),
    "61_fixed_width.txt": (1, "aligned by spaces.* as text of fixed width"),
    "62_one_column.csv": (
        None,
        r"or state one category_id for all rows with defaults",
    ),
    "48_comments.csv": (None, "row 3 looks like the header; add header_row=3"),
    "50_page.xls": (None, r"a web page \(HTML\), despite its name; save it as CSV"),
    "50_list.xml": (None, "an XML document; save it as CSV"),
    "50_list.json": (None, "a JSON document; save it as JSON lines"),
    "50_list_in_one_line.json": (
        None,
        "a JSON document with a list of 2 objects below 'pets'; .* save it as JSON lines",
    ),
    "50_list.pdf": (None, "a PDF document; export the list"),
    "50_list.csv.xz": (None, "packed by xz; unpack it"),
    "63_long_lines.csv": (
        3,
        "cp1252 reads 'Möhre,4,sold.*; cp1251 reads 'Mцhre,4.*; mac_roman reads 'Mˆhre,4.*",
    ),
    "64_name_twice.jsonl": (2, "column 'name': the object has 'name' twice; remove or rename one"),
    "38_one_bad_line.csv": (3, "no encoding fits the complete file; correct this line"),
}


# Files that are read with options of a recipe.
KEYED: dict[str, list[str]] = {
    "67_lines_without_a_category.csv": [
        '2: {"name":"Rex","categoryId":3} | default_category_id | key T1',
        '3: {"name":"Bo","categoryId":3} | default_category_id | key T2',
        "4: invalid missing_name name | default_category_id | key (2 rows)",
    ],
    "51_keys.csv": [
        *(f"{line}: invalid key_missing tag" for line in (2, 3, 4)),
        '5: {"name":"D","categoryId":3} | key A-17', "6: invalid key_missing tag",
        "7: invalid key_missing tag",
    ],
}  # fmt: skip
ORDERED: dict[str, str] = {
    "52_dates_two_ways.csv": "DMY reads 2026-04-03 and 2026-06-05, MDY reads 2026-03-04",
    "52_two_digit_years.csv": "YMD reads 2026-03-31 and 2031-03-26",
    "52_dates_and_numbers.csv": "'2026-01-31' is a date and '46054' is a number",
}


@pytest.mark.parametrize("name", KEYED)
def test_a_key_is_read_as_it_should(name: str) -> None:
    """Words for no number, dates that a spreadsheet made, and rounded numbers are not keys."""
    defaults = {"category_id": 3} if name.startswith("67") else {}
    rows = rows_of(INPUTS / name, key="tag", defaults=defaults)
    assert [written_out(row) for row in rows] == KEYED[name]
    assert {on_page(row) for row in rows} == ON_PAGE[name]


@pytest.mark.parametrize("name", ORDERED)
def test_an_order_that_is_not_proven_is_rejected_with_both_readings(name: str) -> None:
    """No row of a key is chosen by dates that can be read in two ways."""
    with pytest.raises(InputError, match=ORDERED[name]) as stopped:
        rows_of(INPUTS / name, key="tag", keep="last", order_by="seen")
    assert (stopped.value.column, ON_PAGE[name]) == ("seen", {"refused"})


@pytest.mark.parametrize("name", GOLDEN)
def test_input_is_read_as_it_should(name: str) -> None:
    """Each record of a nasty file becomes what the table says, and what the page says of it."""
    records = rows_of(INPUTS / name)
    assert [written_out(record) for record in records] == GOLDEN[name]
    assert ({on_page(record) for record in records} or {"nothing"}) == ON_PAGE[name]


@pytest.mark.parametrize("name", STOPPED)
def test_input_stops_before_anything_is_sent(name: str) -> None:
    """A file that cannot be read for certain stops, with its line and the next step."""
    line, words = STOPPED[name]
    with pytest.raises(InputError, match=words) as stopped:
        rows_of(INPUTS / name)
    assert stopped.value.line == line and stopped.value.hint
    assert name in str(stopped.value)
    assert ON_PAGE[name] == {"refused"}


LOOKED_AT = [path for path in NASTY if not path.name.startswith(("50_", "61_script"))]


@pytest.mark.parametrize("path", LOOKED_AT, ids=lambda path: path.name)
def test_every_nasty_input_can_be_looked_at(path: Path) -> None:
    """Whatever a file holds, a look at it ends, and says what is in the way."""
    preview = FilePreview.of(path, Recipe())
    assert all(str(question) for question in preview.questions)
    assert preview.columns or preview.questions


MAPS_ID = {"category_id": "id"}


@pytest.mark.parametrize(
    ("name", "options", "line"),
    [
        ("02_utf16_no_bom.csv", {"encoding": "utf-16-le"}, f"2: {REX}"),
        ("02_utf16_be_no_bom.csv", {"encoding": "utf-16-be"},
         '2: {"name":"Łatka","categoryId":3}'),
        ("53_rows_in_quotes_below_header.csv", {"quoting": "unwrap", "mapping": MAPS_ID},
         '2: {"name":"Luna","categoryId":1}'),
        *((f"54_single_quotes{name}.csv", {"quoting": "single"}, line) for name, line in (
            ("", '2: {"name":"Luna, the cat","categoryId":1}'),
            ("_in_header", '2: {"name":"Luna, the cat","categoryId":1}'),
            ("_in_all_cells", '2: {"name":"Luna","categoryId":1,"status":"sold"}'),
        )),
        ("60_formulas_in_all_columns.csv", {"quoting": "unwrap", "key": "tag"},
         '2: {"name":"007","categoryId":3} | key 0012'),
        ("62_one_column.csv", {"defaults": {"category_id": 3}},
         '2: {"name":"Rex","categoryId":3} | default_category_id'),
        ("55_digits_with_spaces.csv", {"thousands": " "}, '2: {"name":"Luna","categoryId":1024}'),
        ("10_stray_quote.csv", {"quoting": "none"}, f"2: {REX}"),
        ("15_two_columns_one_field.csv", {"mapping": {"category_id": "Category ID"}},
         '2: {"name":"Rex","categoryId":3}'),
        ("21_grouped_digits.csv", {"thousands": ","}, '2: {"name":"Rex","categoryId":1024}'),
        # What the caller says counts also for a text that the field allows, and without a note.
        ("01_utf8_bom.csv", {"value_map": {"status": {"SOLD": "pending"}}},
         '2: {"name":"Rex","categoryId":3,"status":"pending"}'),
    ],
)  # fmt: skip
def test_hints_lead_on(name: str, options: dict[str, Any], line: str) -> None:
    """What a hint offers makes the file readable."""
    assert written_out(rows_of(INPUTS / name, **options)[0]) == line


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


# A row that is added to a workbook of two records, or another change of it.
BOOKS: dict[str, tuple[Any, int] | Callable[[Any], Any]] = {
    "a formula that was never calculated": ("=A2", 3),
    "a cell that shows an error": ("#REF!", 3),
    "a date as a name": (date(2026, 11, 5), 3),
    "TRUE as a name": (True, 3),
    "a category id of 16 digits, as a number": ("Bo", 1234567890123456),
    "a row that a filter hides": lambda book: book.active.row_dimensions.group(3, hidden=True),
    "merged cells below the header": lambda book: book.active.merge_cells("B2:B3"),
    "several sheets with animals": lambda book: [
        book.create_sheet("More").append(row) for row in (("name", "category_id"), ("Bo", 3))
    ],
    "one visible sheet and hidden ones": lambda book: setattr(
        book.create_sheet(), "sheet_state", "hidden"
    ),
}


def colored(folder: Path) -> Path:
    book = workbook_of(folder, ("name", "category_id"), ("Rex", 3))
    book.active.cell(1_048_576, 15).fill = openpyxl.styles.PatternFill("solid", "FFFF00")
    book.save(folder / "pets.xlsx")
    return folder / "pets.xlsx"


def far_below(folder: Path) -> Path:
    book = workbook_of(folder, ("name", "category_id"), ("Rex", 3))
    book.active["A1048576"] = "Total: 1"
    book.save(folder / "pets.xlsx")
    return folder / "pets.xlsx"


def uncalculated(folder: Path) -> Path:
    book = xlsxwriter.Workbook(str(folder / "pets.xlsx"))
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ("name", "category_id"))
    sheet.write_formula(1, 0, '=UPPER("rex")')
    sheet.write(1, 1, 3)
    book.close()
    return folder / "pets.xlsx"


def packed(folder: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(folder / "pets.xlsx", "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return folder / "pets.xlsx"


def zero_formula(folder: Path) -> Path:
    """A name as LibreOffice saves a formula that no program has calculated."""
    workbook_of(folder, ("name", "category_id"), ('=UPPER("rex")', 3))
    with zipfile.ZipFile(folder / "pets.xlsx") as file:
        parts = {name: file.read(name).decode() for name in file.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = (
        parts[sheet].replace("</f><v />", "</f><v>0</v>").replace("</f><v/>", "</f><v>0</v>")
    )
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace("fullCalcOnLoad", "iterate")
    return packed(folder, parts)


STRICT = '<workbook xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main"/>'
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
OTHERS: dict[str, Callable[[Path], Any]] = {
    "a formula from a program that doesn't calculate": uncalculated,
    "one colored cell in the last row of a sheet": colored,
    "a cell with text far below the list": far_below,
    "a name that is a formula with the value 0": zero_formula,
    "a workbook in the format Strict Open XML": lambda to: packed(to, {"xl/workbook.xml": STRICT}),
    "an OpenDocument spreadsheet": lambda to: packed(
        to, {"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}
    ),
    "a workbook with a password": lambda to: written(
        to, OLE + "EncryptedPackage".encode("utf-16-le"), "pets.xlsx"
    ),
    "an Excel 97 workbook": lambda to: written(to, OLE, "pets.xls"),
    "a DataFrame with two columns of the same name": lambda _: pd.DataFrame(
        [["Rex", "Bo", 3]], columns=["name", "name", "category_id"]
    ),
    "a DataFrame with missing names": lambda _: pd.DataFrame(
        {"name": ["Rex", None], "category_id": [3, 4]}
    ),
    "a folder": lambda folder: folder,
    "a pipe": pipe,
    "a device that never ends": lambda _: "/dev/zero",
    "a cell with megabytes of text": lambda to: written(to, f"name,category_id\n{'x' * 2**21},3\n"),
}


def other(what: str, folder: Path) -> Any:
    """Make an input that is no text file."""
    if what in OTHERS:
        return OTHERS[what](folder)
    book = workbook_of(folder, ("name", "category_id"), ("Rex", 3), ("Luna", 4))
    change = BOOKS[what]
    if isinstance(change, tuple):
        book.active.append(change)
    else:
        change(book)
    book.save(folder / "pets.xlsx")
    return folder / "pets.xlsx"


@pytest.mark.parametrize("what", [*BOOKS, *OTHERS])
def test_each_other_input_becomes_what_the_page_says(what: str, tmp_path: Path) -> None:
    """Workbooks, frames and what is no file at all."""
    try:
        outcomes = {on_page(record) for record in rows_of(other(what, tmp_path))}
    except InputError:
        outcomes = {"refused"}
    assert outcomes == ON_PAGE[what]


def test_the_page_lists_every_input_and_no_other() -> None:
    """No golden file lies about unused, and no line of the page is of nothing."""
    files = {path.name for path in NASTY}
    assert files == {*GOLDEN, *STOPPED, *KEYED, *ORDERED}, "add it to the lists above"
    assert {*ON_PAGE} - {"file", "input"} == {*files, *BOOKS, *OTHERS}


def test_a_column_that_occurs_twice_is_named_in_any_table(tmp_path: Path) -> None:
    """A pyarrow table and a Parquet file are refused like a CSV file, by the name of the column."""
    table = pa.Table.from_arrays([pa.array(["Rex"]), pa.array(["Bo"])], names=["name", "name"])
    parquet.write_table(table, tmp_path / "pets.parquet")
    for source in (table, tmp_path / "pets.parquet"):
        with pytest.raises(InputError, match="has the column 'name' twice") as refused:
            rows_of(source)
        assert refused.value.column == "name"


def test_quoting_is_asked_for_only_if_it_helps(tmp_path: Path) -> None:
    """A row of too few cells that is not in quotes gets no option for quotes, and the reverse."""
    (record,) = rows_of(written(tmp_path, "name,category_id\nLuna\n"))
    assert [problem.add for problem in record.problems] == [("defaults", {"category_id": "?"})]
    (_, wrapped, _) = rows_of(INPUTS / "53_some_rows_in_quotes.csv")
    assert [problem.add for problem in wrapped.problems] == [("quoting", "?")]
    assert "sends the name as 'Luna'" in wrapped.problems[0].hint


def test_single_quotes_may_be_text(tmp_path: Path) -> None:
    """The next step names the quotes of the row, and allow sends them as they are."""
    (split, quoted, _) = rows_of(INPUTS / "54_single_quotes.csv")
    assert "'single' sends the name as 'Luna, the cat'" in split.problems[0].hint
    assert "quoting 'unwrap' removes" in quoted.problems[0].hint
    (first, *_) = rows_of(INPUTS / "54_single_quotes_in_all_cells.csv")
    assert "quoting 'single' reads" in first.problems[0].hint
    rows = rows_of(INPUTS / "54_single_quotes.csv", allow="wrapped_names")
    assert [row.state for row in rows] == ["invalid", "pending", "pending"]
    text = "name,category_id\nO'Malley, the cat,1\n"
    assert rows_of(written(tmp_path, text))[0].problems[0].add is None


@pytest.mark.parametrize(
    ("text", "number", "otherwise"),
    [
        ("1.024", "thousands '.' reads 1024", "1.024 is a decimal number"),
        ("1,024", "thousands ',' reads 1024", "1,024 is a decimal number"),
        ("1\u202f024", "thousands ' ' reads 1024", "this is not a number"),
        ("1’024", 'thousands "\'" reads 1024', "this is not a number"),
    ],
)
def test_both_readings_of_grouped_digits_are_shown(
    tmp_path: Path, text: str, number: str, otherwise: str
) -> None:
    """In the problem of the row, in the result of a load, and in a draft, with line and value."""
    path = written(tmp_path, f'name,category_id\nLuna,"{text}"\nMax,"{text}"\nBo,"9{text}"\n')
    readings = f"{number}; without it, {otherwise}"
    assert rows_of(path)[0].problems[0].hint == readings
    text = str(result_of(path, tmp_path / "journal.sqlite", is_rehearsal=True))
    assert readings in text and "(lines 2" in text and "add thousands='?'" in text
    draft = " ".join(Recipe.draft(path).replace("\n# ", " ").split())
    assert f"line 2, category_id {short_text(path.read_text().split(chr(34))[1])}" in draft
    assert readings in draft and 'thousands = "?"' in draft


def test_what_is_no_animal_gets_no_option_that_would_make_it_one(tmp_path: Path) -> None:
    """No default for a footer, no label for an error or a line of dashes, no quotes for a cell."""
    names = ("56_footers.csv", "57_repeated_header.csv", "58_errors_in_all_columns.csv")
    problems = [
        problem
        for name in (*names, "61_markdown.md")
        for row in rows_of(INPUTS / name)
        for problem in row.problems
    ]
    assert {problem.add for problem in problems if problem.add} == {("exclude_lines", "?")}
    footers = [
        *rows_of(INPUTS / names[0], defaults={"category_id": 3}, fallback={"status": "sold"})
    ]
    assert [row.state for row in footers if row.line > 4] == ["invalid", "invalid"]
    text = "name,category_id\nRex,3\nname,category_id\n"
    header = rows_of(written(tmp_path, text), fallback={"category_id": 3})[1]
    assert header.problems[0].code == "repeated_header"
    with pytest.raises(InputError, match="a cell has more than 1,048,576 characters") as refused:
        rows_of(written(tmp_path, f"name,category_id\n{'x' * 2**21},3\n"))
    assert (refused.value.line, refused.value.add) == (2, None)


def test_a_quantity_with_grouped_digits_shows_both_readings(tmp_path: Path) -> None:
    """1.024 animals are one thousand or one, so the row is not sent before that is said."""
    path = written(tmp_path, "name,category_id,count\nRex,3,1.024\n")
    (record,) = rows_of(path, quantity="count")
    assert record.problems[0].add == ("thousands", "?")
    assert "reads 1024; without it, 1.024 is a decimal number" in record.problems[0].hint


def test_a_compared_list_warns_like_a_load(tmp_path: Path) -> None:
    """What is unusual in the label file of a list is said there, too."""
    labels = written(tmp_path, "id,name\n1,Dog\n1,Hund\n", "labels.csv")
    path = written(tmp_path, "name,category\nAda,Hund\n")
    warnings = read_list(path, Recipe(categories=str(labels))).warnings
    assert warnings == [f"{labels}: category 1 has the names 'Dog' and 'Hund'"]
