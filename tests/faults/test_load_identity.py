"""Which animal a row is: the same records, a fix row, a key, and what is asked where none says."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from faults.flaky_store import KEY, FlakyStore
from petstore_frame.client import Client
from petstore_frame.errors import DuplicatesError, InputError, JournalError
from petstore_frame.loader.record import State

HEADER = "name,categoryId,status\n"


def write(folder: Path, *lines: str, name: str = "pets.csv", header: str = HEADER) -> Path:
    path = folder / name
    path.write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def keyed(folder: Path, *lines: str, name: str = "pets.csv") -> Path:
    return write(folder, *lines, name=name, header="tag,name,categoryId,status\n")


def names(store: FlakyStore) -> list[str]:
    return sorted(pet["name"] for pet in store.pets.values())


# -- 1: the same records are the same import ------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "delimiter", "end"),
    [
        ("utf-8", ",", "\r\n"),
        ("utf-8-sig", ",", "\n"),
        ("utf-16", ",", "\n"),
        ("utf-8", ";", "\n"),
        ("utf-8", "\t", "\r\n"),
    ],
)
def test_a_file_saved_again_goes_on(
    tmp_path: Path, stores, run_load, encoding: str, delimiter: str, end: str
) -> None:
    """Line ends, encodings and delimiters do not make another file, also in another place."""
    store = stores()
    lines = ["Zoë,1,sold", '"Two\nlines",2,', "Cy,3,"]
    path = write(tmp_path, *lines)
    first = run_load(path, store)
    copy = tmp_path / "copy.csv"
    with (
        path.open(encoding="utf-8", newline="") as old,
        copy.open("w", encoding=encoding, newline="") as new,
    ):
        rows = [[cell.replace("\n", end) for cell in row] for row in csv.reader(old)]
        csv.writer(new, delimiter=delimiter, lineterminator=end).writerows(rows)
    again = run_load(copy, store)
    assert (again.run_id, len(store.pets)) == (first.run_id, 3)


def test_one_changed_cell_is_another_file(tmp_path: Path, stores, run_load) -> None:
    """A file at the path of an earlier import that holds anything else is asked about."""
    store = stores()
    run_load(write(tmp_path, "Ada,1,", "Bo,2,"), store)
    with pytest.raises(DuplicatesError) as asked:
        run_load(write(tmp_path, "Ada,1,", "Bo,3,"), store)
    assert asked.value.repeats.same_path is not None and store.posts == 2


def test_what_could_not_be_sent_is_read_again_with_other_options(
    tmp_path: Path, stores, run_load
) -> None:
    """Records that were invalid are sent by the same import once an option makes sense of them."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,Dog,", "Cy,3,reserved")
    first = run_load(path, store)
    again = run_load(path, store, categories={7: "Dog"})
    last = run_load(path, store, value_map={"status": {"reserved": "pending"}})
    assert first.run_id == again.run_id == last.run_id
    assert [pet["name"] for pet in store.pets.values()] == ["Ada", "Bo", "Cy"]
    assert last.counts[State.CREATED] == 3


def test_another_meaning_of_what_was_sent_is_asked_about(tmp_path: Path, stores, run_load) -> None:
    """The same cells read as other animals are another import, and never sent in silence."""
    store = stores()
    path = write(tmp_path, "Ada,1,2", "Bo,2,3", "Cy,3,4", header="name,a,b\n")
    run_load(path, store, mapping={"category_id": "a"})
    with pytest.raises(DuplicatesError):
        run_load(path, store, mapping={"category_id": "b"})
    assert store.posts == 3


def test_again_loads_a_deliberate_copy(tmp_path: Path, stores, run_load) -> None:
    """again=True sends the whole file once more, and goes on with a copy that was cut short."""
    store = stores()
    path = write(tmp_path, *(f"Pet {n},1," for n in range(20)))
    run_load(path, store)
    store.fault_of = lambda number: "401" if number == 25 else None
    run_load(path, store, again=True, workers=1)
    result = run_load(path, store, again=True)
    assert len(store.pets) == 40 and result.counts[State.CREATED] == 20
    run_load(path, store)
    assert len(store.pets) == 40


# -- 2: a fix row carries its record --------------------------------------------------------------


