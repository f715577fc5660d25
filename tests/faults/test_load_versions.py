"""Edited and fixed files over several imports: each animal of them is created once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from faults.flaky_store import KEY, FlakyStore
from petstore_frame.client import Client
from petstore_frame.errors import LoadFailedError
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult

HEADER = "name,categoryId,status\n"
BROKEN = ("Ada,1,", "Bo,2,", "Cy,3,", "Di,x,", "Ed,y,")
FIXED = ("Ada,1,", "Bo,2,", "Cy,3,", "Di,4,", "Ed,5,")


def write(folder: Path, *lines: str, name: str = "pets.csv") -> Path:
    path = folder / name
    path.write_text(HEADER + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def corrected_fix(result: LoadResult, folder: Path) -> Path:
    """The fix file of ``BROKEN``, fixed as ``FIXED``."""
    result.write(folder / "out", excel=False)
    path = folder / "out" / "fix.csv"
    text = path.read_text("utf-8-sig").replace("Di,x", "Di,4").replace("Ed,y", "Ed,5")
    path.write_text(text, encoding="utf-8")
    return path


def twins(store: FlakyStore) -> list[str]:
    counts = Counter(pet["name"] for pet in store.pets.values())
    return [name for name, count in counts.items() if count > 1]


def days(first: int, step: int, length: int = 9) -> list[str]:
    return [f"Pet {number},1," for number in range(first * step, first * step + length)]


@pytest.mark.parametrize("fault", [None, "500_after"])
def test_a_file_mostly_rejected_is_known_when_it_is_fixed(
    tmp_path: Path, stores, run_load, fault
) -> None:
    """Rejected records do not count against the share that two versions have in common."""
    store = stores(lambda number: fault if number <= 2 else None)
    refused = [f"refuse me {n},1," for n in range(3)]
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", *refused), store, workers=1)
    store.fault_of = lambda number: None
    result = run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,1,", "Di,1,", "Ed,1,"), store)
    assert not twins(store) and len(store.pets) == 5
    assert result.counts[State.SKIPPED] == 2


def test_a_rolling_export_sends_each_animal_once(tmp_path: Path, stores, run_load) -> None:
    """A record that yesterday's version skipped stands for the animal that it was skipped for."""
    store = stores()
    for day in range(5):
        run_load(write(tmp_path, *days(day, 3)), store)
    assert not twins(store) and len(store.pets) == 21


def test_an_animal_that_left_a_rolling_export_may_come_again(
    tmp_path: Path, stores, run_load
) -> None:
    """What no version in sight holds is another animal, though an old one had its name."""
    store = stores()
    for day in range(4):
        run_load(write(tmp_path, *days(day, 3)), store)
    run_load(write(tmp_path, *days(4, 3), "Pet 0,1,"), store)
    assert twins(store) == ["Pet 0"]


def test_doubt_is_passed_on_from_version_to_version(tmp_path: Path, stores, run_load) -> None:
    """A record in doubt in a version of a version is not sent."""
    store = stores(lambda number: "500_after" if number == 9 else None)
    run_load(write(tmp_path, *days(0, 4)), store, workers=1)
    run_load(write(tmp_path, *days(1, 4)), store)
    last = run_load(write(tmp_path, *days(2, 4)), store)
    assert not twins(store)
    assert last.run.overlap["in_doubt"] == 1


def test_what_a_version_took_over_is_found_where_it_went(tmp_path: Path, stores, run_load) -> None:
    """A version of the import that gave its records away finds them in the one that took them."""
    store = stores(lambda number: "401" if number == 3 else None)
    all_of_it = days(0, 1)
    run_load(write(tmp_path, *all_of_it), store, workers=1)
    run_load(write(tmp_path, *all_of_it[5:], *(f"New {n},1," for n in range(4))), store)
    run_load(write(tmp_path, *all_of_it[:5], *all_of_it[6:], "One more,1,"), store)
    assert not twins(store) and len(store.pets) == 14


