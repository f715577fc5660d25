"""What became of each record: frames, files and views."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime
from html import unescape
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petstore_frame.errors import ArgumentError, LoadFailedError
from petstore_frame.loader.causes import Note
from petstore_frame.loader.reading.fields import harmless
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.reading.returned import guarded, unguarded
from petstore_frame.loader.record import Record, State
from petstore_frame.loader.results.columns import COLUMNS
from petstore_frame.loader.results.files import FILES
from petstore_frame.loader.results.results import LoadResult
from unit.staged import change, run_of, stage

SPOILT = '<img src=x onerror="alert(1)">'

# What each record of ARRIVALS came to; the spoilt ones stay invalid.
OUTCOMES = {
    1: ("created", {"pet_id": 2**60, "id_source": "response"}),
    2: ("rejected", {"answer": json.dumps({"http_status": 400, "error_code": "=cmd()",
                                           "error_message": SPOILT, "error_field": "name"})}),
    3: ("unknown", {"reason": "read_timeout"}),
    4: ("absent", {"reason": "reset"}),
}  # fmt: skip
ARRIVALS = """name,categoryId,note,status
Rex,3,=1+1,sold
=cmd(),3,-,sold
Bo,4,007,
Max,5,,available
,6,@x,sold
"Bo, the ""brave""
dog",cat,,Avail
Rex, the dog,3,sold,!
,,,
"""


def make_result(folder: Path, text: str = ARRIVALS, *, is_rehearsal: bool = False) -> LoadResult:
    source_path, path = folder / "arrivals.csv", folder / "run.sqlite3"
    source_path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    with open_source(source_path) as source:
        result = stage(path, run_of(source), source, is_rehearsal=is_rehearsal)
    for record, (state, facts) in ({} if is_rehearsal else OUTCOMES).items():
        values = {"state": state, "attempts": 1, "first_sent_at": 1.8e9, **facts}
        setting = ", ".join(f"{name} = ?" for name in values)
        change(
            result,
            f"UPDATE records SET {setting} WHERE import = :import AND record = ?"
            " AND state = 'pending'",
            *values.values(),
            record,
        )
    return result


@pytest.fixture
def result(tmp_path: Path) -> LoadResult:
    return make_result(tmp_path)


def read(path: Path, **options: str) -> list[Record]:
    with open_source(path, Recipe(**options)) as source:  # type: ignore[arg-type] # any option
        return list(source)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_every_record_has_one_row(result: LoadResult, tmp_path: Path) -> None:
    """The frame has one row per record, with the columns and dtypes that are promised, also where
    there are none; the states count with all their words."""
    frame, empty = result.frame, make_result(tmp_path, "name,categoryId,note,status\n")
    own = [name for name in frame.columns if name in COLUMNS]
    assert own == list(COLUMNS)
    text = "object" if pd.__version__ < "3" else "str"  # pandas 2 has no dtype for texts
    dtypes = {name: str(frame[name].dtype) for name in own}
    assert dtypes == {name: text if COLUMNS[name] == "str" else COLUMNS[name] for name in own}
    assert list(frame.columns[2:6]) == ["name", "categoryId", "note", "status"]
    assert list(frame["state"]) == [
        "created", "rejected", "unknown", "absent", "invalid", "invalid", "invalid", "skipped",
    ]  # fmt: skip
    assert list(frame["line"]) == [2, 3, 4, 5, 6, 7, 9, 10]
    assert set(frame["state"].value_counts().index) == {str(state) for state in State}
    assert empty.frame.dtypes.astype(str).to_dict() == frame.dtypes.astype(str).to_dict()
    assert len(empty.frame) == 0 and "a header and no records" in str(empty)


def test_parts_are_the_states(result: LoadResult) -> None:
    """Created, to fix and in doubt are told apart and counted alike; a large id stays exact."""
    assert list(result.created["pet_id"]) == [2**60]
    assert list(result.fix["line"]) == [3, 6, 7, 9]
    assert list(result.unknown["action"]) == ["check", "resend"]
    assert (result.to_fix, result.in_doubt) == (4, 2)


def test_what_to_fix_is_seen_first(result: LoadResult) -> None:
    """A notebook shows the first columns, so these say where, what and how; few follow."""
    first = ["line", "error_column", "error_value", "error_message", "hint", "name", "categoryId"]
    assert list(result.fix.columns[:7]) == first
    assert list(result.fix.columns[-2:]) == ["accept", "_pf_record"]
    assert len(result.fix.columns) <= 12
    assert list(result.fix.iloc[0][["error_column", "error_value"]]) == ["name", "=cmd()"]


def test_a_short_record_gets_a_hint_to_follow(tmp_path: Path) -> None:
    """The hint names the first cell that is missing."""
    (row,) = make_result(tmp_path, "name,categoryId,status\nRex\n").fix.itertuples()
    assert row.error_message == "the record has 1 of 3 cells"
    assert row.hint == "add the missing cells, from 'categoryId' on"


def test_half_a_character_is_shown_and_kept(tmp_path: Path) -> None:
    """A lone surrogate makes one invalid record; the frame shows U+FFFD, the fix file its bytes."""
    result = make_result(tmp_path, "name,category_id,\ude00\nLuna,3,\nCut \ud83d,3,\n")
    (broken,) = result.fix.itertuples()
    assert (broken.name, result.causes[0].code) == ("Cut \ufffd", "lone_surrogate")
    fix = next(path for path in result.write(tmp_path / "out") if path.name == "fix.csv")
    assert "Cut \ud83d" in fix.read_text("utf-8-sig", errors="surrogatepass")


def test_column_names_never_collide(tmp_path: Path) -> None:
    """A file's own column called state or record keeps its cells beside ours."""
    result = make_result(tmp_path, "name,categoryId,state,,record\nRex,3,Texas,x,9\n")
    assert list(result.frame["state (file)"]) == ["Texas"]
    assert list(result.frame["column 4"]) == ["x"]
    assert list(result.frame["state"]) == ["created"]


