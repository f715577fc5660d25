"""On a terminal the loader asks what it does not know; tried on a real one, a pseudo-terminal."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import petstore_frame as pf
from threaded import Server

pty = pytest.importorskip("pty", reason="needs a system with pseudo-terminals")

WAIT_S = 30
# The same ten animals a week later, two of them sold, and two more.
ROWS = [f"T{at},Pup {at},{at % 3 + 1}" for at in range(12)]
FIRST = "\n".join(["tag,name,category_id,status", *(f"{row},available" for row in ROWS[:10])])
LATER = "\n".join(
    ["tag,name,category_id,status", *(f"{row},sold" for row in ROWS[:2])]
    + [f"{row},available" for row in ROWS[2:]]
)
Answer = Callable[..., tuple[int, str, str]]


@pytest.fixture
def answer(tmp_path: Path, server: Server) -> Answer:
    """Load a file that repeats an earlier one, and type an answer each time it asks."""
    (tmp_path / "week1.csv").write_text(FIRST, encoding="utf-8")
    (tmp_path / "week2.csv").write_text(LATER, encoding="utf-8")
    with server.client() as client:
        pf.load_csv(tmp_path / "week1.csv", client, journal=tmp_path / "journal")
    environ = os.environ | {
        "PETSTORE_BASE_URL": server.base_url,
        "PETSTORE_API_KEY": server.api_key.get_secret_value(),
    }
    command = [sys.executable, "-m", "petstore_frame", "load", "week2.csv", "--journal", "journal"]

    def load(*typed: str) -> tuple[int, str, str]:
        screen, keyboard = pty.openpty()
        with subprocess.Popen(
            command, cwd=tmp_path, env=environ, stdin=keyboard, stderr=keyboard,
            stdout=subprocess.PIPE, text=True,
        ) as child:  # fmt: skip
            os.close(keyboard)
            try:
                asked = ""
                for each in typed:
                    asked += read_until(screen, "Which is it")
                    os.write(screen, f"{each}\n".encode())
                read_until(screen, None)  # a terminal that nobody reads stops the program
                told, _ = child.communicate(timeout=WAIT_S)
            finally:
                child.kill()
                os.close(screen)
        return child.returncode, asked, told

    return load


def read_until(screen: int, words: str | None) -> str:
    """Return what a terminal shows until these words, or until the program ends."""
    shown = ""
    with suppress(OSError):  # the program has ended
        while words is None or words not in shown:
            ready, _, _ = select.select([screen], [], [], WAIT_S)
            assert ready, f"the terminal shows only: {shown}"
            shown += os.read(screen, 4096).decode(errors="replace")
    return shown


def count_pets(server: Server) -> int:
    with server.client() as client:
        return len(pf.fetch_inventory(client))


@pytest.mark.parametrize(("typed", "pets"), [("s", 2), ("a", 12)])
def test_one_key_for_each_way_on(answer: Answer, server: Server, typed: str, pets: int) -> None:
    """The question says what was found; each key sends what it says, and no more."""
    before = count_pets(server)
    code, asked, told = answer(typed)
    assert "10 of 12 records equal records of earlier loads" in asked
    assert (code, count_pets(server) - before) == (0, pets)
    assert told.startswith(f"Done: week2.csv: {pets} of 12 records created")


def test_a_key_is_adopted(answer: Answer, server: Server) -> None:
    """k names the animals from now on; those that were loaded without a key get theirs."""
    before = count_pets(server)
    code, _, told = answer("k")
    assert (code, count_pets(server) - before) == (0, 2)
    assert "2 of 12 records created, 10 known from earlier" in told


@pytest.mark.parametrize("typed", ["", "x"])
def test_enter_stops(answer: Answer, server: Server, typed: str) -> None:
    """Enter, or a key of no way, sends nothing and ends as a refusal does."""
    before = count_pets(server)
    code, asked, told = answer(typed)
    assert "Enter" in asked and told == ""
    assert (code, count_pets(server)) == (2, before)
