"""What lies on the disk: plain Parquet, whole or not there, and nothing kept by mistake."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.inventory import Verdict

BIG = 2**53 + 1
PETS = [(BIG, "NA", 3, None), (2, "=1+1", BIG, "lost"), (1, "Łóś 🦊", 3, "sold")]


@pytest.fixture
def history(tmp_path: Path) -> pf.History:
    return pf.History(tmp_path / "history")


def test_reads_back_what_was_added(history, make_inventory) -> None:
    """A snapshot comes back with its dtypes, its names to the letter, and what it covers."""
    inventory = make_inventory("2026-11-01", PETS)
    history.add(inventory)
    back = history.read("2026-11-01")
    expected = inventory.frame.sort_values("id", ignore_index=True)
    pd.testing.assert_frame_equal(back.frame, expected)
    assert (back.completeness, back.fetched_at) == (inventory.completeness, inventory.fetched_at)
    assert pf.completeness(back.frame) == inventory.completeness


def test_empty_store(history, make_inventory) -> None:
    """A store without pets is a snapshot too, with the same columns."""
    history.add(make_inventory("2026-11-01", []))
    back = history.read("2026-11-01")
    assert len(back) == 0
    assert back.frame.dtypes.equals(make_inventory("2026-11-01", PETS[:1]).frame.dtypes)


def test_plain_readers_need_none_of_us(history, make_inventory) -> None:
    """pandas, DuckDB and polars read the folder as the hive-partitioned Parquet that it is."""
    for day in ("2026-11-01", "2026-11-02"):
        history.add(make_inventory(day, PETS))
    pattern = str(history.folder / "date=*" / "*.parquet")
    by_pandas = pd.read_parquet(history.folder)
    by_duckdb = duckdb.read_parquet(pattern, hive_partitioning=True)
    by_polars = pl.read_parquet(history.folder)
    assert by_pandas["id"].tolist() == [1, 2, BIG] * 2
    assert by_duckdb.aggregate("date::varchar, sum(id)::bigint").order("1").fetchall() == [
        ("2026-11-01", BIG + 3), ("2026-11-02", BIG + 3),
    ]  # fmt: skip
    assert by_polars["status"].to_list() == ["sold", "lost", None] * 2


def test_layout(history, make_inventory) -> None:
    """The file is zstd, sorted by id, and says in its own footer what it covers."""
    path = history.add(make_inventory("2026-11-01", PETS)).path
    footer = pq.read_metadata(path)
    column = footer.row_group(0).column(0)
    assert path.relative_to(history.folder).as_posix() == "date=2026-11-01/pets.parquet"
    assert column.compression == "ZSTD"
    assert (column.statistics.min, column.statistics.max) == (1, BIG)
    assert b'"verdict": "complete"' in footer.metadata[b"petstore_frame"]


def test_same_instant_changes_nothing(history, make_inventory) -> None:
    """Adding the same inventory again leaves the file as it is, to the inode."""
    first = history.add(make_inventory("2026-11-01", PETS))
    inode = first.path.stat().st_ino
    assert history.add(make_inventory("2026-11-01", PETS)) == first
    assert first.path.stat().st_ino == inode


def test_one_snapshot_a_day(history, make_inventory) -> None:
    """A later listing of the day takes the place of the earlier, never the other way round."""
    history.add(make_inventory("2026-11-01", PETS[:1], hour=8))
    history.add(make_inventory("2026-11-01", PETS, hour=20))
    with pytest.raises(errors.HistoryError, match="which is not older; replace=True"):
        history.add(make_inventory("2026-11-01", PETS[:2], hour=9))
    assert [len(history), len(history.read("2026-11-01"))] == [1, 3]


def test_proof_is_not_lost_to_less(history, make_inventory) -> None:
    """A listing does not replace one that proves more, unless replace=True asks for it."""
    history.add(make_inventory("2026-11-01", PETS, hour=8))
    weaker = make_inventory("2026-11-01", PETS[:1], verdict=Verdict.UNKNOWN, hour=20)
    with pytest.raises(errors.HistoryError, match="a listing that proves more"):
        history.add(weaker)
    history.add(weaker, replace=True)
    assert len(history.read("2026-11-01")) == 1


def test_one_store_a_folder(history, make_inventory) -> None:
    """Two stores do not mix, but a store on this machine may change its port."""
    history.add(make_inventory("2026-11-01", PETS, base_url="http://127.0.0.1:4001/v1"))
    history.add(make_inventory("2026-11-02", PETS, base_url="http://localhost:4002/v1"))
    with pytest.raises(errors.HistoryError, match="use another folder for another store"):
        history.add(make_inventory("2026-11-03", PETS, base_url="https://store.example/v1"))
    assert len(history) == 2


def test_two_stores_at_one_address_do_not_mix(history, make_inventory) -> None:
    """Where both sides know the store's id, another id is another store, also on this machine."""
    history.add(make_inventory("2026-11-01", PETS, store_id="a"))
    history.add(make_inventory("2026-11-02", PETS))
    with pytest.raises(
        errors.HistoryError, match=r"\(store id a\), .* \(store id b\); use another"
    ):
        history.add(make_inventory("2026-11-02", PETS, store_id="b", hour=20))
    assert history.read("2026-11-01").store_id == "a"


