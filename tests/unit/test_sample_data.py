"""Made-up arrivals."""

from __future__ import annotations

import csv
from itertools import islice

import pytest

import petstore_frame as pf
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source import Recipe, open_source
from petstore_frame.sample_data import (
    SAMPLE_CATEGORIES,
    write_sample_categories,
    write_sample_csv,
    write_sample_history,
)
from petstore_frame.service.sample_pets import sample_pets
from petstore_frame.tables import Labels


def test_each_animal_has_an_id_of_its_own(tmp_path) -> None:
    """The same seed writes the same animals, a longer file more of them, another seed others."""

    def animals(rows: int, seed: int) -> list[list[str]]:
        path = write_sample_csv(tmp_path / "arrivals.csv", rows, seed, dirty=False)
        with path.open(encoding="utf-8", newline="") as file:
            return [row[:4] for row in csv.reader(file)][1:]

    first, longer, other = animals(50, 7), animals(80, 7), animals(50, 8)
    ids = [row[0] for row in longer + other]
    assert longer[:50] == first == animals(50, 7)
    assert len(set(ids)) == 130


def test_one_record_in_twenty_is_dirty(tmp_path) -> None:
    """Between 4 and 6 % of the records are spoilt, in every way that is promised."""
    clean = write_sample_csv(tmp_path / "clean.csv", rows=2000, dirty=False)
    dirty = write_sample_csv(tmp_path / "dirty.csv", rows=2000)
    source = open_source(clean, Recipe())
    assert {record.state for record in source} == {State.PENDING}
    source = open_source(dirty, Recipe())
    records = list(source)
    odd = [r for r in records if r.notes or "\n" in r.cells[1] or r.cells[1][:1] in [*"=+-@"]]
    spoilt = {r.line for r in records if r.state is State.INVALID} | {r.line for r in odd}
    codes = {problem.code for row in records for problem in row.problems[:1]}
    assert 0.04 <= len(spoilt) / 2000 <= 0.06
    assert codes == {
        "missing_name", "not_a_whole_number", "unknown_status", "int64_overflow",
        "missing_category_id",
    }  # fmt: skip


def test_categories_turn_words_into_numbers(tmp_path) -> None:
    """With the sample's own labels, a category given as its word is good."""
    path = write_sample_csv(tmp_path / "arrivals.csv", rows=2000)
    labels = write_sample_categories(tmp_path / "categories.csv")
    with path.open(encoding="utf-8", newline="") as file:
        words = {row[2] for row in islice(csv.reader(file), 1, None) if len(row) > 2}
    source = open_source(path, Recipe(categories=labels))
    sent = {r.cells[2] for r in source if r.state is State.PENDING}
    assert Labels(labels) == SAMPLE_CATEGORIES
    assert words & set(SAMPLE_CATEGORIES.values()) <= sent
    # The service's own sample, which shares no code with ours, uses categories that we label.
    used = {pet.category_id for pet in sample_pets(5000, 7)}
    assert len(used) > 3 and used <= set(SAMPLE_CATEGORIES)


def test_a_number_that_cannot_be_writes_nothing(tmp_path) -> None:
    """A negative number of rows or days is refused before a file is touched."""
    with pytest.raises(pf.ArgumentError, match="rows must be 0 or more, got -1"):
        write_sample_csv(tmp_path / "x.csv", rows=-1)
    with pytest.raises(pf.ArgumentError, match="days must be a whole number"):
        write_sample_history(tmp_path / "history", days=1.5)
    assert list(tmp_path.iterdir()) == []
