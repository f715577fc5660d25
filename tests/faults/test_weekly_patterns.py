"""Files as shelters and shops produce them, each loaded with a key and without one."""

from __future__ import annotations

import pytest

from campaigns.weekly_files import DOUBLED_WITHOUT_KEY, LOST_BY_SKIP, PATTERNS, run


@pytest.mark.parametrize("with_key", [True, False], ids=["key", "no key"])
@pytest.mark.parametrize("name", PATTERNS)
def test_no_animal_is_doubled_or_lost_without_a_word(name: str, with_key: bool) -> None:
    """With a key, never; without one, only where the page about keys says so."""
    tally = run(name, 1, 9, with_key=with_key)
    if with_key or name not in DOUBLED_WITHOUT_KEY:
        assert tally.doubled == tally.silent == 0
    if name != LOST_BY_SKIP:
        assert tally.missing == 0
