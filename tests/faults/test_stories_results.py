"""Stories of what a result says after the store failed or lost pets."""

from __future__ import annotations

import pytest

from petstore_frame.loader import view_of
from petstore_frame.loader.results.row_groups import RowGroup
from shop import Shop

G = RowGroup


def test_a_pet_id_that_was_lost_is_noted_until_it_is_known(shop: Shop) -> None:
    """A row whose 201 was cut has a note, a warning and the step that finds its id."""
    shop.store.fault_of = lambda number: "201_cut" if number == 2 else None
    result = shop.load("a.csv", "tag,name", "1,Ada", "2,Bo", "3,Cy", key="tag")
    assert result.frame["notes"].isna().tolist() == [True, False, True]
    assert "id of its pet is not known" in result.frame["notes"][1]
    assert view_of(result).summary["notes"] == {"no_pet_id": 1}
    assert "(line 3)" in str(result) and "result.reconcile(client)" in str(result)
    result.reconcile(shop.client, grace_s=0)
    assert result.frame["notes"].isna().all() and result.frame["pet_id"].notna().all()
    assert view_of(result).summary["notes"] == {}


@pytest.mark.store(page_cap=5)
def test_only_what_this_call_sent_was_added(shop: Shop) -> None:
    """Animals that the store lost and that are created again are added, the others are not."""
    lines = [f"{number},Pet {number}" for number in range(1, 9)]
    shop.load("a.csv", "tag,name", *lines, key="tag")
    shop.load("a.csv", key="tag")  # shows that the store lists them
    for pet_id in list(shop.store.pets)[5:]:
        del shop.store.pets[pet_id]
    shop.load("a.csv", key="tag")
    again = shop.load("a.csv", key="tag", as_new=[7, 8, 9])
    groups = {group: rows for group, rows in view_of(again).facts.groups.items() if rows}
    assert groups == {G.ADDED: 3, G.ALREADY_LOADED: 5}
    assert len(shop.pets) == 8


def test_a_row_of_several_animals_counts_as_its_least_finished_one(shop: Shop) -> None:
    """One of its three animals was created, so the row is still to send."""
    shop.store.fault_of = {2: "401"}.get
    result = shop.load("a.csv", "name,n", "Ada,3", quantity="n", workers=1)
    assert (result.counts["created"], result.counts["pending"]) == (1, 2)
    assert view_of(result).facts.groups[G.TO_SEND] == len(view_of(result).facts) == 1
