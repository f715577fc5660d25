"""A workbook that is open in Excel on Windows is named in an error, and no result is lost.

Windows refuses to read or to replace a file that another program has opened for itself: Python
raises PermissionError. Linux and macOS have no such lock, so the tests raise it in its place.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from petstore_frame.errors import InputError, ReportError
from petstore_frame.loader import view_of
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.row_state import State
from petstore_frame.tables.table_file import TableFile
from unit.loader.staged import become, result_of


def lock(monkeypatch: pytest.MonkeyPatch, method: str, file: Path) -> None:
    """Refuse to open a file, or to replace it, as Windows does."""
    original = getattr(Path, method)

    def refuse(path: Path, *args, **options):
        if file in (path, *args):
            raise PermissionError(13, "Permission denied", str(path))
        return original(path, *args, **options)

    monkeypatch.setattr(Path, method, refuse)


@pytest.fixture
def result(tmp_path: Path) -> LoadResult:
    """A result that was written once and has changed since."""
    path = tmp_path / "list.csv"
    path.write_text("name,categoryId\nRex,3\nBo,x\n")
    made = result_of(path, tmp_path / "j.sqlite3")
    made.write(tmp_path / "out")
    become(made, 1, State.CREATED, pet_id=5)
    return made


def test_a_locked_file_is_not_loaded(tmp_path: Path, monkeypatch) -> None:
    """The error names the file and says to close it."""
    path = tmp_path / "list.xlsx"
    path.write_bytes(b"")
    lock(monkeypatch, "open", path)
    with pytest.raises(InputError, match=r"list\.xlsx: .*close it there.* same call again"):
        TableFile(path)


def test_the_other_result_files_are_written(tmp_path: Path, result, monkeypatch) -> None:
    """Only the locked workbook keeps its content, and the error names it."""
    out = tmp_path / "out"
    workbook = (out / "results.xlsx").read_bytes()
    lock(monkeypatch, "replace", out / "results.xlsx")
    with pytest.raises(ReportError, match=r"results\.xlsx cannot be replaced: close it in Excel"):
        result.write(out)
    assert (out / "results.xlsx").read_bytes() == workbook
    assert "created" in (out / "results.csv").read_text("utf-8-sig")
    assert view_of(result).summary["states"]["created"] == 1


def test_the_same_call_replaces_the_workbook_when_it_is_closed(
    tmp_path: Path, result, monkeypatch
) -> None:
    """The old workbook still counts as written by the import, so the folder stays the same."""
    out = tmp_path / "out"
    workbook = (out / "results.xlsx").read_bytes()
    with monkeypatch.context() as locked, pytest.raises(ReportError):
        lock(locked, "replace", out / "results.xlsx")
        result.write(out)
    assert {path.parent for path in result.write(out)} == {out}
    assert (out / "results.xlsx").read_bytes() != workbook


def test_a_workbook_that_cannot_be_read_gets_a_folder_beside_it(
    tmp_path: Path, result, monkeypatch
) -> None:
    """Whether somebody changed it is unknown, so nothing in its folder is replaced."""
    lock(monkeypatch, "open", tmp_path / "out" / "results.xlsx")
    with pytest.warns(UserWarning, match="close it if it is open in Excel"):
        paths = result.write(tmp_path / "out")
    assert {path.parent.name for path in paths} == {"out-2"}
