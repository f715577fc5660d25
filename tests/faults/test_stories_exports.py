"""Stories of files that were exported from a store, and of pets of other people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from faults.flaky_store import KEY
from petstore_frame.loader.findings import SentAlthoughEqual, StoreNotReadToEnd
from petstore_frame.loader.row_state import State
from shop import Shop, finding_of, held, tagged

TAGS = "tag,name"
pytestmark = pytest.mark.store(page_cap=5)


@pytest.fixture
def full_shop(shop: Shop) -> Shop:
    """An office with two animals of its own, and twelve pets of a colleague."""
    shop.load("own.csv", TAGS, "O-1,Own", key="tag")
    shop.colleague.load("his.csv", TAGS, *tagged(0, 12, "H"), key="tag")
    shop.load("next.csv", TAGS, "O-2,Own too", key="tag")
    return shop


def export(shop: Shop, form: str) -> Any:
    """Return the pets of the store as they leave it."""
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
    arguments = {"journal": shop.journal, "progress": False, "key": ""} | options
    if isinstance(source, Path) and source.suffix == ".xlsx":
        columns = {"name": "Name", "category_id": "Category ID", "status": "Status"}
        arguments |= {"sheet": "Inventory", "mapping": columns, "fallback": {"status": "available"}}
    return pf.load(source, shop.client, **arguments)


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_the_rows_of_an_export_are_its_pets(full_shop: Shop, form: str) -> None:
    """Each row with the id and the name of a pet is matched with it, and listed."""
    result = load(full_shop, export(full_shop, form))
    assert (len(full_shop.pets), held(result)) == (14, [])
    assert result.counts[State.MATCHED] == 12  # the other two are animals of the journal
    assert result.frame["pet_id"].tolist() == [*range(1, 15)]


def test_ids_that_a_spreadsheet_made_numbers_are_ids(full_shop: Shop) -> None:
    """``5.0`` is pet 5, so its row is this pet although its category is another one."""
    header = "id,name,category_id,status"
    path = full_shop.folder / "export.csv"
    path.write_text("\n".join([header, "5.0,Pet 3,7,sold", ""]))
    result = load(full_shop, path)
    assert (result.counts[State.MATCHED], len(full_shop.pets)) == (1, 14)


def test_a_report_that_is_loaded_sends_nothing(full_shop: Shop) -> None:
    """Its headings are those of a report, so its rows are compared by name and category."""
    result = load(full_shop, export(full_shop, "xlsx"))
    assert len(full_shop.pets) == 14 and result.counts[State.CREATED] <= 2


def test_the_animals_of_an_export_are_known_in_later_files(full_shop: Shop) -> None:
    """A matched row is an animal of this journal from then on."""
    load(full_shop, export(full_shop, "frame"))
    result = load(full_shop, export(full_shop, "csv"))
    assert (len(full_shop.pets), held(result)) == (14, [])


def test_other_names_under_the_ids_of_an_export_are_held(full_shop: Shop) -> None:
    """The id alone does not say that a row is the pet."""
    frame = export(full_shop, "frame")
    frame["name"] = [f"{name} (vet)" if n < 7 else name for n, name in enumerate(frame["name"])]
    result = load(full_shop, frame)
    assert (len(held(result)), len(full_shop.pets)) == (7, 14)
    result = load(full_shop, frame, duplicates="skip")
    assert (len(full_shop.pets), result.exit_code) == (14, 0)
    assert "name: Pet 0 → Pet 0 (vet)" in result.changed["changed"].tolist()


def test_an_export_of_another_store_is_not_taken_for_this_one(full_shop: Shop, stores: Any) -> None:
    """Its ids are those of other pets: a row is held back if its id is one, and never matched."""
    other = stores()
    for name in "ABCDEFG":
        other.add({"name": name, "categoryId": 77})
    with pf.Client(other.base_url, KEY, retry_timeout=0) as client:
        frame = pf.fetch_inventory(client).frame
    result = load(full_shop, frame)
    assert result.counts[State.MATCHED] == 0
    load(full_shop, frame, duplicates="create")
    assert len(full_shop.pets) == 14 + 7


def test_a_file_with_an_id_column_of_its_own_is_no_export(full_shop: Shop) -> None:
    """Only a file with all columns of an export has ids of the store."""
    result = full_shop.load("own ids.csv", "id,name,categoryId", "1,Zoe,5", "2,Yan,5", key="id")
    assert result.counts[State.CREATED] == 2


@pytest.mark.parametrize("fault", ["fin_after", "201_cut"])
def test_the_pet_of_an_unconfirmed_row_is_left_to_it(shop: Shop, fault: str) -> None:
    """An exported row with the id of that pet is neither matched with it nor sent."""
    shop.store.fault_of = {2: fault}.get
    first = shop.load("a.csv", TAGS, *tagged(0, 5), key="tag")
    shop.store.fault_of = lambda number: None
    result = load(shop, export(shop, "frame"))
    assert (result.counts[State.MATCHED], len(shop.pets)) == (0, 5)
    first.reconcile(shop.client, grace_s=0.0)
    shop.load("a.csv", key="tag")
    assert len(shop.pets) == 5 == len({*shop.ids.values()} - {None})


@pytest.mark.parametrize("fault", ["fin_after", "201_cut"])
@pytest.mark.parametrize("answer", [{}, {"duplicates": "skip"}], ids=["unanswered", "skip"])
def test_a_pet_that_may_be_of_an_unconfirmed_row_is_not_matched(
    shop: Shop, fault: str, answer: dict[str, str]
) -> None:
    """Another row with its name may be this animal, and is never matched with its pet."""
    shop.store.fault_of = {2: fault}.get
    first = shop.load("a.csv", TAGS, "A,Ada", "B,Luna", key="tag")
    result = shop.load("b.csv", TAGS, "C,Luna", key="tag", **answer)
    assert result.counts[State.MATCHED] == 0 and shop.names == ["Ada", "Luna"]
    assert first.counts[State.UNCONFIRMED if fault == "fin_after" else State.CREATED] > 0


# Pets of other people


def test_a_joined_list_of_two_people(shop: Shop) -> None:
    """The animals of a colleague, loaded with another journal, are held back (I2)."""
    shop.load("own.csv", TAGS, *tagged(0, 5), key="tag")
    shop.colleague.load("hers.csv", TAGS, *(f"H-{n},Her {n}" for n in range(5)), key="tag")
    shop.load("own.csv", key="tag")  # sees her pets
    joined = [*tagged(0, 5), *(f"H-{n},Her {n}" for n in range(5)), "A-9,New"]
    assert held(shop.load("joined.csv", TAGS, *joined, key="tag")) == [7, 8, 9, 10, 11]
    shop.load("joined.csv", key="tag", duplicates="skip")
    assert len(shop.names) == len({*shop.names}) == 11


def test_new_numbers_of_a_new_program(shop: Shop) -> None:
    """Five animals with new numbers are held back, and the new animal is sent (I1)."""
    shop.load("old.csv", TAGS, *tagged(1, 6), key="tag")
    later = [f"{7000 + n},Pet {n}" for n in range(1, 6)]
    assert held(shop.load("new.csv", TAGS, *later, "7006,Zoe", key="tag")) == [2, 3, 4, 5, 6]
    shop.load("new.csv", key="tag", duplicates="skip")
    result = shop.load("next.csv", TAGS, *later, "7006,Zoe", "7007,Yan", key="tag")
    assert (len(shop.pets), held(result)) == (7, [])


def test_two_branches_with_the_same_goldfish(service_shop: Shop) -> None:
    """Other animals are others, also in a store that honors keys made of the same rows."""
    fish = ["Goldfish"] * 10
    service_shop.load("fish.csv", "name", *fish)
    branch = service_shop.colleague
    assert len(held(branch.load("fish.csv", "name", *fish))) == 10
    result = branch.load("fish.csv", "name", *fish, duplicates="create")
    assert len(branch.pets) == 20 and result.counts[State.CREATED] == 10


def test_a_lost_journal_and_a_small_file_before_the_large_one(shop: Shop) -> None:
    """Both are held back: what the small one left is not taken for known pets of others."""
    shop.load("large.csv", TAGS, *tagged(0, 20), key="tag")
    shop.lose_journal()
    for name, count in (("small.csv", 3), ("large.csv", 20)):
        result = shop.load(name, TAGS, *tagged(0, count), key="tag")
        assert held(result) == [*range(5 if count == 20 else 2, count + 2)]
        shop.load(name, key="tag", duplicates="skip")
    assert len(shop.names) == len({*shop.names}) == 20


def test_a_restored_journal(shop: Shop) -> None:
    """What was sent after the backup is held back as pets of the store."""
    shop.load("a.csv", TAGS, *tagged(0, 5), key="tag")
    shop.copy_journal()
    shop.load("b.csv", TAGS, *tagged(0, 8), key="tag")
    shop.restore_journal()
    assert held(shop.load("b.csv", key="tag")) == [7, 8, 9]
    assert len(shop.pets) == 8


def test_pets_of_others_are_listed_after_create(shop: Shop) -> None:
    """A store full of pets of others holds back the first file of a header only."""
    for n in range(40):
        shop.store.add({"name": f"Pet {n}", "categoryId": 1})
    assert held(shop.load("0.csv", TAGS, *tagged(0, 3, "W0"), key="tag")) == [2, 3, 4]
    shop.load("0.csv", key="tag", duplicates="create")
    result = shop.load("1.csv", TAGS, *tagged(3, 6, "W1"), key="tag")
    listed = finding_of(result, SentAlthoughEqual)
    assert held(result) == [] and listed is not None and listed.lines == [2, 3, 4]


def test_a_store_that_was_not_read_is_not_compared(shop: Shop) -> None:
    """``check_store=False`` is for a store that cannot be read: only the journal is compared."""
    shop.store.add({"name": "Ada", "categoryId": 1})
    result = shop.load("a.csv", "name", "Ada", check_store=False)
    assert (held(result), shop.names) == ([], ["Ada", "Ada"])


@pytest.mark.store(page_cap=100, has_links=False)
def test_a_listing_without_a_known_end_is_named(shop: Shop) -> None:
    """The result says how many pets were compared."""
    for n in range(100):
        shop.store.add({"name": f"Other {n}", "categoryId": 1})
    cut = finding_of(shop.load("a.csv", TAGS, *tagged(0, 3), key="tag"), StoreNotReadToEnd)
    assert cut is not None and cut.pets == 100


def test_two_people_at_the_same_minute(shop: Shop) -> None:
    """Nobody could see the other; a later file is compared with what both of them made."""

    def also(number: int, stage: str) -> None:
        if (number, stage) == (1, "body"):
            shop.store.add({"name": "Pet 0", "categoryId": 1})

    shop.store.on_post = also
    shop.load("a.csv", TAGS, *tagged(0, 3), key="tag")
    shop.store.on_post = lambda *_: None
    assert held(shop.load("b.csv", TAGS, "B-0,Pet 0", "B-1,New", key="tag")) == [2]


def test_an_id_of_another_kind_is_no_pet(shop: Shop) -> None:
    """A file with the columns of an export may have ids of its own."""
    shop.store.add({"name": "Ada", "categoryId": 1})
    path = shop.folder / "a.csv"
    path.write_text("id,name,category_id,status\nA-1,Bo,1,sold\n", encoding="utf-8")
    shop.load("a.csv", key="")
    assert shop.names == ["Ada", "Bo"]