def test_a_snapshot_of_the_first_version_still_opens(history, make_inventory) -> None:
    """Files of earlier versions name no store and have no checksums, and stay in their history."""
    path = history.add(make_inventory("2026-11-01", PETS)).path
    table = pq.read_table(path, partitioning=None)
    footer = json.loads(table.schema.metadata[b"petstore_frame"])
    del footer["store_id"]
    footer["format"] = 1
    pq.write_table(
        table.replace_schema_metadata({b"petstore_frame": json.dumps(footer).encode()}), path
    )
    history.add(make_inventory("2026-11-02", PETS, store_id="a"))
    assert (len(history), history.problems()) == (2, [])


def test_a_field_that_came_later_is_missing_in_earlier_days(history, make_inventory) -> None:
    """A snapshot without a field that a pet has by now opens, and has no value there."""
    path = history.add(make_inventory("2026-11-01", PETS)).path
    table = pq.read_table(path, partitioning=None)
    record = json.loads(table.schema.metadata[b"petstore_frame"]) | {"format": 1}
    known = {b"petstore_frame": json.dumps(record).encode()}
    pq.write_table(table.drop_columns("status").replace_schema_metadata(known), path)
    back = history.read()
    assert back.frame["status"].isna().all()
    assert back.frame.dtypes.equals(make_inventory("2026-11-01", PETS[2:]).frame.dtypes)
    assert history.open().columns == ["id", "name", "category_id", "date"]
    with pytest.raises(pf.ArgumentError, match="columns is one or more of id, name, category_id"):
        history.open(columns=["status"])


def test_a_changed_frame_is_refused(history, make_inventory) -> None:
    """What rows cover that were edited after the fetch is not known."""
    inventory = make_inventory("2026-11-01", PETS)
    history.add(inventory)
    kept = history.read("2026-11-01")
    kept.frame.loc[0, "status"] = "pending"
    with pytest.raises(errors.HistoryError, match="changed after it was read"):
        pf.History(history.folder.parent / "other").add(kept)
    with pytest.raises(errors.HistoryError, match="id 2 appears more than once"):
        history.add(make_inventory("2026-11-02", [PETS[1], PETS[1]]))
    assert [path.name for path in history.folder.iterdir() if path.name[0] != "."] == [
        "date=2026-11-01"
    ]


@pytest.fixture
def damaged(history, make_inventory) -> pf.History:
    """Three days, the second of them damaged, beside files that do not belong here."""
    for day in ("2026-11-01", "2026-11-02", "2026-11-03"):
        history.add(make_inventory(day, PETS))
    lost = history.folder / "date=2026-11-02" / "pets.parquet"
    lost.write_bytes(lost.read_bytes()[:-9])
    foreign = history.folder / "date=2026-11-04" / "pets.parquet"
    foreign.parent.mkdir()
    pd.DataFrame({"id": [1]}).to_parquet(foreign)
    (history.folder / "date=2026-11-01" / "part-0.parquet").write_bytes(b"")
    (history.folder / "notes.txt").write_text("mine")
    return history


