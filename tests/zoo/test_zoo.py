"""The one property: no verdict of completeness is false, whatever a store does with the gaps.

``PYTHONPATH=tests python -m zoo.census 60000`` runs the same by hand on more stores.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.inventory import Fact
from zoo import census
from zoo.facts import count_of, facts
from zoo.habits import HEADER_WAYS, LINK_WAYS, MORE_PARAMETERS, ORDERS, PARAMETERS, Habits
from zoo.stores import ZooStore


def pets(count: int, statuses: tuple[str | None, ...] = ("available", "pending", None, "sold")):
    return [
        {"id": 7 * n, "name": f"Pet {n}", "categoryId": n % 5}
        | ({"status": statuses[n % len(statuses)]} if statuses[n % len(statuses)] else {})
        for n in range(1, count + 1)
    ]


def fetch(habits: Habits, count: int, **options: Any) -> pf.Inventory:
    return pf.fetch_inventory(ZooStore(pets(count), habits).client(), **options)


@pytest.mark.parametrize("seed", range(4))
def test_no_verdict_is_false(seed: int, campaign: int) -> None:
    """Of hundreds of stores, none is called complete that is not, nor incomplete that lacks
    nothing, save where an assumption that the verdict itself states is broken."""
    stores = 75 * campaign
    tally = census.run(stores, seed)
    assert tally.false == []
    assert tally.needless == []
    assert tally.tried == stores
    assert tally.naive_failures > stores / 5


@pytest.mark.parametrize("ignores_filter", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_one_pet_is_told_in_the_singular(count: int, ignores_filter: bool) -> None:
    """No text about a single pet speaks of 1 pets."""
    known = fetch(Habits(ignores_filter=ignores_filter, cap=2), count).completeness
    told = " ".join([str(known), *map(str, known.evidence)])
    assert re.search(r"\b1 pet\b", told)
    assert not re.search(r"\b1 (pets|rows)\b", told)


def honest_ways() -> list[tuple[str, Habits]]:
    """Every way on that the ladder knows."""
    parameter_of = {"x-next page": "page 1", "x-next cursor": "cursor"}
    announced = [
        (way, Habits(way=way, parameters=frozenset(filter(None, [parameter_of.get(way)]))))
        for way in LINK_WAYS + HEADER_WAYS
    ]
    names = PARAMETERS + MORE_PARAMETERS
    silent = [(name, Habits(parameters=frozenset({name}))) for name in names]
    return announced + silent


@pytest.mark.parametrize("count", [100, 101, 250, 1000])
@pytest.mark.parametrize("order", ORDERS[:3])
@pytest.mark.parametrize(
    "habits", [habits for _, habits in honest_ways()], ids=[name for name, _ in honest_ways()]
)
def test_every_honest_way_on_is_found(habits: Habits, order: str, count: int) -> None:
    """Where a store has a way on, announced or not, the whole of it is read and called whole."""
    store = ZooStore(pets(count), Habits(habits.way, habits.parameters, order))
    inventory = pf.fetch_inventory(store.client())
    assert inventory.completeness.covers_all, str(inventory.completeness)
    assert sorted(inventory.frame["id"]) == sorted(pet["id"] for pet in store.pets)


@pytest.mark.parametrize("count", [0, 1, 7, 20, 50, 99])
def test_a_short_page_is_the_whole(count: int) -> None:
    """Below a page's limit no way on is needed and the status pages vouch."""
    inventory = fetch(Habits(), count)
    assert inventory.completeness.covers_all
    assert inventory.completeness.requests <= 6


@pytest.mark.parametrize("name", ["page 1", "_page", "page[number]"])
def test_a_last_page_for_ever_is_the_end(name: str) -> None:
    """A store that gives its last page for every number behind it is read to that page."""
    habits = Habits(parameters=frozenset({name}), repeats_last_page=True)
    assert fetch(habits, 230).completeness.covers_all


@pytest.mark.parametrize("count", [20, 25, 50])
@pytest.mark.parametrize("ignores_limit", [False, True])
def test_a_usual_length_alone_is_no_end(count: int, ignores_limit: bool) -> None:
    """A page of 20, 25 or 50 pets may be as long as the store gives them, whatever was asked."""
    habits = Habits(cap=count, ignores_limit=ignores_limit)
    store = ZooStore(pets(count, (None,)), habits)
    assert pf.fetch_inventory(store.client()).completeness.verdict == "unknown"
    assert fetch(Habits(), count - 1).completeness.covers_all


