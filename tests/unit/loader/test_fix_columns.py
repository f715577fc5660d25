"""A row of a fix file is its original row: what was sent from a missing column is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import InputError
from petstore_frame.loader.results.load_result import LoadResult
from shop import Shop

LIST = "Tier,Art,Zustand,name\nZoë,x,sold,Anna\nRex,3,sold,Bert\n"
MAPPING = {"name": "Tier", "category_id": "Art", "status": "Zustand"}


@pytest.fixture
def result(shop: Shop) -> LoadResult:
    """The result of a list with one row to fix, which has a valid name and status."""
    path = shop.folder / "list.csv"
    path.write_text(LIST, encoding="utf-8")
    return pf.load(path, shop.client, journal=shop.journal, mapping=MAPPING, key="")


@pytest.mark.parametrize(("column", "field"), [("Zustand", "status"), ("Tier", "name")])
def test_a_missing_column_is_asked_for(shop: Shop, result: LoadResult, column, field) -> None:
    """Nothing is sent without a value that the original row has, or with that of another column."""
    result.write(shop.folder)
    fixed = result.fix.assign(Art="3")
    for source in (fixed.drop(columns=column), shop.folder / "fix.csv"):
        if isinstance(source, Path):
            header, *rows = source.read_text("utf-8-sig").splitlines()
            source.write_text("\n".join([header.replace(column, "Notiz"), *rows]), "utf-8")
        with pytest.raises(InputError) as refused:
            pf.load(source, shop.client, journal=shop.journal)
        assert (refused.value.column, refused.value.add) == (column, ("mapping", {field: "?"}))
    assert shop.names == ["Rex"]


def test_an_answer_sends_the_rows(shop: Shop, result: LoadResult) -> None:
    """A person may say that the status is in another column, or that there is none."""
    fixed = result.fix.assign(Art="3").rename(columns={"Zustand": "Notiz"})
    answer = {"status": "Notiz"}
    again = pf.load(fixed, shop.client, journal=shop.journal, mapping=answer, dry_run=True)
    assert again.counts["pending"] == 1
    pf.load(fixed, shop.client, journal=shop.journal, mapping={"status": ""})
    zoe = next(pet for pet in shop.pets if pet["name"] == "Zoë")
    assert zoe["status"] != "sold"


@pytest.mark.parametrize("renamed", ["status", "Status ", "zustand"])
def test_a_renamed_column_is_recognized(shop: Shop, result: LoadResult, renamed: str) -> None:
    """A column with the name of the field, or the same name in other capitals, is the column."""
    fixed = result.fix.assign(Art="3").rename(columns={"Zustand": renamed})
    pf.load(fixed, shop.client, journal=shop.journal)
    assert [pet["status"] for pet in shop.pets] == ["sold", "sold"]
