"""Which column may identify an animal: only what the facts show, and never an owner's number."""

from __future__ import annotations

import pytest

from petstore_frame.loader.reading.keys import likely_keys, proposed_key, proven_key

# By the column's name, its cells beside the names of the animals.
REX_TWICE = ["Rex", "Rex", "Bo", "Bo", "Mia", "Mia", "Ada"]
TWICE = ["1", "1", "2", "2", "3", "3", "4"]
EACH = [*"1234567"]


@pytest.mark.parametrize(
    ("columns", "proven", "proposed"),
    [
        ({"Animal ID": EACH}, True, True),
        ({"Animal ID": TWICE}, False, True),
        ({"ID": TWICE}, False, True),
        ({"ID": EACH}, False, False),
        ({"OWNER_ID": EACH}, False, False),
        ({"License Number": EACH}, False, False),
        ({"Visit ID": EACH, "Chip": [*"11", "", *"3345"]}, False, False),
        ({"Animal ID": TWICE, "ID": TWICE}, False, True),
        ({"Chip": EACH, "Tag no": EACH}, False, False),
        ({"Tag": [f"2026-03-0{n}" for n in EACH]}, False, False),
        ({"Animal no": [f"{n}.5" for n in EACH]}, False, False),
        ({"Pet name": EACH}, False, False),
    ],
)
def test_a_key_is_proven_or_proposed(columns, proven: bool, proposed: bool) -> None:
    """Proven: an animal's own, different in every row. Proposed: its repeats agree, too."""
    header, rows = ["name", *columns], [*zip(REX_TWICE, *columns.values(), strict=True)]
    keys = likely_keys(header, rows, {"name": "name"})
    assert (proven_key(keys) is not None, proposed_key(keys) is not None) == (proven, proposed)
