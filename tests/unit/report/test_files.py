"""A report is the old file or the whole new one, in each of its kinds."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.errors import MissingExtraError, ReportError
from petstore_frame.inventory import Verdict

KINDS = ["xlsx", "csv", "parquet", "html"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_leaves_nothing_beside_it(kind, inventory_of, tmp_path) -> None:
    """The file takes its name when it is whole, and the temporary one is gone."""
    path = pf.write_report(inventory_of(), tmp_path / f"stock.{kind.upper()}")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o600 == 0o600


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_that_fails_leaves_the_old_one(kind, inventory_of, tmp_path, monkeypatch) -> None:
    """When the rename is refused, as for a file open in Excel, the old file is as it was."""
    path = tmp_path / f"stock.{kind}"
    path.write_text("the old one")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(ReportError, match="open in another program"):
        pf.write_report(inventory_of(), path)
    assert path.read_text() == "the old one"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_progress_that_fails_leaves_the_old_one(inventory_of, tmp_path) -> None:
    """An interruption half-way changes no file."""
    path = tmp_path / "stock.xlsx"
    path.write_text("the old one")

    def interrupt(pets: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pf.write_report(inventory_of(), path, progress=interrupt)
    assert path.read_text() == "the old one"
    assert len(list(tmp_path.iterdir())) == 1


def test_permissions_of_the_old_file_are_kept(inventory_of, tmp_path) -> None:
    """A report that only its owner may read stays so."""
    path = pf.write_report(inventory_of(), tmp_path / "stock.csv")
    path.chmod(0o600)
    assert pf.write_report(inventory_of(), path).stat().st_mode & 0o777 == 0o600


def test_a_missing_folder_is_named(inventory_of, tmp_path) -> None:
    """The folder that does not exist is in the text."""
    with pytest.raises(ReportError, match=r"the folder .*nowhere does not exist"):
        pf.write_report(inventory_of(), tmp_path / "nowhere" / "stock.xlsx")
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match=r"file is a file, not a folder"):
        pf.write_report(inventory_of(), tmp_path / "file" / "stock.xlsx")


@pytest.mark.parametrize("lock", [".~lock.stock.xlsx#", "~$stock.xlsx"])
def test_a_file_open_in_an_office_program_is_refused(lock, inventory_of, tmp_path) -> None:
    """The lock file of LibreOffice or Excel is named, since the program would write over ours."""
    (tmp_path / lock).write_text("")
    with pytest.raises(ReportError, match=f"open in another program.*{re.escape(lock)}"):
        pf.write_report(inventory_of(), tmp_path / "stock.xlsx")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("a.ods", "LibreOffice"), ("a.xls", "65,536"), ("a", ".xlsx, .csv"), ("a.txt", ".xlsx, .csv")],
)
def test_other_endings_are_refused_with_a_hint(name, hint, inventory_of, tmp_path) -> None:
    """What cannot be written is refused before anything is, and the text says what can."""
    with pytest.raises(ReportError, match=hint):
        pf.write_report(inventory_of(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_complete_can_be_required(inventory_of, tmp_path) -> None:
    """With require_complete a doubt is refused, in its own words; without, it is reported."""
    doubtful = inventory_of(verdict=Verdict.UNKNOWN)
    with pytest.raises(ReportError, match="unknown: at least 5 pets"):
        pf.write_report(doubtful, tmp_path / "stock.xlsx", require_complete=True)
    assert pf.write_report(doubtful, tmp_path / "stock.xlsx").exists()
    assert pf.write_report(inventory_of(), tmp_path / "s.csv", require_complete=True).exists()


def test_a_missing_library_is_named_with_its_pip_line(inventory_of, tmp_path, monkeypatch) -> None:
    """Without XlsxWriter the error has the exact line to type, and no file is left."""
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    line = re.escape("python -m pip install 'petstore-frame[excel]'")
    with pytest.raises(MissingExtraError, match=line):
        pf.write_report(inventory_of(), tmp_path / "stock.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": float}, "'id': float64, not whole numbers; read ids as int64"),
        ({"category_id": str}, "'category_id': (str|object), not whole numbers"),
    ],
)
def test_ids_that_may_have_changed_are_refused(change, message, inventory_of, tmp_path) -> None:
    """An id column of floats may have been rounded; the report does not pass it on."""
    with pytest.raises(pf.InputError, match=message):
        pf.write_report(inventory_of().frame.astype(change), tmp_path / "stock.xlsx")


def test_a_filtered_frame_is_reported_as_unknown(inventory_of, tmp_path) -> None:
    """What rows cover that were taken out by hand is not known, and the report says why."""
    frame = inventory_of().frame
    whole = pf.write_report(frame, tmp_path / "whole.html").read_text()
    part = pf.write_report(frame[frame["status"] == "sold"], tmp_path / "part.html").read_text()
    assert "Complete: 5 pets" in whole
    assert "Unknown: at least 2 pets: the table was changed after it was read: 3 pets fewer" in part


def test_a_stated_filter_is_reported_with_what_is_known(inventory_of, tmp_path) -> None:
    """The pets that a stated filter leaves are a part, of which the report says that it is all."""
    part = inventory_of().where(category_id=3)
    text = pf.write_report(part, tmp_path / "part.html").read_text()
    assert "Complete: 3 pets with category 3" in text


def test_a_bar_is_shown_when_asked_for(inventory_of, tmp_path, capsys, monkeypatch) -> None:
    """True shows a bar to who waits, False and an unwatched None show none."""
    monkeypatch.setattr("petstore_frame.report.write.PATIENCE_S", 0.0)
    for progress in (None, False):
        pf.write_report(inventory_of(), tmp_path / "stock.csv", progress=progress)
        assert capsys.readouterr().err == ""
    pf.write_report(inventory_of(), tmp_path / "stock.csv", progress=True)
    assert "Pets written" in capsys.readouterr().err


def test_csv_is_what_a_spreadsheet_opens(inventory_of, tmp_path) -> None:
    """UTF-8 with a mark, a header, one line a pet, and no text that a spreadsheet would run."""
    path = pf.write_report(inventory_of(), tmp_path / "stock.csv", categories={3: "Cat"})
    assert path.read_bytes().startswith(b"\xef\xbb\xbfid,name,category_id,category,status")
    rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert rows[2] == [str(2**63 - 1), "'=1+1", "3", "Cat", "sold"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


def test_csv_without_formulas_has_only_its_columns(inventory_of, tmp_path) -> None:
    """The column that names guarded cells is there only where a cell is guarded."""
    inventory = inventory_of([(1, "Luna", 3, None)])
    text = pf.write_report(inventory, tmp_path / "s.csv").read_text(encoding="utf-8-sig")
    assert text.splitlines() == ["id,name,category_id,status", "1,Luna,3,"]


def test_parquet_keeps_the_claim(inventory_of, tmp_path) -> None:
    """Read back by pandas the rows are equal, and the frame still proves what it covers."""
    inventory = inventory_of()
    frame = pd.read_parquet(pf.write_report(inventory, tmp_path / "stock.parquet"))
    pd.testing.assert_frame_equal(frame, inventory.frame)
    assert str(pf.completeness(frame)) == str(inventory.completeness)


def test_progress_counts_every_pet(inventory_of, tmp_path) -> None:
    """A caller's function is told the number so far, up to all pets, whatever the kind."""
    for kind in KINDS:
        told: list[int] = []
        pf.write_report(inventory_of(), tmp_path / f"stock.{kind}", progress=told.append)
        assert told[-1] == 5