def test_damaged_and_foreign_files_are_named(damaged) -> None:
    """What cannot be read is named with its reason."""
    reasons = {
        str(each.path.relative_to(damaged.folder)): each.reason for each in damaged.problems()
    }
    assert list(reasons) == [
        "date=2026-11-01/part-0.parquet", "date=2026-11-02/pets.parquet",
        "date=2026-11-04/pets.parquet", "notes.txt",
    ]  # fmt: skip
    assert reasons["date=2026-11-02/pets.parquet"].startswith("damaged: ")
    assert "no completeness record" in reasons["date=2026-11-04/pets.parquet"]
    assert all(reason in repr(damaged) for reason in reasons.values())


def test_the_other_days_still_answer(damaged) -> None:
    """A damaged day is left out of a difference, and marked in a trend."""
    with pytest.warns(errors.HistoryWarning, match="that day is left out"):
        assert str(damaged.diff()) == "2026-11-01 to 2026-11-03: no change"
    with pytest.warns(errors.HistoryWarning):
        trend = damaged.trend()
    assert set(trend.loc[trend["pets"].isna(), "count_is"]) == {"unreadable"}


def test_a_file_under_another_date_is_named(history, make_inventory) -> None:
    """A snapshot that was moved by hand does not speak for another day."""
    history.add(make_inventory("2026-11-01", PETS))
    shutil.copytree(history.folder / "date=2026-11-01", history.folder / "date=2026-12-24")
    assert [str(each.reason) for each in history.problems()] == [
        "fetched on 2026-11-01, but kept under another date"
    ]
    with pytest.raises(errors.HistoryError, match="no snapshot of 2026-12-24"):
        history.read("2026-12-24")


def test_one_writer_at_a_time(history, make_inventory) -> None:
    """While another process writes, nothing is added and nothing is changed."""
    history.add(make_inventory("2026-11-01", PETS))
    handle = os.open(history.folder / ".lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(errors.HistoryLockedError, match="another writer is at work"):
        history.add(make_inventory("2026-11-02", PETS))
    os.close(handle)
    history.add(make_inventory("2026-11-02", PETS))
    assert len(history) == 2


_LATER = """
import dataclasses, os, resource, signal, sys
import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.files import whole

history = pf.History(sys.argv[1])
kept = history.read("2026-11-01")
day_after = kept.fetched_at.replace(day=2)
later = pf.Inventory(kept.frame, dataclasses.replace(kept.origin, fetched_at=day_after))
"""


def add_later(folder: Path, before: str) -> subprocess.CompletedProcess[str]:
    """Add the second day in a process of its own, in which something goes wrong first."""
    script = f"{_LATER}\n{before}\nhistory.add(later)"
    words = [sys.executable, "-c", script, str(folder)]
    return subprocess.run(words, check=False, capture_output=True, text=True)


def test_full_disk_changes_nothing(history, make_inventory) -> None:
    """Where no more bytes fit, the error names the file and the history is as it was."""
    history.add(make_inventory("2026-11-01", PETS))
    failed = add_later(history.folder, "resource.setrlimit(resource.RLIMIT_FSIZE, (999, 999))")
    assert "HistoryError" in failed.stderr and "nothing was changed" in failed.stderr
    assert len(history) == 1
    assert sorted(path.name for path in history.folder.iterdir()) == [".lock", "date=2026-11-01"]


def test_a_folder_that_cannot_be_is_named(tmp_path, make_inventory) -> None:
    """A path that cannot be a folder is refused by name."""
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.HistoryError, match="file cannot be written to"):
        pf.History(tmp_path / "file").add(make_inventory("2026-11-01", PETS))
    assert (tmp_path / "file").read_text() == ""


def test_killed_writer_leaves_the_old_state(history, make_inventory) -> None:
    """A writer killed half-way leaves no snapshot, no lock, and nothing that readers see."""
    history.add(make_inventory("2026-11-01", PETS))
    kill = "whole.sync = lambda path: os.kill(os.getpid(), signal.SIGKILL)"
    killed = add_later(history.folder, kill)
    assert killed.returncode == -9
    assert [len(history), len(pd.read_parquet(history.folder))] == [1, 3]
    assert list(history.folder.glob(".writing-*")) != []
    history.add(make_inventory("2026-11-02", PETS))
    assert list(history.folder.glob(".writing-*")) == []
