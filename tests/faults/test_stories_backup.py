"""Stories of stores and journals that are put back, and of files by other people or programs."""

from __future__ import annotations

from functools import partial

import pytest

import petstore_frame as pf
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import State
from shop import Shop

HEADER = "tag,name"


# Its listing has a known end.
pytestmark = pytest.mark.store(page_cap=5)


def rows(first: int, last: int) -> list[str]:
    return [f"{number:04},Pet {number}" for number in range(first, last)]


@pytest.mark.parametrize("ids_again", [True, False])
@pytest.mark.parametrize("is_emptied", [True, False])
def test_a_store_that_was_restored(shop: Shop, ids_again: bool, is_emptied: bool) -> None:
    """What it has lost is asked for by name, and created again; no id is stuck."""
    shop.load("a.csv", HEADER, *rows(0, 10), key="tag")
    for _ in range(2):  # the second time the store shows them
        shop.load("b.csv", HEADER, *rows(0, 20), key="tag")
    shop.store.restore(0 if is_emptied else 10, ids_again=ids_again)
    three = HEADER, *rows(0, 30)
    with shop.asks("gone"):
        shop.load("c.csv", *three, key="tag", duplicates="create")
    result = shop.load("c.csv", *three, key="tag", duplicates={"gone": "create"})
    assert len(shop.names) == len({*shop.names}) == 30
    assert result.exit_code == 0 and len({*shop.ids.values()}) == 30
    assert shop.load("c.csv", key="tag").exit_code == 0 and len(shop.pets) == 30


def test_pets_that_are_back_after_their_animals_were_created_again_are_ours(shop: Shop) -> None:
    """An id that an animal of the journal ever had is no pet that somebody else added."""
    for _ in range(2):  # the second time the store shows them
        shop.load("a.csv", HEADER, *rows(0, 10), key="tag")
    lost = {id: shop.store.pets.pop(id) for id in (1, 2, 3)}
    shop.load("b.csv", HEADER, *rows(0, 11), key="tag", duplicates={"gone": "create"})
    shop.store.pets.update(lost)
    result = shop.load("b.csv", key="tag")
    assert len(shop.pets) == 14 and "somebody else" not in str(result)


def test_a_201_with_an_id_that_was_given_again(shop: Shop) -> None:
    """Where nobody asked, the pet is the new animal, and the older one is gone and has no id."""
    first = shop.load("a.csv", HEADER, *rows(0, 10), key="tag")
    shop.store.restore(8, ids_again=True)
    later = shop.load("b.csv", HEADER, *rows(10, 12), key="tag", check_store=False)
    assert (later.counts[State.CREATED], first.counts[State.GONE]) == (2, 2)
    assert (shop.ids["0010"], shop.ids["0011"], len(shop.pets)) == (9, 10, 10)
    assert len([*first.created["pet_id"].dropna()]) == 8


def test_animals_whose_ids_were_given_again_are_listed(shop: Shop) -> None:
    """With names, files and the option to add, in the file that has them and in any other."""
    shop.load("a.csv", HEADER, *rows(0, 20), key="tag")
    shop.store.restore(16, ids_again=True)
    result = shop.load("b.csv", HEADER, *rows(0, 22), key="tag")
    facts = view_of(result).summary["facts"]
    lost = facts["gone_few_animals"]
    assert facts["gone_few"] == [18, 19]
    assert [(animal["name"], animal["source"]) for animal in lost] == [
        ("Pet 16", "a.csv"), ("Pet 17", "a.csv"),
    ]  # fmt: skip
    assert "add duplicates={'gone': 'create'}" in str(result)
    for number in (30, 31):  # the first takes one more id, the second only finds what is gone
        new = view_of(shop.load("c.csv", HEADER, *rows(number, number + 1), key="tag")).summary
        names = [animal["name"] for animal in new["facts"]["not_shown_animals"]]
        assert names[:3] == ["Pet 16", "Pet 17", "Pet 18"]


def test_a_listing_that_is_never_complete_is_asked_by_name(shop: Shop) -> None:
    """Only who says ``gone`` by name has animals created again that such a listing lacks."""
    shop.store.page_cap = 100  # one page, of which nobody knows whether it is the last
    for _ in range(2):
        shop.load("a.csv", HEADER, *rows(0, 10), key="tag")
    shop.store.restore(2, ids_again=True)  # too few for windows that show the end
    assert shop.load("a.csv", key="tag", duplicates="create").exit_code == 0
    assert len(shop.pets) == 2
    shop.load("a.csv", key="tag", duplicates={"gone": "create"})
    assert len(shop.names) == len({*shop.names}) == 10 == len({*shop.ids.values()})


