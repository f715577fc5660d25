"""A fetch may break off at any request: it keeps what it has, goes on, and never says more."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from zoo import census
from zoo.habits import Habits
from zoo.stores import BASE_URL, ZooStore

PETS = [
    {"id": n, "name": f"Pet {n}", "categoryId": 1, "status": ("available", "sold")[n % 2]}
    for n in range(1, 651)
]
MOST_REQUESTS = 60
WAYS = {
    "links": Habits(way="link cursor"),
    "next page headers": Habits(way="x-next page", parameters=frozenset({"page 1"})),
    "offsets": Habits(parameters=frozenset({"offset"})),
    "pages": Habits(parameters=frozenset({"page 0"})),
    "ids": Habits(parameters=frozenset({"starting_after"})),
    "no way on": Habits(),
}


def breaking(
    store: ZooStore, at: int, problem: BaseException | httpx.Response | None = None
) -> pf.Client:
    """A client of a store whose request number ``at`` fails; it repeats nothing."""
    asked = itertools.count(1)
    failure = problem or httpx.ReadError("broken off")

    def answer(request: httpx.Request) -> httpx.Response:
        number = next(asked)
        if number > MOST_REQUESTS:
            pytest.fail("it reads on and on")
        if number != at:
            return store.answer(request)
        if isinstance(failure, BaseException):
            raise failure
        return failure

    return client_of(answer)


def client_of(answer: Callable[[httpx.Request], httpx.Response]) -> pf.Client:
    return pf.Client(BASE_URL, "k", transport=httpx.MockTransport(answer), max_retries=0)


@pytest.mark.parametrize("habits", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("broken", range(1, 18))
def test_any_request_may_break_off(habits: Habits, broken: int) -> None:
    """Whichever request fails, nothing is lost and nothing is told too much."""
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
    [
        (httpx.ReadError("broken off"), pf.IncompleteInventoryError),
        (KeyboardInterrupt(), pf.FetchInterrupted),
    ],
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


@pytest.mark.parametrize("status_code", [None, 401], ids=["ctrl-c", "refused"])
@pytest.mark.parametrize(("count", "cap"), [(37, None), (30, None)])
def test_pets_of_status_pages_are_held_before_more_is_asked(
    count: int, cap: int | None, status_code: int | None
) -> None:
    """A fetch that breaks off at the question about the filter keeps the pages of the statuses."""
    store = ZooStore(PETS[:count], Habits(cap=cap))
    has_failed: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        query = request.url.params
        if "status" in query and int(query["limit"]) < 37 and not has_failed:
            has_failed.append(str(request.url))
            if status_code is None:
                raise KeyboardInterrupt
            return httpx.Response(status_code, content=b"{}")
        return store.answer(request)

    straight = pf.fetch_inventory(store.client()).completeness
    broken_off = pf.FetchInterrupted if status_code is None else pf.IncompleteInventoryError
    with pytest.raises(broken_off) as caught:
        pf.fetch_inventory(client_of(answer))
    resumed = caught.value.resume().completeness
    assert len(caught.value.partial) == resumed.rows == straight.rows == count
    assert (str(resumed), resumed.by_status) == (str(straight), straight.by_status)


@pytest.mark.parametrize("broken", [3, 4, 5])
def test_what_was_concluded_is_not_concluded_anew(broken: int) -> None:
    """A contradiction noted before a fetch broke off does not make its verdict weaker."""
    store = ZooStore(PETS[:100], Habits(way="link cursor", total="too low"))
    straight = pf.fetch_inventory(store.client()).completeness
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        pf.fetch_inventory(breaking(store, broken, httpx.Response(401, content=b"{}")))
    resumed = caught.value.resume().completeness
    assert str(resumed) == str(straight)
    assert set(resumed.contradictions) == set(straight.contradictions)


@pytest.mark.parametrize("limit", [1, 20])
def test_a_narrow_page_is_not_judged_by_the_wider_limit(limit: int) -> None:
    """A fetch that broke off while it widened its first page goes on without that page."""
    client = breaking(ZooStore(PETS, Habits()), 2)
    with pytest.raises(pf.IncompleteInventoryError, match="broke off after page 1") as caught:
        pf.fetch_inventory(client, limit=limit, max_probes=0)
    assert not caught.value.resume().completeness.covers_all


@pytest.mark.parametrize("broken", range(8, 18))
def test_a_listing_that_never_holds_still_is_read_no_further(broken: int) -> None:
    """A fetch that breaks off after its last reading does not start to read for ever."""
    store = ZooStore(PETS[:250], Habits(way="link two next", order="new each time"))
    try:
        inventory = pf.fetch_inventory(breaking(store, broken))
    except pf.IncompleteInventoryError as problem:
        inventory = problem.resume()
    assert not inventory.completeness.is_complete or len(inventory) == 250


@pytest.mark.parametrize("seed", range(2))
def test_no_verdict_is_false_after_failures(seed: int, campaign: int) -> None:
    """Of stores that refuse some requests, none is called complete that is not, however often a
    fetch goes on, save where an assumption that the verdict itself states is broken."""
    rng = random.Random(seed)
    for _ in range(100 * campaign):
        store = ZooStore(census.draw_pets(rng), census.draw_habits(rng), seed=rng.randrange(10**9))
        options = census.draw_options(rng) | {
            "status": None,
            "max_probes": rng.choice((0, 3, 12)),
        }
        inventory = fetched_in_spite_of(store, rng, **options)
        if inventory is None:
            continue
        known = inventory.completeness
        is_false = census.missing_pets(store, inventory, None) or census.wrong_counts(store, known)
        broken = store.habits.breaks(store.pets, strategy=options["strategy"])
        assert not is_false or broken & set(known.assumptions)


def fetched_in_spite_of(store: ZooStore, rng: random.Random, **options: Any) -> pf.Inventory | None:
    """Fetch from a store that fails now and then, and go on until it ends."""
    failing = set(rng.sample(range(1, 14), 3))
    count = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal count
        count += 1
        if count in failing:
            return httpx.Response(rng.choice((401, 404, 429, 500)), content=b"{}")
        return store.answer(request)

    fetch: Callable[[], pf.Inventory] = partial(pf.fetch_inventory, client_of(answer), **options)
    for _ in failing:
        try:
            return fetch()
        except pf.IncompleteInventoryError as problem:
            fetch = problem.resume
        except pf.PetstoreError:
            return None
    return None
