"""The same file again, an edited file, a fixed one, and a deliberate copy."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from faults.flaky_store import FlakyStore
from petstore_frame.errors import JournalLockedError
from petstore_frame.loader.journal.lock import Lock
from petstore_frame.loader.record import State

HEADER = "name,categoryId,status\n"


def write(folder: Path, *lines: str, name: str = "pets.csv") -> Path:
    path = folder / name
    path.write_text(HEADER + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def names(store: FlakyStore) -> list[str]:
    return sorted(pet["name"] for pet in store.pets.values())


def test_an_edited_file_sends_what_is_new(tmp_path: Path, stores, run_load) -> None:
    """Records that an earlier version brought are skipped, as a multiset; new ones are sent."""
    store = stores()
    run_load(write(tmp_path, "Ada,1,", "Bo,2,sold", "Bo,2,sold", "Cy,3,"), store)
    edited = write(tmp_path, "New,9,", "Bo,2,sold", "Ada,1,", "Bo,2,sold", "Bo,2,sold")
    result = run_load(edited, store)
    assert names(store) == ["Ada", "Bo", "Bo", "Bo", "Cy", "New"]
    plan = result.run.overlap
    assert (plan["created"], plan["new"], plan["vanished"]) == (3, 2, 1)
    assert result.counts[State.SKIPPED] == 3


def test_the_plan_is_told_before_the_first_request(
    tmp_path: Path, stores, run_load, capsys
) -> None:
    """Where someone watches, an edited file says what it shares with earlier imports."""
    store = stores()
    run_load(write(tmp_path, "Ada,1,", "Bo,2,"), store)
    told: list[str] = []
    store.on_post = lambda number, stage: told.append(capsys.readouterr().err)
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store, progress=True)
    assert "2 created before" in told[0] and "1 new" in told[0]


def test_an_edit_of_an_edit_still_sends_only_what_is_new(tmp_path: Path, stores, run_load) -> None:
    """All earlier versions count, not only the last."""
    store = stores()
    run_load(write(tmp_path, "Ada,1,", "Bo,2,"), store)
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store)
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,", "Di,4,"), store)
    assert names(store) == ["Ada", "Bo", "Cy", "Di"]
    assert store.posts == 4


def test_another_delivery_may_hold_equal_animals(tmp_path: Path, stores, run_load) -> None:
    """Files with under half of their records in common are not versions; equal ones are named."""
    store = stores()
    run_load(write(tmp_path, "Luna,1,", "Bo,2,", "Cy,3,"), store)
    tuesday = write(tmp_path, "Luna,1,", "Di,4,", "Ed,5,", name="tuesday.csv")
    equal = f"1 record equals a record of pets.csv, loaded {datetime.now(UTC):%Y-%m-%d}: "
    assert equal + "to be sent as another animal" in str(run_load(tuesday, store, dry_run=True))
    result = run_load(tuesday, store)
    assert names(store).count("Luna") == 2 and result.counts[State.SKIPPED] == 0
    for view in (str(result), result._repr_html_()):
        assert equal + "sent as another animal" in view
    assert result.alike == (1, "pets.csv", f"{datetime.now(UTC):%Y-%m-%d}", 1)


def test_again_loads_a_deliberate_copy(tmp_path: Path, stores, run_load) -> None:
    """again=True sends the whole file once more, and a third time only when asked again."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,2,")
    run_load(path, store)
    run_load(path, store, again=True)
    assert len(store.pets) == 4
    run_load(path, store)
    assert len(store.pets) == 4


def test_a_copy_that_was_cut_short_goes_on(tmp_path: Path, stores, run_load) -> None:
    """The same again=True call goes on with the copy that it began."""
    store = stores()
    path = write(tmp_path, *(f"Pet {n},1," for n in range(20)))
    run_load(path, store)
    store.fault_of = lambda number: "401" if number == 25 else None
    run_load(path, store, again=True, workers=1)
    result = run_load(path, store, again=True)
    assert len(store.pets) == 40 and result.counts[State.CREATED] == 20


def test_an_edit_in_the_middle_of_an_import_takes_over_its_rest(
    tmp_path: Path, stores, run_load
) -> None:
    """Records not sent yet move to the edited import; neither file sends them twice."""
    store = stores(lambda number: "401" if number == 11 else None)
    lines = [f"Pet {n},1," for n in range(30)]
    old = write(tmp_path, *lines)
    kept = old.read_bytes()
    first = run_load(old, store, workers=1)
    edited = run_load(write(tmp_path, *lines, "One more,1,"), store)
    assert len(store.pets) == 31 and edited.counts[State.SKIPPED] == 10
    old.write_bytes(kept)
    back = run_load(old, store)
    assert len(store.pets) == 31 and back.path == first.path
    assert back.counts[State.SKIPPED] == 20


def test_a_kill_between_two_versions_loses_nothing(
    tmp_path: Path, monkeypatch, stores, run_load
) -> None:
    """If the new version was staged and the old one not yet told, the next import tells it."""
    store = stores(lambda number: "401" if number == 6 else None)
    lines = [f"Pet {n},1," for n in range(12)]
    old = write(tmp_path, *lines)
    kept = old.read_bytes()
    run_load(old, store, workers=1)
    with monkeypatch.context() as patch:
        patch.setattr("petstore_frame.loader.journal.overlap.hand_over", _die)
        with pytest.raises(KeyboardInterrupt):
            run_load(write(tmp_path, *lines, "One more,1,"), store)
    old.write_bytes(kept)
    back = run_load(old, store)
    assert (back.counts[State.SKIPPED], back.counts[State.CREATED]) == (5, 7)
    run_load(write(tmp_path, *lines, "One more,1,"), store)
    assert len(store.pets) == 13 and len(set(names(store))) == 13


