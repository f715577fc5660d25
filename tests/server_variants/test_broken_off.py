"""A fetch may break off at any request: it keeps what it has, and never says more."""

from __future__ import annotations

import pickle
import random

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Fact
from server_variants import drawn_stores
from server_variants.answers import Query, pets, refusal
from server_variants.habits import Habits
from server_variants.stores import Failure, ZooStore

PETS = pets(650, "available", "sold")
WAYS = {
    "links": Habits(way="link cursor"),
    "next page headers": Habits(way="x-next page", parameters=frozenset({"page 1"})),
    "offsets": Habits(parameters=frozenset({"offset"})),
    "pages": Habits(parameters=frozenset({"page 0"})),
    "ids": Habits(parameters=frozenset({"starting_after"})),
    "no way on": Habits(),
    "a new order each time": Habits(way="link two next", order="new each time"),
}
BROKEN = httpx.ReadError("broken off")


def breaking(store: ZooStore, at: int, problem: Failure = BROKEN) -> pf.Client:
    """A client of a store whose request number ``at`` fails."""

    def fails(number: int, _: Query) -> Failure | None:
        assert number <= 60, "it reads on and on"
        return problem if number == at else None

    return store.client(fails)


@pytest.mark.parametrize("habits", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("broken", range(1, 18))
def test_any_request_may_break_off(habits: Habits, broken: int) -> None:
    """Nothing that was read is lost, and nothing is told too much."""
    try:
        inventory = pf.fetch_inventory(breaking(ZooStore(PETS, habits), broken))
    except pf.IncompleteInventoryError as problem:
        inventory = problem.partial
        assert inventory.completeness.verdict == "incomplete"
    except pf.APIConnectionError:
        assert broken == 1
        return
    assert inventory.frame["id"].is_unique
    assert set(inventory.frame["id"]) <= {pet["id"] for pet in PETS}
    assert len(inventory) == len(PETS) or not inventory.completeness.is_complete


@pytest.mark.parametrize(
    ("cause", "kind"),
    [(BROKEN, pf.IncompleteInventoryError), (KeyboardInterrupt(), KeyboardInterrupt)],
    ids=["failure", "ctrl-c"],
)
def test_the_error_names_its_cause(cause: BaseException, kind: type[BaseException]) -> None:
    """What ended a listing is in its error's class and text, also in a pickled copy."""
    with pytest.raises(kind) as caught:
        pf.fetch_inventory(breaking(ZooStore(PETS, WAYS["links"]), 6, cause))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(caught.value) is kind  # Python ends a script with 130 for no subclass
    assert (type(copy), str(copy)) == (kind, str(caught.value))
    assert len(copy.partial) == len(caught.value.partial) > 0


def test_a_broken_reading_keeps_what_it_learned() -> None:
    """The evidence of a reading that broke off includes the total that the store stated."""
    store = ZooStore(PETS, Habits(way="link cursor", total="true"))
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        pf.fetch_inventory(breaking(store, 6))
    completeness = caught.value.partial.completeness
    facts = {item.fact: item for item in completeness.evidence}
    assert facts[Fact.TOTAL_LARGER].count == len(PETS)
    assert completeness.reason == str(facts[Fact.BROKE_OFF])


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), refusal(401)], ids=["ctrl-c", "refused"])
@pytest.mark.parametrize("count", [37, 30])
def test_pets_of_status_pages_are_held_at_once(count: int, failure: Failure) -> None:
    """A fetch that breaks off at the question about the filter keeps the pages of the statuses."""

    def fails(_: int, query: Query) -> Failure | None:
        return failure if "status" in query and int(query["limit"]) < 37 else None

    with pytest.raises((KeyboardInterrupt, pf.IncompleteInventoryError)) as caught:
        pf.fetch_inventory(ZooStore(PETS[:count], Habits()).client(fails))
    assert len(caught.value.partial) == count


def test_no_verdict_is_false_after_failures(draw: random.Random, times: int) -> None:
    """Whatever fails on the way, no verdict is false unless what it states itself is broken."""
    for _ in range(200 * times):
        store, failing = drawn_stores.draw_store(draw), set(draw.sample(range(1, 14), 3))
        options = drawn_stores.draw_options(draw) | {"status": None}
        failure = refusal(draw.choice((401, 404, 429, 500)))
        client = store.client(lambda n, _, at=failing, it=failure: it if n in at else None)
        try:
            inventory = pf.fetch_inventory(client, **options)
        except pf.IncompleteInventoryError as problem:
            inventory = problem.partial
        except pf.PetstoreError:
            continue
        completeness = inventory.completeness
        is_false = drawn_stores.missing_pets(store, inventory, None) or drawn_stores.wrong_counts(
            store, completeness
        )
        assert not is_false or store.habits.breaks() & set(completeness.assumptions)
