"""What the client says to somebody who asked it wrongly: what is meant, and the next step."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import numpy as np
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Verdict
from petstore_frame.transport import Proof
from petstore_frame.validation import checked_integer
from threaded import Server


def error_of(call: Callable[[], Any], kind: type[Exception] = pf.ArgumentError) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def answering(pet: dict[str, Any]) -> pf.Client:
    """A client of a store that answers each POST with this pet."""
    transport = httpx.MockTransport(lambda _: httpx.Response(201, json=pet))
    return pf.Client("http://127.0.0.1/v1", "k", transport=transport)


@pytest.mark.parametrize("client", ["http://127.0.0.1/v1", None, Verdict.UNKNOWN])
def test_what_is_no_client_is_told_how_to_make_one(client: Any) -> None:
    """An address in a client's place is refused with the call that makes a client of it."""
    for call in (pf.fetch_inventory, pf.Dashboard, lambda client: pf.load("a.csv", client)):
        message = error_of(lambda call=call: call(client))
        assert "pf.Client(base_url, api_key=...)" in message
        assert "127.0.0.1" not in message  # it might have been a key


@pytest.mark.parametrize("value", ["3", 3.0, True, None, np.True_])
def test_an_id_is_a_whole_number(client: pf.Client, value: Any) -> None:
    """Texts, floats and booleans are no ids, and nothing is sent for them; numpy's numbers are."""
    for call in (partial(pf.find_pet, client), client.get_pet):
        message = error_of(lambda call=call: call(value))
        assert message.startswith("pet_id must be a whole number, got ")
        assert message.endswith("nothing was sent")
    assert checked_integer("pet_id", np.int64(3), 1) == 3
    assert b'"categoryId":3}' in pf.NewPet(name="Luna", category_id=np.int64(3)).to_json()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"status": "Sold"}, "got 'Sold' (did you mean 'sold'?); nothing"),
        ({"status": 3}, "status must be one of available, pending, sold, got 3; nothing"),
        ({"limit": "10"}, "limit must be a whole number, got the text '10'"),
        ({"limit": 101}, "limit must be between 1 and 100, got 101"),
        ({"max_pets": 0}, "max_pets must be 1 or more, got 0"),
        ({"progress": 0}, "progress must be a function, True, False or None, got 0"),
    ],
)
def test_an_argument_of_a_fetch_is_refused_in_words(
    client: pf.Client, options: dict[str, Any], words: str
) -> None:
    """What an argument can be is said by one class of error, for a whole listing and for a page."""
    asked = [client.list_pets] if options.keys() <= {"limit", "status"} else []
    if "limit" not in options:
        asked.append(partial(pf.fetch_inventory, client))
    for ask in asked:
        message = error_of(partial(ask, **options))
        assert words in message
        assert message.endswith("nothing was sent")


@pytest.mark.parametrize(
    ("pet", "words"),
    [
        ({"name": 1, "kind": 2}, ["name: ", "category_id: Field required", "kind: "]),
        ({"name": "x", "categoryId": "3"}, ["category_id: Input should be a valid integer"]),
        ({"name": "x", "category_id": 2**63}, ["category_id: ", "9223372036854775807"]),
        ({"name": "x", "category_id": 3, "status": "lost"}, ["'available', 'pending' or 'sold'"]),
        ({"name": "\ud800", "category_id": 3}, ["name: ", "contains a lone surrogate"]),
    ],
)
def test_all_that_is_wrong_with_a_pet_is_said_at_once(
    pet: dict[str, Any], words: list[str]
) -> None:
    """Every field at fault is named, by its Python name."""
    message = error_of(lambda: pf.NewPet(**pet))
    assert [part for part in words if part not in message] == []
    assert "pydantic" not in message


@pytest.mark.parametrize(
    ("returned", "field"),
    [
        ({"name": "Max", "categoryId": 3, "status": "sold"}, "name"),
        ({"name": "Luna", "categoryId": 4, "status": "sold"}, "category_id"),
        ({"name": "Luna", "categoryId": 3, "status": "pending"}, "status"),
        ({"name": "Luna", "categoryId": 3}, "status"),
        ({"name": " luna", "categoryId": 3, "status": "sold"}, None),
    ],
)
def test_another_pet_than_was_sent_is_an_error(returned: dict[str, Any], field: str | None) -> None:
    """The error has both pets; a store may change no more than case, spaces and letter forms."""
    with answering({"id": 7, **returned}) as client:
        if field is None:
            assert client.create_pet(name="Luna", category_id=3, status="sold").id == 7
            return
        with pytest.raises(pf.ContractError, match="a different pet than was sent, id 7") as caught:
            client.create_pet(name="Luna", category_id=3, status="sold")
    assert (caught.value.field, caught.value.pet.id) == (field, 7)
    assert caught.value.may_have_been_applied


def test_a_closed_client_says_so(sample_server: Server) -> None:
    """It sends nothing more, and proves so."""
    with sample_server.client() as client, pytest.warns(pf.EndpointDeprecatedWarning):
        message = error_of(lambda: client.get_pet(10**9), pf.NotFoundError)
        assert message.endswith(", which ends in /v1")
    for call in (client.list_pets, lambda: client.create_pet(name="x", category_id=1)):
        assert "is closed" in error_of(call, pf.errors.ClosedError)
    assert client.post_pet(b"{}").proof is Proof.NOT_APPLIED
    assert repr(client).endswith(", closed>")


def test_create_pet_takes_the_fields_of_a_new_pet() -> None:
    """Its parameters are written out for editors, so a new field needs a line there, too."""
    assert [*inspect.signature(pf.Client.create_pet).parameters][1:] == [*pf.NewPet.model_fields]