def fix(source: Path, changes: dict[str, str], name: str) -> Path:
    text = source.read_text("utf-8-sig")
    for old, new in changes.items():
        text = text.replace(old, new)
    path = source.parent.parent / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_record_is_created_at_most_once_however_its_fix_files_come_back(
    tmp_path: Path, stores, run_load
) -> None:
    """Corrections of corrections, older fix files, copies, and one that was loaded twice."""
    store = stores()
    path = write(tmp_path, "Bo,two,", "Cy,three,", "Max,1,")
    run_load(path, store).write(tmp_path / "a", excel=False)
    first = tmp_path / "a" / "fix.csv"
    half = run_load(fix(first, {"Bo,two": "refuse me,3", "Cy,three": "Cy,3"}, "b.csv"), store)
    half.write(tmp_path / "b", excel=False)
    second = tmp_path / "b" / "fix.csv"
    run_load(fix(second, {"refuse me,3": "Bo,3"}, "c.csv"), store)
    last = run_load(fix(first, {"Bo,two": "Bo,4", "Cy,three": "Cy,9"}, "d.csv"), store)
    run_load(fix(first, {"Bo,two": "Bo,4", "Cy,three": "Cy,9"}, "e.csv"), store)
    assert names(store) == ["Bo", "Cy", "Max"]
    assert last.counts[State.SKIPPED] == 2
    assert list(last.changed["changed"]) == ["category_id: 3 → 4", "category_id: 3 → 9"]


def test_rows_of_two_fix_files_in_one_are_two_records(tmp_path: Path, stores, run_load) -> None:
    """Rows pasted together from two imports are known one by one, and each once."""
    store = stores()
    texts = []
    for name in ("one", "two"):
        result = run_load(write(tmp_path, "Bo,two,", f"{name},1,", name=f"{name}.csv"), store)
        result.write(tmp_path / name, excel=False)
        text = (tmp_path / name / "fix.csv").read_text("utf-8-sig").replace("Bo,two", "Bo,2")
        texts.append(text.splitlines())
    both = tmp_path / "both.csv"
    both.write_text("\n".join([*texts[0], texts[1][1], texts[0][1], ""]), encoding="utf-8")
    result = run_load(both, store)
    assert names(store) == ["Bo", "Bo", "one", "two"]
    assert (result.counts[State.CREATED], result.counts[State.SKIPPED]) == (2, 1)


def test_a_row_that_can_be_read_now_is_sent_whatever_its_copy(
    tmp_path: Path, stores, run_load
) -> None:
    """Of two rows of one record the one that other options make sense of is that record."""
    store = stores()
    run_load(write(tmp_path, "Ada,1", "Bo,two"), store).write(tmp_path / "a")
    lines = (tmp_path / "a" / "fix.csv").read_text("utf-8-sig").splitlines()
    twice = tmp_path / "b.csv"
    twice.write_text("\n".join([*lines, lines[-1].replace("Bo,two", "Bo,three")]))
    run_load(twice, store)
    result = run_load(twice, store, value_map={"category_id": {"three": 3}})
    assert result.frame["state"].tolist() == ["invalid", "created"]
    assert names(store) == ["Ada", "Bo"]


def test_a_results_file_sends_nothing_that_its_import_sent(
    tmp_path: Path, stores, run_load
) -> None:
    """Every row of results.csv is a record of the import, whatever its state."""
    store = stores(lambda number: "fin_after" if number == 2 else None)
    result = run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,x,"), store, workers=1)
    result.write(tmp_path / "out")
    for name in ("results.csv", "unknown.csv"):
        again = run_load(tmp_path / "out" / name, store)
        assert again.counts[State.CREATED] == again.counts[State.PENDING] == 0
    assert len(store.pets) == 2


def test_a_fix_row_of_an_unknown_import_is_refused(tmp_path: Path, stores, run_load) -> None:
    """Without the journal that made it, nobody knows whether its record was fixed already."""
    store = stores()
    run_load(write(tmp_path, "Bo,two,"), store).write(tmp_path / "a", excel=False)
    fixed = fix(tmp_path / "a" / "fix.csv", {"Bo,two": "Bo,2"}, "b.csv")
    with pytest.raises(InputError, match=r"the journals in .*elsewhere do not know.*journal="):
        run_load(fixed, store, journal=tmp_path / "elsewhere")
    assert store.posts == 0


