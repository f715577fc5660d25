"""What a result, its files and the shell show of an import, whatever happened meanwhile."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from faults.flaky_store import KEY, FlakyStore, answer_of
from petstore_frame.http.settings import IdempotencyKey
from petstore_frame.loader.record import State
from petstore_frame.loader.sending.pool import SessionClocks


class WordyStore(FlakyStore):
    """Answers the second POST in words of its own."""

    def __init__(self, answer: bytes) -> None:
        super().__init__()
        self._answer = answer

    def _misbehave(self, connection, number, fault, headers, body) -> bool:
        if number != 2:
            return super()._misbehave(connection, number, fault, headers, body)
        connection.sendall(self._answer)
        return True


def refusal(**facts) -> bytes:
    error = {"code": "bad", "message": "not this one", "status": 400} | facts
    return answer_of(400, json.dumps(error).encode())


def test_files_written_after_a_second_load_agree(tmp_path: Path, pets_csv, stores, run_load):
    """Looked at before and written after another session, a result shows one moment of it all."""
    store = stores(lambda number: "401" if number == 3 else None)
    result = run_load(pets_csv(6), store, workers=1)
    assert "2 of 6" in str(result)
    run_load(pets_csv(6), store)
    result.write(tmp_path / "out", excel=False)
    with (tmp_path / "out" / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        states = Counter(row["_pf_state"] for row in csv.DictReader(file))
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert states == {"created": 6} and summary["states"]["created"] == 6
    assert (summary["exit_code"], result.exit_code) == (0, 0)


def test_a_key_sent_in_the_future_is_not_repeated(pets_csv, stores, run_load) -> None:
    """A clock that was ahead makes no forgotten key look fresh."""
    ahead = {"s": 86_400.0}
    timing = SessionClocks(now=lambda: 1_800_000_000.0 + ahead["s"])
    keys = IdempotencyKey(3600)
    store = stores(lambda number: "fin_after")
    options = {"idempotency": keys, "timing": timing, "first_patience_s": 0.5}
    first = run_load(pets_csv(1), store, **options)
    assert first.counts[State.UNKNOWN] == 1
    sent = store.posts
    store.fault_of = lambda number: None
    ahead["s"] = 5 * 3600.0
    again = run_load(pets_csv(1), store, **options)
    assert again.counts[State.UNKNOWN] == 1 and store.posts == sent


@pytest.mark.parametrize("facts", [{"field": ["name"]}, {"field": 3}, {"status": 400.0}])
def test_an_error_with_an_extension_of_its_own_rejects_one_record(
    pets_csv, run_load, facts: dict
) -> None:
    """The Error of the interface is read whatever else a store puts beside it."""
    with WordyStore(refusal(**facts)) as store:
        result = run_load(pets_csv(4), store, workers=1)
    assert (result.counts[State.REJECTED], result.counts[State.CREATED]) == (1, 3)


def test_the_record_that_stops_an_import_is_named(pets_csv, run_load) -> None:
    """Where an answer seems to concern every record, the text says to which one it came."""
    with WordyStore(answer_of(413, b"<html>413</html>")) as store:
        result = run_load(pets_csv(4), store, workers=1)
    assert "record 2, line 3" in result.facts.run.ending_detail
    assert result.counts[State.PENDING] == 3


def test_a_huge_message_is_shortened(pets_csv, run_load) -> None:
    """Megabytes of a store's text do not go into every file."""
    with WordyStore(refusal(message="m" * 3_000_000)) as store:
        result = run_load(pets_csv(4), store, workers=1)
    assert 1000 < len(result.fix["error_message"][0]) < 3000


def test_files_are_written_though_reading_back_fails(tmp_path: Path, pets_csv, stores) -> None:
    """The shell's --output has what the import did, also when --reconcile cannot be done."""
    store = stores(lambda number: "500_after" if number == 3 else None)

    def fall(number: int, stage: str) -> None:
        if number == 5 and stage == "answered":
            store.is_up = False

    store.on_post = fall
    out = tmp_path / "out"
    command = [sys.executable, "-m", "petstore_frame", "load", str(pets_csv(5))]
    command += ["--base-url", store.base_url, "--journal", str(tmp_path / "journal")]
    command += ["--output", str(out), "--workers", "1", "--reconcile", "--grace", "0"]
    environment = os.environ | {"PETSTORE_API_KEY": KEY}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode != 0 and "error" in done.stderr
    assert (out / "results.csv").exists() and (out / "unknown.csv").exists()
