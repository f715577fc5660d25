"""vcrpy, respx and pytest-httpx see a plain client, and nothing leaves past them."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
import vcr
from pytest_httpx import HTTPXMock
from vcr.errors import CannotOverwriteExistingCassetteException

import petstore_frame as pf
from petstore_frame.http.outcome import Proof

BASE_URL = "https://store.example/v1"
LUNA = {"id": 1, "name": "Luna", "categoryId": 3}
TAPE = f"""
version: 1
interactions:
- request: {{method: GET, uri: '{BASE_URL}/pets?limit=100', headers: {{}}, body: null}}
  response:
    status: {{code: 200, message: OK}}
    headers: {{Content-Type: [application/json]}}
    body: {{string: '[{{"id":1,"name":"Luna","categoryId":3}}]'}}
"""


@pytest.fixture
def client():
    with pf.Client(BASE_URL, "a-key", max_retries=0) as made:
        yield made


def test_vcrpy_replays_a_plain_client(client: pf.Client, tmp_path: Path) -> None:
    """A tape answers without a socket."""
    (tmp_path / "tape.yaml").write_text(TAPE, encoding="utf-8")
    with vcr.use_cassette(tmp_path / "tape.yaml", record_mode="none"):
        assert client.list_pets().frame["name"].tolist() == ["Luna"]


def test_vcrpy_lets_no_request_pass_that_is_not_on_tape(client: pf.Client, tmp_path: Path) -> None:
    """Under record mode none no pet is created, and the user sees the recorder's own error."""
    with vcr.use_cassette(tmp_path / "none.yaml", record_mode="none"):
        with pytest.raises(CannotOverwriteExistingCassetteException):
            client.create_pet(name="Luna", category_id=3)


def test_respx_answers_a_plain_client(client: pf.Client) -> None:
    """A route gets the request as the client makes it, and the client its answer."""
    with respx.mock(base_url=BASE_URL) as store:
        route = store.post("/pets", json={"name": "Luna", "categoryId": 3})
        route.respond(201, json=LUNA)
        assert client.create_pet(name="Luna", category_id=3).id == 1
        assert route.calls.last.request.headers["Authorization"] == "Bearer a-key"


@respx.mock
def test_respx_lets_no_other_request_pass(client: pf.Client) -> None:
    """A request without a route fails as respx has it."""
    with pytest.raises(AssertionError, match="not mocked"):
        client.create_pet(name="Luna", category_id=3)


def test_pytest_httpx_answers_a_plain_client(client: pf.Client, httpx_mock: HTTPXMock) -> None:
    """A listing and what follows from it need no socket."""
    httpx_mock.add_response(url=f"{BASE_URL}/pets?limit=100", json=[LUNA], is_reusable=True)
    inventory = pf.fetch_inventory(client, max_probes=0)
    assert inventory.frame["name"].tolist() == ["Luna"]


def test_pytest_httpx_plays_a_failure(client: pf.Client, httpx_mock: HTTPXMock) -> None:
    """An error of httpx's is the client's own, with what it proves of a POST."""
    httpx_mock.add_exception(httpx.ReadTimeout("late"))
    assert client.post_pet(b'{"name":"Luna","categoryId":3}').proof is Proof.UNKNOWN


@pytest.mark.httpx_mock(assert_all_requests_were_expected=False)
def test_pytest_httpx_lets_no_other_request_pass(client: pf.Client, httpx_mock: HTTPXMock) -> None:
    """A request without a response fails, and the error says what was asked for."""
    with pytest.raises(pf.APIConnectionError, match="No response can be found for POST request"):
        client.create_pet(name="Luna", category_id=3)


PAGE = Path(__file__).parents[2] / "docs/how_to/test_your_code.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("example", EXAMPLES, ids=["pytest-httpx", "respx", "vcrpy"])
def test_the_page_shows_tests_that_pass(
    example: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Each example of the page is a whole test."""
    monkeypatch.undo()  # vcrpy's example records before it replays
    names: dict[str, Any] = {}
    exec(example, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    test(*(request.getfixturevalue(name) for name in signature(test).parameters))
