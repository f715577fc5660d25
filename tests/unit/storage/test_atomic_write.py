"""A file is replaced completely or not at all, and only one writer has a lock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petstore_frame.errors import ReportError
from petstore_frame.storage import LockedError, locked, replacing, write_atomically


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs the names of open files")
def test_a_file_is_on_disk_before_it_replaces_another(tmp_path, monkeypatch) -> None:
    """Its bytes first, then its name, then the folder: after a power cut one of both is there."""
    events: list[tuple[str, str]] = []
    fsync, replace = os.fsync, Path.replace

    def record_fsync(handle: int) -> None:
        events.append(("fsync", Path(f"/proc/self/fd/{handle}").readlink().name))
        fsync(handle)

    def record_replace(draft: Path, target: Path) -> None:
        events.append(("replace", draft.name))
        replace(draft, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(Path, "replace", record_replace)
    with replacing(tmp_path / "stock.csv") as draft:
        draft.write_text("id")
    assert events == [("fsync", draft.name), ("replace", draft.name), ("fsync", tmp_path.name)]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path) -> None:
    """A half-written file is removed, and never seen under the final name."""
    path = tmp_path / "stock.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as draft:
        draft.write_text("new")
        raise ZeroDivisionError
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [(path.name, "old")]


def test_a_lock_admits_one_holder_even_in_one_thread(tmp_path) -> None:
    """A second import of the same program must wait like one of another program."""
    path = tmp_path / "journal.lock"
    with locked(path), pytest.raises(LockedError), locked(path):
        pass
    with locked(path):
        pass


@pytest.mark.parametrize(
    "name", ["n" * 300 + ".csv", f"{'d' * 300}/stock.csv", "a\0b/c.csv", "a\0b.csv"]
)
def test_a_path_that_cannot_be_is_an_error_of_ours(tmp_path, name) -> None:
    """Not an OSError or ValueError of the system."""
    with pytest.raises(ReportError), write_atomically(tmp_path / name, ".csv"):
        pass


def test_every_name_that_the_system_takes_can_be_written(tmp_path) -> None:
    """The temporary name next to a long one is not longer."""
    path = tmp_path / ("n" * 251 + ".csv")
    with write_atomically(path, ".csv") as draft:
        draft.write_text("id")
    assert path.read_text() == "id"
