"""What happens when the journals' folder is not as the imports left it."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from faults.flaky_store import KEY, FlakyStore
from faults.load_harness import check_promises
from petstore_frame.client import Client
from petstore_frame.errors import InputError, JournalError
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult


def journals(folder: Path) -> list[Path]:
    return sorted((folder / "journal").glob("*.journal"))


def test_a_copy_of_a_journal_in_its_folder_is_refused(
    tmp_path: Path, pets_csv, stores, run_load
) -> None:
    """Of two journals of one run only one can be right, so neither sends; both are named."""
    store = stores(lambda number: "401" if number == 5 else None)
    (original,) = [run_load(pets_csv(10), store, workers=1).path]
    copy = original.with_name(f"backup of {original.name}")
    shutil.copy(original, copy)
    with pytest.raises(JournalError, match="copies of one journal") as caught:
        run_load(pets_csv(10), store)
    assert str(copy) in str(caught.value) and str(original) in str(caught.value)
    copy.unlink()
    assert run_load(pets_csv(10), store).counts[State.CREATED] == len(store.pets) == 10


def test_a_look_at_a_lost_journal_makes_none(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """An old result whose journal is gone says so, and later imports are not disturbed."""
    result = run_load(pets_csv(3), stores())
    for path in (tmp_path / "journal").iterdir():
        path.unlink()
    with pytest.raises(JournalError, match="missing, damaged or not a journal"):
        len(result.frame)
    assert journals(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000])
def test_a_file_that_is_not_a_journal_is_named_before_anything_is_sent(
    tmp_path: Path, pets_csv, stores, run_load, content: bytes
) -> None:
    """A damaged journal may know what is in the store: sending anew is never the advice."""
    (tmp_path / "journal").mkdir()
    broken = tmp_path / "journal" / "old.journal"
    broken.write_bytes(content)
    store = stores()
    with pytest.raises(JournalError, match="restore it before you load its file again") as caught:
        run_load(pets_csv(3), store)
    assert str(broken) in str(caught.value) and "run the same import again" not in str(caught.value)
    assert store.posts == 0


def test_a_journal_deleted_during_an_import_stops_it(
    tmp_path: Path, pets_csv, stores, run_load
) -> None:
    """An intent that no later import would find is not sent."""
    store: FlakyStore = stores()

    def lose(number: int, stage: str) -> None:
        if number == 20 and stage == "body":
            for path in journals(tmp_path):
                path.unlink()

    store.on_post = lose
    with pytest.raises(JournalError, match="moved or deleted during the import"):
        run_load(pets_csv(200), store, workers=2)
    assert 20 <= store.posts < 30


def test_a_journal_moved_without_its_log_after_a_kill_is_refused(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """What a killed session sent last is in its -wal; without that the rest is not sent."""
    store = stores()
    run_child(pets_csv(100), store, step="committed", nth=10)
    (journal,) = journals(tmp_path)
    moved = tmp_path / "moved"
    moved.mkdir()
    shutil.copy(journal, moved)
    sent = store.posts
    assert sent > 0
    with pytest.raises(JournalError, match="put both into this folder"):
        run_load(pets_csv(100), store, journal=moved)
    with pytest.raises(JournalError, match="put both into this folder"):
        LoadResult(moved / journal.name).resolve(1, not_created=True)
    assert store.posts == sent
    shutil.copy(f"{journal}-wal", moved)
    check_promises(run_load(pets_csv(100), store, journal=moved), store)


def test_a_killed_journal_that_was_only_looked_at_is_whole(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """A reader that closes last brings the -wal into the journal, which then goes on alone."""
    store = stores()
    run_child(pets_csv(100), store, step="committed", nth=10)
    (journal,) = journals(tmp_path)
    assert len(LoadResult(journal).frame) == 100
    assert not Path(f"{journal}-wal").exists()
    check_promises(run_load(pets_csv(100), store), store)


def test_a_result_finds_its_journal_from_another_working_directory(
    tmp_path: Path, monkeypatch, pets_csv, stores, run_load
) -> None:
    """A relative folder of journals is made absolute when the import begins."""
    monkeypatch.chdir(tmp_path)
    result = run_load(pets_csv(3), stores(), journal="relative")
    monkeypatch.chdir("/")
    assert "Done" in str(result) and len(result.frame) == 3
    assert Path(result.summary["journal"]).parent == tmp_path / "relative"


def test_a_damaged_journal_beside_it_is_named(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """Text that is no UTF-8 and missing tables are a JournalError, whichever step meets them."""
    store = stores(lambda number: "fin_after" if number == 3 else None)
    result = run_load(pets_csv(20), store)
    other = run_load(pets_csv(5, name="other.csv", first=100), store).path
    damage(other, "UPDATE rows SET cells = CAST(x'ff' AS TEXT) WHERE number = 2")
    with pytest.raises(JournalError, match="restore it before you load its file again"):
        len(LoadResult(other).frame)
    damage(other, "DROP TABLE attempts")
    with (
        Client(store.base_url, KEY, max_retries=0) as client,
        pytest.raises(JournalError, match=re.escape(str(other))),
    ):
        result.reconcile(client, grace_s=0.0)


def damage(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as sql, sql:
        sql.execute(statement)


def test_an_import_that_could_not_be_staged_leaves_nothing_behind(
    tmp_path: Path, pets_csv, stores, run_load
) -> None:
    """What was written of a journal before it failed does not keep a full disk full."""
    path = pets_csv(30)
    path.write_text(path.read_text(encoding="utf-8") + 'x,"y"z,1\n', encoding="utf-8")
    store = stores()
    with pytest.raises(InputError):
        run_load(path, store)
    assert [file for file in (tmp_path / "journal").iterdir() if file.suffix == ".staging"] == []
    assert store.posts == 0
