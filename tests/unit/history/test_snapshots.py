"""What lies on the disk: plain Parquet, whole or not there, and never wrong rows."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.inventory import Verdict
from unit.history.conftest import BIG, listing

PETS = [(BIG, "NA", 3, None), (2, "=1+1", BIG, "lost"), (1, "Łóś 🦊", 3, "sold")]


@pytest.fixture
def history(tmp_path) -> pf.History:
    return pf.History(tmp_path / "history")


@pytest.fixture
def add(history):
    """Adds a listing of a day of November."""

    def added(day: int, pets=PETS, **known):
        return history.add(listing(f"2026-11-{day:02}", pets, **known))

    return added


@pytest.fixture
def kept(history, add) -> pf.History:
    """A history of one day."""
    add(1)
    return history


@pytest.mark.parametrize("pets", [PETS, []])
def test_reads_back_what_was_added(history, pets) -> None:
    """A snapshot comes back with its dtypes, its names to the letter, and what it covers."""
    inventory = listing("2026-11-01", pets)
    history.add(inventory)
    back = history.read("2026-11-01")
    expected = inventory.frame.sort_values("id", ignore_index=True)
    pd.testing.assert_frame_equal(back.frame, expected)
    assert (back.completeness, back.fetched_at) == (inventory.completeness, inventory.fetched_at)
    assert pf.completeness(back.frame) == inventory.completeness


def test_plain_readers_need_none_of_us(kept, add) -> None:
    """Others read the folder as hive-partitioned Parquet, whose footer says what it covers."""
    path = add(2).path
    by_duckdb = duckdb.read_parquet(f"{kept.folder}/date=*/*.parquet", hive_partitioning=True)
    assert by_duckdb.aggregate("date::varchar, sum(id)::bigint").order("1").fetchall() == [
        ("2026-11-01", BIG + 3),
        ("2026-11-02", BIG + 3),
    ]
    assert pd.read_parquet(kept.folder)["id"].tolist() == [1, 2, BIG] * 2
    assert pl.read_parquet(kept.folder)["status"].to_list() == ["sold", "lost", None] * 2
    assert b'"verdict": "complete"' in pq.read_metadata(path).metadata[b"petstore_frame"]


def test_one_snapshot_a_day(history, add) -> None:
    """A later listing takes the place of an earlier one of the day, unless that one proves more."""
    less = listing("2026-11-01", PETS[:1], verdict=Verdict.UNKNOWN, hour=21)
    add(1, PETS[:1], hour=8)
    kept = add(1, hour=20)
    inode = kept.path.stat().st_ino
    assert add(1, hour=20) == kept
    with pytest.raises(errors.HistoryError, match="which is not older; add replace=True"):
        add(1, PETS[:2], hour=9)
    with pytest.raises(errors.HistoryError, match="a listing that proves more"):
        history.add(less)
    assert kept.path.stat().st_ino == inode and len(history.read("2026-11-01")) == 3
    history.add(less, replace=True)
    assert [len(history), len(history.read("2026-11-01"))] == [1, 1]


def test_one_instant_is_one_snapshot(kept, add) -> None:
    """Added again under another time zone, where it is another day, it stays the snapshot it is."""
    inventory = kept.read()
    there = pf.History(kept.folder, timezone="Pacific/Kiritimati").add(inventory)
    assert (there.date.day, len(kept)) == (1, 1)


def test_one_store_a_folder(history, add) -> None:
    """Stores do not mix: by their address, but any port of this machine, and by their id."""
    here, other = "http://localhost:4002/v1", "https://store.example/v1"
    add(1, base_url="http://127.0.0.1:4001/v1")
    add(2, base_url=here, store_id="a")
    add(3, base_url=here)
    with pytest.raises(errors.HistoryError, match="use another folder for another store"):
        add(4, base_url=other)
    with pytest.raises(errors.HistoryError, match=r"\(store id a\), .* \(store id b\); use an"):
        add(4, base_url=here, store_id="b")
    assert (len(history), history.read("2026-11-02").store_id) == (3, "a")
    elsewhere = pf.History(history.folder.parent / "elsewhere")
    elsewhere.add(listing("2026-11-04", PETS, base_url=other))
    shutil.copytree(elsewhere.folder, history.folder, dirs_exist_ok=True)
    with pytest.warns(
        errors.HistoryWarning, match=f"of another store, {other}; that day is left out"
    ):
        assert "2026-11-04 is left out" in str(history.diff())
        assert len(history) == 3


def test_a_changed_frame_is_refused(kept, add) -> None:
    """What rows cover that were edited after the fetch is not known."""
    edited = kept.read("2026-11-01")
    edited.frame.loc[0, "status"] = "pending"
    with pytest.raises(errors.HistoryError, match="changed after it was read"):
        pf.History(kept.folder.parent / "other").add(edited)
    with pytest.raises(errors.HistoryError, match="id 2 appears more than once"):
        add(2, [PETS[1], PETS[1]])
    assert [path.name for path in kept.folder.glob("[!.]*")] == ["date=2026-11-01"]


def test_damaged_and_foreign_files_are_named(history, add) -> None:
    """What cannot be read, or lies under another day, is named with why; other days answer."""
    add(1)
    lost = add(2).path
    add(3)
    lost.write_bytes(lost.read_bytes()[:-9])
    foreign = history.folder / "date=2026-11-04" / "pets.parquet"
    foreign.parent.mkdir()
    pd.DataFrame({"id": [1]}).to_parquet(foreign)
    shutil.copytree(history.folder / "date=2026-11-01", history.folder / "date=2026-12-24")
    (history.folder / "date=2026-11-01" / "part-0.parquet").write_bytes(b"")
    (history.folder / "notes.txt").write_text("mine")
    problems = {
        str(problem.path.relative_to(history.folder)): problem for problem in history.problems()
    }
    reasons = {
        "date=2026-11-01/part-0.parquet": "",
        "date=2026-11-02/pets.parquet": "damaged: ",
        "date=2026-11-04/pets.parquet": "no completeness record",
        "date=2026-12-24/pets.parquet": "fetched on 2026-11-01, but stored under another date",
        "notes.txt": "",
    }  # fmt: skip
    assert list(problems) == list(reasons)
    assert all(reason in problems[name].reason for name, reason in reasons.items())
    assert all(problem.reason in repr(history) for problem in problems.values())
    with pytest.warns(errors.HistoryWarning, match="that day is left out"):
        assert "to 2026-11-03: no change; 2026-11-02 is left out (damaged" in str(history.diff())
    with pytest.warns(errors.HistoryWarning):
        trend = history.trend()
        with pytest.raises(errors.HistoryError, match="no snapshot of 2026-12-24"):
            history.read("2026-12-24")
    assert set(trend.loc[trend["pets"].isna(), "bound"]) == {"unreadable"}


DAY, FILE = "2026-11-02", Path("date=2026-11-02") / "pets.parquet"


@pytest.fixture(scope="module")
def three_days(tmp_path_factory) -> pf.History:
    """Three days of two thousand pets."""
    history = pf.History(tmp_path_factory.mktemp("whole") / "history")
    statuses = ["available", "pending", "sold", None]
    for day in (1, 2, 3):
        pets = [(at, f"Pet {at * day}", at % 7, statuses[(at + day) % 4]) for at in range(2_000)]
        history.add(listing(f"2026-11-0{day}", pets))
    return history


def damages(good: bytes, trials: int, draw: random.Random) -> Iterator[bytes]:
    """Bits flipped anywhere, files cut anywhere, and blocks of zeros."""
    for trial in range(trials):
        at = draw.randrange(len(good) - 64)
        yield good[:at] + bytes([good[at] ^ 1 << draw.randrange(8)]) + good[at + 1 :]
        if trial % 4 == 0:
            yield good[:at]
            yield good[:at] + bytes(64) + good[at + 64 :]


def asked(history: pf.History, ask) -> pd.DataFrame | str:
    """Ask, and return the answer, or the error's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.errors.HistoryWarning)
        try:
            return ask(history)
        except pf.errors.HistoryError as problem:
            return str(problem)


