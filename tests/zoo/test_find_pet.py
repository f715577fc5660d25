"""A search for one pet has three ends, and only a whole listing proves a pet absent."""

from __future__ import annotations

import random

import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption
from threaded import Server
from zoo import census
from zoo.answers import pets
from zoo.habits import Habits
from zoo.stores import ZooStore

PETS = pets(450, "sold")


def test_a_listed_pet_is_found_early() -> None:
    """The reading ends with the page that has the pet; no later one is asked for."""
    found = ZooStore(PETS, Habits("link cursor")).client().find_pet(150)
    assert (found.state, found.requests) == ("found", 2)
    assert found.basis == "on a page of the listing"
    assert found.pet == pf.Pet(id=150, name="Pet 150", category_id=1, status="sold")


def test_only_a_whole_listing_proves_absence() -> None:
    """Having read everything, the store does not have it; a listing without an end in sight proves
    nothing, and a search has three ends."""
    absent = ZooStore(PETS, Habits("link cursor")).client().find_pet(9999)
    assert (absent.state, absent.pet) == ("absent", None)
    assert "not among 450 pets" in absent.basis
    assert Assumption.LINKS_REACH_ALL in absent.assumptions
    unknown = ZooStore(PETS, Habits()).client().find_pet(449)
    assert unknown.state == "unknown"
    assert str(unknown).endswith("allow_deprecated=True) asks for it by its id")
    with pytest.raises(TypeError, match="three ends"):
        bool(unknown)


@pytest.mark.parametrize("lie", ["goes round", "links to itself", "endless repeats"])
def test_a_listing_that_leads_nowhere_is_unknown(lie: str) -> None:
    """A store whose links go in circles has not told whether it has the pet."""
    found = ZooStore(PETS, Habits("link cursor", lie=lie)).client().find_pet(9999)
    assert (found.state, found.pet) == ("unknown", None)
    assert found.basis.startswith("not among ")


@pytest.mark.parametrize("seed", range(4))
def test_no_pet_is_called_absent_that_is_there(seed: int) -> None:
    """Of stores drawn at random none hides a pet from a search, save where an assumption that the
    search itself states is broken."""
    rng = random.Random(seed)
    for _ in range(150):
        zoo = census.draw_store(rng)
        sought = rng.choice(sorted(zoo.lasting_ids) or [0])
        try:
            search = zoo.client().find_pet(sought)
        except pf.PetstoreError:
            continue
        is_hidden = search.state == "absent" and sought in zoo.lasting_ids
        assert not is_hidden or zoo.habits.breaks(zoo.pets) & set(search.assumptions)
        assert search.pet is None or search.pet.id == sought


def test_a_pet_on_a_filtered_page_says_where_it_was() -> None:
    """Where a store cuts its pages, a pet found by its status is not called listed, and nothing but
    the listing is asked."""
    moved = [{**pet, "status": ("sold", "pending")[n > 30]} for n, pet in enumerate(PETS)]
    zoo = ZooStore(moved, Habits(cap=20))
    found = zoo.client().find_pet(35)
    assert (found.state, found.basis) == ("found", "on a page asked for beyond the listing")
    assert {request.url.path for request in zoo.requests} == {"/v1/pets"}


@pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")
def test_the_deprecated_operation_answers_when_allowed(sample_server: Server) -> None:
    """Allowed, one request finds a pet, and a 404 counts while a listed pet still answers."""
    with sample_server.client() as client:
        found = client.find_pet(249, allow_deprecated=True)
        absent = client.find_pet(99_999, allow_deprecated=True)
    assert (found.state, found.requests) == ("found", 1)
    assert (absent.state, absent.requests) == ("absent", 3)