def test_the_original_corrected_after_its_fix_file_makes_no_twin(
    tmp_path: Path, stores, run_load
) -> None:
    """Options that make sense of a record, after a fix file has: it is that record still."""
    store = stores()
    path = write(tmp_path, "Bo,Dog,", "Max,1,")
    run_load(path, store).write(tmp_path / "a", excel=False)
    run_load(fix(tmp_path / "a" / "fix.csv", {"Bo,Dog": "Bo,7"}, "b.csv"), store)
    result = run_load(path, store, categories={7: "Dog"})
    assert names(store) == ["Bo", "Max"] and result.counts[State.SKIPPED] == 1


def test_a_fix_file_of_a_rehearsal_is_of_the_import(tmp_path: Path, stores, run_load) -> None:
    """What was fixed before anything was sent is not sent again with the whole file."""
    store = stores()
    path = write(tmp_path, "Bo,Dog,", "Max,1,")
    run_load(path, store, dry_run=True).write(tmp_path / "a", excel=False)
    run_load(fix(tmp_path / "a" / "fix.csv", {"Bo,Dog": "Bo,7"}, "b.csv"), store)
    run_load(path, store, categories={7: "Dog", 1: "Cat"})
    assert names(store) == ["Bo", "Max"]


# -- 3: a key names the animal --------------------------------------------------------------------


def test_a_known_key_is_never_sent_again(tmp_path: Path, stores, run_load) -> None:
    """Growing, sorted anew, split and put together, with other statuses: each animal once."""
    store = stores()
    lines = [f"T{n},Pet {n % 3},{n % 2 + 1},available" for n in range(12)]
    run_load(keyed(tmp_path, *lines[:8]), store, key="tag")
    later = [line.replace("available", "sold") for line in reversed(lines)]
    grown = run_load(keyed(tmp_path, *later), store, key="tag")
    run_load(keyed(tmp_path, *later[:5], name="part.csv"), store, key="tag")
    run_load(keyed(tmp_path, *lines[3:], name="branch.csv"), store, key=["tag"])
    assert len(store.pets) == 12
    assert (grown.counts[State.CREATED], len(grown.changed)) == (4, 8)
    assert grown.changed["changed"].unique().tolist() == ["status: available → sold"]
    assert sorted(grown.ids["id"]) == sorted(store.pets)


def test_the_table_of_ids_is_that_of_the_store(tmp_path: Path, stores, run_load) -> None:
    """Which pet each key is, of one import and of the whole journal; doubt is named."""
    store = stores(lambda number: "fin_after" if number == 2 else None)
    result = run_load(
        keyed(tmp_path, "A,Ada,1,", "B,Bo,1,", "C,Cy,x,"), store, key="tag", workers=1
    )
    run_load(keyed(tmp_path, "A,Ada,1,", "D,Di,1,", name="b.csv"), store, key="tag")
    ids = pf.read_ids(store.base_url, journal=tmp_path / "journal")
    assert dict(zip(ids["key"], ids["state"], strict=True)) == {
        "A": "created", "B": "unknown", "D": "created",
    }  # fmt: skip
    assert result.ids["key"].tolist() == ["A", "B"] and result.ids["id"].isna().tolist() == [
        False,
        True,
    ]
    assert store.pets[ids["id"][0]]["name"] == "Ada"


def test_a_key_in_doubt_stays_in_doubt(tmp_path: Path, stores, run_load) -> None:
    """A key whose request may have been applied is not sent from another file either."""
    store = stores(lambda number: "fin_after" if number == 2 else None)
    run_load(keyed(tmp_path, "A,Ada,1,", "B,Bo,1,"), store, key="tag", workers=1)
    result = run_load(keyed(tmp_path, "B,Bo,1,", "C,Cy,1,", name="b.csv"), store, key="tag")
    assert names(store) == ["Ada", "Bo", "Cy"]
    assert (result.in_doubt, result.exit_code) == (1, 3)


def test_a_key_of_a_refused_record_may_come_again(tmp_path: Path, stores, run_load) -> None:
    """What the store refused is no animal yet, so its key is free."""
    store = stores()
    run_load(keyed(tmp_path, "A,refuse me,1,"), store, key="tag")
    run_load(keyed(tmp_path, "A,Ada,1,", name="b.csv"), store, key="tag")
    assert names(store) == ["Ada"]


IDENTITIES = pytest.mark.parametrize("identity", [{"key": "tag"}, {"duplicates": "skip"}], ids=str)


