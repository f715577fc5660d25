"""A damaged snapshot is one error with its path and the next step, and never wrong rows."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

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


def asked(history: pf.History, ask: Callable[[pf.History], object]) -> str:
    """Ask, and return the error's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.errors.HistoryWarning)
        with pytest.raises(pf.errors.HistoryError) as caught:
            ask(history)
    return str(caught.value)


def test_no_damage_gives_rows(whole: pf.History, tmp_path: Path, campaign: int) -> None:
    """Wherever a file is damaged, its day answers with its path and what to do, in one error."""
    good = (whole.folder / FILE).read_bytes()
    for trial, (name, bad) in enumerate(damages(good, TRIALS * campaign)):
        history = pf.History(tmp_path / name, engine="duckdb")
        (history.folder / FILE).parent.mkdir(parents=True)
        (history.folder / FILE).write_bytes(bad)
        text = asked(history, (lambda kept: kept.trend()) if trial % 10 else lambda k: k.read(DAY))
        assert str(history.folder / FILE) in text, name
        assert "move it away, or add that day again" in text, name


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas"])
def test_no_engine_reads_damaged_rows(whole: pf.History, tmp_path: Path, engine: str) -> None:
    """Rows that do not fit their checksum stop a question on every engine; other days answer."""
    folder = tmp_path / "history"
    shutil.copytree(whole.folder, folder)
    bad = bytearray((folder / FILE).read_bytes())
    bad[len(bad) // 3] ^= 1
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


def test_a_name_may_read_like_a_checksum(tmp_path: Path, make_inventory) -> None:
    """What a pet is called never takes the place of the file's own checksums."""
    name = "rows 00000000 footer 00000000"
    history = pf.History(tmp_path / "history")
    history.add(make_inventory("2026-11-01", [(1, name, 3, name)], base_url=f"https://x/{name}"))
    assert history.read().frame["name"].tolist() == [name]
