"""The time that reading a header takes, for texts that a pattern may read again and again."""

from __future__ import annotations

import time

import pytest

from petstore_frame.loader.source import FilePreview, Recipe

PIECES = ("a (", "((", "[(", "(a) ", "Aa", "a_", "&a", "&#", "1.", "=a", " \t")


def seconds_of(header: str) -> float:
    """Return the CPU seconds that a preview of a file with this header takes, the best of two."""
    data = f'"{header}",category_id\nRex,3\n'.encode()
    spent = []
    for _ in range(2):
        started = time.process_time()
        FilePreview.of(data, Recipe())
        spent.append(time.process_time() - started)
    return min(spent)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", PIECES)
def test_a_header_is_read_in_the_time_of_its_length(piece: str) -> None:
    """Twice the header takes at most three times as long."""
    header = "#" + piece * (8_000 // len(piece))
    assert seconds_of(header * 2) < 3 * seconds_of(header) + 0.05
