"""``petstore-frame dashboard``: what it starts and what it refuses, without starting a server."""

from __future__ import annotations

import json
import socket
from importlib.util import find_spec

import pytest

import petstore_frame as pf
from journey.shell import typed
from petstore_frame.cli.dashboard import PAGE, page_environ, page_widget
from unit.conftest import pets
from unit.dashboard.store import MemoryStore


def test_the_page_shows_what_the_command_was_given(tmp_path, monkeypatch) -> None:
    """Options reach the kernel by its environment; nothing of the working directory runs in it."""
    labels = tmp_path / "it's.csv"
    labels.write_text("category_id,label\n1,Cat\n", encoding="utf-8")
    monkeypatch.setattr(pf, "Client", lambda **_: MemoryStore(pets(4)).client())
    given = {"categories": labels, "history": None, "folder": tmp_path, "journal": None}
    environ = page_environ({"JUPYTER_PATH": "/before"}, **given)
    assert "pf-dash" in page_widget(environ)._dom_classes
    assert json.loads(environ["PETSTORE_PAGE"])["folder"] == str(tmp_path)
    assert environ["JUPYTER_PATH"].split(":") == [str(PAGE), "/before"]
    assert environ["PYTHONSAFEPATH"] == environ["JUPYTER_PREFER_ENV_PATH"] == "1"


@pytest.mark.skipif(find_spec("voila") is None, reason="voila is not installed")
def test_what_is_missing_is_said_before_anything_starts(monkeypatch) -> None:
    """Without a key, or at the port of another program, no address is announced."""
    for name in ("PETSTORE_BASE_URL", "PETSTORE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    result = typed("petstore-frame dashboard --base-url http://127.0.0.1:9/v1")
    assert result.exit_code == 2 and "PETSTORE_API_KEY" in result.output
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = typed(f"petstore-frame dashboard --no-browser --port {port}")
    assert result.exit_code == 2
    assert f"error: port {port} is in use; leave out --port" in result.stderr
