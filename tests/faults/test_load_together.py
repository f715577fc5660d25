"""Many small files, and the one that they were put together into."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from faults.test_load_again import names, write
from petstore_frame.loader.record import State


def delivered(count: int) -> list[str]:
    """Records of which no two have one name."""
    return [f"Pet {number},{number % 5},available" for number in range(count)]


@pytest.mark.parametrize("arranged", [list, sorted, lambda lines: lines[::-1]])
@pytest.mark.parametrize("sizes", [(2, 1, 2, 1, 2, 1, 2, 1), (5, 5, 5)])
def test_a_file_of_several_deliveries_sends_only_what_is_new(
    tmp_path: Path, stores, run_load, sizes: tuple[int, ...], arranged
) -> None:
    """The days of a month are known in the file of the month, in whatever order."""
    store, lines = stores(), delivered(sum(sizes) + 2)
    for day, size in enumerate(sizes):
        first = sum(sizes[:day])
        run_load(write(tmp_path, *lines[first : first + size], name=f"day {day}.csv"), store)
    result = run_load(write(tmp_path, *arranged(lines), name="month.csv"), store)
    assert names(store) == sorted(line.split(",")[0] for line in lines)
    assert result.counts[State.CREATED] == 2 and result.alike is None


@pytest.mark.parametrize("seed", range(3))
def test_many_deliveries_of_other_animals_are_not_taken_for_one_file(
    tmp_path: Path, stores, run_load, seed: int
) -> None:
    """Popular names fill many small files; a new file that has them too has other animals."""
    chance, store = random.Random(seed), stores()

    def draw(count: int) -> list[str]:
        return [f"Pet {min(chance.randrange(80), chance.randrange(80))},1," for _ in range(count)]

    sizes = [chance.choice([1, 1, 2, 3, 8]) for _ in range(40)]
    for number, size in enumerate(sizes):
        run_load(write(tmp_path, *draw(size), name=f"{number}.csv"), store, again=True)
    new = write(tmp_path, "First,1,", *draw(30), "Last,1,", name="new.csv")
    result = run_load(new, store)
    assert result.counts[State.SKIPPED] == 0 and len(store.pets) == sum(sizes) + 32
    assert result.alike is not None and result.alike.records > 15