def test_a_lost_journal_and_a_small_file_before_the_large_one(shop: Shop) -> None:
    """Both are asked about: what the small one left is not taken for known pets of others."""
    shop.load("large.csv", HEADER, *rows(0, 20), key="tag")
    shop.lose_journal()
    for name, file in (("small.csv", rows(0, 3)), ("large.csv", rows(0, 20))):
        with shop.asks("in_store"):
            shop.load(name, HEADER, *file, key="tag")
        shop.load(name, key="tag", duplicates="skip")
    assert len(shop.names) == len({*shop.names}) == 20


def test_pets_that_were_taken_out_on_purpose_are_not_asked_about_again(shop: Shop) -> None:
    """Once the user has said so they keep no id, and no later file sends or asks."""
    shop.load("a.csv", HEADER, *rows(0, 20), key="tag")
    shop.load("a.csv", key="tag")
    for pet_id in list(shop.store.pets)[:8]:
        del shop.store.pets[pet_id]
    with shop.asks("gone"):
        shop.load("b.csv", HEADER, *rows(0, 21), key="tag")
    result = shop.load("b.csv", key="tag", duplicates={"gone": "skip"})
    assert (result.counts[State.GONE], len(shop.pets)) == (8, 13)
    assert shop.load("c.csv", HEADER, *rows(0, 22), key="tag").counts[State.GONE] == 8


def test_a_copy_that_lags_behind_and_a_renamed_pet_are_not_asked_about(shop: Shop) -> None:
    """Pets that no reading has shown may come; one with another name is there."""
    shop.load("a.csv", HEADER, *rows(0, 8), key="tag")
    there, shop.store.pets = shop.store.pets, {}
    assert shop.load("b.csv", HEADER, *rows(0, 8), key="tag").exit_code == 0
    shop.store.pets = there
    shop.store.pets[1]["name"] = "Renamed in the store"
    assert shop.load("c.csv", HEADER, *rows(0, 9), key="tag").exit_code == 0
    assert len(shop.pets) == 9


def test_twenty_equal_animals_every_week(shop: Shop) -> None:
    """The same file stands for further animals where the user says so, and for no more of them."""
    shop.load("fish.csv", "name", *["Goldfish"] * 20)
    for week in (2, 3):
        shop.load("fish.csv", as_new=week - 1)
        assert len(shop.pets) == 20 * week
    shop.load("fish.csv")
    assert len(shop.pets) == 60


def test_a_weekly_file_that_is_overwritten_after_a_crash(shop: Shop) -> None:
    """What another week's file has not sent stays to send, and the result says how."""
    shop.store.fault_of = {5: "401"}.get
    shop.load("week.csv", HEADER, *rows(0, 10), key="tag")
    shop.store.fault_of = lambda number: None
    result = shop.load("week.csv", HEADER, *rows(10, 20), key="tag")
    assert view_of(result).summary["facts"]["left_unsent"] == 6 and "resume_loads" in str(result)
    resume = partial(pf.resume_loads, shop.client, journal=shop.journal, progress=False)
    with shop.asks("unsent"):
        resume()
    resume(duplicates={"unsent": "create"})
    assert len(shop.names) == len({*shop.names}) == 20


@pytest.mark.parametrize("is_file", [True, False])
def test_a_fetched_frame_with_edited_names_is_these_pets(shop: Shop, is_file: bool) -> None:
    """Rows that carry ids of the store are its pets, whatever their names are now."""
    shop.colleague.load("a.csv", HEADER, *rows(0, 20), key="tag")
    frame = pf.fetch_inventory(shop.client).frame
    frame["name"] = frame["name"] + " (vet)"
    source = frame
    if is_file:
        source = shop.folder / "stock.csv"
        frame.to_csv(source, index=False)
    options = {"key": "id", "journal": shop.journal, "progress": False}
    rehearsal = pf.load(source, shop.client, dry_run=True, **options)
    assert [case.name for case in view_of(rehearsal).question.cases] == ["in_store"]
    result = pf.load(source, shop.client, duplicates="skip", **options)
    assert len(shop.pets) == 20 and len(result.changed) == 20


