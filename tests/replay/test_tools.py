"""respx, pytest-httpx and vcrpy catch what a plain client sends, as the page about tests says."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs/how_to/test_your_code.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("example", EXAMPLES, ids=["pytest-httpx", "respx", "vcrpy"])
def test_the_page_shows_tests_that_pass(example: str, request: pytest.FixtureRequest) -> None:
    """Each example of the page is a whole test, for each of the tools."""
    names: dict[str, Any] = {}
    exec(example, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    test(*(request.getfixturevalue(name) for name in signature(test).parameters))
