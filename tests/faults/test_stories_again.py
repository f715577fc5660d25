"""Stories of a file that is read again with other words, or saved otherwise: its records move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

import petstore_frame as pf
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES
from shop import Shop

ROWS = "Ada,1", "Bo,two", "", "Cy,3", "Cy,3", "Di,4", "Ed,5"
NAMES = ["Ada", "Bo", "Cy", "Cy", "Di", "Ed"]
FAULTS = {"refused": "400", "unconfirmed": "fin_after", "pending": "401"}


def load(shop: Shop, *rows: str, **words: object) -> pf.LoadResult:
    """Load a list with two lines above its rows, of which the second is its header."""
    text = "\n".join(["Animals,categoryIds", "name,categoryId", *rows, ""])
    (shop.folder / "a.csv").write_text(text, encoding="utf-8")
    return shop.load("a.csv", **{"header_row": 2, "duplicates": "skip"} | words)


def header_above(shop: Shop) -> pf.LoadResult:
    """Say that the header is the line above, so that each record is the next one."""
    mapping = {"name": "Animals", "category_id": "categoryIds"}
    return load(shop, *ROWS, header_row=1, mapping=mapping, value_map={"category_id": {"two": "2"}})


def no_empty_line(shop: Shop) -> pf.LoadResult:
    """Save the file without its empty line, and then put its row right by a word."""
    rows = [row for row in ROWS if row]
    load(shop, *rows)
    return load(shop, *rows, value_map={"categoryId": {"two": "2"}})


def a_left_line(shop: Shop) -> pf.LoadResult:
    """Leave a line out that may be sent already, and send it after all."""
    load(shop, *ROWS, exclude_lines=[8])
    return load(shop, *ROWS, value_map={"categoryId": {"two": "2"}})


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("reread", [header_above, no_empty_line, a_left_line])
def test_records_that_move_are_not_taken_for_others(
    shop: Shop, fault: str, reread: Callable[[Shop], pf.LoadResult]
) -> None:
    """Nothing is doubled, nothing is lost, and what is listed is what the store holds."""
    shop.store.fault_of = {3: fault}.get
    first = load(shop, *ROWS)
    shop.store.fault_of = {}.get
    last = reread(shop)
    listed = [row.cells[0] for row in view_of(last).rows(*FIX_STATES, *UNCONFIRMED_STATES)]
    assert not Counter(shop.names) - Counter(NAMES)
    assert not Counter(NAMES) - Counter(shop.names) - Counter(listed)
    views = {view.import_id: view for view in (view_of(first), view_of(last))}
    rows = [row for view in views.values() for row in view.rows()]
    made = [row.pet_id for row in rows if row.pet_id is not None]
    assert len(made) == len({*made}) and {*made} <= {pet["id"] for pet in shop.pets}
    names = {pet["id"]: pet["name"] for pet in shop.pets}
    rows = [row for row in view_of(last).rows() if row.pet_id in names]
    assert all(names[row.pet_id] == row.cells[0] for row in rows)