def left_to_a_refused_one(folder: Path, store: FlakyStore, run_load, identity) -> tuple[Path, Path]:
    """Load a file whose last record is refused in the end, and one that was left to it before."""
    first = keyed(folder, "A,Ada,1,", "B,Bo,1,", "C,Cy,1,", name="a.csv")
    run_load(first, store, workers=1, **identity)
    later = keyed(folder, "C,Cy,1,", "D,Di,1,", name="b.csv")
    assert run_load(later, store, **identity).elsewhere.not_sent == 1
    run_load(first, store, **identity).write(folder / "a", excel=False)
    return later, folder / "a" / "fix.csv"


@IDENTITIES
def test_what_was_left_to_a_record_that_is_refused_is_sent(
    tmp_path: Path, stores, run_load, identity: dict[str, str]
) -> None:
    """A record skipped for one that was to come is sent by its own file, once that was refused."""
    store = stores({3: "401", 5: "400"}.get)
    later, _ = left_to_a_refused_one(tmp_path, store, run_load, identity)
    assert run_load(later, store, **identity).counts[State.CREATED] == 2
    assert Counter(names(store)) == dict.fromkeys(["Ada", "Bo", "Cy", "Di"], 1)


@IDENTITIES
def test_what_was_left_to_a_record_that_a_fix_file_created_is_not_sent(
    tmp_path: Path, stores, run_load, identity: dict[str, str]
) -> None:
    """The animal is there, though the record that the other was left to was refused."""
    store = stores({3: "401", 5: "400"}.get)
    later, mended = left_to_a_refused_one(tmp_path, store, run_load, identity)
    run_load(mended, store, **identity)
    result = run_load(later, store, **identity)
    assert Counter(names(store)) == dict.fromkeys(["Ada", "Bo", "Cy", "Di"], 1)
    assert (result.elsewhere.to_fix, result.exit_code) == (0, 0)


@IDENTITIES
def test_what_was_left_to_a_row_of_a_fix_file_is_not_sent_where_another_created_it(
    tmp_path: Path, stores, run_load, identity: dict[str, str]
) -> None:
    """The first mended row was refused, the second created the animal: it is there once."""
    store = stores({2: "401", 4: "400"}.get)
    first = keyed(tmp_path, "A,Ada,1,", "C,Cy,two,", name="a.csv")
    run_load(first, store, **identity).write(tmp_path / "a", excel=False)
    mended = fix(tmp_path / "a" / "fix.csv", {"Cy,two": "Cy,2"}, "f.csv")
    run_load(mended, store, **identity)
    later = keyed(tmp_path, "C,Cy,2,", "D,Di,1,", name="b.csv")
    assert run_load(later, store, **identity).elsewhere.not_sent == 1
    assert run_load(mended, store, **identity).counts[State.REJECTED] == 1
    run_load(fix(tmp_path / "a" / "fix.csv", {"Cy,two": "Cyra,2"}, "g.csv"), store, **identity)
    run_load(later, store, **identity)
    assert Counter(names(store)) == dict.fromkeys(["Ada", "Cyra", "Di"], 1)


def test_a_mended_animal_is_known_though_its_source_is_not_mended(
    tmp_path: Path, stores, run_load
) -> None:
    """Next week's export holds the old bad cells again: its key says that it is in the store."""
    store = stores()
    run_load(keyed(tmp_path, "A,Ada,1,", "B,Bo,two,"), store, key="tag").write(
        tmp_path / "a", excel=False
    )
    run_load(fix(tmp_path / "a" / "fix.csv", {"Bo,two": "Bo,2"}, "f.csv"), store)
    result = run_load(keyed(tmp_path, "A,Ada,1,", "B,Bo,two,", "C,Cy,1,"), store, key="tag")
    assert (names(store), result.exit_code, result.to_fix) == (["Ada", "Bo", "Cy"], 0, 0)


def test_missing_and_repeated_keys_are_invalid(tmp_path: Path, stores, run_load) -> None:
    """A key that stands twice is told with both lines, and neither is sent."""
    store = stores()
    result = run_load(keyed(tmp_path, "A,Ada,1,", ",Bo,1,", "A,Cy,2,", "D,Di,1,"), store, key="tag")
    assert names(store) == ["Di"]
    assert result.fix["error_code"].tolist() == ["key_repeated", "key_missing", "key_repeated"]
    assert "in the lines 2, 4" in result.fix["error_message"][0]


