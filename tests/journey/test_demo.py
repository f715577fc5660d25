"""The first thing that a newcomer types."""

from __future__ import annotations

import os
import re
import shlex
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


def test_demo_shows_a_problem_with_its_place(folder: Path, shown: str) -> None:
    """The demo reports a bad row with its line, column, value and next step."""
    assert "complete: 489 pets" in shown
    assert re.search(r"line 96: status is 'reserved': one of available, .*", shown)


def test_demo_explains_every_column(folder: Path, shown: str) -> None:
    """Each column of the sample file is named with what it holds."""
    header = (folder / "petstore-demo/arrivals.csv").read_text("utf-8-sig").splitlines()[0]
    assert all(re.search(rf"^    {name} +\w+", shown, re.MULTILINE) for name in header.split(","))


def typed(shown: str) -> list[str]:
    """The lines that the demo proposes, as a shell would get them."""
    _, _, proposed = shown.partition("\nNext: ")
    return [line.strip() for line in proposed.splitlines() if line.startswith("         ")]


def test_what_to_do_next_works_as_printed(
    folder: Path, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dashboard opens, the file is read, and a new store takes it: each line as it stands."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("BROWSER", "true")  # a browser that shows nothing
    dashboard, recipe, serve, export, load = typed(shown)
    with started(dashboard) as page:
        assert page.stdout is not None and "http://127.0.0.1:" in page.stdout.readline()
        page.terminate()
    read = CliRunner().invoke(app, shlex.split(recipe)[1:])
    assert read.exit_code == 0 and "[mapping]" in read.stdout
    with started(serve + " --port 0") as store:
        assert store.stdout is not None
        (port,) = re.findall(r":\d+/v1", store.stdout.readline())
        script = f'{export.replace(":8080/v1", port)}; echo "$PETSTORE_BASE_URL $PETSTORE_API_KEY"'
        told = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=True)
        place = dict(
            zip(("PETSTORE_BASE_URL", "PETSTORE_API_KEY"), told.stdout.split(), strict=True)
        )
        loaded = CliRunner().invoke(app, shlex.split(load)[1:], env=place)
        store.terminate()
    assert loaded.exit_code == 1, loaded.output  # the spoilt rows are to fix
    assert "489 of 500 records created" in loaded.stdout


def started(line: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "petstore_frame", *shlex.split(line)[1:]]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


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