def test_summary_adds_up(result: LoadResult, tmp_path: Path) -> None:
    """The counts by state sum to the records, times are ISO 8601 with their zone, and the written
    summary is the same."""
    summary = result.summary
    result.write(tmp_path / "out")
    written = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert sum(summary["states"].values()) == summary["records"] == 8
    assert [cause["code"] for cause in summary["causes"]] == [
        "missing_name", "not_a_whole_number", "extra_cell", "=cmd()",
    ]  # fmt: skip
    assert summary["exit_code"] == 3
    assert {key: written[key] for key in summary} == summary
    moments = [datetime.fromisoformat(summary[f"{name}_at"]) for name in ("staged", "ended")]
    assert all(moment.tzinfo == UTC for moment in moments)
    assert 0 <= (moments[1] - moments[0]).total_seconds() < 60


def test_files_hold_what_they_promise(result: LoadResult, tmp_path: Path) -> None:
    """Results has every record, fix those to fix, unknown those in doubt; nothing else is left."""
    paths = result.write(tmp_path / "out")
    names = ["results.csv", "fix.csv", "unknown.csv", "results.xlsx", "summary.json"]
    assert [path.name for path in paths] == names
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)
    named = [[row["_pf_record"] for row in rows_of(path)] for path in paths[:3]]
    start = f"r{result.import_id[:8]}"
    assert named == [
        [f"{start}-{record}" for record in records]
        for records in (range(1, 9), (2, 5, 6, 7), (3, 4))
    ]


