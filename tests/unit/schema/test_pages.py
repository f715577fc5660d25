"""A page of pets, as a caller holds it."""

from __future__ import annotations

from petstore_frame.schema import PetColumns
from petstore_frame.transport import Page


def test_a_page_gives_its_pets_and_its_table() -> None:
    """A page can be looped over, and its table has the schema of every other."""
    page = Page(PetColumns([[1], ["Luna"], [3], ["sold"]]), {})
    empty = Page(PetColumns([[], [], [], []]), {})
    assert [pet.name for pet in page] == ["Luna"] == page.frame["name"].tolist()
    assert list(empty) == []
    assert empty.frame.dtypes.to_dict() == page.frame.dtypes.to_dict()
