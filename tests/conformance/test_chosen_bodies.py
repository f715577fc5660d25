"""What the service does with bodies that the interface does not describe."""

from __future__ import annotations

import json

import pytest

from conformance.requests_made import LUNA, post_bytes
from petstore_frame.service import rules


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
