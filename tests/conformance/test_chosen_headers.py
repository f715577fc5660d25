"""What the service says in headers: names, tags, addresses, dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import pytest

import petstore_frame as pf
from conformance.requests_made import LUNA


def test_a_refused_stranger_is_challenged(store) -> None:
    """WWW-Authenticate: Bearer, and invalid_token when a key was sent."""
    without = httpx.get(f"{store.base_url}/pets")
    wrong = httpx.get(f"{store.base_url}/pets", headers={"Authorization": "Bearer x"})
    assert without.headers["www-authenticate"] == "Bearer"
    assert wrong.headers["www-authenticate"] == 'Bearer error="invalid_token"'


def test_the_scheme_has_no_case(store) -> None:
    """RFC 9110: the name of a scheme is case-insensitive."""
    headers = {"Authorization": f"bEARER {store.api_key.get_secret_value()}"}
    assert httpx.get(f"{store.base_url}/pets", headers=headers).status_code == 200


def test_requests_have_names(api) -> None:
    """X-Request-Id: the client's if it is harmless, else a new one."""
    assert api.get("/pets", headers={"X-Request-Id": "my-1"}).headers["x-request-id"] == "my-1"
    first, second = (api.get("/pets/0").headers["x-request-id"] for _ in range(2))
    assert first != second
    odd = api.get("/pets", headers={"X-Request-Id": "a b;c"}).headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{16}", odd)


def test_a_store_has_one_name(tmp_path) -> None:
    """X-Store-Id: the same on every answer and after a restart, another for another database."""
    names = []
    for database in ("one.sqlite3", "one.sqlite3", "two.sqlite3"):
        with pf.serve(database=tmp_path / database) as server:
            answers = [httpx.get(f"{server.base_url}{path}") for path in ("/pets", "/none")]
            names.append({answer.headers["x-store-id"] for answer in answers})
    assert names[0] == names[1] != names[2]
    assert all(len(name) == 1 and re.fullmatch("[0-9a-f]{32}", *name) for name in names)


def test_a_pet_meant_for_another_store_is_refused(api, is_error) -> None:
    """412, and nothing is stored; the store's own name lets it pass."""
    before = api.get("/pets").json()
    is_error(api.post("/pets", json=LUNA, headers={"X-Store-Id": "0" * 32}), 412, "other_store")
    assert api.get("/pets").json() == before
    own = {"X-Store-Id": api.get("/pets").headers["x-store-id"]}
    assert api.post("/pets", json=LUNA, headers=own).status_code == 201


def test_the_deprecation_is_told(api) -> None:
    """RFC 9745 and RFC 8594 on each answer of getPet, and on no other."""
    for path in ("/pets/1", "/pets/0"):
        headers = api.get(path).headers
        since = datetime.fromtimestamp(int(headers["deprecation"].removeprefix("@")), UTC)
        sunset = parsedate_to_datetime(headers["sunset"])
        assert sunset == datetime(2030, 12, 5, tzinfo=UTC)
        assert since < sunset
    assert "sunset" not in api.get("/pets").headers


@pytest.mark.parametrize("path", ["/pets?limit=5", "/pets/1", "/openapi.json"])
def test_a_good_copy_is_not_sent_again(api, path) -> None:
    """304 on If-None-Match: a list of tags, a weak one, any."""
    first = api.get(path)
    tag = first.headers["etag"]
    for condition in (tag, f'"x", {tag}', f"W/{tag}", "*"):
        again = api.get(path, headers={"If-None-Match": condition})
        assert again.status_code == 304 and again.content == b""
        assert again.headers["etag"] == tag
    assert api.get(path, headers={"If-None-Match": '"x"'}).status_code == 200


def test_a_new_next_page_makes_a_new_tag(serve_with) -> None:
    """A 304 must not hide that there is more now."""
    api = serve_with(sample=20)
    before = api.get("/pets")
    api.post("/pets", json=LUNA)
    after = api.get("/pets", headers={"If-None-Match": before.headers["etag"]})
    assert before.content == after.content
    assert after.status_code == 200 and "next" in after.links


def test_a_foreign_host_steers_nobody(api) -> None:
    """The address in a Link is the service's own, or has no host at all."""
    for host in ("evil.example", "127.0.0.1:1", "localhost"):
        link = api.get("/pets", headers={"Host": host}).headers["link"]
        assert link.startswith("</v1/pets?")
    port = api.base_url.port
    link = api.get("/pets", headers={"Host": f"localhost:{port}"}).headers["link"]
    assert link.startswith(f"<http://localhost:{port}/v1/pets?")


def test_a_public_address_is_used(serve_with) -> None:
    """--public-url is what clients see, whatever the Host."""
    api = serve_with(sample=30, public_url="https://shop.example/v1/")
    answer = api.get("/pets")
    assert answer.headers["link"].startswith("<https://shop.example/v1/pets?")


def test_a_new_pet_has_an_address(api) -> None:
    """Location on 201."""
    created = api.post("/pets", json=LUNA)
    assert (
        created.headers["location"]
        == f"{str(api.base_url).rstrip('/')}/pets/{created.json()['id']}"
    )
    assert api.get(created.headers["location"]).json() == created.json()


def test_an_error_names_the_field(api) -> None:
    """The extra member field of the Error."""
    assert api.post("/pets", json={"name": "x", "categoryId": "y"}).json()["field"] == "categoryId"
    assert api.get("/pets?limit=0").json()["field"] == "limit"
