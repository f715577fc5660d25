"""What results answer to a caller who takes them for their tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.schema.frame import HasFrame, PetColumns
from petstore_frame.transport import Page
from threaded import serve
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


def test_a_result_of_a_load_counts_its_records(tmp_path: Path) -> None:
    """len() is the number of records, and names of the table are pointed to without reading it."""
    path = tmp_path / "pets.csv"
    path.write_text("name,categoryId,line\nLuna,3,x\nMax,cat,y\n")
    with serve() as server, server.client() as client:
        result: Any = pf.load(path, client, dry_run=True, journal=tmp_path, progress=False)
    assert len(result) == 2
    with pytest.raises(AttributeError, match=r"a LoadResult .*: \.frame\.head$"):
        result.head()
    with pytest.raises(TypeError, match=r"a LoadResult .*: \.frame\['line \(file\)'\]$"):
        result["line (file)"]
    with pytest.raises(TypeError, match=r"its table is \.frame$"):
        list(result)
    assert "frame" not in vars(result)


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
