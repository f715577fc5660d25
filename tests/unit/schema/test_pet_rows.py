"""Each pet once, its latest row, in the order first met."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.schema import PetColumns, PetRows

IDS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 6)
PAGES = st.lists(st.lists(IDS, max_size=6) | st.lists(IDS, max_size=6).map(sorted), max_size=6)


def columns(ids: list[int], name: str = "x") -> PetColumns:
    return PetColumns([ids, [name] * len(ids), [1] * len(ids), [None] * len(ids)])


@given(PAGES, PAGES)
def test_each_pet_is_held_once(pages: list[list[int]], later: list[list[int]]) -> None:
    """However pages overlap, distinct ids stand as first met, before those of earlier pages."""
    rows, distinct = PetRows(), []
    for ids in pages:
        new = [pet_id for pet_id in dict.fromkeys(ids) if pet_id not in distinct]
        assert rows.add(columns(ids)) == len(new)
        distinct += new
    assert list(rows.columns.id) == distinct
    assert all(pet_id in rows for pet_id in distinct)
    assert (2**62 + 12345 in rows) is (2**62 + 12345 in distinct)
    for ids in later:
        rows.add(columns(ids, name="y"), is_earlier=True)
    assert list(rows.columns[1])[: len(distinct)] == ["x"] * len(distinct)
    assert len(rows) == len({*chain(*pages, *later)})


def test_the_latest_row_counts() -> None:
    """A pet that comes back with another name keeps its place, takes it, and is told of."""
    rows = PetRows()
    rows.add(columns([1, 2, 3]))
    rows.add(columns([3, 4], name="y"))
    assert list(rows.columns[1]) == ["x", "x", "y", "y"]
    assert rows.ambiguous_id == 3


class InterruptedValues(list[str | None]):
    """Values during whose iteration Ctrl-C is pressed."""

    def __iter__(self) -> Iterator[str | None]:
        yield from super().__iter__()
        raise KeyboardInterrupt


@pytest.mark.parametrize("ids", [[1, 2], [2, 1]])
def test_an_interrupt_leaves_no_half_of_a_row(ids: list[int]) -> None:
    """Rows that an interrupt cut are gone, and the same pets can be added again."""
    rows = PetRows()
    rows.add(PetColumns([ids, ["Luna", "Max"], [3, 3], [None, None]]))
    with pytest.raises(KeyboardInterrupt):
        rows.add(PetColumns([[4, 5], InterruptedValues(["Rex", "Bo"]), [3, 3], [None, None]]))
    assert rows.add(PetColumns([[4, 5], ["Rex", "Bo"], [3, 3], [None, None]]), is_earlier=True) == 2
    assert [row[:4] for row in rows.columns.rows()][2:] == [
        (4, "Rex", 3, None),
        (5, "Bo", 3, None),
    ]
