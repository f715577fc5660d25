"""Result files never replace what a person changed, or what another import wrote."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from petstore_frame.files.whole import replacing
from petstore_frame.loader.record import State
from petstore_frame.loader.results.files import find_place
from petstore_frame.loader.results.results import LoadResult
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


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def write_beside(result: LoadResult, out: Path, words: str) -> str:
    """Write a result whose folder is taken, and stays; return the name of its folder."""
    kept = contents(out)
    with pytest.warns(UserWarning, match=words) as warned:
        paths = result.write(out)
    (folder,) = {path.parent for path in paths}
    assert len(paths) == 5 and folder.parent == out.parent
    told = f"so {out} stays as it is; these results are in {folder}"
    assert str(warned[0].message).endswith(told)
    assert contents(out) == kept
    return folder.name


def test_files_of_the_same_records_are_replaced(tmp_path: Path, out: Path, result) -> None:
    """A resume, or a load of the file into another store, writes to where it wrote before."""
    (out / "fix.csv").unlink()
    for each in (result, make_result(tmp_path / "a.csv", "two")):
        assert [path.parent for path in each.write(out)] == [out] * 5


def test_a_kill_between_two_files_costs_none(out: Path, result: LoadResult, monkeypatch) -> None:
    """Where a write ended half-way, its folder is left alone, and the next one is written whole."""
    become(result, 1, State.CREATED, pet_id=5)
    left = iter(range(2))

    def replace_two(path: Path, **draft: Path) -> AbstractContextManager[Path]:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return replacing(path, **draft)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("petstore_frame.loader.results.files.replacing", replace_two)
        result.write(out)
    assert write_beside(result, out, "changed since it was written by an import") == "out-2"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        *((name, None, f"out/{name} was changed since")
          for name in ("fix.csv", "results.csv", "unknown.csv", "results.xlsx")),
        # A summary that proves nothing.
        *(("summary.json", text, "not written by an import")
          for text in ("", "[]", '{"written_sha256": 3}', '{"written_sha256": {"fix.csv": 3}}')),
    ],
)  # fmt: skip
def test_a_changed_file_is_kept(out: Path, result: LoadResult, name: str, content, words) -> None:
    """Files are replaced only on proof that they are ours, as they were written."""
    path = out / name
    path.write_bytes(path.read_bytes() + b"\n" if content is None else content.encode())
    for _ in range(2):  # the second time its own files are replaced
        assert write_beside(result, out, words) == "out-2"


def test_a_folder_in_the_place_of_a_file_stays(tmp_path: Path, out: Path) -> None:
    """A file that cannot be ours is not replaced, and does not cause a failure."""
    (out / "results.csv").mkdir(parents=True)
    words = r"results\.csv was not written by an import"
    assert write_beside(make_result(tmp_path / "a.csv"), out, words) == "out-2"
    assert (out / "results.csv").is_dir()


@pytest.mark.usefixtures("result")
def test_results_of_another_import_are_kept(tmp_path: Path, out: Path) -> None:
    """The results of an import are not replaced by another one."""
    for at, name in ((2, "Cy"), (3, "Di")):
        other = make_result(tmp_path / f"{name}.csv", name, f"{TEXT}{name},1\n")
        assert write_beside(other, out, r"the results of another import, of a\.csv") == f"out-{at}"


def test_a_rehearsal_is_replaced_unless_it_is_the_input(tmp_path: Path, out: Path) -> None:
    """A rehearsal created nothing, so its files give way; but never to a load of one of them."""
    make_result(tmp_path / "a.csv", is_rehearsal=True).write(out)
    second = make_result(tmp_path / "b.csv", "two", TEXT + "Cy,1\n", is_rehearsal=True)
    assert second.write(out)[0].parent == out
    loaded = replace(second.facts.run, place=str((out / "fix.csv").resolve()))
    place, note = find_place(out, loaded)
    assert place != out and "fix.csv is the file that was loaded" in note


def test_a_folder_without_a_name_gets_one_inside(tmp_path: Path, monkeypatch) -> None:
    """Where the folder asked for is the current one, the free one is inside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fix.csv").write_text("mine")
    with pytest.warns(UserWarning, match="results-2"):
        paths = make_result(tmp_path / "a.csv").write(".")
    assert paths[0].parent == Path("results-2")
    assert (tmp_path / "fix.csv").read_text() == "mine"
