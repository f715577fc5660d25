"""What results answer to a caller who takes them for their tables."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.schema.frame import HasFrame, PetColumns
from petstore_frame.transport import Page
from unit.conftest import inventory as inventory_of


def inventory() -> pf.Inventory:
    return inventory_of([(1, "Luna", 3, "sold"), (2, "Max", 3, None)])


def summary() -> pf.Summary:
    return pf.summarize(inventory())


def page() -> Page:
    return Page(PetColumns([1], ["Luna"], [3], ["sold"]), {})


@pytest.mark.parametrize("held", [summary(), page(), inventory()])
def test_a_key_of_the_table_is_pointed_to(held: Any) -> None:
    """A column is named with its place; whatever else is asked for gets the place of the table."""
    with pytest.raises(TypeError, match=r"its table is \.frame: \.frame\['name'\]$"):
        held["name"]
    with pytest.raises(TypeError, match=r"its table is \.frame$"):
        held[pd.Series([True])]


def test_a_property_that_fails_says_why_itself() -> None:
    """An AttributeError from within a property is not taken for a name that is missing."""

    class Broken(HasFrame):
        @property
        def counts(self) -> int:
            raise AttributeError("the journal is damaged")

    with pytest.raises(AttributeError, match=r"^the journal is damaged$"):
        Broken().counts  # noqa: B018 # asked for on purpose


def test_a_page_gives_its_pets_and_its_table() -> None:
    """A page can be looped over, and its table has the schema of every other."""
    empty = Page(PetColumns([], [], [], []), {})
    assert [pet.name for pet in page()] == ["Luna"] == page().frame["name"].tolist()
    assert list(empty) == []
    assert empty.frame.dtypes.to_dict() == page().frame.dtypes.to_dict()
