"""The dashboard as a page of its own: ``petstore-frame dashboard``."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any

from browser.test_lab import AXE_RUN


def test_axe_finds_nothing(voila: Any, axe: str) -> None:
    """Contrast, names and roles are right on the bare page too."""
    voila.evaluate(axe)
    assert voila.locator(".pf-dash").evaluate(AXE_RUN) == []


def test_dark_is_followed(voila: Any, picture: Any) -> None:
    """Only a browser has the system's preference: the page is dark where that is."""
    shades = {}
    for scheme in ("light", "dark"):
        voila.emulate_media(color_scheme=scheme)
        shades[scheme] = voila.locator(".pf-card").first.evaluate(
            "card => getComputedStyle(card).backgroundColor"
        )
    picture(voila, "voila_dark")
    voila.emulate_media(color_scheme="light")
    assert shades["light"] == "rgb(255, 255, 255)" and shades["dark"] != shades["light"]


def test_without_the_token_there_is_no_page(address: str) -> None:
    """Another user of the machine who finds the port is asked for the token."""
    try:
        with urllib.request.urlopen(address.partition("?")[0], timeout=30) as answer:
            assert "/login" in answer.url and b"pf-dash" not in answer.read()
    except urllib.error.HTTPError as refused:
        assert refused.code in (401, 403)
