"""``petstore-frame`` fetch, report and snapshot when a reading ends early: words, files, codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faults.hostile import Answer, HostileStore, http, pets_body
from petstore_frame.cli import app

OUTPUTS = {
    "fetch": ("--output", "pets.csv"),
    "report": ("--output", "stock.xlsx"),
    "snapshot": ("--history", "history"),
}
ENVIRON = {"PETSTORE_API_KEY": "a-key-of-twenty-signs", "PETSTORE_MAX_RETRIES": "0"}


def pages(at_third: Answer) -> Answer:
    """A store of linked pages of two pets, whose third page is another matter."""

    def answer(head: str) -> bytes | None:
        found = re.search(r"[?&]page=(\d+)", head)
        number = int(found[1]) if found else 1
        if number == 3:
            return at_third(head)
        body = pets_body(2 * number, 2 * number + 1)
        return http("200 OK", body, f'Link: <?limit=100&page={number + 1}>; rel="next"')

    return answer


def broken(head: str) -> bytes:
    return http("500 Oh", "{}")


def run(command: str, store: HostileStore | str, *more: str) -> Result:
    address = store if isinstance(store, str) else store.base_url
    words = [command, *OUTPUTS[command], "--base-url", address, *more]
    return CliRunner().invoke(app, words, env=ENVIRON)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_listing_that_breaks_off_is_1(command: str, here: Path) -> None:
    """Each says how far it came and why; only what can say so itself is written all the same."""
    with HostileStore(pages(broken)) as store:
        ended = run(command, store)
    assert ended.exit_code == 1
    assert "500 from GET /pets" in ended.stderr and "at least 4 pets" in ended.stderr
    assert ".partial" not in ended.output
    assert (command == "fetch") == (list(here.iterdir()) == [])


@pytest.mark.parametrize("command", OUTPUTS)
def test_require_complete_writes_nothing(command: str, here: Path) -> None:
    """A listing short of that is no file and exit code 1, whatever the command."""
    with HostileStore(pages(broken)) as store:
        ended = run(command, store, "--require-complete", "--json")
    assert (ended.exit_code, ended.stdout, list(here.iterdir())) == (1, "", [])
    assert "was not written" in ended.stderr


def test_a_part_is_written_on_request(here: Path) -> None:
    """--keep-partial writes the pets held; the JSON line tells that they are not all."""
    with HostileStore(pages(broken)) as store:
        ended = run("fetch", store, "--keep-partial", "--json")
    told = json.loads(ended.stdout)
    assert (ended.exit_code, told["exit_code"], told["rows"]) == (1, 1, 4)
    assert len((here / "pets.csv").read_text("utf-8").splitlines()) == 5


@pytest.mark.parametrize("command", OUTPUTS)
def test_what_the_store_refuses_is_5(command: str, here: Path) -> None:
    """A wrong key, nonsense and a closed port all blame the store, and write nothing."""
    answers = [http("401 No", "{}"), http("200 OK", '[{"id": "x"}]'), None]
    for answer in answers:
        with HostileStore(lambda head, answer=answer: answer) as store:
            assert run(command, store).exit_code == 5
    assert run(command, "http://127.0.0.1:9/v1").exit_code == 5
    assert list(here.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a POSIX signal here")
@pytest.mark.parametrize("command", OUTPUTS)
def test_ctrl_c_leaves_the_output_as_it_was(command: str, here: Path) -> None:
    """Exit code 130, the pets read are counted, and no file is written or changed."""
    output = here / OUTPUTS[command][1]
    if command != "snapshot":
        output.write_text("the file of yesterday")
    code, words = interrupted(command)
    assert code == 130
    assert "error: interrupted; " in words and "at least 4 pets" in words
    if command == "snapshot":
        assert "history was not written" in words and not output.exists()
    else:
        assert f"{output.name} is as it was" in words
        assert output.read_text() == "the file of yesterday"
        assert list(here.iterdir()) == [output]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a POSIX signal here")
def test_ctrl_c_can_keep_what_was_read(here: Path) -> None:
    """With --keep-partial the pets held are written whole, and the code still tells."""
    code, _ = interrupted("fetch", "--keep-partial")
    assert code == 130
    assert len((here / "pets.csv").read_text("utf-8").splitlines()) == 5


def interrupted(command: str, *more: str) -> tuple[int, str]:
    """Press Ctrl-C while the third page is awaited."""
    is_asked, is_over = threading.Event(), threading.Event()

    def stall(head: str) -> None:
        is_asked.set()
        is_over.wait(30)

    with HostileStore(pages(stall)) as store:
        words = ["-m", "petstore_frame", command, *OUTPUTS[command], *more]
        child = subprocess.Popen(
            [sys.executable, *words, "--base-url", store.base_url],
            env=os.environ | ENVIRON,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert is_asked.wait(60)
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=60)
        is_over.set()
    return child.returncode, told
