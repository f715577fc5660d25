"""Values that a store may send and that a table has to hold."""

from __future__ import annotations

from petstore_frame.http.answer import Headers
from petstore_frame.http.page import Page
from petstore_frame.inventory.origin import rows_digest
from petstore_frame.schema.frame import PetColumns, to_frame


def test_more_statuses_than_a_small_number_counts() -> None:
    """Forty thousand statuses are forty thousand categories."""
    count = 40_000
    statuses = [f"s{n}" for n in range(count)]
    frame = to_frame(PetColumns(range(count), ["a"] * count, [1] * count, statuses))
    assert frame["status"].tolist() == statuses
    assert rows_digest(frame) is not None


def test_a_page_gives_its_pets_and_its_table() -> None:
    """A page can be looped over, and its table has the schema of every other."""
    columns = PetColumns([2, 1], ["Luna", "Max"], [3, 3], ["sold", None])
    page, empty = Page(columns, Headers([])), Page(PetColumns([], [], [], []), Headers([]))
    assert [pet.name for pet in page] == ["Luna", "Max"] == page.frame["name"].tolist()
    assert list(empty) == []
    assert empty.frame.dtypes.to_dict() == page.frame.dtypes.to_dict()
