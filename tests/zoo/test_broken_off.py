"""A fetch may break off at any request: it keeps what it has, goes on, and never says more."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from zoo import census
from zoo.answers import Query, pets, refusal
from zoo.habits import Habits
from zoo.stores import Failure, ZooStore

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
    """Nothing is lost or told too much, and what goes on reads no further than it must."""
    try:
        inventory = pf.fetch_inventory(breaking(ZooStore(PETS, habits), broken))
    except pf.IncompleteInventoryError as problem:
        assert problem.partial.completeness.verdict == "incomplete"
        assert set(problem.partial.frame["id"]) <= {pet["id"] for pet in PETS}
        inventory = problem.resume()
        assert len(inventory) >= len(problem.partial)
    except pf.APIConnectionError:
        assert broken == 1
        return
    assert inventory.frame["id"].is_unique
    assert len(inventory) == len(PETS) or not inventory.completeness.is_complete


@pytest.mark.parametrize(
    ("cause", "kind"),
    [(BROKEN, pf.IncompleteInventoryError), (KeyboardInterrupt(), pf.FetchInterrupted)],
    ids=["failure", "ctrl-c"],
)
def test_the_error_names_its_cause(cause: BaseException, kind: type[BaseException]) -> None:
    """What ended a listing is in its error, by class and ``cause``, also in a pickled copy."""
    with pytest.raises(kind) as caught:
        pf.fetch_inventory(breaking(ZooStore(PETS, WAYS["links"]), 6, cause))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert issubclass(pf.FetchInterrupted, KeyboardInterrupt)
    for problem in (caught.value, copy):
        assert type(problem) is kind
        assert isinstance(problem.cause, KeyboardInterrupt | pf.APIConnectionError)
    assert (str(copy), len(copy.partial)) == (str(caught.value), len(caught.value.partial))
    with pytest.raises(pf.PetstoreError, match="fetch the inventory again"):
        copy.resume()


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), refusal(401)], ids=["ctrl-c", "refused"])
@pytest.mark.parametrize("count", [37, 30])
def test_pets_of_status_pages_are_held_at_once(count: int, failure: Failure) -> None:
    """A fetch that breaks off at the question about the filter keeps the pages of the statuses."""
    store, once = ZooStore(PETS[:count], Habits()), iter([failure])

    def fails(_: int, query: Query) -> Failure | None:
        return next(once, None) if "status" in query and int(query["limit"]) < 37 else None

    straight = pf.fetch_inventory(store.client()).completeness
    with pytest.raises((pf.FetchInterrupted, pf.IncompleteInventoryError)) as caught:
        pf.fetch_inventory(store.client(fails))
    resumed = caught.value.resume().completeness
    assert len(caught.value.partial) == resumed.rows == straight.rows == count
    assert (str(resumed), resumed.by_status) == (str(straight), straight.by_status)


@pytest.mark.parametrize("broken", [3, 4, 5])
def test_what_was_concluded_is_not_concluded_anew(broken: int) -> None:
    """A contradiction noted before a fetch broke off does not make its verdict weaker."""
    store = ZooStore(PETS[:100], Habits(way="link cursor", total="too low"))
    straight = pf.fetch_inventory(store.client()).completeness
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        pf.fetch_inventory(breaking(store, broken, refusal(401)))
    resumed = caught.value.resume().completeness
    assert str(resumed) == str(straight)
    assert set(resumed.contradictions) == set(straight.contradictions)


@pytest.mark.parametrize("seed", range(2))
def test_no_verdict_is_false_after_failures(seed: int, campaign: int) -> None:
    """However often a fetch goes on, no verdict is false unless what it states itself is broken."""
    rng = random.Random(seed)
    for _ in range(100 * campaign):
        store = census.draw_store(rng)
        more = {"status": None, "max_probes": rng.choice((0, 3, 12))}
        options = census.draw_options(rng) | more
        inventory = fetched_in_spite_of(store, rng, **options)
        if inventory is None:
            continue
        known = inventory.completeness
        is_false = census.missing_pets(store, inventory, None) or census.wrong_counts(store, known)
        broken = store.habits.breaks()
        assert not is_false or broken & set(known.assumptions)


def fetched_in_spite_of(store: ZooStore, rng: random.Random, **options: Any) -> pf.Inventory | None:
    """Fetch from a store that fails now and then, and go on until it ends."""
    failing = set(rng.sample(range(1, 14), 3))

    def fails(number: int, _: Query) -> httpx.Response | None:
        return refusal(rng.choice((401, 404, 429, 500))) if number in failing else None

    fetch: Callable[[], pf.Inventory] = partial(pf.fetch_inventory, store.client(fails), **options)
    for _ in failing:
        try:
            return fetch()
        except pf.IncompleteInventoryError as problem:
            fetch = problem.resume
        except pf.PetstoreError:
            return None
    return None
