"""What the help shows as an example is a line that works."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from petstore_frame.cli import app
from threaded import Server

# In an order in which each finds what it needs; demo and dashboard have tests of their own.
COMMANDS = (
    "sample", "load", "fetch", "report", "snapshot", "trend", "keys new", "keys list",
)  # fmt: skip


def example(command: str) -> list[str]:
    """Return the words of a command's example, without the program's name."""
    shown = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"}).stdout
    found = re.search(r"Example: petstore-frame (.+?)\s*$", shown, re.MULTILINE)
    assert found is not None, shown
    return shlex.split(found[1])


def test_examples_run_in_the_order_of_a_first_day(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ends well; the rows that a sample spoils on purpose are the only reason for a 1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PETSTORE_BASE_URL", server.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", server.api_key.get_secret_value())
    ended = {command: CliRunner().invoke(app, example(command)) for command in COMMANDS}
    codes = {command: result.exit_code for command, result in ended.items()}
    assert codes == {command: int(command == "load") for command in COMMANDS}
    revoke = example("keys revoke")
    revoke[2] = ended["keys new"].stdout[:10]
    assert CliRunner().invoke(app, revoke).stdout == "1 revoked\n"


def test_the_example_that_lasts_prints_its_address(tmp_path: Path) -> None:
    """The server prints its address in one line, and ends with 0 on SIGTERM."""
    words = [sys.executable, "-m", "petstore_frame", *example("serve"), "--port", "0"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        assert "http://127.0.0.1:" in running.stdout.readline()
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0
