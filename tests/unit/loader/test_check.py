"""What one record becomes before any request; what looks like no animal is held."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame import NewPet
from petstore_frame.loader.row_state import State, Suspicion
from unit.loader.opened import (
    rows_of,
    workbook_of,
    written,
    written_out,
)

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\r\t"\\'))
STATUS = st.sampled_from(["available", "pending", "sold", None])


@given(TEXT, st.integers(-(2**63), 2**63 - 1), STATUS)
def test_payload_is_the_models_bytes(name: str, category: int, status: str | None) -> None:
    """A payload equals ``NewPet.to_json`` byte for byte."""
    row = {"name": [name], "category": [str(category)], "status": [status]}
    (record,) = rows_of(pd.DataFrame(row, dtype="object"), allow=[*Suspicion])
    if not name.strip():
        assert record.state is not State.PENDING
        return
    pet = NewPet(name=name.strip(), category_id=category, status=status)
    assert record.payload == pet.to_json()


def pet(line: int, name: str, category: int, status: str = "") -> str:
    """A record that is sent, as it is written out."""
    more = f',"status":"{status}"' if status else ""
    return f'{line}: {{"name":"{name}","categoryId":{category}{more}}}'


HEADER = ("name", "categoryId", "status")
# A text is a file, a list the rows of a sheet.
RECORDS: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "a key of several columns is a list of texts, one of which may be empty in one row": (
        'name,category,tag,chip\nA,3, Köln,7\nA,3,"a ""b""",8\nA,3,,9\nA,3,,7\nA,3,,\n',
        {"key": ("tag", "chip")},
        [f'{pet(2, "A", 3)} | key Köln + 7', f'{pet(3, "A", 3)} | key a "b" + 8',
         f'{pet(4, "A", 3)} | key  + 9', *(f"{n}: invalid key_missing tag" for n in (5, 6))],
    ),
    "an empty cell, an error and a rounded number are no key": (
        'name,category,tag\nA,3,\nA,3,#N/A\nA,3,#NV\nA,3,9.81E+14\nA,3,"9,81E+14"\nA,3,1\n',
        {"key": "tag"},
        [*(f"{n}: invalid key_missing tag" for n in range(2, 7)), f"{pet(7, 'A', 3)} | key 1"],
    ),
    "a key that the value map makes empty names no animal": (
        "tag,name,category\nnone,A,3\n7,B,3\n",
        {"key": "tag", "value_map": {"key": {"None": ""}}},
        ["2: invalid key_missing tag", f"{pet(3, 'B', 3)} | key 7"],
    ),
    "an empty cell takes its default with a note, unless the column that it names is empty": (
        "tag,name,category\n7,,3\n8,Unknown,3\n9,A,\n,,3\n",
        {"value_map": {"name": {"unknown": ""}},
         "defaults": {"name": "Unnamed {Tag}", "category_id": 5, "status": "available"}},
        [f'{pet(2, "Unnamed 7", 3, "available")} | default_name | default_status',
         f'{pet(3, "Unnamed 8", 3, "available")} | default_name | default_status',
         f'{pet(4, "A", 5, "available")} | default_category_id | default_status',
         "5: invalid missing_name name | default_status"],
    ),
    "fallback is what neither the field nor the value map knows": (
        "name,category,status\nA,Dog,sold\nB,Cat,gone\nC,Emu,kept\n",
        {"categories": {1: "Dog", 2: "Cat", 9: "Other"}, "value_map": {"status": {"kept": "sold"}},
         "fallback": {"status": "", "category_id": "Other"}},
        [pet(2, "A", 1, "sold"), pet(3, "B", 2), pet(4, "C", 9, "sold")],
    ),
    "rows are left out by the words of a column, in any case, or by their lines": (
        "name,category,outcome,place\nA,3,Died,x\nB,3,,x\nC,3,,y\nD,3,,x\n",
        {"exclude": {"Outcome": "DIED"}, "include": {"place": ["x"]}, "exclude_lines": [5]},
        ["2: left out", pet(3, "B", 3), "4: left out", "5: left out"],
    ),
    "more than a thousand animals of a row are to confirm": (
        "name,category,n\nBee,3,1001\n", {"quantity": "n"}, ["2: invalid large_quantity n"],
    ),
    "an apostrophe in front of a formula is a guard, and no other one": (
        "name,category\n'=A1,3\n's Heer,3\n", {},
        [f"{pet(2, '=A1', 3)} | formula", pet(3, "'s Heer", 3)],
    ),
    "a label is its number without a note, a twin label ambiguous": (
        "name,category\nA,dog\nB, Dog \nC,Bird\nD,Dgo\nE,5\n",
        {"categories": {5: "Dog", 1: "Bird", 2: "bird"}},
        [pet(2, "A", 5), pet(3, "B", 5), "4: invalid ambiguous_category category",
         "5: invalid unknown_category category", pet(6, "E", 5)],
    ),
    "a cell that swallows rows holds its record, though no whole row is within it": (
        'note,name,category\n1,"A,3\n2,B",4\n3,C,5\n', {},
        ["2: invalid swallowed_rows - | line_break", pet(4, "C", 5)],
    ),
    "a word whose meaning is a question mark leaves its rows to fix": (
        "name,category,status\nA,Dog,in\n?,Cat,out\n,Cat,\n",
        {"categories": {"Dog": 1, "Cat": "?"}, "defaults": {"name": "?"},
         "value_map": {"status": {"in": "?"}}},
        ["2: invalid open_word status",
         "3: invalid open_word category, unknown_status status",
         "4: invalid open_word name, open_word category"],
    ),
    "a note of several lines is ordinary": (
        'note,name,category\n"shy, quiet\nneeds walks",A,3\n"needs walks, daily\r,",B,4\n', {},
        [pet(2, "A", 3), pet(4, "B", 4)],
    ),
    "what is called like a total is one, wherever it stands": (
        "name,category\nTotal,3\nB,4\nTOTAL:,7\nGrand total,7\nTotal: 6,7\nGesamt,7\n,\n", {},
        ["2: invalid total_row name", pet(3, "B", 4),
         *(f"{line}: invalid total_row name" for line in (4, 5, 6, 7)), "8: excluded | blank"],
    ),
    "an id beyond the given categories is held": (
        "name,category\nA,3\nB,4\n", {"categories": {3: "Dog"}},
        [pet(2, "A", 3), "3: invalid unlisted_category category"],
    ),
    "what is accepted is sent, and says so": (
        "name,category\nA,3\nB,5\n",
        {"allow": [Suspicion.UNLISTED_CATEGORY], "categories": {3: "Dog"}},
        [pet(2, "A", 3), f"{pet(3, 'B', 5)} | unlisted_category"],
    ),
    "blank rows of a sheet are nothing above the header and at the end": (
        [(), HEADER, ("A", 3), (), ("B", 4, "sold"), (" ",), (None,), ()], {},
        [pet(3, "A", 3), "4: excluded | blank", pet(5, "B", 4, "sold"), "6: excluded | blank"],
    ),
    "the first row of a sheet without a header is a record": (
        [("A", 3, "sold")], {"columns": [*HEADER]}, [pet(1, "A", 3, "sold")],
    ),
    **{f"a frame of {make.__module__.partition('.')[0]} is as the file of it": (
        make({"Name": ["A", "NA"], "category_id": [3, 2**53 + 1], "status": ["Sold", None]}), {},
        [f'{pet(1, "A", 3, "sold")} | status_case', pet(2, "NA", 2**53 + 1)],
    ) for make in (pd.DataFrame, pl.DataFrame)},
    "of a frame a float is whole again, and a truth value, a list or nothing refuses its row": (
        pd.DataFrame({"name": ["A", 7, date(2026, 3, 1), True, ["B"], "C"], "tag": range(6),
                      "category": [3.0, 4, 5, 6, 7, None]}), {},
        [pet(1, "A", 3), f'{pet(2, "7", 4)} | number→text',
         f'{pet(3, "2026-03-01", 5)} | date→text', "4: invalid boolean_value name",
         "5: invalid not_text name", "6: invalid missing_category_id category"],
    ),
    "a mapping names columns in any case, and fields as the store does": (
        "Animal,Kind\nA,3\n", {"mapping": {"name": "animal", "categoryId": "Kind"}},
        [pet(2, "A", 3)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "options", "expected"), RECORDS.values(), ids=RECORDS)
