"""What a shell prints after Ctrl-C, in real processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faults.flaky_store import KEY, FlakyStore
from petstore_frame.exit_codes import INTERRUPTED

# A process in the background ignores Ctrl-C unless it asks for it.
_PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from petstore_frame.__main__ import main
main()
"""
_ROWS = 200
_LISTED = r"error: interrupted; incomplete: at least \d+ pets read; nothing was written\n"


@pytest.fixture
def slow_store(tmp_path: Path) -> Iterator[FlakyStore]:
    """A store that takes a moment for each request, with more pets than fit on a page."""
    rows = [f"{number},Pet {number},1" for number in range(_ROWS)]
    (tmp_path / "a.csv").write_text("\n".join(["tag,name,category_id", *rows, ""]))
    settings = 'journal = "journal"\n[[load]]\nfiles = "a.csv"\n'
    (tmp_path / "weekly.toml").write_text(settings)
    with FlakyStore(has_links=True, page_cap=20, latency_s=0.05) as store:
        for number in range(500):
            store.add({"name": f"Old {number}", "categoryId": 2})
        store.on_get = lambda: time.sleep(0.05)
        yield store


def interrupt(
    folder: Path, store: FlakyStore, command: str, is_due: Callable[[], bool]
) -> tuple[str, str]:
    """Run a command, press Ctrl-C when it is due, and return stdout and stderr."""
    environ = os.environ | {"PETSTORE_BASE_URL": store.base_url, "PETSTORE_API_KEY": KEY}
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *command.split()],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not is_due():
            assert process.poll() is None, process.communicate()
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    return stdout, stderr


@pytest.mark.parametrize("option", ["", " --dry-run"])
def test_a_load_that_was_interrupted_early_sent_nothing(
    tmp_path: Path, slow_store: FlakyStore, option: str
) -> None:
    """While the store is read, Ctrl-C ends the load before anything is sent, and it says so."""
    command = f"load a.csv --key tag --journal journal{option}"
    printed = interrupt(tmp_path, slow_store, command, lambda: slow_store.gets > 2)
    assert printed == ("", "error: interrupted; nothing was sent\n")
    assert slow_store.posts == 0


def test_a_load_that_was_interrupted_says_how_to_continue(
    tmp_path: Path, slow_store: FlakyStore
) -> None:
    """It prints what was sent and the command that sends the rest, and that command does."""
    command = "load a.csv --key tag --journal journal"
    stdout, stderr = interrupt(tmp_path, slow_store, command, lambda: slow_store.posts >= 20)
    sent = slow_store.posts
    assert stderr == "error: interrupted\n"
    assert f"a.csv: interrupted; {sent} animals added; {_ROWS - sent} to send" in stdout
    assert f"{_ROWS - sent} rows still to send: the same command continues\n" in stdout
    assert stdout.splitlines()[-1] == f"  petstore-frame {command}"


@pytest.mark.parametrize(
    "command",
    [
        "fetch --output x.csv", "report --output x.xlsx", "snapshot", "compare a.csv --on name",
        "fetch --output -",
    ],
)  # fmt: skip
def test_a_reading_that_was_interrupted_wrote_nothing(
    tmp_path: Path, slow_store: FlakyStore, command: str
) -> None:
    """Ctrl-C during the reading says how much was read, and that no file was written."""
    before = sorted(tmp_path.iterdir())
    stdout, stderr = interrupt(tmp_path, slow_store, command, lambda: slow_store.gets > 2)
    assert stdout == "" and re.fullmatch(_LISTED, stderr)
    assert sorted(tmp_path.iterdir()) == before


def test_a_weekly_run_that_was_interrupted_says_where(
    tmp_path: Path, slow_store: FlakyStore
) -> None:
    """It names the step and what the load of this step has sent; the log has the outcome."""
    stdout, stderr = interrupt(tmp_path, slow_store, "weekly", lambda: slow_store.posts >= 20)
    sent = slow_store.posts
    assert stdout == ""
    assert "stopped at: load a.csv" in stderr
    assert f"{sent} animals added; {_ROWS - sent} to send" in stderr
    assert "the same command continues" in stderr
    assert '"outcome": "interrupted"' in (tmp_path / "reports" / "runs.jsonl").read_text()


def test_a_weekly_run_that_was_interrupted_early_sent_nothing(
    tmp_path: Path, slow_store: FlakyStore
) -> None:
    """While a file is checked, Ctrl-C ends the run before anything of it is sent."""
    _, stderr = interrupt(tmp_path, slow_store, "weekly", lambda: slow_store.gets > 2)
    assert stderr.startswith("error: interrupted; nothing of a.csv was sent; ")
    assert slow_store.posts == 0
