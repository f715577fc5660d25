"""Each row of the tables in docs/service.md, held to what the service does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from conformance.conftest import is_error
from petstore_frame.service.api_keys import new_key, revoke_key
from petstore_frame.service.database import open_database
from plain_http import talk_to
from threaded import serve

LUNA = {"name": "Luna", "categoryId": 3}
DOCUMENT = Path(__file__).parents[2] / "docs/service.md"
FILLED: set[str] = set()


def gap(*names: str) -> Callable[[Any], Any]:
    """Say which rows a test holds."""
    FILLED.update(names)
    return lambda test: test


def rows() -> list[list[str]]:
    """Return the cells of each row of the document's tables of choices."""
    lines = re.findall(r"^\| (.+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    table = [line.split(" | ") for line in lines if not line.startswith("gap |")]
    return [row for row in table if len(row) == 3]


def post_bytes(api: httpx.Client, body: bytes, **headers: str) -> httpx.Response:
    return api.post("/pets", content=body, headers={"Content-Type": "application/json", **headers})


def test_every_row_is_held_and_has_a_reason() -> None:
    """The rows of the document and the tests below are the same gaps, each once."""
    gaps = [row[0] for row in rows()]
    assert len(gaps) == len(set(gaps)) > 35
    # The last three are in test_stated, which refuses strangers in each place.
    in_stated = {"a key in the query or in a cookie", "order of the checks", "range of categoryId"}
    assert set(gaps) == FILLED | in_stated
    assert all(row[1].strip() and row[2].strip() for row in rows())


@gap("default status on creation", "fields beyond NewPet", "address of a new pet +")
def test_what_is_stored_is_what_the_interface_has(api) -> None:
    """No status is made up; a field beyond NewPet is not stored, an id least of all."""
    created = api.post("/pets", json={**LUNA, "id": -5, "color": "red"})
    pet = created.json()
    assert pet == {**LUNA, "id": pet["id"]} and pet["id"] > 0
    address = f"{str(api.base_url).rstrip('/')}/pets/{pet['id']}"
    assert created.headers["location"] == address
    assert api.get(address).json() == pet


NAMES = [
    " outer spaces ", "NA", "null", "小雪", "e\u0301 and \u00e9", "\U0001f436" * 1000, "x" * 1000,
    "'; DROP TABLE pets; --", '" OR 1=1 --', "100%_\\", "<b>bold</b>", "=1+1", "\x1b[31mred",
    "a\nb\r\nc\td", "\u202eright to left", "\ufeffmark", "\x7f\x01", '[{"\\' * 100,
]  # fmt: skip


@gap("characters of a name", "how ids are assigned")
def test_names_are_kept_byte_for_byte(api) -> None:
    """All of Unicode is a name; ids rise on one connection, below 2^53, in the answers' order."""
    created = [api.post("/pets", json={**LUNA, "name": name}).json() for name in NAMES]
    assert [pet["name"] for pet in created] == NAMES
    assert [api.get(f"/pets/{pet['id']}").json() for pet in created] == created
    ids = [pet["id"] for pet in created]
    assert ids == sorted(set(ids)) and ids[-1] < 2**53


WRONG = {  # of each field, as JSON
    "name": [
        "", '""', '" "', r'"\t\n"', r'"\u3000"', r'"\u001c\u0085"', json.dumps("x" * 1001),
        r'"a\u0000b"', r'"\ud800"', r'"\udc00x"', "7", "null", '["Luna"]',
    ],
    "categoryId": [
        "", '"3"', "null", "1.5", "true", "1e19", "1e999999", "NaN",
        "10000000000000000000", "9223372036854775808", "-9223372036854775809",
    ],
    "status": ['"Sold"', '""', "1", "null"],
}  # fmt: skip


@gap(
    "`status: null`", "blank name", "length of a name", "characters of a name",
    "spelling of categoryId", "values of `code`", "name of the invalid field +",
)  # fmt: skip
@pytest.mark.parametrize("field", WRONG)
def test_a_refusal_names_the_field(api, field) -> None:
    """Endpoints 2, rule 3: 400 for what is missing or wrong, and a sentence that says where."""
    for value in WRONG[field]:
        fields = {"name": '"Luna"', "categoryId": "1", field: value}
        body = ",".join(f'"{name}":{text}' for name, text in fields.items() if text)
        answer = post_bytes(api, f"{{{body}}}".encode())
        is_error(answer, 400, "invalid_request")
        assert answer.json()["message"].startswith(f"{field}: ")
        assert answer.json()["field"] == field


SPELLINGS = {  # of each field, as other programs may write it
    "name": ["Name", "NAME", "name ", "petName", "pet_name", "n\u0430me"],
    "categoryId": [
        "category_id", "categoryID", "CategoryId", "categoryid", "category-id", "CATEGORYID",
        "category", "categoryId ",
    ],
}  # fmt: skip


@gap("spelling of a field")
@pytest.mark.parametrize("field", SPELLINGS)
def test_a_required_field_has_one_spelling(api, field) -> None:
    """Endpoints 2, rule 1: under any other name the field is missing, which is 400."""
    for spelling in SPELLINGS[field]:
        body = {name: value for name, value in LUNA.items() if name != field}
        answer = api.post("/pets", json={**body, spelling: LUNA[field]})
        is_error(answer, 400, "invalid_request")
        assert answer.json()["field"] == field


@gap("spelling of a field")
def test_a_status_or_parameter_has_one_spelling(api) -> None:
    """Under any other name it is an unknown field or parameter, which is ignored."""
    for spelling in ("Status", "STATUS", "petStatus", "pet_status", "status "):
        assert "status" not in api.post("/pets", json={**LUNA, spelling: "sold"}).json()
        assert (
            len({pet.get("status") for pet in api.get("/pets", params={spelling: "sold"}).json()})
            > 1
        )
    for spelling in ("Limit", "LIMIT", "per_page", "pageSize"):
        assert len(api.get("/pets", params={spelling: 3}).json()) == 20


INTEGER = {
    "1.0": 1, "-0.0": 0, "1E2": 100, "12300e-2": 123, "9007199254740993.0": 2**53 + 1,
    "9007199254740993e0": 2**53 + 1, "9223372036854775807.000": 2**63 - 1,
    "-9.223372036854775808e18": -(2**63),
}  # fmt: skip
FRACTIONS = [
    "1.5", "1.00000000000000000001", "9007199254740993.5", "1e-400", "9223372036854775807.5",
    "9223372036854775808.0", "1e19", "1e999999", "1e99999999999999999999", "-1e19",
]  # fmt: skip


@gap("spelling of categoryId")
def test_an_integer_is_exact_however_it_is_written(api) -> None:
    """Resources, NewPet: categoryId is an int64, so no digit of it is rounded away."""
    for text, number in INTEGER.items():
        body = f'{{"name": "Luna", "categoryId": {text}}}'.encode()
        created = post_bytes(api, body)
        assert (created.status_code, created.json()["categoryId"]) == (201, number), text
    for text in FRACTIONS:
        is_error(post_bytes(api, f'{{"name": "Luna", "categoryId": {text}}}'.encode()), 400)


BAD_JSON = {
    "empty": b"", "cut": b'{"name":"Luna"', "trailing comma": b'{"name":"Luna","categoryId":1,}',
    "two values": b"{}{}", "array": b"[]", "text": b'"x"', "null": b"null",
    "not UTF-8": b'{"name":"\xff","categoryId":1}', "raw newline": b'{"name":"a\nb"}',
    "form": b"name=Luna&categoryId=1", "very deep": b"[" * 60_000,
    "huge number": b'{"name":"Luna","categoryId":' + b"9" * 10_000 + b"}",
}  # fmt: skip


@gap("unusual JSON", "media type of a body")
def test_what_is_no_json_object_is_refused(api) -> None:
    """400 invalid_json, also for another media type, and for a name that appears twice."""
    for body in BAD_JSON.values():
        is_error(post_bytes(api, body), 400, "invalid_json")
    good = json.dumps(LUNA).encode()
    other_types = ("text/plain", "application/xml", "multipart/form-data", "")
    for media_type in (*other_types, "application/hal+json", "application/jsonp"):
        answer = api.post("/pets", content=good, headers={"Content-Type": media_type})
        is_error(answer, 400, "invalid_json")
    for media_type in ("Application/JSON", "application/json; charset=utf-8"):
        answer = api.post("/pets", content=good, headers={"Content-Type": media_type})
        assert answer.status_code == 201
    twice = post_bytes(api, b'{"name":"Luna","name":"Otis","categoryId":1}')
    is_error(twice, 400, "invalid_json")
    assert "'name'" in twice.json()["message"]


def walk(api: httpx.Client, meanwhile: Callable[[], Any] = int, **params: Any) -> list[Any]:
    """Return the pets of all pages, and do something between them."""
    pets, answer = [], api.get("/pets", params=params)
    while "next" in answer.links and len(pets) < 1000:
        assert len(answer.json()) == params["limit"]
        pets += answer.json()
        meanwhile()
        answer = api.get(answer.links["next"]["url"])
    return pets + answer.json()


@gap("pages beyond `limit` +", "order of the list")
def test_the_next_links_lead_through_the_whole_list(api) -> None:
    """Each pet once, by id, also while others are added; a link keeps limit and status."""
    pets = walk(api, limit=7)
    during = walk(api, lambda: api.post("/pets", json=LUNA), limit=20)
    for ids in ([pet["id"] for pet in pets], [pet["id"] for pet in during]):
        assert ids == sorted(set(ids)) and 130 <= len(ids) < 1000
    assert during[: len(pets)] == pets
    sold = [pet for pet in pets if pet.get("status") == "sold"]
    assert walk(api, limit=3, status="sold") == sold and len(sold) > 3


@gap("pages beyond `limit` +")
def test_a_full_last_page_has_no_next_link(serve_with) -> None:
    """A link that leads to an empty page would be a false promise."""
    api = serve_with(sample=20)
    assert "link" not in api.get("/pets").headers
    api.post("/pets", json=LUNA)
    assert "next" in api.get("/pets").links


BAD_QUERIES = {
    "`limit` outside 1 to 100": ["limit=0", "limit=101", "limit=-1", f"limit={2**63}"],
    "`limit` that isn't an integer, unknown `status`": [
        "limit=", "limit=1.0", "limit=%201", "limit=%2B1",
        "limit=x", "limit=1e2", "limit=" + "9" * 5000, "limit=%ff", "status=",
        "status=Sold", "status=sold,pending", "status=%20sold", "status=sold%00", "status=%ff",
    ],
    "a parameter that appears twice": [
        "limit=1&limit=2", "limit=1&limit=1", "status=sold&status=pending", "cursor=1&cursor=2",
    ],
    "a cursor that isn't from a next link +": [
        "cursor=", "cursor=abc", "cursor=" + "9" * 5000, "cursor=%0d%0aX-Evil:1",
        f"cursor={2**63}",
    ],
}  # fmt: skip


@gap(*BAD_QUERIES)
@pytest.mark.parametrize("queries", BAD_QUERIES.values(), ids=BAD_QUERIES)
def test_bad_parameters_are_refused(api, queries) -> None:
    """400, never a silent cut or another list than was asked for."""
    for query in queries:
        answer = api.get(f"/pets?{query}")
        is_error(answer, 400, "invalid_parameter")
        assert answer.json()["field"] == query.partition("=")[0]


@gap("host of a Link or Location +")
def test_links_lead_where_the_client_is(api) -> None:
    """Whatever the name of the host, and whatever stands in its place."""
    link = api.get("/pets", headers={"Host": "shop.example:8080"}).headers["link"]
    assert link.startswith("<http://shop.example:8080/v1/pets?")
    for host in ("[", "a b", 'x>; rel="next"'):
        answer = api.post("/pets", json=LUNA, headers={"Host": host})
        assert answer.status_code in (201, 400) and ">" not in answer.headers.get("location", "")


ODD_IDS = ["0", "-1", "x", "1%00", "%2F1", "1e0", "9" * 4000]
ODD_IDS += [str(pet_id) for pet_id in (2**63 - 1, 2**63, -(2**63), -(2**63) - 1)]
ODD_PATHS = ["store/orders", "", "pets/", "pets//", "/pets", "pets/1/", "pets/1/x", "Pets"]


@gap("other addresses", "petId that isn't an int64")
@pytest.mark.parametrize("path", [*ODD_PATHS, *(f"pets/{pet_id}" for pet_id in ODD_IDS)])
def test_unknown_addresses_are_not_found(api, path) -> None:
    """404, never a redirect, nothing under /store, and no id is too large for it."""
    is_error(api.get(f"/{path}"), 404, "not_found")


@gap("other methods")
def test_unknown_methods_are_refused(api) -> None:
    """405 with Allow, and no CORS."""
    allowed = "GET, HEAD, POST"
    for method in ("PUT", "PATCH", "DELETE", "TRACE", "FOO", "OPTIONS"):
        answer = api.request(method, "/pets")
        is_error(answer, 405, "method_not_allowed")
        assert answer.headers["allow"] == allowed
        assert api.request(method, "/pets/1").headers["allow"] == "GET, HEAD"
    answer = api.get("/pets", headers={"Origin": "http://example.com"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


@gap("other methods")
def test_head_is_get_without_the_body(api) -> None:
    """The same status and headers, no body."""
    own = {"date": ""}
    for path in ("/pets?limit=100", "/pets/1", "/pets/0", "/openapi.json"):
        get, head = api.get(path), api.head(path)
        assert head.content == b"" and head.status_code == get.status_code
        assert {**head.headers, **own} == {**get.headers, **own}


@gap("`Accept` without JSON", "caching", "unknown parameters")
def test_another_accept_is_answered_in_json(api) -> None:
    """A 406 would help nobody, nor would a 400 as the interface grows; no cache keeps a list."""
    answer = api.get("/pets?color=red", headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"


@gap("size of a body")
def test_what_is_too_large_is_refused(api) -> None:
    """413 past 64 KiB, with a stated length and without."""
    is_error(post_bytes(api, b" " * (64 * 1024 + 1)), 413, "payload_too_large")
    is_error(api.post("/pets", content=(b" " * 4096 for _ in range(20))), 413)
    assert post_bytes(api, json.dumps(LUNA).encode().ljust(64 * 1024)).status_code == 201


@gap("failures of the service")
def test_a_store_that_cannot_be_written_says_so(tmp_path) -> None:
    """503 with Retry-After, as certainly nothing was stored; reading goes on."""
    path = tmp_path / "store.sqlite3"
    with serve(database=path, sample=5):
        pass
    with serve(database=f"sqlite:///file:{path}?mode=ro&uri=true") as server:
        with talk_to(server) as api:
            refused, listed = api.post("/pets", json=LUNA), api.get("/pets").json()
    is_error(refused, 503, "unavailable")
    assert refused.headers["retry-after"] and len(listed) == 5


@gap(
    "machine-readable description +",
    "stability markers, events, category records, changes of status",
)  # fmt: skip
def test_the_description_is_served(api, stranger) -> None:
    """With a key, with the address that was asked, and nothing invented."""
    served = api.get("/openapi.json")
    assert served.json()["servers"][0]["url"] == str(api.base_url).rstrip("/")
    assert set(served.json()["paths"]) == {"/pets", "/pets/{petId}"}
    assert "x-stability" not in served.text
    is_error(stranger.get("/openapi.json"), 401)


@gap("how keys are issued")
def test_keys_are_made_and_revoked_without_a_restart(tmp_path, serve_with) -> None:
    """Several are valid at once; only hashes are stored; a revoked key is refused at once."""
    api = serve_with()

    def status(key: str) -> int:
        return api.get("/pets", headers={"Authorization": f"Bearer {key}"}).status_code

    book = open_database(str(tmp_path / "store.sqlite3"))
    first, second = new_key(book, "till"), new_key(book, "web")
    assert [status(key) for key in (first, second, first[:-1])] == [200, 200, 401]
    assert revoke_key(book, first[:10]) == 1
    assert [status(key) for key in (first, second)] == [401, 200]
    book.dispose()
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("store.sqlite3*"))
    assert first.encode() not in stored and second.encode() not in stored


@gap("challenge of a 401")
def test_a_refused_stranger_is_challenged(store, stranger) -> None:
    """WWW-Authenticate: Bearer, and invalid_token when a key was sent; the scheme has no case."""
    wrong = stranger.get("/pets", headers={"Authorization": "Bearer x"})
    assert stranger.get("/pets").headers["www-authenticate"] == "Bearer"
    assert wrong.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    headers = {"Authorization": f"bEARER {store.api_key.get_secret_value()}"}
    assert stranger.get("/pets", headers=headers).status_code == 200


@gap("id of the store +")
def test_a_pet_meant_for_another_store_is_refused(api, stranger) -> None:
    """412, and nothing is stored; the store's own name, on every answer, lets it pass."""
    before = api.get("/pets").json()
    is_error(api.post("/pets", json=LUNA, headers={"X-Store-Id": "0" * 32}), 412, "other_store")
    assert api.get("/pets").json() == before
    own = {"X-Store-Id": stranger.get("/none").headers["x-store-id"]}
    assert api.post("/pets", json=LUNA, headers=own).status_code == 201


@gap("resending a POST +", "whether the key was honored +")
def test_a_repeated_key_gives_the_same_pet(api) -> None:
    """The same 201 and id, marked as replayed; another body is 422, an odd key 400."""
    key = {"Idempotency-Key": "order-1"}
    refused = api.post("/pets", json={"name": "Luna"}, headers=key)
    first, second = (api.post("/pets", json=LUNA, headers=key) for _ in range(2))
    again = {"categoryId": 3.0, "name": "Luna", "color": "red"}
    reordered = api.post("/pets", json=again, headers=key)
    assert refused.status_code == 400, "a refused body does not use up its key"
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content == reordered.content
    assert [a.headers["idempotency-replayed"] for a in (first, second)] == ["false", "true"]
    for other in ({"name": "Otis"}, {"status": "sold"}):
        is_error(api.post("/pets", json=LUNA | other, headers=key), 422, "idempotency_conflict")
    for keys in ([""], ["k" * 256], ["a\tb"]):  # not 1 to 255 printable characters
        headers = [("Idempotency-Key", key) for key in keys]
        is_error(api.post("/pets", json=LUNA, headers=headers), 400, "invalid_parameter")


@gap("rate limits", "resending a POST +")
def test_equal_requests_in_parallel_make_one_pet(api) -> None:
    """100 at once with one key, none too many: one pet, one answer that is not replayed."""
    key = {"Idempotency-Key": "parallel"}
    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(lambda _: api.post("/pets", json=LUNA, headers=key), range(100)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    replayed = [answer.headers["idempotency-replayed"] for answer in answers]
    assert sorted(replayed) == ["false"] + ["true"] * 99


@gap("announcement of a deprecation +", "after the removal date")
def test_the_deprecation_is_told(api) -> None:
    """RFC 9745 and RFC 8594 on each answer of getPet, and on no other."""
    for path in ("/pets/1", "/pets/0", "/pets/x"):
        headers = api.get(path).headers
        deprecated = datetime.fromtimestamp(int(headers["deprecation"].removeprefix("@")), UTC)
        sunset = parsedate_to_datetime(headers["sunset"])
        assert deprecated < sunset == datetime(2030, 12, 5, tzinfo=UTC)
    assert "sunset" not in api.get("/pets").headers


def test_spec_only_has_no_extension(serve_with) -> None:
    """--spec-only: what the interface states, and nothing else."""
    api = serve_with(sample=30, spec_only=True)
    created = [api.post("/pets", json=LUNA, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert created[0].json()["id"] != created[1].json()["id"]
    answers = [created[0], *(api.get(path) for path in ("/pets", "/pets/1", "/pets/0"))]
    names = {name for answer in answers for name in answer.headers}
    assert names <= {"date", "content-length", "content-type", "cache-control"}
    assert set(api.post("/pets", json={}).json()) == {"code", "message", "status"}
    assert api.get("/pets?cursor=x").status_code == 200
    is_error(api.get("/openapi.json"), 404)


@pytest.mark.parametrize("pet_id", ["%2B1", "1.0", "01", "1_0", "%201", "-0"])
def test_an_id_is_accepted_only_as_the_interface_writes_it(api, pet_id: str) -> None:
    """Another spelling of a number is no id of a pet."""
    api.post("/pets", json=LUNA)
    assert api.get("/pets/1").status_code == 200
    is_error(api.get(f"/pets/{pet_id}"), 404, "not_found")
