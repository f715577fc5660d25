"""No printed step loses an animal or makes one, in the files whose rows are doubtful."""

from pathlib import Path

import pytest

from campaigns.printed_steps import ANIMALS, INPUTS, Tally, paste_steps, run

DOUBTFUL = ("11_", "30_", "34_", "44_", "56_", "57_", "61_m", "62_", "65_", "66_", "67_")
PATHS = [path for path in sorted(INPUTS.iterdir()) if path.name.startswith(DOUBTFUL)]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_pasting_what_is_printed_loses_no_animal_and_makes_none(path: Path) -> None:
    """After each step of a file, every animal has a row, and every pet is an animal."""
    tally = run([path], depth=1)
    assert (tally.lost, tally.junk) == ([], [])


def test_the_campaign_notices_what_a_user_excludes(tmp_path: Path) -> None:
    """A step that excludes an animal counts as a loss, so the campaign can fail."""
    tally = Tally()
    path = INPUTS / "65_dogs_named_count.csv"
    paste_steps(path, {"exclude_lines": [3]}, tally, depth=0)
    assert [line.rpartition(" ")[2] for line in tally.lost] == ["Count"]
    assert {path.name for path in PATHS} <= ANIMALS.keys()
