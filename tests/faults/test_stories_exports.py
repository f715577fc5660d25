"""Stories of files that were exported from a store, edited, and loaded again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

import petstore_frame as pf
from faults.flaky_store import KEY
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import State
from shop import Shop

TAGS = "tag,name"


pytestmark = pytest.mark.store(page_cap=5)


@pytest.fixture
def shop(shop: Shop) -> Shop:
    """An office with animals of its own, and a colleague's pets in the same store."""
    shop.load("own.csv", TAGS, "O-1,Own", key="tag")
    shop.colleague.load("his.csv", TAGS, *(f"H-{n},Pet {n}" for n in range(12)), key="tag")
    shop.load("next.csv", TAGS, "O-2,Own too", key="tag")
    return shop


def export(shop: Shop, form: str) -> Any:
    """Return the pets of the store as they leave it: a frame, or a file that keeps its store."""
    inventory = pf.fetch_inventory(shop.client)
    if form == "frame":
        return inventory.frame
    path = shop.folder / f"stock.{form}"
    if form == "parquet":
        inventory.frame.to_parquet(path)
    else:
        pf.write_report(inventory, path)
    return path


def load(shop: Shop, source: Any, **options: Any) -> pf.LoadResult:
    loading = {"journal": shop.journal, "progress": False, "key": ""} | options
    if isinstance(source, Path) and source.suffix == ".xlsx":
        columns = {"name": "Name", "category_id": "Category ID", "status": "Status"}
        loading |= {"sheet": "Inventory", "mapping": columns, "fallback": {"status": "available"}}
    return pf.load(source, shop.client, **loading)


@pytest.mark.parametrize("form", ["frame", "csv", "xlsx", "parquet"])
def test_an_export_of_this_store_is_matched_without_a_question(shop: Shop, form: str) -> None:
    """Each row with the id and the name of a pet is that pet, and listed as matched."""
    result = load(shop, export(shop, form))
    assert len(shop.pets) == 14
    assert result.counts[State.MATCHED] == 12  # the other two are known animals
    assert result.counts[State.CREATED] == 0


def test_a_workbook_that_was_edited_keeps_its_store(shop: Shop) -> None:
    """Rows may be removed and changed; what was saved again still says where it is from."""
    path = export(shop, "xlsx")
    book = openpyxl.load_workbook(path)
    book["Inventory"].delete_rows(3, 6)
    book.save(path)
    result = load(shop, path)
    assert len(shop.pets) == 14 and result.counts[State.MATCHED] >= 6


def test_other_names_under_the_ids_of_an_export_are_asked_about(shop: Shop) -> None:
    """Many are asked about; few are sent, and listed."""
    frame = export(shop, "frame")
    frame["name"] = [f"{name} (vet)" if n < 7 else name for n, name in enumerate(frame["name"])]
    with shop.asks("in_store"):
        load(shop, frame)


def test_an_export_of_another_store_is_not_taken_for_this_one(shop: Shop, stores: Any) -> None:
    """Its ids are those of other pets, even if a name is the same."""
    other = stores()
    for name in ("Own", *"ABCDEFG"):
        other.add({"name": name, "categoryId": 77})
    with pf.Client(other.base_url, KEY, retry_timeout=0) as client:
        frame = pf.fetch_inventory(client).frame
    result = load(shop, frame)
    assert result.counts[State.MATCHED] == 0 and len(shop.pets) == 14 + 8


def test_matched_rows_are_created_if_the_user_says_so_by_name(shop: Shop) -> None:
    """A plain word does not; the case named by itself does, once."""
    frame = export(shop, "frame").iloc[2:5]
    for answer, pets in (("create", 14), ({"in_store": "create"}, 17), ("create", 17)):
        load(shop, frame, duplicates=answer)
        assert len(shop.pets) == pets, answer


def test_rows_of_an_export_that_were_called_others_do_not_ask_again(shop: Shop) -> None:
    """After create, all pets of that reading are decided for the files of this header."""
    header = "id,name,category_id,status"
    pets = [pet for pet in shop.pets if pet["name"].startswith("Pet")]
    asked = 0
    for week in range(3):
        rows = [f"{pet['id']},{pet['name']},1,sold" for pet in pets[4 * week : 4 * week + 4]]
        path = shop.folder / f"week{week}.csv"
        path.write_text("\n".join([header, *rows, f",New {week},1,sold", ""]))
        try:
            load(shop, path)
        except pf.DuplicatesError:
            asked += 1
            load(shop, path, duplicates="create")
    assert (asked, len(shop.pets)) == (1, 14 + 15)


def test_few_pets_with_another_name_in_the_store_are_changed(shop: Shop) -> None:
    """The row of each says which name the store shows; nothing is sent or asked."""
    shop.load("more.csv", TAGS, *(f"M-{n},Mine {n}" for n in range(9)), key="tag")
    shop.load("more.csv", key="tag")
    next(pet for pet in shop.pets if pet["name"] == "Mine 3")["name"] = "Bourbon"
    result = shop.load("more.csv", key="tag")
    changed = dict(zip(result.changed["tag"], result.changed["changed"], strict=True))
    assert changed == {"M-3": "the store shows the name Bourbon"}
    assert any("line 5" in warning for warning in result.warnings)
    assert len(shop.pets) == 23


@pytest.mark.parametrize("options", [{}, {"keep": "last"}], ids=["alone", "keep"])
def test_an_excluded_row_with_an_unreadable_status_is_changed(shop: Shop, options: dict) -> None:
    """The word that excludes a row is often one that no store has."""
    header = "tag,name,categoryId,status"
    shop.load("a.csv", header, "A,Ada,1,available", "B,Bo,1,available", key="tag")
    rows = "A,Ada,1,Euthanized", "B,Bo,1,available"
    loading = {"key": "tag", "exclude": {"status": ["Euthanized"]}} | options
    for _ in range(2):
        result = shop.load("b.csv", header, *rows, **loading)
        changed = dict(zip(result.changed["tag"], result.changed["changed"], strict=True))
        assert changed == {"A": "the store still shows it as available"}
    assert view_of(result).facts.exit_code == 0