def test_each_record_becomes_what_it_should(tmp_path: Path, source, options, expected) -> None:
    """Sent, left out, to fix or to confirm, with what is noted of it, and the key of its animal."""
    if isinstance(source, str):
        source = written(tmp_path, source)
    elif isinstance(source, list):
        workbook_of(tmp_path, *source)
        source = tmp_path / "pets.xlsx"
    records = rows_of(source, **options)
    assert [written_out(record) for record in records] == expected
    assert [record.number for record in records] == [*range(1, len(expected) + 1)]


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (("2026-03-09", "2026-03-10T08:00:00", "2026-11-01"), None),
        (("09.03.2026", "10.03.2026 08:00", "13.11.2026"), "DMY"),
        (("3/9/2026", "3/10/2026 08:00 AM", "3/13/2026 12:30:00 AM"), "MDY"),
        (("0", "9", "10"), None),
    ],
)
def test_ranks_sort_as_the_column_does(dates: tuple[str, ...], order: Any) -> None:
    """Days, times and numbers come in their order, whatever their texts look like."""
    rows = pd.DataFrame({"day": [*dates, "?"], "name": "A", "category": 3, "tag": "1"})
    records = rows_of(rows, key="tag", keep="last", order_by="day", date_order=order)
    ranks = [record.order_value or "" for record in records]
    assert sorted(ranks[:-1]) == ranks[:-1] and ranks[-1] == "??"


