"""What results answer to a caller who takes them for their tables."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.http.answer import Headers
from petstore_frame.http.page import Page
from petstore_frame.schema.frame import PetColumns, to_frame
from threaded import serve


def inventory() -> pf.Inventory:
    """Two pets, all that there are."""
    frame = to_frame(PetColumns([1, 2], ["Luna", "Max"], [3, 3], ["sold", None]))
    return pf.Inventory.made_up(frame, fetched_at=datetime(2030, 1, 2, tzinfo=UTC))


def summary() -> pf.Summary:
    return pf.summarize(inventory())


@pytest.mark.parametrize(
    ("make", "name", "words"),
    [
        (inventory, "head", "an Inventory has no attribute 'head'; its table is .frame: "
         ".frame.head"),
        (inventory, "status", "an Inventory has no attribute 'status'; its table is .frame: "
         ".frame['status']"),
        (inventory, "df", "an Inventory has no attribute 'df'; its table is .frame"),
        (inventory, "total", "an Inventory has no attribute 'total'; .completeness has it: "
         ".completeness.total"),
        (inventory, "_hidden", "an Inventory has no attribute '_hidden'"),
        (summary, "to_csv", "a Summary has no attribute 'to_csv'; its table is .frame: "
         ".frame.to_csv"),
        (summary, "sold", "a Summary has no attribute 'sold'; its table is .frame: .frame['sold']"),
        (summary, "covers_all", "a Summary has no attribute 'covers_all'; .completeness has it: "
         ".completeness.covers_all"),
    ],
)  # fmt: skip
def test_a_name_of_the_table_is_pointed_to(
    make: Callable[[], HasFrame], name: str, words: str
) -> None:
    """The error names what was meant where it is there, and else only where the table is."""
    with pytest.raises(AttributeError) as refused:
        getattr(make(), name)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("key", "words"),
    [("sold", ": .frame['sold']"), ("Dog", ""), (0, ""), (pd.Series([True]), "")],
    ids=["column", "label", "number", "mask"],
)
def test_a_key_of_the_table_is_pointed_to(key: Any, words: str) -> None:
    """A column is named with its place; whatever else is asked for gets the place of the table."""
    held: Any = summary()
    with pytest.raises(TypeError) as refused:
        held[key]
    assert str(refused.value) == f"a Summary has no columns; its table is .frame{words}"


def test_a_result_of_a_load_counts_its_records(tmp_path: Path) -> None:
    """len() is the number of records, and names of the table are pointed to without reading it."""
    path = tmp_path / "pets.csv"
    path.write_text("name,categoryId,line\nLuna,3,x\nMax,cat,y\n")
    with serve() as server, server.client() as client:
        result: Any = pf.load_csv(path, client, dry_run=True, journal=tmp_path, progress=False)
    assert len(result) == 2
    with pytest.raises(AttributeError, match=r"a LoadResult .*: \.frame\.head$"):
        result.head()
    with pytest.raises(TypeError, match=r"a LoadResult .*: \.frame\['line \(file\)'\]$"):
        result["line (file)"]
    with pytest.raises(TypeError, match=r"not iterable; .*: \.frame\.itertuples\(\)$"):
        list(result)
    assert "frame" not in vars(result)


def test_a_page_points_to_its_table() -> None:
    """A Page gives its pets one by one, and names its table for whatever a table would do."""
    page: Any = Page(PetColumns([1], ["Luna"], [3], ["sold"]), Headers([]))
    assert [pet.name for pet in page] == ["Luna"]
    with pytest.raises(AttributeError, match=r"a Page .*: \.frame\.to_csv$"):
        page.to_csv()
    with pytest.raises(TypeError, match=r"a Page .*: \.frame\['name'\]$"):
        page["name"]


def test_a_property_that_fails_says_why_itself() -> None:
    """An AttributeError from within a property is not taken for a name that is missing."""

    class Broken(HasFrame):
        @property
        def counts(self) -> int:
            raise AttributeError("the journal is damaged")

    with pytest.raises(AttributeError, match=r"^the journal is damaged$"):
        Broken().counts  # noqa: B018 # asked for on purpose


def test_results_can_be_copied() -> None:
    """Copying and pickling ask for names of their own, which get no pointer."""
    held = inventory()
    assert copy.copy(held).frame is held.frame
    assert str(pf.summarize(pickle.loads(pickle.dumps(held)))) == str(summary())
