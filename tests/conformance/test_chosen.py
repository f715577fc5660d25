"""What the service chose where the interface is silent: one test or more a line of its table."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.service import rules

LUNA = {"name": "Luna", "categoryId": 3}


def post_bytes(api: httpx.Client, body: bytes, **headers: str) -> httpx.Response:
    return api.post("/pets", content=body, headers={"Content-Type": "application/json", **headers})


# Bodies


def test_a_status_left_out_stays_out(api) -> None:
    """A pet without a status is stored without one and matches no status filter."""
    created = api.post("/pets", json=LUNA).json()
    assert "status" not in created
    assert "status" not in api.get(f"/pets/{created['id']}").json()


def test_a_null_status_is_refused(api, is_error) -> None:
    """null is not one of the three strings."""
    is_error(api.post("/pets", json={**LUNA, "status": None}), 400, "invalid_request")


def test_unknown_fields_are_ignored(api) -> None:
    """A field beyond NewPet is not stored and not echoed, an id least of all."""
    created = api.post("/pets", json={**LUNA, "id": -5, "colour": "red"}).json()
    assert created["id"] > 0
    assert "colour" not in created


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000", "x" * 1001])
def test_blank_and_endless_names_are_refused(api, is_error, name) -> None:
    """A name has 1 to 1000 code points, and not only white space."""
    is_error(api.post("/pets", json={**LUNA, "name": name}), 400, "invalid_request")


NAMES = [
    " outer spaces ",
    "NA",
    "null",
    "小雪",
    "e\u0301 and \u00e9",
    "\U0001f436" * 1000,
    "x" * 1000,
    "'; DROP TABLE pets; --",
    '" OR 1=1 --',
    "100%_\\",
    "<b>bold</b>",
    "=1+1",
    "\x1b[31mred",
    "a\nb\r\nc\td",
    "\u202eright to left",
    "\ufeffmark",
    "\x7f\x01",
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_are_kept_byte_for_byte(api, name) -> None:
    """All of Unicode is a name, SQL and terminal sequences included."""
    created = api.post("/pets", json={**LUNA, "name": name})
    assert created.status_code == 201
    assert api.get(f"/pets/{created.json()['id']}").json()["name"] == name


@pytest.mark.parametrize("number", ["1.0", "1e0", "10e-1", "-0.0", "9007199254740993.0"])
def test_whole_numbers_have_many_spellings(api, number) -> None:
    """1.0 is 1, exactly, as JSON Schema has it."""
    answer = post_bytes(api, b'{"name":"Luna","categoryId":%s}' % number.encode())
    assert answer.status_code == 201
    assert answer.json()["categoryId"] == int(float(number) if "e" in number else number[:-2])


@pytest.mark.parametrize("number", ["9223372036854775808.0", "1e19", "1e999999", "9" * 10_000])
def test_huge_numbers_are_refused_at_once(api, is_error, number) -> None:
    """A number past int64 costs nothing, however it is spelt."""
    answer = post_bytes(api, b'{"name":"Luna","categoryId":%s}' % number.encode())
    is_error(answer, 400, "invalid_request")


BAD_JSON = {
    "empty": b"",
    "cut": b'{"name":"Luna"',
    "trailing comma": b'{"name":"Luna","categoryId":1,}',
    "comment": b'{"name":"Luna","categoryId":1}//',
    "two values": b"{}{}",
    "array": b"[]",
    "text": b'"x"',
    "number": b"1",
    "null": b"null",
    "NaN": b'{"name":"Luna","categoryId":NaN}',
    "Infinity": b'{"name":"Luna","categoryId":1,"x":-Infinity}',
    "twice": b'{"name":"Luna","name":"Otis","categoryId":1}',
    "twice inside": b'{"name":"Luna","categoryId":1,"x":{"a":1,"a":2}}',
    "deep": b'{"name":"Luna","categoryId":1,"x":' + b"[" * 32 + b"]" * 32 + b"}",
    "very deep": b"[" * 60_000,
    "not UTF-8": b'{"name":"\xff","categoryId":1}',
    "overlong": b'{"name":"\xc0\xaf","categoryId":1}',
    "byte order mark": b'\xef\xbb\xbf{"name":"Luna","categoryId":1}',
    "UTF-16": '{"name":"Luna","categoryId":1}'.encode("utf-16"),
    "raw newline": b'{"name":"a\nb","categoryId":1}',
    "leading zero": b'{"name":"Luna","categoryId":01}',
    "form": b"name=Luna&categoryId=1",
}


@pytest.mark.parametrize("body", BAD_JSON.values(), ids=BAD_JSON)
def test_what_is_no_json_object_is_refused(api, is_error, body) -> None:
    """400 invalid_json, duplicate keys and deep nesting included."""
    is_error(post_bytes(api, body), 400, "invalid_json")


@pytest.mark.parametrize("name", ["\\ud800", "\\udc00x", "a\\u0000b"])
def test_text_that_cannot_be_stored_is_refused(api, is_error, name) -> None:
    """Half surrogate pairs and U+0000 are 400."""
    is_error(post_bytes(api, b'{"name":"%s","categoryId":1}' % name.encode()), 400)


def test_brackets_in_text_are_not_depth(api) -> None:
    """Only real nesting counts against the 32 levels."""
    assert api.post("/pets", json={**LUNA, "name": '[{"\\' * 100}).status_code == 201
    nested = json.loads("[" * 31 + "]" * 31)
    assert api.post("/pets", json={**LUNA, "x": nested}).status_code == 201


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data", ""])
def test_another_media_type_is_refused(api, is_error, media_type) -> None:
    """415 for a stated type other than application/json."""
    answer = api.post("/pets", content=b"{}", headers={"Content-Type": media_type})
    is_error(answer, 415, "unsupported_media_type")


def test_json_needs_no_label(api) -> None:
    """No media type is read as JSON, and parameters of it do not matter."""
    body = json.dumps(LUNA).encode()
    assert api.post("/pets", content=body).status_code == 201
    assert post_bytes(api, body, **{"Content-Type": "Application/JSON; charset=utf-8"}).is_success


def test_compressed_bodies_are_refused(api, is_error) -> None:
    """No Content-Encoding is undone, so that no small body can grow."""
    is_error(post_bytes(api, b"x", **{"Content-Encoding": "gzip"}), 415)


def test_large_bodies_are_refused(api, is_error) -> None:
    """413 past 64 KiB, with a stated length and without."""
    is_error(post_bytes(api, b" " * (rules.MAX_BODY_BYTES + 1)), 413, "payload_too_large")
    is_error(api.post("/pets", content=(b" " * 4096 for _ in range(20))), 413)
    padded = json.dumps(LUNA).encode().ljust(rules.MAX_BODY_BYTES)
    assert post_bytes(api, padded).status_code == 201


# Listing


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


# Addresses and methods


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


# Headers


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


# Idempotency


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


# Switches


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
