"""How the service pages, and what it does with parameters that are out of bounds."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.requests_made import LUNA


def test_the_next_links_lead_through_the_whole_list(api) -> None:
    """Each pet once, ascending by id, and no link on the last page."""
    ids, answer = [], api.get("/pets", params={"limit": 7})
    while True:
        ids += [pet["id"] for pet in answer.json()]
        if "next" not in answer.links:
            break
        answer = api.get(answer.links["next"]["url"])
    assert ids == sorted(set(ids))
    assert len(ids) >= 130


def test_the_next_link_keeps_limit_and_status(api) -> None:
    """A link is the whole question, so that following it is enough."""
    answer = api.get("/pets", params={"limit": 3, "status": "available"})
    query = parse_qs(urlsplit(answer.links["next"]["url"]).query)
    assert query["limit"] == ["3"] and query["status"] == ["available"]
    following = api.get(answer.links["next"]["url"]).json()
    assert {pet["status"] for pet in following} == {"available"}
    assert following[0]["id"] > answer.json()[-1]["id"]


def test_a_full_last_page_has_no_next_link(serve_with) -> None:
    """A link that leads to an empty page would be a false promise."""
    api = serve_with(sample=20)
    assert "link" not in api.get("/pets").headers
    api.post("/pets", json=LUNA)
    assert "next" in api.get("/pets").links


def test_a_walk_during_insertions_sees_each_old_pet_once(api) -> None:
    """What was there at the start of a walk is seen once, and the walk ends."""
    before = api.get("/pets", params={"limit": 100}).json()
    seen, answer = [], api.get("/pets", params={"limit": 20})
    while "next" in answer.links and len(seen) < 1000:
        seen += [pet["id"] for pet in answer.json()]
        api.post("/pets", json=LUNA)
        answer = api.get(answer.links["next"]["url"])
    seen += [pet["id"] for pet in answer.json()]
    assert all(seen.count(pet["id"]) == 1 for pet in before)


BAD_LIMITS = ["0", "101", "-1", "", "x", "1e2", "1.0", "+5", " 5", "٣", "9" * 5000, str(2**63)]


@pytest.mark.parametrize("limit", BAD_LIMITS, ids=range(len(BAD_LIMITS)))
def test_a_bad_limit_is_refused(api, is_error, limit) -> None:
    """400, never a silent cut: the array has no sign for more."""
    is_error(api.get("/pets", params={"limit": limit}), 400, "invalid_parameter")


@pytest.mark.parametrize(
    "query",
    [
        "status=reserved",
        "status=",
        "status=Sold",
        "status=sold,pending",
        "status=%20sold",
        "status=sold%00",
        "limit=5&limit=5",
        "status=sold&status=sold",
        "status=%ff",
        "limit=%ff",
        "cursor=",
        "cursor=abc",
        "cursor=YWZ0ZXI6NQ==",
        "cursor=YWZ0ZXI6NR",
        "cursor=" + "A" * 5000,
        "cursor=%0d%0aX-Evil:1",
    ],
)
def test_bad_parameters_are_refused(api, is_error, query) -> None:
    """An unknown status, a parameter given twice and a foreign cursor are 400."""
    is_error(api.get(f"/pets?{query}"), 400, "invalid_parameter")


def test_unknown_parameters_are_ignored(api) -> None:
    """The interface may grow."""
    assert api.get("/pets?colour=red&limit=1").status_code == 200
