"""The one table of counts by category and status."""

from __future__ import annotations

import re

import pytest

from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import StatusCounts, per_cent, short
from petstore_frame.html import PAGE
from petstore_frame.inventory import StatusCount

GROUPS = [(3, "available", 4), (3, "sold", 1), (5, "sold", 2), (None, "no status", 1)]


def counted(groups: list[tuple[int | None, str, int]] = GROUPS) -> StatusCounts:
    return StatusCounts.of(groups, {3: "Cat", 5: "<b>Dog</b>"})


def test_lines_sums_and_text_agree() -> None:
    """Each number of the text is a number of the lines, and the last line is their sum."""
    table = CountTable(counted())
    lines = [re.split(r"\s{2,}", line) for line in table.to_text().splitlines() if line]
    shown = [[int(number) for number in numbers] for _, *numbers in lines[2:]]
    assert shown == [[cell.count for cell in line.cells] for line in [*table.lines, table.sums]]
    assert shown[-1] == [sum(column) for column in zip(*shown[:-1], strict=True)]


def test_small_categories_share_one_line() -> None:
    """Beyond ``top``, categories are added up in a line that says how many they are."""
    many = counted([(number, "sold", 10 - number) for number in range(6)])
    table = CountTable(many, top=2)
    assert [line.label for line in table.lines][-1] == "4 other categories"
    assert sum(line.total.count for line in table.lines) == table.sums.total.count
    assert table.has_rest
    assert not CountTable(many).has_rest


def test_a_number_leads_to_its_pets_only_where_a_filter_means_them() -> None:
    """A script finds category and status on each number, but no category on sums."""
    drawn = CountTable(counted()).to_html(PAGE, is_picked=True)
    assert 'data-category="3" data-status="sold"' in drawn
    assert 'data-category="" data-status="no status"' in drawn
    assert "data-category" not in drawn.partition("<tfoot>")[2]
    assert "data-" not in CountTable(counted()).to_html(PAGE)


def test_a_label_is_text() -> None:
    """A category's label that looks like markup is shown to the letter."""
    assert "&lt;b&gt;Dog" in CountTable(counted()).to_html()


@pytest.mark.parametrize(("is_exact", "shown"), [(True, "none"), (False, "≥ 0")])
def test_nothing_available_is_marked_where_it_is_certain(is_exact: bool, shown: str) -> None:
    """A category without available pets reads ``none``, unless some may have been missed."""
    held = counted([(5, "sold", 2)])
    unsure = StatusCounts(
        held.category_ids, held.labels, held.statuses, (is_exact,) * 4, is_exact, held.cells
    )
    drawn = CountTable(unsure).to_html(PAGE).partition("<tbody>")[2]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", drawn)[0] == shown
    assert (CountTable(unsure).nothing_available() is None) is not is_exact


def test_numbers_in_words() -> None:
    """A minimum says so, and a share never rounds to nothing."""
    assert [short(StatusCount(1200, is_exact)) for is_exact in (True, False)] == [
        "1,200",
        "≥ 1,200",
    ]
    assert [per_cent(*pair) for pair in [(1, 4), (1, 9000), (0, 5), (0, 0)]] == [
        "25.0%",
        "< 0.1%",
        "–",
        "–",
    ]
