"""``petstore-frame dashboard``: what it writes and what it refuses, without starting a server."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from petstore_frame.cli import app
from petstore_frame.cli.page import voila_command, with_own_parts, write_config, write_page


def test_the_page_is_code_without_a_key(tmp_path: Path) -> None:
    """The notebook behind the page takes address and key from the environment."""
    path = write_page(tmp_path, tmp_path / "it's.csv", tmp_path / "history")
    (cell,) = json.loads(path.read_text("utf-8"))["cells"]
    compile(cell["source"], "page", "exec")
    assert "pf.Client()" in cell["source"] and "it's.csv" in cell["source"]


def test_the_token_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The token lies in a file that only its owner reads, and in no process list."""
    path = write_config(tmp_path, "a-token", 8866)
    command = voila_command(tmp_path / "dashboard.ipynb", has_browser=False)
    assert json.loads(path.read_text("utf-8"))["Voila"]["ip"] == "127.0.0.1"
    assert path.stat().st_mode & 0o077 == 0
    assert "a-token" not in " ".join(command) and command[0] == sys.executable


def test_the_page_runs_in_this_python(tmp_path: Path) -> None:
    """Its kernel is the Python that runs the command, whatever other kernels are installed."""
    with_own_parts(tmp_path, None)
    notebook = json.loads(write_page(tmp_path, None, None).read_text("utf-8"))
    (kernel,) = tmp_path.glob("kernels/*/kernel.json")
    assert json.loads(kernel.read_text("utf-8"))["argv"][0] == sys.executable
    assert kernel.parent.name == notebook["metadata"]["kernelspec"]["name"]


def test_the_frame_of_the_page_asks_no_other_host(tmp_path: Path) -> None:
    """The search path keeps what was on it and adds a frame without a CDN."""
    assert with_own_parts(tmp_path, "/before").endswith("/before")
    (frame,) = tmp_path.rglob("index.html.j2")
    assert 'replace("https://cdn.jsdelivr.net/"' in frame.read_text("utf-8")


@pytest.mark.skipif(find_spec("voila") is None, reason="voila is not installed")
def test_no_key_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is said before anything starts, with exit code 2."""
    for name in ("PETSTORE_BASE_URL", "PETSTORE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(app, ["dashboard", "--base-url", "http://127.0.0.1:9/v1"])
    assert result.exit_code == 2 and "PETSTORE_API_KEY" in result.output
