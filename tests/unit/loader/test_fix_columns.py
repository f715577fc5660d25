"""A row of a fix file is its original row, also if columns are missing or renamed."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame.errors import InputError
from petstore_frame.loader.results.load_result import LoadResult
from shop import Shop

LIST = "Tier,Art,Zustand,name\nZoë,x,sold,Anna\nRex,3,sold,Bert\n"
MAPPING = {"name": "Tier", "category_id": "Art", "status": "Zustand"}


@pytest.fixture
def result(memory_shop: Shop) -> LoadResult:
    """The result of a list with one row to fix, which has a valid name and status."""
    path = memory_shop.folder / "list.csv"
    path.write_text(LIST, encoding="utf-8")
    return pf.load(path, memory_shop.client, journal=memory_shop.journal, mapping=MAPPING, key="")


@pytest.mark.parametrize("column", ["Zustand", "Tier"])
def test_a_missing_column_keeps_its_values(
    memory_shop: Shop, result: LoadResult, column: str
) -> None:
    """The cells that a fix file does not have are those of the row that it names."""
    fixed = result.fix.assign(Art="3").drop(columns=column)
    pf.load(fixed, memory_shop.client, journal=memory_shop.journal)
    assert [pet["status"] for pet in memory_shop.pets] == ["sold", "sold"]
    assert memory_shop.names == ["Rex", "Zoë"]


@pytest.mark.parametrize("column", ["Zustand", "Tier"])
def test_a_column_with_another_name_is_refused(
    memory_shop: Shop, result: LoadResult, column
) -> None:
    """Its corrections would be lost, so the column that is missing is named."""
    fixed = result.fix.assign(Art="3").rename(columns={column: "Notiz"})
    with pytest.raises(InputError, match=column) as refused:
        pf.load(fixed, memory_shop.client, journal=memory_shop.journal)
    assert refused.value.column == "Notiz" and memory_shop.names == ["Rex"]


@pytest.mark.parametrize("renamed", ["status", "Status ", "zustand"])
def test_a_renamed_column_is_recognized(
    memory_shop: Shop, result: LoadResult, renamed: str
) -> None:
    """A column with the name of the field, or the same name in other capitals, is the column."""
    fixed = result.fix.assign(Art="3").rename(columns={"Zustand": renamed})
    pf.load(fixed, memory_shop.client, journal=memory_shop.journal)
    assert [pet["status"] for pet in memory_shop.pets] == ["sold", "sold"]
