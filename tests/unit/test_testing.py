"""``pf.testing.fake_store``: a store in memory, for other people's tests."""

from __future__ import annotations

import pytest

import petstore_frame as pf

ROWS = [{"name": f"Pet {at}", "category_id": at % 3, "status": "sold"} for at in range(250)]


def test_all_pets_are_read_page_by_page() -> None:
    """A fetch finds its way to the end, for all pets and for one status."""
    store = pf.testing.fake_store([*ROWS, {"name": "Luna", "category_id": 3}])
    with store.client() as client:
        assert str(pf.fetch_inventory(client).completeness) == "complete: 251 pets"
        assert len(pf.fetch_inventory(client, status="sold")) == 250
        assert len(client.list_pets(limit=7, status="sold")) == 7


def test_a_pet_is_added_and_found() -> None:
    """The next id is free, and both operations on one pet answer."""
    store = pf.testing.fake_store([pf.Pet(id=41, name="Max", category_id=1)])
    with store.client() as client:
        added = client.create_pet("Luna", 3, "pending")
        with pytest.warns(pf.EndpointDeprecatedWarning):
            assert client.get_pet(added.id) == added == store.pets[1]
        with pytest.raises(pf.NotFoundError):
            client.get_pet(7)
    assert (added.id, store.requests[0]) == (42, "POST /pets")


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"name":"x"}', b'{"name":" ","categoryId":1}', b'{"name":1}', b"null"]
)
def test_what_is_no_pet_is_refused(body: bytes) -> None:
    """A refusal is an Error body with 400, and nothing is added."""
    store = pf.testing.fake_store()
    with store.client() as client:
        outcome = client.post_pet(body)
    assert (outcome.proof, outcome.http_status, store.pets) == ("rejected", 400, [])


def test_another_key_is_refused() -> None:
    """The store accepts its own key alone."""
    store = pf.testing.fake_store(ROWS)
    stranger = pf.Client(store.base_url, "another-key", transport=store.transport)
    with stranger, pytest.raises(pf.AuthenticationError):
        stranger.list_pets()


def test_what_is_no_pet_is_no_store() -> None:
    """A wrong pet is refused where the store is made."""
    with pytest.raises(pf.ArgumentError, match="category_id: Field required"):
        pf.testing.fake_store([{"name": "Luna"}])
