"""What became of each record: frames, files and views."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from datetime import UTC, date, datetime
from html import unescape
from itertools import pairwise
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.loader import view_of
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.results.result_files import COLUMNS
from petstore_frame.loader.row_state import State
from petstore_frame.schema import line_ranges
from petstore_frame.storage import harmless
from shop import Shop
from unit.loader.opened import rows_of as read
from unit.loader.opened import workbook_of
from unit.loader.staged import become, change, result_of

SPOILT = '<img src=x onerror="alert(1)">'

# What each record of ARRIVALS came to; the spoilt ones stay invalid.
OUTCOMES = {
    1: ("created", {"pet_id": 2**60, "id_source": "response"}),
    2: ("rejected", {"answer": json.dumps({"error_code": "=cmd()",
                                           "error_message": SPOILT, "error_field": "name"})}),
    3: ("unconfirmed", {"reason": "read_timeout"}),
    4: ("not_found", {"reason": "reset"}),
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
    path = folder / "arrivals.csv"
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    result = result_of(path, folder / "run.sqlite3", is_rehearsal=is_rehearsal)
    pending = {row.number for row in view_of(result).rows(State.PENDING)}
    for record, (state, facts) in ({} if is_rehearsal else OUTCOMES).items():
        if record in pending:
            become(result, record, State(state), sent_at=1.8e9, **facts)
    return result


@pytest.fixture
def result(tmp_path: Path) -> LoadResult:
    return make_result(tmp_path)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> LoadResult:
    """A result that has records in each state, with its files, which no test changes."""
    folder = tmp_path_factory.mktemp("written")
    result = make_result(folder)
    result.write(folder / "out")
    return result


@pytest.fixture(scope="module")
def out(written: LoadResult) -> Path:
    return Path(view_of(written).folder or "")


def sheets_of(folder: Path, text: str) -> openpyxl.Workbook:
    """The workbook of the result of a file with this text."""
    make_result(folder, text).write(folder)
    return openpyxl.load_workbook(folder / "results.xlsx")


def test_every_record_has_one_row(result: LoadResult, tmp_path: Path) -> None:
    """The frame and its parts have one row per record, and columns as promised, also of none."""
    frame, empty = result.frame, make_result(tmp_path, "name,categoryId,note,status\n")
    own = list(frame.columns[4:])
    assert own == list(COLUMNS) and len(own) == 10
    text = "object" if pd.__version__ < "3" else "str"  # pandas 2 has no dtype for texts
    dtypes = {name: str(frame[name].dtype) for name in own}
    assert dtypes == {name: text if COLUMNS[name] == "str" else COLUMNS[name] for name in own}
    assert list(frame.columns[:4]) == ["name", "categoryId", "note", "status"]
    assert list(frame["state"]) == [
        "created", "rejected", "unconfirmed", "not_found", "invalid", "invalid", "invalid",
        "excluded",
    ]  # fmt: skip
    assert list(frame["line"]) == [2, 3, 4, 5, 6, 7, 9, 10]
    assert set(frame["state"].value_counts().index) == {str(state) for state in State}
    assert empty.frame.dtypes.astype(str).to_dict() == frame.dtypes.astype(str).to_dict()
    assert len(empty.frame) == 0 and "nothing to load" in str(empty).lower()
    assert (list(result.created["pet_id"]), list(result.unconfirmed["line"])) == ([2**60], [4, 5])
    wrong = ["line", "error_column", "error_value", "error_message", "hint"]
    assert list(result.fix.columns[4:]) == [*wrong, "allow", "_pf_row"]
    assert list(result.fix["line"]) == [3, 6, 7, 9]
    assert list(result.fix.iloc[0][["error_column", "error_value"]]) == ["name", "=cmd()"]


def test_empty_cells_of_rows_to_fix_are_missing(tmp_path: Path) -> None:
    """fillna fills what a row lacks, whether its cell is empty or the row is short."""
    result = make_result(tmp_path, "name,categoryId,note\n,3,\n,3\nRex,x,\n")
    assert result.fix["name"].isna().tolist() == [True, True, False]
    assert result.fix["note"].isna().all()
    filled = result.fix.assign(name=result.fix["name"].fillna("Unnamed"))
    assert filled["name"].tolist() == ["Unnamed", "Unnamed", "Rex"]


def test_all_problems_of_a_row_are_shown(tmp_path: Path) -> None:
    """A row with two problems shows both, in the frame and in the fix file."""
    result = make_result(tmp_path, "name,categoryId,status\n,cat,asleep\n")
    (message,) = result.fix["error_message"]
    assert "no name" in message and "categoryId: " in message and "status: " in message
    result.write(tmp_path / "out")
    assert message in (tmp_path / "out" / "fix.csv").read_text("utf-8-sig")


def test_column_names_never_collide(tmp_path: Path) -> None:
    """A file's own column called state or record keeps its cells beside ours."""
    result = make_result(tmp_path, "name,categoryId,state,,row\nRex,3,Texas,x,9\n")
    assert list(result.frame["state (file)"]) == ["Texas"]
    assert list(result.frame["column 4"]) == ["x"]
    assert list(result.frame["state"]) == ["created"]


