"""What a bar shows beside its number."""

from __future__ import annotations

import io

from petstore_frame._internal.progress import open_progress


def test_a_note_that_no_longer_holds_is_taken_away() -> None:
    """A count that fell to nothing does not stay behind the bar when it ends."""
    shown = io.StringIO()
    with open_progress(True, "Loading", 3, file=shown) as display:
        display.show(None, 3, unknown=2)
        display.show(None, 3)
    last = shown.getvalue().split("\r")[-1]
    assert "3/3" in last and "unknown" not in last
