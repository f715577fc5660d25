"""What the switches of the service change, and the table of its choices."""

from __future__ import annotations

import httpx

from conformance.requests_made import LUNA
from petstore_frame.service import rules


def test_spec_only_has_no_extension(serve_with, is_error) -> None:
    """--spec-only: what the interface states, and nothing else."""
    api = serve_with(sample=30, spec_only=True)
    listed = api.get("/pets", headers={"If-None-Match": "*"})
    assert listed.status_code == 200
    created = [api.post("/pets", json=LUNA, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert created[0].json()["id"] != created[1].json()["id"]
    got = api.get("/pets/1")
    names = {*listed.headers, *created[0].headers, *got.headers, *api.get("/pets/0").headers}
    assert names <= {"date", "content-length", "content-type", "cache-control"}
    assert set(api.post("/pets", json={}).json()) == {"code", "message", "status"}
    assert api.get("/pets?cursor=x").status_code == 200
    is_error(api.get("/openapi.json"), 404)
    is_error(httpx.get(str(api.base_url).replace("/v1/", "/healthz")), 401)


def test_strict_refuses_what_it_does_not_know(serve_with, is_error) -> None:
    """--strict: an unknown field or parameter is 400."""
    api = serve_with(strict=True)
    is_error(api.post("/pets", json={**LUNA, "categoryID": 3}), 400, "invalid_request")
    is_error(api.get("/pets?statsu=sold"), 400, "invalid_parameter")


def test_clamp_cuts_the_limit(serve_with, is_error) -> None:
    """--limit-policy clamp: out of range is cut to the range; no number is still 400."""
    api = serve_with(sample=120, limit_policy="clamp")
    assert len(api.get("/pets?limit=1000").json()) == 100
    assert len(api.get("/pets?limit=-3").json()) == 1
    is_error(api.get("/pets?limit=x"), 400)


def test_a_rate_is_kept_for_each_key(serve_with, is_error) -> None:
    """--rate: 429 with the seconds to wait."""
    api = serve_with(rate=2)
    answers = [api.get("/pets") for _ in range(6)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused and answers[0].status_code == 200
    is_error(refused[0], 429, "rate_limited")
    assert int(refused[0].headers["retry-after"]) == 1


def test_the_removal_can_be_rehearsed(serve_with, is_error) -> None:
    """--after-sunset gone: 410 with the date."""
    api = serve_with(sample=1, after_sunset="gone")
    answer = api.get("/pets/1")
    is_error(answer, 410, "gone")
    assert answer.headers["sunset"]


def test_health_needs_no_key(store) -> None:
    """/healthz is outside /v1 and reports only that the database answers."""
    answer = httpx.get(store.base_url.replace("/v1", "/healthz"))
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}


def test_the_table_has_a_reason_for_each_choice() -> None:
    """Each gap is there once, with a choice and a reason."""
    gaps = [(choice.part, choice.gap) for choice in rules.CHOICES]
    assert len(set(gaps)) == len(gaps)
    assert all(choice.choice and choice.reason for choice in rules.CHOICES)