@pytest.mark.parametrize(
    ("folder", "options", "words"),
    [(3, {}, "folder= is a folder's path, got 3"), (".", {"excel": "no"}, "excel is True or")],
)
def test_wrong_arguments_write_nothing(
    result: LoadResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder, options, words: str
) -> None:
    """A folder that is not a path, or a switch that is a text, is refused before any file."""
    place = tmp_path / "out"
    place.mkdir()
    monkeypatch.chdir(place)
    with pytest.raises(ArgumentError, match=words):
        result.write(folder, **options)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("results.csv", "record state pet_id problem column value hint changed"),
        ("fix.csv", "record problem column value hint accept"),
    ],
)
def test_the_own_columns_come_first(
    result: LoadResult, tmp_path: Path, name: str, columns: str
) -> None:
    """Then at most eight of ours; the encoding and the lines are those that spreadsheets know."""
    result.write(tmp_path, excel=False)
    own = ["name", "categoryId", "note", "status", "_pf_extra_1"]
    header = [*own, *(f"_pf_{column}" for column in columns.split())]
    assert list(rows_of(tmp_path / name)[0]) == header
    raw = (tmp_path / name).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf") and b"\r\n" in raw


def test_unedited_fix_is_what_it_was(result: LoadResult, tmp_path: Path) -> None:
    """The fix file, and the sheet Fix, come back as the records that they were made of."""
    result.write(tmp_path / "out")
    again = read(tmp_path / "out" / "fix.csv")
    before = [record for record in read(tmp_path / "arrivals.csv") if record.number in (2, 5, 6, 7)]
    assert [record.cells for record in again] == [record.cells for record in before]
    assert [record.problem for record in again] == [record.problem for record in before]
    assert again[0].payload == b'{"name":"=cmd()","categoryId":3,"status":"sold"}'
    assert [record.origin for record in again] == [(result.import_id[:8], n) for n in (2, 5, 6, 7)]
    sheet = read(tmp_path / "out" / "results.xlsx", sheet="Fix")
    assert [(r.payload, r.problem) for r in sheet] == [(r.payload, r.problem) for r in again]


@pytest.mark.parametrize("name", ["unknown.csv", "results.csv"])
def test_each_row_of_a_result_file_names_its_record(
    result: LoadResult, tmp_path: Path, name: str
) -> None:
    """Records that are or may be in the store come back as themselves: the journal knows them."""
    result.write(tmp_path)
    origins = [record.origin for record in read(tmp_path / name)]
    expected = [3, 4] if name == "unknown.csv" else range(1, 9)
    assert origins == [(result.import_id[:8], n) for n in expected]


def test_a_frame_to_fix_names_its_records(result: LoadResult) -> None:
    """The part of a result that is to fix is read like fix.csv, and so are its records known."""
    fixed = result.fix.iloc[:1].copy()
    fixed["name"] = "Luna"
    (record,) = read(fixed)  # type: ignore[arg-type]
    assert record.payload == b'{"name":"Luna","categoryId":3,"status":"sold"}'
    assert record.origin == (result.import_id[:8], 2)


def test_workbook_has_the_promised_sheets(result: LoadResult, tmp_path: Path) -> None:
    """Summary, Fix, Unknown and All, whose header stays in view; no cell is a formula, and neither
    leading zeros nor the digits of an id are lost."""
    book = written_workbook(result, tmp_path)
    every = book["All"]
    assert book.sheetnames == ["Summary", "Fix", "Unknown", "All"]
    assert (every.freeze_panes, every.auto_filter.ref[:3]) == ("A2", "A1:")
    columns = {cell.value: cell.column for cell in every[1]}
    kept = [every["C2"].value, every["C4"].value, every.cell(2, columns["Id in the store"]).value]
    assert kept == ["=1+1", "007", str(2**60)]
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds


def written_workbook(result: LoadResult, folder: Path) -> openpyxl.Workbook:
    result.write(folder)
    return openpyxl.load_workbook(folder / "results.xlsx")


