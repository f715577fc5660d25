"""A report of a real store."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import petstore_frame as pf
from petstore_frame.loader.record import State
from petstore_frame.loader.results.result_text import headline
from petstore_frame.loader.results.steps import next_steps
from shop import Shop
from unit.conftest import read_book


def report(shop: Shop, sheet: str, inventory: Any = None, **options: Any) -> Any:
    """The cells of a sheet of the workbook about a listing, or about the store as it is now."""
    source = pf.fetch_inventory(shop.client) if inventory is None else inventory
    path = pf.write_report(source, shop.folder / "stock.xlsx", **options)
    return {cell.value for row in read_book(path)[sheet].iter_rows() for cell in row}


def test_the_sheet_of_an_import_says_what_its_result_says(service_shop: Shop) -> None:
    """It has the records by state, those to fix with line, value and hint, and the next steps."""
    old = ["name,categoryId", "Luna,3", "Max,3", "Rex,3"]
    service_shop.load("old.csv", *old)
    result = service_shop.load("new.csv", *old, "Ada,3", "=Zoe,cat", ",3", duplicates="skip")
    shown = report(service_shop, "Import", results=result)
    (word, sentence), steps = headline(result.facts), next_steps(result.facts)
    assert result.counts[State.SKIPPED] == 3 and steps
    told = {step.text[:1].upper() + step.text[1:] for step in steps}
    assert {f"{word}: {sentence}", *told} <= shown
    assert {"created", "invalid", "skipped", "Records to fix: 2", "cat"} <= shown
    book = read_book(service_shop.folder / "stock.xlsx")
    assert book.sheetnames[-2:] == ["Import", "About"]
    assert {cell.data_type for row in book["Import"].iter_rows() for cell in row} <= {"s", "n"}


def test_what_changed_is_ended(service_shop: Shop) -> None:
    """The sheet Changes has the moves between the last two snapshots, and the pets."""
    shop, history = service_shop, pf.History(service_shop.folder / "history")
    shop.client.create_pet(name="Luna", category_id=3)
    days = {1: pf.fetch_inventory(shop.client)}
    shop.client.create_pet(name="=Max", category_id=3, status="sold")
    days[8] = pf.fetch_inventory(shop.client)
    shown = {}
    for day, inventory in days.items():
        at = datetime(2030, 1, day, tzinfo=UTC)
        history.add(replace(inventory, provenance=replace(inventory.provenance, fetched_at=at)))
        shown[day] = report(shop, "Changes", history=history)
    assert any(str(text).startswith("Nothing to compare: ") for text in shown[1])
    assert {"2030-01-01 to 2030-01-08: 1 new", "=Max", "new", "sold"} <= shown[8]
    assert any("The last snapshot is of 2030-01-08. What" in str(text) for text in shown[8])
    ended = report(shop, "Changes", history.read("2030-01-08"), history=history)
    assert not any("is not here" in str(text) for text in ended)
    assert read_book(shop.folder / "stock.xlsx")["Changes"].print_title_rows