QUESTIONS = {
    "read": lambda history: history.read(DAY).frame,
    "trend": lambda history: history.trend(["status", "category_id"]),
    "diff": lambda history: history.diff("2026-11-01", DAY).frame,
    "moves": lambda history: history.flow().moves,
    "ageing": lambda history: history.flow().ageing,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_damage_gives_a_wrong_number(
    three_days, tmp_path, draw: random.Random, times: int, question: str
) -> None:
    """Wherever a file is damaged, its day answers as before, is left out, or ends in an error."""
    good, refused = (three_days.folder / FILE).read_bytes(), 0
    ask = QUESTIONS[question]
    right = ask(three_days)
    for trial, bad in enumerate(damages(good, 30 * times, draw)):
        folder = tmp_path / str(trial)
        shutil.copytree(three_days.folder, folder)
        (folder / FILE).write_bytes(bad)
        history = pf.History(folder)
        answer = asked(history, ask)
        if isinstance(answer, str):
            refused += 1
            assert f"{folder / FILE}" in answer and "move it away, or add that" in answer
        elif history.problems():
            refused += 1
            assert question != "read" and history.problems()[0].path == folder / FILE
            if question == "trend":
                lost = answer["date"].eq(pd.Timestamp(DAY))
                assert answer.loc[lost, "bound"].eq("unreadable").all()
                pd.testing.assert_frame_equal(answer[~lost], right[right["date"].ne(DAY)])
        else:
            pd.testing.assert_frame_equal(answer, right, obj=f"trial {trial}")
    # Some bytes mean nothing to a reader, and most belong to columns that a trend does not read.
    assert refused > trial / (2 if question == "read" else 10)


def test_rows_that_do_not_match_their_checksum_stop_a_question(three_days, tmp_path) -> None:
    """A question that needs damaged rows names the file; one about other days is answered."""
    folder = tmp_path / "history"
    shutil.copytree(three_days.folder, folder)
    bad = bytearray((folder / FILE).read_bytes())
    for at in range(50, len(bad) - 8 - int.from_bytes(bad[-8:-4], "little"), 50):
        bad[at] ^= 1  # in each column
    (folder / FILE).write_bytes(bad)
    history = pf.History(folder)
    for question, ask in QUESTIONS.items():
        assert "its rows do not match their checksum" in asked(history, ask), question
    assert len(history.diff("2026-11-01", "2026-11-03")) == 2_000
