"""What happens when the journals' folder is not as the imports left it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from faults.load_harness import check_promises, journal_in, result_in
from petstore_frame.errors import InputError, JournalError
from petstore_frame.loader.journal.database import SUFFIX
from petstore_frame.loader.record import State


def test_a_look_at_a_lost_journal_makes_none(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """An old result whose journal is gone says so, and later imports are not disturbed."""
    result = run_load(pets_csv(3), stores())
    for path in (tmp_path / "journal").iterdir():
        path.unlink()
    with pytest.raises(JournalError, match="is missing"):
        len(result.frame)
    assert list((tmp_path / "journal").glob(f"*{SUFFIX}")) == []


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000], ids=["empty", "garbage"])
def test_a_file_that_is_not_a_journal_is_named_before_anything_is_sent(
    tmp_path: Path, pets_csv, stores, run_load, content: bytes
) -> None:
    """A damaged journal may know what is in the store: sending anew is never the advice."""
    store = stores()
    result = run_load(pets_csv(3), store)
    result.path.write_bytes(content)
    with pytest.raises(JournalError, match="Put back the latest copy") as caught:
        run_load(pets_csv(9, first=100, name="b.csv"), store)
    assert str(result.path) in str(caught.value)
    assert store.posts == 3


def test_a_killed_journal_that_was_only_looked_at_goes_on(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """A reader changes nothing of a journal, so the next import finds all that was in its log."""
    store = stores()
    run_child(pets_csv(100), store, step="committed", nth=10)
    log = Path(f"{journal_in(tmp_path)}-wal").read_bytes()
    assert len(result_in(tmp_path).frame) == 100
    assert Path(f"{journal_in(tmp_path)}-wal").read_bytes() == log
    check_promises(run_load(pets_csv(100), store), store)


def test_a_journal_moved_as_a_whole_goes_on(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """All its files in another folder are the same journal; one of them alone is refused."""
    store = stores()
    run_child(pets_csv(100), store, step="committed", nth=10)
    store.wait_until_alone()
    sent, moved = store.posts, tmp_path / "moved"
    shutil.copytree(tmp_path / "journal", moved)
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(journal_in(tmp_path), alone)
    with pytest.raises(JournalError, match="moved or copied without"):
        run_load(pets_csv(100), store, journal=alone)
    assert store.posts == sent
    check_promises(run_load(pets_csv(100), store, journal=moved), store)


def test_a_result_finds_its_journal_from_another_working_directory(
    tmp_path: Path, monkeypatch, pets_csv, stores, run_load
) -> None:
    """A relative folder of journals is made absolute when the import begins."""
    monkeypatch.chdir(tmp_path)
    result = run_load(pets_csv(3), stores(), journal="relative")
    monkeypatch.chdir("/")
    assert "Done" in str(result) and len(result.frame) == 3
    assert Path(result.summary["journal"]).parent == tmp_path / "relative"


def test_an_import_that_could_not_be_staged_leaves_nothing_behind(
    tmp_path: Path, pets_csv, stores, run_load
) -> None:
    """A file that cannot be read to its end is as if it had never been loaded."""
    path = pets_csv(30)
    path.write_text(path.read_text(encoding="utf-8") + 'x,"y"z,1\n', encoding="utf-8")
    store = stores()
    with pytest.raises(InputError):
        run_load(path, store)
    assert store.posts == 0
    assert run_load(pets_csv(30), store).counts[State.CREATED] == 30
