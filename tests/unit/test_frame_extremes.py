"""Values that a store may send and that a table has to hold."""

from __future__ import annotations

from petstore_frame.frame import to_frame
from petstore_frame.inventory.seal import rows_digest
from petstore_frame.models import PetColumns


def test_more_statuses_than_a_small_number_counts() -> None:
    """Forty thousand statuses are forty thousand categories."""
    count = 40_000
    statuses = [f"s{n}" for n in range(count)]
    frame = to_frame(PetColumns(range(count), ["a"] * count, [1] * count, statuses))
    assert frame["status"].tolist() == statuses
    assert rows_digest(frame) is not None
