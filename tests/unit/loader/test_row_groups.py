"""What each row of a file counts as, on cards and in headlines."""

from __future__ import annotations

from petstore_frame.loader import view_of
from petstore_frame.loader.results.row_groups import RowGroup
from shop import Shop

G = RowGroup


def test_the_groups_of_a_file_add_up(memory_shop: Shop) -> None:
    """Each row of the file counts once; repeats in a first file are not called already loaded."""
    lines = ["1,Ada", "1,Ada", "2,Bo", "3,", "4,Di"]
    first = memory_shop.load("a.csv", "tag,name", *lines, key="tag", exclude_lines=[6])
    groups = {group: rows for group, rows in view_of(first).facts.groups.items() if rows}
    assert groups == {G.ADDED: 2, G.REPEATED: 1, G.NEED_FIXING: 1, G.EXCLUDED: 1}
    assert len(view_of(first).facts) == 5
    assert "already loaded" not in str(first).lower()


def test_a_later_file_says_what_was_loaded_before(memory_shop: Shop) -> None:
    """Animals of an earlier file count as already loaded, in words and in numbers."""
    memory_shop.load("a.csv", "tag,name", "1,Ada", "2,Bo", key="tag")
    second = memory_shop.load("b.csv", "tag,name", "1,Ada", "3,Cy", key="tag")
    groups = {group: rows for group, rows in view_of(second).facts.groups.items() if rows}
    assert groups == {G.ADDED: 1, G.ALREADY_LOADED: 1}
    assert "1 animal added; 1 already loaded" in str(second)


def test_a_row_of_several_animals_counts_once(memory_shop: Shop) -> None:
    """A quantity makes several animals of a row, and one row on the cards."""
    result = memory_shop.load("a.csv", "name,n", "Ada,3", "Bo,1", quantity="n")
    assert result.counts["created"] == 4
    assert view_of(result).facts.groups[G.ADDED] == len(view_of(result).facts) == 2


def test_a_continued_load_counts_only_its_own_rows(memory_shop: Shop) -> None:
    """A call that continues a trial has added the rest; the rows of the trial were there."""
    lines = [f"{number},Pet {number}" for number in range(1, 6)]
    memory_shop.load("a.csv", "tag,name", *lines, key="tag", max_rows=2)
    rest = memory_shop.load("a.csv", key="tag")
    groups = {group: rows for group, rows in view_of(rest).facts.groups.items() if rows}
    assert groups == {G.ADDED: 3, G.ALREADY_LOADED: 2}
