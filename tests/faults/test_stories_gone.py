"""Stories of pets that are no longer in the store, and of ids that it gives again."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame.loader.findings import GoneAnimals, RenamedInStore
from petstore_frame.loader.row_state import State
from shop import Shop, finding_of, held, tagged

TAGS = "tag,name"
# The listing of the store has a known end.
pytestmark = pytest.mark.store(page_cap=5)


def loaded(shop: Shop, count: int) -> None:
    """Load animals, and let a reading of the store show them."""
    for _ in range(2):
        shop.load("a.csv", TAGS, *tagged(0, count), key="tag")


def remove(shop: Shop, *names: str) -> dict[int, dict]:
    """Remove the pets of these names from the store, and return them."""
    pets = {pet["id"]: pet for pet in shop.pets if pet["name"] in names}
    for pet_id in pets:
        del shop.store.pets[pet_id]
    return pets


def gone_of(result: pf.LoadResult) -> GoneAnimals:
    gone = finding_of(result, GoneAnimals)
    assert gone is not None
    return gone


def test_an_animal_that_is_gone_is_reported_and_not_sent(shop: Shop) -> None:
    """Its line, its name and the option that creates it again are in the result."""
    loaded(shop, 6)
    remove(shop, "Pet 1", "Pet 4")
    result = shop.load("a.csv", key="tag")
    assert (gone_of(result).lines, gone_of(result).names) == ([3, 6], ["Pet 1", "Pet 4"])
    assert (result.counts[State.GONE], len(shop.pets), held(result)) == (2, 4, [])
    assert "as_new=[3, 6]" in str(result)


def test_animals_of_other_files_that_are_gone_are_reported(shop: Shop) -> None:
    """A file of arrivals only says how many animals are gone, and of which files (I12)."""
    loaded(shop, 6)
    shop.store.pets.clear()
    result = shop.load("b.csv", TAGS, "B-1,New", key="tag")
    assert gone_of(result).other_files == {"a.csv": 6}
    assert "6 of a.csv" in str(result) and shop.names == ["New"]


def test_only_newly_gone_animals_make_the_exit_code_1(shop: Shop) -> None:
    """A user who left them gone is not warned by every run of a script."""
    loaded(shop, 6)
    remove(shop, "Pet 1")
    codes = [shop.load("a.csv", key="tag").exit_code for _ in range(3)]
    assert codes == [1, 0, 0]
    remove(shop, "Pet 2")
    assert shop.load("b.csv", TAGS, "B-1,New", key="tag").exit_code == 1


def test_an_animal_that_is_shown_again_is_not_gone(shop: Shop) -> None:
    """A store that was restored by mistake gets its pets back: nothing is created again."""
    loaded(shop, 6)
    pets = remove(shop, "Pet 1", "Pet 2")
    assert shop.load("a.csv", key="tag").counts[State.GONE] == 2
    shop.store.pets |= pets
    result = shop.load("a.csv", key="tag")
    assert (result.counts[State.GONE], result.counts[State.CREATED]) == (0, 6)
    assert finding_of(result, GoneAnimals) is None


def test_gone_animals_are_created_again_by_their_lines(shop: Shop) -> None:
    """Once; the key then belongs to the new animal, and nothing is gone any more."""
    loaded(shop, 6)
    remove(shop, "Pet 1", "Pet 2")
    shop.load("a.csv", key="tag")
    for _ in range(2):
        result = shop.load("a.csv", key="tag", as_new=[3, 4])
        assert len(shop.names) == len({*shop.names}) == 6
    assert shop.load("a.csv", key="tag").exit_code == 0
    assert finding_of(result, GoneAnimals) is None
    assert {*shop.ids.values()} >= {pet["id"] for pet in shop.pets}


def test_gone_animals_of_another_file_are_created_again_by_their_lines(shop: Shop) -> None:
    """A later file that has them shows them as gone, and may create them."""
    loaded(shop, 6)
    remove(shop, "Pet 1")
    later = TAGS, *tagged(0, 7)
    assert gone_of(shop.load("b.csv", *later, key="tag")).lines == [3]
    shop.load("b.csv", key="tag", as_new=[3])
    result = shop.load("c.csv", *later, key="tag")
    assert len(shop.names) == len({*shop.names}) == 7 and result.exit_code == 0
    assert finding_of(result, GoneAnimals) is None


def test_a_copy_of_a_replica_that_lags_behind_loses_nothing(shop: Shop) -> None:
    """Pets that no reading has shown yet may still come."""
    shop.load("a.csv", TAGS, *tagged(0, 8), key="tag")
    pets, shop.store.pets = shop.store.pets, {}
    result = shop.load("b.csv", TAGS, *tagged(0, 8), key="tag")
    assert (result.counts[State.GONE], result.exit_code) == (0, 0)
    shop.store.pets = pets
    assert len(shop.pets) == 8


@pytest.mark.store(page_cap=100, has_links=False)
def test_a_listing_that_may_be_cut_loses_nothing(shop: Shop) -> None:
    """Only a listing that is proven complete shows that a pet is not in the store."""
    loaded(shop, 3)
    for n in range(100):
        shop.store.add({"name": f"Other {n}", "categoryId": 7})
    remove(shop, "Pet 1")
    result = shop.load("a.csv", key="tag")
    assert (result.counts[State.GONE], finding_of(result, GoneAnimals)) == (0, None)


def test_a_pet_that_was_renamed_in_the_store_is_its_animal(shop: Shop) -> None:
    """The result names its row and its name in the store; it is neither gone nor sent (I3)."""
    loaded(shop, 6)
    shop.store.pets[3]["name"] = "Bourbon"
    result = shop.load("a.csv", key="tag")
    renamed = finding_of(result, RenamedInStore)
    assert renamed is not None and renamed.lines == [4] and [*renamed.names.values()] == ["Bourbon"]
    assert (result.counts[State.GONE], len(shop.pets)) == (0, 6)
    assert "the store shows the name Bourbon" in result.changed["changed"].tolist()


def test_a_pet_whose_category_changed_in_the_store_was_not_renamed(shop: Shop) -> None:
    """Stores renumber categories; only another name is reported."""
    loaded(shop, 3)
    shop.store.pets[3]["categoryId"] = 7
    assert finding_of(shop.load("a.csv", key="tag"), RenamedInStore) is None


def test_another_pet_under_the_id_is_another_animal(shop: Shop) -> None:
    """With another name and another category, the animal of this id is gone."""
    loaded(shop, 6)
    shop.store.pets[3] |= {"name": "Zoe", "categoryId": 7}
    result = shop.load("a.csv", key="tag")
    assert gone_of(result).names == ["Pet 2"]
    later = shop.load("b.csv", "tag,name,categoryId", "Z-1,Zoe,7", key="tag")
    assert held(later) == [2]  # somebody else's pet


def test_another_pet_under_the_id_may_be_matched(shop: Shop) -> None:
    """The id is then that of the row which is the pet."""
    loaded(shop, 3)
    shop.store.pets[3] |= {"name": "Zoe", "categoryId": 7}
    later = shop.load("b.csv", "tag,name,categoryId", "Z-1,Zoe,7", key="tag", duplicates="skip")
    assert (later.counts[State.MATCHED], len(shop.pets)) == (1, 3)


@pytest.mark.parametrize("ids_again", [True, False])
@pytest.mark.parametrize("kept", [0, 10])
def test_a_store_that_was_restored(shop: Shop, ids_again: bool, kept: int) -> None:
    """What it lost is gone; created again by its lines, each animal has a pet of its own."""
    for name in ("a.csv", "b.csv"):  # the second time the store shows the first ten
        shop.load(name, TAGS, *tagged(0, 20), key="tag")
    shop.load("b.csv", key="tag")
    shop.store.restore(kept, ids_again=ids_again)
    result = shop.load("c.csv", TAGS, *tagged(0, 30), key="tag")
    assert shop.names == sorted(f"Pet {n}" for n in [*range(kept), *range(20, 30)])
    again = shop.load("c.csv", key="tag", as_new=gone_of(result).lines)
    assert len(shop.names) == len({*shop.names}) == 30 == len({*shop.ids.values()})
    assert again.exit_code == 0 and shop.load("c.csv", key="tag").exit_code == 0


def test_an_id_that_is_given_again_belongs_to_the_new_animal(shop: Shop) -> None:
    """The older animal is gone, and has no id, although nobody read the store."""
    first = shop.load("a.csv", TAGS, *tagged(0, 10), key="tag")
    shop.store.restore(8, ids_again=True)
    later = shop.load("b.csv", TAGS, *tagged(10, 12), key="tag", check_store=False)
    assert (later.counts[State.CREATED], first.counts[State.GONE]) == (2, 2)
    assert (shop.ids["A-10"], shop.ids["A-11"], len(shop.pets)) == (9, 10, 10)
    assert len(first.created["pet_id"].dropna()) == 8


def test_a_pet_that_is_back_under_an_id_that_was_given_again_is_its_animal(shop: Shop) -> None:
    """Its row of an export is the older animal, and matches no pet of somebody else."""
    header = "name,categoryId"
    shop.load("a.csv", header, "Ada,1", "Bo,1")
    pet = remove(shop, "Bo")
    shop.store.restore(1, ids_again=True)
    for check_store in (False, True):  # the second time a reading shows it
        shop.load("b.csv", header, "Cy,7", check_store=check_store)
    shop.store.pets |= pet
    path = shop.folder / "export.csv"
    path.write_text("id,name,category_id,status\n1,Ada,1,\n2,Bo,1,\n")
    result = shop.load("export.csv", key="")
    assert (result.counts[State.MATCHED], result.counts[State.CREATED]) == (0, 2)


def test_a_pet_that_was_created_again_under_its_id_belongs_to_one_row(shop: Shop) -> None:
    """The older row of an equal animal is still gone when a reading shows the pet."""
    first = shop.load("a.csv", TAGS, *tagged(0, 1), key="tag")
    shop.store.restore(0, ids_again=True)
    again = "B-0" + tagged(0, 1)[0].removeprefix("A-0")
    shop.load("b.csv", TAGS, again, key="tag", as_new=[2])
    shop.load("c.csv", TAGS, *tagged(1, 2), key="tag")
    assert (first.counts[State.GONE], shop.ids["B-0"], len(shop.pets)) == (1, 1, 2)


def test_pets_that_return_after_they_were_created_again(shop: Shop) -> None:
    """The old pets are shown as well, and nothing more is sent."""
    loaded(shop, 6)
    pets = remove(shop, "Pet 1", "Pet 2")
    shop.load("a.csv", key="tag")
    shop.load("a.csv", key="tag", as_new=[3, 4])
    shop.store.pets |= pets
    result = shop.load("b.csv", TAGS, *tagged(0, 7), key="tag")
    assert (len(shop.pets), held(result)) == (9, [])


def test_an_animal_created_again_may_be_lost_again(shop: Shop) -> None:
    """The answer was about the first loss: the second one is reported anew."""
    loaded(shop, 4)
    for _ in range(2):
        remove(shop, "Pet 1")
        result = shop.load("a.csv", key="tag")
        assert (gone_of(result).lines, result.exit_code) == ([3], 1)
        shop.load("a.csv", key="tag", as_new=[3])
        shop.load("a.csv", key="tag")  # shows it
    assert len(shop.names) == len({*shop.names}) == 4