@pytest.mark.parametrize("fault", ["fin_after", "201_cut"])
def test_a_fetched_frame_has_the_pet_of_a_row_in_doubt(shop: Shop, fault: str) -> None:
    """A row with the id of a pet that doubt may have made is unconfirmed; nothing is sent again."""
    shop.store.fault_of = {2: fault}.get
    first = shop.load("a.csv", HEADER, *rows(0, 5), key="tag")
    frame = pf.fetch_inventory(shop.client).frame
    frame["name"] = frame["name"] + " (vet)"
    options = {"key": "id", "journal": shop.journal, "progress": False}
    result = pf.load(frame, shop.client, duplicates="skip", **options)
    assert result.counts[State.MATCHED] == 0
    first.reconcile(shop.client, grace_s=0.0)
    shop.load("a.csv", key="tag", duplicates={"not_found": "create"})
    assert len(shop.pets) == 5 and len({*shop.ids.values()} - {None}) == 5


PREFIXES = ["{}-A", "#{}", "*{}", "SH-{}", "2026{}", "{}/26", "A{}", "{} (old)"]


@pytest.mark.parametrize("form", PREFIXES)
def test_keys_that_are_written_otherwise(shop: Shop, form: str) -> None:
    """A file whose rows are known animals under keys with a prefix is asked about."""
    shop.load("a.csv", HEADER, *rows(0, 30), key="tag")
    later = [f"{form.format(row[:4])}{row[4:]}" for row in rows(0, 30)]
    with shop.asks("in_store" if form == "2026{}" else "similar_key"):
        shop.load("b.csv", HEADER, *later, "new,New", key="tag")
    shop.load("b.csv", key="tag", duplicates="skip")
    shop.load("c.csv", HEADER, *later, "new,New", "newer,Newer", key="tag")
    assert len(shop.names) == len({*shop.names}) == 32


@pytest.mark.parametrize("keep", [None, "first", "last"])
def test_the_files_of_two_shelters_in_one(shop: Shop, keep: str | None) -> None:
    """Where the keys have other names the rows are to fix, not merged, whatever ``keep`` says."""
    both = [*rows(0, 8), *(f"{number:04},Other {number}" for number in range(8))]
    result = shop.load("both.csv", HEADER, *both, key="tag", keep=keep, max_errors=99)
    assert (shop.names, result.counts[State.INVALID]) == ([], 16)
    if keep is not None:
        options = {"key": "tag", "keep": keep, "duplicates": {"reused_key": "skip"}}
        shop.load("both.csv", **options)
        assert len(shop.pets) == 8


def test_two_people_at_the_same_minute(shop: Shop) -> None:
    """Nobody could see the other; whoever reads the store next is told."""

    def also(number: int, stage: str) -> None:
        if (number, stage) == (1, "body"):
            for row in rows(0, 10):
                shop.store.add({"name": row.partition(",")[2], "categoryId": 1})

    shop.store.on_post = also
    shop.load("a.csv", HEADER, *rows(0, 10), key="tag")
    shop.store.on_post = lambda *_: None
    assert len(shop.pets) == 20
    for name in ("b.csv", "b.csv", "a.csv"):  # also if there is nothing to send
        result = shop.load(name, HEADER, *rows(0, 10), *rows(20, 21)[: name == "b.csv"], key="tag")
        assert view_of(result).summary["facts"]["twins"] == 10
        assert "Pets like yours that somebody else added: 10" in str(result)
        assert "ask your colleagues" in str(result)


def test_a_fixed_row_is_known_in_the_first_result(shop: Shop) -> None:
    """Once its correction is in the store, nothing of the first file is to fix."""
    first = shop.load("a.csv", "name,categoryId", "Ada,1", "Bo,two")
    assert (len(first.fix), first.exit_code) == (1, 1)
    shop.fix(first, {"two": "2"})
    assert (len(first.fix), first.exit_code, first.counts[State.EXCLUDED]) == (0, 0, 1)


def test_after_skip_every_difference_is_changed(shop: Shop) -> None:
    """Status and category of known animals, and of pets that were found in the store."""
    header = "tag,name,categoryId,status"
    shop.colleague.load("his.csv", header, "A,Ada,1,available", "B,Bo,1,available", key="tag")
    later = header, "A,Ada,1,sold", "B,Bo,1,available"
    result = shop.load("mine.csv", *later, key="tag", duplicates="skip")
    assert result.changed["changed"].tolist() == ["status: available → sold"]


def test_ids_that_a_spreadsheet_made_numbers_are_ids(shop: Shop) -> None:
    """``3.0`` is pet 3, so the rows are asked about although their categories differ."""
    for number in range(1, 5):
        shop.store.add({"name": f"Pet {number}", "categoryId": 1})
    lines = [f"{number}.0,Pet {number},7" for number in range(1, 5)]
    with shop.asks("in_store"):
        shop.load("a.csv", "id,name,categoryId", *lines, key="")
