"""The key is in nothing that a person may show: no repr, log, traceback, pickle or message."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import pickle
import traceback
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote

import httpx
import pytest

import petstore_frame as pf
from faults.hostile import HostileStore, http
from server_variants.answers import refusal

KEY = "pf_live_0123456789_the_key"
HERE = "http://127.0.0.1/v1"


def broken(_: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("broken off")


def empty(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"[]")


def interrupted(_: httpx.Request) -> httpx.Response:
    raise KeyboardInterrupt


def surprised(request: httpx.Request) -> httpx.Response:
    headers = dict(request.headers)  # a local that a verbose traceback would print
    raise RuntimeError(f"a bug of the transport, with {len(headers)} headers at hand")


def client_of(handler: Callable[[httpx.Request], Any], key: Any = KEY) -> pf.Client:
    transport = httpx.MockTransport(handler)
    return pf.Client(HERE, key, transport=transport, retry_timeout=0)


def refused(_: httpx.Request) -> httpx.Response:
    return refusal(401)


def all_locals(caught: pytest.ExceptionInfo[BaseException]) -> str:
    """The traceback with all locals, from our frames on: the first is the test's own."""
    shown = traceback.TracebackException(
        caught.type, caught.value, caught.tb.tb_next, capture_locals=True
    )
    return "".join(shown.format())


def test_the_key_is_in_no_repr_and_no_pickle() -> None:
    """Neither the client nor what hangs on it shows the key, and no client is pickled."""
    client = client_of(empty)
    with pytest.raises(TypeError, match="holds a key"):
        pickle.dumps(client)
    parts = [client, *vars(client).values(), *vars(client._transport).values()]
    assert KEY not in " ".join(f"{part!r} {part!s}" for part in parts)


@pytest.mark.parametrize("handler", [broken, refused, interrupted, surprised])
def test_the_key_is_in_no_traceback(handler) -> None:
    """With all locals, as error trackers and IPython's ``%xmode Verbose`` print them."""
    ultratb = pytest.importorskip("IPython.core.ultratb")
    client = client_of(handler)
    create, fetch = partial(client.create_pet, "Luna", 1), partial(pf.fetch_inventory, client)
    for act in (client.list_pets, create, fetch):
        with pytest.raises(BaseException) as caught:
            act()
        problem, out = caught.value, io.StringIO()
        tracked = traceback.TracebackException.from_exception(problem, capture_locals=True)
        show = ultratb.VerboseTB(ostream=out, include_vars=True)
        show.handler((type(problem), problem, problem.__traceback__))
        assert any(name in out.getvalue() for name in ("list_pets", "create_pet", "fetch"))
        assert KEY not in f"{problem} {''.join(tracked.format())} {out.getvalue()}"


ECHOES = {
    "body": lambda key: {"json": {"auth": f"Bearer {key}"}},
    "content type": lambda key: {"headers": {"Content-Type": f"text/{key}"}, "content": b"x"},
    "request id": lambda key: {"headers": {"X-Request-Id": key}, "content": b"[]"},
    "link": lambda key: {"headers": {"Link": f"</v1/pets?k={key}>; rel=next"}, "content": b"[]"},
}


@pytest.mark.parametrize("status", [200, 201, 202, 302, 400, 500])
@pytest.mark.parametrize("place", ECHOES)
def test_the_key_is_in_no_answer(status: int, place: str) -> None:
    """Whatever a store makes of the request that it got, no part of its answer holds the key."""
    for key in (KEY, "a/key+with/slashes", *(["k3y"] if status >= 400 else [])):
        client = client_of(lambda _, key=key: httpx.Response(status, **ECHOES[place](key)), key)
        for method in ("GET", "POST"):
            answer = client._transport.send(method, "/pets", body=b"{}")
            assert key not in f"{answer.body!r} {answer.headers!r}"
            assert "***" in f"{answer.body!r} {answer.headers!r}"


