"""Which files are edited versions of an earlier one, and which hold other animals."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from petstore_frame.bundled.samples import write_sample_csv
from petstore_frame.loader.journal import journal
from petstore_frame.loader.journal.journal import Run, attached
from petstore_frame.loader.journal.runs import new_run_id
from petstore_frame.loader.journal.versions import is_version
from petstore_frame.loader.reading.read import open_source

Rows = list[list[str]]
Edit = Callable[[Rows, Rows], Rows]
HEADER = ["name", "categoryId", "status", "arrived"]


def stage(folder: Path, rows: Rows, header: list[str]) -> Path:
    """Return the journal of a file of these records, staged and not sent."""
    run_id = new_run_id()
    file, path = folder / f"{run_id}.csv", folder / f"{run_id}.journal"
    with file.open("w", newline="", encoding="utf-8") as text:
        csv.writer(text).writerows([header, *rows])
    with open_source(file) as source:
        facts = (file.name, str(file), source.sha256, run_id, source.columns, source.mapping)
        journal.create(path, Run(run_id, "http://127.0.0.1/v1", *facts), source)
    return path


def are_versions(folder: Path, earlier: Rows, rows: Rows, header: list[str] | None = None) -> bool:
    header = HEADER[: len(earlier[0])] if header is None else header
    old, new = stage(folder, earlier, header), stage(folder, rows, header)
    with closing(journal.connect(new)) as sql, attached(sql, old):
        return is_version(sql)


def sample(folder: Path, rows: int, seed: int, columns: int = 4) -> Rows:
    file = write_sample_csv(folder / "sample.csv", rows, seed, dirty=False)
    with file.open(encoding="utf-8", newline="") as text:
        return [row[1 : 1 + columns] for row in csv.reader(text)][1:]


def by_category(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: row[1:])


def by_category_and_name(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: (row[1], row[0]))


def left_here_and_there(old: Rows, new: Rows) -> Rows:
    chance = random.Random(1)
    return [row for row in old if chance.random() < 0.66] + new[: len(new) // 3]


EDITS: dict[str, Edit] = {
    "edited": lambda old, new: [*old[:5], new[0], *old[6:20], new[1], *old[20:]],
    "appended": lambda old, new: old + new,
    "begun on trial": lambda old, new: old + 12 * new,
    "newest first": lambda old, new: new + old,
    "cut down": lambda old, new: old[len(old) // 4 : len(old) // 2],
    "rolled": lambda old, new: old[len(old) // 3 :] + new[: len(new) // 3],
    "left here and there": left_here_and_there,
    "resorted": lambda old, new: sorted(old),
    "resorted and edited": lambda old, new: sorted(old[len(old) // 8 :] + new[: len(new) // 10]),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
@pytest.mark.parametrize("columns", [3, 4])
@pytest.mark.parametrize("rows", [60, 2000])
def test_an_edited_file_is_a_version(tmp_path: Path, edit: Edit, rows: int, columns: int) -> None:
    """However a file was edited, its records are known, also where names repeat."""
    old, new = sample(tmp_path, rows, 7, columns), sample(tmp_path, rows, 11, columns)
    assert are_versions(tmp_path, old, edit(old, new))


def test_a_file_sorted_in_both_is_a_version_of_itself_rolled_on(tmp_path: Path) -> None:
    """Where the order proves nothing, more in common than chance gives proves it."""
    old, new = sample(tmp_path, 2000, 7, 3), sample(tmp_path, 2000, 11, 3)
    assert are_versions(tmp_path, sorted(old), sorted(EDITS["rolled"](old, new)))


@pytest.mark.parametrize("columns", [3, 4])
@pytest.mark.parametrize("arranged", [list, sorted, by_category, by_category_and_name])
@pytest.mark.parametrize(
    ("earlier", "later"), [((2000, 7), (20_000, 3)), ((2000, 3), (100, 5)), ((900, 7), (900, 3))]
)
def test_other_animals_are_no_version(
    tmp_path: Path,
    earlier: tuple[int, int],
    later: tuple[int, int],
    arranged: Callable[[Rows], Rows],
    columns: int,
) -> None:
    """Two files that were drawn apart from each other are not taken for one, sorted or not."""
    old, new = sample(tmp_path, *earlier, columns), sample(tmp_path, *later, columns)
    assert not are_versions(tmp_path, arranged(old), arranged(new))


@pytest.mark.parametrize("seed", range(20))
def test_independent_samples_are_never_versions(tmp_path: Path, seed: int) -> None:
    """Whatever their sizes, files of different animals do not look like one edited file."""
    chance = random.Random(seed)
    old, new = (
        sample(tmp_path, int(10 ** chance.uniform(0.5, 3.6)), chance.randrange(10**6), columns)
        for columns in [chance.choice([3, 4])] * 2
    )
    assert not are_versions(tmp_path, old, new)


BELLA, LUNA = ["Bella", "1", "available"], ["Luna", "2", "available"]
OTHERS = [[f"Pet {number}", "3", ""] for number in range(29)]
GOLDFISH = [["Goldfish", "5", "available"]]


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        pytest.param([BELLA, LUNA], [*OTHERS, BELLA], False, id="one of two among many"),
        pytest.param([BELLA, LUNA], [*OTHERS[:9], BELLA, *OTHERS], False, id="in the middle"),
        pytest.param([BELLA, LUNA], [BELLA, *OTHERS], False, id="half of it at the top"),
        pytest.param([BELLA], [BELLA, *OTHERS], True, id="the first record on trial"),
        pytest.param([BELLA, LUNA], [*OTHERS, BELLA, LUNA], True, id="all of it at the end"),
        pytest.param([BELLA, LUNA], [LUNA, BELLA, *OTHERS[:2]], True, id="half of the larger"),
        pytest.param(OTHERS[:6], [BELLA, *OTHERS[2:6], LUNA, *OTHERS[9:20]], True, id="in a row"),
        pytest.param(20 * GOLDFISH, 50 * GOLDFISH, True, id="nothing to tell them apart"),
        pytest.param(
            20 * GOLDFISH + OTHERS[:9],
            OTHERS[9:] + 20 * GOLDFISH + 60 * [LUNA],
            False,
            id="goldfish",
        ),
    ],
)
def test_few_records_need_their_place(
    tmp_path: Path, earlier: Rows, later: Rows, expected: bool
) -> None:
    """Too few different records for an order are judged by their share and their place."""
    assert are_versions(tmp_path, earlier, later) is expected


def test_equal_bodies_with_other_texts_are_other_animals(tmp_path: Path) -> None:
    """A column that is not sent tells few records apart, and those that are equal by the dozen."""
    monday = [*(20 * [[*GOLDFISH[0], "mon"]]), [*BELLA, "mon"]]
    tuesday = [*(20 * [[*GOLDFISH[0], "tue"]]), [*BELLA, "tue"]]
    assert not are_versions(tmp_path, monday, tuesday)
    tanks = [[*GOLDFISH[0], f"tank {number}"] for number in range(90)]
    assert are_versions(tmp_path, tanks[:60], tanks[20:])
    assert not are_versions(tmp_path, tanks[:60], tanks[60:])


def test_an_order_is_proof_though_another_column_changes(tmp_path: Path) -> None:
    """An age that rises each day does not make an inventory one of other animals."""
    monday = [[*row, "5 days"] for row in sample(tmp_path, 300, 7, 3)]
    tuesday = [[*row[:3], "6 days"] for row in monday]
    header = [*HEADER[:3], "age"]
    assert are_versions(tmp_path, monday, [*tuesday[30:], *monday[:3]], header)