def test_a_sheet_has_what_it_can_hold(
    result: LoadResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more records than a sheet can hold the first are there, and the summary says so."""
    monkeypatch.setattr("petstore_frame.loader.results.workbook.SHEET_ROWS", 3)
    book = written_workbook(result, tmp_path)
    assert book["All"].max_row == 4
    texts = [str(cell.value) for row in book["Summary"] for cell in row]
    assert "A sheet has room for 3 records: results.csv has all" in texts


def test_cell_too_long_for_a_workbook_is_empty_there(tmp_path: Path) -> None:
    """A cell that a workbook would cut is left out of it, never shortened."""
    result = make_result(tmp_path, f"name,categoryId\n{'x' * 40_000},cat\n")
    result.write(tmp_path)
    (record,) = read(tmp_path / "results.xlsx", sheet="Fix")
    assert record.cells[0] == ""
    (whole,) = read(tmp_path / "fix.csv")
    assert whole.cells[0] == "x" * 40_000


def test_files_are_whole_or_not_there(
    result: LoadResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that fails leaves the earlier files and no half ones."""
    folder = tmp_path / "out"
    result.write(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr("petstore_frame.loader.results.files.describe", lambda row, run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        result.write(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["=1+1", "'=1", "'", "''=x", "-2", "@x", "\t=1", "007", "_x0041_", "_x000D_", " a ", "＝x"]
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
def test_any_cell_survives_the_way_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, str]]
) -> None:
    """Whatever a cell holds, it comes back from fix.csv and from the sheet Fix as it was."""
    source = tmp_path / "source.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [["name", "categoryId", "note"], *((a, "cat", b) for a, b in rows)]
        )
    for old in (*tmp_path.glob("run.sqlite3*"), *map(tmp_path.joinpath, FILES)):
        old.unlink(missing_ok=True)
    result = make_result(tmp_path, source.read_bytes().decode())
    result.write(tmp_path)
    expected = [(a, "cat", b) for a, b in rows]
    assert [record.cells for record in read(tmp_path / "fix.csv")] == expected
    assert [record.cells for record in read(tmp_path / "results.xlsx", sheet="Fix")] == expected


@given(CELL, st.booleans())
def test_a_guard_comes_off_again(text: str, is_name: bool) -> None:
    """Whatever a cell holds, its guard is taken off and nothing else."""
    assert unguarded(guarded(text, is_name=is_name)) == text


@given(st.text())
def test_harmless_text_begins_like_no_formula(text: str) -> None:
    """No spreadsheet runs it, and it is the text with at most a quote before it."""
    assert harmless(text)[:1] not in set("=+-@\t\r\n＝＋－＠")
    assert harmless(text) in (text, f"'{text}")


def test_views_escape_everything(result: LoadResult) -> None:
    """No text of a cell or of the store reaches a page or a terminal as markup."""
    html, text = result._repr_html_(), str(result)
    assert SPOILT not in html and "&lt;img" in html
    assert "In doubt" in html and "result.reconcile(client)" in html
    assert "record 5, line 6: name: the name is missing; give the animal a name" in text
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert "columns: name, category id from " in html
    assert "columns: name, category id from " in text and "; not sent: 'note'" in text


def test_failures_can_be_raised(result: LoadResult, tmp_path: Path) -> None:
    """A script can insist that every record is in the store."""
    with pytest.raises(LoadFailedError, match="1 of 8 records created") as failed:
        result.raise_for_failures()
    assert failed.value.result is result
    (tmp_path / "good").mkdir()
    good = make_result(tmp_path / "good", "name,categoryId\nRex,3\n")
    good.raise_for_failures()


def test_rehearsal_says_what_would_be_sent(tmp_path: Path) -> None:
    """A result of which nothing was sent is called a rehearsal."""
    result = make_result(tmp_path, is_rehearsal=True)
    assert str(result).startswith("Rehearsal: arrivals.csv: 8 records read, 4 would be sent")
    assert "4 records would be sent; nothing was sent yet" in result._repr_html_()


