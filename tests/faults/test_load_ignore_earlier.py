"""What was skipped as loaded before is reported, and sent where it is another animal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from faults.test_load_again import names, write
from petstore_frame.loader.record import State

MONDAY = ("Bella,1,available", "Luna,2,available")
TUESDAY = (*MONDAY, "Max,1,sold", ",,")


def test_what_was_skipped_names_the_earlier_file_and_the_next_step(
    tmp_path: Path, stores, run_load
) -> None:
    """Text, HTML and summary tell records loaded before from blank ones, with file and day."""
    store = stores()
    run_load(write(tmp_path, *MONDAY, name="monday.csv"), store)
    result = run_load(write(tmp_path, *TUESDAY, name="tuesday.csv"), store)
    earlier = f"monday.csv, loaded {datetime.now(UTC):%Y-%m-%d}"
    for view in (str(result), result._repr_html_()):
        assert f"same as a record of {earlier}" in view and "blank" in view
        assert "2 loaded before" in view and "ignore_earlier=True sends just these" in view
    result.write(tmp_path / "out", excel=False)
    written = json.loads((tmp_path / "out" / "summary.json").read_text())["skipped"]
    assert [(found["reason"], found["records"]) for found in written] == [
        ("created_earlier", 2),
        ("blank", 1),
    ]
    assert written[0]["source"] == "monday.csv"


def test_other_animals_are_sent_afterwards_and_only_once(tmp_path: Path, stores, run_load) -> None:
    """The option sends what was skipped as loaded before; repeated, it sends nothing."""
    store = stores()
    run_load(write(tmp_path, *MONDAY, name="monday.csv"), store)
    tuesday = write(tmp_path, *TUESDAY, name="tuesday.csv")
    run_load(tuesday, store)
    assert names(store) == ["Bella", "Luna", "Max"]
    for _ in range(2):
        result = run_load(tuesday, store, ignore_earlier=True)
        assert names(store) == ["Bella", "Bella", "Luna", "Luna", "Max"]
        assert result.counts[State.CREATED] == 3 and "loaded before" not in str(result)
    assert not any(result.frame["error_message"].notna())


def test_a_new_file_is_compared_with_no_earlier_one(tmp_path: Path, stores, run_load) -> None:
    """Given at the first load, the option sends the whole file, once."""
    store = stores()
    run_load(write(tmp_path, *MONDAY, name="monday.csv"), store)
    tuesday = write(tmp_path, *TUESDAY, name="tuesday.csv")
    assert run_load(tuesday, store, ignore_earlier=True, dry_run=True).counts[State.PENDING] == 3
    run_load(tuesday, store, ignore_earlier=True)
    run_load(tuesday, store)
    assert names(store) == ["Bella", "Bella", "Luna", "Luna", "Max"]


def test_equals_of_records_in_doubt_are_sent_with_a_warning(
    tmp_path: Path, stores, run_load
) -> None:
    """A record whose equal is in doubt is skipped, said to be so, and sent only by the option."""
    store = stores(lambda number: "fin_after" if number == 2 else None)
    run_load(write(tmp_path, *MONDAY, name="monday.csv"), store, workers=1)
    tuesday = write(tmp_path, *TUESDAY, name="tuesday.csv")
    before = str(run_load(tuesday, store))
    assert "same as a record in doubt of monday.csv" in before
    assert "1 record of these in doubt there: settle that first" in before
    after = run_load(tuesday, store, ignore_earlier=True)
    assert "sent although an earlier import has an equal record" in str(after)
    assert list(after.frame["warnings"].dropna()) == [
        "sent_despite: created_earlier", "sent_despite: in_doubt_earlier", "blank",
    ]  # fmt: skip


def test_what_was_sent_despite_an_equal_is_an_animal_of_its_own(
    tmp_path: Path, stores, run_load
) -> None:
    """An edited version afterwards knows both animals of one name."""
    store = stores()
    run_load(write(tmp_path, *MONDAY, name="monday.csv"), store)
    run_load(write(tmp_path, *TUESDAY, name="tuesday.csv"), store, ignore_earlier=True)
    edited = write(tmp_path, *TUESDAY, "Zoe,4,", name="tuesday.csv")
    run_load(edited, store)
    assert names(store) == ["Bella", "Bella", "Luna", "Luna", "Max", "Zoe"]
