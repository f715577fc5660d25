"""Ids asked one by one: what they add to a claim, and what they take from it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption

pytestmark = pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")


def pets(count: int, *statuses: str) -> list[dict[str, Any]]:
    chosen = statuses or ("available", "pending", "sold")
    return [
        {"id": n, "name": f"Pet {n}", "categoryId": 1, "status": chosen[n % len(chosen)]}
        for n in range(1, count + 1)
    ]


def claim_about(rows: list[dict[str, Any]], listed: set[int], **options: Any) -> pf.Completeness:
    """Fetch from a store that lists some of its pets and answers to the ids of all."""
    by_id = {pet["id"]: pet for pet in rows}

    def answer(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/pets"):
            pet = by_id.get(int(request.url.path.rpartition("/")[2]))
            return httpx.Response(200 if pet else 404, json=pet or {})
        query = dict(request.url.params)
        found = [pet for pet in rows if pet["id"] in listed]
        found = [pet for pet in found if query.get("status") in (None, pet["status"])]
        return httpx.Response(200, json=found[: int(query["limit"])])

    transport = httpx.MockTransport(answer)
    client = pf.Client("http://127.0.0.1:1/v1", "a-key", transport=transport, max_retries=0)
    return pf.fetch_inventory(client, progress=False, **options).completeness


def test_only_the_ids_of_the_range_are_counted() -> None:
    """The sentence counts the pets of the range, and the others apart."""
    claim = claim_about(pets(500), set(range(1, 501)), id_range=(200, 210))
    assert claim.rows_in_scope == 11
    assert str(claim).startswith("complete for ids 200 to 210: 11 pets, and 289 with other ids")
    assert pf.Completeness.from_dict(claim.to_dict()) == claim


def test_a_stronger_claim_is_kept() -> None:
    """Three whole statuses are more than a range of ids."""
    claim = claim_about(pets(150), set(range(1, 151)), id_range=(1, 5))
    assert (claim.verdict, claim.scope) == ("complete", "pets with a status")


def test_a_pet_that_its_status_page_left_out_takes_the_count_back() -> None:
    """A count is not exact once a pet answers that the page of its status does not have."""
    rows = pets(150)
    claim = claim_about(rows, set(range(1, 150)), id_range=(140, 150))
    status = rows[149]["status"]
    assert not claim.count(status).is_exact
    assert claim.count("available" if status != "available" else "sold").is_exact
    assert any("left out 1 pets" in conflict for conflict in claim.conflicts)
    assert {Assumption.ONE_CAP, Assumption.IDS_ANSWER_TRULY} <= set(claim.assumptions)
