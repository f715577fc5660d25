"""The dashboard as a page of its own: ``petstore-frame dashboard``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from browser import jupyter
from browser.test_lab import AXE_RUN, card, wait_words


@pytest.fixture(scope="module")
def address(store: pf.Server, folder: Path) -> Iterator[str]:
    environ = {
        **os.environ,
        "PETSTORE_BASE_URL": store.base_url,
        "PETSTORE_API_KEY": store.api_key.get_secret_value(),
    }
    command = [
        sys.executable, "-m", "petstore_frame", "dashboard", "--no-browser", "--categories",
        "labels.csv",
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        waited = jupyter.Server(address.partition("/?")[0], address.partition("token=")[2])
        jupyter.await_answer(waited, "/login", process)
        yield address
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.fixture(scope="module")
def page(address: str, chromium: Any) -> Iterator[Any]:
    with jupyter.tab(chromium) as (opened, traffic):
        opened.goto(address)
        opened.wait_for_selector(".pf-card", timeout=90_000)
        yield opened
        assert traffic.blocked == []


def test_the_page_works(page: Any, picture: Any) -> None:
    """Only a browser shows that a filter and an export work without JupyterLab around them."""
    whole = page.locator("body")
    picture(page, "voila")
    whole.get_by_role("combobox", name="Status", exact=True).select_option(label="Pending")
    wait_words(whole, f"Showing {card(whole, 'Pending')} of the")
    with page.expect_download() as download:
        whole.get_by_role("button", name="CSV", exact=True).click()
    assert download.value.suggested_filename.startswith("selection-")


def test_axe_finds_nothing(page: Any, axe: str) -> None:
    """Contrast, names and roles are right on the bare page too."""
    page.evaluate(axe)
    assert page.locator(".pf-dash").evaluate(AXE_RUN) == []


def test_dark_is_followed(page: Any, picture: Any) -> None:
    """Only a browser has the system's preference: the page is dark where that is."""
    shades = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        shades[scheme] = page.locator(".pf-card").first.evaluate(
            "card => getComputedStyle(card).backgroundColor"
        )
    picture(page, "voila_dark")
    page.emulate_media(color_scheme="light")
    assert shades["light"] == "rgb(255, 255, 255)" and shades["dark"] != shades["light"]


def test_without_the_token_there_is_no_page(address: str) -> None:
    """Another user of the machine who finds the port is asked for the token."""
    try:
        with urllib.request.urlopen(address.partition("?")[0], timeout=30) as answer:
            assert "/login" in answer.url and b"pf-dash" not in answer.read()
    except urllib.error.HTTPError as refused:
        assert refused.code in (401, 403)
