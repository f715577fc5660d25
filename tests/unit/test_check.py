"""What one record becomes, before any request."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame import NewPet
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.keys import Keys, Ranks
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.tables import NUMBER_NOTE, Row, RowNotes
from petstore_frame.loader.record import Record, State, Suspicion

MAPPING = {"name": "name", "category_id": "categoryId", "status": "status"}
COLUMNS = (*MAPPING.values(), "tag", "chip")


def check(
    *rows: tuple[str, ...], key: tuple[str, ...] = (), newest: str = "", **options: Any
) -> list[Record]:
    table = [Row(line, cells) for line, cells in enumerate(rows, 2)]
    keys, ranks = Keys(COLUMNS, key), Ranks(COLUMNS.index(newest), newest) if newest else None
    for learner in filter(None, (keys, ranks)):
        for row in table:
            learner.see(row.cells)
        learner.learn()
    checker = Checker(COLUMNS, MAPPING, RecipeOptions(**options), keys=keys, ranks=ranks)
    return list(checker.records(table))


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\r\t"\\'))
STATUS = st.sampled_from(["available", "pending", "sold", None])


@given(TEXT, st.integers(-(2**63), 2**63 - 1), STATUS)
def test_payload_is_the_models_bytes(name: str, category: int, status: str | None) -> None:
    """A payload equals ``NewPet.to_json`` byte for byte."""
    cells = (name, str(category), status or "", "", "")
    (record,) = check(cells, accept=[*Suspicion])
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
    columns = ("name", "categoryId", "note")
    for places, notes in (((1, 2), ()), ((0, 1), (NUMBER_NOTE,))):
        checker = Checker(columns, {"name": "name", "category_id": "categoryId"})
        row = Row(2, ("7", "3", "8"), RowNotes(dict.fromkeys(places, NUMBER_NOTE)))
        (record,) = checker.records([row])
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
    records = check(*(("Rex", "3", "", "1", date) for date in (*dates, "?")), newest="chip")
    ranks = [record.rank or "" for record in records]
    assert sorted(ranks[:-1]) == ranks[:-1] and ranks[-1] == ""