ENCODINGS = {
    "address": lambda key: quote(key, safe=""),
    "address in lower case": lambda key: quote(key, safe="").lower(),
    "HTML": lambda key: key.replace("/", "&#x2F;").replace("+", "&#43;"),
    "HTML with names": lambda key: key.replace("/", "&sol;").replace("+", "&plus;"),
    "address, twice": lambda key: quote(quote(key, safe=""), safe=""),
    "base64": lambda key: base64_of(key),
    "base64 for addresses": lambda key: base64_of(key).replace("+", "-").replace("/", "_"),
    "base64 of the header": lambda key: base64_of(f"Bearer {key}"),
    "base64 of user and key": lambda key: base64_of(f"me:{key}"),
    "base64, twice": lambda key: base64_of(base64_of(f"x{key}")),
    "base64 in an address": lambda key: quote(base64_of(key), safe=""),
    "an address in base64": lambda key: base64_of(quote(key, safe="")),
}


def base64_of(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_an_encoded_key_is_in_no_answer(encode) -> None:
    """A page of a gateway may show the key as an address, HTML or base64 has it, even twice."""
    key = "ab/cdef+ghijkl?m"
    page = f"<p>Invalid key {encode(key)}</p>"
    client = client_of(lambda _: httpx.Response(401, html=page), key)
    answer = client._transport.send("GET", "/pets")
    assert answer.body == b"<p>Invalid key ***</p>"


def test_a_key_that_is_a_word_changes_no_pet() -> None:
    """A short key, as of a demo, may be part of a name."""
    pets = [{"id": 1, "name": "Rocky", "categoryId": 1}]
    client = client_of(lambda _: httpx.Response(200, json=pets), "k")
    assert client.list_pets().frame["name"].tolist() == ["Rocky"]


def test_our_log_names_method_path_and_status(caplog: pytest.LogCaptureFixture) -> None:
    """DEBUG has one line a request, in the logger of transport, answered or not."""
    caplog.set_level(logging.DEBUG, logger="petstore_frame")
    client_of(empty).list_pets()
    with pytest.raises(pf.APIConnectionError):
        client_of(broken).create_pet("Luna", 3)
    lines = [(record.name, record.message.split(" ms")[0]) for record in caplog.records]
    assert lines[0][0] == lines[1][0] == "petstore_frame.transport"
    assert lines[0][1].startswith("GET /pets 200 ")
    assert lines[1][1].startswith("POST /pets: no response from ")


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "401 Unauthorized", "503 No"])
def test_the_key_is_in_no_log_of_ours(status: str, caplog: pytest.LogCaptureFixture) -> None:
    """DEBUG shows no key, whatever a store sends back; the engine's loggers show no request's."""
    caplog.set_level(logging.DEBUG)
    body = json.dumps([{"id": 1, "name": KEY, "categoryId": 1}])
    with HostileStore(lambda _: http(status, body, f'Link: <?k={KEY}>; rel="prev"')) as store:
        with pf.Client(store.base_url, KEY, retry_timeout=0) as client:
            create = partial(client.create_pet, name="a", category_id=1)
            for act in (client.list_pets, create, partial(pf.fetch_inventory, client)):
                with contextlib.suppress(pf.PetstoreError):
                    act()
    # The engine prints the header lines of an answer, and of a request none.
    shown = [
        record.getMessage() for record in caplog.records if "receive" not in record.getMessage()
    ]
    assert sum(record.name.startswith("petstore_frame") for record in caplog.records) >= 3
    assert KEY not in "\n".join(shown)


@pytest.mark.parametrize("key", ["", "two words", "tab\t", "žofie", "line\n", f"{KEY} "])
def test_an_impossible_key_is_refused_unseen(key: str) -> None:
    """A key that cannot be sent is in no traceback."""
    with pytest.raises(pf.ConfigurationError) as caught:
        pf.Client(HERE, key)
    assert not key or key not in f"{caught.value} {all_locals(caught)}"


@pytest.mark.parametrize("wrong", [{"base_url": "http://example.com/v1"}, {"timeout": -1}])
def test_a_client_that_cannot_be_made_shows_no_key(wrong, monkeypatch) -> None:
    """Neither an argument nor the environment is in the verbose traceback of a refused client."""
    monkeypatch.setenv("PETSTORE_API_KEY", KEY)
    for settings in ({}, {"api_key": "".join(KEY)}):
        with pytest.raises(pf.ConfigurationError) as caught:
            pf.Client(**{"base_url": HERE} | wrong | settings)
        assert KEY not in all_locals(caught)
