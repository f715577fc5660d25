"""A long file is read in a time and a memory that grow with it, and no faster."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from petstore_frame.tables.csv_file import text_columns
from petstore_frame.tables.typed_tables import json_lines_frame

ROWS = 50_000
FILES = {
    "csv": (text_columns, b"id,name\n" + b"1,Luna\n" * ROWS),
    "jsonl": (json_lines_frame, b'{"id": 1, "name": "Luna"}\n' * ROWS),
}


@pytest.mark.parametrize(("read", "data"), FILES.values(), ids=FILES)
def test_a_long_file_does_not_wake_the_garbage_collector(
    read: Callable[[bytes], object], data: bytes
) -> None:
    """Rows are not kept while their cells are gathered, so Python has nothing to look through."""
    read(data[:1000].rpartition(b"\n")[0])  # loads pandas
    phases: list[str] = []
    of_the_suite = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as Python starts
    gc.callbacks.append(lambda phase, _: phases.append(phase))
    try:
        read(data)
    finally:
        gc.callbacks.pop()
        gc.set_threshold(*of_the_suite)
    assert phases.count("start") < ROWS / 5_000
