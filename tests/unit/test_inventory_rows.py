"""Each pet once, its latest row, in the order first met."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.inventory.rows import Rows
from petstore_frame.schema.frame import PetColumns

IDS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 6)
PAGES = st.lists(st.lists(IDS, max_size=6) | st.lists(IDS, max_size=6).map(sorted), max_size=6)


def page(ids: list[int], name: str = "x") -> PetColumns:
    return PetColumns(ids, [name] * len(ids), [1] * len(ids), [None] * len(ids))


@given(PAGES)
def test_each_pet_is_held_once(pages: list[list[int]]) -> None:
    """Whatever the order and however pages overlap, the distinct ids are held as first met."""
    rows, distinct = Rows(), []
    for ids in pages:
        new = [pet_id for pet_id in dict.fromkeys(ids) if pet_id not in distinct]
        assert rows.add(page(ids)) == len(new)
        distinct += new
    assert list(rows.columns().id) == distinct
    assert rows.repeated == sum(map(len, pages)) - len(distinct)
    assert all(pet_id in rows for pet_id in distinct)
    assert (2**62 + 12345 in rows) is (2**62 + 12345 in distinct)


def test_the_latest_row_counts() -> None:
    """A pet that comes back with other values keeps its place, takes them, and is told of."""
    rows = Rows()
    rows.add(page([1, 2, 3]))
    rows.add(page([3, 4], name="y"))
    assert list(rows.columns()[1]) == ["x", "x", "y", "y"]
    assert (rows.changed_ids, rows.repeated) == ({3}, 1)


@given(PAGES, PAGES)
def test_a_later_collection_adds_what_is_new(one: list[list[int]], two: list[list[int]]) -> None:
    """Pets of another reading are held beside those that are there, each once."""
    left, right = Rows(), Rows()
    for ids in one:
        left.add(page(ids))
    for ids in two:
        right.add(page(ids))
    held = len(left)
    left.add_all(right)
    assert held <= len(left) == len({*chain(*one, *two)})
