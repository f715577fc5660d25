"""What the interface states, section by section and rule by rule."""

from __future__ import annotations

import httpx
import pytest

STATUSES = ("available", "pending", "sold")


def has_pet_shape(pet: dict) -> bool:
    """Resources, Pet: id, name and categoryId are required, status is optional."""
    return (
        type(pet["id"]) is int
        and type(pet["name"]) is str
        and type(pet["categoryId"]) is int
        and ("status" not in pet or pet["status"] in STATUSES)
    )


# Endpoints, 1. List all animals


def test_list_is_a_bare_array_of_pets(api) -> None:
    """Endpoints 1, response 200; Resources, Pets: the body is an array of Pet objects."""
    answer = api.get("/pets")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() and all(has_pet_shape(pet) for pet in answer.json())


def test_list_without_limit_has_at_most_twenty(api) -> None:
    """Endpoints 1, rule 1; Limits: when limit is omitted, at most 20 animals are returned."""
    assert len(api.get("/pets").json()) == 20


@pytest.mark.parametrize("limit", [1, 2, 20, 99, 100])
def test_list_keeps_to_its_limit(api, limit) -> None:
    """Endpoints 1, parameter limit; Limits: 1 to 100 are valid."""
    answer = api.get("/pets", params={"limit": limit})
    assert answer.status_code == 200
    assert len(answer.json()) == limit


@pytest.mark.parametrize("status", STATUSES)
def test_list_with_status_has_that_status_only(api, status) -> None:
    """Endpoints 1, rule 2: when status is given, only animals with that status are returned."""
    pets = api.get("/pets", params={"status": status, "limit": 100}).json()
    assert pets
    assert {pet["status"] for pet in pets} == {status}


# Endpoints, 2. Add an animal


@pytest.mark.parametrize("status", [*STATUSES, None])
def test_added_pet_comes_back_with_an_id(api, status) -> None:
    """Endpoints 2, rule 2: 201, and the returned Pet contains a service-assigned id."""
    new = {"name": "Luna", "categoryId": 3} | ({"status": status} if status else {})
    answer = api.post("/pets", json=new)
    assert answer.status_code == 201
    assert has_pet_shape(answer.json())
    assert {name: value for name, value in answer.json().items() if name != "id"} == new


def test_ids_are_unique(api) -> None:
    """Resources, Pet: id is the unique identifier assigned on creation."""
    ids = [api.post("/pets", json={"name": "Twin", "categoryId": 1}).json()["id"] for _ in range(5)]
    assert len(set(ids)) == 5


@pytest.mark.parametrize("missing", ["name", "categoryId"])
def test_a_missing_field_is_refused(api, is_error, missing) -> None:
    """Endpoints 2, rule 1: when name or categoryId is missing, the response is 400."""
    body = {"name": "Luna", "categoryId": 3}
    del body[missing]
    is_error(api.post("/pets", json=body), 400)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 5),
        ("name", None),
        ("name", ["Luna"]),
        ("categoryId", "3"),
        ("categoryId", None),
        ("categoryId", 1.5),
        ("categoryId", True),
        ("categoryId", 2**63),
        ("categoryId", -(2**63) - 1),
        ("status", "reserved"),
        ("status", "Available"),
        ("status", ""),
        ("status", 1),
    ],
)
def test_an_invalid_value_is_refused(api, is_error, field, value) -> None:
    """Endpoints 2, response 400: the body contains invalid values."""
    body = {"name": "Luna", "categoryId": 3, "status": "sold", field: value}
    is_error(api.post("/pets", json=body), 400)


@pytest.mark.parametrize("category_id", [0, -1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_category_ids_are_int64(api, category_id) -> None:
    """Resources, NewPet: categoryId is an int64, exact to the last digit."""
    created = api.post("/pets", json={"name": "Edge", "categoryId": category_id}).json()
    assert created["categoryId"] == category_id
    assert api.get(f"/pets/{created['id']}").json()["categoryId"] == category_id


# Endpoints, 3. Get an animal


def test_a_pet_is_found_by_its_id(api) -> None:
    """Endpoints 3, response 200: the requested animal."""
    created = api.post("/pets", json={"name": "Otis", "categoryId": 2}).json()
    answer = api.get(f"/pets/{created['id']}")
    assert answer.status_code == 200
    assert answer.json() == created


def test_an_unknown_id_is_not_found(api, is_error) -> None:
    """Endpoints 3, response 404: no animal with that identifier."""
    is_error(api.get(f"/pets/{2**62}"), 404)


# Authentication

WITHOUT_CREDENTIAL = {
    "none": [],
    "empty": [("Authorization", "")],
    "scheme only": [("Authorization", "Bearer")],
    "wrong key": [("Authorization", "Bearer wrong")],
    "wrong scheme": [("Authorization", "Basic {key}")],
    "no scheme": [("Authorization", "{key}")],
    "more behind the key": [("Authorization", "Bearer {key} x")],
    "a tab": [("Authorization", "Bearer\t{key}")],
    "comma": [("Authorization", "Bearer {key},x")],
    "key twice": [("Authorization", "Bearer {key}"), ("Authorization", "Bearer {key}")],
    "long key": [("Authorization", "Bearer " + "k" * 8192)],
    "bytes over 127": [("Authorization", "Bearer \u00e9\u00ff")],
    "cookie": [("Cookie", "api_key={key}; Authorization=Bearer {key}")],
    "other header": [("X-API-Key", "{key}")],
}


@pytest.mark.parametrize("sent", WITHOUT_CREDENTIAL.values(), ids=WITHOUT_CREDENTIAL)
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/pets"), ("POST", "/pets"), ("GET", "/pets/1"), ("GET", "/x"), ("PUT", "/pets")],
)
def test_no_good_credential_no_answer(store, stranger, is_error, sent, method, path) -> None:
    """Authentication: a missing or invalid credential is 401 with an Error body, everywhere."""
    headers = [
        (name.encode(), value.replace("{key}", store.api_key.get_secret_value()).encode("latin-1"))
        for name, value in sent
    ]
    answer = stranger.request(method, path, headers=headers, content=b"{")
    is_error(answer, 401)


@pytest.mark.parametrize("query", ["access_token={key}", "api_key={key}", "key={key}"])
def test_a_key_in_the_query_does_not_count(store, is_error, query) -> None:
    """Authentication: the key is passed in the Authorization header."""
    query = query.replace("{key}", store.api_key.get_secret_value())
    is_error(httpx.get(f"{store.base_url}/pets?{query}"), 401)


# Errors


def test_an_error_says_its_http_status(api, is_error) -> None:
    """Errors: code, message and status are required, and status equals the HTTP status."""
    is_error(api.get("/pets/0"), 404)
    is_error(api.post("/pets", json={}), 400)
    is_error(api.get("/pets", headers={"Authorization": "Bearer x"}), 401)


# Versioning


def test_the_version_is_in_the_address(store) -> None:
    """Versioning: the version appears in the base address as the path prefix /v1."""
    assert store.base_url.endswith("/v1")
    root = store.base_url.removesuffix("/v1")
    headers = {"Authorization": f"Bearer {store.api_key.get_secret_value()}"}
    assert httpx.get(f"{root}/pets", headers=headers).status_code == 404
