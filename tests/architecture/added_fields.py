"""What each place shows of three fields that were added to a pet: run by ``test_add_a_field``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pandas as pd
import pyarrow.parquet as pq
import pytest

import petstore_frame as pf
from shop import Shop

HEADER = "tag,name,categoryId,years,Weight kg,microchip"
BEN, ZOE, TOM = "A1,Ben,3,71,2.75,0098", "A2,Zoe,3,,,", "A3,Tom,3,old,,"
KIM = pf.NewPet(name="Kim", category_id=1, age=7)
Walk = tuple[Shop, pf.LoadResult, pf.Inventory]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """Kim is added, Ben and Zoe are loaded from a file, and the store is read."""
    with pf.serve(sample=2) as server, server.client() as client:
        shop = Shop(tmp_path_factory.mktemp("office"), client)
        assert client.post_pet(KIM.to_json()).pet_like(KIM).age == 7
        result = shop.load("new.csv", HEADER, BEN, ZOE, TOM, key="tag")
        yield shop, result, pf.fetch_inventory(client)


def test_a_field_comes_from_the_wire_into_frames(walk: Walk) -> None:
    """Wire name, dtype and missing values are those that its annotation states."""
    shop, _, inventory = walk
    assert json.loads(KIM.to_json()) == {"name": "Kim", "categoryId": 1, "age": 7}
    ben = shop.client.list_pets().pets[3]
    assert (ben.age, ben.weight_kg) == (71, 2.75)
    frame = inventory.frame.set_index("name")[["age", "weight_kg", "chip"]]
    assert [str(dtype) for dtype in frame.dtypes] == ["Int64", "Float64", "str"]
    assert frame["age"].dropna().to_dict() == {"Kim": 7, "Ben": 71}


def test_a_field_is_reported(walk: Walk) -> None:
    """The workbook, the CSV and the page have it, under its label or name."""
    shop, _, inventory = walk
    book = pf.write_report(inventory, shop.folder / "a.xlsx")
    sheet = pd.read_excel(book, "Inventory", dtype={"Chip": "str"}).set_index("Name")
    assert sheet.loc["Ben", ["Age", "Weight (kg)", "Chip"]].tolist() == [71, 2.75, "0098"]
    lines = pf.write_report(inventory, shop.folder / "a.csv").read_text("utf-8-sig").splitlines()
    assert lines[0].endswith(",age,weight_kg,chip")
    assert any("Ben,3,,71,2.75,0098" in line for line in lines)


def test_a_field_is_shown(walk: Walk) -> None:
    """A page and the dashboard show it under its label."""
    shop, _, inventory = walk
    page = pf.write_report(inventory, shop.folder / "a.html").read_text("utf-8")
    dashboard = pf.Dashboard(shop.client, inventory=inventory, folder=shop.folder)
    shown = dashboard.tabs.inventory.table.markup
    dashboard.close()
    for place in (page, shown):
        assert "Weight (kg)" in place and ">0098<" in place
        assert ">2.75<" in place


def test_a_field_goes_from_a_file_to_the_store(walk: Walk) -> None:
    """A column of a file is found by the headers that the field states, and read by its dtype."""
    _, result, inventory = walk
    assert result.frame["state"].tolist() == ["created", "created", "invalid"]
    ben = inventory.frame.set_index("name").loc["Ben"]
    assert (ben["age"], ben["weight_kg"], ben["chip"]) == (71, 2.75, "0098")
    assert result.fix["error_column"].tolist() == ["years"]


def test_a_change_of_a_field_is_seen(walk: Walk) -> None:
    """A list with another age is not the store's."""
    shop, _, inventory = walk
    for age, same in (("71", 2), ("72", 1)):
        listed = shop.write("list.csv", HEADER, BEN.replace("71", age), ZOE, TOM)
        compared = pf.compare(listed, inventory, key="tag", journal=shop.journal)
        assert len(compared.of("same")) == same


def test_a_history_of_before_has_the_field(walk: Walk) -> None:
    """An older snapshot is read with the new column, empty; what it covers stands."""
    *_, inventory = walk
    history = pf.History(os.environ["HISTORY_OF_BEFORE"])
    before = history.read()
    assert before.completeness.covers_all
    assert before.frame["age"].isna().all()
    day_after = replace(inventory.provenance, fetched_at=before.fetched_at + timedelta(days=1))
    added = history.add(pf.Inventory(inventory.frame, day_after))
    schema = pq.read_schema(added.path)
    assert [str(schema.field(name).type) for name in ("age", "weight_kg")] == ["int64", "double"]
    assert history.read().frame["age"].dropna().tolist() == [7, 71]
    assert len(history.diff()) > 0
    older = inventory.frame.assign(age=inventory.frame["age"].replace({71: 70}))
    changes = pf.diff(older, inventory).frame
    assert changes[["name", "difference"]].to_numpy().tolist() == [["Ben", "age"]]