def test_several_columns_may_be_the_key(tmp_path: Path, stores, run_load) -> None:
    """The same number in two branches is two animals, and the same in one is one."""
    store = stores()
    header = "branch,no,name,categoryId\n"
    path = write(tmp_path, "N,1,Ada,1", "S,1,Bo,1", header=header)
    run_load(path, store, key=["branch", "no"])
    path = write(tmp_path, "S,1,Bo,1", "S,2,Cy,1", header=header)
    run_load(path, store, key=["branch", "no"])
    assert names(store) == ["Ada", "Bo", "Cy"]


def test_a_first_key_is_asked_about_and_adopted(tmp_path: Path, stores, run_load) -> None:
    """Animals that were loaded without a key get theirs where the user says that they are equal."""
    store = stores()
    run_load(keyed(tmp_path, "A,Ada,1,", "B,Bo,1,available", "C,Cy,1,"), store)
    later = keyed(tmp_path, "A,Ada,1,", "B,Bo,1,sold", "C,Cy,1,", "D,Di,1,")
    with pytest.raises(DuplicatesError):
        run_load(later, store, key="tag")
    result = run_load(later, store, key="tag", duplicates="skip")
    assert names(store) == ["Ada", "Bo", "Cy", "Di"]
    assert sorted(result.ids["id"]) == sorted(store.pets)
    run_load(keyed(tmp_path, "B,Bob,1,", "E,Ed,1,"), store, key="tag")
    assert names(store) == ["Ada", "Bo", "Cy", "Di", "Ed"]


# -- 4: without a key it is asked -----------------------------------------------------------------


def test_a_repeat_is_refused_with_the_ways_on(tmp_path: Path, stores, run_load) -> None:
    """What was found, in which file of which day, which column looks like a key, and the calls."""
    store = stores()
    run_load(keyed(tmp_path, "A,Ada,1,", "B,Bo,2,", "C,Cy,3,"), store)
    other = keyed(tmp_path, "A,Ada,1,sold", "B,Bo,2,", "C,Cy,3,", "D,Di,4,", name="b.csv")
    with pytest.raises(DuplicatesError) as asked:
        run_load(other, store)
    found = asked.value.repeats
    assert (found.records, found.equal, found.changed, found.key_column) == (4, 3, 1, "tag")
    text = str(asked.value)
    for way in ("key='tag'", "duplicates='skip'", "duplicates='send'", "pets.csv, loaded 20"):
        assert way in text
    assert store.posts == 3


def test_a_refused_file_leaves_nothing_behind(tmp_path: Path, stores, run_load) -> None:
    """Asked about and not answered, a file is as if it had never been loaded."""
    store = stores()
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store)
    later = write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,", "Di,4,")
    for _ in range(2):
        with pytest.raises(DuplicatesError):
            run_load(later, store)
    result = run_load(later, store, duplicates="skip")
    assert (result.counts[State.CREATED], names(store)) == (1, ["Ada", "Bo", "Cy", "Di"])


def test_skip_compares_as_a_multiset(tmp_path: Path, stores, run_load) -> None:
    """Two earlier Lunas are no more than two of the new ones; another status is told as changed."""
    store = stores()
    run_load(write(tmp_path, "Luna,1,available", "Luna,1,available", "Bo,2,"), store)
    later = write(tmp_path, "Luna,1,sold", "Luna,1,available", "Luna,1,available", "New,1,")
    result = run_load(later, store, duplicates="skip")
    assert Counter(names(store)) == {"Luna": 3, "Bo": 1, "New": 1}
    assert result.counts[State.SKIPPED] == 2 and len(result.changed) == 0


def test_send_takes_the_callers_word(tmp_path: Path, stores, run_load) -> None:
    """All are other animals; and those that were skipped are sent when the caller says so later."""
    store = stores()
    run_load(write(tmp_path, *["Goldfish,9,"] * 4), store)
    tuesday = write(tmp_path, *["Goldfish,9,"] * 3, name="tuesday.csv")
    run_load(tuesday, store, duplicates="skip")
    assert len(store.pets) == 4
    for _ in range(2):
        result = run_load(tuesday, store, duplicates="send")
        assert (len(store.pets), result.counts[State.CREATED]) == (7, 3)


def test_few_equal_records_are_sent_with_a_warning(tmp_path: Path, stores, run_load) -> None:
    """Under half of a file, or under three records, decide nothing: they are sent, and told."""
    store = stores()
    run_load(write(tmp_path, "Luna,1,", "Bo,2,", "Cy,3,"), store)
    result = run_load(write(tmp_path, "Luna,1,", "Bo,2,", name="other.csv"), store)
    assert Counter(names(store)) == {"Luna": 2, "Bo": 2, "Cy": 1}
    assert any("2 records equal earlier ones" in line for line in result.warnings)
    assert "2 records equal earlier ones" in str(result)


