"""What looks like no animal is held until a person confirms it, and never sent in silence."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from petstore_frame.loader.record import Record, State, Suspicion
from unit.opened import records_of, written

INPUTS = Path(__file__).parent / "inputs"
RUN = "ab" * 4


def held(records: list[Record]) -> list[tuple[int, str | None]]:
    return [(each.line, each.problem.accept) for each in records if each.problem is not None]


def filtered(folder: Path) -> Path:
    book = openpyxl.Workbook()
    for row in (("name", "category_id"), ("Rex", 3), ("Hidden", 4), ("Bo", 5)):
        book.active.append(row)
    book.active.auto_filter.ref = "A1:B4"
    book.active.row_dimensions[3].hidden = True
    book.save(folder / "pets.xlsx")
    return folder / "pets.xlsx"


@pytest.mark.parametrize("name", ["Total", "TOTAL:", "Grand total", "Summe", "Total: 6", "Gesamt"])
def test_a_total_has_many_words(tmp_path: Path, name: str) -> None:
    """However it is spelled, also in front of blank rows."""
    path = written(tmp_path, f"name,category_id\nRex,3\nBo,4\n{name},7\n,\n")
    assert held(records_of(path)) == [(4, "total_row")]


def test_a_category_that_was_not_given_is_held(tmp_path: Path) -> None:
    """Ids beyond the given categories are held, those within are sent."""
    path = written(tmp_path, "name,category_id\nRex,3\nBo,4\nMax,3\n")
    assert held(records_of(path, categories={3: "Dog"})) == [(3, "unlisted_category")]
    assert held(records_of(path)) == []


def test_an_id_of_zero_or_less_is_held_unless_it_was_given(tmp_path: Path) -> None:
    """A category below one is no id, except where the caller says that it is one."""
    path = written(tmp_path, "name,category_id\nRex,3\nBo,-5\nMax,3\n")
    assert held(records_of(path)) == [(3, "low_category_id")]
    assert held(records_of(path, categories={3: "Dog", -5: "Ghost"})) == []


def test_rows_that_a_filter_hides_are_held(tmp_path: Path) -> None:
    """What a person does not see in the workbook is not sent."""
    assert held(records_of(filtered(tmp_path))) == [(3, "hidden_row")]


@pytest.mark.parametrize("name", ["31_swallowed_rows.csv", "31_swallowed_note.csv"])
def test_rows_swallowed_by_an_open_quote_are_to_fix_line_by_line(name: str) -> None:
    """A cell that holds what looks like other rows is told as these, each with its own cells."""
    swallowed = [each for each in records_of(INPUTS / name) if each.problem]
    assert [(each.line, len(each.cells)) for each in swallowed] == [
        (line, len(swallowed[0].cells)) for line in (2, 3, 4)
    ]
    assert {each.problem.option for each in swallowed if each.problem} == {("quoting", "none")}
    (one, *_) = records_of(INPUTS / name, accept=["swallowed_rows"])
    assert one.cells[0].count("\n") == 2


def test_a_note_of_two_lines_swallows_nothing(tmp_path: Path) -> None:
    """A line break and a comma in a text beside the animal are ordinary."""
    text = 'name,category_id,note\nRex,3,"shy, quiet\nneeds walks"\nBo,4,\n'
    assert held(records_of(written(tmp_path, text))) == []


def test_what_is_accepted_is_sent_with_a_note(tmp_path: Path) -> None:
    """Each kind has its word, and a record that was let through says so."""
    path = filtered(tmp_path)
    records = records_of(path, accept=[Suspicion.HIDDEN_ROW])
    assert held(records) == [] and records[1].notes == ("hidden_row",)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("no: hidden_row", State.INVALID),
        ("yes", State.PENDING),
        ("", State.PENDING),
    ],
)
def test_a_held_row_stays_held_in_its_fix_file_until_someone_says_yes(
    tmp_path: Path, answer: str, state: State
) -> None:
    """The fix file does not know of hidden rows, so it carries the question along."""
    header = "name,category_id,_pf_accept,_pf_record"
    path = written(tmp_path, f"{header}\nRex,3,{answer},r{RUN}-2\n")
    (record,) = records_of(path)
    assert record.state is state and record.origin == (RUN, 2)
    (accepted,) = records_of(path, accept=["hidden_row"])
    assert accepted.state is State.PENDING


def test_a_total_is_held_in_a_fix_file_too(tmp_path: Path) -> None:
    """Loading the fix file as it is sends no total."""
    header = "name,category_id,_pf_accept,_pf_record"
    path = written(tmp_path, f"{header}\nTotal,7,,r{RUN}-4\nBo,3,,r{RUN}-5\n")
    assert held(records_of(path)) == [(2, "total_row")]
    path = written(tmp_path, f"{header}\nTotal,7,yes,r{RUN}-4\n")
    assert held(records_of(path)) == []


def test_an_emptied_row_of_a_fix_file_is_left_out(tmp_path: Path) -> None:
    """Who empties it but for the name of its record wants it to be no record to fix."""
    path = written(tmp_path, "name,category_id,_pf_record\nRex,3,r3fa9c2e1-17\n,,r3fa9c2e1-18\n")
    fixed, emptied = records_of(path)
    assert (fixed.state, fixed.origin, fixed.left_out) == (
        State.PENDING, ("3fa9c2e1", 17), False,
    )  # fmt: skip
    assert (emptied.state, emptied.origin, emptied.left_out) == (
        State.SKIPPED, ("3fa9c2e1", 18), True,
    )  # fmt: skip


def test_a_quote_that_swallows_one_row_is_told(tmp_path: Path) -> None:
    """The rest of the row in which it opens tells, though no whole row is within."""
    text = 'id,name,category_id\n1,"Ben,3\n2,Lu"na,4\n3,Bo,5\n'.replace('Lu"na', 'Luna"')
    assert [each.state for each in records_of(written(tmp_path, text))] == [
        State.INVALID, State.INVALID, State.PENDING,
    ]  # fmt: skip
