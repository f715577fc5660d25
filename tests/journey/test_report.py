"""A report of a real store."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import petstore_frame as pf
from shop import Shop
from unit.conftest import read_book


def test_what_changed_is_ended(service_shop: Shop) -> None:
    """The sheet Changes has the moves between the last two snapshots, and the pets."""
    shop, history = service_shop, pf.History(service_shop.folder / "history", timezone="UTC")
    shop.client.create_pet(name="Luna", category_id=3)
    days = {1: pf.fetch_inventory(shop.client)}
    shop.client.create_pet(name="=Max", category_id=3, status="sold")
    days[8] = pf.fetch_inventory(shop.client)
    for day, inventory in days.items():
        at = datetime(2030, 1, day, tzinfo=UTC)
        history.add(replace(inventory, provenance=replace(inventory.provenance, fetched_at=at)))
    for source, is_ended in ((days[8], False), (history.read("2030-01-08"), True)):
        path = pf.write_report(source, shop.folder / "stock.xlsx", changes=history.diff())
        sheet = read_book(path)["Changes"]
        shown = {str(cell.value) for row in sheet.iter_rows() for cell in row}
        assert {"2030-01-01 to 2030-01-08: 1 new", "=Max", "new", "sold"} <= shown
        note = "The last snapshot is of 2030-01-08. What"
        assert any(text.startswith(note) for text in shown) is not is_ended
        assert sheet.print_title_rows
