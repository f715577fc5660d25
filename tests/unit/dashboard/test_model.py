"""What the dashboard shows for a selection, held to pandas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.dashboard.model import ROWS_PER_PAGE, SORT_COLUMNS, Selection, StoreModel
from petstore_frame.inventory import Verdict
from petstore_frame.schema.models import INT64_MAX, NO_STATUS
from unit.dashboard_store import inventory, pets

LABELS = {1: "Cat", 2: "Dog", 3: "Bird"}
ROWS = st.lists(
    st.tuples(
        st.integers(-(2**63), 2**63 - 1),
        st.text(max_size=12),
        st.integers(1, 5),
        st.sampled_from(["available", "pending", "sold", "lost", None]),
    ),
    max_size=120,
    unique_by=lambda row: row[0],
)
SELECTIONS = st.builds(
    Selection,
    status=st.sampled_from([None, "available", "sold", "lost", NO_STATUS]),
    categories=st.frozensets(st.integers(1, 6), max_size=3),
    text=st.sampled_from(["", "a", "é", "7", "\u0130"]),
    sort_by=st.sampled_from(SORT_COLUMNS),
    is_descending=st.booleans(),
    page=st.integers(1, 5),
)


@given(ROWS, SELECTIONS)
def test_figures_matrix_and_table_agree_with_pandas(rows: list, selection: Selection) -> None:
    """All that is shown of a selection is what plain pandas finds for it."""
    store = inventory(rows)
    shown = StoreModel(store, LABELS).show(selection)
    frame = store.frame
    status = frame["status"].astype("object").where(frame["status"].notna(), NO_STATUS)
    keep = frame["name"].str.lower().str.contains(selection.text.lower(), regex=False)
    if selection.text.isdecimal():
        keep |= frame["id"] == int(selection.text)
    if selection.status:
        keep &= status == selection.status
    if selection.categories:
        keep &= frame["category_id"].isin(selection.categories)
    wanted = frame[keep]
    assert shown.matches == len(wanted)
    counted = status[keep].value_counts().to_dict()
    assert {name: n.count for name, n in shown.counts.by_status.items() if n.count} == counted
    ids = {int(row[0]) for row in shown.rows}
    assert ids <= set(wanted["id"]) and len(ids) == len(shown.rows)
    assert len(shown.rows) == min(ROWS_PER_PAGE, len(wanted) - shown.first)


@given(ROWS, st.sampled_from(SORT_COLUMNS), st.booleans())
def test_pages_hold_every_pet_once(rows: list, column: str, is_descending: bool) -> None:
    """Turning all pages, in any order, meets every pet exactly once."""
    model = StoreModel(inventory(rows))
    choice = Selection(sort_by=column, is_descending=is_descending)
    pages = model.show(choice).pages
    met = [
        row[0]
        for page in range(1, pages + 1)
        for row in model.show(
            Selection(sort_by=column, is_descending=is_descending, page=page)
        ).rows
    ]
    assert sorted(met) == sorted(str(row[0]) for row in rows)


def test_ids_keep_their_last_digit() -> None:
    """Ids beyond 2**53 are text to the last digit."""
    model = StoreModel(inventory([(2**53 + 1, "Luna", 1, None), (INT64_MAX, "Max", 1, "sold")]))
    rows = model.show(Selection()).rows
    assert [row[0] for row in rows] == ["9007199254740993", "9223372036854775807"]
    assert model.show(Selection(text="9007199254740993")).rows[0][1] == "Luna"


def test_categories_sort_by_what_is_read() -> None:
    """The table sorts categories by their label, not by their id."""
    model = StoreModel(inventory(pets(3)), LABELS)
    shown = model.show(Selection(sort_by="category_id"))
    assert [row[2] for row in shown.rows] == ["Bird", "Cat", "Dog"]


def test_a_minimum_stays_a_minimum_under_a_filter() -> None:
    """Counts of a status are exact only if its own listing was, and the total only if all is."""
    store = inventory(pets(100), Verdict.UNKNOWN, exact=["pending"])
    model = StoreModel(store)
    everything = model.show(Selection()).counts
    assert not everything.total.is_exact and everything.by_status["pending"].is_exact
    assert model.show(Selection(status="pending")).counts.total.is_exact
    assert not model.show(Selection(status="sold")).counts.total.is_exact


def test_a_part_that_is_whole_is_not_all() -> None:
    """A listing that is complete for one status leaves the total a minimum."""
    rows = [(1, "Luna", 1, "sold"), (2, "Max", 1, "sold")]
    store = inventory(rows, Verdict.COMPLETE, status="sold")
    counts = StoreModel(store).show(Selection()).counts
    assert not counts.total.is_exact and counts.by_status["sold"].is_exact


def test_a_page_beyond_the_last_is_brought_back() -> None:
    """Rows vanish under a filter; the page shown is then the last that there is."""
    shown = StoreModel(inventory(pets(120))).show(Selection(page=99))
    assert shown.selection.page == 3 and shown.place == "101–120 of 120"


@pytest.mark.parametrize(
    ("text", "found"), [("Dog", [2]), ("2", [2]), ("d", [2, 3]), ("cow", []), ("  ", [])]
)
def test_categories_are_found_by_name_part_or_id(text: str, found: list[int]) -> None:
    """A category is found by its whole name, its id, or any part of its name."""
    assert StoreModel(inventory(pets(6)), LABELS).find_categories(text) == found


def test_each_filter_can_be_taken_away() -> None:
    """Every active filter is named and leads to the selection without it."""
    model = StoreModel(inventory(pets(9)), LABELS)
    now = Selection(status="sold", categories=frozenset({1, 2}), text="pet")
    named = model.describe(now)
    assert [words for words, _ in named] == [
        "Status: sold", "Category: Cat", "Category: Dog", "Name or id: pet",
    ]  # fmt: skip
    assert named[0][1].status is None and named[1][1].categories == {2} and not named[3][1].text


def test_the_rest_of_many_categories_share_a_line() -> None:
    """Fifteen categories get a line, the others together one."""
    shown = StoreModel(inventory(pets(900, categories=300))).show(Selection())
    lines = shown.counts.largest(15)
    assert len(lines) == 16 and lines[-1].label == "285 other categories"
    assert sum(line.total.count for line in lines) == 900