@pytest.mark.parametrize("count", [100, 101, 250])
def test_a_full_page_without_a_way_on_is_not_the_whole(count: int) -> None:
    """A store of just one page's length looks like a longer one, so neither is called whole."""
    inventory = fetch(Habits(), count)
    assert not inventory.completeness.covers_all
    assert str(inventory.completeness.total).startswith("at least")


def test_status_pages_cover_the_pets_that_have_one() -> None:
    """Past one page, three short status pages still make three exact counts."""
    inventory = fetch(Habits(), 250)
    known = inventory.completeness
    assert known.verdict == "unknown"
    counts = {status: str(count) for status, count in known.by_status.items()}
    assert counts.pop("no status").startswith("at least")
    assert sum(map(int, counts.values())) == sum("status" in pet for pet in pets(250))


def test_a_limit_cut_without_a_word_is_found_out() -> None:
    """A page shorter than its limit is not the whole when a status page holds other pets."""
    inventory = fetch(Habits(cap=50), 250)
    assert not inventory.completeness.is_complete
    assert Fact.STATUSES_HOLD_MORE in facts(inventory.completeness)


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_cut_listing_is_read_to_its_end(name: str) -> None:
    """A cut that the status pages gave away is got past, whatever they brought already."""
    inventory = fetch(Habits(cap=50, parameters=frozenset({name})), 250)
    assert inventory.completeness.covers_all, str(inventory.completeness)
    assert len(inventory) == 250


@pytest.mark.parametrize("limit", [1, 7, 30])
@pytest.mark.parametrize("name", ["page 0", "offset", "after"])
def test_a_smaller_page_changes_nothing(name: str, limit: int) -> None:
    """The page size asked for has no say in what can be read."""
    inventory = fetch(Habits(parameters=frozenset({name})), 250, limit=limit)
    assert inventory.completeness.covers_all, str(inventory.completeness)
    assert Fact.ROWS_TWICE not in facts(inventory.completeness)


@pytest.mark.parametrize("lie", ["goes round", "endless repeats"])
def test_going_round_is_an_error(lie: str) -> None:
    """A listing that leads back raises, with the pets that were read."""
    with pytest.raises(pf.errors.PaginationLoopError) as caught:
        fetch(Habits(way="link offset", lie=lie), 450)
    assert isinstance(caught.value, pf.IncompleteInventoryError)
    assert len(caught.value.partial) == 200


def test_empty_pages_with_a_way_on_are_passed() -> None:
    """An empty page is no end while the store points on."""
    inventory = fetch(Habits(way="link offset", lie="empty pages"), 450)
    assert inventory.completeness.covers_all
    assert len(inventory) == 450


def test_pets_met_twice_are_held_once() -> None:
    """Pages that each repeat a row of the page before give each pet once, and leave a doubt."""
    inventory = fetch(Habits(way="link offset", lie="overlaps"), 450)
    assert (len(inventory), inventory.completeness.verdict) == (450, "unknown")
    assert inventory.frame["id"].is_unique


def test_a_listing_that_moves_is_unstable() -> None:
    """A store that loses pets while it is read is never called complete."""
    known = fetch(Habits(way="link offset", drift="loses pets"), 450).completeness
    assert known.verdict == "unstable"
    assert not known.is_complete


def test_a_store_that_grows_in_front_is_still_whole() -> None:
    """New pets in front push the pages on; those of the start are all passed."""
    habits = Habits(way="link offset", order="newest", drift="grows in front")
    store = ZooStore(pets(450), habits)
    inventory = pf.fetch_inventory(store.client())
    assert inventory.completeness.covers_all
    assert store.ids_at_start <= set(inventory.frame["id"])


@pytest.mark.parametrize(("total", "verdict"), [("true", "complete"), ("too high", "incomplete")])
def test_a_stated_total_confirms_or_refutes(total: str, verdict: str) -> None:
    """A total above what the links gave makes the listing incomplete, with both numbers."""
    known = fetch(Habits(way="link cursor", total=total), 250).completeness
    assert known.verdict == verdict
    assert known.advertised_total == (250 if total == "true" else 257)