@pytest.mark.parametrize(
    ("row", "answer", "held"),
    [
        ("Rex,3", "no: hidden_row", "hidden_row"), ("Rex,3", "yes", None), ("Rex,3", "", None),
        ("Total,7", "", "total_row"), ("Total,7", "yes", None),
    ],
)  # fmt: skip
def test_a_held_row_stays_held_in_its_fix_file_until_someone_says_yes(
    tmp_path: Path, row: str, answer: str, held: str | None
) -> None:
    """The fix file does not know of hidden rows, so it carries the question along."""
    header = "name,category_id,_pf_allow,_pf_row"
    path = written(tmp_path, f"{header}\n{row},{answer},rabababab-2\nBo,3,,rabababab-5\n")
    first, second = rows_of(path)
    assert ([problem.allow for problem in first.problems] or [None], second.problems) == (
        [held],
        (),
    )
    assert [first.origin, second.origin] == [("abababab", 2), ("abababab", 5)]
    assert not any(problem.problems for problem in rows_of(path, allow=["hidden_row", "total_row"]))


def test_an_emptied_row_of_a_fix_file_is_left_out(tmp_path: Path) -> None:
    """Who empties it but for the name of its record wants it to be no record to fix."""
    path = written(tmp_path, "name,category_id,_pf_row\nRex,3,r3fa9c2e1-17\n,,r3fa9c2e1-18\n")
    assert [(row.state, row.origin, row.is_excluded) for row in rows_of(path)] == [
        (State.PENDING, ("3fa9c2e1", 17), False), (State.EXCLUDED, ("3fa9c2e1", 18), True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written_name", "sent_name"),
    [("'Luna'", "Luna"), ("'Di'", "Di"), ("“Luna”", "Luna"), ('="Luna"', "Luna"),
     (' "Luna"', "Luna"),
     ("Tom &amp; Jerry", "Tom & Jerry"), ("O'Brien", "O'Brien")],
)  # fmt: skip
def test_wrapped_names_are_sent_as_decided(written_name: str, sent_name: str) -> None:
    """They need fixing until someone says how they are sent, whatever the other names are."""
    frame = pd.DataFrame({"name": [written_name, "Bo"], "category_id": 3})
    (first, _) = rows_of(frame, quoting="unwrap")
    assert json.loads(first.payload or b"")["name"] == sent_name
    (first, _) = rows_of(frame, allow=["wrapped_names"])
    assert json.loads(first.payload or b"")["name"] == written_name.strip()
    (first, second) = rows_of(frame)
    assert [problem.allow for problem in first.problems] == (
        [] if sent_name == written_name else ["wrapped_names"]
    )
    assert second.problems == ()


@pytest.mark.parametrize(
    "word",
    [
        "Summe",
        "Total",
        "Totaal",
        "Yhteensä",
        "Razem",
        "Celkem",
        "Összesen",
        "Итого",
        "Toplam",
        "Σύνολο",
    ],
)
def test_a_total_is_held_in_any_language_and_cell(word: str) -> None:
    """A row with an empty cell and such a word is no animal until somebody says so."""
    frame = pd.DataFrame({"no": ["1", word], "name": ["Rex", "67"], "category_id": [3, 3],
                          "status": ["sold", ""]})  # fmt: skip
    first, second = rows_of(frame)
    assert (first.problems, second.problems[0].allow) == ((), "total_row")


def test_typed_decimals_need_no_question() -> None:
    """1.000 as a number is 1; as text it may be a thousand."""
    typed = pd.DataFrame({"name": "A", "category_id": [Decimal("1.000")]})
    assert [written_out(row) for row in rows_of(typed)] == [pet(1, "A", 1)]
    (text,) = rows_of(pd.DataFrame({"name": "A", "category_id": ["1.000"]}))
    assert text.problems[0].add == ("thousands", "?")
    assert "1000" in text.problems[0].hint and "decimal" in text.problems[0].hint