def test_a_rehearsal_stays_what_it_was(tmp_path: Path) -> None:
    """A rehearsal still shows its own records when the same file was read otherwise since."""
    first = make_result(tmp_path, "name,categoryId\nRex,-3\nBo,x\n", is_rehearsal=True)
    shown = str(first)
    held = read(tmp_path / "arrivals.csv")
    loose = [record._replace(state=State.PENDING, problem=None) for record in held]
    later = stage(first.path, first.facts.run, loose, is_rehearsal=True)
    assert (later.import_id, later.counts[State.PENDING]) == (first.import_id, 2)
    assert (str(first), first.counts[State.INVALID]) == (shown, 2)
    assert first.frame["state"].tolist() == ["invalid", "invalid"]


def test_a_result_is_never_stale(result: LoadResult) -> None:
    """What the journal learns later shows in every part of a result, and in all at once."""
    before = result.frame
    assert result.frame is before
    change(result, "UPDATE records SET state = 'created' WHERE import = :import AND record = 3")
    assert result.frame["state"].tolist()[2] == "created"
    assert len(result.created) == result.counts[State.CREATED] == 2
    assert "2 of 8 records created" in str(result)


def test_pet_ids_have_the_index_of_the_frame(tmp_path: Path) -> None:
    """So that a column of pet ids can be added to the frame that was loaded."""
    result = make_result(tmp_path)
    named = LoadResult(result.path, result.import_id, index=pd.Index(list("abcdefgh")))
    assert named.pet_ids.loc["a"] == 2**60
    assert (str(named.pet_ids.dtype), named.pet_ids.isna().sum()) == ("Int64", 7)


def test_one_cause_is_named_once(tmp_path: Path) -> None:
    """Each cause has its count, two places and what its cells hold, and the call that answers."""
    text = "name,categoryId,status\n" + "Rex,3,x\n" * 3 + "Bo,3,y\n,3,\n" + "Al,1,\n" * 5
    result = make_result(tmp_path, text)
    odd, missing = result.causes
    assert (odd.records, odd.lines, odd.values) == (4, (2, 4), (("x", 3), ("y", 1)))
    assert (missing.code, missing.records) == ("missing_name", 1)
    assert "value_map={'status': {'x': '', 'y': ''}}" in str(result)


def test_dates_and_numbers_that_become_names_are_shown(tmp_path: Path) -> None:
    """A workbook's date or number as a name is counted on screen, with its first record."""
    book = openpyxl.Workbook()
    for row in [("name", "category_id"), ("Ada", 1), (date(2026, 1, 5), 1), (7, 2), (8, 2)]:
        book.active.append(row)
    book.save(tmp_path / "arrivals.xlsx")
    with open_source(tmp_path / "arrivals.xlsx") as source:
        result = stage(tmp_path / "run.sqlite3", run_of(source), source, is_rehearsal=True)
    for view in (str(result), unescape(result._repr_html_())):
        assert "a date was read as text, first in record 2, line 3: '2026-01-05'" in view
        assert "a number was read as text, first in record 3, line 4: '7'" in view
    assert result.summary["notes"] == {"number→text": 2, "date→text": 1}


def test_odd_statuses_and_short_rows_are_shown(tmp_path: Path) -> None:
    """What a text file leaves out or spells otherwise is counted, unless it is refused."""
    view = str(make_result(tmp_path, "name,category_id,status\nAda,1,SOLD\nBo,2\n  Cy,x,Sold\n"))
    assert "a status was spelled with other capitals, first in record 1, line 2: 'Ada'" in view
    assert "the record ends before its status" in view and "spaces" not in view


def test_a_warning_without_a_name_ends_at_its_line() -> None:
    """A note on a record whose name is empty says where it stands, and shows no empty quotes."""
    assert str(Note(1, "default_name", 2, 3, "")).endswith("first in record 2, line 3")
