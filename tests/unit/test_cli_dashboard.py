"""``petstore-frame dashboard``: what it starts and what it refuses, without starting a server."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.cli.dashboard import NOTEBOOK, PAGE, page_environ, page_settings, page_widget
from unit.dashboard_store import MemoryStore, pets


def test_the_page_s_notebook_is_the_same_for_every_store() -> None:
    """What lies on disk is packaged, with no address, key or path of a user in it."""
    (cell,) = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert cell["outputs"] == [] and "page_widget()" in "".join(cell["source"])


def test_the_page_shows_what_the_command_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels, history and the folder of results reach the kernel by its environment."""
    (tmp_path / "it's.csv").write_text("category_id,label\n1,Cat\n", encoding="utf-8")
    monkeypatch.setattr(pf, "Client", MemoryStore(pets(4)).client)
    environ = page_environ(
        categories=tmp_path / "it's.csv", history=None, folder=tmp_path, before={}
    )
    assert "pf-dash" in page_widget(environ)._dom_classes
    assert json.loads(environ["PETSTORE_PAGE"])["folder"] == str(tmp_path)


def test_the_page_is_for_this_machine_behind_a_token() -> None:
    """It listens on loopback, at the port that was announced, and asks for the token."""
    voila = page_settings(token="a-token", port=8866, has_browser=False)["Voila"]
    assert (voila["ip"], voila["port"], voila["port_retries"]) == ("127.0.0.1", 8866, 0)
    assert voila["token"] == "a-token"


def test_nothing_of_the_working_directory_runs_in_the_page(tmp_path: Path) -> None:
    """A kernel of this environment comes first, and the search path keeps what was on it."""
    environ = page_environ(
        categories=None, history=None, folder=tmp_path, before={"JUPYTER_PATH": "/before"}
    )
    assert environ["JUPYTER_PATH"].split(":") == [str(PAGE), "/before"]
    assert environ["PYTHONSAFEPATH"] == environ["JUPYTER_PREFER_ENV_PATH"] == "1"


def test_the_frame_of_the_page_asks_no_other_host() -> None:
    """Voila's own frame loads icons from a CDN; the packaged one replaces the address."""
    (frame,) = PAGE.rglob("index.html.j2")
    assert 'replace("https://cdn.jsdelivr.net/"' in frame.read_text("utf-8")


@pytest.mark.skipif(find_spec("voila") is None, reason="voila is not installed")
def test_no_key_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is said before anything starts, with exit code 2."""
    for name in ("PETSTORE_BASE_URL", "PETSTORE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(app, ["dashboard", "--base-url", "http://127.0.0.1:9/v1"])
    assert result.exit_code == 2 and "PETSTORE_API_KEY" in result.output