@pytest.mark.parametrize("as_history", [str, pf.History])
def test_a_history_without_a_folder_is_refused(as_history, inventory_of, tmp_path) -> None:
    """A mistyped folder is named, and no report says that nothing changed."""
    missing = as_history(tmp_path / "histroy")
    with pytest.raises(
        errors.ReportError, match="histroy' does not exist, so no report was written"
    ):
        pf.write_report(inventory_of(), tmp_path / "pets.xlsx", history=missing)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".html"])
def test_what_a_report_does_not_show_is_refused(ending: str, inventory_of, tmp_path) -> None:
    """A history or results for a file without sheets is refused, not dropped."""
    for extra in ("history", "results"):
        with pytest.raises(pf.ArgumentError, match=f"{extra} can be shown in an .xlsx report only"):
            pf.write_report(inventory_of(), tmp_path / f"stock{ending}", **{extra: "nowhere"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"progress": "yes"}, "progress is a function, True, False or None, got 'yes'"),
        ({"history": 3}, "history is a History or its folder, got 3"),
        ({"results": 3}, "results is a LoadResult, got int"),
        ({"path": 3}, "path is the file to write, got int"),
    ],
)
def test_wrong_options_are_refused(options, message: str, inventory_of, tmp_path) -> None:
    """A wrong option is named before a file is made."""
    call = {"pets": inventory_of(), "path": tmp_path / "stock.xlsx"} | options
    with pytest.raises(pf.ArgumentError, match=message):
        pf.write_report(**call)
    assert list(tmp_path.iterdir()) == []
