"""What the dashboard shows for a selection, held to pandas."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from petstore_frame.dashboard.model import ROWS_PER_PAGE, SORT_COLUMNS, Selection, StoreModel
from petstore_frame.inventory import Verdict
from petstore_frame.schema.models import INT64_MAX, INT64_MIN, NO_STATUS
from unit.conftest import inventory, pets

LABELS = {1: "Cat", 2: "Dog", 3: "Bird"}
BIG = 2**53 + 1
ROWS = st.lists(
    st.tuples(
        st.integers(INT64_MIN, INT64_MAX) | st.sampled_from([BIG - 1, BIG]),
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
    text=st.sampled_from(["", "a", "é", "7", "\u0130", str(BIG)]),
    sort_by=st.sampled_from(SORT_COLUMNS),
    is_descending=st.booleans(),
    page=st.integers(1, 5),
)


@given(ROWS, SELECTIONS)
@example(pets(120), Selection(sort_by="name", is_descending=True, page=2))
@example([(BIG - 1, "Luna", 1, None), (BIG, "Max", 1, "sold")], Selection(text=str(BIG)))
def test_figures_matrix_and_table_agree_with_pandas(rows: list, selection: Selection) -> None:
    """All pages of a selection show what pandas finds, once; one beyond the last is the last."""
    store = inventory(rows)
    model = StoreModel(store, LABELS)
    shown = model.show(selection)
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
    pages = [model.show(replace(selection, page=page)).rows for page in range(1, shown.pages + 1)]
    assert sorted(int(row[0]) for rows in pages for row in rows) == sorted(wanted["id"])
    assert shown.selection.page == min(selection.page, shown.pages)
    assert len(shown.rows) == min(ROWS_PER_PAGE, len(wanted) - shown.first)


def test_categories_sort_by_what_is_read() -> None:
    """The table sorts categories by their label, not by their id."""
    model = StoreModel(inventory(pets(3)), LABELS)
    shown = model.show(Selection(sort_by="category_id"))
    assert [row[2] for row in shown.rows] == ["Bird", "Cat", "Dog"]


def test_a_minimum_stays_a_minimum_under_a_filter() -> None:
    """Counts of a status are exact only if its own listing was, and the total only if all is."""
    model = StoreModel(inventory(pets(100), Verdict.UNKNOWN, exact=["pending"]))
    everything = model.show(Selection()).counts
    assert not everything.total.is_exact and everything.by_status["pending"].is_exact
    for status, is_exact in {"pending": True, "sold": False}.items():
        assert model.show(Selection(status=status)).counts.total.is_exact is is_exact
    of_sold = inventory([(1, "Luna", 1, "sold")], status="sold")
    counts = StoreModel(of_sold).show(Selection()).counts
    assert not counts.total.is_exact and counts.by_status["sold"].is_exact


@pytest.mark.parametrize(
    ("text", "found"), [("Dog", [2]), ("2", [2]), ("d", [2, 3]), ("cow", []), ("  ", [])]
)
def test_categories_are_found_by_name_part_or_id(text: str, found: list[int]) -> None:
    """A category is found by its whole name, its id, or any part of its name."""
    assert StoreModel(inventory(pets(6)), LABELS).find_categories(text) == found
