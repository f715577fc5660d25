"""A search for one pet has three ends, and only a whole listing proves a pet absent."""

from __future__ import annotations

import random

import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption
from threaded import Server
from zoo import census
from zoo.habits import Habits
from zoo.stores import ZooStore

PETS = [{"id": n, "name": f"Pet {n}", "categoryId": 1, "status": "sold"} for n in range(1, 451)]


def store(habits: Habits, count: int = 450) -> ZooStore:
    return ZooStore(PETS[:count], habits)


def test_a_listed_pet_is_found_early() -> None:
    """The reading ends with the page that has the pet; no later one is asked for."""
    found = store(Habits(way="link cursor")).client().find_pet(150)
    assert (found.state, found.requests) == ("found", 2)
    assert found.basis == "on a page of the listing"
    assert found.pet == pf.Pet(id=150, name="Pet 150", category_id=1, status="sold")


def test_a_pet_missing_from_a_whole_listing_is_absent() -> None:
    """Having read everything, the store does not have it."""
    found = store(Habits(way="link cursor")).client().find_pet(9999)
    assert (found.state, found.pet) == ("absent", None)
    assert "not among 450 pets" in found.basis
    assert Assumption.LINKS_REACH_ALL in found.assumptions


def test_a_pet_missing_from_one_page_is_unknown() -> None:
    """A listing without an end in sight proves nothing about a pet that is not on it."""
    found = store(Habits()).client().find_pet(449)
    assert found.state == "unknown"
    assert str(found).endswith("allow_deprecated=True) asks for it by its id")
    with pytest.raises(TypeError, match="three ends"):
        bool(found)


@pytest.mark.parametrize("lie", ["goes round", "links to itself", "endless repeats"])
def test_a_listing_that_leads_nowhere_is_unknown(lie: str) -> None:
    """A store whose links go in circles has not told whether it has the pet."""
    found = store(Habits(way="link cursor", lie=lie)).client().find_pet(9999)
    assert (found.state, found.pet) == ("unknown", None)
    assert found.basis.startswith("not among ")


@pytest.mark.parametrize("seed", range(4))
def test_no_pet_is_called_absent_that_is_there(seed: int) -> None:
    """Of stores drawn at random none hides a pet from a search, save where an assumption that the
    search itself states is broken."""
    rng = random.Random(seed)
    for _ in range(150):
        zoo = ZooStore(census.draw_pets(rng), census.draw_habits(rng), seed=rng.randrange(10**9))
        sought = rng.choice(sorted(zoo.lasting_ids) or [0])
        try:
            search = zoo.client().find_pet(sought)
        except pf.PetstoreError:
            continue
        is_hidden = search.state == "absent" and sought in zoo.lasting_ids
        assert not is_hidden or zoo.habits.breaks(zoo.pets) & set(search.assumptions)
        assert search.pet is None or search.pet.id == sought


def test_a_pet_on_a_filtered_page_says_where_it_was() -> None:
    """Where a store cuts its pages, a pet found by its status is not called listed."""
    zoo = ZooStore([{**pet, "status": ("sold", "pending")[n > 30]} for n, pet in enumerate(PETS)],
                   Habits(cap=20))  # fmt: skip
    found = zoo.client().find_pet(35)
    assert (found.state, found.basis) == ("found", "on a page asked for beyond the listing")


def test_no_deprecated_request_is_made_unasked() -> None:
    """Only GET /pets is used unless get-by-id is allowed."""
    zoo = store(Habits(), 90)
    zoo.client().find_pet(5)
    assert {request.url.path for request in zoo.requests} == {"/v1/pets"}


@pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")
def test_the_deprecated_operation_answers_when_allowed(sample_server: Server) -> None:
    """Allowed, one request finds a pet, and a 404 counts while a listed pet still answers."""
    with sample_server.client() as client:
        found = client.find_pet(249, allow_deprecated=True)
        absent = client.find_pet(99_999, allow_deprecated=True)
    assert (found.state, found.requests) == ("found", 1)
    assert (absent.state, absent.requests) == ("absent", 3)