def _die(path, run, earlier, *, held=False):
    if held:
        raise KeyboardInterrupt


def test_a_record_in_doubt_blocks_its_equal_in_an_edited_file(
    tmp_path: Path, stores, run_load
) -> None:
    """What an earlier version may have created is not sent by the next one."""
    store = stores(lambda number: "fin_after" if number == 2 else None)
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store)
    result = run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,", "Di,4,"), store)
    assert names(store) == ["Ada", "Bo", "Cy", "Di"]
    assert result.run.overlap["in_doubt"] == 1


def test_a_fixed_fix_file_creates_each_record_once(tmp_path: Path, stores, run_load) -> None:
    """The fix file creates nothing as it is; fixed it creates what was fixed, once."""
    store = stores()
    lines = ["Ada,1,", "Bo,two,", "refuse me,3,", ",4,", "Ed,5,"]
    run_load(write(tmp_path, *lines), store).write(tmp_path / "out", excel=False)
    fix = tmp_path / "out" / "fix.csv"
    run_load(fix, store)
    assert names(store) == ["Ada", "Ed"]
    text = fix.read_text(encoding="utf-8-sig")
    fix.write_text(text.replace("Bo,two", "Bo,2"), encoding="utf-8")
    run_load(fix, store)
    fix.write_text(text.replace("Bo,two", "Bo,2").replace("refuse me,3", "Ada,1"), encoding="utf-8")
    run_load(fix, store)
    run_load(fix, store)
    assert names(store) == ["Ada", "Ada", "Bo", "Ed"]


def test_a_record_fixed_twice_over_is_created_once(tmp_path: Path, stores, run_load) -> None:
    """An older fix file, fixed after a later one, does not create the record again."""
    store = stores()

    def fix(source: Path, old: str, new: str, name: str) -> Path:
        path = tmp_path / name
        path.write_text(source.read_text("utf-8-sig").replace(old, new), encoding="utf-8")
        return path

    run_load(write(tmp_path, "Bo,two,", "Max,1,"), store).write(tmp_path / "a", excel=False)
    first = tmp_path / "a" / "fix.csv"
    refused = run_load(fix(first, "Bo,two", "refuse me,3", "b.csv"), store)
    refused.write(tmp_path / "b", excel=False)
    run_load(fix(tmp_path / "b" / "fix.csv", "refuse me,3", "Bo,3", "c.csv"), store)
    last = run_load(fix(first, "Bo,two", "Bo,4", "d.csv"), store)
    assert names(store) == ["Bo", "Max"]
    assert last.counts[State.SKIPPED] == 1


def test_a_rehearsal_sends_nothing_and_leaves_no_import(tmp_path: Path, stores, run_load) -> None:
    """A dry run reads, checks and plans; the real run after it is a first run."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,x,")
    planned = run_load(path, store, dry_run=True)
    assert (store.posts, store.gets) == (0, 0)
    assert (planned.counts[State.PENDING], planned.counts[State.INVALID]) == (1, 1)
    result = run_load(path, store)
    assert result.counts[State.CREATED] == 1 and result.run.run_id != planned.run.run_id


def test_options_are_part_of_what_an_import_is(tmp_path: Path, stores, run_load) -> None:
    """Another reading of the same bytes is no resume, and what both have in common is skipped."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,Dog,")
    run_load(path, store)
    from petstore_frame.client import Client
    from petstore_frame.loader.load import load_csv

    with Client(store.base_url, "a-key-of-the-tests") as client:
        result = load_csv(
            path, client, categories={7: "Dog"}, journal=tmp_path / "journal", progress=False
        )
    assert names(store) == ["Ada", "Bo"]
    assert (result.counts[State.CREATED], result.counts[State.SKIPPED]) == (1, 1)


def test_a_version_at_work_is_not_overtaken(tmp_path: Path, stores, run_load) -> None:
    """An edited file waits for the import of its earlier version."""
    store = stores()
    first = run_load(write(tmp_path, "Ada,1,", "Bo,2,"), store)
    with Lock(first.path), pytest.raises(JournalLockedError):
        run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store)
    assert len(store.pets) == 2
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store)
    assert len(store.pets) == 3


def test_one_machine_is_one_store_by_any_name(tmp_path: Path, stores, run_load) -> None:
    """A file loaded over 127.0.0.1 is not loaded once more over localhost."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,2,")
    run_load(path, store)
    store.base_url = store.base_url.replace("127.0.0.1", "localhost")
    run_load(path, store)
    assert (store.posts, names(store)) == (2, ["Ada", "Bo"])


def test_what_was_done_before_is_told_as_past(tmp_path: Path, stores, run_load) -> None:
    """A load with nothing to do asks the store nothing, and claims nothing of it now."""
    store = stores()
    path = write(tmp_path, "Ada,1,")
    assert "in the store" in str(run_load(path, store))
    asked = (store.posts, store.gets)
    told = str(run_load(path, store))
    assert "UTC; nothing was sent now" in told and "in the store" not in told
    assert (store.posts, store.gets) == asked


def test_content_loaded_before_is_told_with_the_way_to_send_it(
    tmp_path: Path, stores, run_load
) -> None:
    """A file that is overwritten with as many like animals is not taken for loaded in silence."""
    store = stores()
    path = write(tmp_path, "Max,2,available")
    assert "again=True" not in str(run_load(path, store))
    told = str(run_load(path, store))
    assert "the same content was loaded 20" in told and "the same call with again=True" in told
    run_load(path, store, again=True)
    assert names(store) == ["Max", "Max"]
