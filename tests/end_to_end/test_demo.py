"""The first thing that a newcomer types; what the help shows as an example is a line that works."""

from __future__ import annotations

import re
import subprocess
from contextlib import chdir
from pathlib import Path

import pytest

from end_to_end.shell import example, started, typed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    """What the demo prints when it runs a second time in its folder; it needs no state folder."""
    no_folder = folder / "state"
    no_folder.touch()
    with chdir(folder):
        ended = [typed(example("demo"), XDG_STATE_HOME=str(no_folder)) for _ in range(2)]
    assert [run.exit_code for run in ended] == [0, 0], [run.stderr for run in ended]
    return ended[1].stdout


def test_demo_writes_what_it_names(folder: Path, shown: str) -> None:
    """Also where it ran before; a bad row is reported with its line, value and next step."""
    named = [line.strip() for line in shown.splitlines() if line.startswith("    petstore-demo/")]
    files = [folder / line for line in named if line.endswith((".csv", ".xlsx", ".json"))]
    assert len(files) >= 6 and all(file.exists() for file in files)
    assert "complete: 489 pets" in shown
    assert re.search(r"line 96: status is 'reserved': did you mean 'pending'?", shown)


def test_what_to_do_next_works_as_printed(folder: Path, shown: str, tmp_path, monkeypatch) -> None:
    """The dashboard opens, the file is read, and a new store takes it: each line as it stands."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("BROWSER", "true")  # a browser that shows nothing
    proposed = shown.partition("\nNext: ")[2].splitlines()
    lines = [line.strip() for line in proposed if line.startswith("         ")]
    dashboard, recipe, serve, export, load = lines
    with started(dashboard) as (_, page), started(serve, "--port", "0") as (_, address):
        read = typed(recipe)
        assert read.exit_code == 0 and "[mapping]" in read.stdout
        (port,) = re.findall(r":\d+/v1", address)
        script = f'{export.replace(":8080/v1", port)}; echo "$PETSTORE_BASE_URL $PETSTORE_API_KEY"'
        done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=True)
        base_url, key = done.stdout.split()
        loaded = typed(load, PETSTORE_BASE_URL=base_url, PETSTORE_API_KEY=key)
        assert "http://127.0.0.1:" in page
    assert loaded.exit_code == 1, loaded.output  # the spoilt rows are to fix
    assert "489 animals added" in loaded.stdout


# In an order in which each finds what it needs; demo and dashboard have tests of their own.
COMMANDS = ("sample", "load", "fetch", "report", "snapshot", "trend", "api-keys")


@pytest.mark.usefixtures("server_here")
def test_examples_run_in_the_order_of_a_first_day() -> None:
    """Each ends well; the rows that a sample spoils on purpose are the only reason for a 1."""
    fewer = {"sample": ["--rows", "100"]}
    ended = {name: typed(example(name), *fewer.get(name, [])) for name in COMMANDS}
    codes = {command: result.exit_code for command, result in ended.items()}
    assert codes == {command: int(command == "load") for command in COMMANDS}
    with started(example("serve"), "--port", "0") as (running, notice):
        assert "http://127.0.0.1:" in notice
    assert running.returncode == 0