def test_fixing_the_original_after_its_fix_file_makes_no_twin(
    tmp_path: Path, stores, run_load
) -> None:
    """The records of a fixed fix file count as records of the file that it fixes."""
    store = stores()
    run_load(corrected_fix(run_load(write(tmp_path, *BROKEN), store), tmp_path), store)
    result = run_load(write(tmp_path, *FIXED), store)
    assert not twins(store) and len(store.pets) == 5
    assert result.counts[State.SKIPPED] == 5


def test_fixing_the_fix_file_after_its_original_makes_no_twin(
    tmp_path: Path, stores, run_load
) -> None:
    """A fixed record is looked for in the edited versions of the file that it fixes."""
    store = stores()
    fix = corrected_fix(run_load(write(tmp_path, *BROKEN), store), tmp_path)
    run_load(write(tmp_path, *FIXED), store)
    result = run_load(fix, store)
    assert not twins(store) and len(store.pets) == 5
    assert result.counts[State.SKIPPED] == 2


def test_a_record_fixed_into_its_neighbours_equal_is_created(
    tmp_path: Path, stores, run_load
) -> None:
    """Two equal records of one file are two animals, also where one was fixed."""
    store = stores()
    fix = corrected_fix(run_load(write(tmp_path, *BROKEN, "Di,4,"), store), tmp_path)
    run_load(write(tmp_path, *BROKEN, "Di,4,", "New,1,"), store)
    run_load(fix, store)
    assert twins(store) == ["Di"] and len(store.pets) == 7


def test_doubt_of_an_earlier_version_is_doubt_of_this_one(tmp_path: Path, stores, run_load) -> None:
    """A record skipped because it may be in the store is no success, until it is settled."""
    store = stores(lambda number: "500_after" if number == 2 else None)
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store, workers=1)
    result = run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,", "Di,4,"), store)
    assert result.exit_code == 3 and str(result).startswith("In doubt")
    with pytest.raises(LoadFailedError):
        result.raise_for_failures()
    for number in range(20):
        store.add({"name": f"Old {number}", "categoryId": 1})
    run_load(write(tmp_path, *(f"Pet {n},9," for n in range(20)), name="later.csv"), store)
    with Client(store.base_url, KEY, max_retries=0) as client:
        result.reconcile(client, grace_s=0.0)
    assert result.exit_code == 0 and str(result).startswith("Done")
    result.raise_for_failures()


def test_records_left_to_a_version_that_stopped_are_taken_back(
    tmp_path: Path, stores, run_load
) -> None:
    """An edit that was undone has left no record behind: the file of before sends them all."""
    store = stores(lambda number: "401" if number in (3, 4) else None)
    lines = days(0, 1, 6)
    first = run_load(write(tmp_path, *lines), store, workers=1)
    run_load(write(tmp_path, *lines, "New,1,"), store, workers=1)
    left = LoadResult(first.path)
    assert left.elsewhere.not_sent == 4 and "still to send" not in str(left)
    back = run_load(write(tmp_path, *lines), store, ignore_earlier=True)
    assert (back.counts[State.SKIPPED], back.counts[State.CREATED]) == (2, 4)
    assert back.exit_code == 0 and not any(LoadResult(first.path).elsewhere)
    for _ in range(2):
        assert run_load(write(tmp_path, *lines), store).path == back.path
    run_load(write(tmp_path, *lines, "New,1,"), store)
    assert not twins(store) and len(store.pets) == 7


def test_a_file_fixed_in_its_fix_file_is_not_fixed_again(tmp_path: Path, stores, run_load) -> None:
    """What a fix file made of a record is known for as long as the record stays as it was."""
    store = stores()
    lines = (*BROKEN, "refuse me,1,")
    fix = corrected_fix(run_load(write(tmp_path, *lines), store), tmp_path)
    fix.write_text(fix.read_text("utf-8").replace("refuse me", "Flo"), encoding="utf-8")
    run_load(fix, store)
    for week in range(1, 4):
        lines = (*lines, f"New {week},1,")
        result = run_load(write(tmp_path, *lines), store)
        assert not len(result.fix) and "fixed in fix.csv, loaded" in str(result)
        assert result.counts[State.CREATED] == 1
    run_load(write(tmp_path, *FIXED, "Flo,1,", *lines[6:]), store)
    assert not twins(store) and len(store.pets) == 9


