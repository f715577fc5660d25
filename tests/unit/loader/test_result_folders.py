"""Result files never replace what a person changed, or what another import wrote."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.loader import view_of
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.results.result_files import find_place
from petstore_frame.loader.row_state import State
from petstore_frame.storage.atomic_write import replacing
from unit.loader.staged import become, result_of

TEXT = "name,categoryId\nRex,3\nBo,x\n"


def make_result(
    path: Path, store: str = "one", text: str = TEXT, *, is_rehearsal: bool = False
) -> LoadResult:
    """A result of a file, whose first record is pending and whose second is invalid."""
    if not path.exists():
        path.write_text(text)
    place = path.with_name(f"{path.stem}-{store}.sqlite3")
    return result_of(path, place, is_rehearsal=is_rehearsal)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def result(tmp_path: Path, out: Path) -> LoadResult:
    """A result whose files are written."""
    made = make_result(tmp_path / "a.csv")
    made.write(out)
    return made


def write_beside(result: LoadResult, out: Path, words: str) -> str:
    """Write a result whose folder is taken, and stays; return the name of its folder."""
    before = {path: path.is_file() and path.read_bytes() for path in out.iterdir()}
    with pytest.warns(UserWarning, match=words) as warned:
        paths = result.write(out)
    (folder,) = {path.parent for path in paths}
    assert len(paths) == 6 and folder.parent == out.parent
    notice = f"so {out} is unchanged; these results are in {folder}"
    assert str(warned[0].message).endswith(notice)
    assert {path: path.is_file() and path.read_bytes() for path in out.iterdir()} == before
    return folder.name


def test_files_of_the_same_records_are_replaced(tmp_path: Path, out: Path, result) -> None:
    """So are those of a rehearsal, which created nothing; but never the file that is loaded."""
    (out / "fix.csv").unlink()
    for other in (result, make_result(tmp_path / "a.csv", "two")):
        assert [path.parent for path in other.write(out)] == [out] * 6
    loaded = replace(view_of(result).facts.run, place=str((out / "fix.csv").resolve()))
    place, note = find_place(out, loaded)
    assert place != out and "fix.csv is the file that was loaded" in note
    rehearsed = tmp_path / "rehearsed"
    for name in ("b.csv", "c.csv"):
        text = f"{TEXT}{name},1\n"
        made = make_result(tmp_path / name, name, text, is_rehearsal=True)
        assert made.write(rehearsed)[0].parent == rehearsed


def test_a_kill_between_two_files_costs_none(out: Path, result: LoadResult, monkeypatch) -> None:
    """Where a write ended half-way, its folder is left alone, and the next one is written whole."""
    become(result, 1, State.CREATED, pet_id=5)
    left = iter(range(2))

    def replace_two(path: Path, **draft: Path) -> AbstractContextManager[Path]:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return replacing(path, **draft)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("petstore_frame.loader.results.result_files.replacing", replace_two)
        result.write(out)
    assert write_beside(result, out, "was changed since it was written") == "out-2"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        *((name, None, f"out/{name} was changed since") for name in ("fix.csv", "results.xlsx")),
        # A summary that proves nothing.
        *(("summary.json", text, "petstore-frame did not write it")
          for text in ("", "[]", '{"written_sha256": 3}', '{"written_sha256": {"fix.csv": 3}}')),
        ("results.csv", "a folder", "petstore-frame did not write it"),
    ],
)  # fmt: skip
def test_a_changed_file_is_kept(out: Path, result: LoadResult, name: str, content, words) -> None:
    """Files are replaced only on proof that they are ours, as they were written."""
    path = out / name
    if content == "a folder":
        (out / "summary.json").unlink()
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(path.read_bytes() + b"\n" if content is None else content.encode())
    for _ in range(2):  # the second time its own files are replaced
        assert write_beside(result, out, words) == "out-2"


@pytest.mark.usefixtures("result")
def test_results_of_another_import_are_kept(tmp_path: Path, out: Path, monkeypatch) -> None:
    """They go to a folder beside, or inside where the folder asked for is the current one."""
    for at, name in ((2, "Cy"), (3, "Di")):
        other = make_result(tmp_path / f"{name}.csv", name, f"{TEXT}{name},1\n")
        assert write_beside(other, out, r"the results of another import, of a\.csv") == f"out-{at}"
    monkeypatch.chdir(out)
    with pytest.warns(UserWarning, match="results-2"):
        assert {path.parent for path in other.write(".")} == {Path("results-2")}


def test_a_file_where_a_folder_is_expected_is_named(tmp_path: Path) -> None:
    """The user gets an error of this package, and the file stays as it is."""
    result = make_result(tmp_path / "pets.csv")
    file = tmp_path / "a_file.csv"
    file.write_text("mine")
    with pytest.raises(pf.PetstoreError, match="folder must be a folder"):
        result.write(file)
    with pytest.raises(pf.PetstoreError, match="is not a folder"):
        pf.Recipe().write(file / "recipe.toml")
    assert file.read_text() == "mine"


def test_a_fix_file_that_nobody_edited_is_written_again(tmp_path: Path) -> None:
    """It is a result of the import, not its input; an edited one stays, next to the new results."""
    source, results = tmp_path / "a.csv", tmp_path / "results"
    source.write_text("tag,name,categoryId\n1,Rex,1\n2,,1\n")
    with pf.testing.fake_store().client() as client:
        pf.load(source, client, key="tag", journal=tmp_path / "journal").write(results)
        loaded = pf.load(results / "fix.csv", client, journal=tmp_path / "journal")
        assert {path.parent for path in loaded.write(results)} == {results}
        fix = results / "fix.csv"
        edited = fix.read_bytes().replace(b"2,,", b"2,Bo,")
        fix.write_bytes(edited)
        loaded = pf.load(fix, client, journal=tmp_path / "journal")
        with pytest.warns(UserWarning, match="was changed since"):
            loaded.write(results)
    assert fix.read_bytes() == edited
