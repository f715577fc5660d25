"""A journal that has lost anything is noticed before a byte is sent; benchmarks/damage.py has more.

The store's own ledger counts: whatever is done to the files, no animal is there twice.
"""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from benchmarks import damage

import petstore_frame as pf
from faults.load_harness import check_promises, journal_in, result_in
from petstore_frame.errors import DuplicatesError, JournalError
from petstore_frame.loader.journal.database import count_file, read_count, write_count
from petstore_frame.loader.record import State

# A new one each time; a failure names it, for `benchmarks/damage.py --seed`.
SEED = random.SystemRandom().randrange(10**6)
LOST = (
    "log ",
    "one bit of the log",
    "main file and log",
    "count file removed",
    "main file removed",
)


def test_whatever_is_lost_is_noticed_and_nothing_is_doubled() -> None:
    """Logs removed, cut and flipped, older databases and missing files are refused."""
    for kind, found in damage.run(6, SEED).items():
        assert (found.doubled, found.other_errors) == (0, {}), f"{kind}, seed {SEED}"
        if kind.startswith(LOST):
            assert found.refused == found.trials, f"{kind}, seed {SEED}"


def test_a_journal_that_lost_its_log_and_is_moved_away_doubles_nothing(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """The advice of the refusal, followed: the store shows what was sent, and the user is asked."""
    store = stores()
    path = pets_csv(60)
    run_child(path, store, step="committed", nth=9)
    store.wait_until_alone()
    sent, there = store.posts, len(store.pets)
    journal = journal_in(tmp_path)
    journal.with_name(journal.name + "-wal").unlink()
    with pytest.raises(JournalError, match="move these files away"):
        run_load(path, store)
    (tmp_path / "journal").rename(tmp_path / "away")
    with pytest.raises(DuplicatesError):
        run_load(path, store)
    assert store.posts == sent
    result = run_load(path, store, duplicates="skip")
    assert set(store.pet_counts().values()) == {1} and len(store.pets) == 60
    assert result.counts[State.ADOPTED] == there


def test_a_torn_last_write_of_a_power_cut_goes_on(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """A commit that was being written allowed no request yet, so without it nothing is lost."""
    store = stores()
    run_child(pets_csv(60), store, step="committed", nth=9)
    path = journal_in(tmp_path)
    log = path.with_name(path.name + "-wal")
    log.write_bytes(log.read_bytes()[:-1000])
    write_count(path, (read_count(path) or 0) - 1)
    result = run_load(pets_csv(60), store)
    check_promises(result, store)
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 60


def test_a_count_that_is_behind_proves_nothing_lost(
    tmp_path: Path, pets_csv, stores, run_load
) -> None:
    """A power cut may leave the count behind the database, and never ahead of it."""
    store = stores()
    run_load(pets_csv(5), store)
    write_count(journal_in(tmp_path), 1)
    assert run_load(pets_csv(5), store).counts[State.CREATED] == 5 == store.posts


@pytest.mark.parametrize("content", [b"", b"\0" * 21, b"00000000000000000x07\n"])
def test_a_damaged_count_is_refused(
    tmp_path: Path, pets_csv, stores, run_load, content: bytes
) -> None:
    """Without its count nobody knows whether a journal has lost anything."""
    store = stores()
    run_load(pets_csv(5), store)
    count_file(journal_in(tmp_path)).write_bytes(content)
    with pytest.raises(JournalError, match="nothing was sent"):
        run_load(pets_csv(9), store)
    assert store.posts == 5


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_finished_journal_is_read_or_is_one_error(
    tmp_path: Path, pets_csv, stores, run_load, seed: int
) -> None:
    """Ten flipped bits are a JournalError wherever they are noticed, and no other error."""
    store = stores()
    result = run_load(pets_csv(40), store)
    draw = random.Random(seed)
    content = bytearray(result.path.read_bytes())
    for _ in range(10):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    result.path.write_bytes(content)
    looks = (
        lambda: list(result_in(tmp_path).rows()),
        lambda: pf.LoadResult(result.path, result.import_id).counts,
        lambda: pf.LoadResult(result.path, result.import_id).frame,
        lambda: pf.read_ids(store.base_url, journal=tmp_path / "journal"),
    )
    for look in looks:
        with suppress(JournalError):
            look()