@pytest.mark.parametrize("duplicates", ["refuse", "send"])
def test_no_record_is_skipped_or_repeated_for_its_likeness_alone(
    tmp_path: Path, stores, run_load, duplicates: str
) -> None:
    """Unless the caller says ``skip``, each record of a file is sent, or none of them is."""
    store = stores()
    for week in range(4):
        path = write(tmp_path, *[f"Puppy {n % 3},1," for n in range(week + 2)], name=f"{week}.csv")
        before = len(store.pets)
        try:
            result = run_load(path, store, duplicates=duplicates)
        except DuplicatesError:
            assert len(store.pets) == before
            continue
        assert result.counts[State.SKIPPED] == 0
        assert len(store.pets) == before + week + 2


def test_a_rehearsal_tells_what_would_be_asked(tmp_path: Path, stores, run_load) -> None:
    """It sends nothing and asks the store nothing; the load after it goes on under its id."""
    store = stores()
    run_load(write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,"), store)
    requests = store.posts, store.gets
    later = write(tmp_path, "Ada,1,", "Bo,2,", "Cy,3,sold", "Di,4,", name="b.csv")
    planned = run_load(later, store, dry_run=True)
    assert (planned.repeats.equal, planned.repeats.changed, planned.exit_code) == (3, 1, 2)
    assert (store.posts, store.gets) == requests
    sent = run_load(later, store, duplicates="skip")
    assert sent.run_id == planned.run_id and len(store.pets) == 4


def test_what_another_import_has_not_sent_yet_is_its_own(tmp_path: Path, stores, run_load) -> None:
    """Pending records are finished by resuming their import, which the refusal names."""
    store = stores(lambda number: "401" if number == 4 else None)
    lines = [f"Pet {n},1," for n in range(9)]
    run_load(write(tmp_path, *lines), store, workers=1)
    later = write(tmp_path, *lines, "One more,1,")
    with pytest.raises(DuplicatesError, match="6 records of it not sent yet"):
        run_load(later, store)
    skipped = run_load(later, store, duplicates="skip")
    assert (skipped.elsewhere.not_sent, len(store.pets)) == (6, 4)
    with Client(store.base_url, KEY) as client:
        (resumed,) = pf.resume_loads(client, journal=tmp_path / "journal")
    assert (resumed.counts[State.CREATED], len(store.pets)) == (9, 10)
    assert set(store.pet_counts().values()) == {1}


def test_a_frame_is_known_by_its_records(tmp_path: Path, stores, run_load) -> None:
    """A frame and a file of the same cells are the same import."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,2,")
    first = run_load(path, store)
    frame = pd.DataFrame({"name": ["Ada", "Bo"], "categoryId": ["1", "2"], "status": ["", ""]})
    assert run_load(frame, store).run_id == first.run_id
    assert len(store.pets) == 2


def test_one_machine_is_one_store_by_any_name(tmp_path: Path, stores, run_load) -> None:
    """A file loaded over 127.0.0.1 is not loaded once more over localhost."""
    store = stores()
    path = write(tmp_path, "Ada,1,", "Bo,2,")
    run_load(path, store)
    store.base_url = store.base_url.replace("127.0.0.1", "localhost")
    run_load(path, store)
    assert (store.posts, names(store)) == (2, ["Ada", "Bo"])


def test_what_was_done_before_is_told_in_two_lines(tmp_path: Path, stores, run_load) -> None:
    """A load with nothing to do asks the store nothing, and says how to send other animals."""
    store = stores()
    path = write(tmp_path, "Ada,1,")
    run_load(path, store)
    asked = (store.posts, store.gets)
    told = str(run_load(path, store)).splitlines()
    assert len(told) == 2 and "nothing was sent now" in told[0] and "again=True" in told[1]
    assert (store.posts, store.gets) == asked


def test_journals_of_the_first_version_are_refused(tmp_path: Path, stores, run_load) -> None:
    """They alone know what they have sent, so they are never passed over."""
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "20260101-000000-abcdef01.journal").touch()
    store = stores()
    with pytest.raises(JournalError, match=r"version 0\.1"):
        run_load(write(tmp_path, "Ada,1,"), store)
    assert store.posts == 0
