"""What the interface states, section by section and rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.conftest import is_error

LUNA = {"name": "Luna", "categoryId": 3}
STATUSES = ("available", "pending", "sold")


def has_pet_shape(pet: dict[str, Any]) -> bool:
    """Resources, Pet: id, name and categoryId are required, status is optional."""
    kinds = [type(pet[name]) for name in ("id", "name", "categoryId")]
    return kinds == [int, str, int] and pet.get("status", "sold") in STATUSES


def test_list_is_a_bare_array_of_twenty_pets(api) -> None:
    """Endpoints 1, response 200 and rule 1: an array of Pets, 20 where limit is omitted."""
    answer = api.get("/pets")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert len(answer.json()) == 20 and all(map(has_pet_shape, answer.json()))


def test_list_keeps_to_its_limit(api) -> None:
    """Endpoints 1, parameter limit; Limits: 1 to 100 are valid."""
    for limit in (1, 2, 20, 99, 100):
        assert len(api.get("/pets", params={"limit": limit}).json()) == limit


@pytest.mark.parametrize("status", STATUSES)
def test_list_with_status_has_that_status_only(api, status) -> None:
    """Endpoints 1, rule 2: when status is given, only animals with that status are returned."""
    pets = api.get("/pets", params={"status": status, "limit": 100}).json()
    assert {pet["status"] for pet in pets} == {status}


INT64S = [{"categoryId": number} for number in (0, -1, 2**53 + 1, 2**63 - 1, -(2**63))]


@pytest.mark.parametrize("more", [{}, *({"status": status} for status in STATUSES), *INT64S])
def test_an_added_pet_has_an_id_and_is_found_by_it(api, more) -> None:
    """Endpoints 2, rule 2, and 3; Resources, NewPet: categoryId is exact to the last digit."""
    answers = [api.post("/pets", json=LUNA | more) for _ in range(2)]
    first, second = (answer.json() for answer in answers)
    assert [answer.status_code for answer in answers] == [201, 201] and has_pet_shape(first)
    assert {**first, "id": 0} == {**LUNA, **more, "id": 0} and first["id"] != second["id"]
    single = api.get(f"/pets/{first['id']}")
    assert (single.status_code, single.json()) == (200, first)


NO_CREDENTIAL = [  # Authorization: none, empty, wrong, or other than one scheme and one key
    [], [""], ["Bearer"], ["Bearer wrong"], ["Basic {key}"], ["{key}"], ["Bearer {key} x"],
    ["Bearer\t{key}"], ["Bearer {key},x"], ["Bearer " + "k" * 8192],
    ["Bearer \u00e9\u00ff"],
]  # fmt: skip
ELSEWHERE = [("Cookie", "api_key={key}; Authorization=Bearer {key}"), ("X-API-Key", "{key}")]
UNSIGNED = [[("Authorization", value) for value in values] for values in NO_CREDENTIAL]
UNSIGNED += [[header] for header in ELSEWHERE]
PLACES = [("GET", path) for path in ("/pets", "/pets/1", "/pets/x", "/x")]
PLACES += [(method, "/pets") for method in ("POST", "PUT", "OPTIONS")]


@pytest.mark.parametrize("sent", UNSIGNED, ids=lambda sent: str(sent)[:50])
def test_no_good_credential_no_answer(store, stranger, sent) -> None:
    """Authentication: without the key in its header all is 401, whatever else may be wrong."""
    key = store.api_key.get_secret_value()
    filled = [(name, value.replace("{key}", key).encode("latin-1")) for name, value in sent]
    headers = [(name.encode(), value) for name, value in filled]
    queries = [("GET", f"/pets?{name}={key}") for name in ("access_token", "api_key", "key")]
    for method, path in (*PLACES, *queries):
        for content in (b" " * 70_000, b"{"):
            answer = stranger.request(method, path, headers=headers, content=content)
            is_error(answer, 401, "unauthorized")
