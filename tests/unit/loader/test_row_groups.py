"""What each row of a file counts as, on cards and in headlines."""

from __future__ import annotations

import pytest

from petstore_frame.loader import view_of
from petstore_frame.loader.results.row_groups import RowGroup, group_of
from petstore_frame.loader.row_state import State
from shop import Shop

S, G = State, RowGroup
# The state of the row, of its animal, whether the row speaks for it, and whether the animal is of
# this import.
GROUPS = {
    (S.EXCLUDED, None, False, False): G.EXCLUDED,
    (S.INVALID, None, False, False): G.NEED_FIXING,
    (S.PENDING, S.PENDING, True, True): G.TO_SEND,
    (S.NOT_FOUND, S.NOT_FOUND, True, True): G.TO_SEND,
    (S.CREATED, S.CREATED, True, True): G.ADDED,
    (S.MATCHED, S.MATCHED, True, True): G.MATCHED,
    (S.REJECTED, S.REJECTED, True, True): G.REJECTED,
    (S.UNCONFIRMED, S.UNCONFIRMED, True, True): G.UNCONFIRMED,
    (S.IN_FLIGHT, S.IN_FLIGHT, True, True): G.UNCONFIRMED,
    (S.GONE, S.GONE, True, True): G.GONE,
    (S.EXCLUDED, S.CREATED, False, True): G.REPEATED,
    (S.EXCLUDED, S.CREATED, False, False): G.ALREADY_LOADED,
    (S.EXCLUDED, S.MATCHED, False, False): G.MATCHED,
    (S.PENDING, S.PENDING, False, False): G.TO_SEND,
    (S.UNCONFIRMED, S.UNCONFIRMED, False, False): G.UNCONFIRMED,
    (S.GONE, S.GONE, False, False): G.GONE,
}


@pytest.mark.parametrize(("row", "group"), GROUPS.items(), ids=lambda value: str(value)[:60])
def test_a_row_is_in_one_group(row: tuple, group: RowGroup) -> None:
    """The state of a row and of its animal decide what the row counts as."""
    state, animal_state, speaks, is_of_import = row
    found = group_of(state, animal_state, speaks=speaks, is_of_import=is_of_import, was_sent=True)
    assert found is group


def test_the_groups_of_a_file_add_up(shop: Shop) -> None:
    """Each row of the file counts once; repeats in a first file are not called already loaded."""
    lines = ["1,Ada", "1,Ada", "2,Bo", "3,", "4,Di"]
    first = shop.load("a.csv", "tag,name", *lines, key="tag", exclude_lines=[6])
    groups = {group: rows for group, rows in view_of(first).facts.groups.items() if rows}
    assert groups == {G.ADDED: 2, G.REPEATED: 1, G.NEED_FIXING: 1, G.EXCLUDED: 1}
    assert len(view_of(first).facts) == 5
    assert "already loaded" not in str(first).lower()


def test_a_later_file_says_what_was_loaded_before(shop: Shop) -> None:
    """Animals of an earlier file count as already loaded, in words and in numbers."""
    shop.load("a.csv", "tag,name", "1,Ada", "2,Bo", key="tag")
    second = shop.load("b.csv", "tag,name", "1,Ada", "3,Cy", key="tag")
    groups = {group: rows for group, rows in view_of(second).facts.groups.items() if rows}
    assert groups == {G.ADDED: 1, G.ALREADY_LOADED: 1}
    assert "1 animal added; 1 already loaded" in str(second)


def test_a_row_of_several_animals_counts_once(shop: Shop) -> None:
    """A quantity makes several animals of a row, and one row on the cards."""
    result = shop.load("a.csv", "name,n", "Ada,3", "Bo,1", quantity="n")
    assert result.counts["created"] == 4
    assert view_of(result).facts.groups[G.ADDED] == len(view_of(result).facts) == 2
