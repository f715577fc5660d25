"""Thirty nasty inputs, each with its one right outcome.

A record is written as its line, then its payload or its state and problem, then its notes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.record import Record
from unit.opened import records_of

INPUTS = Path(__file__).parent / "inputs"
REX = '{"name":"Rex","categoryId":3,"status":"sold"}'
BO = '{"name":"Bo","categoryId":4}'
WORDS = ["NA", "null", "None", "nan", "N/A", "TRUE", "1e5", "inf", "1-2", "NULL", "#N/A", "-"]
NOT_WHOLE = "invalid not_a_whole_number categoryId"


def told(record: Record) -> str:
    what = str(record.state)
    if record.payload is not None:
        what = record.payload.decode()
    elif record.problem is not None:
        what = f"{what} {record.problem.code} {record.problem.column or '-'}"
    return " | ".join([f"{record.line}: {what}", *record.notes])


def read(name: str, **options: Any) -> list[str]:
    return [told(record) for record in records_of(INPUTS / name, **options)]


GOLDEN: dict[str, list[str]] = {
    "01_utf8_bom.csv": [f"2: {REX}"],
    "02_utf16_bom.csv": ['2: {"name":"Łatka","categoryId":3,"status":"sold"}'],
    "04_mojibake.csv": [
        '2: {"name":"ZoÃ«","categoryId":3} | mojibake',
        '3: {"name":"Zoë","categoryId":3}',
        '4: {"name":"Chuyâ€™s","categoryId":3} | mojibake',
        '5: {"name":"Ã","categoryId":3}',
    ],
    "05_packed.csv.gz": [f"2: {REX}"],
    "05_semicolon.csv": ['2: {"name":"Rex, the dog","categoryId":3,"status":"sold"}'],
    "05_tab.tsv": ['2: {"name":"Rex, the dog","categoryId":3,"status":"sold"}'],
    "05_pipe.csv": ['2: {"name":"Rex; the dog","categoryId":3,"status":"sold"}'],
    "06_sep_line.csv": [f"3: {REX}"],
    "07_cr_only.csv": [f"2: {REX}", f"3: {BO}"],
    "07_mixed_ends.csv": [f"2: {REX}", f"3: {BO}", '4: {"name":"Max","categoryId":5}'],
    "08_quoted_newline.csv": [
        '2: {"name":"Rex\\nthe brave","categoryId":3,"status":"sold"} | line_break',
        f"4: {BO}",
    ],
    "11_short_rows.csv": [
        "2: invalid missing_cell categoryId",
        '3: {"name":"Bo","categoryId":3} | short_row',
        '4: {"name":"Max","categoryId":4,"status":"sold"}',
    ],
    "12_long_rows.csv": [
        "2: invalid extra_cell -",
        f"3: {REX} | empty_extra_cells",
        "4: invalid extra_cell -",
    ],
    "13_trailing_commas.csv": [f"2: {REX} | empty_extra_cells", f"3: {BO} | empty_extra_cells"],
    "14_blank_lines.csv": [
        "2: skipped | blank",
        f"3: {REX}",
        "4: skipped | blank",
        "5: skipped | blank",
        f"6: {BO}",
        "7: skipped | blank",
    ],
    "17_odd_headers.csv": [f"2: {REX}"],
    "18_header_only.csv": [],
    "19_nul.csv": [
        "2: invalid control_character name",
        "3: invalid control_character name",
        '4: {"name":"Max","categoryId":5}',
    ],
    "22_decimals.csv": [
        '2: {"name":"Rex","categoryId":3} | 3.0→3',
        f"3: {NOT_WHOLE}",
        f"4: {NOT_WHOLE}",
        '5: {"name":"Luna","categoryId":9007199254740993} | 9007199254740993.0→9007199254740993',
    ],
    "23_int64.csv": [
        "2: invalid int64_overflow categoryId",
        '3: {"name":"Bo","categoryId":9223372036854775807}',
        "4: invalid suspicious categoryId",
        "5: invalid suspicious categoryId",
    ],
    "24_leading_zeros.csv": [
        '2: {"name":"Rex","categoryId":7} | 007→7',
        '3: {"name":"007","categoryId":7}',
        f"4: {NOT_WHOLE}",
    ],
    "25_statuses.csv": [
        '2: {"name":"A","categoryId":3,"status":"available"} | trimmed',
        '3: {"name":"B","categoryId":3,"status":"available"} | trimmed',
        '4: {"name":"C","categoryId":3,"status":"available"} | status_case',
        "5: invalid unknown_status status",
        '6: {"name":"E","categoryId":3}',
        "7: invalid unknown_status status",
    ],
    "26_words.csv": [
        f'{line}: {{"name":"{word}","categoryId":3}}' + " | formula" * (word == "-")
        for line, word in enumerate(WORDS, start=2)
    ],
    "27_formulas.csv": [
        '2: {"name":"=cmd()","categoryId":3} | formula',
        '3: {"name":"+1","categoryId":3} | formula',
        '4: {"name":"@x","categoryId":3} | formula',
        '5: {"name":"-2","categoryId":3} | formula',
        r'6: {"name":"=HYPERLINK(\"x\",\"y\")","categoryId":3} | formula',
    ],
    "28_unicode.csv": [
        '2: {"name":"\U0001f415\u200d\U0001f9ba","categoryId":3}',
        '3: {"name":"e\u0301","categoryId":3}',
        '4: {"name":"\u00e9","categoryId":3}',
        '5: {"name":"한","categoryId":3}',
        "6: invalid lone_surrogate name",
    ],
    "29_directions.csv": [
        '2: {"name":"כלב","categoryId":3}',
        '3: {"name":"Rex\u202e","categoryId":3} | invisible_characters',
        '4: {"name":"Bo\u200b","categoryId":3} | invisible_characters',
    ],
    "30_total_row.csv": [
        f"2: {REX}",
        '3: {"name":"Total","categoryId":6} | total_row',
        '4: {"name":"Bo","categoryId":4}',
        "5: invalid suspicious name",
        "6: skipped | blank",
    ],
    "31_swallowed_rows.csv": [
        *(f"{line}: invalid swallowed_rows -" for line in (2, 3, 4)),
        '5: {"name":"Bo","categoryId":4}',
    ],
    "31_swallowed_note.csv": [
        *(f"{line}: invalid swallowed_rows -" for line in (2, 3, 4)),
        '5: {"name":"Bo","categoryId":4}',
    ],
    "21_grouped_digits.csv": [f"{line}: {NOT_WHOLE}" for line in (2, 3, 4)],
    "32_labels.csv": [f"{line}: invalid not_a_whole_number category" for line in (2, 3, 4, 5)],
    "33_statuses_of_ones_own.csv": [
        *(f"{line}: invalid unknown_status status" for line in (2, 3, 4)),
        '5: {"name":"Luna","categoryId":5,"status":"sold"}',
    ],
    "39_web_names.csv": [
        '2: {"name":"https://example.org/rex","categoryId":3} | url',
        '3: {"name":"www.rex.example","categoryId":4} | url',
        r'4: {"name":"Re\tx","categoryId":5} | line_break',
    ],
}

STOPPED: dict[str, tuple[int | None, str]] = {
    "02_utf16_no_bom.csv": (None, "looks like UTF-16 without a byte order mark"),
    "03_cp1252.csv": (3, r"byte 37 \(0xeb\) is not UTF-8 text.*'cp1252' reads 'Zoë,3,sold'"),
    "09_unclosed_quote.csv": (3, "opens a quote that is never closed"),
    "09_quote_closed_later.csv": (3, "cannot be read"),
    "10_stray_quote.csv": (3, "quoting='none'"),
    "15_twin_header.csv": (None, "names the column 'name' twice"),
    "15_two_columns_one_field.csv": (None, "both look like category_id"),
    "16_no_header.csv": (None, r"among 'Rex', '3', 'sold'.*needs columns=\['name', 'category_id'"),
    "18_empty.csv": (None, "the file is empty"),
    "34_title.csv": (None, "row 3 looks like the header: header_row=3"),
    "35_two_row_header.csv": (None, "row 2 looks like the header: header_row=2"),
    "36_fullwidth_comma.csv": (None, "delimiter="),
    "36_colon.csv": (None, "delimiter="),
    "37_german.csv": (None, "'name': 'Tiername', 'category_id': 'Kategorie', 'status': 'Statut'"),
    "37_spanish.csv": (None, "mapping={'name': 'Nombre', 'category_id': 'Categoría'}"),
    "37_state.csv": (None, r"would not be sent.*\{'status': None\} leaves it out"),
    "38_one_bad_line.csv": (3, "no encoding fits the whole file; correct this line"),
    "40_page.csv": (None, "looks like an HTML page"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_input_is_read_as_it_should(name: str) -> None:
    """Each record of a nasty file becomes what its line of the table says."""
    assert read(name) == GOLDEN[name]


@pytest.mark.parametrize("name", STOPPED)
def test_input_stops_before_anything_is_sent(name: str) -> None:
    """A file that cannot be read for certain stops, with its line and the next step."""
    line, words = STOPPED[name]
    with pytest.raises(InputError, match=words) as stopped:
        read(name)
    assert stopped.value.line == line
    assert name in str(stopped.value)
    assert stopped.value.hint


def test_every_input_file_is_in_a_table() -> None:
    """No golden file lies about unused."""
    files = {path.name for path in INPUTS.glob("[0-9]*")}
    assert files == set(GOLDEN) | set(STOPPED)


@pytest.mark.parametrize(
    ("name", "options", "first"),
    [
        ("02_utf16_no_bom.csv", {"encoding": "utf-16-le"}, f"2: {REX}"),
        ("10_stray_quote.csv", {"quoting": "none"}, f"2: {REX}"),
        ("16_no_header.csv", {"columns": ["name", "category_id", "status"]}, f"1: {REX}"),
        ("15_two_columns_one_field.csv", {"mapping": {"category_id": "Category ID"}},
         '2: {"name":"Rex","categoryId":3}'),
        ("21_grouped_digits.csv", {"thousands": ","},
         '2: {"name":"Rex","categoryId":1024}'),
        ("25_statuses.csv", {"keep_spaces": True},
         '2: {"name":"A","categoryId":3,"status":"available"} | trimmed'),
    ],
)  # fmt: skip
def test_hints_lead_on(name: str, options: dict[str, Any], first: str) -> None:
    """What a hint offers makes the file readable."""
    assert read(name, **options)[0] == first


def test_given_encoding_is_obeyed() -> None:
    """cp1252 text is read once the caller says that it is cp1252."""
    records = read("03_cp1252.csv", encoding="cp1252")
    assert records[1] == '3: {"name":"Zoë","categoryId":3,"status":"sold"}'
    with pytest.raises(ArgumentError, match="name of a text encoding, got 'klingon'"):
        read("03_cp1252.csv", encoding="klingon")


def test_words_become_values() -> None:
    """A value map translates statuses, and an unknown word stays invalid with a suggestion."""
    records = read("25_statuses.csv", value_map={"status": {"In Stock": "available"}})
    assert records[5] == '7: {"name":"F","categoryId":3,"status":"available"}'
    assert records[3] == "5: invalid unknown_status status"


def test_what_the_caller_says_of_a_value_counts_first() -> None:
    """A value map is followed also for a text that the field allows, and without a note."""
    assert read("01_utf8_bom.csv", value_map={"status": {"SOLD": "pending"}}) == [
        '2: {"name":"Rex","categoryId":3,"status":"pending"}'
    ]


@pytest.mark.parametrize(
    "value_map",
    [{"colour": {"red": 1}}, {"status": {"gone": "lost"}}, {"category_id": {"Dog": "five"}}],
)
def test_value_map_is_checked_first(value_map: dict[str, Any]) -> None:
    """A value map that could not be sent stops the load."""
    with pytest.raises(ArgumentError, match=r"value_map.*; nothing was sent"):
        read("01_utf8_bom.csv", value_map=value_map)
