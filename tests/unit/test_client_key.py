"""The key is in nothing that a person may show: no repr, log, traceback, pickle or message."""

from __future__ import annotations

import io
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator

import httpx
import pytest

import petstore_frame as pf

KEY = "pf_live_0123456789_the_key"


def broken(_: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("broken off")


def refused(request: httpx.Request) -> httpx.Response:
    return httpx.Response(401, json={"code": "unauthorized", "message": "no", "status": 401})


def interrupted(_: httpx.Request) -> httpx.Response:
    raise KeyboardInterrupt


def surprised(request: httpx.Request) -> httpx.Response:
    headers = dict(request.headers)  # a local that a verbose traceback would print
    raise RuntimeError(f"a bug of the transport, with {len(headers)} headers at hand")


HANDLERS = [broken, refused, interrupted, surprised]


def client_of(handler: Callable[[httpx.Request], httpx.Response]) -> pf.Client:
    transport = httpx.MockTransport(handler)
    return pf.Client("http://127.0.0.1/v1", KEY, transport=transport, max_retries=0)


def failures(handler: Callable[[httpx.Request], httpx.Response]) -> Iterator[BaseException]:
    client = client_of(handler)
    for act in (
        client.list_pets,
        lambda: client.create_pet({"name": "Luna", "category_id": 1}),
        lambda: pf.fetch_inventory(client),
    ):
        try:
            act()
        except BaseException as problem:
            yield problem


def test_the_key_is_in_no_repr() -> None:
    """Neither the client nor what hangs on it shows the key."""
    client = client_of(refused)
    parts = [client, *vars(client).values(), *vars(client._transport).values()]
    assert KEY not in " ".join(f"{part!r} {part!s}" for part in parts)
    assert KEY not in repr(vars(client)) + repr(vars(client._transport))


@pytest.mark.parametrize("handler", HANDLERS)
def test_the_key_is_in_no_traceback(handler) -> None:
    """Tracebacks with all locals, as error trackers and pytest print them, hold no key."""
    for problem in failures(handler):
        text = "".join(
            traceback.TracebackException.from_exception(problem, capture_locals=True).format()
        )
        assert KEY not in text.replace("KEY = ", "")
        assert KEY not in str(problem)


@pytest.mark.parametrize("handler", HANDLERS)
def test_the_key_is_in_no_verbose_notebook_traceback(handler) -> None:
    """IPython's ``%xmode Verbose`` prints the variables of every frame, and no key."""
    ultratb = pytest.importorskip("IPython.core.ultratb")
    for problem in failures(handler):
        out = io.StringIO()
        show = ultratb.VerboseTB(ostream=out, include_vars=True)
        show.handler((type(problem), problem, problem.__traceback__))
        assert (
            "list_pets" in out.getvalue()
            or "create_pet" in out.getvalue()
            or "fetch" in out.getvalue()
        )
        assert KEY not in out.getvalue()


@pytest.mark.parametrize("wrong", [{"base_url": "http://example.com/v1"}, {"timeout_s": -1}])
def test_a_client_that_cannot_be_made_shows_no_key(wrong, monkeypatch) -> None:
    """Neither an argument nor the environment is in the verbose traceback of a refused client."""
    monkeypatch.setenv("PETSTORE_API_KEY", KEY)
    for given in ({}, {"api_key": "".join(KEY)}):
        with pytest.raises(pf.ConfigurationError) as caught:
            pf.Client(**{"base_url": "http://127.0.0.1/v1"} | wrong | given)
        # The frames from ours on; the first one is this test's, which knows the key itself.
        shown = traceback.TracebackException(
            caught.type, caught.value, caught.tb.tb_next, capture_locals=True
        )
        assert KEY not in "".join(shown.format())


def test_a_store_that_echoes_the_key_is_not_quoted() -> None:
    """A key that comes back in a store's error text is starred out."""
    client = client_of(
        lambda request: httpx.Response(
            400,
            json={"code": "c", "message": request.headers["Authorization"], "status": 400},
        )
    )
    with pytest.raises(pf.BadRequestError, match=r"Bearer \*\*\*") as caught:
        client.list_pets()
    assert KEY not in repr(vars(caught.value))


def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """With every logger at its most talkative, ours names method, path and status alone."""
    caplog.set_level(logging.DEBUG, logger="petstore_frame")
    ok = client_of(lambda _: httpx.Response(200, content=b"[]"))
    ok.list_pets()
    assert [record.message for record in caplog.records] == ["GET /pets 200"]
    assert KEY not in caplog.text


def test_a_client_is_not_pickled() -> None:
    """A client refuses to be pickled, since its key would be in the bytes."""
    with pytest.raises(TypeError, match="holds a key"):
        pickle.dumps(client_of(refused))


@pytest.mark.parametrize("key", ["", "two words", "tab\t", "žofie", "line\n"])
def test_an_impossible_key_is_refused_unseen(key: str) -> None:
    """A key that cannot be sent is refused before anything is, without showing it."""
    with pytest.raises(pf.ConfigurationError) as caught:
        pf.Client("http://127.0.0.1/v1", key)
    assert not key or key not in str(caught.value)


def test_a_key_may_be_asked_for_each_time() -> None:
    """A function as key is asked for each request, so that keys can change while one works."""
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["Authorization"])
        return httpx.Response(200, content=b"[]")

    keys = iter(["first", "second"])
    transport = httpx.MockTransport(answer)
    client = pf.Client("http://127.0.0.1/v1", lambda: next(keys), transport=transport)
    client.list_pets()
    client.list_pets()
    assert sent == ["Bearer first", "Bearer second"]
