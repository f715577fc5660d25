"""A list that lived on since it was loaded, against the store that it was loaded into."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import petstore_frame as pf
from end_to_end.shell import typed
from petstore_frame.comparison import Kind
from shop import Shop
from threaded import serve

KEY = "a-key-of-twenty-signs"
HEADER = "animal_id,name,categoryId,status"
# Sixty animals of six names, so that nothing but the key tells them apart.
FIRST = [f"A{at},Pup {at % 6},1,available" for at in range(60)]
# The list as it is now: five animals changed, three gone, two new, all in another order.
CHANGED = [row.replace("available", "sold") for row in FIRST[:5]]
LATER = [*CHANGED, *FIRST[8:], "N1,Pup 1,1,available", "N2,Pup 2,1,sold"][::-1]


@pytest.fixture(scope="module")
def stocktake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """An office whose first list is in the store, and whose later one is not; nobody changes it."""
    with serve(api_key=KEY) as server, server.client() as client:
        made = Shop(tmp_path_factory.mktemp("stocktake"), client)
        made.load("first.csv", HEADER, *FIRST, key="animal_id", workers=8)
        made.write("later.csv", HEADER, *LATER)
        yield made


def compare(stocktake: Shop, inventory: pf.Inventory | None = None, **options: Any) -> Any:
    """Compare the later list with a listing, or with the store."""
    if inventory is None:
        inventory = pf.fetch_inventory(stocktake.client)
    return pf.compare(stocktake.folder / "later.csv", inventory, **options)


def test_absence_from_a_part_of_the_store_is_not_seen(stocktake: Shop) -> None:
    """Where the listing is not complete, nothing is said to be only in the list."""
    part = pf.fetch_inventory(stocktake.client, max_pets=20)
    comparison = compare(stocktake, part, key="animal_id", journal=stocktake.journal)
    assert Kind.ONLY_IN_LIST not in comparison.summary.index
    assert comparison.summary.loc["not seen", "rows"] >= 37


def test_what_cannot_be_compared_is_refused(stocktake: Shop) -> None:
    """Neither a key nor fields, a key that no import has kept, and the listing of one status."""
    with pytest.raises(pf.ArgumentError, match="exactly one of key"):
        compare(stocktake)
    with pytest.raises(pf.ArgumentError, match="no key"):
        compare(stocktake, key="animal_id", journal=stocktake.folder / "other")
    with pytest.raises(pf.ArgumentError, match="sold"):
        compare(stocktake, pf.fetch_inventory(stocktake.client, status="sold"), on="name")


def test_by_key_exactly_what_happened_is_told(stocktake: Shop) -> None:
    """Changed, new and missing animals are counted, and in the workbook, among many alike."""
    output = stocktake.folder / "differences.xlsx"
    line = f"petstore-frame compare {stocktake.folder}/later.csv --key animal_id --json"
    line += (
        f" --base-url {stocktake.client.base_url} --output {output} --journal {stocktake.journal}"
    )
    shown = typed(line, PETSTORE_API_KEY=KEY)
    book = openpyxl.load_workbook(output)
    assert shown.exit_code == 1
    kinds = json.loads(shown.stdout)["kinds"]
    assert {kind: (counts["rows"], counts["pets"]) for kind, counts in kinds.items()} == {
        "same": (52, 52), "changed": (5, 5), "only in list": (2, 0), "only in store": (0, 3),
        "ambiguous": (0, 0), "unconfirmed": (0, 0), "invalid": (0, 0), "excluded": (0, 0),
    }  # fmt: skip
    assert book.sheetnames == ["Summary", "Changed", "Only in list", "Only in store", "Same"]
    # A field in which nothing differs is one column, and no column is empty.
    assert [cell.value for cell in book["Changed"][1]] == [
        "Differs in", "Line", "animal_id", "ID", "Name", "Category ID",
        "Status (list)", "Status (store)",
    ]  # fmt: skip
    assert [cell.value for cell in book["Only in store"][1]] == [
        "ID", "Name", "Category ID", "Status", "Note",
    ]  # fmt: skip
    keys = {cell.value for column in book["Changed"].columns for cell in column}
    assert {"A0", "A1", "A2", "A3", "A4"} <= keys and book["Changed"].max_row == 6


def test_what_only_looks_like_an_animal_is_a_question(tmp_path: Path) -> None:
    """A key or a name that folds to one of the store, and a pet like one of the list, are noted."""
    with pf.testing.fake_store().client() as client:
        office = Shop(tmp_path, client)
        office.load("a.csv", HEADER, "AUS-7,Zo\u00eb,1,sold", "8,Max,1,sold", key="animal_id")
        client.create_pet("Max", 1, "available")
        listed = office.write("b.csv", HEADER, "aus 007,Ben,1,sold", "8,Max,1,sold")
        store = pf.fetch_inventory(client)
        by_key = pf.compare(listed, store, key="animal_id", journal=office.journal)
        same = pf.compare(office.write("c.csv", HEADER, "9,Zoe\u0308,1,sold"), store, on="name")
        alike = pf.compare(office.write("d.csv", HEADER, "9,\u200bZOE ,1,sold"), store, on="name")
    assert by_key.of("only in list")["problem"].tolist() == ["is this the key AUS-7?"]
    twin = by_key.of("only in store").set_index("name_in_store").loc["Max", "problem"]
    assert twin == f"looks like pet {by_key.of('same')['id'].iloc[0]}"
    assert len(by_key.warnings) == 2
    assert len(same.of("same")) == 1
    zoe = alike.of("only in store").set_index("name_in_store").loc["Zo\u00eb", "id"]
    assert alike.of("only in list")["problem"].tolist() == [f"is this pet {zoe}?"]


@pytest.mark.parametrize("by", [{"key": "animal_id"}, {"on": ["name"]}], ids=["key", "fields"])
def test_an_excluded_row_is_on_the_list(tmp_path: Path, by: dict[str, Any]) -> None:
    """The pet of an excluded row is shown with it, and is not only in the store."""
    with pf.testing.fake_store().client() as client:
        office = Shop(tmp_path, client)
        office.load("a.csv", HEADER, "A1,Ada,1,available", "A2,Bo,1,sold", key="animal_id")
        listed = office.write(
            "b.csv", HEADER, "A1,Ada,1,adopted", "A2,Bo,1,sold", "A3,Cy,1,adopted"
        )
        store = pf.fetch_inventory(client)
        exclude = {"status": ["adopted"]}
        comparison = pf.compare(listed, store, exclude=exclude, journal=office.journal, **by)
    excluded = comparison.of("excluded")
    assert excluded["line"].tolist() == [2, 4]
    assert excluded["name_in_store"].fillna("").tolist() == ["Ada", ""]
    assert comparison.summary["pets"].to_dict() == dict.fromkeys(comparison.summary.index, 0) | {
        "excluded": 1, "same": 1,
    }  # fmt: skip
    assert comparison.differences == {"excluded": 1}


def test_a_shell_is_told_about_flags(stocktake: Shop, tmp_path: Path) -> None:
    """What a command can do next is said in the words of the command."""
    address = stocktake.client.base_url
    line = f"petstore-frame compare {stocktake.folder}/later.csv --base-url {address}"
    neither = typed(line, PETSTORE_API_KEY=KEY)
    assert neither.exit_code == 2 and "--key" in neither.stderr and "--on" in neither.stderr
    unknown = typed(f"{line} --key animal_id --journal {tmp_path}", PETSTORE_API_KEY=KEY)
    assert unknown.exit_code == 2 and "--journal" in unknown.stderr
    assert "key=" not in neither.stderr + unknown.stderr
