"""The first thing that a newcomer types."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from journey.test_help import example
from petstore_frame.cli import app

DEMO = [sys.executable, "-m", "petstore_frame", *example("demo")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    """What the demo prints when it runs a second time in its folder."""
    with chdir(folder):
        ended = [CliRunner().invoke(app, example("demo")) for _ in range(2)]
    assert [each.exit_code for each in ended] == [0, 0], ended[1].stderr
    return ended[1].stdout


def test_demo_names_every_file(folder: Path, shown: str) -> None:
    """The demo writes what it names, also where it ran before."""
    named = [line.strip() for line in shown.splitlines() if line.startswith("    petstore-demo/")]
    files = [folder / line for line in named if line.endswith((".csv", ".xlsx", ".json"))]
    assert len(files) >= 6
    assert folder / "petstore-demo" / "results" / "fix.csv" in files
    assert all(file.exists() for file in files)


def test_demo_shows_first_problems_with_their_place(shown: str) -> None:
    """The demo reports a bad row with its line, column, value and next step."""
    assert "complete: " in shown
    assert "line " in shown and "categoryId" in shown


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a POSIX signal here")
def test_ctrl_c_leaves_no_process_behind(tmp_path: Path) -> None:
    """Interrupting the demo ends its store too."""
    command = [*DEMO[:-1], "2000"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("Loading"):
                break
        children = psutil.Process(run.pid).children(recursive=True)
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        run.wait(60)
    _, alive = psutil.wait_procs(children, timeout=60)
    assert children
    assert alive == []
