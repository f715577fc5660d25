"""A damaged snapshot gives its rows as they were, or one error, and never wrong rows."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.schema.frame import PetColumns, to_frame

DAY, FILE = "2026-11-02", Path("date=2026-11-02") / "pets.parquet"
TRIALS = 80


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pf.History:
    """Three days of two thousand pets."""
    history = pf.History(tmp_path_factory.mktemp("whole") / "history")
    statuses = ["available", "pending", "sold", None]
    for day in (1, 2, 3):
        pets = [(at, f"Pet {at * day}", at % 7, statuses[(at + day) % 4]) for at in range(2_000)]
        frame = to_frame(PetColumns(*(list(column) for column in zip(*pets, strict=True))))
        at = datetime(2026, 11, day, 12, tzinfo=UTC)
        history.add(pf.Inventory.made_up(frame, fetched_at=at))
    return history


def damages(good: bytes, trials: int) -> Iterator[tuple[str, bytes]]:
    """Bits flipped anywhere, one to ten at once; files cut anywhere; blocks of zeros."""
    chance = random.Random(7)
    for trial in range(trials):
        bad = bytearray(good)
        for _ in range(chance.choice((1, 1, 1, 2, 10))):
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        if bytes(bad) != good:
            yield f"flip {trial}", bytes(bad)
    for trial in range(trials // 4):
        yield f"cut {trial}", good[: chance.randrange(len(good))]
        start = chance.randrange(len(good) - 64)
        zeroed = good[:start] + bytes(64) + good[start + 64 :]
        if zeroed != good:
            yield f"zeros {trial}", zeroed


def asked(history: pf.History, ask: Callable[[pf.History], pd.DataFrame]) -> pd.DataFrame | str:
    """Ask, and return the answer, or the error's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.errors.HistoryWarning)
        try:
            return ask(history)
        except pf.errors.HistoryError as problem:
            return str(problem)


def test_no_damage_gives_wrong_rows(whole: pf.History, tmp_path: Path, campaign: int) -> None:
    """Wherever a file is damaged, its day answers as before, or with its path and what to do."""
    good, refused = (whole.folder / FILE).read_bytes(), 0
    asks = [
        lambda kept: kept.read(DAY).frame,
        lambda kept: kept.summarize(DAY).frame,
    ]
    right = [ask(whole) for ask in asks]
    for trial, (name, bad) in enumerate(damages(good, TRIALS * campaign)):
        history = pf.History(tmp_path / name, engine="duckdb")
        (history.folder / FILE).parent.mkdir(parents=True)
        (history.folder / FILE).write_bytes(bad)
        answer = asked(history, asks[trial % 2])
        if isinstance(answer, pd.DataFrame):
            pd.testing.assert_frame_equal(answer, right[trial % 2], obj=name)
        else:
            refused += 1
            assert str(history.folder / FILE) in answer, name
            assert "move it away, or add that day again" in answer, name
    assert refused > trial / 2  # some bytes mean nothing to a reader, others are of other columns


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas"])
def test_no_engine_reads_damaged_rows(whole: pf.History, tmp_path: Path, engine: str) -> None:
    """Rows that do not fit their checksum stop a question on every engine; other days answer."""
    folder = tmp_path / "history"
    shutil.copytree(whole.folder, folder)
    bad = bytearray((folder / FILE).read_bytes())
    for at in range(50, len(bad) - 8 - int.from_bytes(bad[-8:-4], "little"), 50):
        bad[at] ^= 1  # in each column
    (folder / FILE).write_bytes(bad)
    history = pf.History(folder, engine=engine)
    for ask in (
        lambda kept: kept.diff(),
        lambda kept: kept.trend(),
        lambda kept: kept.flow().ageing,
        lambda kept: kept.summarize(DAY),
        lambda kept: kept.open_all(),
    ):
        assert "its rows do not fit their checksum" in asked(history, ask)
    assert len(history.diff("2026-11-01", "2026-11-03")) == 2_000
