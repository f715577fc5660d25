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
from tempfile import TemporaryDirectory

import pytest

import petstore_frame as pf
from faults.flaky_store import KEY, FlakyStore
from forked import Child
from petstore_frame.__main__ import main
from petstore_frame.exit_codes import ExitCode

_ROWS = 200
_KEPT = r"error: interrupted; incomplete: at least (\d+) pets read; they are in (\S+)\n"


@pytest.fixture
def slow_store(tmp_path: Path) -> Iterator[FlakyStore]:
    """A store that takes a moment for each request, with more pets than fit on a page."""
    rows = [f"{number},Pet {number},1" for number in range(1, _ROWS + 1)]
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
    environ = {"PETSTORE_BASE_URL": store.base_url, "PETSTORE_API_KEY": KEY}
    with TemporaryDirectory() as printed:
        stdout, stderr = Path(printed, "stdout"), Path(printed, "stderr")
        child = Child(type_command, command, folder, environ, stdout, stderr)
        while not is_due():
            assert child.is_alive, stderr.read_text()
            time.sleep(0.002)
        os.kill(child.pid, signal.SIGINT)
        assert child.wait() == ExitCode.INTERRUPTED, stderr.read_text()
        return stdout.read_text(), stderr.read_text()


def type_command(
    command: str, folder: Path, environ: dict[str, str], stdout: Path, stderr: Path
) -> None:
    """Be the program that a shell starts in a folder, and print to two files."""
    # A process in the background ignores Ctrl-C unless it asks for it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.update(environ)
    for descriptor, path in ((1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY), descriptor)
    sys.argv = ["petstore-frame", *command.split()]
    main()


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


KEPT_BY = {  # what a command writes -> where the pets are
    "fetch --output x.csv": "x.partial.csv",
    "fetch --output x.xlsx": "x.partial.csv",
    "fetch --output -": "pets.partial.csv",
    "report --output x.html": "x.partial.csv",
    "snapshot": "pets.partial.csv",
    "snapshot --history days/of/cats": "days/of/pets.partial.csv",
    "compare a.csv --on name": "pets.partial.csv",
    "compare a.csv --on name --output days/x.xlsx": "days/pets.partial.csv",
}


@pytest.mark.parametrize("command", KEPT_BY)
def test_a_reading_that_was_interrupted_keeps_its_pets(
    tmp_path: Path, slow_store: FlakyStore, command: str
) -> None:
    """They are in a file with their coverage next to what the command writes, and nothing else."""
    (tmp_path / "days" / "of").mkdir(parents=True)
    before = {*tmp_path.rglob("*")}
    stdout, stderr = interrupt(tmp_path, slow_store, command, lambda: slow_store.gets > 8)
    notice = re.fullmatch(_KEPT, stderr)
    assert notice and (stdout, notice[2]) == ("", KEPT_BY[command])
    kept = tmp_path / notice[2]
    assert {*tmp_path.rglob("*")} - before == {kept, kept.with_name(f"{kept.name}.coverage.json")}
    inventory = pf.read_inventory(kept)
    assert len(inventory) == int(notice[1]) > 20
    assert inventory.completeness.verdict == "incomplete"


def test_a_later_interrupt_keeps_the_earlier_pets(tmp_path: Path, slow_store: FlakyStore) -> None:
    """A file with the name is never replaced, whoever wrote it."""
    (tmp_path / "x.partial.csv").write_text("mine")
    _, stderr = interrupt(tmp_path, slow_store, "fetch -o x.csv", lambda: slow_store.gets > 8)
    assert stderr.endswith("they are in x.partial-2.csv\n")
    assert (tmp_path / "x.partial.csv").read_text() == "mine"


def test_an_interrupted_snapshot_can_be_added_as_partial(
    tmp_path: Path, slow_store: FlakyStore
) -> None:
    """The history has no day of it, until a person adds the pets; then the day is incomplete."""
    interrupt(tmp_path, slow_store, "snapshot", lambda: slow_store.gets > 8)
    history = pf.History(tmp_path / "history")
    assert history.snapshots().empty
    history.add(pf.read_inventory(tmp_path / "pets.partial.csv"))
    assert history.snapshots()["verdict"].tolist() == ["incomplete"]


@pytest.mark.parametrize(
    "act", ["pf.fetch_inventory(client)", "pf.weekly.run('weekly.toml', client=client)"]
)
def test_a_script_that_was_interrupted_ends_like_any_other(
    tmp_path: Path, slow_store: FlakyStore, act: str
) -> None:
    """Python ends it with the signal, which a shell shows as 130, and names what was read."""
    script = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import petstore_frame as pf
with pf.Client({slow_store.base_url!r}, {KEY!r}) as client:
    {act}
"""
    (tmp_path / "weekly.toml").write_text("")
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        while slow_store.gets <= 8:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert ".partial" in stderr


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


def test_a_weekly_run_that_was_interrupted_keeps_its_pets(
    tmp_path: Path, slow_store: FlakyStore
) -> None:
    """While the store is read, and while files are written, they are in the output folder."""
    (tmp_path / "weekly.toml").write_text("")
    _, stderr = interrupt(tmp_path, slow_store, "weekly", lambda: slow_store.gets > 8)
    assert "stopped at: read the store; no folder was written" in stderr
    assert stderr.endswith("pets read; they are in reports/pets.partial.csv\n")
    kept = pf.read_inventory(tmp_path / "reports" / "pets.partial.csv")
    assert kept.completeness.verdict == "incomplete"


def test_a_weekly_run_that_was_interrupted_early_sent_nothing(
    tmp_path: Path, slow_store: FlakyStore
) -> None:
    """While a file is checked, Ctrl-C ends the run before anything of it is sent."""
    _, stderr = interrupt(tmp_path, slow_store, "weekly", lambda: slow_store.gets > 2)
    assert stderr.startswith("error: interrupted; nothing of a.csv was sent; ")
    assert slow_store.posts == 0
