"""What the service answers at other addresses, to other methods and to long requests."""

from __future__ import annotations

import pytest

from petstore_frame.service import rules


@pytest.mark.parametrize(
    "path",
    ["/store/orders", "/", "/pets/", "/pets//", "//pets", "/pets/1/", "/pets/1/x", "/Pets"],
)
def test_unknown_addresses_are_not_found(api, is_error, path) -> None:
    """404, never a redirect, and nothing under /store."""
    is_error(api.get(path), 404, "not_found")


@pytest.mark.parametrize("pet_id", ["0", "-1", "007", "+1", "1.0", "x", "٣", "1%00", "%2F1", "1e0"])
def test_what_is_no_id_is_not_found(api, is_error, pet_id) -> None:
    """404 is the status that getPet lists."""
    is_error(api.get(f"/pets/{pet_id}"), 404, "not_found")


@pytest.mark.parametrize("pet_id", [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, int("9" * 4000)])
def test_ids_at_the_edges_are_not_found(api, is_error, pet_id) -> None:
    """No id is too large for a 404."""
    is_error(api.get(f"/pets/{pet_id}"), 404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "FOO"])
def test_unknown_methods_are_refused(api, is_error, method) -> None:
    """405 with Allow; no pet is changed or removed."""
    answer = api.request(method, "/pets")
    is_error(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert api.request(method, "/pets/1").headers["allow"] == "GET, HEAD, OPTIONS"


def test_options_name_the_methods(api) -> None:
    """204 with Allow, and no CORS."""
    answer = api.options("/pets", headers={"Origin": "http://example.com"})
    assert answer.status_code == 204 and answer.content == b""
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path", ["/pets", "/pets?limit=100", "/pets/1", "/pets/0", "/openapi.json"]
)
def test_head_is_get_without_the_body(api, path) -> None:
    """The same status and headers, no body."""
    get, head = api.get(path), api.head(path)
    own = {"date", "x-request-id"}
    assert head.content == b"" and head.status_code == get.status_code
    assert {k: v for k, v in head.headers.items() if k not in own} == {
        k: v for k, v in get.headers.items() if k not in own
    }


def test_another_accept_is_answered_in_json(api) -> None:
    """A 406 would help nobody."""
    answer = api.get("/pets", headers={"Accept": "text/html"})
    assert answer.headers["content-type"] == "application/json"


def test_a_long_address_is_refused(api, is_error) -> None:
    """414 past 8 KiB."""
    is_error(api.get("/pets?x=" + "y" * rules.MAX_TARGET_BYTES), 414, "target_too_long")


def test_a_long_head_is_refused(api, is_error) -> None:
    """431 past 16 KiB."""
    is_error(api.get("/pets", headers={"X-Long": "y" * 17_000}), 431, "head_too_large")
