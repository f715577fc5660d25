"""On a terminal the loader asks what it does not know; tried on a real one, a pseudo-terminal."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from petstore_frame.cli import app
from shop import Shop
from threaded import Server

pty = pytest.importorskip("pty", reason="needs a system with pseudo-terminals")

# The same ten animals a week later, two of them sold, and two more.
HEADER = "tag,name,categoryId,status"
ROWS = [f"T{at},Pup {at},{at % 3 + 1},available" for at in range(12)]
LATER = [*(row.replace("available", "sold") for row in ROWS[:2]), *ROWS[2:]]
Answer = Callable[[str], tuple[int, str, str, int]]


@pytest.fixture
def answer(
    server_here: Server, service_shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys
) -> Answer:
    """Load a file that repeats an earlier one, and type an answer when it asks.

    What comes back is the exit code, what the terminal shows, what is printed, and how many pets
    were added.
    """
    service_shop.load("week1.csv", HEADER, *ROWS[:10])
    path = service_shop.write("week2.csv", HEADER, *LATER)

    def load(typed: str) -> tuple[int, str, str, int]:
        screen, keyboard = pty.openpty()
        os.write(screen, f"{typed}\n".encode())  # typed ahead
        shown: list[bytes] = []
        reader = threading.Thread(target=read_all, args=[screen, shown])
        reader.start()  # a terminal that nobody reads stops the program
        with (
            os.fdopen(keyboard, encoding="utf-8") as stdin,
            os.fdopen(os.dup(keyboard), "w", encoding="utf-8") as stderr,
            monkeypatch.context() as patched,
            pytest.raises(SystemExit) as ended,
        ):
            patched.setattr(sys, "stdin", stdin)
            patched.setattr(sys, "stderr", stderr)
            app(["load", str(path), "--journal", str(service_shop.journal)])
        reader.join()
        os.close(screen)
        asked = b"".join(shown).decode(errors="replace")
        added = len(service_shop.pets) - 10
        return int(ended.value.code or 0), asked, capsys.readouterr().out, added

    return load


def read_all(screen: int, shown: list[bytes]) -> None:
    """Collect what a terminal shows until nobody writes to it."""
    with suppress(OSError):
        while more := os.read(screen, 4096):
            shown.append(more)


@pytest.mark.parametrize(
    ("typed", "code", "pets", "begins"),
    [
        ("s", 0, 2, "Done: week2.csv: 2 of 12 records created"),
        ("a", 0, 12, "Done: week2.csv: 12 of 12 records created"),
        # The animals have a key from now on, and so have those that were loaded without one.
        ("k", 0, 2, "Done: week2.csv: 2 of 12 records created, 10 known from earlier"),
        # Enter, or a key of no way, ends as a refusal does.
        ("", 2, 0, ""),
        ("x", 2, 0, ""),
    ],
)
def test_one_key_for_each_way_on(answer: Answer, typed: str, code: int, pets: int, begins) -> None:
    """The question says what was found; each key sends what it says, and no more."""
    ended, asked, told, added = answer(typed)
    assert "10 of 12 records equal records of earlier loads" in asked and "Enter" in asked
    assert (ended, added) == (code, pets)
    assert told.startswith(begins) and bool(told) is bool(begins)