def test_summary_adds_up(written: LoadResult, out: Path) -> None:
    """The states sum to the records, times have their zone, and the written summary is the same."""
    summary = view_of(written).summary
    in_file = json.loads((out / "summary.json").read_text())
    assert sum(summary["states"].values()) == summary["rows"] == 8
    assert [cause["code"] for cause in summary["causes"]] == [
        "missing_name", "not_a_whole_number", "unknown_status", "extra_cell", "=cmd()",
    ]  # fmt: skip
    assert summary["exit_code"] == 3
    assert {key: in_file[key] for key in summary} == summary
    moments = [datetime.fromisoformat(summary[f"{name}_at"]) for name in ("staged", "ended")]
    assert moments[0] == moments[1] and moments[0].tzinfo == UTC


@pytest.mark.parametrize(
    ("name", "records", "columns"),
    [
        ("results.csv", range(1, 9), "row state pet_id problem column value hint changed"),
        ("fix.csv", (2, 5, 6, 7), "row problem column value hint allow"),
        ("unconfirmed.csv", (3, 4), "row state pet_id problem column value hint changed"),
    ],
)
def test_files_hold_what_they_promise(written: LoadResult, out, name, records, columns) -> None:
    """The file's own columns come first, then few of ours; each row is the record it was."""
    raw, start = (out / name).read_bytes(), view_of(written).import_id[:8]
    assert raw.startswith(b"\xef\xbb\xbf") and b"\r\n" in raw
    rows = [*csv.DictReader(raw.decode("utf-8-sig").splitlines(keepends=True))]
    ours = [f"_pf_{column}" for column in columns.split()]
    assert [*rows[0]] == ["name", "categoryId", "note", "status", "_pf_extra_1", *ours]
    assert [row["_pf_row"] for row in rows] == [f"r{start}-{record}" for record in records]
    assert [record.origin for record in read(out / name)] == [(start, n) for n in records]
    names = {"results.csv", "fix.csv", "unconfirmed.csv", "possible_duplicates.csv",
             "results.xlsx", "summary.json"}  # fmt: skip
    assert {path.name for path in out.iterdir()} == names


def test_a_workbook_is_for_a_colleague(out: Path, tmp_path: Path) -> None:
    """Plain words and no codes; no cell is a formula, no digit is lost, no sheet without rows."""
    book, clean = (openpyxl.load_workbook(out / "results.xlsx"),
                   sheets_of(tmp_path, "name,categoryId\n=1,3\n"))  # fmt: skip
    every = book["All"]
    assert (book.sheetnames, clean.sheetnames) == (["Fix", "All"], ["All"])
    assert (every.freeze_panes, every.auto_filter.ref[:3]) == ("A2", "A1:")
    columns = {cell.value: cell.column for cell in every[1]}
    kept = [every["C2"].value, every["C4"].value, every.cell(2, columns["Id in the store"]).value]
    assert kept == ["=1+1", "007", str(2**60)]
    cells = [cell for sheet in book for row in sheet for cell in row if cell.value]
    assert "f" not in {cell.data_type for cell in cells}
    texts = {str(cell.value) for cell in cells}
    assert not {text for text in texts if text.startswith("_pf_") and "extra" not in text}
    assert not texts & {
        "missing_name",
        "extra_cell",
        "created",
        "unconfirmed",
        "in_flight",
        "pending",
    }
    assert {"not sent, needs fixing", "in the store", "not sent: blank"} <= texts
    noted = {cell.value for cell in clean["All"][2]}
    assert "the name starts like a spreadsheet formula" in noted


def test_a_sheet_says_what_it_cannot_hold(tmp_path: Path) -> None:
    """A cell that a workbook would cut is empty there, and fix.csv has all of it."""
    book = sheets_of(tmp_path, f"name,categoryId\n{'x' * 40_000},cat\n")
    (whole,) = read(tmp_path / "fix.csv")
    assert not book["Fix"]["A2"].value and whole.cells[0] == "x" * 40_000


