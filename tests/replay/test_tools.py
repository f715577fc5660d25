"""respx, pytest-httpx and the page about tests: nothing of a plain client leaves past them."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from pytest_httpx import HTTPXMock

import petstore_frame as pf
from petstore_frame.http.outcome import Proof

BASE_URL = "https://store.example/v1"
NEW = {"name": "Luna", "category_id": 3}


@pytest.fixture
def client():
    with pf.Client(BASE_URL, "a-key", max_retries=0) as made:
        yield made


@respx.mock
def test_respx_lets_no_other_request_pass(client: pf.Client) -> None:
    """A request without a route fails as respx has it."""
    with pytest.raises(AssertionError, match="not mocked"):
        client.create_pet(**NEW)


def test_pytest_httpx_plays_a_failure(client: pf.Client, httpx_mock: HTTPXMock) -> None:
    """An error of httpx's is the client's own, with what it proves of a POST."""
    httpx_mock.add_exception(httpx.ReadTimeout("late"))
    assert client.post_pet(b'{"name":"Luna","categoryId":3}').proof is Proof.UNKNOWN


@pytest.mark.httpx_mock(assert_all_requests_were_expected=False)
def test_pytest_httpx_lets_no_other_request_pass(client: pf.Client, httpx_mock: HTTPXMock) -> None:
    """A request without a response fails, and the error says what was asked for."""
    with pytest.raises(pf.APIConnectionError, match="No response can be found for POST request"):
        client.create_pet(**NEW)


PAGE = Path(__file__).parents[2] / "docs/how_to/test_your_code.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("example", EXAMPLES, ids=["pytest-httpx", "respx", "vcrpy"])
def test_the_page_shows_tests_that_pass(
    example: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Each example of the page is a whole test, for each of the tools."""
    monkeypatch.undo()  # vcrpy's example records before it replays
    names: dict[str, Any] = {}
    exec(example, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    test(*(request.getfixturevalue(name) for name in signature(test).parameters))
