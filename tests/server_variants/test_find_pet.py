"""A search for one pet has three ends, and only a whole listing proves a pet absent."""

from __future__ import annotations

import random

import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption
from server_variants import drawn_stores
from server_variants.answers import pets
from server_variants.habits import Habits
from server_variants.stores import ZooStore

PETS = pets(450, "sold", "pending")


ENDS = {
    "second page": (150, Habits("link cursor"), "found", "the store listed it"),
    "filtered page": (35, Habits(cap=20), "found", "the store listed it"),
    "whole listing": (9999, Habits("link cursor"), "absent", "not among 450 pets"),
    "no end in sight": (449, Habits(), "unknown", "not among "),
    "goes round": (9999, Habits("link cursor", lie="goes round"), "unknown", "not among "),
}


@pytest.mark.parametrize(("pet_id", "habits", "state", "reason"), ENDS.values(), ids=ENDS)
def test_a_search_has_three_ends(pet_id: int, habits: Habits, state: str, reason: str) -> None:
    """Only a whole listing proves a pet absent, and nothing but listings is asked for."""
    store = ZooStore(PETS, habits)
    search = pf.find_pet(store.client(), pet_id)
    assert (search.state, search.reason[: len(reason)]) == (state, reason)
    assert (search.pet is not None) == (state == "found")
    assert (search.requests == 2) == (pet_id == 150)
    assert {request.url.path for request in store.requests} == {"/v1/pets"}
    assert (Assumption.LINKS_REACH_ALL in search.assumptions) == (state == "absent")
    with pytest.raises(TypeError, match="three outcomes"):
        bool(search)


def test_no_pet_is_called_absent_that_is_there(draw: random.Random, times: int) -> None:
    """None of the drawn stores hides a pet, unless it breaks what the search itself assumes."""
    for _ in range(600 * times):
        zoo = drawn_stores.draw_store(draw)
        sought = draw.choice(sorted(zoo.lasting_ids) or [0])
        try:
            search = pf.find_pet(zoo.client(), sought)
        except pf.PetstoreError:
            continue
        is_hidden = search.state == "absent" and sought in zoo.lasting_ids
        assert not is_hidden or zoo.habits.breaks() & set(search.assumptions)
        assert search.pet is None or search.pet.id == sought
