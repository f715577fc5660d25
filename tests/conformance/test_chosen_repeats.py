"""What becomes of an addition that is sent again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.requests_made import LUNA


def test_a_repeated_key_gives_the_same_pet(api) -> None:
    """The same key and body: the same 201 and id, marked as replayed."""
    key = {"Idempotency-Key": "order-1"}
    first, second = (api.post("/pets", json=LUNA, headers=key) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert first.headers["idempotency-replayed"] == "false"
    assert second.headers["idempotency-replayed"] == "true"


def test_a_key_with_another_body_is_a_conflict(api, is_error) -> None:
    """422, and nothing is stored."""
    key = {"Idempotency-Key": "order-2"}
    first = api.post("/pets", json=LUNA, headers=key).json()
    is_error(
        api.post("/pets", json={**LUNA, "name": "Otis"}, headers=key), 422, "idempotency_conflict"
    )
    reordered = {"categoryId": 3.0, "name": "Luna", "colour": "red"}
    assert api.post("/pets", json=reordered, headers=key).json() == first


def test_a_refused_body_does_not_use_up_its_key(api) -> None:
    """A 400 stores nothing, the key included."""
    key = {"Idempotency-Key": "order-3"}
    assert api.post("/pets", json={"name": "Luna"}, headers=key).status_code == 400
    assert api.post("/pets", json=LUNA, headers=key).headers["idempotency-replayed"] == "false"


@pytest.mark.parametrize("keys", [[""], ["k" * 256], ["a", "b"], ["a\tb"]])
def test_odd_keys_are_refused(api, is_error, keys) -> None:
    """One key of 1 to 255 printable ASCII characters, or none."""
    headers = [("Idempotency-Key", key) for key in keys]
    is_error(api.post("/pets", json=LUNA, headers=headers), 400, "invalid_request")


def test_equal_requests_in_parallel_make_one_pet(api) -> None:
    """100 at once with one key: one pet, one answer that is not replayed."""
    key = {"Idempotency-Key": "parallel"}
    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(lambda _: api.post("/pets", json=LUNA, headers=key), range(100)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    replayed = [answer.headers["idempotency-replayed"] for answer in answers]
    assert sorted(replayed) == ["false"] + ["true"] * 99


def test_ids_rise_on_one_connection(api) -> None:
    """Rising ids, below 2^53, in the order of the answers."""
    ids = [api.post("/pets", json=LUNA).json()["id"] for _ in range(10)]
    assert ids == sorted(ids)
    assert ids[-1] < 2**53
