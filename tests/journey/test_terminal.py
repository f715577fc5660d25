"""On a terminal the loader asks what it does not know; tried on a real one, a pseudo-terminal."""

from __future__ import annotations

import sys

import pytest

from shop import Shop

pexpect = pytest.importorskip("pexpect", reason="needs a system with pseudo-terminals")

# The same ten animals a week later, two of them sold, and two more.
HEADER = "tag,name,categoryId,status"
ROWS = [f"T{at},Pup {at},{at % 3 + 1},available" for at in range(12)]
LATER = [*(row.replace("available", "sold") for row in ROWS[:2]), *ROWS[2:]]


@pytest.mark.parametrize(
    ("typed", "code", "pets", "told"),
    [
        ("1", 0, 2, "Done: week2.csv: 2 animals added"),
        ("2", 0, 12, "Done: week2.csv: 12 animals added"),
        # The animals have a key from now on, and so have those that were loaded without one.
        ("3", 0, 2, "Done: week2.csv: 2 animals added; 10 known already"),
        # Enter, or a key of no way, ends as a refusal does.
        ("", 2, 0, ""),
        ("x", 2, 0, ""),
    ],
)
@pytest.mark.usefixtures("server_here")
def test_one_key_for_each_way_on(
    service_shop: Shop, typed: str, code: int, pets: int, told
) -> None:
    """The question says what was found; each key sends what it says, and no more."""
    service_shop.load("week1.csv", HEADER, *ROWS[:10])
    path = service_shop.write("week2.csv", HEADER, *LATER)
    words = ["-m", "petstore_frame", "load", str(path), "--journal", str(service_shop.journal)]
    with pexpect.spawn(sys.executable, words, encoding="utf-8", timeout=60) as terminal:
        terminal.expect("10 of 12 rows equal rows of earlier loads.*Enter")
        terminal.sendline(typed)
        terminal.expect(pexpect.EOF)
    assert (terminal.exitstatus, len(service_shop.pets) - 10) == (code, pets)
    assert ("Done: week2.csv" in terminal.before) is bool(told) and told in terminal.before
