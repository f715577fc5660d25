"""The first thing that a newcomer types."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

DEMO = [sys.executable, "-m", "petstore_frame", "demo", "--rows", "400"]


def run_demo(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(DEMO, cwd=folder, capture_output=True, text=True, check=False)


def test_demo_names_every_file_and_runs_twice(tmp_path: Path) -> None:
    """The demo writes what it names, ends well, and does so again in the same folder."""
    first, second = run_demo(tmp_path), run_demo(tmp_path)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    lines = second.stdout.splitlines()
    named = [line.strip() for line in lines if line.startswith("    petstore-demo/")]
    files = [tmp_path / line for line in named if line.endswith((".csv", ".xlsx", ".json"))]
    assert len(files) >= 6
    assert tmp_path / "petstore-demo" / "results" / "fix.csv" in files
    assert all(file.exists() for file in files)


def test_demo_shows_first_problems_with_their_place(tmp_path: Path) -> None:
    """The demo reports a bad row with its line, column, value and next step."""
    shown = run_demo(tmp_path).stdout
    assert "complete: " in shown
    assert "line " in shown and "categoryId" in shown


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a POSIX signal here")
def test_ctrl_c_leaves_no_process_behind(tmp_path: Path) -> None:
    """Interrupting the demo ends its store too."""
    command = [*DEMO[:-1], "20000"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("Loading"):
                break
        children = psutil.Process(run.pid).children(recursive=True)
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        run.wait(30)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert children
    assert alive == []