def test_rows_to_fix_on_two_sheets_are_not_read_from_one(tmp_path: Path, monkeypatch) -> None:
    """A workbook beyond the limit of a sheet names fix.csv, which has every row."""
    monkeypatch.setattr("petstore_frame.storage.excel_styles.SHEET_ROWS", 2)
    book = sheets_of(tmp_path, "name,categoryId\na,cat\nb,cat\nc,cat\n")
    assert book.sheetnames == ["Fix", "All", "Fix 2", "All 2"]
    with pytest.raises(pf.InputError, match=r"several sheets, Fix, Fix 2 .* load fix\.csv"):
        read(tmp_path / "results.xlsx")
    assert len(read(tmp_path / "fix.csv")) == 3


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["=1+1", "'=1", "'", "''=x", "-2", "@x", "\t=1", "007", "_x0041_", "_x000D_", " a ", "＝x"]
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=60))
@example([("", "\r,")])
@settings(max_examples=10)
def test_any_cell_survives_the_way_back(rows: list[tuple[str, str]]) -> None:
    """Whatever a cell holds, it comes back from fix.csv and from the sheet Fix as it was."""
    source, expected = io.StringIO(newline=""), [(a, "cat", b) for a, b in rows]
    csv.writer(source).writerows([["name", "categoryId", "note"], *expected])
    with tempfile.TemporaryDirectory() as folder:
        make_result(Path(folder), source.getvalue()).write(folder)
        fix, sheet = (
            read(Path(folder) / "fix.csv"),
            read(Path(folder) / "results.xlsx", sheet="Fix"),
        )
    assert [record.cells for record in fix] == [record.cells for record in sheet] == expected


@given(st.text())
def test_harmless_text_begins_like_no_formula(text: str) -> None:
    """No spreadsheet runs it, and it is the text with at most a quote before it."""
    assert harmless(text)[:1] not in set("=+-@\t\r\n＝＋－＠")
    assert harmless(text) in (text, f"'{text}")


def test_views_escape_everything(result: LoadResult) -> None:
    """No text of a cell or of the store reaches a page or a terminal as markup."""
    html, text = result._repr_html_(), str(result)
    assert SPOILT not in html and "&lt;img" in html
    assert "some unconfirmed" in html and "result.reconcile(client)" in html
    assert "1 row with no name (line 6); fill it in" in text
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert "columns: name, category id from " in html
    assert "columns: name, category id from " in text and "; not sent: 'note'" in text


def test_a_result_is_never_stale(tmp_path: Path) -> None:
    """What the journal learns later shows in each part of a result; a rehearsal stays as it was."""
    first = make_result(tmp_path, is_rehearsal=True)
    result = make_result(tmp_path)
    before = result.frame
    assert result.frame is before
    change(result, "UPDATE animals SET state = 'created' WHERE row = 3")
    assert result.frame["state"].tolist()[2] == "created"
    assert len(result.created) == result.counts[State.CREATED] == 2
    assert "2 animals added" in str(result)
    assert str(first).startswith("Dry run: arrivals.csv: 8 rows read, 4 animals would be sent")
    assert "4 rows would be sent by the same call without dry_run" in first._repr_html_()


def test_what_was_read_otherwise_is_shown(tmp_path: Path) -> None:
    """It is counted on screen, with its first line, unless that record is refused."""
    rows = ("Ada", 1, "SOLD"), (date(2026, 1, 5), 1), (7, 2), (8, 2), (" Cy", "x", "Sold")
    workbook_of(tmp_path, ("name", "category_id", "status"), *rows)
    result = result_of(tmp_path / "pets.xlsx", tmp_path / "run.sqlite3", is_rehearsal=True)
    for view in (str(result), unescape(result._repr_html_())):
        assert "2 rows: a number was read as text (lines 4, 5)" in view
    assert view_of(result).summary["notes"] == {"number→text": 2, "date→text": 1, "status_case": 1}


def test_a_cause_names_all_that_its_cells_hold(tmp_path: Path) -> None:
    """Where some of the cells are empty and others are not, both are named."""
    rows = [("Ada", ""), ("Bo", "Guinea pigs"), ("Cy", "3")]
    blanks = {"value_map": {"category_id": {"Guinea pigs": "?"}}, "defaults": {"category_id": "?"}}
    with pf.testing.fake_store().client() as client:
        frame = pd.DataFrame(rows, columns=["name", "category_id"], dtype="str")
        result = pf.load(frame, client, journal=tmp_path, recipe=blanks, progress=False)
    assert "in all '' (1), 'Guinea pigs' (1)" in str(result)