@pytest.mark.parametrize("without_status", [1, 2, 3, 4])
def test_a_total_does_not_count_pets_that_came_later(without_status: int) -> None:
    """A total from before the store grew makes no listing whole, though as many pets are held."""
    kept = pets(112, ("available", "pending", "sold"))
    for pet in kept[:without_status]:
        del pet["status"]
    store = ZooStore(kept, Habits(order="newest", drift="grows in front", total="true"))
    inventory = pf.fetch_inventory(store.client())
    assert not store.ids_at_start <= set(inventory.frame["id"])
    assert not inventory.completeness.covers_all


def test_a_hidden_end_is_found_out() -> None:
    """An empty window where the last row held should have come again proves nothing."""
    known = fetch(Habits(parameters=frozenset({"offset"}), depth_cap=500), 950).completeness
    assert known.verdict == "unknown"
    assert Fact.WINDOW_EMPTY in facts(known)


def test_the_documented_strategy_believes_no_header() -> None:
    """Asked to keep to the interface, a fetch sends limit and status alone and follows nothing."""
    store = ZooStore(pets(250), Habits(way="link cursor", parameters=frozenset({"offset"})))
    known = pf.fetch_inventory(store.client(), strategy="documented").completeness
    asked = {name for request in store.requests for name in request.url.params}
    assert asked == {"limit", "status"}
    assert not known.covers_all


def test_a_short_page_that_names_a_next_one_is_not_the_whole() -> None:
    """A cut page is found out by its next link, also where the link may not be followed; the next
    page may be empty, so nothing is known to be missing."""
    store = ZooStore(pets(250, ("sold",)), Habits(way="link cursor", cap=37))
    known = pf.fetch_inventory(store.client(), strategy="documented").completeness
    assert known.verdict == "unknown"
    assert Fact.NEXT_UNREAD in facts(known)


@pytest.mark.parametrize(("budget", "requests"), [(0, 1), (3, 4)])
def test_the_budget_is_kept(budget: int, requests: int) -> None:
    """No more is asked beyond the listing than was allowed, and the verdict tells of it."""
    known = fetch(Habits(), 250, max_probes=budget).completeness
    assert known.requests == requests
    assert count_of(known, Fact.QUESTION_NOT_ASKED) == budget


@pytest.mark.parametrize("max_pets", [30, 100, 130, 200])
@pytest.mark.parametrize("habits", [Habits(way="link cursor"), Habits(), Habits(total="true")])
def test_a_cap_that_cuts_marks_the_verdict(max_pets: int, habits: Habits) -> None:
    """``max_pets`` gives exactly so many rows, and no longer the whole, whatever brought them."""
    inventory = fetch(habits, 250, max_pets=max_pets)
    assert len(inventory) == max_pets
    assert inventory.completeness.verdict == "incomplete"
    assert str(inventory.completeness.count("sold")).startswith("at least")


def test_a_filtered_fetch_is_about_its_status() -> None:
    """A filtered fetch is about its status, and other counts stay at least nothing."""
    inventory = fetch(Habits(way="link cursor"), 900, status="sold")
    known = inventory.completeness
    assert known.status == "sold"
    assert (str(known.count("sold")), str(known.count("pending"))) == ("225", "at least 0")
    assert set(inventory.frame["status"]) == {"sold"}


def test_a_filter_that_is_ignored_is_found_out() -> None:
    """Pets of another status are left out of a filtered fetch, and the verdict tells of them."""
    inventory = fetch(Habits(ignores_filter=True), 80, status="sold")
    assert set(inventory.frame["status"]) == {"sold"}
    assert not inventory.completeness.is_complete


@pytest.mark.parametrize("habits", [Habits(ignores_limit=True), Habits(order="new each time")])
def test_no_order_and_no_limit_prove_nothing(habits: Habits) -> None:
    """Without a limit or an order that can be relied on the whole is never told."""
    known = fetch(habits, 400).completeness
    assert not known.covers_all
    assert known.rows >= 100