def test_what_the_store_took_at_a_later_load_is_not_called_fixed(
    tmp_path: Path, stores, run_load
) -> None:
    """A record that was refused, and created later as it was, is not called fixed."""
    store = stores(lambda number: "400" if number == 3 else None)
    for last in (9, 10, 11, 12):
        result = run_load(write(tmp_path, *days(0, 1, last)), store, workers=1)
    assert len(store.pets) == 12 and not twins(store)
    assert "fixed" not in str(result) and result.counts[State.SKIPPED] == 11
    run_load(write(tmp_path, *days(0, 1, 12)), store, ignore_earlier=True)
    assert sorted(twins(store)) == sorted(f"Pet {number}" for number in range(11))


def test_a_record_in_doubt_that_left_the_file_stays_in_doubt(
    tmp_path: Path, stores, run_load
) -> None:
    """An edited file answers for the doubt of the version before, and reconcile settles it."""
    store = stores(lambda number: "fin_after" if number == 3 else None)
    run_load(write(tmp_path, *days(0, 1, 12)), store, workers=1)
    result = run_load(write(tmp_path, *days(0, 1, 12)[:2], *days(0, 1, 12)[3:]), store)
    assert result.exit_code == 3 and result.in_doubt == 1
    with Client(store.base_url, KEY, max_retries=0) as client:
        result.reconcile(client, grace_s=0.0)
    assert result.exit_code == 0 and result.in_doubt == 0


@pytest.mark.parametrize("sort", [sorted, lambda lines: lines[::-1]], ids=["sorted", "reversed"])
def test_a_few_trial_records_are_known_in_their_own_file(
    tmp_path: Path, stores, run_load, sort
) -> None:
    """A path is evidence: a file that holds all that was sent from it is an edited version."""
    store = stores()
    lines = days(0, 1, 10)
    run_load(write(tmp_path, *(lines[at] for at in (1, 4, 8))), store)
    result = run_load(write(tmp_path, *sort(lines)), store)
    assert not twins(store) and len(store.pets) == 10
    assert "same as a record of pets.csv, loaded" in str(result)


@pytest.mark.parametrize("before", ["", "available"])
def test_another_status_in_the_same_file_makes_no_twin(
    tmp_path: Path, stores, run_load, before: str
) -> None:
    """A file whose statuses were filled in or changed holds the animals that it held."""
    store = stores()
    run_load(write(tmp_path, *(line + before for line in days(0, 1))), store)
    result = run_load(write(tmp_path, *(line + "sold" for line in days(0, 1)), "New,1,"), store)
    assert not twins(store) and len(store.pets) == 10
    assert "9 of these with other values" in str(result)
    third = [*(line + "pending" for line in days(0, 1)), "New,1,", "New,1,sold"]
    run_load(write(tmp_path, *third), store)
    assert twins(store) == ["New"] and len(store.pets) == 11
    result = run_load(write(tmp_path, *third), store, ignore_earlier=True)
    assert len(store.pets) == 21 and "other values" not in str(result)


def test_two_versions_of_one_day_are_told_in_one_line(tmp_path: Path, stores, run_load) -> None:
    """Records skipped for imports of one name and day are one count, not two lines alike."""
    store = stores()
    for last in (9, 10):
        run_load(write(tmp_path, *days(0, 1, last)), store)
    result = run_load(write(tmp_path, *days(0, 1, 11)), store)
    assert [found.records for found in result.skipped] == [10]
    assert str(result).count("same as a record of pets.csv, loaded") == 1