def test_a_result_offers_what_its_reference_lists() -> None:
    """What a LoadResult offers is one list; the rest is behind ``view_of`` for our own parts."""
    offered = {name for name in vars(LoadResult) if not name.startswith("_")}
    frames = {"frame", "created", "fix", "possible_duplicates", "unconfirmed", "changed", "ids"}
    facts = {"counts", "warnings", "recipe", "exit_code"}
    actions = {"reconcile", "resolve", "write", "raise_for_failures"}
    assert offered == frames | facts | actions


def test_a_row_is_with_each_of_its_causes(memory_shop: Shop) -> None:
    """A row with two problems counts with the rows of either problem."""
    result = memory_shop.load(
        "a.csv", "name,categoryId,status", "Ada,x,odd", "Bo,1,odd", "Cy,1,sold"
    )
    causes = {cause.problem.code: cause.rows for cause in view_of(result).facts.causes}
    assert causes == {"unknown_status": 2, "not_a_whole_number": 1}


@pytest.mark.parametrize(
    ("reader", "limit"), [("python", "max_errors=0"), ("shell", "--max-errors 0")]
)
def test_a_limit_of_errors_is_named_as_its_reader_types_it(
    memory_shop: Shop, reader: str, limit: str
) -> None:
    """One row is one row, and a command line has options rather than arguments."""
    result = memory_shop.load("a.csv", "name,categoryId", "Ada,x", "Bo,1", max_errors=0)
    assert f"1 row is invalid, more than {limit} allows" in view_of(result).text(reader)


def test_the_reason_for_most_rows_is_not_stored_as_a_sentence(memory_shop: Shop) -> None:
    """The journal has its code and column; the sentence is made when it is shown."""
    result = memory_shop.load("a.csv", "name,categoryId", "Ada,x", "Bo,x", "Cy,x")
    stored = view_of(result).run.facts["common_cause"]
    assert stored == {"code": "not_a_whole_number", "column": "categoryId"}
    assert "most rows fail for one reason: 3 rows: categoryId" in str(result)


def test_invisible_characters_of_a_header_give_a_warning(tmp_path: Path) -> None:
    """The columns are found without them, and the user is told."""
    text = "na\u200bme,\ufeffcategoryId\nRex,3\n"
    result = make_result(tmp_path, text, is_rehearsal=True)
    (warning,) = result.warnings
    assert "Invisible characters" in warning and "'name', 'categoryId'" in warning
    assert make_result(tmp_path, ARRIVALS, is_rehearsal=True).warnings == []


def test_excluded_animals_that_were_loaded_are_counted(memory_shop: Shop) -> None:
    """The printed result has their number, their lines, their status and what to do."""
    header = "tag,name,status"
    animals = [f"{tag},Pet {tag},available" for tag in range(1, 5)]
    memory_shop.load("a.csv", header, *animals, key="tag")
    rows = ["1,Pet 1,sold", "2,Pet 2,sold", "3,Pet 3,sold", "4,Pet 4,available"]
    result = memory_shop.load("b.csv", header, *rows, key="tag", exclude={"status": ["sold"]})
    assert view_of(result).facts.still_shown == {"available": [2, 3, 4]}
    for reader in ("python", "shell"):
        text = view_of(result).text(reader)
        assert "3 animals excluded now (lines 2 to 4), but loaded as available" in text
    assert view_of(result).summary["still_shown"] == {"available": [2, 3, 4]}


def test_lines_of_a_cause_are_ranges(memory_shop: Shop) -> None:
    """Rows that need fixing for one reason are named by their lines, in a row as one range."""
    rows = [f"{number},{'' if number in (0, 1, 2, 7) else 'Ada'}" for number in range(12)]
    result = memory_shop.load("a.csv", "tag,name", *rows, key="tag", max_errors=9)
    assert "4 rows with no name " in str(result) and "(lines 2 to 4, 9)" in str(result)


@given(st.lists(st.integers(1, 60)))
def test_a_line_text_has_each_line_once(lines: list[int]) -> None:
    """The ranges of some lines have exactly these lines, in order and as few as possible."""
    ranges = line_ranges(lines)
    assert [line for span in ranges for line in span] == sorted(set(lines))
    assert all(span.stop < following.start for span, following in pairwise(ranges))
