"""``petstore-frame dashboard``: what its page shows, without starting a server."""

from __future__ import annotations

import json

import pytest

import petstore_frame as pf
from petstore_frame.cli.dashboard_command import PAGE, page_environ, page_widget
from unit.conftest import pets
from unit.dashboard.store import MemoryStore


def test_the_page_shows_what_the_command_was_given(tmp_path, monkeypatch) -> None:
    """Options reach the kernel by its environment; nothing of the working directory runs in it."""
    labels = tmp_path / "it's.csv"
    labels.write_text("id,name\n1,Cat\n", encoding="utf-8")
    client = MemoryStore(pets(4)).client()
    monkeypatch.setattr(pf, "Client", lambda **_: client)
    settings = {"categories": labels, "history": None, "folder": tmp_path, "journal": None}
    environ = page_environ({"JUPYTER_PATH": "/before"}, settings)
    assert "pf-dash" in page_widget(environ | {"PETSTORE_TIMEOUT": "5"})._dom_classes
    assert json.loads(environ["PETSTORE_PAGE"])["folder"] == str(tmp_path)
    assert environ["JUPYTER_PATH"].split(":") == [str(PAGE), "/before"]
    assert environ["PYTHONSAFEPATH"] == environ["JUPYTER_PREFER_ENV_PATH"] == "1"


def test_an_idle_kernel_without_a_page_is_left_alone_for_half_a_minute() -> None:
    """A page that lost its connection may come back."""
    pytest.importorskip("jupyter_server")
    from petstore_frame.cli.page_kernels import PageKernels

    assert PageKernels().cull_idle_timeout == 30
