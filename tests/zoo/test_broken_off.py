"""A fetch may break off at any request: it keeps what it has, goes on, and never says more."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx
import pytest

import petstore_frame as pf

sys.path.insert(0, str(Path(__file__).parent))

from stores import BASE_URL, Habits, ZooStore

PETS = [
    {"id": n, "name": f"Pet {n}", "categoryId": 1, "status": ("available", "sold")[n % 2]}
    for n in range(1, 651)
]
WAYS = {
    "links": Habits(way="link cursor"),
    "next page headers": Habits(way="x-next page", parameters=frozenset({"page 1"})),
    "offsets": Habits(parameters=frozenset({"offset"})),
    "pages": Habits(parameters=frozenset({"page 0"})),
    "ids": Habits(parameters=frozenset({"starting_after"})),
    "no way on": Habits(),
}


@pytest.mark.parametrize("habits", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("broken", range(1, 18))
def test_any_request_may_break_off(habits: Habits, broken: int) -> None:
    """Whichever request fails, nothing is lost and nothing is claimed too much."""
    store = ZooStore(PETS, habits)
    count = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal count
        count += 1
        if count == broken:
            raise httpx.ReadError("broken off")
        return store.answer(request)

    transport = httpx.MockTransport(answer)
    client = pf.Client(BASE_URL, "k", transport=transport, max_retries=0)
    try:
        inventory = pf.fetch_inventory(client)
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
