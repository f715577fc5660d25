"""Stories of loads that stopped: rows that were not sent are no animals."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import State
from shop import Shop, held, tagged

TAGS = "tag,name"


def stopped(shop: Shop, *, key: str = "tag", sent: int = 4) -> pf.LoadResult:
    """Load a file of ten, of which some are still to send."""
    shop.store.fault_of = {shop.store.posts + sent + 1: "401"}.get
    result = shop.load("week1.csv", TAGS, *tagged(0, 10), key=key)
    shop.store.fault_of = lambda number: None
    return result


def test_the_same_call_continues(shop: Shop) -> None:
    """What was sent is not sent again."""
    stopped(shop)
    assert shop.load("week1.csv", key="tag").exit_code == 0
    assert len(shop.names) == len({*shop.names}) == 10


@pytest.mark.parametrize("duplicates", [None, "skip", "create"])
def test_a_later_file_with_the_same_rows_and_then_a_resume(
    shop: Shop, duplicates: str | None
) -> None:
    """The later file sends what is missing; the resume finds it and sends the rest."""
    stopped(shop)
    result = shop.load("week2.csv", TAGS, *tagged(2, 12), key="tag", duplicates=duplicates)
    assert held(result) == []
    (resumed,) = shop.resume(duplicates=duplicates)
    assert len(shop.names) == len({*shop.names}) == 12
    assert (held(resumed), resumed.exit_code) == ([], 0)


def test_a_later_file_with_new_numbers_and_then_a_resume(shop: Shop) -> None:
    """The rows that were not sent equal animals that were sent since, so they are held back."""
    stopped(shop)
    shop.load("week2.csv", TAGS, *tagged(4, 10, "B"), key="tag")
    (resumed,) = shop.resume()
    assert held(resumed) == [6, 7, 8, 9, 10, 11]
    assert len(shop.names) == len({*shop.names}) == 10


def test_a_row_that_was_not_sent_takes_its_corrected_values(shop: Shop) -> None:
    """A later file with the same key and another category is that animal, with its own values."""
    stopped(shop)
    header = "tag,name,categoryId"
    shop.load("week2.csv", header, *(f"{row},2" for row in tagged(4, 10)), key="tag")
    (resumed,) = shop.resume()
    assert [pet["categoryId"] for pet in shop.pets] == [1] * 4 + [2] * 6
    assert len(resumed.changed) == 6


def test_without_a_key_only_the_last_file_of_a_header_is_continued(shop: Shop) -> None:
    """An earlier one may have been edited and loaded again; its result names its call."""
    stopped(shop, key="")
    shop.store.fault_of = {shop.store.posts + 2: "401"}.get
    shop.load("week2.csv", TAGS, "B-1,Ada", "B-2,Bo", key="")
    first, second = shop.resume()
    assert shop.names == sorted(["Ada", "Bo", *(f"Pet {n}" for n in range(4))])
    assert (first.counts[State.PENDING], second.counts[State.PENDING]) == (6, 0)
    assert "week1.csv" in str(first) and "pf.load(" in str(first)


def test_without_a_key_a_file_that_was_edited_and_loaded_again(shop: Shop) -> None:
    """The sent rows hold back their equals, and the others are sent once."""
    stopped(shop, key="")
    edited = [*tagged(0, 10), "A-10,Pet 10"]
    assert held(shop.load("week1.csv", TAGS, *edited, key="")) == [2, 3, 4, 5]
    shop.load("week1.csv", key="", duplicates="skip")
    shop.resume()
    assert len(shop.names) == len({*shop.names}) == 11


def test_a_row_that_was_rejected_is_not_sent_again_unchanged(shop: Shop) -> None:
    """The store would reject it again; a row that was corrected in the file is sent."""
    shop.store.fault_of = {2: "400"}.get
    shop.load("a.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag")
    result = shop.load("a.csv", key="tag")
    assert (shop.store.posts, result.counts[State.REJECTED]) == (2, 1)
    shop.load("a.csv", TAGS, "A-1,Ada", "A-2,Bob", key="tag")
    assert shop.names == ["Ada", "Bob"]


@pytest.mark.parametrize("fault", ["400", "fin_before"])  # rejected, and not found
def test_an_animal_that_is_not_in_the_store_leaves_its_row(shop: Shop, fault: str) -> None:
    """Its row may be an animal of another file by then, or a pet that somebody else made."""
    shop.store.fault_of = {1: fault, 2: fault}.get
    view_of(shop.load("a.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag")).reconcile(
        shop.client, grace_s=0
    )
    shop.load("b.csv", TAGS, "A-1,Ada", key="tag")
    for _ in range(2):  # one may be the pet of the row that was not found
        shop.store.add({"name": "Bo", "categoryId": 1})
    again = shop.load("a.csv", key="tag", duplicates="skip")
    assert (again.counts[State.CREATED], again.counts[State.MATCHED]) == (1, 1)
    assert shop.names == ["Ada", "Bo", "Bo"]
    shop.store.add({"name": "Ada", "categoryId": 1})  # nobody waits for this one
    assert held(shop.load("c.csv", TAGS, "C-1,Ada", "C-2,Ada", key="tag")) == [2, 3]


def test_an_unsent_row_that_needs_fixing_now_is_no_animal_of_a_later_file(shop: Shop) -> None:
    """Its animal was withdrawn, and the number of the animal may be given again."""
    header = "tag,name,status"
    of_x = {"value_map": {"status": {"x": "sold"}}}
    shop.load("a.csv", header, "A-1,Ada,sold", "A-2,Bo,x", key="tag", max_rows=1, **of_x)
    result = shop.load("a.csv", key="tag", max_errors=9)
    shop.load("b.csv", header, "C-1,Cy,sold", key="tag")
    assert (result.counts[State.INVALID], shop.names) == (1, ["Ada", "Cy"])


def test_a_row_keeps_its_own_animal_under_the_key_of_another(shop: Shop) -> None:
    """Line 1 comes before line 2: what was sent for a row stays its animal."""
    shop.load("a.csv", "name,tag", "Ada,A-1", key="")
    shop.load("b.csv", TAGS, "A-1,Ada", key="tag", duplicates="create")
    assert shop.load("a.csv", key="tag").created["pet_id"].tolist() == [1]


def test_an_animal_of_one_row_holds_back_no_other_row(shop: Shop) -> None:
    """Two equal rows without a key are two animals, also if a trial sent only one of them."""
    shop.load("z.csv", "name", "Zed")
    shop.load("a.csv", "name", "Ada", "Ada", max_rows=1)
    assert (held(shop.load("a.csv")), shop.names) == ([], ["Ada", "Ada", "Zed"])


def test_a_row_that_was_not_found_may_be_refused_when_it_is_sent_again(shop: Shop) -> None:
    """It begins anew: only its latest request decides whether it may be in the store."""
    shop.store.fault_of = {1: "fin_before", 2: "401"}.get
    view_of(shop.load("a.csv", TAGS, "A-1,Ada", key="tag")).reconcile(shop.client, grace_s=0)
    assert shop.load("a.csv", key="tag", as_new=[2]).counts[State.PENDING] == 1
    shop.load("a.csv", key="tag")
    assert shop.names == ["Ada"]


def test_a_trial_is_not_resumed(shop: Shop) -> None:
    """It was limited on purpose; the same call without ``max_rows`` sends the rest."""
    shop.load("a.csv", TAGS, *tagged(0, 5), key="tag", max_rows=2)
    (trial,) = shop.resume()
    assert (len(shop.pets), trial.counts[State.PENDING]) == (2, 3)
    shop.load("a.csv", key="tag")
    assert len(shop.names) == len({*shop.names}) == 5


def test_a_trial_and_then_a_key(shop: Shop) -> None:
    """The rows of the trial are the same rows, so the key is added to their animals."""
    rows = ["A-1,Ada", "A-2,Bo", "A-3,Cy"]
    shop.load("a.csv", "ref,name", *rows, max_rows=2)
    shop.load("a.csv", key="ref")
    assert shop.names == ["Ada", "Bo", "Cy"] and sorted(shop.ids) == ["A-1", "A-2", "A-3"]


def test_a_row_that_was_not_sent_has_the_key_of_the_latest_call_only(shop: Shop) -> None:
    """If another column is the key now, what the first one says identifies nothing."""
    shop.store.fault_of = {1: "401"}.get
    shop.load("a.csv", "chip,tag,name", "1,2,Ada", key="chip")
    shop.store.fault_of = lambda number: None
    shop.load("a.csv", key="tag")
    assert shop.ids == {"2": 1}


def test_a_resume_reads_the_store(shop: Shop) -> None:
    """A pet that somebody added since holds back the row that equals it."""
    stopped(shop)
    shop.store.add({"name": "Pet 7", "categoryId": 1})
    (resumed,) = shop.resume()
    assert held(resumed) == [9] and len(shop.pets) == 10
    shop.load("week1.csv", key="tag", duplicates="skip")
    assert len(shop.names) == len({*shop.names}) == 10


def test_a_resume_keeps_answers(shop: Shop) -> None:
    """What was answered before the load stopped is not asked again."""
    shop.load("a.csv", TAGS, *tagged(0, 4), key="tag")
    shop.load("b.csv", TAGS, *tagged(0, 4, "B"), key="tag")
    shop.store.fault_of = {shop.store.posts + 2: "401"}.get
    shop.load("b.csv", key="tag", duplicates="create")
    (resumed,) = shop.resume()
    assert (held(resumed), len(shop.pets)) == ([], 8)


def test_a_copy_does_not_replace_its_original(shop: Shop) -> None:
    """What is left of the original equals animals of the copy, so it is held back, not dropped."""
    stopped(shop, key="")
    shop.load("week1.csv", key="", as_new=True)
    (resumed,) = shop.resume()
    assert (held(resumed), len(shop.pets)) == ([6, 7, 8, 9, 10, 11], 14)
    shop.load("week1.csv", key="", duplicates="create")
    assert len(shop.pets) == 20


def test_an_animal_of_one_row_is_not_another_row_after_a_stop(shop: Shop) -> None:
    """Of two equal rows, one was skipped, and the other is still to send."""
    shop.load("a.csv", "name", "Ada")
    shop.store.fault_of = {2: "401"}.get
    shop.load("b.csv", "name", "Ada", "Ada", duplicates="skip")
    shop.store.fault_of = lambda number: None
    shop.load("b.csv", duplicates="skip")
    assert shop.names == ["Ada", "Ada"]


def test_a_weekly_file_that_is_overwritten_after_a_stop(shop: Shop) -> None:
    """The rows of the overwritten file are in the journal, and a resume sends them."""
    shop.store.fault_of = {5: "401"}.get
    shop.load("week.csv", TAGS, *tagged(0, 10), key="tag")
    shop.store.fault_of = lambda number: None
    shop.load("week.csv", TAGS, *tagged(10, 20), key="tag")
    shop.resume()
    assert len(shop.names) == len({*shop.names}) == 20
