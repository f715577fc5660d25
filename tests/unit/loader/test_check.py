"""What one record becomes before any request; what looks like no animal is held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame import NewPet
from petstore_frame.loader.reading.tables import NUMBER_NOTE
from petstore_frame.loader.record import Record, State, Suspicion
from unit.loader.opened import INPUTS, problems_of, records_of, workbook_of, written

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\r\t"\\'))
STATUS = st.sampled_from(["available", "pending", "sold", None])


def check(*rows: tuple[Any, ...], **options: Any) -> list[Record]:
    columns = ("name", "categoryId", "status", "tag", "chip")
    return records_of(pd.DataFrame(rows, columns=columns, dtype="object"), **options)


@given(TEXT, st.integers(-(2**63), 2**63 - 1), STATUS)
def test_payload_is_the_models_bytes(name: str, category: int, status: str | None) -> None:
    """A payload equals ``NewPet.to_json`` byte for byte."""
    (record,) = check((name, str(category), status, "", ""), accept=[*Suspicion])
    if not name.strip():
        assert record.state is not State.PENDING
        return
    pet = NewPet(name=name.strip(), category_id=category, status=status)
    assert record.payload == pet.to_json()


def test_a_fingerprint_is_of_all_that_is_sent_but_the_status() -> None:
    """A status that changes leaves it as it is; another name does not."""
    rex, sold, bo = check(
        ("Rex", "3", "", "", ""), ("Rex", "3", "sold", "", ""), ("Bo", "3", "", "", "")
    )
    assert rex.fingerprint == sold.fingerprint != bo.fingerprint


def test_a_number_where_one_belongs_is_a_plain_cell() -> None:
    """A typed number is read as its text; only as a name it is noted, and beside it nothing is."""
    for name, notes in (("7", ()), (7, (NUMBER_NOTE,))):
        (record,) = check((name, 3, None, 8, None))
        assert (record.payload, record.notes) == (b'{"name":"7","categoryId":3}', notes)


def test_a_key_of_several_columns_is_a_list_of_their_texts() -> None:
    """One of them may be empty where the rest names one row of the file, and no other."""
    cells = [(" Köln", "7"), ('a "b"', "8"), ("", "9"), ("", "7"), ("", "")]
    records = check(*(("Rex", "3", "", *each) for each in cells), key=("tag", "chip"))
    assert [record.key for record in records] == [
        '["Köln", "7"]', '["a \\"b\\"", "8"]', '["", "9"]', None, None,
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["", "#N/A", "#NV", "9.81E+14", "9,81E+14"])
def test_what_a_spreadsheet_leaves_is_no_key(cell: str) -> None:
    """An empty cell, an error and a rounded number name no animal."""
    (record,) = check(("Rex", "3", "", cell, ""), key=("tag",))
    assert (record.state, record.key) == (State.INVALID, None)
    assert record.problem is not None and record.problem.code == "key_missing"


@pytest.mark.parametrize(
    "dates",
    [
        ("2026-03-09", "2026-03-10T08:00:00", "2026-11-01"),
        ("09.03.2026", "10.03.2026 08:00", "01.11.2026"),
        ("3/9/2026", "3/10/2026 08:00 AM", "3/13/2026 12:30:00 AM"),
        ("9", "10", "1000.5"),
        ("-5", "-4.5", "0"),
    ],
)
def test_ranks_sort_as_the_column_does(dates: tuple[str, ...]) -> None:
    """Days, times and numbers come in their order, whatever their texts look like."""
    records = check(*(("Rex", "3", "", "1", date) for date in (*dates, "?")), keep="newest: chip")
    ranks = [record.rank or "" for record in records]
    assert sorted(ranks[:-1]) == ranks[:-1] and ranks[-1] == ""


# -- what looks like no animal is held until a person confirms it ----------------------------------

TOTALS = ["Total", "TOTAL:", "Grand total", "Summe", "Total: 6", "Gesamt"]
DOG = {3: "Dog"}


@pytest.mark.parametrize(
    ("text", "categories", "expected"),
    [
        # A total has many words, also in front of blank rows.
        *((f"Rex,3\nBo,4\n{name},7\n,\n", None, [(4, "total_row")]) for name in TOTALS),
        # Ids beyond the given categories, and below one; none that was given.
        ("Rex,3\nBo,4\nMax,3\n", DOG, [(3, "unlisted_category")]),
        ("Rex,3\nBo,4\nMax,3\n", None, []),
        ("Rex,3\nBo,-5\nMax,3\n", None, [(3, "low_category_id")]),
        ("Rex,3\nBo,-5\nMax,3\n", {**DOG, -5: "Ghost"}, []),
    ],
)
def test_what_looks_like_no_animal_is_held(tmp_path: Path, text: str, categories, expected) -> None:
    """Each with the word that accepts it."""
    path = written(tmp_path, f"name,category_id\n{text}")
    assert problems_of(records_of(path, categories=categories)) == expected


def test_what_is_accepted_is_sent_with_a_note(tmp_path: Path) -> None:
    """Each kind has its word, and a record that was let through says so."""
    book = workbook_of(tmp_path, ("name", "category_id"), ("Rex", 3), ("Hidden", 4), ("Bo", 5))
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "pets.xlsx")
    assert problems_of(records_of(tmp_path / "pets.xlsx")) == [(3, "hidden_row")]
    records = records_of(tmp_path / "pets.xlsx", accept=[Suspicion.HIDDEN_ROW])
    assert problems_of(records) == [] and records[1].notes == ("hidden_row",)


@pytest.mark.parametrize("name", ["31_swallowed_rows.csv", "31_swallowed_note.csv"])
def test_rows_swallowed_by_an_open_quote_are_to_fix_line_by_line(name: str) -> None:
    """A cell that holds what looks like other rows is told as these, each with its own cells."""
    swallowed = [each for each in records_of(INPUTS / name) if each.problem]
    assert len(swallowed) == 3 and len({len(each.cells) for each in swallowed}) == 1
    assert {each.problem.option for each in swallowed if each.problem} == {("quoting", "none")}
    (one, *_) = records_of(INPUTS / name, accept=["swallowed_rows"])
    assert one.cells[0].count("\n") == 2


@pytest.mark.parametrize(
    ("text", "states"),
    [
        # The rest of the row in which it opens tells, though no whole row is within.
        ('1,"Ben,3\n2,Luna",4\n3,Bo,5\n', ["invalid", "invalid", "pending"]),
        # A line break and a comma in a text beside the animal are ordinary.
        *((f'"{note}",Rex,3\n,Bo,4\n', ["pending", "pending"])
          for note in ("shy, quiet\nneeds walks", "shy\nneeds walks, daily", "\r,")),
    ],
)  # fmt: skip
def test_a_quote_that_swallows_a_row_is_told(tmp_path: Path, text: str, states: list[str]) -> None:
    """It is told by what looks like a row of the file, not by a line break alone."""
    records = records_of(written(tmp_path, f"note,name,category_id\n{text}"))
    assert [record.state for record in records] == states


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
    header = "name,category_id,_pf_accept,_pf_record"
    path = written(tmp_path, f"{header}\n{row},{answer},rabababab-2\nBo,3,,rabababab-5\n")
    records = records_of(path)
    assert problems_of(records) == ([] if held is None else [(2, held)])
    assert [record.origin for record in records] == [("abababab", 2), ("abababab", 5)]
    assert problems_of(records_of(path, accept=["hidden_row", "total_row"])) == []


def test_an_emptied_row_of_a_fix_file_is_left_out(tmp_path: Path) -> None:
    """Who empties it but for the name of its record wants it to be no record to fix."""
    path = written(tmp_path, "name,category_id,_pf_record\nRex,3,r3fa9c2e1-17\n,,r3fa9c2e1-18\n")
    assert [(each.state, each.origin, each.left_out) for each in records_of(path)] == [
        (State.PENDING, ("3fa9c2e1", 17), False), (State.SKIPPED, ("3fa9c2e1", 18), True),
    ]  # fmt: skip
