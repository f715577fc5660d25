"""A journal that has lost anything is noticed before a byte is sent; benchmarks/damage.py has more.

The store's own ledger counts: whatever is done to the files, no animal is there twice.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from benchmarks import damage

import petstore_frame as pf
from faults.flaky_store import KEY
from faults.load_harness import check_promises, journal_in, result_in
from petstore_frame.client import Client
from petstore_frame.errors import JournalError
from petstore_frame.loader.call import SHELL
from petstore_frame.loader.journal.checkfile import log_of, path_of, read_mark
from petstore_frame.loader.record import State

# A new one each time; a failure names it, for `benchmarks/damage.py --seed`.
SEED = random.SystemRandom().randrange(10**6)
# What loses nothing: a copy of what is there, or the older half of the check file.
HARMLESS = {
    "nothing", "main file from amid it", "check file from amid it", "check file flipped",
}  # fmt: skip


def test_whatever_is_lost_is_noticed_and_nothing_is_doubled() -> None:
    """Logs removed, cut and flipped, main files older, cut and flipped, files missing: refused."""
    for kind, found in damage.run(10, SEED).items():
        assert (found.doubled, found.other_errors) == (0, {}), f"{kind}, seed {SEED}"
        assert found.refused == (0 if kind in HARMLESS else found.trials), f"{kind}, seed {SEED}"
        if kind.startswith(("log ", "one bit of the log")):  # and the main file is whole
            assert found.accepted == found.trials, f"{kind}, seed {SEED}"


def test_what_a_lost_log_may_have_sent_is_in_doubt_and_read_back(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """The way on that the refusal names sends nothing again, and the store can be read after it."""
    store = stores()
    path = pets_csv(60)
    run_child(path, store, step="committed", nth=9)
    store.settle()
    log_of(journal_in(tmp_path)).unlink()
    with pytest.raises(JournalError, match="accept_loss=True") as refused:
        run_load(path, store)
    assert "petstore-frame load --resume --accept-loss" in refused.value.phrased_by(SHELL)
    sent = store.posts
    with Client(store.base_url, KEY, max_retries=0) as client:
        (result,) = pf.resume_loads(client, journal=tmp_path / "journal", accept_loss=True)
        assert (result.counts[State.UNKNOWN], store.posts) == (60, sent)
        result.reconcile(client, grace_s=0.0, sole_writer=True, resend_absent=True)
    assert set(store.pet_counts().values()) == {1} and len(store.pets) >= sent
    check_promises(result, store)


def test_a_torn_last_write_of_a_power_cut_goes_on(
    tmp_path: Path, pets_csv, stores, run_child, run_load
) -> None:
    """A commit that was being written allowed no request yet, so without it nothing is lost."""
    store = stores()
    run_child(pets_csv(60), store, step="committed", nth=9)
    path = journal_in(tmp_path)
    mark = read_mark(path)
    log = path.with_name(path.name + "-wal")
    log.write_bytes(log.read_bytes()[:-1000])
    with path_of(path).open("r+b") as file:  # as it was before that commit
        file.seek(512 * (mark.turn % 2))
        file.write(b"torn")
    result = run_load(pets_csv(60), store)
    check_promises(result, store)
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 60


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_finished_journal_is_one_error(
    tmp_path: Path, pets_csv, stores, run_load, seed: int
) -> None:
    """Ten flipped bits are a JournalError wherever they are looked at, never wrong rows."""
    result = run_load(pets_csv(40), stores())
    draw = random.Random(seed)
    content = bytearray(result.path.read_bytes())
    for _ in range(10):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    result.path.write_bytes(content)
    looks = (
        lambda: result_in(tmp_path).frame,
        lambda: pf.LoadResult(result.path, result.run_id).counts,
        lambda: pf.read_ids(result.run.base_url, journal=tmp_path / "journal"),
    )
    for look in looks:
        with pytest.raises(JournalError, match="put back"):
            look()
