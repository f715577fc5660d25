"""What a response may cost in time, memory and text, whatever the store sends."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from collections.abc import Iterator
from functools import cache

import pytest

import petstore_frame as pf
from faults.hostile import KEY, http, opened, pets_body
from petstore_frame.transport.page import read_links


def headers_without_end() -> Iterator[bytes]:
    """A header line, a byte at a time."""
    yield b"HTTP/1.1 200 OK\r\nX-Slow: "
    while True:
        time.sleep(0.1)
        yield b"x"


def hints_without_end() -> Iterator[bytes]:
    """One preliminary response after another."""
    while True:
        time.sleep(0.1)
        yield b"HTTP/1.1 103 Early Hints\r\n\r\n"


@pytest.mark.parametrize("response", [headers_without_end, hints_without_end])
def test_headers_that_do_not_end_meet_the_deadline(response) -> None:
    """The deadline holds for the whole response, and not only between two reads or for the body."""
    started_at = time.monotonic()
    with opened(lambda _: response(), timeout=1.0, retry_timeout=0) as (_, client):
        with pytest.raises(pf.APIConnectionError, match="read_timeout") as caught:
            client.list_pets()
        assert time.monotonic() - started_at < 5
        assert not caught.value.may_have_been_applied
        with pytest.raises(pf.APIConnectionError) as caught:
            client.create_pet("Luna", 3)
    assert caught.value.may_have_been_applied


@cache
def packed(layers: int) -> bytes:
    """Return 256 MiB of zeros, compressed so many times."""
    content = packed(layers - 1) if layers > 1 else bytes(2**28)
    return gzip.compress(content, 1)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_no_layer_of_compression_exceeds_the_limit(layers: int) -> None:
    """A response of a few bytes never becomes gigabytes, however often it was compressed."""
    body = packed(layers)
    encoding = ", ".join(["gzip"] * layers)
    answer = http("200 OK", body, f"Content-Encoding: {encoding}")
    with opened(lambda _: answer, retry_timeout=0) as (_, client):
        tracemalloc.start()
        try:
            with pytest.raises(pf.APIConnectionError):
                client.list_pets()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 200 * 2**20


def test_a_body_that_was_compressed_twice_is_read() -> None:
    """A store may compress, and a proxy once more."""
    body = gzip.compress(gzip.compress(pets_body(1).encode()))
    answer = http("200 OK", body, "Content-Encoding: gzip, gzip")
    with opened(lambda _: answer) as (_, client):
        assert len(client.list_pets()) == 1


def test_a_stores_error_text_is_short_and_plain() -> None:
    """No escape sequence reaches the terminal, and no text of megabytes the log."""
    escape = "\\u001b[31m"
    body = f'{{"code":"a{escape}b","message":"{escape}{"x" * 10_000}","status":400}}'
    with opened(lambda _: http("400 Bad", body), retry_timeout=0) as (_, client):
        with pytest.raises(pf.APIStatusError) as caught:
            client.list_pets()
    assert len(str(caught.value)) < 1000
    assert "\x1b" not in f"{caught.value} {caught.value.code} {caught.value.api_message}"


def test_a_content_type_is_shown_without_escape_sequences() -> None:
    """A response without an Error body is described by its content type."""
    answer = http("404 No", "<html>", kind="text/\x1b[31mhtml")
    with opened(lambda _: answer, retry_timeout=0) as (_, client):
        with pytest.raises(pf.PetstoreError) as caught:
            client.list_pets()
    assert "\x1b" not in str(caught.value)


def seconds_to_read(text: str) -> float:
    best = float("inf")
    for _ in range(2):
        started_at = time.process_time()
        list(read_links(text))
        best = min(best, time.process_time() - started_at)
    return best


@pytest.mark.parametrize("piece", ['<a>;b="', "<a>;b=;", "<", "<a>; ;", '<a>;b="\\', "<a>;b "])
def test_a_link_header_is_read_in_linear_time(piece: str) -> None:
    """Twice the text takes at most about twice as long, so 66 kB cannot take 40 seconds."""
    short, long = seconds_to_read(piece * 10_000), seconds_to_read(piece * 20_000)
    assert long < max(3 * short, 0.5)


@pytest.mark.parametrize("spelling", ["\\/", "\\u002f", "\\u002F", "/"])
def test_the_key_is_removed_in_each_spelling_of_json(spelling: str) -> None:
    """A store that echoes the key in an error does not bring it to the screen."""
    key = "a/key/with/slashes"
    echoed = key.replace("/", spelling)
    body = f'{{"code":"no","message":"key {echoed} is unknown","status":401}}'
    with opened(lambda _: http("401 No", body)) as (store, _):
        with pf.Client(store.base_url, key, retry_timeout=0) as client:
            with pytest.raises(pf.AuthenticationError) as caught:
                client.list_pets()
    assert key not in str(caught.value) and "***" in str(caught.value)
    assert KEY not in str(caught.value)
