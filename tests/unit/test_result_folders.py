"""Result files never replace what a person changed, or what another import wrote."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from petstore_frame.files.whole import replacing
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.results.files import find_place
from petstore_frame.loader.results.results import LoadResult
from unit.staged import change, run_of, stage

TEXT = "name,categoryId\nRex,3\nBo,x\n"


def make_result(
    path: Path, store: str = "one", text: str = TEXT, *, is_rehearsal: bool = False
) -> LoadResult:
    """A result of a file, whose first record is pending and whose second is invalid."""
    if not path.exists():
        path.write_text(text)
    place = path.with_name(f"{path.stem}-{store}.sqlite3")
    if path.parent.name == "out":  # a fix file is of the journal that its import is in
        place = next(path.parent.parent.glob("*.sqlite3"))
    with open_source(path) as source:
        return stage(place, run_of(source), source, is_rehearsal=is_rehearsal)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def correct(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8-sig").replace("Bo,x", "Bo,3"))


def test_files_of_the_same_records_are_replaced(tmp_path: Path, out: Path) -> None:
    """A resume, or a load of the file into another store, writes to where it wrote before."""
    result = make_result(tmp_path / "a.csv")
    assert result.write(out) == result.write(out)
    (out / "fix.csv").unlink()
    for each in (result, make_result(tmp_path / "a.csv", "two")):
        assert [path.parent for path in each.write(out)] == [out] * 5


def test_a_kill_between_two_files_costs_none(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a write ended half-way, its folder is left alone, and the next one is written whole."""
    result = make_result(tmp_path / "a.csv")
    result.write(out)
    change(result, "UPDATE records SET state = 'created', pet_id = 5 WHERE record = 1")
    left = iter(range(2))

    def replace_two(path: Path) -> AbstractContextManager[Path]:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return replacing(path)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("petstore_frame.loader.results.files.replacing", replace_two)
        result.write(out)
    with pytest.warns(UserWarning, match="out-2"):
        assert len(result.write(out)) == 5


@pytest.mark.parametrize("name", ["fix.csv", "results.csv", "unknown.csv", "results.xlsx"])
def test_a_changed_file_is_kept(tmp_path: Path, out: Path, name: str) -> None:
    """A file changed by hand stays as it is, and the whole result goes to a folder beside it."""
    result = make_result(tmp_path / "a.csv")
    result.write(out)
    (out / name).write_bytes((out / name).read_bytes() + b"\n")
    kept = contents(out)
    with pytest.warns(UserWarning, match=rf"out/{name} was changed since .* in .*out-2"):
        first = result.write(out)
    with pytest.warns(UserWarning, match="out-2"):
        assert result.write(out) == first
    assert {path.parent for path in first} == {tmp_path / "out-2"}
    assert contents(out) == kept


def test_results_of_another_import_are_kept(tmp_path: Path, out: Path) -> None:
    """The results of an import are not replaced by another one."""
    make_result(tmp_path / "a.csv").write(out)
    kept = contents(out)
    other = make_result(tmp_path / "b.csv", "two", TEXT + "Cy,1\n")
    with pytest.warns(UserWarning, match=r"the results of another import, of a\.csv"):
        paths = other.write(out)
    assert (contents(out), paths[0].parent) == (kept, tmp_path / "out-2")
    third = make_result(tmp_path / "c.csv", "three", TEXT + "Di,1\n")
    with pytest.warns(UserWarning, match="out-3"):
        third.write(out)


def test_a_corrected_fix_file_is_not_replaced_by_its_own_results(tmp_path: Path, out: Path) -> None:
    """The corrected file that is loaded stays, and so do the results that it came from."""
    make_result(tmp_path / "a.csv").write(out)
    correct(out / "fix.csv")
    kept = contents(out)
    with pytest.warns(UserWarning, match="so .*out stays as it is"):
        make_result(out / "fix.csv", "two").write(out)
    assert {name: data for name, data in contents(out).items() if name in kept} == kept


def test_a_rehearsal_is_replaced_unless_it_is_the_input(tmp_path: Path, out: Path) -> None:
    """A rehearsal created nothing, so its files give way; but never to a load of one of them."""
    make_result(tmp_path / "a.csv", is_rehearsal=True).write(out)
    second = make_result(tmp_path / "b.csv", "two", TEXT + "Cy,1\n", is_rehearsal=True)
    assert second.write(out)[0].parent == out
    kept = contents(out)
    loaded = replace(second.facts.run, place=str((out / "fix.csv").resolve()))
    place, note = find_place(out, loaded)
    assert place != out and "fix.csv is the file that was loaded" in note
    assert kept.items() <= contents(out).items()


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"written_sha256": 3}', '{"written_sha256": {"fix.csv": 3}}'],
)
def test_a_summary_that_says_nothing_frees_no_file(tmp_path: Path, out: Path, text: str) -> None:
    """Files are replaced only on proof that they are ours."""
    result = make_result(tmp_path / "a.csv")
    result.write(out)
    (out / "summary.json").write_text(text)
    with pytest.warns(UserWarning, match="out-2"):
        result.write(out)
    assert (out / "summary.json").read_text() == text


def test_a_folder_in_the_place_of_a_file_stays(tmp_path: Path, out: Path) -> None:
    """A file that cannot be ours is not replaced, and does not cause a failure."""
    (out / "results.csv").mkdir(parents=True)
    with pytest.warns(UserWarning, match=r"results\.csv was not written by an import"):
        paths = make_result(tmp_path / "a.csv").write(out)
    assert (out / "results.csv").is_dir() and paths[0].parent == tmp_path / "out-2"


def test_a_folder_without_a_name_gets_one_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the folder asked for is the current one, the free one is inside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fix.csv").write_text("mine")
    with pytest.warns(UserWarning, match="results-2"):
        paths = make_result(tmp_path / "a.csv").write(".")
    assert paths[0].parent == Path("results-2")
    assert (tmp_path / "fix.csv").read_text() == "mine"
